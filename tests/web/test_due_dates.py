"""Due dates on the page: a day is that day in every time zone of a browser and ends where the organization is."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .boards import card, titles, visit_board
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
WEST, EAST = "America/Los_Angeles", "Asia/Tokyo"
FIRST, LAST = "Pacific/Kiritimati", "Pacific/Niue"  # where a day ends first and last, 25 hours apart


async def stored(site: World, one: dict[str, Any]) -> tuple[str, bool]:
    now = (await site.sa.get(f"/cards/{one['id']}")).ok()
    return now["dueDate"], now["dueAllDay"]


async def fill_due(page: Page, before: str, words: str) -> None:
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Due: ").click()
    await expect(dialog.get_by_role("textbox", name="Due")).to_have_value(before)
    await dialog.get_by_role("textbox", name="Due").fill(words)
    await page.keyboard.press("Enter")


@pytest.mark.slow
async def test_a_day_is_shown_and_edited_as_that_day_west_and_east_of_greenwich(browser: Browser, site: World) -> None:
    board = await site.board(title="Days of readers")
    for day in ("2031-03-09", "2031-11-02"):  # summer time begins and ends in the west
        await site.card(board, title=day, dueDate=day)
    for zone, moment in ((WEST, "2031-05-05T06:30:00.000Z"), (EAST, "2031-05-04T14:30:00.000Z")):
        one = await site.card(board, title=f"In {zone}")
        async with visiting(browser, site, site.sa, timezone_id=zone) as page:
            await visit_board(page, board)
            await expect(card(page, "2031-03-09")).to_contain_text("Mar 9, 2031")
            await expect(card(page, "2031-11-02")).to_contain_text("Nov 2, 2031")
            await card(page, one["title"]).get_by_role("link").click()
            dialog = page.get_by_role("dialog")
            await fill_due(page, "", "2031-05-04")
            await expect(dialog.get_by_role("button", name="Due: May 4, 2031")).to_be_visible()
            await expect(dialog.get_by_text("the due date to May 4, 2031")).to_be_visible()
            assert await stored(site, one) == ("2031-05-04T00:00:00.000Z", True)
            await fill_due(page, "2031-05-04", "2031-05-04 23:30")
            await expect(dialog.get_by_role("button", name="Due: May 4, 2031, 11:30")).to_be_visible()
            await expect(dialog.get_by_text("the due date to May 4, 2031, 11:30")).to_be_visible()
            assert await stored(site, one) == (moment, False)
            await page.keyboard.press("Escape")
            await expect(card(page, one["title"])).to_contain_text("May 4, 2031")
            await card(page, one["title"]).hover()
            await page.keyboard.press("d")
            await expect(page.get_by_label("Due date")).to_have_value("2031-05-04 23:30")
            await page.get_by_label("Due date").fill("2031-05-06")
            async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
                await page.get_by_role("button", name="Save").click()
            await expect(card(page, one["title"])).to_contain_text("May 6, 2031")
        assert await stored(site, one) == ("2031-05-06T00:00:00.000Z", True)


async def test_a_day_is_late_when_it_has_ended_in_the_zone_of_the_organization(browser: Browser, site: World) -> None:
    board = await site.board(title="Late where")
    today = (datetime.now(UTC) - timedelta(hours=11)).date()  # the day where it is the earliest
    await site.card(board, title="today", dueDate=today.isoformat())
    await site.card(board, title="passed", dueDate=(datetime.now(UTC) - timedelta(minutes=5)).isoformat())
    await site.card(board, title="next week", dueDate=(today + timedelta(days=9)).isoformat())
    async with visiting(browser, site, site.sa, timezone_id=EAST) as page:
        for zone, late in ((FIRST, ["today", "passed"]), (LAST, ["passed"])):
            await page.goto("/settings/data")
            await page.get_by_role("button", name="Change the time zone").click()
            dialog = page.get_by_role("dialog")
            await dialog.get_by_label("Time zone").fill(zone)
            await dialog.get_by_role("button", name="Save").click()
            await expect(page.get_by_text(f"{zone}: what is due")).to_be_visible()
            await visit_board(page, board)
            await expect(card(page, "today").locator(".due")).to_have_class(
                "due late" if "today" in late else "due soon"
            )
            await visit_board(page, board, "?due=late")
            await expect(card(page, "next week")).to_have_count(0)
            assert await titles(page, "Todo") == late
            await visit_board(page, board, "?due=week")
            await expect(card(page, "next week")).to_have_count(0)
            await expect(card(page, "today")).to_have_count(int(zone == LAST))  # elsewhere it is yesterday
        await visit_board(page, board)
        (await site.sa.patch(site.sa.org(), {"timezone": FIRST})).ok()  # while the board is open
        await expect(card(page, "today").locator(".due")).to_have_class("due late")
    (await site.sa.patch(site.sa.org(), {"timezone": "UTC"})).ok()


async def test_a_card_that_is_done_or_complete_is_nowhere_late(browser: Browser, site: World) -> None:
    board = await site.board(title="Met")
    complete = await site.field(board, "due_complete", "checkbox")
    value = [{"fieldId": complete, "value": "true"}]
    late = await site.card(board, title="Late one", dueDate="2026-01-05")
    met = await site.card(board, title="Met one", dueDate="2026-01-05", fieldValues=value)
    done = await site.card(board, title="Done one", dueDate="2026-01-05", columnId=board.columns["Done"])
    async with visiting(browser, site, site.sa) as page:
        for one, is_late in ((late, True), (met, False), (done, False)):
            await page.goto(f"/b/{board.id}/c/{one['key']}")
            dialog = page.get_by_role("dialog", name=one["key"])
            await expect(dialog.get_by_text("Jan 5").or_(dialog.get_by_text("d late")).first).to_be_attached()
            await expect(dialog.get_by_text("d late")).to_have_count(2 * is_late)  # property, and summary for phones
            await page.keyboard.press("Escape")
            tile = card(page, one["title"])
            await expect(tile).to_be_visible()
            assert ("d late" in (await tile.inner_text())) == is_late
            assert ("d late" in (await tile.get_by_role("link").get_attribute("aria-label") or "")) == is_late
