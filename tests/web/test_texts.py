"""Texts as people write them: lists of texts with commas, scripts from right to left, input methods."""

from typing import Any
from urllib.parse import quote

import pytest
from playwright.async_api import Browser, Locator, expect

from ..world import World
from .boards import card, visit_board
from .browser import visiting
from .test_card import open_card

pytestmark = pytest.mark.asyncio(loop_scope="session")

PASTE = """(field, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    field.dispatchEvent(new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true}));
}"""


async def test_lists_of_texts_are_edited_one_by_one_and_keep_their_commas(browser: Browser, site: World) -> None:
    board = await site.board(title="Tags")
    topics = await site.field(board, "topics", "multiselect")  # the first one has the labels
    one = await site.card(board, title="Tagged", fieldValues=[{"fieldId": topics, "value": ["red, warm", "blue"]}])

    async def stored() -> Any:
        values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
        return [value["value"] for value in values if value["fieldId"] == topics]

    async with visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Topics: red, warm, blue").click()
        group, field = dialog.get_by_role("group", name="Topics"), dialog.get_by_role("textbox", name="Add to Topics")
        remove = group.get_by_role("button", name="Remove")
        await expect(field).to_be_focused()
        await field.press_sequentially("green, too")
        await page.keyboard.press("Enter")
        await expect(remove).to_have_text(["red, warm", "blue", "green, too"])
        await expect(page.get_by_role("status").filter(has_text="Added green, too.")).to_have_count(1)
        await page.keyboard.press("Backspace")
        await expect(remove).to_have_text(["red, warm", "blue"])
        await field.evaluate(PASTE, "one\n two \r\n\nblue\none")
        await expect(remove).to_have_text(["red, warm", "blue", "one", "two"])
        # With the keyboard: back to the button of the last one, which removes it.
        await page.keyboard.press("Shift+Tab")
        await expect(group.get_by_role("button", name="Remove two")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(remove).to_have_text(["red, warm", "blue", "one"])
        await expect(field).to_be_focused()
        await field.press_sequentially("left")
        await page.keyboard.press("Tab")
        await expect(remove).to_have_text(["red, warm", "blue", "one", "left"])
        boxes = [await button.bounding_box() for button in await remove.all()]
        frame = await group.bounding_box()
        assert frame is not None
        assert all(box and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1 for box in boxes)
        await field.fill("x" * 200)
        await page.keyboard.press("Enter")
        assert await dialog.locator(".card-side").evaluate("(side) => side.scrollWidth <= side.clientWidth")
        await page.keyboard.press("Backspace")
        await page.keyboard.press("Enter")  # in the empty field: saves
        await expect(dialog.get_by_role("button", name="Topics: red, warm, blue, one, left")).to_be_focused()
        await expect(dialog.get_by_text("to “red, warm”, “blue”, “one” and “left”")).to_be_visible()
    assert await stored() == [["red, warm", "blue", "one", "left"]]


COMPOSE = """([kind, key]) => {
    const press = {key, keyCode: 229, bubbles: true, cancelable: true, isComposing: kind === "composing"};
    return document.activeElement.dispatchEvent(new KeyboardEvent("keydown", press));
}"""


async def test_keys_of_an_input_method_send_and_close_nothing(browser: Browser, site: World) -> None:
    board = await site.board(title="Composed")
    await site.field(board, "themes", "multiselect")
    one = await site.card(board, title="Composing")
    async with visiting(browser, site, site.sa) as page:
        session = await page.context.new_cdp_session(page)

        async def compose(text: str) -> None:
            """Compose a text as an input method does, with Enter to choose and Escape to give up."""
            await session.send("Input.imeSetComposition", {"text": text, "selectionStart": 2, "selectionEnd": 2})
            for key in ("Enter", "Escape"):
                code = {"Enter": 13, "Escape": 27}[key]
                await session.send(
                    "Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": code}
                )
                for kind in ("composing", "after it"):  # Safari reports the key after the composition has ended
                    assert await page.evaluate(COMPOSE, [kind, key]) is False, "the browser would act on it"

        await visit_board(page, board)
        await page.keyboard.press("c")
        field = page.get_by_label("New card in Backlog")
        await compose("にほ")
        await expect(field).to_be_focused()
        await expect(field).to_have_value("にほ")
        await session.send("Input.insertText", {"text": "日本"})
        await page.keyboard.press("Enter")
        await expect(card(page, "日本")).to_be_visible()
        assert len((await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"]) == 2
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+k")
        await expect(page.get_by_role("combobox")).to_be_focused()
        await compose("しご")
        await expect(page.get_by_role("combobox")).to_be_focused()
        await page.keyboard.press("Escape")
        await page.keyboard.press("Escape")
        dialog = await open_card(page, board, one)
        await dialog.get_by_role("button", name="Title: Composing").click()
        await compose("かな")
        await expect(dialog.get_by_role("textbox", name="Title")).to_be_focused()
        await session.send("Input.insertText", {"text": "仮名"})
        await dialog.get_by_role(
            "button", name="Themes"
        ).click()  # leaves the title, which is saved, and the focus stays
        await expect(dialog.get_by_role("button", name="Title: Composing仮名")).to_be_visible()
        await compose("いろ")
        await expect(dialog.get_by_role("textbox", name="Add to Themes")).to_be_focused()
        await expect(dialog.get_by_role("group", name="Themes").get_by_role("button")).to_have_count(0)


# Whether a text is drawn from right to left: its exclamation mark, at its end, is left of its first letter.
ENDS_LEFT = """(element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const begin = node.data.search(/[\\u05d0-\\u06ff]/), end = node.data.indexOf("!");
        if (begin < 0 || end < 0) continue;
        const at = (place) => {
            const range = new Range();
            range.setStart(node, place);
            range.setEnd(node, place + 1);
            return range.getBoundingClientRect();
        };
        return at(end).right <= at(begin).left + 1 && at(end).width > 0;
    }
    return null;
}"""
HEBREW, ARABIC = "שלום עולם!", "مرحبا بالعالم!"


async def test_texts_from_right_to_left_are_shown_and_written_that_way(browser: Browser, site: World) -> None:
    board = await site.board(title=HEBREW)
    await site.column(board, "Todo", title="לעשות עכשיו!")
    values = [
        {"fieldId": board.field("description"), "value": f"{ARABIC}\n\n- {HEBREW}\n\nEnglish!"},
        {"fieldId": board.field("tags"), "value": ["דחוף מאוד!"]},
    ]
    one = await site.card(board, "Todo", title=HEBREW, fieldValues=values)
    await site.card(board, "Todo", title="English title!")
    (await site.sa.post(f"/cards/{one['id']}/comments", {"content": f"{ARABIC}\n\n- {HEBREW}"})).ok()
    (await site.sa.patch(f"/cards/{one['id']}", {"title": f"{HEBREW} 2"})).ok()
    async with visiting(browser, site, site.sa) as page:

        async def goes_left(*places: Locator) -> None:
            for place in places:
                await expect(place).to_be_visible()
                assert await place.evaluate(ENDS_LEFT) is True, await place.text_content()

        await visit_board(page, board)
        title = page.locator("li.card a").filter(has_text=HEBREW)
        await goes_left(title, page.get_by_role("heading", name="לעשות"), page.get_by_role("heading", name=HEBREW))
        await goes_left(page.get_by_role("navigation").get_by_role("link", name=HEBREW).first)
        text_right = (
            "(one) => { const r = new Range(); r.selectNodeContents(one); return r.getBoundingClientRect().right }"
        )
        box = await title.bounding_box()
        assert box is not None
        assert await title.evaluate(text_right) == pytest.approx(box["x"] + box["width"], abs=2)
        dialog = await open_card(page, board, one)
        in_order = "(line) => line.querySelector('a').offsetLeft < line.querySelector('.key').offsetLeft"
        assert await dialog.locator(".breadcrumbs").evaluate(in_order), "the line itself goes the way of the page"
        prose = dialog.locator(".prose").first
        await goes_left(dialog.get_by_role("button", name="Title:"), prose.locator("p").first, prose.locator("li"))
        await goes_left(
            dialog.locator("article.comment p"), dialog.locator(".tags"), dialog.get_by_text("changed the title")
        )
        item = dialog.locator("article.comment li")
        assert await item.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
        at_left = "(one) => { const r = new Range(); r.selectNodeContents(one); return r.getBoundingClientRect().left }"
        english = await prose.locator("p").last.bounding_box()
        assert english is not None
        assert await prose.locator("p").last.evaluate(at_left) == pytest.approx(english["x"], abs=2)
        await dialog.get_by_role("button", name="Title:").click()
        for field in (
            dialog.get_by_role("textbox", name="Title"),
            dialog.get_by_label("Comment", exact=True),
        ):
            for text, direction in ((HEBREW, "rtl"), ("English", "ltr")):
                await field.fill(text)
                assert await field.evaluate("(one) => getComputedStyle(one).direction") == direction
        await page.goto("/search?q=" + quote(HEBREW.split(maxsplit=1)[0]))
        await goes_left(page.get_by_role("link", name=HEBREW).last)


# The left edges of parts of a text, painted in one line.
LEFT_EDGES = """(one, parts) => {
    one.style.whiteSpace = "nowrap";
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    const found = {};
    while (walker.nextNode())
        for (const part of parts) {
            const at = walker.currentNode.data.indexOf(part);
            if (at < 0 || part in found) continue;
            const range = new Range();
            range.setStart(walker.currentNode, at);
            range.setEnd(walker.currentNode, at + part.length);
            found[part] = range.getBoundingClientRect().left;
        }
    return parts.map((part) => found[part] ?? part);
}"""


JOINED = """async (names) => {
    const { h } = await import("/core/dom.js");
    document.body.append(h("p", { id: "joined" }, (await import("/core/format.js")).joinNames(names)));
}"""


async def test_names_from_right_to_left_do_not_reorder_the_sentences_around_them(browser: Browser, site: World) -> None:
    name_of_board = "לוח ראשון"
    board = await site.board(title=name_of_board)
    names = {"Todo": "71 לעשות", "In Progress": "82 בעבודה"}  # the digits stand at the right
    for title, name in names.items():
        await site.column(board, title, title=name)
    board.columns.update({name: board.columns.pop(title) for title, name in names.items()})
    (todo, doing), todo_word, doing_word = names.values(), "לעשות", "בעבודה"
    one = await site.card(board, todo, title="3 צהבהב", by=site.member)
    async with visiting(browser, site, site.sa) as page:

        async def stand_in_order(place: Locator, *parts: str) -> None:
            await expect(place).to_be_visible()
            edges = await place.evaluate(LEFT_EDGES, list(parts))
            assert edges == sorted(edges, key=float), (parts, edges, await place.text_content())

        await visit_board(page, board)
        await page.locator("li.card a").focus()
        await page.keyboard.press("Shift+ArrowRight")
        toast = page.locator(".toast", has_text="is in")
        await stand_in_order(toast, "“", "צהבהב", "3", "”", "is in", doing_word, "82")
        await page.goto("/search?q=" + quote("צהבהב"))
        hit = page.locator("li.item", has_text=one["key"])
        await stand_in_order(hit, "3", one["key"], " · ", name_of_board, doing_word, "82")
        await page.get_by_role("link", name="3 צהבהב").click()
        dialog = page.get_by_role("dialog", name=one["key"])
        await stand_in_order(
            dialog.locator(".history li").first, "moved it from", todo_word, "71", " to ", doing_word, "82"
        )
        other = await site.card(board, todo, title="4 ירקרק", by=site.member)
        await dialog.get_by_role("button", name="Relate…").click()
        await page.get_by_role("combobox", name="Other card").press_sequentially("ירקרק")
        option = page.get_by_role("listbox", name="Cards").get_by_role("option")
        await stand_in_order(option, other["key"], "ירקרק", "4", name_of_board, todo_word, "71")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("combobox", name="Other card")).to_have_value(f"{other['key']} 4 ירקרק")
        (await site.member.patch(f"/cards/{other['id']}/status", {"toColumnId": board.columns[doing]})).ok()
        await page.goto("/")
        await stand_in_order(
            page.locator("li.item", has_text="4 ירקרק").first, "from", todo_word, "71", " to ", doing_word, "82", "by"
        )
        await page.evaluate(JOINED, [todo, doing, "third"])
        await stand_in_order(page.locator("#joined"), todo_word, "71", ", ", doing_word, "82", "and third")
