"""What others do is seen without a reload: two browsers side by side, many writers, a line that breaks."""

import asyncio
import random
import re

import pytest
from playwright.async_api import Browser, Route, expect

from ..world import Board, World
from .boards import card, column, drag, order, order_on, titles, visit_board, wait_until_ready
from .browser import intercept, until, visiting, watch_of

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_move_in_one_browser_is_seen_in_the_other(browser: Browser, site: World) -> None:
    board = await site.board(title="Side by side")
    await site.card(board, "Todo", title="Seen by both")
    async with visiting(browser, site, site.sa) as one, visiting(browser, site, site.member) as other:
        await visit_board(one, board)
        await visit_board(other, board)
        await drag(one, card(one, "Seen by both"), column(one, "In Progress"))
        await expect(column(other, "In Progress").locator("li.card")).to_have_count(1)
        await other.get_by_role("button", name="New card").click()
        await other.get_by_label("New card in Backlog").fill("From the other one")
        await other.keyboard.press("Enter")
        await expect(card(one, "From the other one")).to_be_visible()
        (
            await site.sa.patch(
                f"/cards/{(await order(site, board))[board.columns['Backlog']][0]}", {"title": "Renamed"}
            )
        ).ok()
        for page in (one, other):
            await expect(card(page, "Renamed")).to_be_visible()


async def test_columns_limits_and_agents_that_change_are_seen(browser: Browser, site: World) -> None:
    board = await site.board(title="Frames")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await site.column(board, "Todo", title="To be done", wipLimit=3)
        await expect(column(page, "To be done").locator(".count")).to_have_text("0 / 3")
        await site.agent("newcomer")
        await expect(
            page.get_by_role("group", name="Filter by assignee or agent").get_by_role("button", name="newcomer")
        ).to_be_visible()


async def test_a_new_agent_is_seen_also_if_the_cards_were_read_before_its_event_came(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Overtaken")
    await site.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    bot = await site.agent("earlier")
    one = await site.card(board, "Review", title="Asked for")
    (await bot.post(f"/cards/{one['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    held = asyncio.Event()
    async with visiting(browser, site, site.sa) as page:
        await page.route(re.compile(r"/events\b"), lambda route: held.wait())
        await visit_board(page, board)
        await site.agent("later")
        await card(page, "Asked for").get_by_role("button", name="Approve").click()
        filters = page.get_by_role("group", name="Filter by assignee or agent")
        await expect(filters.get_by_role("button", name="later")).to_be_visible()
        held.set()


async def test_a_blocker_that_is_done_and_a_lease_that_is_renewed_are_seen(browser: Browser, site: World) -> None:
    board = await site.board(title="Quiet changes")
    await site.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=True)
    bot = await site.agent("renewer")
    first, held = [await site.card(board, "Review", title=title) for title in ("First", "Held")]
    ends = {"fromCardId": first["id"], "toCardId": held["id"], "kind": "blocks"}
    (await site.sa.post(site.sa.org("/relationships"), ends)).ok()
    claimed = await site.card(board, title="Claimed")
    token = (await bot.post(f"/cards/{claimed['id']}/claim/mcp", {"leaseSeconds": 30})).ok()["claim"]["token"]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(card(page, "Held")).to_contain_text("Blocked")
        (await site.sa.patch(f"/cards/{first['id']}/status", {"toColumnId": board.columns["Done"]})).ok()
        await expect(card(page, "Held")).not_to_contain_text("Blocked")
        await expect(card(page, "Claimed")).to_contain_text("renewer · 0:")
        path = f"/cards/{claimed['id']}/claim/renew/mcp"
        (await bot.post(path, {"leaseSeconds": 600}, headers={"X-Claim-Token": token})).ok()
        (await site.sa.post(f"/cards/{held['id']}/comments", {"content": "Anything at all"})).ok()
        await expect(card(page, "Claimed")).to_contain_text("renewer · 9:")


async def write(site: World, board: Board, ids: list[str], seed: int) -> None:
    """Move, rank, rename, archive and restore cards at random."""
    chance = random.Random(seed)  # noqa: S311
    client = site.sa if seed % 2 else site.member
    for _ in range(50):
        one, goal = chance.choice(ids), board.columns[chance.choice(list(board.columns))]
        kind = chance.random()
        if kind < 0.3:
            await client.patch(f"/cards/{one}/status", {"toColumnId": goal, "afterCardId": None})
        elif kind < 0.6:
            await client.patch(f"/cards/{one}/status", {"toColumnId": goal})
        elif kind < 0.8:
            await client.patch(f"/cards/{one}/rank", {"afterCardId": None})
        elif kind < 0.9:
            await client.patch(f"/cards/{one}", {"title": f"Renamed {kind}"})
        else:
            await site.sa.delete(f"/cards/{one}")
            await client.post(f"/cards/{one}/restore")


DRAWN = """(columns) => columns.map((column) =>
    [...column.querySelectorAll("li.card:not(.hidden)")].map((card) => card.dataset.id))"""


async def test_under_random_writers_the_order_on_the_page_is_the_service_s(browser: Browser, site: World) -> None:
    board = await site.board(title="Writers")
    names = list(board.columns)
    ids = [(await site.card(board, names[number % 5], title=f"Card {number:02}"))["id"] for number in range(40)]
    for origin in names:
        for goal in names:
            if origin != goal and (origin, goal) not in board.transitions:
                await site.edge(board, origin, goal)

    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        writers = [asyncio.create_task(write(site, board, ids, seed)) for seed in range(3)]
        # The page writes too, at the same time.
        for _ in range(6):
            await page.keyboard.press("j")
            await page.keyboard.press("Shift+ArrowDown")
        await asyncio.gather(*writers)
        for _ in range(100):
            if await order_on(page, board) == await order(site, board):
                break
            await asyncio.sleep(0.05)
        assert await order_on(page, board) == await order(site, board)
        drawn = await page.locator(".column").evaluate_all(DRAWN)
        known = list((await order(site, board)).values())
        assert [ids[: len(shown_ids)] for ids, shown_ids in zip(known, drawn, strict=True)] == drawn


async def test_what_was_missed_while_the_line_was_cut_comes_in_one_request(browser: Browser, site: World) -> None:
    board = await site.board(title="Cut")
    made = await site.card(board, "Todo", title="Missed")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(page.get_by_role("img", name="Live")).to_be_visible()
        await page.context.set_offline(True)
        await site.card(board, "Todo", title="Made meanwhile")
        (await site.sa.patch(f"/cards/{made['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
        await page.wait_for_timeout(300)
        await expect(card(page, "Made meanwhile")).to_have_count(0)
        watch_of(page).requests.clear()
        await page.context.set_offline(False)
        await expect(card(page, "Made meanwhile")).to_be_visible(timeout=20_000)
        assert await titles(page, "In Progress") == ["Missed"]


async def test_without_a_connection_nothing_typed_is_lost_and_what_does_not_open_says_so(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Offline")
    made = await site.card(board, "Todo", title="Opened later")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.context.set_offline(True)
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        field = page.get_by_label("New card in Backlog")
        await field.press_sequentially("Typed #offlin")
        await card(page, "Opened later").click()
        await expect(page.get_by_role("alert").filter(has_text="could not be opened")).to_contain_text("try again")
        await expect(page).to_have_url(f"{site.url}/b/{board.id}")
        await page.context.set_offline(False)
        await field.press_sequentially("e")
        await expect(page.get_by_text("Draft from")).to_be_visible()
        await card(page, "Opened later").click()
        await expect(page.get_by_role("dialog", name=made["key"])).to_be_visible()
        await visit_board(page, board)
        await column(page, "Backlog").get_by_role("button", name="Add a card").click()
        await expect(field).to_have_value("Typed #offline")
        # A token that was typed without a connection means what it always means.
        await field.press("Escape")
        await page.reload()
        await wait_until_ready(page)
        pressed, requests = asyncio.Event(), []

        async def fail_late(route: Route) -> None:
            requests.append(route.request.url)
            if len(requests) == 1:
                await pressed.wait()
                await route.abort()
            else:
                await route.continue_()

        await intercept(page, "**/quick-add-tokens.js", fail_late)
        await column(page, "Todo").get_by_role("button", name="Add a card").click()
        await page.get_by_label("New card in Todo").fill("Sent later #bug")
        await page.keyboard.press("Enter")
        pressed.set()
        await expect(card(page, "Sent later").get_by_text("bug", exact=True)).to_be_visible()


async def test_a_log_that_was_forgotten_brings_the_whole_board(browser: Browser, site: World) -> None:
    board = await site.board(title="Forgotten")
    await site.card(board, "Todo", title="Old one")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Old one").get_by_role("link").focus()
        # What the page knows is of another time: as if the log had been cut behind it.
        await page.evaluate("async (id) => { (await import('/board/store.js')).getBoard(id).at = '0'; }", board.id)
        await site.card(board, "Todo", title="New one")
        await expect(card(page, "New one")).to_be_visible()
        await expect(card(page, "Old one").get_by_role("link")).to_be_focused()
        assert await order_on(page, board) == await order(site, board)


@pytest.mark.slow
async def test_of_many_tabs_one_reads_the_stream_and_another_takes_over(browser: Browser, site: World) -> None:
    board = await site.board(title="Tabs")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        pages = [page]
        for _ in range(8):  # a browser has six connections to a host
            pages.append(await page.context.new_page())
            await visit_board(pages[-1], board)
        await site.card(board, "Todo", title="For all tabs")
        for one in pages:
            await expect(card(one, "For all tabs")).to_be_visible()
        assert sum("/events" in request for request in watch_of(page).requests) == 1
        await pages[0].close()
        await site.card(board, "Todo", title="After the first has closed")
        for one in pages[1:]:
            await expect(card(one, "After the first has closed")).to_be_visible()


async def test_a_person_who_is_put_out_sees_no_more(browser: Browser, site: World) -> None:
    board = await site.board(title="Out")
    await site.card(board, title="For members only")
    await site.join(site.outsider, site.member, "member@example.test")
    elsewhere = await site.board(site.outsider, title="Elsewhere")
    switched = (await site.member.post("/auth/switch", {"orgId": site.outsider.org_id})).ok()
    guest = site.client(
        {"Authorization": f"Bearer {switched['token']}"}, id=site.member.id, org_id=site.outsider.org_id
    )
    async with visiting(browser, site, guest) as page:
        await visit_board(page, elsewhere)
        await site.outsider.delete(site.outsider.org(f"/members/{site.member.id}"))
        await page.reload()
        await until(page, "() => !document.querySelector('.column:not(.skeleton)')")


async def test_what_others_did_to_a_card_is_counted_on_it_until_it_is_opened(browser: Browser, site: World) -> None:
    board = await site.board(title="Unread")
    one = await site.card(board, title="Not looked at")
    await site.sa.call(
        "PUT", site.sa.org("/seen"), {"eventId": (await site.sa.get(site.sa.org("/changes"))).ok()["next"]}
    )
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        mark = card(page, "Not looked at").locator(".unread")
        await expect(mark).to_have_count(0)
        for text in ("One", "Two"):
            (await site.member.post(f"/cards/{one['id']}/comments", {"content": text})).ok()
        await expect(mark).to_have_text("2")
        await expect(mark).to_have_attribute("title", "2 changes since you last looked")
        async with page.expect_response("**/seen"):
            await card(page, "Not looked at").click()
        await page.keyboard.press("Escape")
        await expect(mark).to_have_count(0)
        await page.reload()
        await expect(card(page, "Not looked at")).to_be_visible()
        await expect(mark).to_have_count(0)
