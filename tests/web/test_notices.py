"""Notices cover nothing: the page or the dialog makes room for them."""

from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import Board, World
from .boards import column, visit_board
from .browser import until, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
BOARD_SIZES = ((1440, 900), (1024, 768), (720, 700), (390, 700))
NOTICES = """async (count) => {
    const {showToast} = await import("/ui/toast.js");
    const text = "What happened, in one sentence. ".repeat(3);
    const actions = [{label: "Undo", run() {}}];
    for (let at = 0; at < count; at += 1) showToast({title: `Notice ${at}`, text, actions});
}"""

# The number of the lowest card of the last column that is wholly visible.
LOWEST = """() => {
    const scroller = document.querySelector("[aria-label=Done].entries").parentElement;
    const {bottom} = scroller.getBoundingClientRect();
    const cards = [...scroller.querySelectorAll("li.card")];
    return cards.filter((one) => one.getBoundingClientRect().bottom <= bottom).length - 1;
}"""
FOCUS_IS_VISIBLE = """() => {
    const {bottom} = document.activeElement.closest("li").getBoundingClientRect();
    const scroller = document.activeElement.closest(".cards").getBoundingClientRect();
    const notice = document.querySelector(".toast").getBoundingClientRect();
    return bottom <= scroller.bottom + 1 && bottom <= notice.top;
}"""

# Which of these elements cannot be brought to where a click at their middle reaches them.
COVERED = """(selector) => {
    const all = [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
    const covered = all.filter((one) => {
        one.scrollIntoView({block: "nearest", inline: "nearest"});
        const {left, right, top, bottom} = one.getBoundingClientRect();
        return !one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    });
    return [all.length, covered.map((one) => one.textContent || one.className)];
}"""


async def check_uncovered(page: Page, selector: str) -> None:
    """Check that elements are there, and that each of them can be reached."""
    many, covered = await page.evaluate(COVERED, selector)
    assert many, selector
    assert covered == [], selector


async def create_full_board(site: World) -> tuple[Board, dict[str, Any]]:
    """Make a board whose last column is full."""
    board = await site.board(title="Crowded")
    made = [await site.card(board, "Done", title=f"Card {number:02}") for number in range(24)]
    return board, made[0]


SHORT_NOTICE = """async () => {
    const {showToast} = await import("/ui/toast.js");
    showToast({title: "Brief", shown: 300, actions: [{label: "Undo", run() {}}]}).querySelector(".row button").focus();
}"""


async def test_notices_cover_no_card_no_composer_and_no_button_of_a_dialog(browser: Browser, site: World) -> None:
    board, one = await create_full_board(site)
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        # The focused card stays in sight.
        low = column(page, "Done").locator("li.card a.name")
        await low.nth(await page.evaluate(LOWEST)).focus()
        await page.evaluate(NOTICES, 3)
        await until(page, FOCUS_IS_VISIBLE)
        await page.get_by_role("button", name="Add a card to Done").click()
        for width, height in BOARD_SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate(NOTICES, 3)
            undo = page.get_by_role("status").get_by_role("button", name="Undo")
            await expect(undo).to_have_count(3)
            await expect(undo.last).to_be_in_viewport(ratio=1)  # of the newest one
            await column(page, "Done").scroll_into_view_if_needed()
            await check_uncovered(
                page, "[aria-label=Done] li.card, .quick-add textarea, .quick-add input, .toast button"
            )
            await column(page, "Done").locator(".cards").evaluate("(one) => one.scrollTo(0, one.scrollHeight)")
            await check_uncovered(page, "[aria-label=Done] li.card")
            box = await column(page, "Done").locator(".cards").bounding_box()
            assert box is not None
            assert box["height"] > 120  # there is room to work in
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        await expect(page.get_by_role("dialog").locator(".compose textarea")).to_be_attached()
        for width, height in ((1440, 900), (390, 700)):
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate(NOTICES, 3)
            await check_uncovered(
                page, ".compose textarea, .compose button, .card-actions button, .card-bar button, .toast button"
            )
        await page.evaluate("async () => void (await import('/ui/freeze.js')).freezeAgents()")
        await expect(page.get_by_role("dialog", name="Freeze all agents")).to_be_visible()
        for width, height in ((1440, 900), (390, 400)):
            await page.set_viewport_size({"width": width, "height": height})
            await page.evaluate(NOTICES, 3)
            await expect(undo.last).to_be_in_viewport(ratio=1)
            await check_uncovered(page, ".form-dialog .row button, .form-dialog textarea, .toast button")
        await page.get_by_role("button", name="Undo").first.click()
        await expect(page.get_by_role("status").get_by_role("button", name="Undo")).to_have_count(2)


async def test_a_notice_stays_while_the_pointer_or_the_focus_is_on_it(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await page.evaluate(SHORT_NOTICE)
        undo = page.get_by_role("status").get_by_role("button", name="Undo")
        await undo.focus()
        await undo.hover()
        await page.mouse.move(5, 5)
        await page.wait_for_timeout(600)
        await expect(undo).to_be_visible()
        await page.get_by_role("heading", name="Home", level=1).click()
        await page.evaluate("() => document.activeElement.blur()")
        await expect(undo).to_be_hidden()
