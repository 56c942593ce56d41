"""Values edited in place: from the first key to the response of the service, and after an error or a conflict."""

import asyncio
import re
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import Board, World
from .boards import middle
from .browser import intercept, visiting, watch_of
from .test_card import open_card
from .test_text_editor import put

pytestmark = pytest.mark.asyncio(loop_scope="session")
REFUSAL = {"error": {"code": "refused", "message": "The service has refused it.", "details": {}, "requestId": "req_1"}}


async def hold_edits(page: Page, one: dict[str, Any]) -> "asyncio.Queue[Route]":
    """Return a queue of the edits of a card that the page sends from now on; each waits until the test sends it on."""
    edits: asyncio.Queue[Route] = asyncio.Queue()
    await intercept(page, re.compile(rf"/cards/{one['id']}$"), edits.put)
    return edits


def count_edits(page: Page, one: dict[str, Any]) -> int:
    """Return how many edits of a card the page has sent."""
    return watch_of(page).requests.count(f"PATCH /cards/{one['id']}")


async def create_card(site: World, title: str, text: str) -> tuple[Board, dict[str, Any]]:
    """Create a board with a card that has a description."""
    board = await site.board(title=title)
    return board, await site.card(
        board, title="Card", fieldValues=[{"fieldId": board.field("description"), "value": text}]
    )


def problem(dialog: Locator) -> Locator:
    """Return the sentence beside a value that says what is wrong with it."""
    return dialog.locator(".editable").get_by_role("alert")


def value_button(dialog: Locator, name: str) -> Locator:
    """Return the button that shows a value and edits it."""
    return dialog.get_by_role("button", name=name, exact=True)


async def test_a_line_is_sent_once_and_announced_however_often_it_is_left(browser: Browser, site: World) -> None:
    board = await site.board(title="Sent once")
    one = await site.card(board, title="Before")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await value_button(dialog, "Title: Before").click()
        edits = await hold_edits(page, one)
        await page.keyboard.type(" and after")
        await page.keyboard.press("Enter")
        edit = await edits.get()
        await page.keyboard.press("Enter")
        await dialog.get_by_role("heading", name="History").click()
        await dialog.get_by_role("textbox", name="Comment").focus()
        await expect(dialog.get_by_role("textbox", name="Title")).to_have_value("Before and after")
        await edit.continue_()
        await expect(value_button(dialog, "Title: Before and after")).to_be_visible()
        await expect(page.get_by_role("status").filter(has_text="Title saved.")).to_have_count(1)
        await expect(dialog.get_by_role("textbox", name="Comment")).to_be_focused()
        assert count_edits(page, one) == 1
        # The Tab key saves too, and leads on.
        await page.unroute(re.compile(rf"/cards/{one['id']}$"))
        await value_button(dialog, "Title: Before and after").click()
        await dialog.get_by_role("textbox", name="Title").fill("Left by Tab")
        await page.keyboard.press("Tab")
        await expect(value_button(dialog, "Title: Left by Tab")).to_be_visible()
        # Nothing is sent if nothing was changed.
        await value_button(dialog, "Title: Left by Tab").click()
        await page.keyboard.press("Enter")
        await expect(value_button(dialog, "Title: Left by Tab")).to_be_focused()
        assert count_edits(page, one) == 2


async def test_escape_while_a_line_is_being_sent_shows_the_value_of_the_service_and_what_it_answers(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Cancelled")
    one = await site.card(board, title="First")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        edits = await hold_edits(page, one)
        for title, shown in (("Second", "First"), ("Third", "Second")):
            await value_button(dialog, f"Title: {shown}").click()
            await dialog.get_by_role("textbox", name="Title").fill(title)
            await page.keyboard.press("Enter")
            edit = await edits.get()
            await page.keyboard.press("Escape")
            await expect(value_button(dialog, f"Title: {shown}")).to_be_focused()
            if title == "Second":
                await edit.continue_()
                await expect(value_button(dialog, "Title: Second")).to_be_focused()
            else:
                await edit.fulfill(status=409, json=REFUSAL)
                await expect(problem(dialog)).to_have_text("The service has refused it.")
                # A change of somebody else draws the card again.
                (await site.member.patch(f"/cards/{one['id']}", {"priority": "high"})).ok()
                await expect(dialog.get_by_role("button", name="Priority: high")).to_be_visible()
                await expect(problem(dialog)).to_have_text("The service has refused it.")
                await value_button(dialog, "Title: Second").press("Enter")
                await page.keyboard.press("Escape")
                await expect(value_button(dialog, "Title: Second")).to_be_focused()
                await expect(problem(dialog)).to_have_count(0)


async def test_what_is_typed_while_a_value_is_being_sent_is_edited_on(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Typed meanwhile", "Text")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        edits = await hold_edits(page, one)
        title = dialog.get_by_role("textbox", name="Title")
        await value_button(dialog, "Title: Card").click()
        await title.fill("First")
        await page.keyboard.press("Enter")
        edit = await edits.get()
        await page.keyboard.type(" and second")
        await edit.continue_()
        await expect(page.get_by_role("status").filter(has_text="Title saved.")).to_have_count(1)
        await expect(title).to_have_value("First and second")
        await expect(title).to_be_focused()
        await page.keyboard.press("Enter")
        await (await edits.get()).continue_()
        await expect(value_button(dialog, "Title: First and second")).to_be_focused()
        # What was typed before the field was left is sent as well.
        await page.keyboard.press("Enter")
        await title.fill("Third")
        await page.keyboard.press("Enter")
        edit = await edits.get()
        await page.keyboard.type(" and fourth")
        await dialog.get_by_role("textbox", name="Comment").focus()
        await edit.continue_()
        await (await edits.get()).continue_()
        await expect(value_button(dialog, "Title: Third and fourth")).to_be_visible()
        await expect(dialog.get_by_role("textbox", name="Comment")).to_be_focused()
        # A text stays open, with what others have saved since then in a conflict.
        field = dialog.get_by_role("textbox", name="Description")
        await dialog.get_by_role("button", name="Edit Description").click()
        await field.fill("Longer")
        await page.keyboard.press("Control+Enter")
        edit = await edits.get()
        await page.keyboard.type(" text")
        await edit.continue_()
        await expect(page.get_by_role("status").filter(has_text="Description saved.")).to_have_count(1)
        await expect(field).to_have_value("Longer text")
        await page.reload()
        await dialog.get_by_role("button", name="Edit draft of Description").click()
        await expect(field).to_have_value("Longer text")
        await expect(dialog.get_by_role("region", name="Saved text")).to_have_count(0)
        await page.keyboard.press("Control+Enter")
        await (await edits.get()).continue_()
        await expect(dialog.get_by_role("group", name="Description")).to_have_text("Longer text")
        await expect(value_button(dialog, "Edit Description")).to_be_focused()


async def test_what_is_typed_while_a_value_is_refused_or_in_conflict_is_kept(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Typed before the answer", "- [ ] one")
    path, field_id = f"/cards/{one['id']}", board.field("description")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        edits = await hold_edits(page, one)
        field = dialog.get_by_role("textbox", name="Description")
        await dialog.get_by_role("button", name="Edit Description").click()
        await field.fill("- [ ] one\nFirst")
        await page.keyboard.press("Control+Enter")
        edit = await edits.get()
        await page.keyboard.type(" line")
        await edit.fulfill(status=409, json=REFUSAL)
        await expect(problem(dialog)).to_have_text("The service has refused it.")
        await expect(field).to_have_value("- [ ] one\nFirst line")
        # A tick of somebody else is taken over, and a change is shown beside all that was typed.
        await page.keyboard.press("Control+Enter")
        edit = await edits.get()
        await page.keyboard.press("Control+End")
        await page.keyboard.type(", longer")
        ticked = {"fieldId": field_id, "item": 0, "text": "one", "done": True}
        (await site.member.patch(f"{path}/checklist", ticked)).ok()
        await edit.continue_()
        edit = await edits.get()
        assert edit.request.post_data_json["fieldValues"][0]["value"] == "- [x] one\nFirst line, longer"
        await page.keyboard.type(" still")
        await edit.continue_()
        await expect(page.get_by_role("status").filter(has_text="Description saved.")).to_have_count(1)
        await expect(field).to_have_value("- [ ] one\nFirst line, longer still")
        await page.keyboard.press("Control+Enter")
        edit = await edits.get()
        assert edit.request.post_data_json["fieldValues"][0]["value"] == "- [x] one\nFirst line, longer still"
        await page.keyboard.type("!")
        theirs = {"fieldValues": [{"fieldId": field_id, "value": "Theirs"}]}
        (await site.member.patch(path, theirs)).ok()
        await edit.continue_()
        await expect(dialog.locator(".conflict .side").first).to_have_text("Mine- [ ] one\nFirst line, longer still!")


async def test_what_is_edited_again_while_it_is_being_sent_is_not_lost(browser: Browser, site: World) -> None:
    board = await site.board(title="Edited again")
    one = await site.card(board, title="Zero")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        edits = await hold_edits(page, one)
        title = dialog.get_by_role("textbox", name="Title")
        for answer in ("accepted", "refused"):
            await dialog.get_by_role("button", name="Title: ").click()
            await title.fill(f"To be {answer}")
            await page.keyboard.press("Enter")
            edit = await edits.get()
            await page.keyboard.press("Escape")
            await page.keyboard.press("Enter")
            await title.fill("Edited again")
            await (edit.continue_() if answer == "accepted" else edit.fulfill(status=409, json=REFUSAL))
            if answer == "accepted":
                await expect(dialog).to_have_accessible_name(f"{one['key']} To be accepted")
            else:
                await expect(problem(dialog)).to_have_text("The service has refused it.")
            await expect(title).to_have_value("Edited again")
            await expect(title).to_be_focused()
            await page.keyboard.press("Escape")
            await expect(value_button(dialog, "Title: To be accepted")).to_be_focused()


async def test_a_refused_line_is_edited_on_beside_the_reason_and_not_sent_again_by_itself(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Refused line")
    one = await site.card(board, title="Line")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field = dialog.get_by_role("textbox", name="Title")
        await value_button(dialog, "Title: Line").click()
        edits = await hold_edits(page, one)
        await field.fill("Another line")
        await page.keyboard.press("Enter")
        await (await edits.get()).fulfill(status=409, json=REFUSAL)
        await expect(problem(dialog)).to_have_text("The service has refused it.")
        await expect(field).to_be_focused()
        await expect(field).to_have_value("Another line")
        await page.wait_for_timeout(200)  # leaving the field that was removed would send it again
        assert count_edits(page, one) == 1
        await field.fill("One more line")
        await page.keyboard.press("Enter")
        await (await edits.get()).continue_()
        await expect(value_button(dialog, "Title: One more line")).to_be_focused()
        await expect(problem(dialog)).to_have_count(0)


async def test_a_refused_choice_says_why_below_the_value(browser: Browser, site: World) -> None:
    board = await site.board(title="Refused choice")
    ready = await site.field(board, "ready", "checkbox", label="Ready")
    one = await site.card(board, title="Chosen")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        edits = await hold_edits(page, one)
        properties = dialog.locator("dl > div")
        for label, shown, choice in (("Priority", "none", "high"), ("Ready", "☐ no", None)):
            value = dialog.get_by_role("button", name=f"{label}: ")
            await value.click()
            if choice:
                await page.get_by_role("menuitemradio", name=choice).click()
            await (await edits.get()).fulfill(status=409, json=REFUSAL)
            row = properties.filter(has=page.get_by_text(label, exact=True))
            await expect(row.get_by_role("alert")).to_have_text("The service has refused it.")
            await expect(value).to_have_accessible_name(re.compile(f"^{label}: {shown}$", re.IGNORECASE))
        await dialog.get_by_role("button", name="Ready: ").click()
        await (await edits.get()).continue_()
        await expect(value_button(dialog, "Ready: ☑ yes")).to_be_visible()
    values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
    assert [(value["fieldId"], value["value"]) for value in values] == [(ready, "true")]


async def test_a_choice_shows_both_values_if_somebody_chose_another_one_in_the_meantime(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Chosen twice")
    one = await site.card(board, title="Chosen")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        value, sides = dialog.get_by_role("button", name="Priority: "), dialog.locator(".conflict .side")
        for theirs, mine, answer, kept in (
            ("low", "high", "Keep mine", "high"),
            ("urgent", "none", "Take theirs", "urgent"),
        ):
            await value.click()
            await expect(page.get_by_role("menu", name="Priority")).to_be_visible()
            (await site.member.patch(f"/cards/{one['id']}", {"priority": theirs})).ok()
            await expect(dialog.get_by_text(f"changed the priority to {theirs}")).to_be_visible()
            await page.get_by_role("menuitemradio", name=mine).click()
            await expect(problem(dialog)).to_have_text("Somebody changed Priority while you were writing.")
            await expect(sides).to_have_text([f"Mine{mine}", f"Theirs{theirs}"])
            await dialog.get_by_role("button", name=answer).press("Enter")
            await expect(value).to_have_accessible_name(f"Priority: {kept}")
            await expect(value).to_be_focused()
            assert (await site.sa.get(f"/cards/{one['id']}")).ok()["priority"] == kept


async def test_a_conflict_stays_while_the_card_changes_and_its_draft_until_it_is_decided(
    browser: Browser, site: World
) -> None:
    board, one = await create_card(site, "Undecided", "Begin")
    path, field_id = f"/cards/{one['id']}", board.field("description")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field, alert = dialog.get_by_role("textbox", name="Description"), problem(dialog)
        await dialog.get_by_role("button", name="Edit Description").click()
        await field.fill("Mine")
        (await site.member.patch(path, {"fieldValues": [{"fieldId": field_id, "value": "Theirs"}]})).ok()
        await expect(dialog.get_by_text("changed “Description” to “Theirs”")).to_be_visible()
        await page.keyboard.press("Control+Enter")
        await expect(alert).to_have_text("Somebody changed Description while you were writing.")
        (await site.member.patch(path, {"title": "Changed"})).ok()
        await expect(value_button(dialog, "Title: Changed")).to_be_visible()
        await expect(alert).to_be_visible()
        # A value that is refused after the decision is edited on.
        edits = await hold_edits(page, one)
        await dialog.get_by_role("button", name="Keep mine").click()
        await (await edits.get()).fulfill(status=409, json=REFUSAL)
        await expect(alert.filter(has_text="The service has refused it.")).to_be_visible()
        await expect(field).to_have_value("Mine")
        await page.reload()
        await dialog.get_by_role("button", name="Edit draft of Description").click()
        await expect(field).to_have_value("Mine")
        await expect(dialog.get_by_role("region", name="Saved text")).to_have_text("Theirs")
        await page.keyboard.press("Control+Enter")
        await (await edits.get()).continue_()
        await expect(dialog.get_by_role("group", name="Description")).to_have_text("Mine")
        await expect(value_button(dialog, "Edit Description")).to_be_visible()


async def test_a_conflict_that_cannot_be_shown_yet_keeps_what_was_written(browser: Browser, site: World) -> None:
    board = await site.board(title="Not loaded")
    one = await site.card(board, title="Begin")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await value_button(dialog, "Title: Begin").click()
        field = dialog.get_by_role("textbox", name="Title")
        await field.fill("Mine")
        (await site.member.patch(f"/cards/{one['id']}", {"title": "Theirs"})).ok()
        await expect(dialog).to_have_accessible_name(f"{one['key']} Theirs")
        await intercept(page, "**/edit-conflict.js", lambda route: route.abort())
        await page.keyboard.press("Enter")
        await expect(problem(dialog)).to_have_text("Somebody changed the same thing meanwhile.")
        await expect(field).to_have_value("Mine")
        await page.unroute("**/edit-conflict.js")
        await page.keyboard.press("Enter")
        await expect(dialog.locator(".conflict .side")).to_have_text(["MineMine", "TheirsTheirs"])
        await dialog.get_by_role("button", name="Keep mine").click()
        await expect(value_button(dialog, "Title: Mine")).to_be_focused()


async def test_a_menu_stays_open_while_the_card_changes_and_returns_the_focus_to_its_value(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Open menu")
    one = await site.card(board, title="Before")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Priority: ").click()
        menu = page.get_by_role("menu", name="Priority")
        await expect(menu).to_be_visible()
        (await site.member.patch(f"/cards/{one['id']}", {"title": "After", "priority": "low"})).ok()
        await expect(value_button(dialog, "Title: After")).to_be_visible()
        await expect(menu).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(value_button(dialog, "Priority: low")).to_be_focused()


async def test_a_text_is_edited_by_a_click_or_enter_but_not_by_its_links_or_a_selection(
    browser: Browser, site: World
) -> None:
    board, one = await create_card(
        site, "Clicks in a text", "Read the [list](https://example.test/list) and this long sentence"
    )
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        text, field = dialog.get_by_role("group", name="Description"), dialog.get_by_role("textbox", name="Description")
        begin = (await text.get_by_role("paragraph").bounding_box() or {})["x"] + 2
        _, y = await middle(text.get_by_role("paragraph"))
        await page.mouse.move(begin, y)
        await page.mouse.down()
        await page.mouse.move(begin + 60, y, steps=4)
        await page.mouse.up()
        assert await page.evaluate("() => getSelection().toString()") != ""
        await text.evaluate("(text) => text.addEventListener('click', (event) => event.preventDefault())")  # stay here
        await text.get_by_role("link", name="list").click()
        await expect(field).to_have_count(0)
        await text.focus()
        await page.keyboard.press("Enter")
        await expect(field).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(value_button(dialog, "Edit Description")).to_be_focused()
        await page.mouse.click(begin, y)
        await expect(field).to_be_focused()


async def test_two_clicks_while_an_input_is_loaded_open_it_once(browser: Browser, site: World) -> None:
    board = await site.board(title="Loaded late")
    one = await site.card(board, title="Due soon")
    requested = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await requested.wait()
        await route.continue_()

    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await intercept(page, "**/inputs/due-date.js", answer_late)
        due = dialog.get_by_role("button", name="Due: ")
        await due.click()
        await due.click()
        await page.keyboard.type("2031-05-0")  # kept for the field
        requested.set()
        await expect(dialog.get_by_role("textbox", name="Due")).to_have_value("2031-05-0")
        await page.keyboard.type("4")
        await page.keyboard.press("Enter")
        await expect(value_button(dialog, "Due: May 4, 2031")).to_be_focused()
        assert count_edits(page, one) == 1


async def test_a_text_whose_pictures_are_still_being_uploaded_is_not_sent_after_escape(
    browser: Browser, site: World
) -> None:
    board, one = await create_card(site, "Cancelled upload", "Text")
    uploads: asyncio.Queue[Route] = asyncio.Queue()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field = dialog.get_by_role("textbox", name="Description")
        await dialog.get_by_role("button", name="Edit Description").click()
        await expect(dialog.get_by_role("toolbar")).to_be_visible()
        await intercept(page, "**/api/v1/files", uploads.put)
        await put("paste", field, "late.png")
        upload = await uploads.get()
        await page.keyboard.press("Control+Enter")
        await expect(field).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(dialog.get_by_role("button", name="Edit draft of Description")).to_be_focused()
        async with page.expect_response("**/api/v1/files"):
            await upload.continue_()
        await expect(dialog.locator(".file-field").get_by_role("button", name="late.png", exact=True)).to_be_visible()
        assert count_edits(page, one) == 0


async def test_a_list_of_texts_is_edited_as_chips_and_cancelled_by_escape(browser: Browser, site: World) -> None:
    board = await site.board(title="Chips")
    field_id = await site.field(board, "places", "multiselect", label="Places")
    one = await site.card(board, title="Travels")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        for ending, shown in (("Escape", "\u2013"), ("Control+Enter", "Bern, Basel")):
            await dialog.get_by_role("button", name="Places: ").click()
            for place in ("Bern", "Basel"):
                await page.keyboard.type(place)
                await page.keyboard.press("Enter")
            await page.keyboard.press(ending)
            await expect(value_button(dialog, f"Places: {shown}")).to_be_focused()
    values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
    assert [(value["fieldId"], value["value"]) for value in values] == [(field_id, ["Bern", "Basel"])]
