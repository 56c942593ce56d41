"""Helpers for tests of the board: open it, find cards and columns, drag as a person does."""

from typing import Any

from playwright.async_api import CDPSession, Locator, Page, expect

from ..world import Board, Client, World


async def visit_board(page: Page, board: Board, query: str = "") -> None:
    """Open a board and wait until it is there."""
    await page.goto(f"/b/{board.id}{query}")
    await wait_until_ready(page)


async def wait_until_ready(page: Page) -> None:
    """Wait until a board is there, and heeds keys and hands."""
    await expect(page.locator(".column:not(.skeleton)").first).to_be_visible()
    await expect(page.locator(".columns[aria-busy]")).to_have_count(0)


def column(page: Page, title: str) -> Locator:
    """Find a column by its title."""
    return page.get_by_role("region", name=title, exact=True)


def card(page: Page, title: str) -> Locator:
    """Find a card of a board by its title."""
    return page.locator("li.card").filter(has=page.locator("a", has_text=title))


async def titles(page: Page, title: str) -> list[str]:
    """Return the titles of a column's cards that are drawn, from top to bottom."""
    return await column(page, title).locator("li.card a.name").all_text_contents()


async def middle(place: Locator) -> tuple[float, float]:
    """Return the point in the middle of something."""
    box = await place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def lift_card(page: Page, what: Locator) -> None:
    """Take a card with the mouse, by its title."""
    x, y = await middle(what.locator("a.name"))
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 8, y + 8, steps=3)
    await expect(page.locator(".drag-preview")).to_have_count(1)


async def drag(page: Page, what: Locator, where: Locator, y: float | None = None) -> None:
    """Drag a card to the middle of something, or to a height (in pixels from its top) of it."""
    await lift_card(page, what)
    box = await where.bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + (box["height"] / 2 if y is None else y), steps=6)
    await page.wait_for_timeout(60)  # a frame or two: the place follows the pointer frame by frame
    await page.mouse.up()


async def drop_files(page: Page, where: Locator, *files: tuple[str, str]) -> None:
    """Let files of these names and texts fall on something."""
    gather = """(files) => {
        const transfer = new DataTransfer();
        for (const [name, text] of files) transfer.items.add(new File([text], name));
        return transfer;
    }"""
    carried = {"dataTransfer": await page.evaluate_handle(gather, [list(file) for file in files])}
    for kind in ("dragover", "drop"):
        await where.dispatch_event(kind, carried)


async def touch(page: Page) -> CDPSession:
    """Return the browser's own way to send touches."""
    return await page.context.new_cdp_session(page)


async def touch_point(session: CDPSession, kind: str, x: float = 0, y: float = 0) -> None:
    """Put a finger down, move it or take it away."""
    points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
    await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


async def order(world: World, board: Board, by: Client | None = None) -> dict[str, list[str]]:
    """Return the ids of the cards by column, as the service has them."""
    by = by or world.sa
    answer = (await by.get(by.org("/board"), params={"projectId": board.id})).ok()
    found: dict[str, list[str]] = {column["id"]: [] for column in answer["columns"]}
    for one in answer["cards"]:
        found[one["columnId"]].append(one["id"])
    return found


async def order_on(page: Page, board: Board) -> Any:
    """Return the same as the page has it."""
    return await page.evaluate(
        """async (id) => {
            const { getBoard } = await import("/board/store.js");
            return Object.fromEntries(getBoard(id).order);
        }""",
        board.id,
    )
