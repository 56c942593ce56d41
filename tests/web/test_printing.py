"""Printing: a board with all its cards, a card with its whole text, black on white."""

import re

import pytest
from playwright.async_api import Browser, expect

from ..forms import upload
from ..world import World
from .boards import visit_board
from .browser import PHONE, until, visiting
from .painted import colors
from .pdf import pages_of
from .test_text_editor import picture

pytestmark = pytest.mark.asyncio(loop_scope="session")


def packed(text: str) -> str:
    """Return a text without spaces, as it is read from a PDF."""
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    "options", [{}, {"viewport": PHONE, "has_touch": True, "is_mobile": True}], ids=["desk", "phone"]
)
async def test_a_printed_board_has_the_whole_title_of_each_card(
    browser: Browser, site: World, options: dict[str, object]
) -> None:
    board = await site.board(title="Paper board with a long title " * 3)
    titles = [f"Backlog card number {number} of many." for number in range(60)]
    titles[40] = f"Begin {'and so on ' * 40} to the last word"
    for title in titles:
        await site.card(board, "Backlog", title=title)
    for title in ("Todo", "In Progress", "Review", "Done"):
        titles.append(f"The only card of {title}.")
        await site.card(board, title, title=titles[-1])
    async with visiting(browser, site, site.sa, color_scheme="dark", **options) as page:
        await page.add_init_script(f"localStorage.setItem('tandem.collapsed.{board.columns['Review']}', 'yes')")
        await visit_board(page, board)
        before = await page.locator("li.card").count()
        assert before < len(titles)
        pages = pages_of(await page.pdf(format="A4"))
        text = "".join(pages)
        assert [title for title in titles if packed(title) not in text] == []
        assert packed("Paper board with a long title " * 3) in text
        assert [name for name in ("Newcard", "Settings", "Agents", "AdaArchitect") if name in text] == []
        assert 3 <= len(pages) <= 8, len(pages)
        assert all(pages)
        # Afterwards, only what is near the window is in the document again.
        await until(page, "(most) => document.querySelectorAll('li.card').length < most", before + 6)


async def test_a_printed_card_has_its_whole_text_and_nothing_of_the_board(browser: Browser, site: World) -> None:
    board = await site.board(title="Behind")
    await site.card(board, "Todo", title="Another card")
    paragraphs = "\n\n".join(f"Paragraph {number} of the description." for number in range(80))
    values = [
        {"fieldId": board.field("description"), "value": paragraphs},
        {"fieldId": board.field("tags"), "value": ["to print"]},
    ]
    one = await site.card(board, "Todo", title="Printed card", fieldValues=values, priority="urgent")
    code = "wide code " * 40 + "to its end"
    file = await upload(site, one, board.field("attachments"), picture(), file_name="c.png", mime_type="image/png")
    comment = f"First comment\n\n![Chart](file:{file['id']})\n\n```\n{code}\n```"
    (await site.sa.post(f"/cards/{one['id']}/comments", {"content": comment})).ok()
    (await site.sa.patch(f"/cards/{one['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
    async with visiting(browser, site, site.sa, color_scheme="dark") as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name="Printed card")
        await expect(dialog.get_by_text("First comment")).to_be_visible()
        await expect(dialog.get_by_role("heading", name="History")).to_be_visible()
        pages = pages_of(await page.pdf(format="A4"))
        text = "".join(pages)
        wanted = [
            "Printed card",
            *paragraphs.split("\n\n"),
            "First comment",
            code,
            "urgent",
            "to print",
            one["key"],
            "History",
        ]
        assert [part for part in wanted if packed(part) not in text] == []
        unwanted = ["Another", "Reply", "Undo this", "Relate…", "Archive", "Move to", "Write", "Add a file", "Search"]
        unwanted += ["Add a part", "Add label"]
        assert [part for part in unwanted if packed(part) in text] == []
        assert 2 <= len(pages) <= 6, len(pages)
        await page.emulate_media(media="print")
        await expect(dialog.get_by_role("img", name="Chart")).to_be_visible()


PRINT_STYLES_ARE_LOADED = "() => [...document.styleSheets].some(({href}) => href?.endsWith('/print.css'))"
BLACK_ON_WHITE = """() => [...document.querySelectorAll("body *")].filter((one) => {
    const {color, backgroundColor} = getComputedStyle(one);
    const light = (value) => (value.match(/[\\d.]+/g) ?? []).slice(0, 3).every((part) => Number(part) > 150);
    const isSolid = !/, 0\\)$/.test(backgroundColor);
    return one.checkVisibility() && one.textContent.trim() && (light(color) || (isSolid && !light(backgroundColor)));
}).map((one) => one.outerHTML.slice(0, 100))"""


async def test_what_is_printed_is_dark_on_white_in_the_dark_theme(browser: Browser, site: World) -> None:
    board = await site.board(title="Ink")
    one = await site.card(board, "Todo", title="Dark", priority="high", assignedUserId=site.sa.id)
    async with visiting(browser, site, site.sa, color_scheme="dark") as page:
        for address in (f"/b/{board.id}?priority=high", f"/b/{board.id}/c/{one['key']}", "/"):
            await page.emulate_media(media="screen")
            await page.goto(address)
            await expect(page.get_by_text("Dark").or_(page.get_by_text("Waiting")).first).to_be_visible()
            await until(page, PRINT_STYLES_ARE_LOADED)
            await page.emulate_media(media="print")
            assert await page.evaluate(BLACK_ON_WHITE) == [], address
            [below] = await colors(page, [(700, 880)])  # of a card: below its text
            assert below == (255, 255, 255), address
            assert await page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
            if "?" in address:  # what a board is filtered by is printed, too
                await expect(page.get_by_text("Priority: high")).to_be_visible()
