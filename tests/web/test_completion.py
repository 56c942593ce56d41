"""Completion in text fields: a list of meanings for the word that is being typed."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import World
from .boards import visit_board
from .browser import PHONE, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")

ATTACH = """async (field, slow) => {
    const { attachCompletion } = await import("/ui/listbox/completion.js");
    const people = [
        { label: "Anna Øst", names: ["annaost"], why: "@annaost", text: "@annaost" },
        { label: "Bo Anders", names: ["bo"], why: "@bo", text: "@bo" }
    ];
    const later = (items) => new Promise((resolve) => setTimeout(() => resolve(items), slow));
    attachCompletion(field, [
        { prefix: "@", label: "People", items: () => people },
        { prefix: "#", label: "Cards", items: (text) => later([{ label: `Card ${text}` }]), isMatched: true,
          choose: ({ label }) => `[${label}]` }
    ]);
}"""


async def attach(field: Locator, slow: int = 0) -> None:
    """Offer two sources in a field; the items of the second come after some milliseconds."""
    await field.evaluate(ATTACH, slow)


async def textarea(dialog: Locator, slow: int = 0) -> Locator:
    """Add a field of several lines to a dialog, with the two sources."""
    await dialog.evaluate("""(dialog) => {
        const field = Object.assign(document.createElement("textarea"), { ariaLabel: "Text", rows: 4, cols: 60 });
        dialog.prepend(field);
    }""")
    field = dialog.get_by_role("textbox", name="Text", exact=True)
    await attach(field, slow)
    return field


async def chosen(page: Page, field: Locator, name: str) -> None:
    """Check that an option is the one that Enter takes, for eyes and for screen readers."""
    option = page.get_by_role("option", selected=True)
    await expect(option).to_have_accessible_name(name)
    await expect(field).to_have_attribute("aria-activedescendant", await option.get_attribute("id") or "")


async def test_a_word_in_a_text_is_completed_by_keyboard_and_mouse(browser: Browser, site: World) -> None:
    board = await site.board(title="Completing")
    one = await site.card(board, title="Complete me")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name=one["key"])
        field, listbox = await textarea(dialog), page.get_by_role("listbox")
        await field.press_sequentially("Ask @")
        await expect(page.get_by_role("option")).to_have_count(2)
        await field.press_sequentially("an")
        await expect(listbox).to_have_accessible_name("People")
        await expect(page.get_by_role("option")).to_have_text(["Anna Øst @annaost", "Bo Anders @bo"])
        await expect(field).to_have_attribute("aria-controls", await listbox.get_attribute("id") or "")
        await chosen(page, field, "Anna Øst @annaost")
        await page.keyboard.press("ArrowDown")
        await chosen(page, field, "Bo Anders @bo")
        await page.keyboard.press("ArrowDown")
        await chosen(page, field, "Anna Øst @annaost")
        # The list stands below the word.
        there, here = await listbox.bounding_box(), await field.bounding_box()
        assert there
        assert here
        assert here["x"] + 20 < there["x"] < here["x"] + 120
        assert here["y"] < there["y"] < here["y"] + here["height"]
        # Escape closes the list, not the dialog, and it stays closed for this word.
        await page.keyboard.press("Escape")
        await expect(listbox).to_be_hidden()
        await page.keyboard.type("na")
        await expect(listbox).to_be_hidden()
        assert await field.get_attribute("aria-controls") is await field.get_attribute("aria-activedescendant") is None
        await page.keyboard.type(" and @ost")  # by the folded name
        await chosen(page, field, "Anna Øst @annaost")
        await page.keyboard.press("Tab")
        await expect(field).to_have_value("Ask @anna and @annaost ")
        await expect(field).to_be_focused()
        await page.keyboard.press("Control+z")  # what was taken is undone as what was typed
        await expect(field).not_to_have_value("Ask @anna and @annaost ")
        await expect(dialog).to_be_visible()


async def test_a_list_opens_for_whole_words_only_and_closes_with_them(browser: Browser, site: World) -> None:
    board = await site.board(title="Completing words")
    one = await site.card(board, title="Complete words")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name=one["key"])
        field, listbox = await textarea(dialog), page.get_by_role("listbox")
        for text in ("mail a@an", "a.@an", "ß@an", "nobody @xyz", "@an "):
            await field.press_sequentially(text)
            await expect(listbox).to_be_hidden()
            await field.fill("")
        await field.press_sequentially("(@bo")
        await page.get_by_role("option", name="Bo Anders").click()
        await expect(field).to_have_value("(@bo ")
        await expect(field).to_be_focused()
        # Words of another source; what comes late, after the caret has left the word, is not shown.
        await field.fill("")
        await field.press_sequentially("see #12")
        await expect(listbox).to_have_accessible_name("Cards")
        await expect(page.get_by_role("option")).to_have_text(["Card 12"])
        await page.keyboard.press("ArrowLeft")
        await expect(listbox).to_be_hidden()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.type("3")
        await expect(page.get_by_role("option")).to_have_text(["Card 123"])
        await page.keyboard.press("Enter")
        await expect(field).to_have_value("see [Card 123]")
        await page.keyboard.press("Control+a")
        await page.keyboard.type("@b")
        await expect(listbox).to_be_visible()
        await page.keyboard.press("Shift+Tab")
        await expect(listbox).to_be_hidden()
        await expect(dialog).to_be_visible()


async def test_an_input_is_a_combobox_and_its_list_fits_on_a_phone(browser: Browser, site: World) -> None:
    board = await site.board(title="Completing lines")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True) as page:
        await visit_board(page, board)
        await page.evaluate("""() => {
            const field = Object.assign(document.createElement("input"), { ariaLabel: "Line", maxLength: 30 });
            field.style.setProperty("position", "fixed");
            field.style.setProperty("right", "0");
            field.style.setProperty("bottom", "4px");
            document.body.append(field);
        }""")
        field, listbox = page.get_by_label("Line"), page.get_by_role("listbox")
        await attach(field)
        await expect(page.get_by_role("combobox", name="Line", expanded=False)).to_be_visible()
        await field.press_sequentially("for somebody @b")
        await expect(page.get_by_role("combobox", name="Line", expanded=True)).to_be_visible()
        there, here = await listbox.bounding_box(), await field.bounding_box()
        assert there
        assert here
        assert there["x"] >= 0
        assert there["x"] + there["width"] <= PHONE["width"]
        assert there["y"] + there["height"] <= here["y"]  # above the field: there is no room below
        option = await page.get_by_role("option").bounding_box()
        assert option
        assert option["height"] >= 44
        assert await page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        await page.get_by_role("option", name="Bo Anders").tap()
        await expect(field).to_have_value("for somebody @bo ")
        await expect(field).to_be_focused()
        await expect(page.get_by_role("combobox", name="Line", expanded=False)).to_be_visible()


async def test_enter_takes_what_matches_all_letters_that_are_typed(browser: Browser, site: World) -> None:
    board = await site.board(title="Completing slowly")
    one = await site.card(board, title="Complete me later")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        field = await textarea(page.get_by_role("dialog", name=one["key"]), slow=300)
        await field.press_sequentially("#a")
        await chosen(page, field, "Card a")
        await page.keyboard.type("b")  # for a moment, the list shows what matches "a"
        await page.keyboard.press("Enter")
        await expect(field).to_have_value("[Card ab]")


async def test_the_keys_of_an_input_method_take_nothing_and_close_nothing(browser: Browser, site: World) -> None:
    board = await site.board(title="Composing words")
    one = await site.card(board, title="Compose me")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        field = await textarea(page.get_by_role("dialog"))
        await field.press_sequentially("@")
        session = await page.context.new_cdp_session(page)
        await session.send("Input.imeSetComposition", {"text": "b", "selectionStart": 1, "selectionEnd": 1})
        await chosen(page, field, "Bo Anders @bo")
        for key in ("Enter", "Escape"):
            await field.evaluate(
                "(field, press) => field.dispatchEvent(new KeyboardEvent('keydown', press))",
                {"key": key, "isComposing": True, "bubbles": True},
            )
            await expect(page.get_by_role("listbox")).to_be_visible()
        await expect(field).to_have_value("@b")
        await session.send("Input.insertText", {"text": "bo"})
        await page.keyboard.press("Enter")
        await expect(field).to_have_value("@bo ")


async def test_a_mention_takes_few_keys_and_is_shown_as_a_name(browser: Browser, site: World) -> None:
    board = await site.board(title="Mentioning")
    bot = await site.agent("builder-1")
    one = await site.card(board, title="Mention somebody")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name=one["key"])
        field = dialog.get_by_role("textbox", name="Comment")
        await field.click()
        await expect(dialog.get_by_role("toolbar", name="Format of Comment")).to_be_visible()
        await page.keyboard.type(f"Please look at {one['key']}, @")
        people = ["Ada Architect @ada-architect", "Mo Member @mo-member", "builder-1 @builder-1"]
        await expect(page.get_by_role("listbox", name="People and agents").get_by_role("option")).to_contain_text(
            people
        )
        await page.keyboard.type("mem")
        await chosen(page, field, "Mo Member @mo-member")
        await page.keyboard.press("Enter")
        await expect(field).to_have_value(f"Please look at {one['key']}, @mo-member ")
        await page.keyboard.type("and @builder-1, not `@ada-architect` but @ada-architect")
        await expect(page.get_by_role("option")).to_have_count(1)
        await page.keyboard.press("Control+Enter")  # sends what is typed, and closes the list
        await expect(page.get_by_role("listbox")).to_have_count(0)
        comment = dialog.get_by_role("article").filter(has_text="Please look")
        await expect(comment).to_contain_text("@Mo Member and @builder-1, not @ada-architect but @Ada Architect")
        await expect(comment.get_by_role("link", name=one["key"])).to_be_visible()  # both in one text
        await expect(comment.get_by_title("@mo-member")).to_have_text("@Mo Member")
        await expect(comment.locator("code")).to_have_text("@ada-architect")
        own, other = comment.get_by_title("@ada-architect"), comment.get_by_title("@mo-member")
        color = "node => getComputedStyle(node).backgroundColor"
        assert await own.evaluate(color) != await other.evaluate(color)
        # A preview and the question of an agent show names, too.
        await field.fill("For @mo-member")
        await dialog.get_by_role("toolbar").get_by_role("button", name="Preview").click()
        await expect(dialog.get_by_role("region", name="Preview")).to_have_text("For @Mo Member")
        (await bot.post(f"/cards/{one['id']}/claim/mcp")).ok()
        (await bot.post(f"/cards/{one['id']}/comments/mcp", {"content": "@ada-architect, which?", "asks": True})).ok()
        await expect(dialog.locator(".request")).to_contain_text("@Ada Architect, which?")
    written = (await site.sa.get(f"/cards/{one['id']}/comments")).ok()["items"][0]
    assert [mention["id"] for mention in written["mentions"]] == [site.member.id, "builder-1", site.sa.id]
    async with visiting(browser, site, site.member, viewport=PHONE) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name=one["key"])
        await dialog.get_by_role("button", name="Write Description").click()
        await dialog.get_by_role("textbox", name="Description").press_sequentially("For @ada")
        await page.get_by_role("option", name="Ada Architect").click()
        await dialog.get_by_role("button", name="Save", exact=True).click()
        await expect(dialog.get_by_title("@ada-architect").first).to_have_text("@Ada Architect")
