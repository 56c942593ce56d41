"""Home: cards and decisions that wait come first, are handled in place, and all of it is seen without a reload."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from service.resources import refusals

from ..world import Board, Client, World
from .boards import card, visit_board, wait_until_ready
from .browser import visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
HEADINGS = [
    *("Boards", "Home", "My cards", "Waiting for you"),
    *("Needs attention", "Agents", "Denied in 24 h", "Overdue", "Since your last visit"),
]


async def open_home(page: Page) -> None:
    """Open Home and wait until it is there."""
    await page.goto("/")
    await expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()


def row(page: Page, text: str) -> Locator:
    """Find a thing that waits."""
    return page.locator("li.item[data-id]").filter(has_text=text)


def find_agent(page: Page, agent: str) -> Locator:
    """Find an agent among those that are listed."""
    return page.locator("section", has=page.get_by_role("heading", name="Agents")).locator("li.item", has_text=agent)


def find_panel(page: Page, title: str) -> Locator:
    """Find a panel by its heading."""
    return page.locator("section", has=page.get_by_role("heading", name=title, exact=True))


def section_since(page: Page) -> Locator:
    """Find what happened meanwhile."""
    return find_panel(page, "Since your last visit")


async def open_board(site: World, title: str) -> Board:
    """Make a board on which agents may work in Todo and Review."""
    board = await site.board(title=title)
    for name in ("Todo", "Review"):
        await site.column(board, name, agentPickupEnabled=True, agentCanModerate=True)
    return board


async def ask(site: World, board: Board, bot: Client, title: str, note: str = "All tests pass.") -> Any:
    """Have an agent ask for a move to Done."""
    one = await site.card(board, "Review", title=title)
    body = {"toColumnId": board.columns["Done"], "note": note}
    (await bot.post(f"/cards/{one['id']}/move-requests/mcp", body)).ok()
    return one


async def test_my_cards_of_all_boards_come_first_by_due_date_and_open_over_the_list(
    browser: Browser, site: World
) -> None:
    zone = "Pacific/Kiritimati"  # there, days begin 14 hours before those of UTC
    (await site.sa.patch(site.sa.org(), {"timezone": zone})).ok()
    today = datetime.now(ZoneInfo(zone)).date()
    first, second = await site.board(title="Mine <b>one</b>"), await site.board(title="Mine two")
    for title, days in (("Late", -1), ("Now", 0), ("Soon", 6), ("Later", 7)):
        due = (today + timedelta(days=days)).isoformat()
        await site.card(second, title=f"{title} card", dueDate=due, assignedUserId=site.member.id)
    for number in range(4):
        await site.card(first, title=f"Undated {number}", priority="low", assignedUserId=site.member.id)
    await site.card(first, "Done", title="Finished card", assignedUserId=site.member.id)
    async with visiting(browser, site, site.member) as page:
        await open_home(page)
        assert await page.locator("h2").all_inner_texts() == HEADINGS
        mine = find_panel(page, "My cards")
        rows = mine.locator("li")
        assert [text.split(" card")[0].split(" M")[0] for text in await rows.all_inner_texts()] == [
            *("Overdue", "Late", "Today", "Now", "This week", "Soon"),
            *("Later or no due date", "Later", "Undated 0", "Undated 1"),
        ]
        await expect(rows.nth(1)).to_contain_text("Mine two · Todo")
        await site.card(first, title="Urgent card", priority="urgent", assignedUserId=site.member.id)
        await expect(mine).to_contain_text("Urgent card")
        for _ in range(2):
            await page.keyboard.press("j")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Now card")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(row(page, "Now card")).to_be_focused()
        await mine.get_by_role("link", name="All my cards").click()
        await expect(page.get_by_role("heading", name="My cards", level=1)).to_be_visible()
        await expect(page.locator("li.item")).to_have_count(9)
        await row(page, "Undated 3").get_by_role("link").click()
        await expect(page.get_by_role("dialog", name="Undated 3")).to_contain_text("Mine <b>one</b>")
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Done").click()
        await expect(page.locator("li.item")).to_have_count(1)
        await expect(row(page, "Finished card")).to_contain_text("Mine <b>one</b> · Done")
        await expect(page.get_by_role("button", name="Done")).to_have_attribute("aria-pressed", "true")
        await page.keyboard.press("g")
        await page.keyboard.press("m")
        await expect(page.locator("li.item")).to_have_count(9)
    (await site.sa.patch(site.sa.org(), {"timezone": "UTC"})).ok()


async def test_a_request_appears_without_a_reload_and_is_approved_in_place(browser: Browser, site: World) -> None:
    board = await open_board(site, "Approving")
    bot = await site.agent("asker-1")
    counts = (await site.sa.get(site.sa.org("/attention?counts=true"))).ok()["waiting"]  # left by other tests
    others = counts.get("move_request", 0) + counts.get("question", 0)
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        one = await ask(site, board, bot, "Approve me", "All `tests` **pass**.")
        found = row(page, "Approve me")
        await expect(found).to_contain_text("asker-1 asks: Review → Done")
        await expect(found).to_contain_text("“All tests pass.”")
        await expect(page.get_by_role("img", name=f"{others + 1} waiting for you").first).to_be_visible()
        await expect(page).to_have_title(f"({others + 1}) Home · Tandem")
        await found.get_by_role("button", name="Approve").dblclick()
        await expect(found).to_have_count(0)
        await expect(page).to_have_title(f"({others}) Home · Tandem" if others else "Home · Tandem")
        assert sum(request.endswith("/approve") for request in watch_of(page).requests) == 1
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == board.columns["Done"]


async def test_an_agent_that_is_gone_has_the_letters_of_its_name(browser: Browser, site: World) -> None:
    board = await open_board(site, "Gone")
    bot = await site.agent("leaver")
    await ask(site, board, bot, "Who asked?")
    (await site.sa.delete(f"/agents/{bot.id}")).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        found = row(page, "Who asked?")
        await expect(found).to_contain_text("leaver asks")
        await expect(found.locator(".avatar.agent")).to_have_text("Le")


async def test_a_request_is_rejected_with_a_reason_that_the_agent_reads(browser: Browser, site: World) -> None:
    board = await open_board(site, "Rejecting")
    bot = await site.agent("asker-2")
    one = await ask(site, board, bot, "Reject me")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await row(page, "Reject me").get_by_role("button", name="Reject").click()
        await page.get_by_label("Reason").fill("The second case is missing.")
        await page.keyboard.press("Control+Enter")
        await expect(row(page, "Reject me")).to_have_count(0)
    requests = (await bot.get(bot.org("/move-requests/mcp"), params={"cardId": one["id"]})).ok()["items"]
    assert [(each["state"], each["decisionNote"]) for each in requests] == [("rejected", "The second case is missing.")]


async def test_the_card_can_be_sent_back_with_the_rejection(browser: Browser, site: World) -> None:
    board = await open_board(site, "Sending back")
    bot = await site.agent("asker-3", title="The third asker")
    one = await ask(site, board, bot, "Back to work")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Back to work").get_by_role("button", name="Reject").click()
        await expect(page.get_by_role("dialog")).to_contain_text("The third asker reads your reason.")
        await page.get_by_label("Reason").fill("Not yet.")
        await page.get_by_label("Send the card to").select_option("In Progress")
        await page.get_by_role("dialog").get_by_role("button", name="Reject").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(card(page, "Back to work")).to_be_visible()
        await expect(card(page, "Back to work").get_by_role("button")).to_have_count(0)
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == board.columns["In Progress"]


async def brought_to_review(site: World, board: Board, bot: Client, title: str) -> Any:
    """Have an agent move a card from In Progress to Review and ask for Done; Todo is the first column to go back to."""
    await site.column(board, "Review", agentPickupEnabled=True, agentCanModerate=False)
    await site.edge(board, "Review", "Todo")
    one = await site.card(board, "In Progress", title=title)
    (await bot.patch(f"/cards/{one['id']}/mcp/status", {"toColumnId": board.columns["Review"]})).ok()
    body = {"toColumnId": board.columns["Done"], "note": "All **tests** pass."}
    (await bot.post(f"/cards/{one['id']}/move-requests/mcp", body)).ok()
    return one


@pytest.mark.parametrize("place", ["home", "home by keyboard", "board", "board by keyboard", "card by keyboard"])
async def test_a_rejected_card_goes_back_to_where_the_agent_brought_it_from(
    browser: Browser, site: World, place: str
) -> None:
    board = await open_board(site, f"Going back from {place}")
    bot = await site.agent(f"asker-from-{place.replace(' ', '-')}")
    title = f"Back from {place}"
    one = await brought_to_review(site, board, bot, title)
    async with visiting(browser, site, site.sa) as page:
        if place.startswith("home"):
            await open_home(page)
            found = row(page, title)
        else:
            await visit_board(page, board)
            found = card(page, title)
            await expect(found.locator(".note")).to_have_text("All tests pass.")
        if place == "card by keyboard":
            await found.get_by_role("link").click()
            await expect(page.get_by_role("dialog").locator(".request.panel .prose strong")).to_have_text("tests")
        if "keyboard" not in place:
            await found.get_by_role("button", name="Reject").click()
        else:
            if place != "card by keyboard":
                await found.get_by_role("link").first.focus()
            await page.keyboard.press("Shift+R")
        choice = page.get_by_label("Send the card to")
        await expect(choice).to_be_enabled()
        assert await choice.locator("option").all_inner_texts() == ["Todo", "In Progress", "Leave it here"]
        await page.get_by_label("Reason").fill("Not yet.")
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_label("Reason")).to_have_count(0)
        await until_in(site, one, board.columns["In Progress"])
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        said = "rejected the move to Done that"
        await expect(page.get_by_role("dialog")).to_contain_text(said)


async def until_in(site: World, one: Any, column_id: str) -> None:
    """Wait until a card is in a column."""
    for _ in range(100):
        if (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == column_id:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the card did not move")


async def test_a_rejected_card_that_is_left_waits_on_home(browser: Browser, site: World) -> None:
    board = await open_board(site, "Leaving")
    bot = await site.agent("asker-left")
    one = await brought_to_review(site, board, bot, "Left there")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await row(page, "Left there").get_by_role("button", name="Reject").click()
        await page.get_by_label("Send the card to").select_option("Leave it here")
        await page.get_by_label("Reason").fill("Wait for me.")
        await page.keyboard.press("Control+Enter")
        said = "asker-left requested a move to Done, which was rejected. It waits in Review"
        await expect(row(page, "Left there")).to_contain_text(said)
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == board.columns["Review"]


async def test_an_approval_that_a_rule_refuses_stays_and_says_which(browser: Browser, site: World) -> None:
    board = await open_board(site, "Refusing")
    bot = await site.agent("asker-4")
    await ask(site, board, bot, "Not so fast")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(row(page, "Not so fast")).to_be_visible()
        await site.column(board, "Done", wipLimit=1)
        await site.card(board, "Done", title="Takes the place")
        await row(page, "Not so fast").get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("alert").filter(has_text="It was not approved")).to_contain_text("full (limit 1)")
        await expect(row(page, "Not so fast")).to_contain_text("The column is full (limit 1).")


async def test_the_list_is_worked_through_with_keys_alone(browser: Browser, site: World) -> None:
    board = await open_board(site, "Keys of Home")
    bot = await site.agent("asker-5")
    made = [await ask(site, board, bot, f"Key {number}") for number in range(3)]
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(row(page, "Key 2")).to_be_visible()
        await page.keyboard.press("j")
        while not await row(page, "Key 0").evaluate("(row) => row === document.activeElement"):
            await page.keyboard.press("j")
        await page.keyboard.press("Shift+A")
        await expect(row(page, "Key 0")).to_have_count(0)
        await expect(row(page, "Key 1")).to_be_focused()
        await page.keyboard.press("Shift+R")
        await page.keyboard.type("No.")
        await page.keyboard.press("Control+Enter")
        await expect(row(page, "Key 1")).to_have_count(0)
        await expect(row(page, "Key 2")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Key 2")).to_be_visible()
        await page.keyboard.press("Shift+A")
        await expect(page.get_by_role("dialog").locator(".request.panel")).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(row(page, "Key 2")).to_have_count(0)
    where = [(await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] for one in made]
    assert where == [board.columns[name] for name in ("Done", "In Progress", "Done")]


async def test_what_an_agent_handed_over_is_listed(browser: Browser, site: World) -> None:
    board = await open_board(site, "Handing over")
    bot = await site.agent("giver")
    one = await site.card(board, "In Progress", title="Yours now")
    await site.column(board, "Review", agentPickupEnabled=False, agentCanModerate=False)
    await site.column(board, "In Progress", agentPickupEnabled=True, agentCanModerate=True)
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        (await bot.patch(f"/cards/{one['id']}/mcp/status", {"toColumnId": board.columns["Review"]})).ok()
        await expect(row(page, "Yours now")).to_contain_text("giver has handed it over in Review")


async def test_agents_at_work_come_first_with_their_lease_and_can_be_stopped(browser: Browser, site: World) -> None:
    board = await open_board(site, "Lanes")
    await site.agent("lazy")
    bot = await site.agent("busy")
    one = await site.card(board, title="Long work")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(find_agent(page, "busy")).to_contain_text("idle")
        (await bot.post(f"/cards/{one['id']}/claim/mcp", {"leaseSeconds": 600})).ok()
        await expect(find_agent(page, "busy")).to_contain_text("Long work · Todo")
        await expect(find_agent(page, "busy")).to_contain_text("9:5")
        await expect(
            page.locator("section", has=page.get_by_role("heading", name="Agents")).locator("li.item").first
        ).to_contain_text("busy")
        await find_agent(page, "busy").get_by_role("button", name="Stop busy").click()
        await page.get_by_role("button", name="Stop agent").click()
        await expect(find_agent(page, "busy")).to_contain_text("stopped")
        await find_agent(page, "busy").scroll_into_view_if_needed()
    (await bot.post(f"/cards/{one['id']}/claim/mcp", {})).refused(403, "agent_stopped")
    (await site.sa.patch("/agents/busy/resume")).ok()


async def test_a_new_agent_is_approved_and_a_stopped_one_resumed_in_place(browser: Browser, site: World) -> None:
    board = await open_board(site, "States")
    await site.agent("newcomer", approve=False)
    await site.agent("halted")
    await site.card(board, title="Assigned", assignedAgentId="halted")
    (await site.sa.patch("/agents/halted/stop")).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(find_panel(page, "Needs attention")).to_contain_text("newcomer")  # and not among the decisions
        await row(page, "newcomer").get_by_role("button", name="Approve").dblclick()
        await expect(row(page, "newcomer")).to_have_count(0)
        await row(page, "halted is stopped").get_by_role("button", name="Resume").dblclick()
        await expect(row(page, "halted")).to_have_count(0)
        sent = [request for request in watch_of(page).requests if request.startswith("PATCH")]
        assert sent == ["PATCH /agents/newcomer/approve", "PATCH /agents/halted/resume"]
    states = {one["id"]: one["status"] for one in (await site.sa.get(site.sa.org("/agents"))).ok()}
    assert (states["newcomer"], states["halted"]) == ("approved", "approved")


async def test_an_agent_that_creates_too_many_cards_is_stopped_in_place(
    browser: Browser, site: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.service is not None
    settings = site.service.settings.model_copy(update={"agent_creates_per_hour": 1})
    monkeypatch.setattr(site.service, "settings", settings)
    board, bot = await open_board(site, "Flood"), await site.agent("prolific")
    item = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "Many"}
    (await bot.post(bot.org("/cards/mcp"), {"items": [item] * 2})).refused(409, "too_many_created_cards")
    await refusals.store_refusals(site.service)
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await row(page, "prolific wants to create more cards").get_by_role("button", name="Stop prolific").click()
        await page.get_by_role("dialog").get_by_role("button", name="Stop agent").click()
        await expect(row(page, "wants to create more cards")).to_have_count(0)
    states = {one["id"]: one["status"] for one in (await site.sa.get(site.sa.org("/agents"))).ok()}
    assert states["prolific"] == "stopped"


async def test_what_agents_were_refused_is_worded_for_people_and_counted(browser: Browser, site: World) -> None:
    board = await open_board(site, "Refusals")
    bot = await site.agent("stubborn")
    one = await site.card(board, title="Not for you")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        for _ in range(4):
            await bot.patch(f"/cards/{one['id']}/mcp/status", {"toColumnId": board.columns["Done"]})
        assert site.service is not None
        await refusals.store_refusals(site.service)
        found = page.locator("li.item", has_text="stubborn: no such transition on the board")
        await expect(found).to_contain_text("Not for you → Done")
        await expect(found).to_contain_text("4\u00d7")


async def test_what_happened_meanwhile_counts_once_a_card(browser: Browser, site: World) -> None:
    board = await open_board(site, "Catching up")
    one = await site.card(board, "Todo", title="Busy card")
    await site.sa.call(
        "PUT", site.sa.org("/seen"), {"eventId": (await site.sa.get(site.sa.org("/changes"))).ok()["next"]}
    )
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(page.get_by_text("You are up to date.")).to_be_visible()
        (await site.member.patch(f"/cards/{one['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
        for text in ("One", "Two"):
            (await site.member.post(f"/cards/{one['id']}/comments", {"content": text})).ok()
        (await site.sa.post(f"/cards/{one['id']}/comments", {"content": "My own, which does not count"})).ok()
        section = section_since(page)
        found = section.locator("li.item", has_text="Busy card")
        await expect(found).to_have_count(1)
        await expect(found).to_contain_text("moved from Todo to In Progress · 2 comments · by Mo Member")
        bot = await site.agent("bot-of-changes", title="Helpful Kate")
        (await bot.post(f"/cards/{one['id']}/comments/mcp", {"content": "Three"})).ok()
        await expect(found).to_contain_text("3 comments · by Mo Member and Helpful Kate")
        await page.reload()
        await expect(found).to_contain_text("3 comments")
        await section.get_by_role("button", name="Mark all as seen").click()
        await expect(section).to_contain_text("You are up to date.")
    async with visiting(browser, site, site.sa) as elsewhere:  # another browser of the same person
        await open_home(elsewhere)
        await expect(section_since(elsewhere)).to_contain_text("You are up to date.")


async def test_a_freeze_is_seen_everywhere_and_ends_in_one_click(browser: Browser, site: World) -> None:
    board = await open_board(site, "Frost")
    bot = await site.agent("frozen-bot")
    one = await site.card(board, title="Under frost")
    (await bot.post(f"/cards/{one['id']}/claim/mcp", {})).ok()
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await open_home(page)
        await visit_board(other, board)
        await page.keyboard.press("Shift+F")
        await page.get_by_label("Reason").fill("Something runs away")
        await page.keyboard.press("Control+Enter")
        for each in (page, other):
            await expect(each.get_by_text("Agents are frozen: Something runs away")).to_be_visible()
        await expect(other.locator(".frozen-agents .claim")).to_have_count(1)
        await expect(other.get_by_role("button", name="Unfreeze agents")).to_have_count(0)
        await expect(page.get_by_role("button", name="Freeze all agents…")).to_be_hidden()
        (await bot.patch(f"/cards/{one['id']}/mcp", {"title": "No"})).refused(423, "frozen")
        await page.get_by_role("button", name="Unfreeze agents").click()
        for each in (page, other):
            await expect(each.get_by_text("Agents are frozen")).to_have_count(0)
        await expect(page.get_by_role("button", name="Freeze all agents…")).to_be_visible()


async def test_whoever_may_not_decide_sees_the_list_and_no_buttons(browser: Browser, site: World) -> None:
    board = await open_board(site, "Looking on")
    bot = await site.agent("asker-6")
    await ask(site, board, bot, "For others")
    rows = (await site.sa.get("/permissions")).ok()
    right = next(one for one in rows if one["role"] == "Member" and one["resource"] == "Card")
    actions = [action for action in right["actions"] if action != "transition"]
    (await site.sa.patch(f"/permissions/{right['id']}", {"actions": actions})).ok()
    try:
        async with visiting(browser, site, site.member) as page:
            await open_home(page)
            await expect(row(page, "For others")).to_be_visible()
            await expect(row(page, "For others").get_by_role("button")).to_have_count(0)
            await expect(find_panel(page, "Needs attention")).to_contain_text("For others")
            await expect(find_panel(page, "Waiting for you")).to_contain_text("Nothing is waiting for you.")
            await expect(page).to_have_title("Home · Tandem")
            await expect(page.get_by_text("so others decide")).to_be_visible()
            await expect(page.get_by_role("button", name="Freeze all agents…")).to_be_hidden()
            (await site.sa.patch(f"/permissions/{right['id']}", {"actions": []})).ok()
            await page.reload()
            await expect(page.get_by_role("alert").filter(has_text="a Solution Architect can grant it")).to_be_visible()
            await page.wait_for_timeout(200)  # a placeholder is shown after 150 ms
            await expect(page.get_by_text("Loading …")).to_have_count(0)
    finally:
        (await site.sa.patch(f"/permissions/{right['id']}", {"actions": right["actions"]})).ok()


async def question(site: World, board: Board, bot: Client, title: str) -> Any:
    """Have an agent ask a person."""
    one = await site.card(board, title=title)
    content = "Which **colour** has [the bar](https://example.test)?\n\n1. `red`\n2. blue"
    body = {"content": content, "asks": True, "options": ["Red", "Blue"]}
    (await bot.post(f"/cards/{one['id']}/comments/mcp", body)).ok()
    return one


async def test_a_question_is_answered_in_place_by_an_option_or_in_other_words(browser: Browser, site: World) -> None:
    board = await open_board(site, "Questions")
    bot = await site.agent("curious")
    first = await question(site, board, bot, "Asked once")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(row(page, "Asked once")).to_contain_text("curious asks: Which colour has the bar? red blue · now")
        await row(page, "Asked once").get_by_role("button", name="Blue").click()
        await expect(row(page, "Asked once")).to_have_count(0)
        second = await question(site, board, bot, "Asked twice")
        field = row(page, "Asked twice").get_by_label("Answer")
        await field.fill("Gre")
        await question(site, board, bot, "Asked meanwhile")  # the one who writes is left alone
        await page.wait_for_timeout(800)
        await expect(field).to_have_value("Gre")
        await field.fill("Green")
        await page.keyboard.press("Enter")
        await expect(row(page, "Asked twice")).to_have_count(0)
        await expect(row(page, "Asked meanwhile")).to_be_visible()
    asked = (await site.sa.get(site.sa.org("/questions"), params={"state": "answered"})).ok()["items"]
    answers = {one["cardId"]: one["answer"] for one in asked}
    assert (answers[first["id"]], answers[second["id"]]) == ("Blue", "Green")


async def test_a_question_stands_on_the_card_and_is_answered_in_its_dialog(browser: Browser, site: World) -> None:
    board = await open_board(site, "Questions on cards")
    bot = await site.agent("asking")
    await question(site, board, bot, "Look inside")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(card(page, "Look inside")).to_contain_text("asking asks: Which colour has the bar? red blue")
        await card(page, "Look inside").locator("a.name").click()
        dialog = page.get_by_role("dialog", name="Look inside")
        await dialog.get_by_role("button", name="Red").click()
        await expect(dialog.locator(".request.panel")).to_have_count(0)
        await expect(dialog.locator(".replies")).to_contain_text("Red")


async def wait_for_card(site: World, card_id: str, column_id: str) -> None:
    """Wait until the service has a card where the page shows it already."""
    for _ in range(200):
        if (await site.sa.get(f"/cards/{card_id}")).ok()["columnId"] == column_id:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the card never arrived")


async def test_the_main_job_is_done_with_the_keyboard_alone(browser: Browser, site: World) -> None:
    board = await open_board(site, "Keyboard only")
    bot = await site.agent("helper")
    async with visiting(browser, site) as page:
        await page.goto(f"/b/{board.id}")
        await expect(page.get_by_label("E-mail")).to_be_focused()
        await page.keyboard.type("sa@example.test")
        await page.keyboard.press("Tab")
        await page.keyboard.type("correct horse")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Keyboard only")).to_be_visible()
        await wait_until_ready(page)
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.keyboard.press("c")
        await page.keyboard.type("Made by keys")
        await page.keyboard.press("Enter")
        await expect(card(page, "Made by keys")).to_be_visible()
        await page.keyboard.press("Escape")
        await page.keyboard.press("Tab")
        await expect(card(page, "Made by keys").get_by_role("link")).to_be_focused()
        for goal in ("Todo", "In Progress", "Review"):
            await page.keyboard.press("Shift+ArrowRight")
            await expect(page.get_by_role("region", name=goal, exact=True).locator("li.card")).to_have_count(1)
        one = (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"][0]
        await wait_for_card(site, one["id"], board.columns["Review"])
        (await bot.post(f"/cards/{one['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
        await expect(card(page, "Made by keys")).to_contain_text("helper requests")
        await page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Made by keys")
        await expect(dialog).to_contain_text("helper requests")
        await page.keyboard.press("Shift+A")
        await expect(dialog.locator(".breadcrumbs")).to_contain_text("Done")
        await page.keyboard.press("Escape")
        await expect(card(page, "Made by keys").get_by_role("link")).to_be_focused()
        await page.keyboard.press("g")
        await page.keyboard.press("n")
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
