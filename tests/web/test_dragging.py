"""What a person sees while dragging: a copy at the pointer, the place of the drop, and how fast the board scrolls."""

from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .boards import card, column, lift_card, middle, titles, touch, touch_point, visit_board
from .browser import PHONE, visiting
from .painted import colors, contrast

pytestmark = pytest.mark.asyncio(loop_scope="session")
TOUCH = {"viewport": PHONE, "has_touch": True, "is_mobile": True}

# The boxes of all that is visible and shows exactly this text, from the last in the document to the first.
COPIES = """(text) => [...document.querySelectorAll("body *")].filter((one) =>
    one.childElementCount === 0 && one.textContent === text &&
    one.checkVisibility({opacityProperty: true, visibilityProperty: true}))
    .map((one) => one.getBoundingClientRect().toJSON()).reverse()"""
# The boxes with a dashed edge: the place where a card would be dropped.
DASHED = """() => [...document.querySelectorAll(".columns *")]
    .filter((one) => getComputedStyle(one).borderTopStyle === "dashed" && one.checkVisibility())
    .map((one) => one.getBoundingClientRect().toJSON())"""


def is_inside(point: tuple[float, float], box: dict[str, float], margin: float = 0) -> bool:
    """Whether a point lies in a box, or at most a number of pixels beside it."""
    x, y = point
    return box["left"] - margin <= x <= box["right"] + margin and box["top"] - margin <= y <= box["bottom"] + margin


async def test_a_copy_of_the_card_follows_the_pointer_and_its_place_is_marked(browser: Browser, site: World) -> None:
    board = await site.board(title="Followed")
    for title in ("Above", "Below"):
        await site.card(board, "Todo", title=title)
    await site.card(board, "Backlog", title="Traveller")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await lift_card(page, card(page, "Traveller"))
        x, y = await middle(column(page, "Todo"))
        below = await card(page, "Below").bounding_box()
        assert below is not None
        for point in ((x, below["y"] + 8), (x + 40, y), (x - 30, below["y"] + 8)):
            await page.mouse.move(*point, steps=3)
            await page.wait_for_timeout(60)
            copy, original = await page.evaluate(COPIES, "Traveller")
            assert is_inside(point, copy, 12), (point, copy)
            assert copy["width"] > 100
            assert original["left"] < copy["left"] - 100
            # What is painted right of the title is the copy, not the column behind it.
            on_copy, behind = await colors(page, [(point[0] + 40, point[1] + 1), (x, y + 200)])
            assert on_copy != behind
            assert len(await page.evaluate(DASHED)) == 1
        [place] = await page.evaluate(DASHED)
        above, below = [await card(page, title).bounding_box() for title in ("Above", "Below")]
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= place["top"] < place["bottom"] <= below["y"]
        assert place["height"] >= 20
        await page.mouse.up()
        await expect(column(page, "Todo").locator("li.card")).to_have_count(3)
        assert await titles(page, "Todo") == ["Above", "Traveller", "Below"]
        assert len(await page.evaluate(COPIES, "Traveller")) == 1


async def test_a_copy_of_the_column_follows_the_pointer_in_the_board_settings(browser: Browser, site: World) -> None:
    board = await site.board(title="Columns")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/design")
        items = page.get_by_role("region", name="Columns", exact=True).get_by_role("listitem")
        x, y = await middle(items.first.locator(".drag-handle"))
        await page.mouse.move(x, y)
        await page.mouse.down()
        target = await items.nth(2).bounding_box()
        assert target is not None
        point = (x + 60, target["y"] + target["height"] * 0.75)
        await page.mouse.move(*point, steps=4)
        await page.wait_for_timeout(60)
        copy = (await page.evaluate(COPIES, "Backlog"))[0]
        original = await items.first.get_by_text("Backlog", exact=True).bounding_box()
        assert original is not None
        assert abs(copy["top"] - original["y"] - (point[1] - y)) < 12
        assert abs(copy["left"] - original["x"] - 60) < 30
        left, edge = target["x"] + 8, target["y"] + target["height"]  # left of the copy
        line, row = await colors(page, [(left, edge + 2), (left, edge + 20)])
        assert contrast(line, row) > 3  # a line between two columns, where it will be dropped
        async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            await page.mouse.up()
        await expect(items.nth(2)).to_contain_text("Backlog")


# Fewer frames per second than a screen has.
SLOW_FRAMES = """
    window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 110);
    window.cancelAnimationFrame = clearTimeout;
"""
# Notes [milliseconds, pixels] of the scrolled board every 20 ms.
WATCH = """() => {
    const began = performance.now();
    const columns = document.querySelector(".columns");
    window.scrolled = [];
    setInterval(() => window.scrolled.push([performance.now() - began, columns.scrollLeft]), 20);
}"""


async def held_at_the_edge(page: Page, seconds: float) -> list[tuple[float, float]]:
    """Take the first card with a finger, hold it at the right edge, and give where the board was at which time."""
    session = await touch(page)
    x, y = await middle(page.locator("li.card a.name").first)
    await touch_point(session, "touchStart", x, y)
    await expect(page.locator(".drag-preview")).to_be_visible()
    await page.evaluate(WATCH)
    await touch_point(session, "touchMove", PHONE["width"] - 3, y + 30)
    await page.wait_for_timeout(seconds * 1000)
    found: list[Any] = await page.evaluate("() => window.scrolled")
    await touch_point(session, "touchMove", PHONE["width"] / 2, y + 30)
    await touch_point(session, "touchEnd")
    return [(time, left) for time, left in found]


@pytest.mark.parametrize("script", ["", SLOW_FRAMES], ids=["each frame", "few frames"])
async def test_a_finger_at_the_edge_scrolls_one_and_a_half_columns_a_second(
    browser: Browser, site: World, script: str
) -> None:
    board = await site.board(title="Edge")
    await site.card(board, "Backlog", title="Held at the edge")
    async with visiting(browser, site, site.sa, **TOUCH) as page:
        await page.add_init_script(script)
        await visit_board(page, board)
        width = await column(page, "Todo").evaluate("(column) => column.offsetWidth")
        found = await held_at_the_edge(page, 1.8)
        moved = [(time, left) for time, left in found if left > 0]
        assert moved[0][0] >= 580, moved[0]
        (began, first), (ended, last) = moved[0], moved[-1]
        speed = (last - first) / (ended - began) * 1000
        assert speed <= 1.5 * width * 1.1, (speed, width)
        assert last >= 0.5 * width, "it does not scroll"
        assert len({left for _, left in moved}) >= 5  # evenly, not in one jump
