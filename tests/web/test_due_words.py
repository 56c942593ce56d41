"""Due dates in natural words: what the page understands, in which zone, and what it says before it saves."""

import pytest
from playwright.async_api import Browser, expect

from ..world import World
from .boards import card, visit_board
from .browser import PHONE, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOW = "2026-11-26T10:00:00Z"  # a Thursday
# Locale, text, and the due date that it means in a browser in New York.
MEANINGS: list[tuple[str, str, str | None]] = [
    ("en-US", "today", "2026-11-26"),
    ("en-US", " Tomorrow ", "2026-11-27"),
    ("en-US", "fri", "2026-11-27"),
    ("en-US", "on Thursday", "2026-12-03"),  # never the same day
    ("en-US", "tues", "2026-12-01"),
    ("en-US", "in 3 days", "2026-11-29"),
    ("en-US", "in a day", "2026-11-27"),
    ("en-US", "in two weeks", "2026-12-10"),
    ("en-US", "in 3 months", "2027-02-26"),
    ("en-US", "next week", "2026-12-03"),
    ("en-US", "3/12", "2027-03-12"),
    ("en-US", "11/26", "2026-11-26"),  # today included
    ("en-US", "11/25", "2027-11-25"),
    ("en-US", "2/29", "2028-02-29"),
    ("en-US", "12/24/27", "2027-12-24"),
    ("en-US", "2026-12-24", "2026-12-24"),
    ("en-US", "2020/1/5", "2020-01-05"),
    ("en-US", "Dec 4", "2026-12-04"),
    ("en-US", "December 4th, 2028", "2028-12-04"),
    ("en-US", "the 1st of sept", "2027-09-01"),
    ("en-US", "fri 14:00", "2026-11-27T19:00:00.000Z"),
    ("en-US", "14:00 dec 4", "2026-12-04T19:00:00.000Z"),
    ("en-US", "tomorrow at 3 pm", "2026-11-27T20:00:00.000Z"),
    ("en-US", "3pm", "2026-11-26T20:00:00.000Z"),
    ("en-US", "4:59", "2026-11-27T09:59:00.000Z"),  # has passed today
    ("en-US", "fri 12am", "2026-11-27T05:00:00.000Z"),
    ("en-US", "Fri, 4 Dec 2026", "2026-12-04"),  # as people copy them
    ("en-US", "Fri, Nov 27, 2026, 2:00\u202fPM", "2026-11-27T19:00:00.000Z"),
    ("en-GB", "12/3", "2027-03-12"),
    ("en-GB", "Sat 12/12 9:00", "2026-12-12T14:00:00.000Z"),
    ("ar-EG", "الجمعة، ٢٧ نوفمبر ٢٠٢٦", "2026-11-27"),
    ("ar-EG", "١٢/٣", "2027-03-12"),
    ("fa", "۲۰۲۶-۱۲-۲۴", "2026-12-24"),
    ("fa", "۲۴ دسامبر", "2026-12-24"),
    ("fa", "۲۴ دی", None),  # a month of another calendar
    ("de", "Fr., 27. Nov. 2026, 14:00", "2026-11-27T19:00:00.000Z"),
    ("de", "12.3.", "2027-03-12"),
    ("de", "12. 3. 2028", "2028-03-12"),
    ("de", "24. Dezember 14:00", "2026-12-24T19:00:00.000Z"),
    ("de", "Mo", "2026-11-30"),
    ("de", "friday", "2026-11-27"),
    ("fr", "4 fevrier", "2027-02-04"),
    ("es", "4 de diciembre", "2026-12-04"),
    ("ru", "4 декабря", "2026-12-04"),
    ("ja", "12/24", "2026-12-24"),
    *[
        ("en-US", text, None)
        for text in (
            "",
            "soon",
            "5",
            "13/5",
            "2026-02-30",
            "dec",
            "fri 25:00",
            "13pm",
            "fri 10:60",
            "in 0 days",
            "in x weeks",
            "mon 4 dec 2026",  # a Friday
            "fri 30",
            "4 dec fri",
        )
    ],
    *[
        ("en-US", text, None)
        for text in ("dec 32", "1 2 3 dec", "friday review", "in 9999 weeks", "3/12/202", "0/0", "pm")
    ],
]
PARSE = """async ([now, zone, texts]) => {
    const { parseDueWords } = await import("/core/due-words.js");
    const { setTimeZone } = await import("/core/format.js");
    setTimeZone(zone);
    return texts.map(([locale, text]) => parseDueWords(text, Date.parse(now), locale));
}"""

SAY = """async ([due, locales]) => {
    const { formatDueInFull, parseDueWords } = await import("/core/due-words.js");
    const texts = locales.map((locale) => formatDueInFull(due, locale));
    const isSame = (text, at) => parseDueWords(text, Date.parse("2026-11-26"), locales[at]) === due;
    return texts.map((text, at) => [text.replace("\\u202f", " "), isSame(text, at)]);
}"""
FRIDAY = "2026-12-04T19:00:00.000Z"
SAID = [["Fri, Dec 4, 2026, 2:00 PM", True], ["Fri, 4 Dec 2026, 14:00", True], ["Fr., 4. Dez. 2026, 14:00", True]]


async def test_words_mean_days_of_the_organization_and_times_of_the_browser(browser: Browser, site: World) -> None:
    async with visiting(browser, site, timezone_id="America/New_York") as page:
        await page.goto("/sign-in")
        texts = [[locale, text] for locale, text, _ in MEANINGS]
        found = await page.evaluate(PARSE, [NOW, "UTC", texts])
        assert [(*text, due) for text, due in zip(texts, found, strict=True)] == MEANINGS
        # What the page says of a date means that date.
        assert await page.evaluate(SAY, [FRIDAY, ["en-US", "en-GB", "de"]]) == SAID
        # In Tokyo it is Friday already.
        late = [["en-US", text] for text in ("today", "fri", "tomorrow", "14:00")]
        meanings = [
            "2026-11-27",
            "2026-12-04",
            "2026-11-28",
            "2026-11-26T19:00:00.000Z",
        ]  # a time alone is the next one
        assert await page.evaluate(PARSE, ["2026-11-26T16:00:00Z", "Asia/Tokyo", late]) == meanings
        [passed] = await page.evaluate(PARSE, [NOW, "Pacific/Niue", [["en-US", "4:59"]]])  # where it is Wednesday
        assert passed == "2026-11-27T09:59:00.000Z"


async def test_a_card_gets_a_due_date_with_two_clicks_or_by_words(browser: Browser, site: World) -> None:
    board = await site.board(title="Due words")
    one = await site.card(board, title="Write")
    path = f"/cards/{one['id']}"
    async with visiting(browser, site, site.sa, viewport=PHONE, locale="de", timezone_id="Asia/Tokyo") as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        dialog = page.get_by_role("dialog", name=one["key"])
        due = dialog.get_by_role("button", name="Due: ")
        await due.click()
        await dialog.get_by_role("button", name="Tomorrow").click()
        await expect(dialog.get_by_role("textbox", name="Due")).to_have_count(0)
        assert (await site.sa.get(path)).ok()["dueAllDay"] is True
        await due.click()
        field = dialog.get_by_role("textbox", name="Due")
        await field.fill("24.12.2030 14:30")
        await expect(dialog.get_by_role("status").filter(has_text="Di., 24. Dez. 2030, 14:30")).to_be_visible()
        await field.fill("someday")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("alert").filter(has_text="“someday” is not a date")).to_be_visible()
        await expect(field).to_be_focused()
        await expect(field).to_have_attribute("aria-invalid", "true")
        await field.fill("24. Dez. 2030")
        await page.keyboard.press("Enter")
        await expect(due).to_have_accessible_name("Due: 24. Dez. 2030")
        now = (await site.sa.get(path)).ok()
        assert (now["dueDate"], now["dueAllDay"]) == ("2030-12-24T00:00:00.000Z", True)
        await due.click()
        await dialog.get_by_role("button", name="No due date").click()
        await expect(due).to_have_accessible_name("Due: None")
        assert (await site.sa.get(path)).ok()["dueDate"] is None
        # The calendar begins with the day that the page shows, which is the one of the browser.
        (await site.sa.patch(path, {"dueDate": "2030-12-24T16:00:00Z"})).ok()
        await expect(due).to_have_accessible_name("Due: 25.12.2030, 01:00")
        await due.click()
        await dialog.get_by_role("button", name="Calendar").click()
        await expect(dialog.locator("input[type=date]")).to_have_value("2030-12-25")


async def test_the_shortcut_for_due_dates_takes_words(browser: Browser, site: World) -> None:
    board = await site.board(title="By shortcut")
    await site.card(board, title="Press d")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await card(page, "Press d").get_by_role("link").focus()
        await page.keyboard.press("d")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("textbox", name="Due date").fill("whenever")
        await page.keyboard.press("Enter")
        await expect(dialog.get_by_role("alert")).to_contain_text("“whenever” is not a date")
        await dialog.get_by_role("textbox", name="Due date").fill("dec 24 2030")
        await expect(dialog.get_by_text("Tue, Dec 24, 2030", exact=True)).to_be_visible()
        await page.keyboard.press("Enter")
        await expect(dialog).to_have_count(0)
        await expect(card(page, "Press d")).to_contain_text("Dec 24, 2030")
