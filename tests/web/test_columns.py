"""Columns on the board itself: added, renamed, reordered and removed by mouse, keyboard and touch."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..builders import permit
from ..world import Board, World
from .boards import card, column, middle, titles, touch, touch_point, visit_board, wait_until_ready
from .browser import PHONE, intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
COUNT_CLICKS = (
    "addEventListener('click', ({detail}) => (window.clicks = (window.clicks ?? 0) + (detail ? 1 : 0)), true)"
)
SEEN = "(one) => one.closest('form').getBoundingClientRect().right <= innerWidth"
IS_LIT = "(card) => card.getAnimations().length > 0"


async def open_screen(page: Page, board: Board) -> None:
    """Open a board and wait until its columns can be changed."""
    await visit_board(page, board)
    await expect(page.get_by_role("button", name="Add column")).to_be_attached()


def heads(page: Page) -> Locator:
    """Find the titles of the columns."""
    return page.locator("main section h2")


async def choose(page: Page, title: str, item: str) -> None:
    """Choose from the menu of a column by the keyboard."""
    await column(page, title).get_by_role("button", name=f"More about {title}").press("Enter")
    await page.get_by_role("menuitem", name=item, exact=True).press("Enter")


async def rows(site: World, board: Board, what: str) -> Any:
    """Return the columns or the transitions of a board as the service has them."""
    return (await site.sa.get(site.sa.org(f"/{what}"), params={"projectId": board.id})).ok()


async def test_a_column_is_added_before_done_with_one_click_and_undone_whole(browser: Browser, site: World) -> None:
    board = await site.board(title="Adding")
    await site.card(board, "Review", title="Stays dark")
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await visit_board(page, board)
        await visit_board(other, board)
        await page.evaluate(COUNT_CLICKS)
        await page.get_by_role("button", name="Add column").click()
        await page.keyboard.type("Testing <b>")
        await page.keyboard.press("Enter")
        wanted = ["Backlog", "Todo", "In Progress", "Review", "Testing <b>", "Done"]
        await expect(heads(page)).to_have_text(wanted)
        assert not await card(page, "Stays dark").evaluate(IS_LIT)
        assert await page.evaluate("clicks") == 1
        await expect(heads(other)).to_have_text(wanted)
        notice = page.get_by_role("status").filter(has_text="Testing <b> is added")
        await expect(notice).to_contain_text("It has the agent settings of Review.")
        await expect(notice).to_contain_text("Cards can move between it and Review and Done.")
        field = page.get_by_label("Title of the new column")
        await expect(field).to_be_focused()
        await expect(field).to_have_value("")
        assert await page.get_by_role("button", name="Close").last.evaluate(SEEN)
        added = (await rows(site, board, "columns"))[4]
        assert (added["agentPickupEnabled"], added["agentCanModerate"]) == (True, False)
        assert len(await rows(site, board, "transitions")) == 11
        await notice.get_by_role("button", name="Undo").click()
        wanted.remove("Testing <b>")
        await expect(heads(page)).to_have_text(wanted)
        assert len(await rows(site, board, "transitions")) == 7
        # The notice also knows columns that others have added just before.
        await field.fill("Used")
        between = {"projectId": board.id, "title": "Between", "connectToNeighbors": True}
        (await site.sa.post(site.sa.org("/columns"), between)).ok()
        await page.keyboard.press("Enter")
        notice = page.get_by_role("status").filter(has_text="Used is added")
        await expect(notice).to_contain_text("Cards can move between it and Between and Done.")
        await expect(column(page, "Used")).to_be_visible()
        used = (await rows(site, board, "columns"))[5]
        await site.card(board, columnId=used["id"])
        await page.get_by_role("status").filter(has_text="Used is added").get_by_role("button", name="Undo").click()
        await expect(page.get_by_role("alert").filter(has_text="Used has cards now. Move them")).to_be_visible()
        await intercept(page, "**/columns", lambda route: route.abort())
        await field.fill("Kept")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("main").get_by_role("alert").filter(has_text="service")).to_be_visible()
        await expect(field).to_have_value("Kept")
        await expect(page.get_by_role("button", name="Add column")).to_have_count(1)


async def test_a_column_is_renamed_in_place_and_moved_by_keyboard_and_mouse(browser: Browser, site: World) -> None:
    board = await site.board(title="Changing")
    await site.card(board, "Todo", title="Comes along")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await column(page, "Todo").get_by_role("heading").click()
        await page.get_by_label("Title of Todo").fill("Never")
        await page.keyboard.press("Escape")
        await expect(heads(page)).to_have_text(["Backlog", "Todo", "In Progress", "Review", "Done"])
        await column(page, "Todo").get_by_role("heading").click()
        await page.keyboard.type("Ready")
        await page.keyboard.press("Enter")
        await expect(column(page, "Ready")).to_contain_text("Comes along")
        await choose(page, "Ready", "Move right")
        order = ["Backlog", "In Progress", "Ready", "Review", "Done"]
        await expect(heads(page)).to_have_text(order)
        await expect(page.get_by_role("button", name="More about Ready")).to_be_focused()
        await expect(page.get_by_text("Ready is now column 3")).to_be_visible()
        x, y = await middle(column(page, "Ready").get_by_role("heading"))
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x - 20, y, steps=3)
        await page.mouse.move((await middle(column(page, "Backlog")))[0] - 60, y + 40, steps=6)
        await page.wait_for_timeout(60)
        await page.mouse.up()
        await page.keyboard.press("Enter")  # at once: it is not taken for the click that ends the drop
        await expect(page.get_by_role("menuitem", name="Move right")).to_be_visible()
        await page.keyboard.press("Escape")
        order = ["Ready", "Backlog", "In Progress", "Review", "Done"]
        await expect(heads(page)).to_have_text(order)
        await expect(page.get_by_text("Ready is now column 1")).to_be_visible()
        assert [row["title"] for row in await rows(site, board, "columns")] == order
        await choose(page, "Ready", "Rename")
        await page.keyboard.type("Soon")
        await intercept(page, "**/columns/*", lambda route: route.abort())
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert").filter(has_text="Ready was not renamed")).to_be_visible()
        await expect(page.get_by_label("Title of Ready")).to_be_focused()
        await page.keyboard.press("Escape")
        await choose(page, "Ready", "Move right")
        await expect(page.get_by_role("alert").filter(has_text="Ready stays as it was")).to_be_visible()
        await expect(heads(page)).to_have_text(order)


async def test_a_column_is_removed_with_its_cards_moved_and_comes_back(browser: Browser, site: World) -> None:
    board = await site.board(title="Removing")
    await site.card(board, "Todo", title="Moves on")
    place = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
    many = [{**place, "title": f"More {number}"} for number in range(100)]  # of two pages
    (await site.sa.post(site.sa.org("/cards"), {"items": many})).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await choose(page, "Review", "Remove…")
        await expect(page.get_by_role("dialog")).to_contain_text("It has no cards.")
        await expect(page.get_by_role("dialog").get_by_role("combobox")).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(column(page, "Review").get_by_role("button", name="More about Review")).to_be_focused()
        await choose(page, "Todo", "Remove…")
        await expect(page.get_by_label("Move its 101 cards to")).to_have_value(board.columns["Backlog"])
        await page.get_by_label("Move its 101 cards to").select_option("In Progress")
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(column(page, "Todo")).to_have_count(0)
        await expect(column(page, "In Progress")).to_contain_text("Moves on")
        await page.get_by_role("button", name="Undo").click()
        await expect(column(page, "Todo")).to_contain_text("Moves on")
        await expect(column(page, "Todo").locator(".count")).to_have_text("101")
        await expect(column(page, "In Progress").locator(".count")).to_have_text("0")
        assert (await titles(page, "Todo"))[:3] == ["Moves on", "More 0", "More 1"]
        await expect(heads(page)).to_have_text(["Backlog", "Todo", "In Progress", "Review", "Done"])
        assert len(await rows(site, board, "transitions")) == 7
        await page.get_by_role("link", name="Board settings").and_(page.locator("main a")).click()
        await page.get_by_role("button", name="New column…").click()
        await expect(page.get_by_role("dialog")).to_contain_text("added before the done columns")


async def fill(site: World, board: Board, title: str, count: int) -> None:
    """Create cards in a column, in batches."""
    place = {"projectId": board.id, "columnId": board.columns[title], "cardTypeId": board.card_type["id"]}
    for start in range(0, count, 100):
        items = [{**place, "title": f"No {number}"} for number in range(start, min(count, start + 100))]
        (await site.sa.post(site.sa.org("/cards"), {"items": items})).ok()


async def order(site: World, board: Board, title: str) -> list[str]:
    """Return the titles of the cards of a column as the service has them."""
    found = (await site.sa.get(site.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
    return [one["title"] for one in found if one["columnId"] == board.columns[title]]


async def test_a_whole_column_is_archived_behind_one_progress_and_comes_back_in_its_order(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Emptying")
    await fill(site, board, "Done", 230)
    before = await order(site, board, "Done")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        await choose(page, "Done", "Archive all…")
        await expect(page.get_by_role("dialog", name="Archive 230 cards of Done?")).to_be_visible()
        await page.get_by_role("button", name="Cancel").click()
        assert await order(site, board, "Done") == before
        await choose(page, "Done", "Archive all…")
        await page.get_by_role("button", name="Archive", exact=True).click()
        await expect(page.get_by_role("progressbar", name="Archiving cards")).to_be_visible()
        await expect(page.get_by_text("230 cards in the archive now")).to_be_visible()
        assert await order(site, board, "Done") == []
        await page.get_by_role("button", name="Undo").click()
        await expect(column(page, "Done").locator(".count")).to_have_text("230")
        await expect(page.get_by_role("progressbar")).to_have_count(0)
        assert await order(site, board, "Done") == before
        await expect(page.get_by_role("button", name="Undo")).to_have_count(0)


async def test_a_whole_column_is_moved_as_far_as_its_rules_allow_and_back_with_one_undo(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Moving all")
    await fill(site, board, "Todo", 130)
    before = await order(site, board, "Todo")
    path = site.sa.org(f"/columns/{board.columns['In Progress']}")
    (await site.sa.patch(path, {"wipLimit": 120})).ok()
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await choose(page, "Todo", "Move all to…")
        await page.get_by_role("menuitem", name="In Progress").click()
        notice = page.get_by_role("alert").filter(has_text="120 cards moved to In Progress")
        await expect(notice).to_contain_text("10 cards not changed.")
        await expect(notice).to_contain_text("The column is full (limit 120).")
        assert await order(site, board, "In Progress") == before[:120]
        await notice.get_by_role("button", name="Undo").click()
        await expect(column(page, "Todo").locator(".count")).to_have_text("130")
        await expect(page.get_by_role("progressbar")).to_have_count(0)
        assert await order(site, board, "Todo") == before


async def test_only_the_cards_that_a_filter_shows_are_archived_and_stop_ends_it(browser: Browser, site: World) -> None:
    board = await site.board(title="Filtered")
    await fill(site, board, "Done", 210)
    kept = await site.card(board, "Done", title="Kept apart")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}?q=No")
        await expect(page.get_by_role("button", name="Add column")).to_be_attached()
        await choose(page, "Done", "Archive all…")
        await expect(page.get_by_role("dialog")).to_contain_text("1 card that the filter hides will stay.")
        held = asyncio.Event()

        async def hold(route: Route) -> None:
            await held.wait()
            await route.continue_()

        await intercept(page, "**/cards/batch", hold)
        await page.get_by_role("button", name="Archive", exact=True).click()
        await page.get_by_role("button", name="Stop").click()
        held.set()
        await expect(page.get_by_role("alert").filter(has_text="Stopped after 100 cards.")).to_be_visible()
        assert len(await order(site, board, "Done")) == 111
    assert (await site.sa.get(f"/cards/{kept['id']}")).ok()["archivedAt"] is None


async def test_a_finger_reorders_columns_and_reaches_board_settings_with_one_tap(browser: Browser, site: World) -> None:
    board = await site.board(title="By touch, with a title as long as the phone")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        await open_screen(page, board)
        session = await touch(page)
        x, y = await middle(column(page, "Backlog").get_by_role("heading"))
        await touch_point(session, "touchStart", x, y)
        await page.wait_for_timeout(500)
        for step in range(1, 6):
            await touch_point(session, "touchMove", x + (370 - x) * step / 5, y)
        await page.wait_for_timeout(60)
        await touch_point(session, "touchEnd")
        await expect(heads(page)).to_have_text(["Todo", "Backlog", "In Progress", "Review", "Done"])
        await page.get_by_role("main").get_by_role("link", name="Board settings").tap()
        await expect(page.get_by_role("heading", name="Board settings")).to_be_visible()
        await page.go_back()
        await page.get_by_role("button", name="More about Todo").tap()
        await page.get_by_role("menuitem", name="Board settings").tap()
        await expect(page.get_by_role("heading", name="Board settings")).to_be_visible()


async def test_who_may_not_change_columns_sees_nothing_of_it(browser: Browser, site: World) -> None:
    board = await site.board(title="Members")
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await column(page, "Todo").get_by_role("heading").click()
        await expect(page.get_by_role("textbox", name="Title of Todo")).to_have_count(0)
        await page.get_by_role("button", name="More about Todo").click()
        await expect(page.get_by_role("menuitem")).to_have_text(
            ["Collapse", "Select cards", "Hide empty columns", "Add a cardc"]
        )  # without cards, there is nothing to move or archive
        await expect(page.get_by_role("button", name="Add column")).to_have_count(0)
    await permit(site, "SolutionArchitect", "Column", "read", "update")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.get_by_role("button", name="More about Todo").click()
        await expect(page.get_by_role("menuitem", name="Rename")).to_be_visible()
        await expect(page.get_by_role("menuitem", name="Remove…")).to_have_count(0)
        await expect(page.get_by_role("button", name="Add column")).to_have_count(0)
    await permit(site, "SolutionArchitect", "Column", "read", "create", "update", "delete")


async def test_a_new_board_takes_two_clicks_and_an_empty_one_asks_for_its_first_column(
    browser: Browser, site: World
) -> None:
    blank = (await site.sa.post(site.sa.org("/projects"), {"title": "Blank", "template": "blank"})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{blank['id']}")
        await expect(page.get_by_role("heading", name="This board has no columns yet")).to_be_visible()
        await page.evaluate(COUNT_CLICKS)
        await page.get_by_label("Title of the new column").click()
        for title in ("Open", "Closed"):
            await page.keyboard.type(title)
            await page.keyboard.press("Enter")
            await expect(column(page, title)).to_be_visible()
            await expect(page.get_by_label("Title of the new column")).to_have_value("")
        await expect(page.get_by_text("Cards can move between it and Open.")).to_be_visible()
        assert await page.evaluate("clicks") == 1
        await page.get_by_role("button", name="New board").click()
        await page.keyboard.type("Garden")
        await page.get_by_role("button", name="Create board").click()
        await expect(page.get_by_role("heading", name="Garden")).to_be_visible()
        await wait_until_ready(page)
        assert await page.evaluate("clicks") == 3


async def test_columns_moved_by_others_leave_focus_text_and_scroll_position(browser: Browser, site: World) -> None:
    board = await site.board(title="Moved by others")
    for number in range(30):
        await site.card(board, "Todo", title=f"Number {number}")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page, board)
        todo = column(page, "Todo")
        await todo.get_by_role("button", name="Add a card to Todo").click()
        await page.keyboard.type("Half a ti")
        await todo.get_by_text("Number 9", exact=True).scroll_into_view_if_needed()
        before = await todo.get_by_text("Number 9", exact=True).bounding_box()
        (await site.sa.patch(site.sa.org(f"/columns/{board.columns['Backlog']}"), {"order": 3})).ok()
        await expect(heads(page)).to_have_text(["Todo", "In Progress", "Review", "Backlog", "Done"])
        (await site.sa.patch(site.sa.org(f"/columns/{board.columns['Todo']}"), {"order": 2})).ok()
        await expect(heads(page)).to_have_text(["In Progress", "Review", "Todo", "Backlog", "Done"])
        after = await todo.get_by_text("Number 9", exact=True).bounding_box()
        assert before is not None
        assert after is not None
        assert after["y"] == before["y"]
        await page.keyboard.type("tle")
        await page.keyboard.press("Enter")
        await expect(todo.get_by_text("Half a title", exact=True)).to_be_visible()
