"""The same keys work on the card that has the focus on a board and on the open card."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..builders import permit
from ..world import Board, Client, World
from .boards import card, column, visit_board
from .browser import intercept, until, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
ALL_SENT = "async () => (await (await import('/board/card-writes.js')).waitForWrites(), true)"
# Keys on the board, and the card that has the focus then. The last ones do nothing there.
FOCUS_KEYS = [
    *(("j", "First"), ("j", "Second"), ("k", "First"), ("ArrowDown", "Second"), ("ArrowUp", "First")),
    *(("ArrowRight", "Aside"), ("ArrowLeft", "First"), ("h", "First"), ("[", "First"), ("]", "First")),
]


async def create_card_with_request(site: World, board: Board, bot: Client, title: str) -> Any:
    """Make a card whose agent asks for a move to Done."""
    made = await site.card(board, "Review", title=title)
    body = {"toColumnId": board.columns["Done"]}
    (await bot.post(f"/cards/{made['id']}/move-requests/mcp", body)).ok()
    return made


async def work(site: World, page: Page, made: Any, place: Locator, title: str) -> None:
    """Press the key of each property of a card, and see at its place that each changes."""
    for name, shown_as in (("keybot", "Ke"), ("Mo Member", "MM")):  # agents and people in one menu
        await page.keyboard.press("a")
        await page.get_by_role("menu", name="Assign").get_by_role("menuitemradio", name=name).press("Enter")
        await expect(place).to_contain_text(shown_as)
    await page.keyboard.press("i")
    await expect(place).to_contain_text("AA")
    await page.keyboard.press("p")
    await page.get_by_role("menuitemradio", name="urgent").press("Enter")
    await expect(place.get_by_text("urgent")).to_be_visible()
    await page.keyboard.press("l")
    await page.get_by_role("dialog", name="Labels").get_by_role("combobox").fill("blue")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await expect(place.get_by_text("blue", exact=True)).to_be_visible()
    await page.keyboard.press("d")
    await page.get_by_role("textbox", name="Due").fill("2031-05-04")
    await page.keyboard.press("Enter")
    await expect(place.get_by_text("May 4, 2031", exact=True)).to_be_visible()
    await page.keyboard.press("m")
    async with page.expect_response("**/status"):
        await page.get_by_role("menu", name="Move to").get_by_role("menuitem", name="In Progress").press("Enter")
    await page.keyboard.press("e")
    field = page.get_by_role("textbox", name="Title")
    await field.fill("Not this")
    await page.keyboard.press("Escape")
    await page.keyboard.press("e")
    await expect(field).not_to_have_value("Not this")
    (await site.sa.patch(f"/cards/{made['id']}", {"priority": "high"})).ok()  # while the title is being written
    await expect(place).to_contain_text("high")
    await field.fill(title)
    async with page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        await page.keyboard.press("Enter")


async def expect_worked(site: World, made: Any, title: str, column_id: str) -> None:
    """Check that the service has every change."""
    now = (await site.sa.get(f"/cards/{made['id']}")).ok()
    values = [value["value"] for value in now["fieldValues"]]
    assert (now["title"], now["columnId"], now["priority"]) == (title, column_id, "high")
    assert (now["assignedUserId"], now["assignedAgentId"]) == (site.sa.id, "keybot")
    assert (now["dueDate"][:10], values) == ("2031-05-04", [["blue"]])


async def test_each_key_of_a_card_works_on_the_board_and_in_the_open_card(browser: Browser, site: World) -> None:
    board = await site.board(title="Card keys")
    await site.agent("keybot")
    first, second = [await site.card(board, "Todo", title=title) for title in ("First", "Second")]
    await site.card(board, "Review", title="Aside")
    progress = board.columns["In Progress"]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        for key, focused in FOCUS_KEYS:
            await page.keyboard.press(key)
            await expect(card(page, focused).get_by_role("link")).to_be_focused()
        await expect(column(page, "Todo").locator("li.card")).to_have_count(2)
        await work(site, page, first, page.locator("li.card").filter(has_text=first["key"]), "Renamed first")
        await expect(card(page, "Renamed first").get_by_role("link")).to_be_focused()
        await page.keyboard.press("e")
        await page.get_by_role("textbox", name="Title").fill("Left first")
        async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            await page.get_by_role("heading", name="Card keys").click()  # leaving the field saves too
        await expect(card(page, "Left first")).to_be_visible()
        await card(page, "Second").get_by_role("link").press("Enter")
        dialog = page.get_by_role("dialog", name=second["key"])
        await expect(dialog.get_by_role("button", name="Duplicate")).to_be_visible()
        await work(site, page, second, dialog.locator("dl"), "Renamed second")
        await expect(dialog.get_by_role("heading", name="Renamed second")).to_be_visible()
    await expect_worked(site, first, "Left first", progress)
    await expect_worked(site, second, "Renamed second", progress)


async def test_a_change_of_the_open_card_that_is_still_being_sent_is_followed_by_others(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="In a hurry")
    value = [{"fieldId": board.field("description"), "value": "- [ ] Pack"}]
    one = await site.card(board, title="Trip", fieldValues=value)
    held: list[asyncio.Event] = []

    async def hold(route: Route) -> None:
        answer = await route.fetch()
        await held[-1].wait()
        await route.fulfill(response=answer)

    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await intercept(page, re.compile(rf"/cards/{one['id']}(/checklist)?$"), hold)
        for key, next_key, address in (("t", "Shift+ArrowRight", "**/status"), ("p", "i", f"**/cards/{one['id']}")):
            held.append(asyncio.Event())
            await card(page, "Trip").get_by_role("link").press("Enter")
            dialog = page.get_by_role("dialog", name="Trip")
            await expect(dialog.get_by_role("checkbox", name="Pack")).to_be_enabled()
            async with page.expect_request(lambda request: request.method == "PATCH"):
                await page.keyboard.press(key)
                if key == "p":
                    await page.get_by_role("menuitemradio", name="high").press("Enter")
            await page.keyboard.press("Escape")
            await expect(dialog).to_have_count(0)
            await page.keyboard.press(next_key)
            async with page.expect_response(address):  # the first of these may be the one that was held
                held[-1].set()
            await until(page, ALL_SENT)
            await expect(page.get_by_role("alert")).to_have_count(0)
    now = (await site.sa.get(f"/cards/{one['id']}")).ok()
    assert (now["checklist"]["done"], now["priority"], now["assignedUserId"]) == (1, "high", site.sa.id)
    assert now["columnId"] == board.columns["In Progress"]


async def test_of_two_changes_of_the_open_card_the_later_one_counts_whichever_is_answered_first(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Out of order")
    one = await site.card(board, "Todo", title="Overtaken")
    answered = asyncio.Event()

    async def hold_the_first(route: Route) -> None:
        answer = await route.fetch()
        if "priority" in (route.request.post_data or ""):
            await answered.wait()
        await route.fulfill(response=answer)

    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        due = page.get_by_role("dialog").get_by_role("button", name="Due: ")
        await expect(due).to_be_visible()
        await intercept(page, f"**/cards/{one['id']}", hold_the_first)
        async with page.expect_request(lambda request: request.method == "PATCH"):
            await page.keyboard.press("p")
            await page.get_by_role("menuitemradio", name="high").press("Enter")
        await page.keyboard.press("d")
        await page.get_by_role("textbox", name="Due").fill("2031-05-04")
        await page.keyboard.press("Enter")
        await expect(due).to_have_accessible_name("Due: May 4, 2031")
        await intercept(page, "**/board?*", lambda route: route.abort())  # which would bring the newest version
        async with page.expect_response(f"**/cards/{one['id']}"):
            answered.set()
        await page.keyboard.press("m")
        async with page.expect_response("**/status") as moved:
            await page.get_by_role("menuitem", name="In Progress").press("Enter")
        assert (await moved.value).status == 200
        await expect(due).to_have_accessible_name("Due: May 4, 2031")


async def test_the_open_card_is_left_for_its_neighbours_as_they_are_shown(browser: Browser, site: World) -> None:
    """On the board, somebody has bound the same key to the next column, which stays."""
    board = await site.board(title="Neighbours")
    own = (await site.sa.post("/settings/shortcuts", {"action": "card.transition.next", "binding": "]"})).ok()
    made = [await site.card(board, "Todo", title=title) for title in ("Red one", "Green", "Red two", "Red three")]
    green = made[1]
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board, "?q=Red")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(3)
        await card(page, "Red one").get_by_role("link").press("Enter")
        for key, title in (
            ("[", "Red one"),
            ("]", "Red two"),
            ("]", "Red three"),
            ("]", "Red three"),
            ("[", "Red two"),
        ):
            await page.keyboard.press(key)
            await expect(page.get_by_role("dialog", name=title)).to_be_visible()
            await expect(page.get_by_role("dialog")).to_have_count(1)
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox").fill("next card")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Red three")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(card(page, "Red three").get_by_role("link")).to_be_focused()
        await expect(column(page, "Todo").locator("li.card")).to_have_count(3)  # the filter stays
        await page.go_back()
        await expect(page.get_by_role("dialog", name="Red three")).to_be_visible()
        await page.go_back()  # to where the first card was opened from
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(card(page, "Red three").get_by_role("link")).to_be_focused()
        await card(page, "Red one").get_by_role("link").focus()
        await page.keyboard.press("]")
        await expect(column(page, "In Progress")).to_contain_text("Red one")
        for name in (green["id"], green["key"].lower()):  # an address names a card in other ways, too
            await page.goto(f"/b/{board.id}/c/{name}")
            await expect(page.get_by_role("dialog", name="Green").get_by_text("Claimed by", exact=True)).to_be_visible()
            await page.keyboard.press("]")
            await expect(page.get_by_role("dialog", name="Red two")).to_be_visible()
    (await site.sa.delete(f"/settings/shortcuts/{own['id']}")).ok()


async def test_requests_are_decided_by_the_same_keys_on_the_board_and_in_the_open_card(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Decisions")
    await site.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    await site.card(board, "Review", title="Asks nothing")
    bot = await site.agent("asks-by-key")
    made = {
        title: await create_card_with_request(site, board, bot, title)
        for title in ("Now yes", "Now no", "Open yes", "Open no")
    }

    async def late(route: Route) -> None:
        await asyncio.sleep(0.3)
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await intercept(page, "**/form.js*", late)
        for title in ("Asks nothing", *made):
            link = card(page, title).get_by_role("link")
            is_open = title.startswith("Open")
            await link.press("Enter") if is_open else await link.focus()
            if is_open:
                await expect(page.get_by_role("dialog")).to_contain_text("asks-by-key requests")
            await page.keyboard.press("Shift+R" if title.endswith("no") else "Shift+A")
            if title.endswith("no"):
                await page.keyboard.type("Too early")  # the first time before the form is loaded
                await page.keyboard.press("Control+Enter")
                await expect(card(page, title)).not_to_contain_text("requests")
            elif title != "Asks nothing":
                await expect(column(page, "Done")).to_contain_text(title)
            if is_open:
                await page.keyboard.press("Escape")
                await expect(page.get_by_role("dialog")).to_have_count(0)
    for title, one in made.items():
        goal = "Done" if title.endswith("yes") else "In Progress"  # a rejected card goes back
        assert (await site.sa.get(f"/cards/{one['id']}")).ok()["columnId"] == board.columns[goal]


async def test_keys_without_permission_say_so_on_the_board_and_in_the_open_card(browser: Browser, site: World) -> None:
    board = await site.board(title="Read only")
    one = await site.card(board, title="Kept")
    await permit(site, "Member", "Card", "read")
    keys = [(key, "change") for key in "alpdei"] + [("Shift+E", "archive"), ("Shift+A", "move"), ("Shift+R", "move")]
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        notice = page.get_by_role("alert").filter(has_text="Nothing was changed")
        tile = card(page, "Kept").get_by_role("link")

        async def press(key: str, sentence: str) -> None:
            await page.keyboard.press(key)
            await expect(notice).to_contain_text(f"You don't have permission to {sentence}.")
            await notice.get_by_role("button", name="Dismiss").click()

        async def walk(*more: tuple[str, str]) -> None:
            for key, verb in [*keys, *more]:
                await press(key, f"{verb} cards")
                if not await page.get_by_role("dialog").count():
                    await tile.focus()
            await page.keyboard.press("m")
            await expect(page.get_by_role("menu")).to_contain_text("You don't have permission to move cards.")
            await page.keyboard.press("Escape")
            await expect(page.locator(".menu")).to_have_count(0)

        await tile.focus()
        await walk(("c", "create"))
        await page.keyboard.press("x")  # the keys of a selection, too
        await press("p", "change cards")
        await tile.press("Enter")
        dialog = page.get_by_role("dialog", name="Kept")
        await expect(dialog.get_by_text("Claimed by", exact=True)).to_be_visible()
        await walk(("t", "change"))
        await press("r", "comment")
        await page.keyboard.press("Control+k")  # offers none of them
        await page.get_by_role("combobox").fill("card")
        await expect(page.get_by_role("option", name="Watch / unwatch card")).to_be_visible()
        await page.get_by_role("combobox").fill("change the")
        await expect(page.get_by_role("option", name="Change the")).to_have_count(0)
    await permit(site, "Member", "Card", "read", "create", "update", "delete", "transition", "comment")
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["version"] == one["version"]
