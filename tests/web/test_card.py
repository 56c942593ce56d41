"""The card dialog: everything of a card, edited in place, live, with conflicts shown instead of overwritten."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from ..world import Board, World
from .axe import findings_in_both_themes
from .boards import card, column, drop_files, visit_board
from .browser import PHONE, intercept, until, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_card(page: Page, board: Board, one: dict[str, Any]) -> Locator:
    """Open a card by its address and return its dialog."""
    await page.goto(f"/b/{board.id}/c/{one['key']}")
    dialog = page.get_by_role("dialog", name=one["key"])
    await expect(dialog).to_be_visible()
    return dialog


async def test_a_click_opens_a_card_its_key_stands_in_the_address_and_focus_comes_back(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Opening")
    one = await site.card(board, title="Open me")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Open me").click()
        dialog = page.get_by_role("dialog", name=f"{one['key']} Open me")
        await expect(dialog).to_be_visible()
        await expect(page).to_have_url(f"{site.url}/b/{board.id}/c/{one['key']}")
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        await expect(page).to_have_url(f"{site.url}/b/{board.id}")
        await expect(card(page, "Open me").get_by_role("link")).to_be_focused()
        await page.go_back()
        await expect(dialog).to_be_visible()
        await page.go_back()
        await expect(dialog).to_have_count(0)
        # By its former key in small letters and by its id too.
        for name in (one["key"].lower(), one["id"]):
            await page.goto(f"/b/{board.id}/c/{name}")
            await expect(page.get_by_role("dialog", name=f"{one['key']} Open me")).to_be_visible()


async def test_a_person_ends_the_claim_of_an_agent_where_it_is_shown(browser: Browser, site: World) -> None:
    board = await site.board(title="Claims")
    one, bot = await site.card(board, title="Stuck"), await site.agent("stuck-bot")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        end = dialog.get_by_role("button", name="End claim")
        await expect(dialog.get_by_text("No one", exact=True)).to_be_visible()
        await expect(end).to_be_hidden()
        (await bot.post(f"/cards/{one['id']}/claim/mcp")).ok()
        await end.focus()
        await page.wait_for_timeout(1500)  # the time left is drawn each second, and must not take the focus
        await expect(end).to_be_focused()
        await page.keyboard.press("Enter")
        asked = page.get_by_role("dialog", name="End the claim of stuck-bot?")
        await asked.get_by_role("button", name="End claim").click()
        await expect(end).to_be_hidden()
        await expect(dialog.get_by_text("No one", exact=True)).to_be_visible()
        await expect(dialog.get_by_text("ended the claim of stuck-bot")).to_be_visible()
        assert (await site.sa.get(f"/cards/{one['id']}")).ok()["claim"] is None


async def test_title_and_properties_are_edited_in_place(browser: Browser, site: World) -> None:
    board = await site.board(title="Editing")
    one = await site.card(board, title="Old title")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Title: Old title").click()
        await dialog.get_by_role("textbox", name="Title").fill("Abandoned")
        await page.keyboard.press("Escape")
        await expect(dialog.get_by_role("button", name="Title: Old title")).to_be_focused()
        await page.keyboard.press("Enter")
        await dialog.get_by_role("textbox", name="Title").fill("New title")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Title: New title")).to_be_visible()
        await dialog.get_by_role("button", name="Title: New title").click()
        await dialog.get_by_role("textbox", name="Title").fill(" ")
        await page.keyboard.press("Enter")  # no title is no change, as on the board
        await expect(dialog.get_by_role("button", name="Title: New title")).to_be_focused()
        for label, choice in (("Priority", "high"), ("Assignee", "Mo Member")):
            await dialog.get_by_role("button", name=f"{label}: ").click()
            await page.get_by_role("menuitemradio", name=choice).click()
            await expect(dialog.get_by_role("button", name=f"{label}: ")).to_contain_text(choice)
        await dialog.get_by_role("button", name="Due: ").click()
        await dialog.get_by_label("Due", exact=True).fill("2027-05-04")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Due: May 4, 2027")).to_be_visible()
        await expect(dialog.get_by_text("Ada Architect changed the title to “New title”")).to_be_visible()
        await expect(card(page, "New title")).to_contain_text("high")
    now = (await site.sa.get(f"/cards/{one['id']}")).ok()
    assert (now["title"], now["priority"], now["assignedUserId"]) == ("New title", "high", site.member.id)
    assert now["dueDate"].startswith("2027-05-04")


KINDS = {
    "text": ("plain words", "plain words"),
    "number": ("12.50", "12.50"),
    "url": ("https://example.test/a", "https://example.test/a"),
    "date": ("2027-01-02", "2027-01-02"),
    "select": ("M", "M"),
    "multiselect": (["S", "L"], ["S", "L"]),
    "checkbox": (None, "true"),
    "user": ("Mo Member", None),
    "richtext": ("Some **bold** words", "Some **bold** words"),
}


async def test_a_field_is_edited_by_its_kind(browser: Browser, site: World) -> None:
    board = await site.board(title="Kinds")
    ids = {}
    for kind in KINDS:
        options = {"options": ["S", "M", "L"]} if "select" in kind else {}
        ids[kind] = await site.field(board, f"own_{kind}", kind, label=f"My {kind}", **options)
    one = await site.card(board, title="Of each kind")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        for kind in KINDS:
            await edit_field(page, dialog, kind)
            told = {"user": " to Mo Member", "date": " to Jan 2, 2027", "number": " to 12.50"}.get(kind, "")
            await expect(dialog.get_by_text(f"“My {kind}”{told}")).to_be_visible()
    values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
    kept = {value["fieldId"]: value["value"] for value in values}
    assert {kind: kept.get(ids[kind]) for kind in KINDS} == {
        kind: wanted or site.member.id for kind, (_, wanted) in KINDS.items()
    }


async def edit_field(page: Page, dialog: Locator, kind: str) -> None:
    """Give a field of a kind its value as a person does."""
    label, typed = f"My {kind}", KINDS[kind][0]
    if kind == "richtext":
        await dialog.get_by_role("button", name=f"Write {label}").click()
    else:
        await dialog.get_by_role("button", name=f"{label}: ").click()
    if kind in ("select", "user"):
        await page.get_by_role("menuitemradio", name=str(typed)).click()
    elif kind == "multiselect":
        for value in typed or []:
            await dialog.get_by_role("checkbox", name=value, exact=True).check()
        await dialog.get_by_role("button", name="Save").click()
    elif kind == "richtext":
        await dialog.get_by_role("textbox", name=label).fill(str(typed))
        await page.keyboard.press("Control+Enter")
        await expect(dialog.locator("strong", has_text="bold")).to_be_visible()
    elif kind != "checkbox":
        await dialog.get_by_label(label, exact=True).fill(str(typed))
        await page.keyboard.press("Enter")


async def test_a_text_that_is_opened_and_left_keeps_its_lines_and_blanks(browser: Browser, site: World) -> None:
    """Agents and imports write what an input of one line cannot show."""
    board = await site.board(title="Kept as it is")
    fields = [await site.field(board, "log", "text", label="Log"), board.field("description")]
    texts = ["first\n second \n", "Steps\r\n\r\n- [ ] one \r\n"]
    values = [{"fieldId": field, "value": text} for field, text in zip(fields, texts, strict=True)]
    one = await site.card(board, title="From a tool", fieldValues=values)
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Log: ").click()
        await expect(dialog.get_by_role("textbox", name="Log")).to_have_value(texts[0])
        await dialog.get_by_role("heading", name="History").click()  # leaving saves
        await dialog.get_by_role("button", name="Edit Description").click()
        await page.keyboard.press("Control+Enter")
        await expect(dialog.get_by_role("textbox", name="Description")).to_have_count(0)
        await dialog.get_by_role("button", name="Log: ").click()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("third")
        await page.keyboard.press("Enter")  # a line more
        await page.keyboard.press("Control+Enter")
        await expect(dialog.get_by_text("changed “Log”")).to_have_count(1)
    now = (await site.sa.get(f"/cards/{one['id']}")).ok()
    assert now["version"] == 2
    assert [value["value"] for value in now["fieldValues"]] == [texts[1], "first\n second \nthird"]


async def test_a_value_that_is_refused_stays_in_the_field_with_the_reason(browser: Browser, site: World) -> None:
    board = await site.board(title="Wrong value")
    one = await site.card(board, title="Wrong")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Pull request: ").first.click()
        await dialog.get_by_label("Pull request", exact=True).fill("not an address")
        await page.keyboard.press("Enter")
        await expect(dialog.locator(".editing")).to_contain_text("absolute http or https address")
        await page.keyboard.press("Escape")
        await expect(dialog.get_by_role("button", name="Pull request: \u2013").first).to_be_visible()


async def test_two_who_edit_one_field_see_both_texts_and_choose(browser: Browser, site: World) -> None:
    board = await site.board(title="Conflict")
    description = board.field("description")
    one = await site.card(board, title="Both", fieldValues=[{"fieldId": description, "value": "First"}])
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Edit Description").click()
        field = dialog.get_by_role("textbox", name="Description")
        await field.fill("Mine")
        # Another field, then the same one; what is being typed stays as it is.
        await site.member.patch(f"/cards/{one['id']}", {"title": "Renamed meanwhile"})
        await expect(dialog.get_by_role("button", name="Title: Renamed meanwhile")).to_be_visible()
        await expect(field).to_have_value("Mine")
        values = {"fieldValues": [{"fieldId": description, "value": "Theirs"}]}
        (await site.member.patch(f"/cards/{one['id']}", values)).ok()
        await expect(dialog.get_by_text("Mo Member changed “Description”")).to_be_visible()
        await expect(field).to_have_value("Mine")
        await page.keyboard.press("Control+Enter")
        await expect(dialog.locator(".conflict")).to_contain_text("Somebody changed Description")
        await expect(dialog.locator(".sides")).to_contain_text("Theirs")
        await dialog.get_by_role("button", name="Keep mine").click()
        await expect(dialog.locator(".conflict")).to_have_count(0)
    now = (await site.sa.get(f"/cards/{one['id']}")).ok()
    assert [value["value"] for value in now["fieldValues"]] == ["Mine"]
    assert now["title"] == "Renamed meanwhile"


async def test_a_change_of_another_field_does_not_stand_in_the_way(browser: Browser, site: World) -> None:
    board = await site.board(title="Other field")
    one = await site.card(board, title="Calm")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Title: ").click()
        await dialog.get_by_role("textbox", name="Title").fill("Mine")
        await intercept(page, "**/events*", lambda route: route.abort())
        await site.member.patch(f"/cards/{one['id']}", {"priority": "urgent"})
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Title: Mine")).to_be_visible()
    now = (await site.sa.get(f"/cards/{one['id']}")).ok()
    assert (now["title"], now["priority"]) == ("Mine", "urgent")


async def test_comments_and_replies_come_live_and_a_draft_is_kept(browser: Browser, site: World) -> None:
    board = await site.board(title="Talk")
    one = await site.card(board, title="Talk about it")
    for number in range(23):
        await site.member.post(f"/cards/{one['id']}/comments", {"content": f"Comment {number}"})
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await expect(dialog.get_by_text("Comment 22")).to_be_visible()
        await dialog.get_by_label("Comment", exact=True).fill("Half a thou")
        await page.reload()
        field = dialog.get_by_label("Comment", exact=True)
        await expect(field).to_have_value("Half a thou")
        await field.fill("A **whole** thought")
        sent = asyncio.Event()

        async def wait(route: Route) -> None:
            await sent.wait()
            await route.continue_()

        await intercept(page, "**/comments", wait)
        await page.keyboard.press("Control+Enter")
        await page.keyboard.type(" Next")  # while the comment is being sent
        sent.set()
        await expect(dialog.locator(".comment strong", has_text="whole")).to_be_visible()
        await expect(field).to_have_value("Next")
        await expect(dialog.get_by_text("Draft from")).to_be_visible()
        await page.unroute("**/comments")
        await field.fill("")
        (await site.member.post(f"/cards/{one['id']}/comments", {"content": "From elsewhere"})).ok()
        await expect(dialog.get_by_text("From elsewhere")).to_be_visible()
        await dialog.get_by_role("button", name="Reply").last.click()
        await dialog.get_by_label("Reply", exact=True).fill("An answer")
        await page.keyboard.press("Control+Enter")
        await expect(dialog.get_by_text("An answer")).to_be_visible()
    comments = (await site.sa.get(f"/cards/{one['id']}/comments", params={"pageSize": 100})).ok()["items"]
    assert [reply["content"] for reply in comments[-1]["replies"]] == ["An answer"]


async def test_earlier_comments_are_shown_on_demand(browser: Browser, site: World) -> None:
    board = await site.board(title="Earlier")
    one = await site.card(board, title="Long talk")
    for number in range(45):
        await site.member.post(f"/cards/{one['id']}/comments", {"content": f"Number {number:02}"})
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await expect(dialog.get_by_text("Number 44")).to_be_visible()
        await expect(dialog.get_by_text("Number 00")).to_have_count(0)
        earlier = dialog.get_by_role("button", name="Show 25 earlier comments", exact=True)
        await intercept(page, "**/comments?*", lambda route: route.abort())
        await earlier.click()
        await expect(page.get_by_role("alert").filter(has_text="The earlier comments did not load")).to_be_visible()
        await page.unroute("**/comments?*")
        await earlier.click()
        await expect(dialog.get_by_text("Number 00")).to_be_visible()
        # A draft of a reply to an earlier comment is announced, and a link to a comment shows it.
        first = dialog.get_by_role("listitem").filter(has_text="Number 01")
        await first.get_by_role("button", name="Reply").click()
        await first.get_by_label("Reply", exact=True).fill("Half a reply")
        address = await first.get_by_role("link").get_attribute("href")
        await page.reload()
        await expect(dialog.get_by_role("button", name="Show 25 earlier comments and your draft")).to_be_visible()
        await page.goto("/")
        await page.goto(f"{address}")
        await expect(first.get_by_role("article")).to_be_focused()
        await expect(first.get_by_role("article")).to_be_in_viewport()
        await expect(first.get_by_label("Reply", exact=True)).to_have_value("Half a reply")


async def test_a_long_thread_shows_its_later_replies_on_demand_and_one_s_own_at_once(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Long thread")
    one = await site.card(board, title="Discussed")
    first = (await site.member.post(f"/cards/{one['id']}/comments", {"content": "Begin"})).ok()
    replies = f"/cards/{one['id']}/comments/{first['id']}/replies"
    for number in range(102):
        (await site.member.post(replies, {"content": f"Answer {number:03}"})).ok()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        more = dialog.get_by_role("button", name="Show 2 later replies")
        await expect(more).to_be_visible()
        await intercept(page, "**/replies?*", lambda route: route.abort())
        await more.click()
        await expect(page.get_by_role("alert").filter(has_text="The later replies did not load")).to_be_visible()
        await page.unroute("**/replies?*")
        await more.click()
        await expect(dialog.get_by_role("article").last).to_contain_text("Answer 101")
        await page.reload()
        await dialog.get_by_role("button", name="Reply").click()
        await dialog.get_by_label("Reply", exact=True).fill("My own")
        await page.keyboard.press("Control+Enter")
        await expect(dialog.get_by_role("article").last).to_contain_text("My own")
        await expect(dialog.get_by_role("article")).to_have_count(104)


async def test_comments_and_history_that_came_with_an_import_are_marked(browser: Browser, site: World) -> None:
    board = await site.board(title="Imported")
    one = await site.card(board, title="Came along")
    (await site.sa.post(f"/cards/{one['id']}/comments", {"content": "Written here"})).ok()
    row = {"cardId": one["id"], "actor": {"type": "User", "id": "someone", "label": "Someone"}}
    organization = (await site.sa.get(site.sa.org())).ok()
    snapshot = {
        "meta": {"product": "Tandem"},
        "organization": {key: organization[key] for key in ("id", "title", "color")},
        "comments": [{**row, "id": "imported_comment", "content": "Written elsewhere"}],
        "history": [{**row, "id": "imported_row", "action": "updated", "changes": {"title": {"from": "A", "to": "B"}}}],
    }
    (await site.sa.post("/admin/import", snapshot)).ok()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        comments = dialog.locator("article.comment")
        marked = comments.filter(has_text="Written elsewhere").get_by_text("imported", exact=True)
        await expect(marked).to_have_attribute("title", "This came with an import. It was not recorded by this server.")
        await expect(comments.filter(has_text="Written here").get_by_text("imported", exact=True)).to_have_count(0)
        entry = dialog.get_by_role("listitem").filter(has_text="changed the title to “B”")
        await expect(entry.get_by_text("imported", exact=True)).to_be_visible()
        await expect(entry.get_by_role("button")).to_have_count(0)


async def test_files_are_added_and_saved_under_their_own_names(browser: Browser, site: World, tmp_path: Path) -> None:
    board = await site.board(title="Files")
    one = await site.card(board, title="With files")
    name = '<img src=x onerror="alert(1)"> \u202efdp.exe'
    (tmp_path / "plain").write_bytes(b"some bytes")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        payload = {"name": name, "mimeType": "text/html", "buffer": b"<script>alert(1)</script>"}
        await dialog.get_by_label("Files for ").first.set_input_files([payload])  # type: ignore[list-item]
        saves = dialog.locator(".files button.link")
        await expect(saves).to_contain_text("<img src=x")
        async with page.expect_download() as download:
            await saves.click()
        path = await (await download.value).path()
        assert path.read_bytes() == b"<script>alert(1)</script>"
        await dialog.get_by_role("button", name="Remove <img src=x").click()
        await expect(page.get_by_text("It is deleted permanently. This cannot be undone.")).to_be_visible()
        await page.get_by_role("button", name="Remove", exact=True).click()
        await expect(dialog.locator(".files").first).to_have_text("None")
    assert (await site.sa.get(f"/files/card/{one['id']}")).ok() == []


async def test_the_dialog_moves_the_card_and_a_missing_field_leads_to_it(browser: Browser, site: World) -> None:
    board = await site.board(title="Move here")
    await site.column(board, "In Progress", requiredFieldIds=[board.field("pull_request")])
    one = await site.card(board, title="Move in dialog")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        way = dialog.get_by_role("button", name="In Progress")
        await expect(way).to_contain_text("Fill in first: Pull request.")
        await way.focus()
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Pull request: ").first).to_be_focused()
        await page.keyboard.press("Enter")
        await page.keyboard.type("https://example.test/1")
        await page.keyboard.press("Enter")
        await expect(way).not_to_contain_text("Fill in")
        await way.click()
        await expect(dialog.locator(".breadcrumbs")).to_contain_text("In Progress")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)


async def test_a_card_is_archived_with_undo_and_one_that_is_gone_says_so(browser: Browser, site: World) -> None:
    board = await site.board(title="Gone")
    one = await site.card(board, title="Come back")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Archive").click()
        await expect(dialog).to_have_count(0)
        await page.get_by_role("button", name="Undo").click()
        await expect(card(page, "Come back")).to_be_visible()
        await card(page, "Come back").click()
        await expect(dialog).to_be_visible()
        (await site.member.get(f"/cards/{one['id']}")).ok()
        (await site.sa.delete(f"/cards/{one['id']}")).ok()
        await expect(page.get_by_role("heading", name="Card not found")).to_be_visible()
        await page.get_by_role("button", name="Restore it").click()
        await expect(dialog.get_by_role("button", name="Title: Come back")).to_be_visible()


async def test_a_card_that_is_missing_says_so_and_leads_back_to_the_board(browser: Browser, site: World) -> None:
    board = await site.board(title="Missing")
    removed, archived = await site.card(board, title="Removed"), await site.card(board, title="Archived")
    foreign = await site.card(await site.board(site.outsider), by=site.outsider)
    (await site.sa.delete(f"/cards/{removed['id']}", params={"mode": "permanent"})).ok()
    (await site.sa.delete(f"/cards/{archived['id']}")).ok()
    async with visiting(browser, site, site.sa) as page:
        for name in (removed["id"], removed["key"], foreign["id"], "MIS-999", archived["key"]):
            await page.goto(f"/b/{board.id}/c/{name}")
            dialog = page.get_by_role("dialog")
            await expect(dialog.get_by_role("heading", name="Card not found")).to_be_visible()
            await expect(dialog.get_by_text("Loading")).to_have_count(0)
            await expect(dialog.get_by_role("button", name="Move to")).to_be_hidden()
            restorable = 1 if name == archived["key"] else 0
            await expect(dialog.get_by_role("button", name="Restore it")).to_have_count(restorable)
            await dialog.get_by_role("button", name="Close").last.click()
            await expect(dialog).to_have_count(0)
            await expect(page.get_by_role("heading", name="Missing")).to_be_visible()


async def test_when_the_token_ends_what_was_typed_is_kept(browser: Browser, site: World) -> None:
    from .test_signin import sign_in

    board = await site.board(title="Ended")
    one = await site.card(board, title="Typing")
    fresh = await site.login("sa@example.test")
    async with visiting(browser, site, fresh) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_label("Comment", exact=True).fill("Nearly done")

        async def end(route: Route) -> None:
            error = {"code": "token_expired", "message": "Sign in again.", "details": {}, "requestId": "req_1"}
            await route.fulfill(status=401, json={"error": error})

        await intercept(page, "**/comments", end)
        await page.keyboard.press("Control+Enter")
        await expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
        await page.unroute("**/comments")
        await sign_in(page)
        await expect(page.get_by_role("dialog", name="Sign in")).to_have_count(0)
        await expect(dialog.get_by_label("Comment", exact=True)).to_have_value("Nearly done")


async def test_a_file_on_its_way_tells_how_far_it_is_and_its_name_stays_a_text(
    browser: Browser, site: World, tmp_path: Path
) -> None:
    board = await site.board(title="On its way")
    one = await site.card(board, title="Takes a large file")
    name = "<img src=x onerror=document.title='run'>\u202egpj.exe"
    (tmp_path / name).write_bytes(b"x" * 3_000_000)
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        network = await page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 2_000_000}
        await network.send("Network.emulateNetworkConditions", slow)
        await dialog.get_by_label("Files for Attachments").set_input_files(tmp_path / name)
        bar = dialog.get_by_role("progressbar")
        await expect(bar).to_be_visible()
        share = (
            "() => { const bar = document.querySelector('progress'); return bar && bar.value > 0 && bar.value < 1; }"
        )
        await until(page, share)
        await expect(bar).to_have_count(0, timeout=15_000)
        await expect(dialog.locator(".files li")).to_contain_text("<img src=x onerror=document.title='run'>")
        await expect(dialog.locator(".files li")).to_contain_text("2.9 MiB")
        assert "run" not in await page.title()


# Lets a file fall beside every place that takes one, and tells whether the browser would open it.
MISSED = """() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["x"], "x.txt"));
    return document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


async def test_files_fall_on_a_card_several_at_once_and_each_refusal_is_a_sentence(
    browser: Browser, site: World, axe: str
) -> None:
    board = await site.board(title="Drops")
    types = site.sa.org(f"/card-types/{board.card_type['id']}/fields")
    (await site.sa.post(types, {"name": "cover", "label": "Cover", "kind": "file"})).ok()
    one = await site.card(board, title="Takes files")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await drop_files(page, dialog.locator(".card-body"), ("a.txt", "one"), ("b.bin", "two"), ("<b>.txt", "three"))
        attachments = dialog.locator(".file-field").filter(has=page.get_by_role("heading", name="Attachments"))
        await expect(attachments.locator("li button.link")).to_have_count(3)
        cover = dialog.locator(".file-field").filter(has=page.get_by_role("heading", name="Cover"))
        await drop_files(page, cover, ("c.png", "first"), ("d.png", "second"))
        await expect(cover.get_by_role("alert")).to_have_text("d.png: Cover holds one file.")
        assert await findings_in_both_themes(page, axe) == []
        await expect(cover.locator("li button.link")).to_have_text("c.png")
        assert not await page.evaluate(MISSED)  # the browser does not leave the page for it
        async with page.expect_download() as download:
            await attachments.get_by_role("button", name="b.bin", exact=True).click()
        assert (await (await download.value).path()).read_bytes() == b"two"
        assert "/linked?token=" in (await download.value).url
        network = await page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 300_000}
        await network.send("Network.emulateNetworkConditions", slow)
        await drop_files(page, attachments, ("slow.bin", "x" * 2_000_000))
        await until(page, "() => document.querySelector('progress')?.value > 0")
        async with page.expect_event("requestfailed", lambda request: request.url.endswith("/files")):
            await dialog.get_by_role("button", name="Stop slow.bin").press("Enter")
        await expect(dialog.get_by_role("progressbar")).to_have_count(0)
    kept = (await site.sa.get(f"/cards/{one['id']}", params={"include": "files"})).ok()["files"]
    assert sorted(file["name"] for file in kept) == ["<b>.txt", "a.txt", "b.bin", "c.png"]


async def test_a_file_that_is_too_large_says_how_large_one_may_be(
    browser: Browser, site: World, tmp_path: Path
) -> None:
    board = await site.board(title="Too large")
    one = await site.card(board, title="Takes no more")
    with (tmp_path / "huge.bin").open("wb") as file:
        file.truncate((50 << 20) + 1)
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_label("Files for Attachments").set_input_files(tmp_path / "huge.bin")
        await expect(dialog.locator(".file-field").get_by_role("alert")).to_have_text(
            "huge.bin: A file may have 50 MiB here."
        )


HOSTILE = [
    "<img src=x onerror=\"document.title='run'\"> <script>document.title='run'</script>",
    "[click](javascript:document.title='run') <a href='javascript:alert(1)'>x</a> ![p](https://elsewhere.test/p.png)",
    "\u202eright to left\u202c and Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘ and 漢字",
]


async def test_nothing_that_people_or_agents_write_runs_or_leaves_the_host(browser: Browser, site: World) -> None:
    board = await site.board(title="<b>Hostile</b> board")
    description = board.field("description")
    for text in HOSTILE:
        one = await site.card(board, title=text[:400], fieldValues=[{"fieldId": description, "value": text}])
        (await site.member.post(f"/cards/{one['id']}/comments", {"content": text})).ok()
    long = await site.card(board, title="W" * 500, fieldValues=[{"fieldId": description, "value": "W" * 20_000}])
    (await site.member.post(f"/cards/{long['id']}/comments", {"content": "__a__" * 4000})).ok()
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await expect(page.locator("li.card")).to_have_count(4)
        for one in (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"]:
            dialog = await open_card(page, board, one)
            await expect(dialog.locator(".comment")).to_have_count(1)
            assert await page.locator("img:not([src^='/icon'])").count() == 0
            assert await page.locator("[href^='javascript:']").count() == 0
            wide = "(dialog) => dialog.scrollWidth <= dialog.clientWidth"
            assert await dialog.evaluate(wide)
        assert "run" not in await page.title()


async def test_on_a_phone_the_card_is_moved_by_the_bar_at_the_bottom(browser: Browser, site: World) -> None:
    board = await site.board(title="Bar")
    one = await site.card(board, title="By thumb")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Move to …").tap()
        await page.get_by_role("menuitem", name="In Progress").tap()
        await expect(dialog.locator(".breadcrumbs")).to_contain_text("In Progress")


async def test_a_card_is_duplicated_with_its_parts_and_undo_archives_the_copies(browser: Browser, site: World) -> None:
    board = await site.board(title="Copies")
    one = await site.card(board, title="Plan a release")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Duplicate").click()
        await expect(page.get_by_role("dialog", name="Plan a release (copy)")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(card(page, "Plan a release (copy)")).to_be_visible()
        await page.get_by_role("button", name="Undo").click()
        await expect(card(page, "Plan a release (copy)")).to_have_count(0)
        (await site.sa.post(f"/cards/{one['id']}/split", {"parts": [{"title": "Write"}, {"title": "Print"}]})).ok()
        dialog = await open_card(page, board, one)
        await expect(dialog.get_by_role("link", name="Print").first).to_be_visible()
        await dialog.get_by_role("button", name="Duplicate").click()
        await page.get_by_role("menuitem", name="With 2 parts").click()
        copy = page.get_by_role("dialog", name="Plan a release (copy)")
        await expect(copy.get_by_text("0 of 2")).to_be_visible()
        assert (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["total"] == 6
        await page.keyboard.press("Escape")
        await page.get_by_role("button", name="Undo").click()
        await expect(card(page, "Plan a release (copy)")).to_have_count(0)
    assert (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["total"] == 3


async def test_a_card_is_watched_and_no_longer_live_in_each_window(browser: Browser, site: World) -> None:
    board = await site.board(title="Watching")
    one = await site.card(board, title="Watch me")
    async with visiting(browser, site, site.member, viewport=PHONE) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Watch", exact=True).press("Enter")
        await expect(dialog.get_by_role("button", name="Unwatch", exact=True)).to_be_focused()
        assert (await site.member.get(f"/cards/{one['id']}")).ok()["watching"] is True
        (await site.member.delete(f"/cards/{one['id']}/watch")).ok()  # elsewhere
        await dialog.get_by_role("button", name="Watch", exact=True).click()
        await expect(dialog.get_by_role("button", name="Unwatch", exact=True)).to_be_visible()
        (await site.sa.patch(f"/cards/{one['id']}", {"title": "Still live"})).ok()
        await expect(dialog.get_by_role("button", name="Title: Still live")).to_be_visible()
