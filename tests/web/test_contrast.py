"""Contrast as it is painted: page, columns and cards tell apart in both themes, and all texts are readable on them."""

from typing import Literal

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .boards import card, column, lift, middle, shown
from .browser import visiting
from .painted import colors, contrast, faint_texts

pytestmark = pytest.mark.asyncio(loop_scope="session")
LAYERS_MIN = 1.2  # between the page and a column, and between a column and a card
TEXT_MIN = 4.5
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


async def layers(page: Page) -> tuple[float, float]:
    """Give the contrast between the page and a column, and between a column and a card."""
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


async def furnished(site: World, title: str) -> tuple[str, str, str]:
    """Make a board with all that a card can show; give its id, the key of a card, and the title of the board."""
    board = await site.board(title=title)
    for name in ("Todo", "Review"):
        await site.column(board, name, agentPickupEnabled=True, agentCanModerate=True, wipLimit=1)
    bot = await site.agent(title.lower())
    await site.card(board, "Backlog", title="Late", priority="urgent", dueDate="2020-01-01", assignedUserId=site.sa.id)
    held = await site.card(board, "Todo", title="Claimed", assignedAgentId=bot.id)
    asked = await site.card(board, "Review", title="Asked")
    (await bot.post(f"/cards/{held['id']}/claim/mcp", {})).ok()
    text = (
        "Some `code`, [a link](https://example.test)\n\n> quoted\n\n```\nblock\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    (await bot.post(f"/cards/{held['id']}/comments/mcp", {"content": text})).ok()
    wish = {"toColumnId": board.columns["Done"], "note": "Look"}
    (await bot.post(f"/cards/{asked['id']}/move-requests/mcp", wish)).ok()
    return board.id, held["key"], title


async def test_page_columns_and_cards_tell_apart_in_both_themes(browser: Browser, site: World) -> None:
    board = await site.board(title="Layers")
    await site.card(board, "Backlog", title="On top")
    async with visiting(browser, site, site.sa) as page:
        await shown(page, board)
        for theme in THEMES:
            await page.emulate_media(color_scheme=theme)
            for found in await layers(page):
                assert found >= LAYERS_MIN, theme


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
async def test_all_texts_are_readable_on_what_is_painted_behind_them(browser: Browser, site: World, theme: str) -> None:
    board, key, title = await furnished(site, f"Painted {theme}".replace(" ", ""))
    faint: dict[str, list[str]] = {}
    async with visiting(browser, site, site.sa, color_scheme=theme, reduced_motion="reduce") as page:

        async def look(name: str) -> None:
            await page.wait_for_timeout(150)  # transitions of buttons
            if found := await faint_texts(page, TEXT_MIN):
                faint[name] = found

        await page.goto(f"/b/{board}")
        await expect(card(page, "Claimed")).to_be_visible()
        await expect(page.locator(".columns[aria-busy]")).to_have_count(0)
        await look("board")
        await card(page, "Claimed").hover()
        await look("hover")
        await page.get_by_role("button", name="More filters").click()
        await look("menu")
        await page.keyboard.press("Escape")
        await lift(page, card(page, "Late"))
        await page.mouse.move(*await middle(column(page, "Todo")), steps=3)
        await look("dragging")
        await page.keyboard.press("Escape")
        await page.mouse.up()
        await card(page, "Claimed").get_by_role("link").focus()
        await page.keyboard.press("x")
        await look("selection")
        await page.goto(f"/b/{board}/c/{key}")
        await expect(page.get_by_role("heading", name="History")).to_be_visible()
        await expect(page.get_by_text("block", exact=True)).to_be_visible()
        await look("card")
        for address, text in (
            ("/", "Since your last visit"),
            (f"/b/{board}/design", "Transitions"),
            (f"/reports?project={board}", "Created and closed"),
            ("/agents", "Painted"),
            ("/settings/members", "Ada Architect"),
            ("/settings/permissions", "Permissions"),
            ("/me", "Theme"),
            (f"/search?q={title}", "Search"),
        ):
            await page.goto(address)
            await expect(page.get_by_text(text).locator("visible=true").first).to_be_visible()
            await look(address)
    assert faint == {}
