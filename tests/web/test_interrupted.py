"""Interruptions: permissions revoked while a page is open, expired tokens, hidden tabs, runaway agents."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect

from service import config

from ..running import running
from ..world import MEMBER, PASSWORD, SECRET, World
from .boards import card, column, visit_board
from .browser import intercept, until, visiting, watch_of
from .test_home import ask, find_panel, open_board, open_home, row
from .test_signin import sign_in
from .test_states import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")
RETURNS_MAX = 2  # of a card that agents send back and forth


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(tmp_path_factory: pytest.TempPathFactory, template: Path) -> AsyncIterator[World]:
    """Provide a service as the other tests have it, whose guard is quick."""
    data = tmp_path_factory.mktemp("interrupted")
    shutil.copy(template, data / "service.db")
    environment = {"SERVICE_DATA_PATH": str(data), "SERVICE_JWT_SECRET": SECRET, "SERVICE_PORT": "0"}
    environment |= {"SERVICE_RATE_LIMIT_LOGIN": "1000", "SERVICE_GUARD_RETURNS": str(RETURNS_MAX)}
    async with running(config.load(environment=environment)) as world:
        yield world


async def permission(site: World, role: str, resource: str) -> Any:
    """Return what a role may do with a resource."""
    rows = (await site.sa.get("/permissions")).ok()
    return next(one for one in rows if (one["role"], one["resource"]) == (role, resource))


async def test_a_right_that_is_taken_away_takes_its_buttons_along(browser: Browser, site: World) -> None:
    board = await open_board(site, "Rights")
    one = await site.card(board, "Review", title="Hands off")
    bot = await site.agent("asker")
    (await bot.post(f"/cards/{one['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    right = await permission(site, "Member", "Card")
    async with visiting(browser, site, site.member) as page, visiting(browser, site, site.member) as other:
        await visit_board(page, board)
        dialog = await open_card(other, board, one)
        await expect(page.get_by_role("button", name="New card")).to_be_visible()
        await expect(card(page, "Hands off").get_by_role("button", name="Approve")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Approve")).to_be_visible()
        (await site.sa.patch(f"/permissions/{right['id']}", {"actions": ["read"]})).ok()
        try:
            await expect(page.get_by_role("button", name="New card")).to_be_hidden()
            await expect(card(page, "Hands off").get_by_role("button", name="Approve")).to_have_count(0)
            await expect(dialog.get_by_role("button", name="Approve")).to_have_count(0)
            await expect(dialog.get_by_role("button", name="Title:")).to_have_count(0)
            await expect(dialog.get_by_label("Comment", exact=True)).to_have_count(0)
        finally:
            (await site.sa.patch(f"/permissions/{right['id']}", {"actions": right["actions"]})).ok()
        await expect(page.get_by_role("button", name="New card")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Title:")).to_be_visible()


async def test_a_member_who_is_put_out_while_the_board_is_open_sees_no_more_of_it(
    browser: Browser, site: World
) -> None:
    board = await site.board(site.outsider, title="Theirs alone")
    await site.card(board, by=site.outsider, title="For members only")
    await site.join(site.outsider, site.member, MEMBER)
    switched = (await site.member.post("/auth/switch", {"orgId": site.outsider.org_id})).ok()
    headers = {"Authorization": f"Bearer {switched['token']}"}
    guest = site.client(headers, id=site.member.id, org_id=site.outsider.org_id)
    async with visiting(browser, site, guest) as page, visiting(browser, site, guest) as other:
        await visit_board(page, board)
        await expect(card(page, "For members only")).to_be_visible()
        await open_home(other)
        (await site.outsider.delete(site.outsider.org(f"/members/{site.member.id}"))).ok()
        for each in (page, other):
            await expect(each.get_by_role("heading", name="You are no longer a member")).to_be_visible()
            await expect(each.get_by_text("For members only")).to_have_count(0)
        await page.get_by_role("button", name="Go to Home").click()
        await expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()


async def test_a_link_into_another_organization_of_the_person_leads_there(browser: Browser, site: World) -> None:
    board = await site.board(site.outsider, title="Second home")
    one = await site.card(board, by=site.outsider, title="Over there")
    await site.join(site.outsider, site.sa, "sa@example.test")
    fresh = await site.login("sa@example.test")
    async with visiting(browser, site, fresh) as page:
        await open_card(page, board, one)
        assert page.url.endswith(f"/b/{board.id}/c/{one['key']}")
        await expect(page.locator(".breadcrumbs")).to_contain_text("Second home")
    (await site.outsider.delete(site.outsider.org(f"/members/{site.sa.id}"))).ok()


async def follow_after(event: asyncio.Event, route: Route) -> None:
    """Let a page follow what happens only after something has happened."""
    await event.wait()
    await route.continue_()


async def test_a_board_that_is_left_before_it_has_loaded_does_not_name_the_tab(browser: Browser, site: World) -> None:
    board = await site.board(title="Slow")
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await expect(page).to_have_title(re.compile("Home · Tandem$"))
        await intercept(page, "**/board?*", hold)
        await page.get_by_role("link", name="Slow", exact=True).click()
        await expect(page).to_have_title(re.compile("Board · Tandem$"))
        await page.get_by_role("navigation", name="Main").get_by_role("link", name="Home").click()
        await expect(page).to_have_title(re.compile("Home · Tandem$"))
        async with page.expect_response(f"**/board?projectId={board.id}*"):
            held.set()
        await until(page, "() => new Promise((resolve) => setTimeout(resolve, 300, true))")
        await expect(page).to_have_title(re.compile("Home · Tandem$"))


@pytest.mark.parametrize("start", ["/b/{board}", "/"])
async def test_a_card_does_not_open_over_the_page_that_was_opened_meanwhile(
    browser: Browser, site: World, start: str
) -> None:
    board = await site.board(title="Quick")
    await site.card(board, title="Clicked", assignedUserId=site.sa.id)
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await page.goto(start.format(board=board.id))
        link = page.get_by_role("link", name="Clicked").first
        await expect(link).to_be_visible()
        await intercept(page, "**/card/dialog.js", hold)
        async with page.expect_request("**/card/dialog.js"):
            await link.click()
        await page.get_by_role("link", name="Agents", exact=True).click()
        await expect(page).to_have_title(re.compile("Agents · Tandem$"))
        async with page.expect_response("**/card/dialog.js"):
            held.set()
        await until(page, "() => new Promise((resolve) => setTimeout(resolve, 300, true))")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_what_happens_between_the_first_read_and_the_stream_is_shown(browser: Browser, site: World) -> None:
    board = await site.board(title="Slow line")
    await site.card(board, title="There from the start")
    changed = asyncio.Event()
    async with visiting(browser, site, site.member) as page:
        await page.route(re.compile(r"/events\b"), lambda route: follow_after(changed, route))
        await visit_board(page, board)
        await expect(card(page, "There from the start")).to_be_visible()
        await site.card(board, title="Made in between")
        changed.set()
        await expect(card(page, "Made in between")).to_be_visible()


async def test_a_token_that_ends_in_mid_stream_asks_at_once_and_goes_on_where_it_was(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Mid-stream")
    one = await site.card(board, title="Half written")
    fresh = await site.login(MEMBER)
    async with visiting(browser, site, fresh) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_label("Comment", exact=True).fill("Half a sen")
        (await fresh.delete("/settings/sessions/current")).ok()
        await expect(page.get_by_role("dialog", name="Sign in")).to_contain_text("Nothing you typed is lost")
        changed = asyncio.Event()
        await intercept(page, re.compile(r"/events\b"), lambda route: follow_after(changed, route))
        await sign_in(page, MEMBER)
        await expect(page.get_by_role("dialog", name="Sign in")).to_have_count(0)
        await expect(dialog.get_by_label("Comment", exact=True)).to_have_value("Half a sen")
        (await site.sa.patch(f"/cards/{one['id']}", {"title": "Seen after it"})).ok()
        changed.set()
        await expect(page.get_by_role("dialog", name="Seen after it")).to_be_visible()
    site.member = await site.login(MEMBER, PASSWORD)


@pytest.mark.parametrize("place", ["Description", "Title", "Comment", "New card"])
async def test_what_is_written_when_the_session_ends_is_saved_with_one_click_after_a_new_sign_in(
    browser: Browser, site: World, place: str
) -> None:
    board = await site.board(title=f"Ended in {place}")
    one = await site.card(board, title="Written on")
    fresh = await site.login(MEMBER)
    async with visiting(browser, site, fresh) as page:
        if place == "New card":
            await visit_board(page, board)
            await column(page, "Todo").get_by_role("button", name="Add a card to Todo").click()
            field = column(page, "Todo").get_by_role("combobox").or_(column(page, "Todo").get_by_role("textbox")).first
        else:
            dialog = await open_card(page, board, one)
            if place == "Title":
                await dialog.get_by_role("button", name="Title:").click()
            elif place == "Description":
                await dialog.get_by_role("button", name="Write Description").click()
            field = dialog.get_by_role("textbox", name=place, exact=True)
        await field.fill("Not lost")
        (await fresh.delete("/settings/sessions/current")).ok()
        await expect(page.get_by_role("dialog", name="Sign in")).to_contain_text("Nothing you typed is lost")
        await page.wait_for_timeout(300)
        await sign_in(page, MEMBER)
        await expect(page.get_by_role("dialog", name="Sign in")).to_have_count(0)
        await expect(field).to_have_value("Not lost")
        if place in ("Title", "New card"):
            await expect(field).to_be_focused()
            await page.keyboard.press("Enter")
            await expect(card(page, "Not lost")).to_be_visible()
        else:
            name = "Comment" if place == "Comment" else "Save"
            await dialog.get_by_role("button", name=name, exact=True).click()
            await expect(dialog.get_by_text("Not lost").and_(dialog.locator(".prose *"))).to_be_visible()
    site.member = await site.login(MEMBER, PASSWORD)


HIDE = """(isHidden) => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => isHidden});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


async def test_a_tab_out_of_sight_asks_rarely_and_is_right_when_somebody_looks(browser: Browser, site: World) -> None:
    board = await site.board(title="Out of sight")
    cards = [await site.card(board, "Backlog", title=f"Unseen {number}") for number in range(6)]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(page.get_by_role("img", name="Live")).to_be_visible()
        await page.evaluate(HIDE, True)
        watch_of(page).requests.clear()
        for one in cards:
            (await site.member.patch(f"/cards/{one['id']}/status", {"toColumnId": board.columns["Todo"]})).ok()
            await asyncio.sleep(0.2)
        assert sum("/board?" in request for request in watch_of(page).requests) <= 1
        await page.evaluate(HIDE, False)
        todo = page.get_by_role("region", name="Todo", exact=True)
        await expect(todo.locator("li.card")).to_have_count(len(cards))


async def test_a_renewed_lease_is_looked_at_before_it_seems_to_run_out(browser: Browser, site: World) -> None:
    board = await open_board(site, "Renewed")
    bot = await site.agent("steady")
    one = await site.card(board, title="Long work")
    held = (await bot.post(f"/cards/{one['id']}/claim/mcp", {"leaseSeconds": 30})).ok()["claim"]
    async with visiting(browser, site, site.sa) as page:
        await page.clock.install()
        await visit_board(page, board)
        await expect(card(page, "Long work")).to_contain_text("steady · 0:")
        token = {"X-Claim-Token": held["token"]}
        (await bot.post(f"/cards/{one['id']}/claim/renew/mcp", {"leaseSeconds": 600}, headers=token)).ok()
        await page.clock.run_for(27_000)
        await expect(card(page, "Long work")).to_contain_text(re.compile(r"steady · 9:"))


async def test_an_agent_that_the_guard_stops_stands_on_top_with_the_reason(browser: Browser, site: World) -> None:
    board = await open_board(site, "Runaway")
    await site.edge(board, "In Progress", "Todo") if ("In Progress", "Todo") not in board.transitions else None
    await site.column(board, "In Progress", agentPickupEnabled=True, agentCanModerate=True)
    asker, runaway = await site.agent("patient"), await site.agent("runaway")
    other = await site.card(board, "Review", title="Waits longest")
    (await asker.post(f"/cards/{other['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    one = await site.card(board, "Todo", title="Back and forth")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(row(page, "Waits longest")).to_be_visible()
        for _ in range(RETURNS_MAX + 2):
            for goal in ("In Progress", "Todo"):
                await runaway.patch(f"/cards/{one['id']}/mcp/status", {"toColumnId": board.columns[goal]})
        attention = page.locator("section").filter(has=page.get_by_role("heading", name="Needs attention"))
        first = attention.locator("li.item[data-id]").first
        await expect(first).to_contain_text("runaway")
        await expect(first).to_contain_text(re.compile("back and forth|returned|times"))
        await expect(first.get_by_role("button", name="Resume runaway")).to_be_visible()
        await expect(row(page, "Waits longest")).to_be_visible()


class Holding:
    """Holds back the next answer that the service has given, until it is let go."""

    def __init__(self) -> None:
        self.is_held, self.is_free = asyncio.Event(), asyncio.Event()

    async def __call__(self, route: Route) -> None:
        """Answer a request, or the first one later."""
        response = await route.fetch()
        if not self.is_held.is_set():
            self.is_held.set()
            await self.is_free.wait()
        await route.fulfill(response=response)


async def test_the_number_that_waits_counts_what_happens_while_it_is_asked_for(browser: Browser, site: World) -> None:
    board, bot = await open_board(site, "Counting"), await site.agent("asker-of-two")
    await ask(site, board, bot, "Seen by the first answer")
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/members")
        counts = (await site.member.get(site.member.org("/attention"), params={"counts": "true"})).ok()["waiting"]
        before = sum(counts.values())
        await expect(page).to_have_title(f"({before}) Members · Tandem")
        holding = Holding()
        await intercept(page, "**/attention?counts=true", holding)
        await site.card(board, title="Something happens")
        await holding.is_held.wait()
        await ask(site, board, bot, "After the answer was given")
        await page.wait_for_timeout(300)  # the event arrives
        holding.is_free.set()
        await expect(page).to_have_title(f"({before + 1}) Members · Tandem")


async def test_home_shows_no_older_answer_after_a_newer_one(browser: Browser, site: World) -> None:
    board, bot = await open_board(site, "Late answers"), await site.agent("asker-late")
    await ask(site, board, bot, "Approve me once")
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        holding = Holding()
        await intercept(page, "**/attention?limit=*", holding)
        await site.card(board, title="Something happens")
        await holding.is_held.wait()
        found = find_panel(page, "Waiting for you").locator("li", has_text="Approve me once")
        await found.get_by_role("button", name="Approve").click()
        await expect(found).to_have_count(0)
        await page.wait_for_timeout(1000)  # Home is read again after the approval
        async with page.expect_response("**/attention?limit=*"):
            holding.is_free.set()
        await page.wait_for_timeout(200)  # what is shown follows
        assert await found.count() == 0


async def test_a_screen_is_shown_however_many_events_come_during_slow_answers(browser: Browser, site: World) -> None:
    board = await open_board(site, "Busy")
    one = await site.card(board, title="Renamed all the time", assignedUserId=site.sa.id)

    async def late(route: Route) -> None:
        await asyncio.sleep(1.2)  # longer than the stream of events takes to begin
        await route.continue_()

    async def rename() -> None:
        for number in range(1000):
            await site.member.patch(f"/cards/{one['id']}", {"title": f"Renamed {number} times"})
            await asyncio.sleep(0.05)

    async with visiting(browser, site, site.sa) as page:
        await page.route("**/me/cards?**", late)
        renaming = asyncio.create_task(rename())
        await page.goto("/my-cards")
        await expect(page.get_by_role("link", name="Renamed")).to_be_visible()
        renaming.cancel()
        await page.unroute_all(behavior="ignoreErrors")
