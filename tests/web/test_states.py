"""Every state of every screen is open to all: in both themes, in forced colours, still, by thumb, enlarged."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from ..world import Board, Client, World
from .axe import findings_in_both_themes
from .boards import card, column, lift_card, visit_board
from .browser import PHONE, until, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
THUMB_PIXELS_MIN = 44
NARROW = {"viewport": {"width": 320, "height": 640}}
ENLARGED = {"viewport": {"width": 720, "height": 450}}  # 1440 pixels at 200 %


async def create_full_card(site: World, title: str) -> tuple[Board, Any, Client]:
    """Make a board with a card that has something of everything: a request, a question, a claim, a file field."""
    board = await site.board(title=title)
    for name in ("Todo", "Review"):
        await site.column(board, name, agentPickupEnabled=True, agentCanModerate=True)
    bot = await site.agent(re.sub(r"\W", "", title))
    one = await site.card(board, "Review", title=f"Card of {title}", priority="high", dueDate="2020-01-01")
    await site.card(board, "Todo", title=f"Second of {title}")
    asks = {"content": "Which **way**?", "asks": True, "options": ["Left", "Right"], "keepClaim": True}
    (await bot.post(f"/cards/{one['id']}/comments/mcp", asks)).ok()
    (
        await bot.post(f"/cards/{one['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"], "note": "Look"})
    ).ok()
    (await bot.post(f"/cards/{one['id']}/claim/mcp", {})).ok()
    return board, one, bot


async def open_card(page: Page, board: Board, one: Any) -> Locator:
    """Open a card by its address."""
    await page.goto(f"/b/{board.id}/c/{one['key']}")
    dialog = page.get_by_role("dialog", name=one["title"])
    await expect(dialog.get_by_role("heading", name="History")).to_be_visible()
    return dialog


async def test_no_state_of_the_whole_page_keeps_anybody_out(browser: Browser, site: World, axe: str) -> None:
    board, _, _ = await create_full_card(site, "Whole page")
    async with visiting(browser, site) as page:
        await page.goto("/")
        await page.get_by_label("E-mail").fill("nobody@example.test")
        await page.get_by_label("Password").fill("not the password")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert").filter(has_text="wrong")).to_be_visible()
        assert await findings_in_both_themes(page, axe) == []
    (await site.sa.post(site.sa.org("/freeze"), {"reason": "A look at frost"})).ok()
    try:
        async with visiting(browser, site, site.sa) as page:
            for address in ("/", f"/b/{board.id}"):
                await page.goto(address)
                await expect(page.get_by_text("Agents are frozen: A look at frost")).to_be_visible()
            await expect(page.locator(".claim")).to_contain_text("paused")
            assert await findings_in_both_themes(page, axe) == []
            await expect(page.get_by_role("img", name="Live")).to_be_visible()
            await page.context.set_offline(True)
            await expect(page.get_by_role("img", name="Connecting…")).to_be_visible(timeout=2000)
            await expect(page.get_by_text("You are offline.")).to_be_visible(timeout=8000)
            assert await findings_in_both_themes(page, axe) == []
            await page.context.set_offline(False)
            await expect(page.get_by_role("img", name="Live")).to_be_visible()
            await expect(page.get_by_text("You are offline.")).to_have_count(0)
    finally:
        (await site.sa.delete(site.sa.org("/freeze"))).ok()


SMALL = """(least) => {
    const targets = "button, a.button, a.tab, a.entry, input:not([type=checkbox], [type=file]), select, textarea";
    return [...document.querySelectorAll(targets)].filter((one) => {
        const {width, height} = one.getBoundingClientRect();
        const isThere = one.checkVisibility({visibilityProperty: true, opacityProperty: true}) && width > 1;
        return isThere && !one.closest(".visually-hidden") && height < least - 0.5;
    }).map((one) => `${one.outerHTML.slice(0, 120)} is ${one.getBoundingClientRect().height} high`);
}"""


async def test_whatever_a_thumb_presses_is_44_pixels_high(browser: Browser, site: World) -> None:
    board, one, _ = await create_full_card(site, "Thumbs")
    async with visiting(browser, site, site.sa, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        await page.goto("/")
        await expect(page.get_by_text("Card of Thumbs").first).to_be_visible()
        assert await page.evaluate(SMALL, THUMB_PIXELS_MIN) == []
        await visit_board(page, board)
        assert await page.evaluate(SMALL, THUMB_PIXELS_MIN) == []
        await visit_board(page, board, "?q=nothing+like+it")
        for name in ("New card", "More filters", "Clear"):
            await expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        dialog = await open_card(page, board, one)
        await expect(dialog.locator(".summary-line")).to_have_text(re.compile("claimed by Thumbs · high · due"))
        assert await page.evaluate(SMALL, THUMB_PIXELS_MIN) == []
        await dialog.get_by_role("button", name="Move to …").tap()
        await expect(page.get_by_role("menu", name="Move to")).to_be_visible()
        assert await page.evaluate(SMALL, THUMB_PIXELS_MIN) == []
        await page.goto("/search?q=Thumbs")
        await expect(page.locator("li.item").first).to_be_visible()
        assert await page.evaluate(SMALL, THUMB_PIXELS_MIN) == []


LOST = """() => [...document.querySelectorAll("main button, main a, dialog button, dialog a, dialog input, main input")]
    .filter((one) => one.checkVisibility({visibilityProperty: true}) && !one.closest(".columns, .visually-hidden"))
    .filter((one) => {
        const {left, right, width} = one.getBoundingClientRect();
        return width > 1 && (left < -1 || right > innerWidth + 1);
    })
    .map((one) => one.outerHTML.slice(0, 120))"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [NARROW, ENLARGED], ids=["narrow", "enlarged"])
async def test_cards_now_and_search_fit_320_pixels_and_200_percent(
    browser: Browser, site: World, options: dict[str, Any]
) -> None:
    board, one, bot = await create_full_card(site, f"Narrow{options['viewport']['width']}")
    long = "Unbreakable" * 20
    other = await site.card(board, "Review", title=long, dueDate="2020-01-01")
    body = {"toColumnId": board.columns["Done"], "note": long}
    (await bot.post(f"/cards/{other['id']}/move-requests/mcp", body)).ok()
    async with visiting(browser, site, site.sa, **options) as page:
        for address, there in (
            ("/", "Waiting for you"),
            (f"/b/{board.id}/c/{one['key']}", "History"),
            (f"/b/{board.id}/c/{other['key']}", "History"),
            (f"/search?q={one['key']}", "Search"),
        ):
            await page.goto(address)
            await expect(page.get_by_role("heading", name=there, exact=True)).to_be_visible()
            await page.wait_for_timeout(300)
            assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), address
            assert await page.evaluate(LOST) == [], address


BORDERS = """() => [".column", "li.card", ".avatar-filter button .avatar", ".button"].filter((selector) => {
    const {borderTopWidth, borderTopStyle} = getComputedStyle(document.querySelector(selector));
    return borderTopStyle === "none" || parseFloat(borderTopWidth) === 0;
})"""


async def test_in_forced_colours_everything_has_an_edge_and_what_is_chosen_is_marked(
    browser: Browser, site: World
) -> None:
    board, _, _ = await create_full_card(site, "Forced")
    async with visiting(browser, site, site.sa, forced_colors="active") as page:
        await visit_board(page, board)
        assert await page.evaluate(BORDERS) == []
        face = page.get_by_role("button", name="Ada Architect").and_(page.locator("[aria-pressed]"))
        await face.click()
        await page.mouse.move(5, 500)
        await page.locator("main").focus()
        outline = "(face) => getComputedStyle(face).outlineStyle"
        assert await face.evaluate(outline) == "solid"
        await face.click()
        await page.keyboard.press("j")
        ring = "() => getComputedStyle(document.activeElement, '::after').outlineStyle"
        assert await page.evaluate(ring) == "solid"
        bar = "(bar) => [getComputedStyle(bar).backgroundColor, getComputedStyle(bar.closest('.card')).backgroundColor]"
        bar_color, card_color = await page.locator(".claim-bar i").first.evaluate(bar)
        assert bar_color != card_color


ANIMATED = """() => {
    const animate = Element.prototype.animate;
    window.animated = 0;
    Element.prototype.animate = function (...how) { window.animated += 1; return animate.apply(this, how); };
}"""


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
async def test_nothing_moves_for_those_who_asked_for_stillness(browser: Browser, site: World, wish: str) -> None:
    board, _, _ = await create_full_card(site, f"Still {wish}")
    async with visiting(browser, site, site.sa, reduced_motion=wish) as page:
        await visit_board(page, board)
        await page.evaluate(ANIMATED)
        await card(page, "Second of Still").get_by_role("link").focus()
        await page.keyboard.press("Shift+ArrowRight")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)
        (await site.member.patch(f"/cards/{(await titled(site, board, 'Second'))['id']}", {"priority": "low"})).ok()
        await expect(card(page, "Second of Still").locator(".priority")).to_have_count(1)
        moving = await page.evaluate("() => [window.animated, document.getAnimations().length]")
        assert (moving == [0, 0]) == (wish == "reduce")
        names = (
            "() => [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).animationName !== 'none')"
        )
        assert (await page.evaluate(names + ".length") == 0) == (wish == "reduce")


async def titled(site: World, board: Board, beginning: str) -> Any:
    """Find a card of a board by the beginning of its title."""
    cards = (await site.sa.get(site.sa.org("/cards"), params={"projectId": board.id})).ok()["items"]
    return next(one for one in cards if one["title"].startswith(beginning))


RECORD_CHANGES = """() => {
    window.changes = [];
    const find = () => changes.push(...(document.body.textContent.match(/[0-9]+ cards? changed[.]/g) ?? []));
    const voice = document.querySelector(".visually-hidden[role=status][aria-live=polite]");
    new MutationObserver(find).observe(voice, { childList: true });
}"""


async def test_own_moves_are_said_at_once_and_those_of_others_now_and_then(browser: Browser, site: World) -> None:
    board, _, _ = await create_full_card(site, "Voices")
    cards = [await site.card(board, "Todo", title=f"Voice {number}") for number in range(3)]
    async with visiting(browser, site, site.sa) as page:
        await page.clock.install()
        await visit_board(page, board)
        voice = page.locator(".visually-hidden[role=status][aria-live=polite]")
        await card(page, "Second of Voices").get_by_role("link").focus()
        await page.keyboard.press("Shift+ArrowLeft")
        await page.clock.run_for(200)
        await expect(page.get_by_role("alert")).to_contain_text("There is no transition from Todo to Backlog.")
        await page.keyboard.press("Shift+ArrowRight")
        await page.clock.run_for(1000)
        await expect(voice).to_contain_text("Second of Voices is now in In Progress, 1 of 1.")
        await page.evaluate(RECORD_CHANGES)
        await page.keyboard.press("Shift+E")  # archived cards and new ones are no changes by others either
        await expect(card(page, "Second of Voices")).to_have_count(0)
        await page.keyboard.press("c")
        await page.keyboard.type("Mine")
        await page.keyboard.press("Enter")
        await expect(card(page, "Mine")).to_be_visible()
        for one in cards:
            (await site.member.patch(f"/cards/{one['id']}", {"priority": "urgent"})).ok()
        for _ in range(30):
            await page.clock.run_for(500)
        await expect(voice).to_contain_text("3 cards changed.")
        assert await page.evaluate("changes") == ["3 cards changed."]


async def test_while_a_card_is_dragged_what_is_closed_says_so_to_everybody(browser: Browser, site: World) -> None:
    board, _, _ = await create_full_card(site, "Lifted")
    async with visiting(browser, site, site.sa) as page:
        await visit_board(page, board)
        await lift_card(page, card(page, "Second of Lifted"))
        await expect(page.locator(".visually-hidden[role=status]")).to_contain_text(
            "is lifted. It can go to In Progress."
        )
        await expect(column(page, "Done").locator(".unavailable-reason")).to_have_text(
            "No transition from Todo to this column."
        )
        await page.keyboard.press("Escape")
        await until(page, "() => !document.querySelector('.drag-preview')")
