"""Everyday work takes few clicks or keys: by mouse, by keyboard, by finger. What is seen and stored is checked."""

from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import Board, World
from .boards import card, column, middle, touch, touch_point, visit_board, wait_until_ready
from .browser import PHONE, until, visiting
from .counting import Hands

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
TITLES = ("First", "Second", "Third")


@dataclass
class Work:
    """A board with three cards and an agent, on the page of an architect."""

    site: World
    page: Page
    hands: Hands
    board: Board
    cards: dict[str, Any]

    def link(self, title: str) -> Locator:
        """Find the title of a card."""
        return card(self.page, title).get_by_role("link")

    def dialog(self, title: str) -> Locator:
        """Find an open card."""
        return self.page.get_by_role("dialog", name=title)

    async def has(self, title: str) -> Any:
        """Return a card as the service has it, with the title of its column."""
        query = {"projectId": self.board.id, "include": "fieldValues"}
        found = (await self.site.sa.get(self.site.sa.org("/cards"), params=query)).ok()["items"]
        columns = {column_id: title for title, column_id in self.board.columns.items()}
        (one,) = [{**each, "column": columns[each["columnId"]]} for each in found if each["title"] == title]
        return one

    async def close(self) -> None:
        """Close the open card, which no row counts."""
        await self.page.keyboard.press("Escape")
        await expect(self.page.get_by_role("dialog")).to_have_count(0)

    async def focus(self, title: str) -> None:
        """Give a card the focus, as each change of it does; no row counts it."""
        await expect(self.page.get_by_role("dialog")).to_have_count(0)
        await self.link(title).focus()


async def prepare(site: World, page: Page, title: str) -> Work:
    """Create the board and open it."""
    board = await site.board(title=title)
    values = [
        {"fieldId": board.field("tags"), "value": ["bug"]},
        {"fieldId": board.field("description"), "value": "- [ ] Buy paint\n- [ ] Sand the wood"},
    ]
    cards = {title: await site.card(board, title=title, fieldValues=values) for title in TITLES}
    await visit_board(page, board)
    await expect(page.get_by_role("button", name="Add column")).to_be_attached()
    return Work(site, page, Hands(page), board, cards)


async def expect_new_board(work: Work, title: str) -> None:
    await expect(work.page.get_by_role("heading", name=title, level=1)).to_be_visible()
    await wait_until_ready(work.page)
    boards = (await work.site.sa.get(work.site.sa.org("/projects"))).ok()
    assert title in [board["title"] for board in boards]
    await visit_board(work.page, work.board)
    await expect(work.page.get_by_role("button", name="Add column")).to_be_attached()


async def expect_new_column(work: Work) -> None:
    await expect(column(work.page, "Testing")).to_be_visible()
    columns = (await work.site.sa.get(work.site.sa.org("/columns"), params={"projectId": work.board.id})).ok()
    assert [each["title"] for each in columns][-2:] == ["Testing", "Done"]
    await work.page.get_by_role("button", name="Close").last.click()


async def expect_new_card(work: Work) -> None:
    tile = card(work.page, "Paint")
    for text in ("bug", "Dec 24, 2030"):
        await expect(tile.get_by_text(text)).to_be_visible()
    await expect(tile).to_contain_text("MM")
    one = await work.has("Paint")
    assert (one["assignedUserId"], one["dueDate"][:10]) == (work.site.member.id, "2030-12-24")
    assert [value["value"] for value in one["fieldValues"]] == [["bug"]]
    await work.page.keyboard.press("Escape")


async def expect_moved(work: Work) -> None:
    await expect(column(work.page, "In Progress")).to_contain_text("First")
    await until_has(work, "First", column="In Progress")


async def expect_ticked(work: Work) -> None:
    await expect(work.dialog("First").get_by_role("checkbox", name="Buy paint")).to_be_checked()
    await expect(work.dialog("First").get_by_text("1 of 2 done")).to_be_visible()
    await until_has(work, "First", checklist={"done": 1, "total": 2})
    await work.close()


async def until_has(work: Work, title: str, **values: Any) -> None:
    """Wait until the service has what the page shows already."""
    for _ in range(100):
        one = await work.has(title)
        if {name: one.get(name) for name in values} == values:
            return
        await work.page.wait_for_timeout(50)
    raise AssertionError((title, values, one))


async def expect_mentioned(work: Work) -> None:
    comment = work.dialog("First").get_by_role("article").filter(has_text="Please look")
    await expect(comment.get_by_title("@mo-member")).to_have_text("@Mo Member")
    (written,) = (await work.site.sa.get(f"/cards/{work.cards['First']['id']}/comments")).ok()["items"]
    assert [mention["id"] for mention in written["mentions"]] == [work.site.member.id]
    await work.close()


async def expect_archived(work: Work, title: str) -> None:
    await expect(card(work.page, title)).to_have_count(0)
    query = {"projectId": work.board.id, "archived": "true"}
    found = (await work.site.sa.get(work.site.sa.org("/cards"), params=query)).ok()["items"]
    assert [each["title"] for each in found] == [title]


async def expect_urgent(work: Work) -> None:
    for title in TITLES:
        await expect(card(work.page, title).get_by_text("urgent")).to_be_visible()
        assert (await work.has(title))["priority"] == "urgent"
    for title, priority in (("Second", "high"), ("Third", "none")):  # for the filter
        (await work.site.sa.patch(f"/cards/{work.cards[title]['id']}", {"priority": priority})).ok()
        await expect(card(work.page, title)).not_to_contain_text("urgent")


async def expect_filtered(work: Work) -> None:
    chips = work.page.get_by_role("group", name="Filters", exact=True).get_by_role("listitem")
    await expect(chips).to_have_text(["Priority: high", "Priority: urgent"])
    await expect(work.page.get_by_role("button", name="2 of 4")).to_be_visible()
    await expect(work.page.locator("li.card a.name")).to_have_text(["Second", "First"])
    query = {"projectId": work.board.id, "priority": ["high", "urgent"]}
    found = (await work.site.sa.get(work.site.sa.org("/cards"), params=query)).ok()["items"]
    assert {each["title"] for each in found} == {"First", "Second"}


async def create_by_mouse(work: Work) -> None:
    """Create a board, a column and a card."""
    page, hands = work.page, work.hands
    with hands.at_most(2, "new board"):
        await hands.click(page.get_by_role("button", name="New board"))
        await hands.type("Garden by mouse")
        await hands.click(page.get_by_role("button", name="Create board"))
    await expect_new_board(work, "Garden by mouse")
    with hands.at_most(2, "new column"):
        await hands.click(page.get_by_role("button", name="Add column"))
        await hands.type("Testing")
        await hands.click(page.get_by_role("button", name="Add column"))
    await expect_new_column(work)
    with hands.at_most(6, "card with label, assignee and date"):
        await hands.click(column(page, "Backlog").get_by_role("button", name="Add a card"))
        await hands.type("Paint #")
        await hands.click(page.get_by_role("option", name="bug"))
        await hands.type("@")
        await hands.click(page.get_by_role("option", name="Mo Member"))
        await hands.type("^2030-12-24")
        await hands.click(page.get_by_role("option", name="2030-12-24"))
        await hands.click(page.get_by_role("button", name="Add", exact=True))
    await expect_new_card(work)


async def change_by_mouse(work: Work) -> None:
    """Move, tick and assign a card, and comment on it."""
    page, hands, menu = work.page, work.hands, work.page.get_by_role("menu")
    with hands.at_most(1, "move on"):
        await hands.drag(card(page, "First"), column(page, "In Progress"))
    await expect_moved(work)
    with hands.at_most(2, "tick"):
        await hands.click(work.link("First"))
        await hands.click(work.dialog("First").get_by_role("checkbox", name="Buy paint"))
    await expect_ticked(work)
    await card(page, "First").hover()
    with hands.at_most(3, "assign another"):
        await hands.click(card(page, "First").get_by_role("button", name="Actions of"))
        await hands.click(menu.get_by_role("menuitem", name="Change the assignee"))
        await hands.click(menu.get_by_role("menuitemradio", name="Mo Member"))
    await expect(card(page, "First")).to_contain_text("MM")
    await until_has(work, "First", assignedUserId=work.site.member.id)
    with hands.at_most(4, "mention in a comment"):
        await hands.click(work.link("First"))
        await hands.click(work.dialog("First").get_by_role("textbox", name="Comment"))
        await hands.type("Please look, @mo")
        await hands.click(page.get_by_role("option", name="Mo Member"))
        await hands.click(work.dialog("First").get_by_role("button", name="Comment", exact=True))
    await expect_mentioned(work)


async def find_and_archive_by_mouse(work: Work) -> None:
    """Find a card by its key, give it a due date, archive it and get it back."""
    page, hands = work.page, work.hands
    with hands.at_most(2, "find"):
        await hands.click(page.get_by_role("link", name="Search").first)
        await expect(page.get_by_label("Search all boards")).to_be_focused()
        await hands.type(work.cards["Second"]["key"])
        await hands.click(page.get_by_role("link", name="Second"))
    opened = work.dialog("Second")
    await expect(opened.get_by_text("Buy paint")).to_be_visible()
    with hands.at_most(2, "due date"):  # of the open card, as when it is archived
        await hands.click(opened.get_by_role("button", name="Due: None"))
        await hands.click(opened.get_by_role("button", name="Tomorrow"))
    await until_has(work, "Second", dueAllDay=True)
    shown_date = (await work.has("Second"))["dueDate"][8:10].lstrip("0")
    await expect(opened.get_by_role("button", name="Due: ")).to_contain_text(shown_date)
    with hands.at_most(1, "archive"):
        await hands.click(opened.get_by_role("button", name="Archive", exact=True))
    await expect(opened).to_have_count(0)
    await expect_archived(work, "Second")
    with hands.at_most(2, "undo"):
        await hands.click(page.get_by_role("status").get_by_role("button", name="Undo"))
    await expect(card(page, "Second")).to_be_visible()
    assert (await work.has("Second"))["column"] == "Todo"


async def change_several_by_mouse(work: Work) -> None:
    """Change three cards at once, and filter."""
    page, hands, menu = work.page, work.hands, work.page.get_by_role("menu")
    with hands.at_most(7, "three cards to urgent"):
        await hands.click_holding("Control", *map(work.link, TITLES))
        await hands.click(page.get_by_role("button", name="Priority…"))
        await hands.click(menu.get_by_role("menuitem", name="urgent"))
    await expect_urgent(work)
    with hands.at_most(4, "filter by two values"):
        await hands.click(page.get_by_role("button", name="More filters"))
        filters = page.get_by_role("dialog", name="Filter")
        for name in ("high", "urgent"):
            await hands.click(filters.get_by_role("option", name=name))
        await hands.click(page.get_by_role("heading", name="By mouse"))
    await expect(filters).to_have_count(0)
    await expect_filtered(work)


async def test_each_task_takes_at_most_its_number_of_clicks(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        work = await prepare(site, page, "By mouse")
        await create_by_mouse(work)
        await change_by_mouse(work)
        await find_and_archive_by_mouse(work)
        await change_several_by_mouse(work)


async def create_by_keyboard(work: Work) -> None:
    """Create a board, a column and a card."""
    page, hands = work.page, work.hands
    with hands.at_most(2, "new board"):
        await hands.press("Shift+B")
        await expect(page.get_by_role("textbox", name="Title")).to_be_focused()
        await hands.type("Garden by keyboard")
        await hands.press("Enter")
    await expect_new_board(work, "Garden by keyboard")
    with hands.at_most(2, "new column"):
        await hands.press("Shift+C")
        await hands.type("Testing")
        await hands.press("Enter")
    await expect_new_column(work)
    with hands.at_most(2, "card with label, assignee and date"):
        await hands.press("c")
        await hands.type("Paint #bug @mo-member ^2030-12-24")
        await expect(page.get_by_role("button", name="Remove")).to_have_count(3)
        await hands.press("Enter")
    await expect_new_card(work)


async def change_by_keyboard(work: Work) -> None:
    """Move, tick and assign a card, and give it a due date."""
    page, hands, menu = work.page, work.hands, work.page.get_by_role("menu")
    await work.focus("First")
    with hands.at_most(1, "move on"):
        await hands.press("Shift+ArrowRight")
    await expect_moved(work)
    await expect(work.link("First")).to_be_focused()
    with hands.at_most(2, "tick"):
        await hands.press("Enter")
        await expect(work.dialog("First").get_by_role("checkbox").first).to_be_enabled()
        await hands.press("t")
    await expect_ticked(work)
    await expect(work.link("First")).to_be_focused()
    with hands.at_most(3, "assign another"):
        await hands.press("a")
        await expect(menu).to_be_visible()
        await hands.type("mo")
        await hands.press("Enter")
    await expect(card(page, "First")).to_contain_text("MM")
    await until_has(work, "First", assignedUserId=work.site.member.id)
    with hands.at_most(2, "due date"):
        await hands.press("d")
        await expect(page.get_by_role("textbox", name="Due date")).to_be_focused()
        await hands.type("24 dec 2030")
        await hands.press("Enter")
    await expect(card(page, "First")).to_contain_text("Dec 24, 2030")
    await until_has(work, "First", dueDate="2030-12-24T00:00:00.000Z", dueAllDay=True)
    await expect(work.link("First")).to_be_focused()


async def mention_by_keyboard(work: Work) -> None:
    """Mention somebody in a comment."""
    page, hands = work.page, work.hands
    with hands.at_most(4, "mention in a comment"):
        await hands.press("Enter")
        await expect(work.dialog("First").get_by_role("textbox", name="Comment")).to_be_visible()
        await hands.press("r")
        await expect(work.dialog("First").get_by_role("toolbar", name="Format of Comment")).to_be_visible()
        await hands.type("Please look, @mo")
        await expect(page.get_by_role("option", name="Mo Member")).to_be_visible()
        await hands.press("Enter", "Control+Enter")
    await expect_mentioned(work)


async def find_and_archive_by_keyboard(work: Work) -> None:
    """Find a card by its key, archive it and get it back."""
    page, hands = work.page, work.hands
    with hands.at_most(2, "find"):
        await hands.press("Control+k")
        await expect(page.get_by_role("combobox", name="Find a board")).to_be_focused()
        await hands.type(work.cards["Second"]["key"])
        await expect(page.get_by_role("option").first).to_contain_text("Second")
        await hands.press("Enter")
    await expect(work.dialog("Second").get_by_text("Buy paint")).to_be_visible()
    await work.close()
    await expect(work.link("Second")).to_be_focused()
    with hands.at_most(1, "archive"):
        await hands.press("Shift+E")
    await expect_archived(work, "Second")
    with hands.at_most(2, "undo"):
        await hands.press("z")
    await expect(card(page, "Second")).to_be_visible()
    assert (await work.has("Second"))["column"] == "Todo"


async def change_several_by_keyboard(work: Work) -> None:
    """Change three cards at once, and filter."""
    page, hands, menu = work.page, work.hands, work.page.get_by_role("menu")
    await page.keyboard.press("Shift+ArrowLeft")
    await work.focus("First")
    with hands.at_most(7, "three cards to urgent"):
        await hands.press("x", "ArrowLeft", "x", "j", "x", "p")
        await expect(menu).to_be_visible()
        await hands.type("u")
        await hands.press("Enter")
    await expect_urgent(work)
    with hands.at_most(4, "filter by two values"):
        await hands.press("f")
        await expect(page.get_by_role("dialog", name="Filter").get_by_role("combobox")).to_be_focused()
        for name in ("high", "urgent"):
            await hands.type(name)
            await hands.press("Enter")
            await expect(page.get_by_role("option", name=name, selected=True)).to_be_visible()
        await hands.press("Escape")
    await expect_filtered(work)


async def test_each_task_takes_at_most_its_number_of_keys(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        work = await prepare(site, page, "By keyboard")
        await create_by_keyboard(work)
        await change_by_keyboard(work)
        await mention_by_keyboard(work)
        await find_and_archive_by_keyboard(work)
        await change_several_by_keyboard(work)


async def test_a_finger_does_the_same_through_menus_and_by_swiping(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        work = await prepare(site, page, "By touch")
        hands, menu = work.hands, page.get_by_role("menu")
        session = await touch(page)
        x, y = await middle(column(page, "Backlog"))
        with hands.at_most(1, "to the next column"):
            hands.count += 1  # a swipe
            await touch_point(session, "touchStart", x, y)
            for step in range(1, 6):
                await touch_point(session, "touchMove", x - 50 * step, y)
            await touch_point(session, "touchEnd")
        assert await until(page, "() => document.querySelectorAll('main section')[1].getBoundingClientRect().left < 60")
        await expect(card(page, "First")).to_be_in_viewport()
        with hands.at_most(3, "priority by the menu of a card"):
            await hands.tap(card(page, "First").get_by_role("button", name="Actions of"))
            await hands.tap(menu.get_by_role("menuitem", name="Change the priority"))
            await hands.tap(menu.get_by_role("menuitemradio", name="urgent"))
        await expect(card(page, "First").get_by_text("urgent")).to_be_visible()
        await until_has(work, "First", priority="urgent")
        with hands.at_most(3, "move by the menu"):
            await hands.tap(card(page, "First").get_by_role("button", name="Actions of"))
            await hands.tap(menu.get_by_role("menuitem", name="Move to …"))
            await hands.tap(menu.get_by_role("menuitem", name="In Progress"))
        await expect(column(page, "In Progress")).to_contain_text("First")
        await until_has(work, "First", column="In Progress")
        with hands.at_most(2, "quick add"):
            await hands.tap(column(page, "Todo").get_by_role("button", name="Add a card"))
            await hands.type("By finger !high")
            await expect(page.get_by_role("button", name="Remove high priority")).to_be_visible()
            await hands.tap(page.get_by_role("button", name="Add", exact=True))
        await expect(card(page, "By finger").get_by_text("high")).to_be_visible()
        assert (await work.has("By finger"))["column"] == "Todo"
        await page.keyboard.press("Escape")
        with hands.at_most(1, "open card"):
            await hands.tap(work.link("Second"))
        opened = work.dialog("Second")
        with hands.at_most(1, "tick in the open card"):
            await hands.tap(opened.get_by_role("checkbox", name="Sand the wood"))
        await expect(opened.get_by_role("checkbox", name="Sand the wood")).to_be_checked()
        await until_has(work, "Second", checklist={"done": 1, "total": 2})
        with hands.at_most(2, "move from the open card"):
            await hands.tap(opened.get_by_role("button", name="Move to …"))
            await hands.tap(menu.get_by_role("menuitem", name="In Progress"))
        await until_has(work, "Second", column="In Progress")
        await hands.tap(opened.get_by_role("button", name="Close"))
        await expect(column(page, "In Progress")).to_contain_text("Second")
