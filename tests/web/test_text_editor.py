"""The editor of texts: formats with their keys, preview, and pictures that are pasted, dropped or picked."""

import base64
import re
import struct
import zlib
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Route, expect

from ..forms import blob, send, target, upload
from ..world import Board, World
from .browser import PHONE, intercept, until, visiting
from .test_card import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")

PUT = """(target, [kind, names, content]) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
    for (const name of names) transfer.items.add(new File([bytes], name, {type: "image/png"}));
    const options = {bubbles: true, cancelable: true};
    if (kind === "paste") target.dispatchEvent(new ClipboardEvent(kind, {...options, clipboardData: transfer}));
    else target.dispatchEvent(new DragEvent(kind, {...options, dataTransfer: transfer}));
}"""
SELECT = "(field, [from, to]) => field.setSelectionRange(from, to)"
ALL_SHOWN = """(count) => {
    const images = [...document.querySelectorAll("dialog .prose img")];
    return images.length === count && images.every((image) => image.complete && image.naturalWidth > 0);
}"""


def picture(width: int = 60, height: int = 30) -> bytes:
    """Return a picture in the format PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(width * 3 * [90]) for _ in range(height))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


async def put(kind: str, target: Locator, *names: str) -> None:
    """Paste or drop pictures of these names."""
    content = base64.b64encode(picture()).decode()
    await target.evaluate(PUT, [kind, list(names), content])


async def value(site: World, card: dict[str, Any], board: Board) -> str:
    """Return the description of a card as the service has it."""
    values = (await site.sa.get(f"/cards/{card['id']}")).ok()["fieldValues"]
    return "".join(one["value"] for one in values if one["fieldId"] == board.field("description"))


async def create_card(site: World, title: str, text: str) -> tuple[Board, dict[str, Any]]:
    """Create a board with a card that has a description."""
    board = await site.board(title=title)
    values = [{"fieldId": board.field("description"), "value": text}]
    return board, await site.card(board, title=title, fieldValues=values)


async def test_a_text_is_edited_by_a_click_or_enter_and_its_links_keep_theirs(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Click a text", "Some words and [a link](https://example.test/x)")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        text, field = dialog.get_by_role("group", name="Description"), dialog.get_by_role("textbox", name="Description")
        link = text.get_by_role("link", name="a link")
        await link.evaluate("(link) => link.addEventListener('click', (event) => event.preventDefault())")
        await link.click()
        await expect(field).to_have_count(0)
        box = await text.bounding_box()
        assert box is not None
        await page.mouse.move(box["x"] + 10, box["y"] + 12)
        await page.mouse.down()
        await page.mouse.move(box["x"] + 60, box["y"] + 12, steps=3)
        await page.mouse.up()
        assert await page.evaluate("() => getSelection().toString()")
        await expect(field).to_have_count(0)
        await text.get_by_text("Some words").click()
        await expect(field).to_be_focused()
        await expect(dialog.get_by_text("Ctrl+Enter saves")).to_be_visible()
        await page.keyboard.press("Escape")
        await text.focus()
        await page.keyboard.press("Enter")
        await expect(field).to_be_focused()
        assert not (await field.input_value()).startswith("\n")
        await field.fill("Other words")
        await dialog.get_by_role("button", name="Preview").click()
        await page.keyboard.press("Control+Enter")
        await expect(text).to_have_text("Other words")
    assert await value(site, one, board) == "Other words"


FORMATS = [  # the text, with the selection in braces; what is pressed; the text afterwards, and once more pressed
    ("a {word} here", "Bold", "a **{word}** here", "a {word} here"),
    ("in a wo{}rd", "Bold", "in a **{word}**", "in a {word}"),
    ("{one \n}", "Control+b", "**{one}** \n", "{one} \n"),
    ("x {} y", "Code", "x `{}` y", "x {} y"),
    ("{a\nb}", "Code", "{```\na\nb\n```}", "{a\nb}"),
    ("see {this}", "Link", "see [this]({https://})", None),
    ("{https://a.test/b}", "Control+k", "[{}](https://a.test/b)", None),
    ("{[this](https://a.test)}", "Link", "{this}", None),
    ("{one\n\ntwo}", "List", "{- one\n\n- two}", "{one\n\ntwo}"),
    ("{- one\n- [x] two}", "Checklist", "{- [ ] one\n- [ ] two}", "{one\ntwo}"),
    ("above\nli{}ne", "Checklist", "above\n- [ ] line{}", "above\nline{}"),
]


async def test_formats_toggle_at_the_selection_and_can_be_undone(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Formats", "x")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Edit Description").click()
        field, tools = dialog.get_by_role("textbox", name="Description"), dialog.get_by_role("toolbar")

        async def press(what: str) -> None:
            await (field.press(what) if "+" in what else tools.get_by_role("button", name=what, exact=True).click())

        async def marked() -> str:
            [text, start, end] = await field.evaluate("(one) => [one.value, one.selectionStart, one.selectionEnd]")
            return f"{text[:start]}{{{text[start:end]}}}{text[end:]}"

        for before, what, after, again in FORMATS:
            plain = before.replace("{", "").replace("}", "")
            await field.fill(plain)
            await field.evaluate(SELECT, [before.index("{"), before.index("}") - 1])
            await press(what)
            assert await marked() == after
            await field.press("Control+z")
            assert await field.input_value() == plain
            await field.press("Control+Shift+z")
            if again is not None:
                start, end = after.index("{"), after.index("}") - 1
                await field.evaluate(SELECT, [start, end])
                await press(what)
                assert await marked() == again
        await expect(field).to_be_focused()
        # The toolbar is one stop of the Tab key; arrows move in it.
        await page.keyboard.press("Shift+Tab")
        await expect(tools.get_by_role("button", name="Bold")).to_be_focused()
        await page.keyboard.press("ArrowLeft")
        await expect(tools.get_by_role("button", name="Preview")).to_be_focused()
        await field.fill("**Loud** ![x](https://elsewhere.test/p.png)")
        await tools.get_by_role("button", name="Preview").click()
        preview = dialog.get_by_role("region", name="Preview")
        await expect(preview.locator("strong")).to_have_text("Loud")
        await expect(preview.locator("img")).to_have_count(0)
        await expect(field).to_be_hidden()
        await page.keyboard.press("Enter")
        await expect(field).to_be_focused()


async def test_pictures_are_uploaded_where_they_are_put_and_shown_there(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Pictures", "Before after")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        text, field = dialog.get_by_role("group", name="Description"), dialog.get_by_role("textbox", name="Description")
        await text.click()
        await expect(dialog.get_by_role("toolbar")).to_be_visible()
        await field.evaluate(SELECT, [7, 7])
        await put("paste", field, "a [1].png", "a [1].png")
        await expect(field).to_have_value(re.compile(r"^Before (!\[a \\\[1\\\]\.png\]\(file:file_\w+\)\s?){2}after$"))
        await page.keyboard.type("typed ")  # behind what was pasted
        await expect(field).to_have_value(re.compile(r"\)typed after$"))
        await put("paste", field, "c.png")
        await page.keyboard.press("Control+Enter")  # waits for the picture
        await expect(text.get_by_role("img", name="a [1].png")).to_have_count(2)
        await until(page, ALL_SHOWN, 3)
        await text.get_by_role("button", name="Show a [1].png").first.click()
        large = page.get_by_role("dialog", name="a [1].png")
        await expect(large.get_by_role("img")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(large).to_have_count(0)
        await expect(field).to_have_count(0)
        # Into a comment, by the button of the toolbar.
        comment = dialog.get_by_role("textbox", name="Comment")
        await comment.focus()
        async with page.expect_file_chooser() as chooser:
            await dialog.get_by_role("toolbar", name="Format of Comment").get_by_role("button", name="Picture").click()
        picked = {"name": "b.png", "mimeType": "image/png", "buffer": picture()}
        await (await chooser.value).set_files([picked])  # type: ignore[list-item]
        await comment.press("Control+Enter")  # waits for the picture
        await expect(dialog.get_by_role("article").get_by_role("img", name="b.png")).to_be_visible()
        await until(page, ALL_SHOWN, 4)
        # Outside of a text it becomes a file of the card.
        await put("paste", dialog.get_by_role("heading", name="Attachments"), "outside.png")
        await expect(
            dialog.locator(".file-field").get_by_role("button", name="outside.png", exact=True)
        ).to_be_visible()
    files = (await site.sa.get(f"/files/card/{one['id']}")).ok()
    assert [file["name"] for file in files] == ["a [1].png", "a [1].png", "c.png", "b.png", "outside.png"]
    stored = await value(site, one, board)
    assert all(f"(file:{file['id']})" in stored for file in files[:3])
    [comment] = (await site.sa.get(f"/cards/{one['id']}/comments")).ok()["items"]
    assert comment["content"] == f"![b.png](file:{files[3]['id']})"


async def test_a_picture_that_is_not_uploaded_leaves_the_text_as_it_was(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Failing pictures", "As it was")
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field = dialog.get_by_role("textbox", name="Description")
        await dialog.get_by_role("button", name="Edit Description").click()
        await expect(dialog.get_by_role("toolbar")).to_be_visible()
        held: list[Route] = []

        async def hold(route: Route) -> None:
            held.append(route)

        await intercept(page, "**/api/v1/files", hold)
        await put("drop", field, "late.png")
        await expect(field).to_have_value("As it was![Uploading late.png…]()")
        await expect(dialog.get_by_role("progressbar", name="late.png")).to_be_visible()
        await page.keyboard.type(" and more")
        error = {"error": {"code": "quota_exceeded", "message": "The organization has no space left.", "details": {}}}
        await held[0].fulfill(status=409, json=error)
        await expect(dialog.get_by_role("alert").filter(has_text="late.png")).to_be_visible()
        await expect(field).to_have_value("As it was and more")
        await page.keyboard.press("Control+z")  # what was typed, not the text before
        # A reload during an upload leaves its place in the draft, not in the text.
        await put("drop", field, "lost.png")
        await expect(field).to_have_value(re.compile(r"Uploading lost\.png"))
        await page.reload()
        await dialog.get_by_role("button", name="Edit draft of Description").click()
        await expect(field).not_to_have_value(re.compile("Uploading"))
        await page.unroute("**/api/v1/files")
        await dialog.get_by_role("button", name="Discard draft").click()
        # A type of cards without a place for files says so.
        bare = (await site.sa.post(site.sa.org("/card-types"), {"title": "Bare", "projectId": board.id})).ok()
        fields = site.sa.org(f"/card-types/{bare['id']}/fields")
        (await site.sa.post(fields, {"name": "notes", "label": "Notes", "kind": "richtext"})).ok()
        dialog = await open_card(page, board, await site.card(board, title="Bare", cardTypeId=bare["id"]))
        await dialog.get_by_role("button", name="Write Notes").click()
        await expect(dialog.get_by_role("toolbar")).to_be_visible()
        field = dialog.get_by_role("textbox", name="Notes")
        await put("paste", field, "nowhere.png")
        await expect(dialog.get_by_role("alert").filter(has_text="has no place for more files")).to_be_visible()
        await expect(field).to_have_value("")
    assert await value(site, one, board) == "As it was"


async def test_a_text_shows_only_the_service_s_own_pictures(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Own pictures", "none")
    elsewhere = await site.board(site.outsider)
    foreign = await site.card(elsewhere, by=site.outsider)
    shape = b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title='run'</script></svg>"
    own = await upload(site, one, board.field("attachments"), shape, file_name="a.svg", mime_type="image/svg+xml")
    other = await send(
        site.outsider, target(foreign, elsewhere.field("attachments")), blob(shape, "b.svg", "image/svg+xml")
    )
    ids = [own["id"], other.ok()["id"]]
    text = f"![own](file:{ids[0]}) ![foreign](file:{ids[1]}) ![gone](file:file_gone) ![there](https://e.test/p.png)"
    text += " \\![not](file:x) [link](file:y) ![up](file:../z)"
    edit = {"fieldValues": [{"fieldId": board.field("description"), "value": text}]}
    (await site.sa.patch(f"/cards/{one['id']}", edit)).ok()
    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await expect(dialog.get_by_role("group", name="Description").get_by_role("img")).to_have_count(1)
        await until(page, ALL_SHOWN, 1)
        await expect(dialog.get_by_role("group", name="Description")).to_have_text(
            re.compile(r"foreign gone there !\[not\]\(file:x\) \[link\]\(file:y\) !\[up\]\(file:\.\./z\)$")
        )
        assert "run" not in await page.title()


async def test_on_a_phone_the_tools_fit_and_are_large_enough_for_a_finger(browser: Browser, site: World) -> None:
    board, one = await create_card(site, "Phone tools", "A text")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("group", name="Description").tap()
        await dialog.get_by_role("textbox", name="Comment").tap()
        tools = dialog.get_by_role("toolbar").get_by_role("button")
        await expect(tools).to_have_count(14)
        boxes = [await tool.bounding_box() for tool in await tools.all()]
        assert all(box and box["width"] >= 44 and box["height"] >= 44 for box in boxes)
        assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= 390
        await expect(dialog.get_by_text("Ctrl+Enter")).to_have_count(2)
        await expect(dialog.get_by_text("Ctrl+Enter saves")).to_be_hidden()
