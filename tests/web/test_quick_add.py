"""Tokens in the field for new cards: #label, @person, !high, ^friday, with completion and chips."""

import asyncio
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import World
from .boards import card, column, titles, visit_board
from .browser import PHONE, intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
PARSE = """async ([lines, labels]) => {
    const { parseCardLine } = await import("/board/card-tokens.js");
    const twins = ["cy", "cy-2"].map((handle) => ({ id: handle, name: "Cy Twin", handle }));
    const ada = { id: "ada", name: "Ada Architect", handle: "ada" };
    const people = [ada, { id: "bo", name: "Bo Øst", handle: "bo-2" }, ...twins];
    const bots = ["bot-1", "bot-2"].map((id) => ({ id, title: "Bot" }));
    const agents = [{ id: "coder-1", title: "The Coder" }, { id: "ada", title: "Agent Ada" }, ...bots];
    const context = { labels, people, agents, now: Date.parse("2026-11-26T10:00:00Z") };
    return lines.map((line) => {
        const { title, values, tokens } = parseCardLine(line, context);
        return [title, values, tokens.map(({ start, end, caption }) => [line.slice(start, end), caption])];
    });
}"""
OPEN = {"fieldId": "f", "known": ["Bug", "two words", "Wow!", "BUG"], "isOpen": True}
ADA, BO, CODER = {"assignedUserId": "ada"}, {"assignedUserId": "bo"}, {"assignedAgentId": "coder-1"}


def labels(*names: str) -> dict[str, Any]:
    return {"fieldValues": [{"fieldId": "f", "value": list(names)}]}


# A line, its title and its values.
LINES: list[tuple[str, str, dict[str, Any]]] = [
    ("Fix it #bug", "Fix it", labels("Bug")),
    ('#"Two words and #new, now', '#"Two words and now', labels("new")),
    ('#"two words" and #new, now #NEW #new', "and now", labels("two words", "new", "NEW")),
    ("Ask @ada.", "Ask", ADA),
    ("Ask @bo-øst and @CODER-1 soon", "Ask and soon", BO | CODER),
    ("@the-coder @bo-2 @ada go", "@ada go", CODER | BO),
    ("!high first !low !soon wow!", "first !low !soon wow!", {"priority": "high"}),
    ("Pay ^fri", "Pay", {"dueDate": "2026-11-27"}),
    ("^in 2 weeks pay 3 bills", "pay 3 bills", {"dueDate": "2026-12-10"}),
    ('Pay ^"next week", then', "Pay then", {"dueDate": "2026-12-03"}),
    ("Pay ^dec 4 2027 ^tomorrow", "Pay ^tomorrow", {"dueDate": "2027-12-04"}),
    ("C# a@b.c wow! x^2 a#b", "C# a@b.c wow! x^2 a#b", {}),
    ("# @ ! ^ @nobody ^someday !none", "# @ ! ^ @nobody ^someday !none", {}),
    (r"\#1 \@ada \!high \^fri a\#b", r"#1 @ada !high ^fri a\#b", {}),
    ("\t Tabs \t@ada\tgo ", "Tabs go", ADA),
    ("#bug @ada", "", labels("Bug") | ADA),
    (r'#"say \"hi\" now" go #"C:\tmp\\"', "go", labels('say "hi" now', "C:\\tmp\\")),
    ("#wow! #Bug!", "", labels("Wow!", "Bug")),
    ("#BUG #bUG", "", labels("BUG", "Bug")),
    ("Ask @cy-twin and @bot", "Ask @cy-twin and @bot", {}),  # which of them?
    ("Ask @cy-2 and @bot-2", "Ask and", {"assignedUserId": "cy-2", "assignedAgentId": "bot-2"}),
    ("#" + "x" * 201, "#" + "x" * 201, {}),
]


async def test_a_line_is_split_into_title_and_values_and_what_is_unknown_stays(browser: Browser, site: World) -> None:
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        lines = [line for line, _, _ in LINES]
        found = await page.evaluate(PARSE, [lines, OPEN])
        assert [(line, *one[:2]) for line, one in zip(lines, found, strict=True)] == LINES
        assert found[2][2] == [['#"two words"', "two words"], ["#new,", "new"], ["#NEW", "NEW"], ["#new", "new"]]
        assert found[8][2] == [["^in 2 weeks", "Thu, Dec 10, 2026"]]
        fixed = {**OPEN, "isOpen": False}
        assert (await page.evaluate(PARSE, [["a #bug #new"], fixed]))[0][:2] == ["a #new", labels("Bug")]
        assert (await page.evaluate(PARSE, [["a #bug"], None]))[0][:2] == ["a #bug", {}]


def field_of(page: Page, title: str) -> Locator:
    """Find the field for new cards of a column."""
    return page.get_by_label(f"New card in {title}")


async def tagged(site: World, title: str) -> Any:
    """Create a board with one card that has a label."""
    board = await site.board(title=title)
    value = [{"fieldId": board.field("tags"), "value": ["two words", "bug", 'say "hi" now!']}]
    await site.card(board, title="First", fieldValues=value)
    return board


async def created(site: World, board: Any, title: str) -> dict[str, Any]:
    """Return a card by its title, with its labels."""
    query = {"projectId": board.id, "include": "fieldValues"}
    found = (await site.sa.get(site.sa.org("/cards"), params=query)).ok()["items"]
    return next(one for one in found if one["title"] == title)


async def complete_labels(page: Page, chips: Locator) -> None:
    """Check that a label of several words is offered after its first ones, and that what is taken means that label."""
    field = field_of(page, "Backlog")
    await field.fill("Say ")
    for typed in ("#say", '#"say ', '#"two w'):
        await page.keyboard.type(typed)
        await expect(page.get_by_role("option")).to_have_count(1)
        await page.keyboard.press("Tab")
    said = r'#"say \"hi\" now!" '
    await expect(field).to_have_value(f'Say {said}{said}#"two words" ')
    for at, name in enumerate(['say "hi" now!'] * 2 + ["two words"]):
        await expect(chips.nth(at)).to_have_accessible_name(f"Remove {name}")


async def expect_plain_signs(page: Page) -> None:
    """Check that nothing is offered where a sign is plain text, so that Tab leaves the field."""
    for text in (r"\#bu", "(#bu", "x,@ad", "wow!!"):
        await field_of(page, "Backlog").fill("")
        await page.keyboard.type(text)
        await page.wait_for_timeout(50)  # in which a list would open
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("button", name="Add", exact=True)).to_be_focused()
        await expect(field_of(page, "Backlog")).to_have_value(text)


async def complete_last(page: Page) -> None:
    """Take the last option of a completion, which the key ArrowUp reaches from the first one."""
    await page.keyboard.type("!")
    await expect(page.get_by_role("option")).to_have_text(["urgent", "high", "medium", "low"])
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expect(field_of(page, "Backlog")).to_have_value("!low ")
    await field_of(page, "Backlog").fill("")


async def test_a_card_with_label_assignee_and_date_takes_two_keys(browser: Browser, site: World) -> None:
    board = await tagged(site, "By keyboard")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Backlog").get_by_role("heading").focus()
        await page.keyboard.press("c")
        await page.keyboard.type('Call #"two words" @ada-architect !urgent ^2030-12-24')
        chips = page.get_by_role("list", name="Understood").get_by_role("button")
        await expect(chips).to_have_count(4)
        names = ["two words", "Ada Architect", "urgent priority", "Tue, Dec 24, 2030"]
        for at, name in enumerate(names):
            await expect(chips.nth(at)).to_have_accessible_name(f"Remove {name}")
        await page.keyboard.press("Enter")
        await expect(card(page, "Call")).to_be_visible()
        await expect(chips).to_have_count(0)
        one = await created(site, board, "Call")
        assert (one["assignedUserId"], one["priority"]) == (site.sa.id, "urgent")
        assert (one["dueDate"], one["dueAllDay"]) == ("2030-12-24T00:00:00.000Z", True)
        assert [value["value"] for value in one["fieldValues"]] == [["two words"]]
        # Enter creates the card, also while a completion is under the pointer; an arrow and Enter take it, so does Tab.
        await page.keyboard.type("Quick #b")
        await expect(page.get_by_role("option")).to_have_text(["bug"])
        await page.get_by_role("option").hover()
        await page.keyboard.press("Enter")
        await expect(card(page, "Quick")).to_be_visible()
        await expect(page.get_by_role("option")).to_have_count(0)
        await complete_last(page)
        await page.keyboard.type("Slow #bu")
        await expect(page.get_by_role("option")).to_have_text(["bug"])
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.keyboard.type("@ad")
        await expect(page.get_by_role("option").first).to_contain_text("Ada Architect")
        await page.keyboard.press("Tab")
        await expect(field_of(page, "Backlog")).to_be_focused()
        await expect(field_of(page, "Backlog")).to_have_value("Slow #bug @ada-architect ")
        await complete_labels(page, chips)
        await expect_plain_signs(page)
        await field_of(page, "Backlog").fill("Slow #bug @ada-architect ")
        # Each line has its own tokens; one without a title is told so and stays.
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("Other !low")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("#bug")
        await expect(chips).to_have_count(4)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text("Write a title as well.")
        await expect(field_of(page, "Backlog")).to_have_value("#bug")
        await expect(card(page, "Other")).to_be_visible()
        assert (await created(site, board, "Other"))["priority"] == "low"
        slow = await created(site, board, "Slow")
        assert (slow["assignedUserId"], slow["fieldValues"][0]["value"]) == (site.sa.id, ["bug"])


async def test_the_same_card_takes_six_clicks_by_mouse_and_a_chip_removes_its_token(
    browser: Browser, site: World
) -> None:
    board = await tagged(site, "By mouse")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        await visit_board(page, board)
        await column(page, "Backlog").get_by_role("button", name="Add a card").tap()  # 1
        await page.keyboard.type("Paint #")
        await page.get_by_role("option", name="bug").tap()  # 2
        await page.keyboard.type("@")
        await page.get_by_role("option", name="Ada Architect").tap()  # 3
        await page.keyboard.type("^")
        await page.get_by_role("option", name="tomorrow").tap()  # 4
        await page.keyboard.type("!h")
        await expect(page.get_by_role("option")).to_have_text(["high"])
        await page.keyboard.press("Tab")
        await page.get_by_role("button", name="Remove high priority").tap()
        await expect(page.get_by_role("button", name="Remove high priority")).to_have_count(0)
        await expect(page.get_by_role("list", name="Understood").get_by_role("button")).to_have_count(3)
        await page.get_by_role("button", name="Add", exact=True).tap()  # 5
        await expect(card(page, "Paint")).to_be_visible()
        one = await created(site, board, "Paint")
        assert (one["assignedUserId"], one["priority"], one["dueAllDay"]) == (site.sa.id, "none", True)
        # Buttons begin a token for who does not know the signs.
        await page.get_by_role("button", name="Priority: !").tap()
        await expect(page.get_by_role("option")).to_have_text(["urgent", "high", "medium", "low"])
        await page.get_by_role("option", name="urgent").tap()
        await expect(field_of(page, "Backlog")).to_have_value("!urgent ")
        await field_of(page, "Backlog").fill("\n".join(f"Card {number} #bug" for number in range(23)))
        await expect(page.get_by_role("list", name="Understood").get_by_role("button")).to_have_count(20)
        await expect(page.get_by_role("list", name="Understood")).to_contain_text("And 3 more")
        wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide


async def test_what_is_typed_while_a_card_is_sent_is_the_next_one(browser: Browser, site: World) -> None:
    board = await site.board(title="Slow")
    answers = asyncio.Queue[None]()

    async def wait(route: Route) -> None:
        if route.request.method == "POST":
            await answers.get()
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        await intercept(page, "**/cards", wait)
        await page.keyboard.type("First")
        await page.keyboard.press("Enter")
        await page.keyboard.type("Second")
        await page.keyboard.press("Enter")
        await page.keyboard.type("Thi")
        answers.put_nowait(None)
        await expect(card(page, "First")).to_be_visible()
        await expect(field_of(page, "Backlog")).to_have_value("Second\nThi")
        await page.keyboard.type("rd")
        answers.put_nowait(None)
        await expect(card(page, "Second")).to_be_visible()
        await expect(field_of(page, "Backlog")).to_have_value("Third")
        assert await titles(page, "Backlog") == ["First", "Second"]


async def test_a_type_without_labels_leaves_them_as_text(browser: Browser, site: World) -> None:
    board = await site.board(title="Two types")
    await site.sa.post(site.sa.org("/card-types"), {"title": "Plain", "projectId": board.id})
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        await page.keyboard.type("Any #bug")
        await expect(page.get_by_role("button", name="Remove bug")).to_be_visible()
        await page.get_by_label("Card type").first.select_option("Plain")
        await expect(page.get_by_role("button", name="Remove bug")).to_have_count(0)
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(card(page, "Any #bug")).to_be_visible()
