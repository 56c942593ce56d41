"""Dates and numbers have the form of the browser's language, wherever they stand."""

import pytest
from playwright.async_api import Browser, expect

from ..many_cards import Many
from ..world import World
from .boards import card, column, shown
from .browser import visiting
from .test_reports import multiplied, opened

pytestmark = pytest.mark.asyncio(loop_scope="session")
FORMS = {
    "en-US": ("Jan 5, 2031", "1,201", "1,234.50", "1,000,000"),
    "de-DE": ("5. Jan. 2031", "1.201", "1.234,50", "1.000.000"),
}


@pytest.mark.slow
async def test_dates_and_numbers_follow_the_language_of_the_browser(browser: Browser, site: World) -> None:
    board = await site.board(title="Numbers")
    amount, start = await site.field(board, "amount", "number"), await site.field(board, "start", "date")
    values = [{"fieldId": amount, "value": "1234.50"}, {"fieldId": start, "value": "2031-01-05"}]
    made = await site.card(board, title="Due one", fieldValues=values, assignedUserId=site.sa.id)
    (await site.sa.patch(f"/cards/{made['id']}", {"dueDate": "2031-01-05"})).ok()
    Many(site, board).fill(1200, "Todo")
    for locale, (day, count, decimal, million) in FORMS.items():
        async with visiting(browser, site, site.sa, locale=locale) as page:
            await shown(page, board)
            await expect(card(page, "Due one")).to_contain_text(day)
            await expect(column(page, "Todo").locator("header")).to_contain_text(count)
            await card(page, "Due one").get_by_role("link").click()
            dialog = page.get_by_role("dialog", name="Due one")
            await expect(dialog.get_by_text(f"changed the due date to {day}")).to_be_visible()
            await expect(dialog.get_by_text(decimal)).to_be_visible()
            await expect(dialog.locator("aside").get_by_text(day)).to_have_count(
                3
            )  # the due date, the field, and the history
            await page.goto("/")
            await expect(page.get_by_text(day)).to_be_visible()
            await page.route("**/analytics**", multiplied)
            await opened(page, f"?project={board.id}&days=7")
            await expect(page.locator("svg.chart text").get_by_text(million).first).to_be_visible()
