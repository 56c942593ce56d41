"""What the texts and files of a card show: links to other cards, files in place, files dropped on the board."""

import pytest
from playwright.async_api import Browser, Page, expect

from ..forms import upload
from ..world import World
from .boards import card, drop_files, visit_board
from .browser import PHONE, until, visiting, watch_of
from .test_card import open_card
from .test_text_editor import picture

pytestmark = pytest.mark.asyncio(loop_scope="session")


def asked_for_cards(page: Page) -> int:
    """Return how many requests named cards by their keys."""
    return sum("/cards?archived=false&ids=" in request for request in watch_of(page).requests)


async def test_card_keys_in_texts_become_links_with_title_and_state(browser: Browser, site: World) -> None:
    board, other = await site.board(title="Naming"), await site.board(title="Elsewhere")
    one = await site.card(board, title="Names others")
    todo, done = await site.card(board, title="Still to do"), await site.card(board, "Done", title="Finished")
    far, gone = await site.card(other, "Done", title="Far away"), await site.card(board, title="Put away")
    foreign = await site.card(await site.board(site.outsider, title="Foreign"), by=site.outsider)
    (await site.sa.delete(f"/cards/{gone['id']}")).ok()
    moved = await site.card(board, title="Moved on")
    now = (await site.sa.post(f"/cards/{moved['id']}/transfer", {"projectId": other.id})).ok()
    key = todo["key"]
    text = f"See {key}, #{done['key'].lower()} and ({far['key']}). Also {gone['key']} and {moved['key']}!\n\n"
    plain = f"`{key}` lush{key} {key}x {key}/y NONE-1 UTF-8 {foreign['key']} {key.lower()}"
    address = f"https://example.test/{key}?{key}"
    values = [{"fieldId": board.field("description"), "value": f"{text}{plain} {address}\n\n    {key}"}]
    (await site.sa.patch(f"/cards/{one['id']}", {"fieldValues": values})).ok()
    (await site.member.post(f"/cards/{one['id']}/comments", {"content": f"as {key} says"})).ok()
    ends = {"fromCardId": one["id"], "toCardId": todo["id"], "kind": "relatesTo"}
    (await site.sa.post(site.sa.org("/relationships"), ends)).ok()
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, board, one)
        prose = dialog.get_by_role("group", name="Description")
        links = prose.get_by_role("link")
        await expect(links).to_have_count(6)  # five cards and the address
        states = [
            f"open {now['key']} Moved on",
            f"open {key} Still to do",
            f"done {done['key']} Finished",
            f"done {far['key']} Far away",
        ]
        for name in [*states, f"archived {gone['key']} Put away"]:
            await expect(prose.get_by_role("link", name=name, exact=True)).to_be_visible()
        await expect(prose).to_contain_text(plain.replace("`", ""))
        comment = dialog.get_by_role("article").get_by_role("link", name=f"open {key}")
        await expect(comment).to_be_visible()
        asked = asked_for_cards(page)
        assert asked == 6  # one for all; since one key is a former one, one for each that was not found by it
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        (await site.sa.post(f"/cards/{one['id']}/comments", {"content": f"again {key}"})).ok()
        await expect(dialog.get_by_role("link", name=f"open {key} Still to do")).to_have_count(3)
        assert asked_for_cards(page) == asked  # known while the dialog is open
        # What others change is shown in each text and in the relations.
        (await site.sa.patch(f"/cards/{todo['id']}", {"title": "Almost there"})).ok()
        (await site.sa.delete(f"/cards/{done['id']}")).ok()
        await expect(dialog.get_by_role("link", name=f"open {key} Almost there")).to_have_count(3)
        await expect(prose.get_by_role("link", name=f"archived {done['key']} Finished")).to_be_visible()
        await expect(dialog.locator(".relations")).to_contain_text("Almost there")
        await comment.first.click()
        await expect(page.get_by_role("dialog", name=f"{key} Almost there")).to_be_visible()


async def test_files_are_shown_in_place_where_that_is_safe(browser: Browser, site: World) -> None:
    board = await site.board(title="Shown files")
    one, field = await site.card(board, title="Has files"), board.field("attachments")
    long = b"<script>document.title='run'</script>\n" + b"line\n" * 60_000 + b"the end"
    await upload(site, one, field, picture(), file_name="small.png", mime_type="image/png")
    await upload(site, one, field, b"no picture", file_name="broken.png", mime_type="image/png")
    await upload(site, one, field, long, file_name="long.txt", mime_type="text/plain")
    await upload(site, one, field, b"# Read me", file_name="Notes.MD", mime_type="application/octet-stream")
    table = "é;1".encode("utf-16")
    await upload(site, one, field, table, file_name="rows.csv", mime_type="application/vnd.ms-excel")
    await upload(site, one, field, b"\x00", file_name="tool.bin", mime_type="application/octet-stream")
    for name, kind in (("page.html", "text/html"), ("paper.pdf", "application/pdf")):
        await upload(site, one, field, b"<b>bytes</b>", file_name=name, mime_type=kind)
    async with visiting(browser, site, site.member) as page:
        dialog = await open_card(page, board, one)
        rows = dialog.locator(".file-field").get_by_role("listitem")
        await until(page, "() => document.querySelector('.file-field img')?.naturalWidth > 0")
        await expect(rows.locator("img")).to_have_count(1)  # the broken one has an icon
        await rows.get_by_role("button", name="small.png").click()
        large = page.get_by_role("dialog", name="small.png").get_by_role("img", name="small.png")
        await expect(large).to_be_visible()
        await until(page, "() => document.querySelector('dialog:last-of-type img').naturalWidth === 60")
        await page.keyboard.press("Escape")
        await expect(rows.get_by_role("button", name="small.png")).to_be_focused()
        await page.keyboard.press("Tab")
        await rows.get_by_role("button", name="long.txt").press("Enter")
        shown_text = page.get_by_role("dialog", name="long.txt")
        await expect(shown_text.get_by_role("region", name="Contents")).to_contain_text("<script>document.title")
        await expect(shown_text).to_contain_text("The first 256")
        await expect(shown_text).not_to_contain_text("the end")
        async with page.expect_download() as download:
            await shown_text.get_by_role("button", name="Download").click()
        assert (await (await download.value).path()).read_bytes() == long
        await shown_text.get_by_role("button", name="Done").click()
        # Some systems do not know the type of a text, or give it another one; only its name tells.
        for name, content in (("Notes.MD", "# Read me"), ("rows.csv", "é;1")):
            await rows.get_by_role("button", name=name).click()
            opened_text = page.get_by_role("dialog", name=name)
            await expect(opened_text.get_by_role("region", name="Contents")).to_have_text(content)
            await opened_text.get_by_role("button", name="Done").click()
        for name in ("page.html", "paper.pdf", "tool.bin"):
            async with page.expect_download() as download:
                await rows.get_by_role("button", name=name).click()
            assert (await download.value).suggested_filename == name
            assert "inline" not in (await download.value).url  # this browser shows no PDFs
        assert "run" not in await page.title()


async def test_a_pdf_opens_in_a_tab_of_its_own_where_the_browser_shows_pdfs(browser: Browser, site: World) -> None:
    board = await site.board(title="Shown papers")
    one, field = await site.card(board, title="Has papers"), board.field("attachments")
    script = b"<script>document.title='run'; opener.document.title='run'</script>"
    await upload(site, one, field, script, file_name="paper.pdf", mime_type="application/pdf")
    await upload(site, one, field, script, file_name="page.pdf", mime_type="text/html")
    async with visiting(browser, site, site.member) as page:
        await page.add_init_script("Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', {get: () => true})")
        dialog = await open_card(page, board, one)
        rows = dialog.locator(".file-field").get_by_role("listitem")
        answering = page.context.expect_event("response", lambda answer: "/linked" in answer.url)
        async with answering as answered, page.expect_popup() as opened_tab:
            await rows.get_by_role("button", name="paper.pdf").click()
        tab, answer = await opened_tab.value, await answered.value
        assert answer.url.endswith("&inline=1")
        headers = await answer.all_headers()
        assert (headers["content-type"], headers["x-content-type-options"]) == ("application/pdf", "nosniff")
        assert headers["content-disposition"].startswith("inline;")
        if not tab.is_closed():  # this browser has no viewer: it closes the tab, or leaves it empty
            assert "run" not in await tab.title()
        async with page.expect_download() as download:  # named like a PDF, but a page
            await rows.get_by_role("button", name="page.pdf").click()
        assert (await download.value).suggested_filename == "page.pdf"
        assert "run" not in await page.title()


async def test_files_fall_on_a_card_of_the_board(browser: Browser, site: World) -> None:
    board = await site.board(title="Falling files")
    two = (await site.sa.post(site.sa.org("/card-types"), {"title": "Two places", "projectId": board.id})).ok()
    cover, papers = [
        (
            await site.sa.post(site.sa.org(f"/card-types/{two['id']}/fields"), {"name": name, "kind": "file", **more})
        ).ok()
        for name, more in (("cover", {}), ("papers", {"multiple": True}))
    ]
    one = await site.card(board, title="Catch", cardTypeId=two["id"])
    await upload(site, one, cover["id"], file_name="cover.txt")
    bare = (await site.sa.post(site.sa.org("/card-types"), {"title": "Nothing held", "projectId": board.id})).ok()
    await site.card(board, title="No pockets", cardTypeId=bare["id"])
    async with visiting(browser, site, site.member) as page:
        await visit_board(page, board)
        await expect(card(page, "Catch")).to_be_visible()
        await drop_files(page, card(page, "Catch").locator("a.name"), ("a.txt", "one"), ("b.txt", "two"))
        notice = page.get_by_role("status").filter(has_text=f"2 files added to {one['key']}")
        await expect(notice).to_be_visible()
        await expect(card(page, "Catch").locator(".meta")).to_contain_text("3")
        await expect(page).to_have_url(f"{site.url}/b/{board.id}")
        await drop_files(page, card(page, "No pockets"), ("c.txt", "three"))
        await expect(page.get_by_role("alert")).to_contain_text("has no place for more files")
        await notice.get_by_role("button", name="Open the card").click()
        await expect(page.get_by_role("dialog", name=one["key"])).to_contain_text("a.txt")
    files = (await site.sa.get(f"/files/card/{one['id']}")).ok()
    places = {file["name"]: file["fieldId"] for file in files}
    assert places == {"cover.txt": cover["id"], "a.txt": papers["id"], "b.txt": papers["id"]}


async def test_a_text_that_is_being_written_stays_while_others_change_the_card(browser: Browser, site: World) -> None:
    board = await site.board(title="Two browsers")
    field = board.field("description")
    one = await site.card(board, title="Shared", fieldValues=[{"fieldId": field, "value": "First"}])
    async with visiting(browser, site, site.sa) as mine, visiting(browser, site, site.member, viewport=PHONE) as theirs:
        my_dialog, their_dialog = await open_card(mine, board, one), await open_card(theirs, board, one)
        my_field = my_dialog.get_by_role("textbox", name="Description")
        await my_dialog.get_by_role("group", name="Description").click()
        await my_field.press_sequentially(" and mine")
        await their_dialog.get_by_role("group", name="Description").click()
        await their_dialog.get_by_role("textbox", name="Description").fill("Theirs")
        await theirs.keyboard.press("Control+Enter")
        await expect(their_dialog.get_by_role("group", name="Description")).to_have_text("Theirs")
        await expect(my_dialog.get_by_text("changed “Description” to “Theirs”")).to_be_visible()
        await expect(my_field).to_have_value("First and mine")
        await expect(my_field).to_be_focused()
        await mine.keyboard.press("Control+Enter")
        conflict = my_dialog.get_by_role("alert").filter(has_text="Somebody changed Description while you were writing")
        await expect(conflict).to_be_visible()
        await my_dialog.get_by_role("button", name="Take theirs").click()
        await expect(my_dialog.get_by_role("group", name="Description")).to_have_text("Theirs")
    values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
    assert [value["value"] for value in values] == ["Theirs"]


async def test_a_text_keeps_its_selection_and_its_focus_while_others_change_the_card(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Selecting")
    field = board.field("description")
    one = await site.card(board, title="Read", fieldValues=[{"fieldId": field, "value": "- [ ] Copy this"}])
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        text = dialog.get_by_role("group", name="Description")
        await expect(text.get_by_role("checkbox")).to_be_enabled()
        await text.get_by_text("Copy this").evaluate("(item) => getSelection().selectAllChildren(item)")
        (await site.member.patch(f"/cards/{one['id']}", {"priority": "urgent"})).ok()
        await expect(dialog.get_by_role("button", name="Priority: urgent")).to_be_visible()
        assert "Copy this" in await page.evaluate("() => getSelection().toString()")
        await text.focus()
        (await site.member.patch(f"/cards/{one['id']}", {"fieldValues": [{"fieldId": field, "value": "New"}]})).ok()
        await expect(text).to_have_text("New")
        await expect(text).to_be_focused()
