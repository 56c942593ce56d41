"""Contrast as it is painted: page, columns and cards tell apart in both themes, also while a card is dragged."""

from typing import Literal

import pytest
from playwright.async_api import Browser, Page

from ..world import World
from .boards import card, column, lift_card, middle, visit_board
from .browser import visiting
from .painted import TEXT_MIN, colors, contrast, faint_texts

pytestmark = pytest.mark.asyncio(loop_scope="session")
LAYERS_MIN = 1.2  # between the page and a column, and between a column and a card
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


async def layers(page: Page) -> tuple[float, float]:
    """Return the contrast between the page and a column, and between a column and a card."""
    column_box = await column(page, "Backlog").bounding_box()
    card_box = await page.locator("li.card").first.bounding_box()
    assert column_box is not None
    assert card_box is not None
    points = [
        (column_box["x"] - 4, column_box["y"] + 100),
        (column_box["x"] + column_box["width"] / 2, column_box["y"] + column_box["height"] - 20),
        (card_box["x"] + 4, card_box["y"] + card_box["height"] / 2),
    ]
    behind, on_column, on_card = await colors(page, points)
    return contrast(behind, on_column), contrast(on_column, on_card)


async def test_page_columns_and_cards_tell_apart_in_both_themes(browser: Browser, site: World) -> None:
    board = await site.board(title="Layers")
    await site.card(board, "Backlog", title="On top")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        for theme in THEMES:
            await page.emulate_media(color_scheme=theme)
            for found in await layers(page):
                assert found >= LAYERS_MIN, theme


@pytest.mark.slow
async def test_texts_are_readable_under_the_pointer_and_while_a_card_is_dragged(browser: Browser, site: World) -> None:
    board = await site.board(title="Dragged")
    await site.card(board, "Backlog", title="Late", priority="urgent", dueDate="2020-01-01")
    await site.card(board, title="Under the pointer", priority="low", dueDate="2099-01-01")
    faint: list[str] = []
    async with visiting(browser, site, site.sa, reduced_motion="reduce") as page:

        async def look() -> None:
            for theme in THEMES:
                await page.emulate_media(color_scheme=theme)
                faint.extend(await faint_texts(page, TEXT_MIN))

        await visit_board(page, board)
        await card(page, "Under the pointer").hover()
        await look()
        await lift_card(page, card(page, "Late"))
        await page.mouse.move(*await middle(column(page, "Todo")), steps=3)
        await look()
        await page.keyboard.press("Escape")
        await page.mouse.up()
    assert faint == []
