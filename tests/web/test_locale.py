"""Dates and numbers have the form of the browser's language, wherever they stand."""
# ruff: noqa: RUF001 (signs that look like others are what is typed)

import pytest
from playwright.async_api import Browser, expect

from ..many_cards import Many
from ..world import World
from .boards import card, column, visit_board
from .browser import visiting
from .test_home import ask
from .test_reports import multiplied, open_screen

pytestmark = pytest.mark.asyncio(loop_scope="session")
FORMS = {
    "en-US": ("Jan 5, 2031", "1,201", "1,234.50", "1,000,000"),
    "de-DE": ("5. Jan. 2031", "1.201", "1.234,50", "1.000.000"),
    "ar-EG": ("٥ يناير ٢٠٣١", "١٬٢٠١", "١٬٢٣٤٫٥٠", "١٬٠٠٠٬٠٠٠"),
}
# What is typed, by locale, and the number that it means; None is refused, and "both" with the two meanings.
EVERYWHERE = {
    "12.5": "12.5",
    "12,5": "12.5",
    " -3 ": "-3",
    "−3,25": "-3.25",
    ".5": "0.5",
    "0,125": "0.125",
    "1234,567": "1234.567",
    "1.234,5": "1234.5",
    "1,234.50": "1234.50",
    "1.234.567": "1234567",
    "12,34,567": "1234567",
    "1 234,5": "1234.5",
    "1’234.5": "1234.5",
    "１２，５": "12.5",
    **dict.fromkeys(("", "-", "1e5", "5,", "12 34", "1,2,3", "1,234,5", "1,234,567,89", "1,2.3,4", "<b>1</b>", "½")),
}
TYPED = {
    "en-US": EVERYWHERE | {"1.234": "1.234", "1,234": "both 1234 or 1.234"},
    "de-DE": EVERYWHERE | {"1,234": "1.234", "-1.234": "both 1234 or 1,234"},
    "ar-EG": EVERYWHERE | {"١٢٫٥": "12.5", "١٬٢٣٤": "1234", "1.234": "1.234"},
}
PARSE = """async (texts) => {
    const { parseNumber } = await import("/core/parse-number.js");
    const meaning = ({ number, problem }) => number ?? problem.replace(/.*two numbers[.] Type (.*)[.]/, "both $1");
    return texts.map((text) => meaning(parseNumber(text)));
}"""
FORMAT = """async () => {
    const { describeDueDate, formatAge, formatTimeLeft, joinNames } = await import("/core/format.js");
    const { plainErrorText } = await import("/core/error-text.js");
    const [now, full, large] = [Date.parse("2026-01-05T12:00Z"), "wip_limit_reached", "payload_too_large"];
    const times = ["2026-01-05T11:48Z", "2026-01-05T09:00Z", "2026-01-02T09:00Z", "2025-11-30T09:00Z"];
    return [
        ...times.map((time) => formatAge(time, now)),
        formatTimeLeft(3_723_000),
        describeDueDate("2026-01-02", now, false).text,
        joinNames([..."abcdefg"]),
        plainErrorText({ code: full, details: { wipLimit: 1200 } }),
        plainErrorText({ code: large, details: { limitBytes: 1_572_864 } })
    ];
}"""


async def test_typed_numbers_have_the_decimal_sign_of_the_language_and_are_never_guessed(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="Typed numbers")
    amount = await site.field(board, "typed_amount", "number", label="Typed amount")
    one = await site.card(board, title="Costs", fieldValues=[{"fieldId": amount, "value": "1234.50"}])
    for locale, meanings in TYPED.items():
        async with visiting(browser, site, locale=locale) as page:
            await page.goto("/sign-in")
            found = await page.evaluate(PARSE, list(meanings))
            found = [None if " is not a number. For example 12" in text else text for text in found]
            assert dict(zip(meanings, found, strict=True)) == meanings, locale
            if locale == "ar-EG":
                assert await page.evaluate(FORMAT) == [
                    *("١٢ m", "٣ h", "٣ d", "٥ w", "١:٠٢:٠٣", "٣ d late", "a, b, c and ٤ more"),
                    *("The column is full (limit ١٬٢٠٠).", "A file may have ١٫٥ MiB here."),
                ]
    async with visiting(browser, site, site.sa, locale="de-DE") as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        value = page.get_by_role("button", name="Typed amount: ")
        await value.click()
        field = page.get_by_role("textbox", name="Typed amount")
        await expect(field).to_have_value("1234,50")
        await field.press("Enter")  # nothing was changed
        await value.click()
        for typed, problem in {
            "1.234": "“1.234” can mean two numbers. Type 1234 or 1,234.",
            "<i>": "“<i>” is not a number. For example 12,5.",
        }.items():
            await field.fill(typed)
            await field.press("Enter")
            await expect(page.get_by_role("alert").filter(has_text=problem)).to_be_visible()
            await expect(field).to_have_attribute("aria-invalid", "true")
        await field.fill("1234567,25")
        await expect(page.get_by_text("is not a number")).to_have_count(0)
        await field.press("Enter")
        await expect(page.get_by_role("button", name="Typed amount: 1.234.567,25")).to_be_visible()
        values = (await site.sa.get(f"/cards/{one['id']}")).ok()["fieldValues"]
        assert [value["value"] for value in values if value["fieldId"] == amount] == ["1234567.25"]
        await expect(page.get_by_text("changed “Typed amount” to 1.234.567,25")).to_be_visible()
        await value.click()
        await field.fill("")
        await field.press("Enter")
        await expect(page.get_by_role("button", name="Typed amount: –")).to_be_visible()
        history = (await site.sa.get(f"/cards/{one['id']}/history")).ok()
        assert sum(entry["action"] == "updated" for entry in history) == 2


@pytest.mark.slow
async def test_dates_and_numbers_follow_the_language_of_the_browser(browser: Browser, site: World) -> None:
    board = await site.board(title="Numbers")
    amount, start = await site.field(board, "amount", "number"), await site.field(board, "start", "date")
    todo = {"fieldId": board.field("description"), "value": "- [x] one\n- [ ] two"}
    values = [todo, {"fieldId": amount, "value": "1234.50"}, {"fieldId": start, "value": "2031-01-05"}]
    made = await site.card(board, title="Due one", fieldValues=values, assignedUserId=site.sa.id)
    (await site.sa.patch(f"/cards/{made['id']}", {"dueDate": "2031-01-05"})).ok()
    Many(site, board).fill(1200, "Todo")
    await site.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    await ask(site, board, await site.agent("asker"), "Decide")
    for locale, (day, count, decimal, million) in FORMS.items():
        async with visiting(browser, site, site.sa, locale=locale) as page:
            await visit_board(page, board)
            await expect(card(page, "Due one")).to_contain_text(day)
            await expect(card(page, "Due one")).to_contain_text("١/٢" if locale == "ar-EG" else "1/2")
            await expect(column(page, "Todo").locator("header")).to_contain_text(count)
            await card(page, "Due one").get_by_role("link").click()
            dialog = page.get_by_role("dialog", name="Due one")
            await expect(dialog.get_by_text("changed the due date to").filter(has_text=day)).to_be_visible()
            await expect(dialog.get_by_text(decimal)).to_be_visible()
            await expect(dialog.locator("aside").get_by_text(day)).to_have_count(
                3
            )  # the due date, the field, and the history
            await page.goto("/")
            await expect(page.get_by_text(day)).to_be_visible()
            one = "١" if locale == "ar-EG" else "1"
            await expect(page).to_have_title(f"({one}) Home · Tandem")
            await expect(page.get_by_role("img", name=f"{one} waiting for you").first).to_have_text(one)
            await page.route("**/analytics**", multiplied)
            await open_screen(page, f"?project={board.id}&days=7")
            await expect(page.locator("svg.chart text").get_by_text(million).first).to_be_visible()
