"""What fits the window: no screen scrolls sideways as a whole, and the title of a board stays readable."""

from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from ..forms import upload
from ..world import World
from .boards import wait_until_ready
from .browser import PHONE, visiting
from .everything import HOSTILE

pytestmark = pytest.mark.asyncio(loop_scope="session")
WIDTHS = (1600, 1440, 1024, 900, 720, 719, 600, 390, 320)
# What scrolls sideways and may not, and what lies right of the window without a way to scroll there.
TOO_WIDE = """() => {
    const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX);
    const mayScroll = (one) => one.matches(".columns, .matrix-frame, .numbers-frame, .settings-nav, pre, .wide");
    const area = ({parentElement: around}) => around && (scrolls(around) ? around : area(around));
    const name = (one) => `${one.tagName}.${one.className.baseVal ?? one.className} ${one.textContent.slice(0, 40)}`;
    const all = [...document.querySelectorAll("body, body *")].filter((one) =>
        one.checkVisibility({visibilityProperty: true}) && !one.closest(".visually-hidden, .skip, .toasts"));
    const sideways = all.filter((one) =>
        scrolls(one) && one.scrollWidth > one.clientWidth + 1 && !mayScroll(one) && one.tagName !== "INPUT");
    const outside = all.filter((one) => {
        const {right, width} = one.getBoundingClientRect();
        return width > 1 && right > innerWidth + 1 && !area(one) && !one.closest("svg");
    });
    const clipped = document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth;
    return [clipped ? "the page" : "", ...sideways.map(name), ...outside.map(name)].filter(Boolean);
}"""

# How wide the visible part of the board's title is, how wide its text would be, and how many buttons lie outside.
TITLE = """() => {
    const title = document.querySelector("h1");
    const box = title.getBoundingClientRect();
    const seen = document.elementFromPoint(box.left + 5, box.top + box.height / 2) === title;
    const buttons = [...document.querySelectorAll("main > header button")].filter((one) => one.checkVisibility());
    const boxes = buttons.map((one) => one.getBoundingClientRect());
    const lost = boxes.filter(({left, right}) => left < 0 || right > innerWidth);
    const width = seen ? Math.min(box.right, innerWidth) - box.left : 0;
    return {lost: lost.length, buttons: buttons.length, width, full: title.scrollWidth, right: box.right};
}"""


async def resized(page: Page, width: int) -> None:
    """Give the window another width, and let the page follow it."""
    await page.set_viewport_size({"width": width, "height": 800})
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.slow
async def test_public_pages_do_not_scroll_sideways(browser: Browser, site: World) -> None:
    problems: dict[str, Any] = {}
    async with visiting(browser, site) as page:
        for address, text in (("/", "Sign in"), ("/api/docs", "Cards")):
            await page.goto(address)
            await expect(page.get_by_text(text).first).to_be_visible()
            for width in WIDTHS:
                await resized(page, width)
                if found := await page.evaluate(TOO_WIDE):
                    problems[f"{address} at {width}"] = found
    assert problems == {}


async def test_the_title_of_a_board_is_readable_at_each_width(browser: Browser, site: World) -> None:
    long, short = await site.board(title="Titled " + HOSTILE), await site.board(title="Release 2.4")
    for number in range(6):
        await site.agent(f"filterer-{number}")
    async with visiting(browser, site, site.sa) as page:
        for board in (long, short):
            for query in ("", "?q=nothing"):
                await page.goto(f"/b/{board.id}{query}")
                await wait_until_ready(page)
                for width in WIDTHS:
                    await resized(page, width)
                    title = await page.evaluate(TITLE)
                    assert title["buttons"] >= 2
                    assert title["lost"] == 0, (board.id, query, width)
                    assert title["right"] <= width, (board.id, query, width)
                    assert title["width"] >= min(120, title["full"] - 1), (board.id, query, width, title)
                    assert await page.evaluate(TOO_WIDE) == [], (board.id, query, width)


CUT_OFF = """() => {
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    const {right} = dialog.getBoundingClientRect();
    const seen = [...dialog.querySelectorAll("*")].filter((one) => one.checkVisibility());
    const cut = seen.filter((one) => one.getBoundingClientRect().right > right + 1);
    const squeezed = seen.filter((one) => one.matches(".files .small") && one.offsetHeight > 30);
    return [...cut, ...squeezed].map((one) => `${one.localName}.${one.className} ${one.textContent.slice(0, 30)}`);
}"""


async def test_words_without_an_end_stay_inside_the_open_card_and_its_dialogs(browser: Browser, site: World) -> None:
    word = "Donaudampfschifffahrtsgesellschaft" * 3
    board = await site.board(title="Endless words")
    (await site.sa.patch(site.sa.org(f"/columns/{board.columns['In Progress']}"), {"title": word})).ok()
    text = [{"fieldId": board.field("description"), "value": f"- [ ] {word}"}]
    one = await site.card(board, title=word, fieldValues=text)
    await upload(site, one, board.field("attachments"), file_name=f"{word}.txt")
    name = (await site.sa.get("/auth/me")).ok()["fullName"]
    (await site.sa.patch("/settings/profile", {"fullName": word})).ok()
    (await site.sa.post(f"/cards/{one['id']}/comments", {"content": word})).ok()
    async with visiting(browser, site, site.sa, viewport=PHONE) as page:
        await page.goto(f"/b/{board.id}/c/{one['key']}")
        card = page.get_by_role("dialog", name=one["key"])
        await expect(card.get_by_role("article")).to_contain_text(word)
        await expect(card.get_by_role("button", name=word, exact=True)).to_be_visible()  # of the move
        assert await page.evaluate(CUT_OFF) == []
        await card.get_by_role("button", name="Split…").click()
        await expect(page.get_by_role("button", name="Create parts")).to_be_in_viewport()
        assert await page.evaluate(CUT_OFF) == []
    (await site.sa.patch("/settings/profile", {"fullName": name})).ok()
