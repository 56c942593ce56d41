"""Texts with thousands of combining marks: the page shows few of them, stays fast, and saves all of them."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from ..world import Board, World
from .boards import wait_until_ready
from .browser import visiting, watch_of
from .marks import MARKS_MAX, longest_run
from .test_card import open_card
from .test_home import open_home, row

pytestmark = pytest.mark.asyncio(loop_scope="session")
# What extends the letter before it: marks that fonts have or lack, and the colors of emoji.
MARKS = {"accents": "\u0336", "points": "\u05b0", "colors": "\U0001f3fb"}
CHARACTERS = {"accents": 99_000, "points": 99_000, "colors": 50_000}  # of a body of at most 1 MiB
ENTITIES = "Z" + "&#x336;" * 14_000  # marks that only rendering reveals
SECONDS_MAX = 20  # on a busy machine; without a limit it is more than a minute
LIMIT = """async (texts) => {
    const { limitMarks } = await import("/core/marks.js");
    return texts.map((text) => limitMarks(text));
}"""


def marked(mark: str, characters: int) -> str:
    """Make a text of the given length, almost all of it one run of combining marks."""
    return "Z" + mark * (characters - 5) + " end"


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def notes(site: World) -> None:
    """Provide a text of the tiles."""
    await site.field(await site.board(title="Notes"), "notes", showOnCard=True)


async def _make(site: World, title: str, text: str, **values: str) -> tuple[Board, dict[str, Any]]:
    board = await site.board(title=title)
    texts = {"description": text, **values}
    filled = [{"fieldId": board.field(name), "value": value} for name, value in texts.items()]
    return board, await site.card(board, title=title, fieldValues=filled)


async def _stored(site: World, board: Board, card: dict[str, Any], name: str = "description") -> str:
    values = (await site.sa.get(f"/cards/{card['id']}")).ok()["fieldValues"]
    return "".join(one["value"] for one in values if one["fieldId"] == board.field(name))


def _writes(page: Page) -> list[str]:
    return [line for line in watch_of(page).requests if line.startswith("PATCH") and "/seen" not in line]


@pytest.mark.parametrize("name", MARKS)
async def test_texts_of_marks_do_not_freeze_the_page(browser: Browser, site: World, name: str) -> None:
    mark = MARKS[name]
    values = {"notes": marked(mark, 10_000), "acceptance_criteria": ENTITIES}
    board, one = await _make(site, f"Marks: {name}", marked(mark, CHARACTERS[name]), **values)
    bot = await site.agent(f"marks-{name}")
    (await bot.post(f"/cards/{one['id']}/claim/mcp", {"leaseSeconds": 900})).ok()
    asked = {"content": marked(mark, 20_000), "asks": True}
    (await bot.post(f"/cards/{one['id']}/comments/mcp", asked)).ok()
    async with asyncio.timeout(SECONDS_MAX), visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}")
        await wait_until_ready(page)
        await expect(page.locator("li.card .values")).to_contain_text("notes")
        assert await longest_run(page) == MARKS_MAX
        dialog = await open_card(page, board, one)
        await expect(dialog.locator(".history li").last).to_be_visible()
        await expect(dialog.get_by_text("end").first).to_be_visible()
        assert await longest_run(page) == MARKS_MAX
        await open_home(page)
        await expect(row(page, one["key"])).to_be_visible()
        assert await longest_run(page) == MARKS_MAX


@pytest.mark.parametrize("name", MARKS)
async def test_editing_such_a_text_loses_no_mark(browser: Browser, site: World, name: str) -> None:
    text, notes = marked(MARKS[name], 50_000), marked(MARKS[name], 9000)
    board, one = await _make(site, f"Edited marks: {name}", text, notes=notes)
    async with asyncio.timeout(2 * SECONDS_MAX), visiting(browser, site, site.sa) as page:
        dialog = await open_card(page, board, one)
        field = dialog.get_by_role("textbox", name="Description")
        edit = dialog.get_by_role("button", name="Edit Description")
        await edit.click()
        await expect(field).to_be_focused()
        assert await longest_run(page) == MARKS_MAX
        await page.keyboard.press("Control+Enter")  # saves what nobody has changed
        await expect(edit).to_be_visible()
        await dialog.get_by_role("button", name="Notes:").click()
        await expect(dialog.get_by_role("textbox", name="Notes")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("button", name="Notes:")).to_be_visible()
        assert _writes(page) == []

        await edit.click()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("!")
        await dialog.get_by_role("button", name="Preview").click()
        assert await longest_run(page) == MARKS_MAX
        await page.reload()  # the draft has all marks, too
        await dialog.get_by_role("button", name="Edit draft of Description").click()
        await expect(field).to_be_focused()
        assert await longest_run(page) == MARKS_MAX
        await expect(dialog.get_by_role("button", name="Bold")).to_be_visible()  # its key works then
        units = 1 + MARKS_MAX * len(MARKS[name].encode("utf-16-le")) // 2  # of the letter with all marks that are shown
        await field.evaluate("(field, end) => field.setSelectionRange(0, end)", units)
        await page.keyboard.press("Control+b")
        await page.keyboard.press("Control+Enter")
        await expect(edit).to_be_visible()
        stored = await _stored(site, board, one)
        assert (len(stored), stored) == (len(text) + 5, f"**{text[:31]}**{text[31:]}!")

        await dialog.get_by_role("button", name="Notes:").click()
        await page.keyboard.press("End")
        await page.keyboard.type("!")
        await page.keyboard.press("Enter")
        await expect(dialog.locator(".history li").first).to_contain_text("changed “notes”")
        assert await _stored(site, board, one, "notes") == notes + "!"

        await edit.click()
        await page.keyboard.press("Control+a")
        await page.keyboard.type("Without marks")
        await page.keyboard.press("Control+Enter")
        await expect(dialog.locator(".prose").first).to_have_text("Without marks")
        assert await _stored(site, board, one) == "Without marks"


async def test_forms_keep_the_marks_of_texts_that_they_show(browser: Browser, site: World) -> None:
    text = marked("\u0336", 9_000)
    team = (await site.sa.post(site.sa.org("/teams"), {"name": "Marked"})).ok()
    (await site.sa.patch(site.sa.org(f"/teams/{team['id']}/onboarding"), {"content": text})).ok()
    async with asyncio.timeout(SECONDS_MAX), visiting(browser, site, site.sa) as page:
        await page.goto("/agents")
        await page.get_by_role("button", name="Onboarding document: Marked").click()
        form = page.get_by_role("dialog")
        await expect(form.get_by_label("Text (Markdown)")).to_be_focused()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("!")
        await expect(form.get_by_role("region", name="Preview")).to_contain_text("!")
        assert await longest_run(page) == MARKS_MAX
        await form.get_by_role("button", name="Save").click()
        await expect(form).to_have_count(0)
    assert (await site.sa.get(site.sa.org(f"/teams/{team['id']}"))).ok()["onboardingDoc"] == text + "!"


async def test_titles_keep_their_marks(browser: Browser, site: World) -> None:
    title = "Z" + "\u0336" * 400
    board, one = await _make(site, title, "Text")
    async with visiting(browser, site, site.sa) as page:
        await page.goto(f"/b/{board.id}")
        await wait_until_ready(page)
        assert title[:31] in await page.title()
        assert await longest_run(page) == MARKS_MAX
        await page.locator("li.card a.name").focus()
        await page.keyboard.press("e")
        await expect(page.get_by_role("textbox", name="Title")).to_be_focused()
        assert await longest_run(page) == MARKS_MAX
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("textbox", name="Title")).to_have_count(0)
        assert _writes(page) == []
        await page.keyboard.press("e")
        await expect(page.get_by_role("textbox", name="Title")).to_be_focused()
        await page.keyboard.press("End")
        await page.keyboard.type("!")
        async with page.expect_response(lambda response: response.request.method == "PATCH"):
            await page.keyboard.press("Enter")
        await expect(page.locator("li.card a.name")).to_have_text(f"{title[:31]}!")
        await expect(page.get_by_role("textbox", name="Title")).to_have_count(0)
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["title"] == title + "!"


async def test_runs_of_marks_are_limited_and_nothing_else(browser: Browser, site: World) -> None:
    family = "\U0001f468\U0001f3fd\u200d\U0001f469\U0001f3fb\u200d\U0001f466"  # with skin colors
    flag = "\U0001f3f4" + "".join(map(chr, (0xE0067, 0xE0062, 0xE0073, 0xE0063, 0xE0074, 0xE007F)))  # of Scotland
    kept = ["", "plain", "x" * 1000, "Ä" * 100, family * 20, flag * 20, "e\u0301" * 500, "Z" + "\u0336" * 30]
    thai, hindi = "\u0e19\u0e35\u0e49\u0e01\u0e47", "\u0939\u093f\u0928\u094d\u0926\u0940"
    kept += [thai * 50, hindi * 50, "\u0336" * 30 + "x" + "\u0336" * 30, "\ud800" * 40]
    cut = {"Z" + mark * count + "Z": "Z" + mark * 30 + "Z" for mark in MARKS.values() for count in (31, 5000)}
    cut |= {"\u0336\u05b0" * 20: "\u0336\u05b0" * 15}
    async with visiting(browser, site) as page:
        await page.goto("/sign-in")
        assert await page.evaluate(LIMIT, kept) == kept
        assert await page.evaluate(LIMIT, list(cut)) == list(cut.values())
