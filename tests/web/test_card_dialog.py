"""The frame of the open card: what is drawn again and when, where the focus stays, what types and roles leave out."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..builders import permit
from ..world import Board, World
from .boards import card, drop_files, visit_board
from .browser import PHONE, intercept, visiting
from .test_card import open_card
from .test_home import question

pytestmark = pytest.mark.asyncio(loop_scope="session")
ALL_ACTIONS = ("create", "read", "update", "delete", "transition", "comment")


async def new_type(site: World, board: Board, **wishes: Any) -> str:
    """Create a card type of a board, and return its id."""
    return str((await site.sa.post(site.sa.org("/card-types"), {"projectId": board.id, **wishes})).ok()["id"])


def value_button(dialog: Locator, name: str) -> Locator:
    """Return the button that shows a value and edits it."""
    return dialog.get_by_role("button", name=name, exact=True)


def section(dialog: Locator, page: Page, heading: str) -> Locator:
    """Return the section of the dialog with a heading."""
    return dialog.locator("section").filter(has=page.get_by_role("heading", name=heading, exact=True))


async def test_the_heading_gets_the_focus_unless_it_is_elsewhere_by_then(browser: Browser, site: World) -> None:
    board = await site.board(title="Focus")
    one = await site.card(board, title="Focused")
    loading: asyncio.Queue[Route] = asyncio.Queue()
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(page.get_by_role("img", name="Live")).to_be_visible()
        dialog = page.get_by_role("dialog")
        await intercept(page, f"**/cards/{one['key']}?include=*", loading.put)
        for keys, name in (((), "Focused"), (("Shift+Tab",), "Close")):
            await card(page, "Focused").get_by_role("link").click()
            await expect(dialog).to_contain_text("Loading")
            request = await loading.get()
            for key in keys:
                await page.keyboard.press(key)
            await request.continue_()
            await expect(value_button(dialog, "Title: Focused")).to_be_visible()
            role = "button" if keys else "heading"
            await expect(dialog.get_by_role(role, name=re.compile(f"{name}$")).first).to_be_focused()
            await page.keyboard.press("Escape")
            await expect(dialog).to_have_count(0)


async def test_a_card_that_did_not_load_says_why_and_is_loaded_again(browser: Browser, site: World) -> None:
    board = await site.board(title="Loading")
    one = await site.card(board, title="Loaded later")
    error = {"error": {"code": "internal_error", "message": "Something went wrong.", "details": {}}}
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        pattern = f"**/cards/{one['key']}?include=*"
        await intercept(page, pattern, lambda route: route.fulfill(status=500, json=error))
        await card(page, "Loaded later").get_by_role("link").press("Enter")
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_role("heading", name="This card did not load")).to_be_visible()
        await expect(dialog).to_contain_text("Something went wrong. Nothing was changed.")
        await expect(dialog.locator(".breadcrumbs")).to_have_text(one["key"])
        await expect(dialog.get_by_role("button", name="Move to …")).to_be_hidden()
        await page.unroute(pattern)
        await dialog.get_by_role("button", name="Try again").click()
        await expect(value_button(dialog, "Title: Loaded later")).to_be_visible()


async def test_the_address_is_copied_or_shown_where_the_browser_does_not_allow_that(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Addresses")
    one = await site.card(board, title="Copied")
    address = f"{site.url}/b/{board.id}/c/{one['key']}"
    for permissions, title in ((["clipboard-read", "clipboard-write"], "The address is copied"), ([], None)):
        async with visiting(browser, site, site.sa, permissions=permissions) as page:
            dialog = await open_card(page, board, one)
            if not title:
                denied = {"permission": {"name": "clipboard-write"}, "setting": "denied"}
                session = await page.context.new_cdp_session(page)
                await session.send("Browser.setPermission", {**denied, "origin": site.url})
            await dialog.get_by_role("button", name="Copy the address").click()
            notice = page.get_by_role("status").filter(has_text=title or "The address of this card")
            await expect(notice.filter(has_text=address)).to_be_visible()
            if title:
                assert await page.evaluate("() => navigator.clipboard.readText()") == address


async def test_a_title_that_is_being_written_stays_when_the_right_to_change_it_ends(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Rights")
    one = await site.card(board, title="Mine")
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, board, one)
        await value_button(dialog, "Title: Mine").click()
        await dialog.get_by_role("textbox", name="Title").fill("Nearly written")
        try:
            await permit(site, "Member", "Card", "read")
            await expect(page.get_by_role("button", name="New card", include_hidden=True)).to_be_hidden()
            (await site.sa.patch(f"/cards/{one['id']}", {"priority": "low"})).ok()
            await expect(dialog.get_by_text("changed the priority to low")).to_be_visible()
            await expect(dialog.get_by_role("textbox", name="Title")).to_have_value("Nearly written")
            await page.keyboard.press("Escape")
            (await site.sa.patch(f"/cards/{one['id']}", {"title": "Theirs"})).ok()
            await expect(dialog.get_by_role("heading", name="Theirs")).to_be_visible()
            await expect(dialog.get_by_role("button", name="Title: ")).to_have_count(0)
            await expect(dialog.get_by_role("button", name="Archive")).to_have_count(0)
        finally:
            await permit(site, "Member", "Card", *ALL_ACTIONS)


async def test_the_fields_of_another_type_are_drawn_once_nothing_is_being_edited(browser: Browser, site: World) -> None:
    board = await site.board(title="Types")
    bug = await new_type(site, board, title="Bug")
    (await site.sa.post(site.sa.org(f"/card-types/{bug}/fields"), {"name": "severity", "kind": "text"})).ok()
    one = await site.card(board, title="Typed")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await value_button(dialog, "Title: Typed").click()
        field = dialog.get_by_role("textbox", name="Title")
        await field.fill("Still typing")
        (await site.member.patch(f"/cards/{one['id']}", {"cardTypeId": bug})).ok()
        await expect(value_button(dialog, "Type: Bug")).to_be_visible()
        await expect(field).to_have_value("Still typing")
        await expect(field).to_be_focused()
        await expect(dialog.get_by_role("button", name="severity: ")).to_have_count(0)
        await page.keyboard.press("Enter")
        await expect(value_button(dialog, "Title: Still typing")).to_be_visible()
        await expect(dialog.get_by_role("button", name="severity: ")).to_be_visible()


async def test_what_is_being_written_or_decided_stays_when_the_type_changes(browser: Browser, site: World) -> None:
    board = await site.board(title="Meanwhile")
    task, bug = board.card_type["id"], await new_type(site, board, title="Bug")
    (await site.sa.post(site.sa.org(f"/card-types/{bug}/fields"), {"name": "severity", "kind": "text"})).ok()
    one = await site.card(board, title="Mine")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        severity = dialog.get_by_role("button", name="severity: ")
        is_bug = False

        async def change_type() -> None:
            nonlocal is_bug
            is_bug = not is_bug
            edit = {"cardTypeId": bug if is_bug else task}
            version = (await site.member.patch(f"/cards/{one['id']}", edit)).ok()["version"]
            await expect(dialog.get_by_text(f"Version {version} ")).to_be_visible()
            await expect(severity).to_have_count(0 if is_bug else 1)  # as before the change

        async def see_new_fields() -> None:
            await expect(severity).to_have_count(1 if is_bug else 0)

        # A text field with the focus keeps it, and one that is left keeps a text that is kept nowhere else.
        for label, text in (("Comment", "A comment"), ("Add a part", "A part")):
            field = dialog.get_by_role("textbox", name=label)
            await field.press_sequentially(text)
            await change_type()
            await page.keyboard.type("!")
            await expect(field).to_have_value(f"{text}!")
            await expect(field).to_be_focused()
            await page.keyboard.press("Tab")
            if label == "Add a part":
                await expect(severity).to_have_count(1)
                await field.fill("")
                await page.keyboard.press("Tab")
            await see_new_fields()
            await expect(dialog.get_by_role("textbox", name="Comment")).to_have_value("A comment!")
        # So does a property beside the texts, and a conflict.
        await dialog.get_by_role("button", name="Due: ").click()
        await dialog.get_by_role("textbox", name="Due").fill("2031-05-04")
        await change_type()
        await expect(dialog.get_by_role("textbox", name="Due")).to_have_value("2031-05-04")
        await page.keyboard.press("Escape")
        await see_new_fields()
        await value_button(dialog, "Title: Mine").click()
        await dialog.get_by_role("textbox", name="Title").fill("Mine, too")
        (await site.member.patch(f"/cards/{one['id']}", {"title": "Theirs"})).ok()
        await expect(dialog).to_have_accessible_name(f"{one['key']} Theirs")
        await page.keyboard.press("Enter")
        await expect(dialog.locator(".conflict")).to_be_visible()
        await change_type()
        await expect(dialog.locator(".conflict .side")).to_have_text(["MineMine, too", "TheirsTheirs"])
        await dialog.get_by_role("button", name="Keep mine").click()
        await expect(value_button(dialog, "Title: Mine, too")).to_be_visible()
        await see_new_fields()


async def test_an_answer_that_is_being_written_stays_while_others_change_the_card(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Answers")
    one = await question(site, board, await site.agent("asks-here"), "Asked")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field = dialog.get_by_role("textbox", name="Answer")
        await field.fill("Gre")
        (await site.member.patch(f"/cards/{one['id']}", {"title": "Asked again"})).ok()
        await expect(value_button(dialog, "Title: Asked again")).to_be_visible()
        await expect(field).to_be_focused()
        await field.press_sequentially("en")
        await expect(field).to_have_value("Green")
        await page.keyboard.press("Enter")
        await expect(field).to_have_count(0)
        await expect(dialog.get_by_role("article").filter(has_text="Green")).to_be_visible()


async def test_earlier_changes_are_shown_on_demand(browser: Browser, site: World) -> None:
    board = await site.board(title="History")
    one = await site.card(board, title="Number 0")
    for number in range(1, 125):
        (await site.sa.patch(f"/cards/{one['id']}", {"title": f"Number {number}"})).ok()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        entries = section(dialog, page, "History").get_by_role("listitem")
        earlier = section(dialog, page, "History").get_by_role("button", name=re.compile(r"^Show \d+ earlier changes$"))
        await expect(entries.first).to_contain_text("changed the title to “Number 124”")
        await intercept(page, "**/history?*", lambda route: route.abort())
        await earlier.click()
        await expect(page.get_by_role("alert").filter(has_text="The earlier changes did not load")).to_be_visible()
        await page.unroute("**/history?*")
        shown_before = await entries.count()
        await earlier.click()
        await expect(entries).not_to_have_count(shown_before)
        if await earlier.is_visible():
            await earlier.click()
        await expect(entries).to_have_count(125)
        await expect(earlier).to_be_hidden()
        await expect(entries.last).to_contain_text("created the card")


async def test_a_type_without_comments_and_files_has_no_place_for_them(browser: Browser, site: World) -> None:
    board = await site.board(title="Bare types")
    bare = await new_type(site, board, title="Bare", commentsEnabled=False, filesEnabled=False)
    (await site.sa.post(site.sa.org(f"/card-types/{bare}/fields"), {"name": "papers", "kind": "file"})).ok()
    one = await site.card(board, title="Bare", cardTypeId=bare)
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await expect(section(dialog, page, "papers")).to_be_visible()
        await expect(section(dialog, page, "papers").get_by_role("button", name="Add a file")).to_have_count(0)
        await expect(section(dialog, page, "Comments")).to_have_count(0)
        await drop_files(page, dialog.locator(".card-body"), ("a.txt", "one"))
        refusal = page.get_by_role("alert").filter(has_text="No file was added")
        await expect(refusal).to_contain_text("Cards of the type Bare take no files.")


async def test_a_member_without_rights_sees_no_empty_relations_and_adds_no_file(browser: Browser, site: World) -> None:
    board = await site.board(title="Few rights")
    one = await site.card(board, title="Only read")
    found = (await site.sa.get("/permissions")).ok()
    rights = {row["resource"]: row["actions"] for row in found if row["role"] == "Member"}
    async with visiting(browser, site, site.member) as page:
        try:
            await permit(site, "Member", "File", "read")
            await permit(site, "Member", "Relationship", "read")
            dialog = await open_card(page, board, one)
            await expect(section(dialog, page, "Relations")).to_be_hidden()
            await expect(dialog.get_by_role("button", name="Split…")).to_have_count(0)
            await expect(dialog.get_by_role("button", name="Add a file")).to_have_count(0)
            await drop_files(page, dialog.locator(".card-body"), ("a.txt", "one"))
            refusal = page.get_by_role("alert").filter(has_text="No file was added")
            await expect(refusal).to_contain_text("You don't have permission to add files.")
            other = await site.card(board, title="Other")
            relation = {"fromCardId": one["id"], "toCardId": other["id"], "kind": "blocks"}
            (await site.sa.post(site.sa.org("/relationships"), relation)).ok()
            await expect(section(dialog, page, "Relations")).to_contain_text(f"blocks {other['key']} Other")
            await expect(section(dialog, page, "Relations").get_by_role("button")).to_have_count(0)
        finally:
            for resource in ("File", "Relationship"):
                await permit(site, "Member", resource, *rights[resource])


async def test_what_sends_files_is_loaded_when_they_are_added_and_says_so_if_that_fails(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Sending files")
    await site.card(board, title="Files", assignedUserId=site.sa.id)
    picker = {"name": "picked.txt", "mimeType": "text/plain", "buffer": b"picked"}
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/my-cards")  # a board would have loaded it
        await page.get_by_role("link", name="Files", exact=True).click()
        dialog = page.get_by_role("dialog")
        files = section(dialog, page, "Attachments")
        await expect(files).to_be_visible()
        await intercept(page, "**/file-transfer.js", lambda route: route.abort())
        notice = page.get_by_role("alert").filter(has_text="A part of the page did not load")
        await drop_files(page, dialog.locator(".card-body"), ("a.txt", "one"))
        await expect(notice).to_be_visible()
        await notice.get_by_role("button", name="Dismiss").click()
        await dialog.get_by_label("Files for Attachments").set_input_files([picker])  # type: ignore[list-item]
        await expect(notice).to_be_visible()
        await page.unroute("**/file-transfer.js")
        await drop_files(page, dialog.locator(".card-body"), ("b.txt", "two"))
        await expect(files.locator("li button.link")).to_have_text("b.txt")


async def test_on_a_phone_the_summary_leads_to_the_properties(browser: Browser, site: World) -> None:
    board = await site.board(title="Summary")
    long = {"fieldId": board.field("description"), "value": "A paragraph.\n\n" * 60}
    one = await site.card(board, title="Long", priority="high", fieldValues=[long])
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        dialog = await open_card(page, board, one)
        priority = value_button(dialog, "Priority: high")
        await expect(priority).not_to_be_in_viewport()
        await dialog.get_by_role("button", name="high", exact=True).tap()
        await expect(priority).to_be_in_viewport()
        (await site.sa.patch(f"/cards/{one['id']}", {"priority": "low", "assignedUserId": site.member.id})).ok()
        await expect(dialog.locator(".summary-line")).to_have_text("Mo Member · low")


async def test_a_card_that_cannot_be_restored_says_why(browser: Browser, site: World) -> None:
    board = await site.board(title="Without its type")
    short_lived = await new_type(site, board, title="Short-lived")
    one = await site.card(board, title="Left over", cardTypeId=short_lived)
    (await site.sa.delete(f"/cards/{one['id']}")).ok()
    (await site.sa.delete(site.sa.org(f"/card-types/{short_lived}"))).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await page.get_by_role("button", name="Restore it from the archive").click()
        notice = page.get_by_role("alert").filter(has_text="It could not be restored")
        await expect(notice).to_contain_text(
            "The type of the card was deleted; the card can only be deleted permanently."
        )


async def test_a_card_that_is_gone_takes_no_keys_and_no_files(browser: Browser, site: World) -> None:
    board = await site.board(title="Gone")
    one = await site.card(board, title="Soon gone")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await expect(value_button(dialog, "Title: Soon gone")).to_be_visible()
        (await site.sa.delete(f"/cards/{one['id']}")).ok()
        await expect(dialog.get_by_role("heading", name="Card not found")).to_be_visible()
        await expect(dialog.get_by_role("button", name="Move to …")).to_be_hidden()
        await expect(dialog.locator(".breadcrumbs")).to_have_text(one["key"])
        for key in ("e", "l", "d", "a", "i", "m", "Shift+A", "Shift+E"):
            await page.keyboard.press(key)
        await drop_files(page, dialog.locator(".card-body"), ("a.txt", "one"))
        (await site.sa.patch(site.sa.org(f"/columns/{board.columns['Todo']}"), {"title": "To be done"})).ok()
        await page.wait_for_timeout(600)  # the board has changed, and draws nothing of the card
        await expect(dialog.get_by_role("heading", name="Card not found")).to_be_visible()
        await expect(dialog.get_by_role("textbox")).to_have_count(0)
        await expect(page.get_by_role("menu")).to_have_count(0)
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
