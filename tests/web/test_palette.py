"""The palette: boards, screens, actions and cards are found by words and reached by keyboard alone."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Route, expect

from ..world import World
from .axe import findings_in_both_themes
from .boards import card, column, visit_board
from .browser import PHONE, intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_board_and_a_card_are_found_and_opened_by_keyboard_alone(
    browser: Browser, site: World, axe: str
) -> None:
    board, other = await site.board(title="Palette one"), await site.board(title="Palette <i>two</i>")
    far = await site.card(other, title="Sharpen the <b>scissors</b>")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await page.keyboard.press("Control+k")
        field, options = page.get_by_role("combobox"), page.get_by_role("option")
        await expect(field).to_be_focused()
        await page.keyboard.type("palette two")
        await expect(options).to_have_count(1)
        await expect(options.first).to_contain_text("Palette <i>two</i> board")
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Palette <i>two</i>", level=1)).to_be_visible()
        await page.keyboard.press("Control+k")
        await field.fill("scissors")
        await expect(options).to_have_text([f"Sharpen the <b>scissors</b> Palette <i>two</i>{far['key']}"])
        await field.fill(far["key"].lower())
        await expect(options).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name=f"{far['key']} Sharpen")).to_be_visible()


async def test_an_action_is_done_where_the_focus_was(browser: Browser, site: World) -> None:
    board = await site.board(title="Acting")
    await site.card(board, "Todo", title="Acted upon")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Acted upon").get_by_role("link").focus()
        await page.keyboard.press("Control+k")
        await page.keyboard.press("Shift+E")  # while it is being opened no key does what it does elsewhere
        field, options = page.get_by_role("combobox"), page.get_by_role("option")
        await expect(field).to_be_focused()
        await field.fill("move to …")
        await expect(options).to_have_count(1)
        await expect(options.first).to_contain_text("m")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("menu")).to_contain_text("In Progress")
        await page.keyboard.press("Escape")
        await expect(card(page, "Acted upon").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Control+k")
        await expect(field).to_be_focused()
        await page.keyboard.press("ArrowUp")
        last = page.get_by_role("option").last
        await expect(last).to_have_attribute("aria-selected", "true")
        name = await last.get_attribute("id")
        await expect(page.get_by_role("combobox")).to_have_attribute("aria-activedescendant", name or "")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog", name="Palette")).to_be_hidden()
        await expect(card(page, "Acted upon").get_by_role("link")).to_be_focused()


async def test_what_is_not_found_is_said_and_a_lost_line_too(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.member, viewport=PHONE) as page:
        await page.goto("/")
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await page.get_by_role("button", name="Me").click()  # where there is no keyboard
        await page.get_by_role("menuitem", name="Find or do…").click()
        await page.get_by_role("combobox").fill("zebra crossing")
        await expect(page.get_by_role("status").filter(has_text="No results.")).to_be_visible()
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        await intercept(page, "**/search?*", lambda route: route.abort())
        await page.get_by_role("combobox").fill("anything")
        await expect(page.get_by_text("cannot be reached")).to_be_visible()


async def test_the_palette_has_what_keys_do_and_a_freeze_that_ends_by_mistake_goes_on(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="All actions")
    await site.card(board, "Todo", title="Acted on")
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await visit_board(page, board)

        async def do(words: str) -> None:
            await page.keyboard.press("Control+k")
            await expect(page.get_by_role("combobox")).to_be_focused()
            await page.get_by_role("combobox").fill(words)
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("dialog", name="Palette")).to_be_hidden()

        await page.keyboard.press("Control+k")
        offered = page.get_by_role("listbox", name="Results")
        await expect(offered).to_contain_text("Add a card")
        for words in ("Assign the card to me", "Move to …", "Deselect", "Show the last notification"):
            await expect(offered).not_to_contain_text(words)  # no card has the focus, and none is selected
        await page.keyboard.press("Escape")
        await card(page, "Acted on").get_by_role("link").focus()
        await do("select / deselect")
        await expect(page.get_by_role("region", name="Selected cards")).to_contain_text("1 card selected")
        await do("deselect all")
        await expect(page.get_by_role("region", name="Selected cards")).to_be_hidden()
        await card(page, "Acted on").get_by_role("link").focus()
        await do("move to next")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)
        await do("undo the last")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(1)
        await do("freeze all")
        await page.get_by_label("Reason").fill("They <b>run</b>")
        await page.get_by_role("button", name="Freeze", exact=True).click()
        await page.get_by_role("button", name="Unfreeze agents").click()
        await page.locator(".toast").get_by_role("button", name="Undo").click()
        await expect(page.get_by_text("Agents are frozen: They <b>run</b>")).to_be_visible()
        await do("go to the agents")
        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await do("go to reports")
        await expect(page.get_by_role("heading", name="Reports", level=1)).to_be_visible()
        await visit_board(other, board)
        await other.keyboard.press("Control+k")
        await other.get_by_role("combobox").fill("freeze")
        await expect(other.get_by_text("No results.")).to_be_visible()
        (await site.sa.delete(site.sa.org("/freeze"))).ok()


async def test_the_palette_offers_what_can_be_done_on_an_open_card(browser: Browser, site: World) -> None:
    board = await site.board(title="Card actions")
    one = await site.card(board, "Todo", title="Do things to me", assignedUserId=site.member.id)
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await card(page, "Do things to me").get_by_role("link").click()
        dialog = page.get_by_role("dialog", name="Do things to me")
        await expect(dialog.get_by_role("button", name="Duplicate")).to_be_visible()
        options, field = page.get_by_role("option"), page.get_by_role("combobox")
        await page.keyboard.press("Control+k")
        await expect(field).to_be_focused()
        offered = await options.all_inner_texts()
        actions = ["Move to …", "Change the assignee", "Change the priority", "Change the due date", "Change the title"]
        actions += ["Duplicate the card", "Relate to another card", "Copy the address of the card"]
        actions += ["Split into parts", "Move to another board", "Watch / unwatch card"]
        for action in actions:
            assert any(text.startswith(action) for text in offered), (action, offered)
        absent = ["Archive the card", "Approve", "End the claim", "Add a card", "Find a board"]  # not now, or not here
        assert [text for text in offered if text.startswith(tuple(absent))] == []
        await field.fill("priority")
        await page.keyboard.press("Enter")
        await page.get_by_role("menuitemradio", name="high").click()
        await expect(dialog.get_by_role("button", name="Priority: high")).to_be_visible()
        await page.keyboard.press("m")  # the same by its key
        await expect(page.get_by_role("menu")).to_contain_text("In Progress")
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+k")
        await field.fill("go to my cards")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="My cards", level=1)).to_be_visible()
        await page.get_by_role("link", name="Do things to me").focus()
        await page.keyboard.press("Control+k")
        await field.fill("open the card")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Duplicate")).to_be_visible()
        await page.keyboard.press("Control+k")
        await field.fill("members")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Members", level=1)).to_be_visible()
        await expect(dialog).to_have_count(0)
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["priority"] == "high"


async def late(route: Route) -> None:
    """Let a request through half a second later."""
    await asyncio.sleep(0.5)
    await route.continue_()


async def test_the_palette_has_what_the_user_menu_has_and_marks_changes_as_seen(browser: Browser, site: World) -> None:
    board = await site.board(title="News")
    await site.card(board, "Todo", title="Something new", by=site.member)
    await site.card(board, "Todo", title="Nothing else")
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await expect(page.get_by_role("link", name="Something new")).to_be_visible()

        async def do(words: str) -> None:
            await page.keyboard.press("Control+k")
            await page.get_by_role("combobox", name="Find a board").fill(words)
            await page.keyboard.press("Enter")
            await expect(page.locator("dialog[aria-label=Palette]")).to_have_count(0)  # its field takes keys until then

        await page.keyboard.press("Control+k")
        offered = page.get_by_role("listbox", name="Results")
        await expect(offered).to_contain_text("Card below")
        for words in ("Approve", "Reject", "Open the card"):
            await expect(offered).not_to_contain_text(words)  # no row has the focus
        await page.keyboard.press("Escape")
        await intercept(page, "**/search?**", late)
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a board").fill("nothing else")
        await expect(page.get_by_text("Looking for cards …")).to_be_visible()
        await page.keyboard.press("Enter")  # before anything is found
        await expect(page.get_by_role("dialog", name="Nothing else")).to_be_visible()
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a board").fill("theme:")
        await page.keyboard.press("ArrowDown")
        await expect(page.get_by_text("Looking for cards …")).to_have_count(0)
        await expect(page.get_by_role("option", selected=True)).to_have_text("Theme: Light")
        await page.unroute("**/search?**")
        await page.goto("/")
        await expect(page.get_by_role("link", name="Something new")).to_be_visible()
        await do("mark all as seen")
        await expect(page.get_by_role("link", name="Something new")).to_have_count(0)
        await do("theme: dark")
        await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        await do("theme: as the system")
        await do("get started")
        await expect(page.get_by_role("region", name="Get started")).to_be_visible()
        await do("your settings")
        await expect(page).to_have_url(re.compile("/me$"))
        await do("keyboard shortcuts")
        help_dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        await expect(help_dialog).to_contain_text("Go to my cardsg m")
        await expect(help_dialog).not_to_contain_text("Duplicate the card")  # has no key until somebody gives it one
        await page.keyboard.press("Escape")
        await expect(page.locator("dialog")).to_have_count(0)
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a board").fill("sign out")
        offered = page.get_by_role("listbox", name="Results").get_by_role("option")
        await expect(offered.first).to_have_text("Sign out")  # done, it would end the session that all tests here use


async def test_the_palette_has_the_buttons_of_every_screen_for_those_who_have_them(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Of every screen")
    await site.join(site.outsider, site.sa, "sa@example.test")
    card_key = (await site.card(board, "Todo", title="Found"))["key"]
    await site.agent("worker")
    screens = {
        "/search?q=found": ["More filters"],  # its field has the focus
        f"/b/{board.id}/design": [
            "Rename the board",
            "Archive the board",
            "New column…",
            "New card type…",
            "New field Task",
        ],
        "/agents/worker": ["Undo its changes…", "Stop worker", "Remove worker"],
        "/?start=1": ["Create a board…", "Dismiss", "Switch to Other"],
        f"/b/{board.id}/c/{card_key}": ["Add a file", "Assigned agent: None", "Type: Task"],
    }
    async with visiting(browser, site, site.sa) as page:
        field = page.get_by_role("combobox", name="Find a board")
        options = page.get_by_role("listbox", name="Results").get_by_role("option")
        go = "async (address) => (await import('/core/router.js')).navigate(address)"
        await page.goto("/my-cards")
        await expect(page.get_by_role("button", name="Done")).to_be_visible()
        for screen, buttons in screens.items():
            await page.evaluate(go, screen)
            for name in buttons[:-1] if "Switch" in buttons[-1] else buttons:
                await expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
            await page.keyboard.press("Control+k")
            await expect(field).to_be_focused()
            offered = await options.all_inner_texts()
            assert [offered.count(name) for name in buttons] == [1] * len(buttons), (screen, offered)
            assert {"Close", "Remove Todo", "In Progress"}.isdisjoint(offered)
            await page.keyboard.press("Escape")
        await page.evaluate(go, f"/b/{board.id}/design")
        await expect(page.get_by_role("button", name="New column…")).to_be_visible()
        await page.keyboard.press("Control+k")
        await field.fill("rename the")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Rename the board")).to_be_visible()
    async with visiting(browser, site, site.member) as page:
        await page.goto(f"/b/{board.id}/design")
        await expect(page.get_by_role("link", name="Open board")).to_be_visible()
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox", name="Find a board").fill("the board")
        await expect(page.get_by_role("listbox", name="Results")).not_to_contain_text("Archive the board")
