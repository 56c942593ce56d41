"""What the page costs on a board of 5,000 cards: time of the main thread rather than of the clock, in medians."""

import asyncio
import sqlite3
import statistics
import time
from typing import Any

from playwright.async_api import Browser, CDPSession, Page

from ..world import Board, World
from .boards import visit_board
from .browser import until, visiting, watch_of

CARDS = 5000
BURST = 600  # moves
BURSTS = 3  # a long task may be the machine's; one good burst tells
SPREAD = {"Backlog": 0.5, "Todo": 0.2, "Review": 0.1, "Done": 0.2}  # half of all in one column
# Copies a card; statements of the service would take minutes.
FILL = """
WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < :many)
INSERT INTO cards (id, org_id, project_id, column_id, card_type_id, title, priority, due_date, rank_key, version,
    created_by, created_at, updated_at, number)
SELECT 'card_' || :column || n, org_id, project_id, :column, card_type_id,
    substr('Card ' || n || ' about ' || replace(hex(zeroblob(n % 40)), '00', 'ab '), 1, 20 + n % 70),
    CASE n % 4 WHEN 0 THEN 'high' WHEN 1 THEN 'low' ELSE 'none' END,
    CASE WHEN n % 3 = 0 THEN '2027-01-01T00:00:00.000Z' END,
    n * 65536, 1, created_by, created_at, updated_at, :first + n
FROM many, cards WHERE cards.id = :card"""


async def large_board(world: World) -> Board:
    """Make a board with 5,000 cards."""
    board = await world.board(title="Five thousand")
    pattern = await world.card(board, "In Progress", title="The pattern")
    assert world.service is not None
    with sqlite3.connect(world.service.settings.data_path / "service.db", timeout=30) as connection:
        first = 10
        for title, share in SPREAD.items():
            many = int(CARDS * share)
            wishes = {"many": many, "column": board.columns[title], "first": first, "card": pattern["id"]}
            connection.execute(FILL, wishes)
            first += many
        connection.execute("UPDATE projects SET last_number = :n WHERE id = :id", {"n": first, "id": board.id})
        connection.execute("DELETE FROM search_pending")  # else the next write of the service would index them all
    connection.close()
    return board


async def meter(page: Page) -> CDPSession:
    """Count the time of the main thread by its own clock, so that a busy machine does not count."""
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


async def get_time_spent(session: CDPSession) -> float:
    """Return how many milliseconds the main thread has worked so far."""
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration") * 1000


PACKED = """() => performance.getEntries().filter(({name}) => !name.includes("/api/"))
    .reduce((sum, {encodedBodySize = 0}) => sum + encodedBodySize, 0)"""


async def first_cards(browser: Browser, world: World, board: Board) -> dict[str, float]:
    """Open the board cold: time until its cards are drawn, elements in the document, requests until then."""
    async with visiting(browser, world, world.sa) as page:
        session = await meter(page)
        await visit_board(page, board)
        until_drawn = await page.evaluate("() => performance.getEntriesByName('tandem.board')[0].startTime")
        packed = await page.evaluate(PACKED)
        asked = [one for one in watch_of(page).requests if "/events" not in one and "/attention" not in one]
        return {
            "first cards, main thread (ms)": await get_time_spent(session),
            "first cards, clock (ms)": float(until_drawn),
            "elements": float(await page.evaluate("() => document.querySelectorAll('*').length")),
            "requests until usable": float(len(asked)),
            "first screen, packed (KiB)": packed / 1024,
        }


SCROLL = """async (frames) => {
    const scroller = document.querySelector(".cards");
    for (let frame = 0; frame < frames; frame += 1) {
        scroller.scrollTop += 60;
        await new Promise(requestAnimationFrame);
    }
}"""
MOVE = """async () => {
    const card = document.activeElement.closest("li.card").dataset.id;
    const began = performance.now();
    const keys = {key: "ArrowRight", shiftKey: true, bubbles: true, cancelable: true};
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", keys));
    await new Promise(requestAnimationFrame);
    const took = performance.now() - began;
    const title = document.querySelector(`[data-id="${card}"]`).closest(".column").querySelector("h2").textContent;
    return [took, title];
}"""


async def scrolled_frame(page: Page, frames: int = 100) -> float:
    """Return the milliseconds of main thread that a frame takes while a column of 2,500 cards scrolls."""
    session = await meter(page)
    await page.evaluate(SCROLL, 20)
    before = await get_time_spent(session)
    await page.evaluate(SCROLL, frames)
    return (await get_time_spent(session) - before) / frames


async def own_move(page: Page) -> float:
    """Return the milliseconds from a key that moves a card to the first frame that shows it there."""
    await page.locator("[data-column] li.card a").first.focus()
    took, title = await page.evaluate(MOVE)
    assert title == "Todo"
    return float(took)


LONG_TASKS = """() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
        for (const {duration} of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({type: "longtask"});
}"""


async def burst(page: Page, world: World, board: Board) -> dict[str, float]:
    """Have others move cards 600 times: what that asks of the page, its longest task."""
    await page.evaluate(LONG_TASKS)
    watch_of(page).requests.clear()
    ids = [f"card_{board.columns['Backlog']}{2000 + number}" for number in range(BURST // 2)]
    began = time.perf_counter()

    async def there_and_back(one: str) -> None:
        for goal in ("Todo", "Backlog"):
            (await world.member.patch(f"/cards/{one}/status", {"toColumnId": board.columns[goal]})).ok()

    if ("Todo", "Backlog") not in board.transitions:
        board.transitions["Todo", "Backlog"] = (await world.edge(board, "Todo", "Backlog"))["id"]
    for start in range(0, len(ids), 20):
        await asyncio.gather(*(there_and_back(one) for one in ids[start : start + 20]))
    took = time.perf_counter() - began
    last = "async ([id, one]) => (await import('/board/store.js')).getBoard(id).order.get(one[1]).at(-1) === one[0]"
    order = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
    final = [one["id"] for one in order if one["columnId"] == board.columns["Backlog"]][-1]
    await until(page, last, [board.id, [final, board.columns["Backlog"]]])
    return {
        "burst, seconds": took,
        "burst, requests": float(len(watch_of(page).requests)),
        "burst, longest task (ms)": float(await page.evaluate("() => window.longest")),
    }


async def all_measures(browser: Browser, world: World, runs: int = 5) -> dict[str, float]:
    """Measure everything, and return the medians."""
    board = await large_board(world)
    cold = [await first_cards(browser, world, board) for _ in range(runs)]
    found: dict[str, Any] = {name: statistics.median(one[name] for one in cold) for name in cold[0]}
    async with visiting(browser, world, world.sa) as page:
        await visit_board(page, board)
        found["own move, first frame (ms)"] = statistics.median([await own_move(page) for _ in range(runs)])
        found["scrolled frame, main thread (ms)"] = statistics.median([await scrolled_frame(page) for _ in range(runs)])
        bursts = [await burst(page, world, board) for _ in range(BURSTS)]
        found |= min(bursts, key=lambda one: one["burst, longest task (ms)"])
    return found
