"""The palette: boards, screens, actions and cards are found by words and reached by keyboard alone."""

import pytest
from playwright.async_api import Browser, expect

from ..world import World
from .axe import findings_in_both_themes
from .boards import card, column, shown
from .browser import PHONE, intercept, visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_board_and_a_card_are_found_and_opened_by_keyboard_alone(
    browser: Browser, site: World, axe: str
) -> None:
    board, other = await site.board(title="Palette one"), await site.board(title="Palette <i>two</i>")
    far = await site.card(other, title="Sharpen the <b>scissors</b>")
    async with visiting(browser, site, site.sa) as page:
        await shown(page, board)
        await page.keyboard.press("Control+k")
        field, options = page.get_by_role("combobox"), page.get_by_role("option")
        await expect(field).to_be_focused()
        await page.keyboard.type("palette two")
        await expect(options).to_have_count(1)
        await expect(options.first).to_contain_text("Palette <i>two</i> board")
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Palette <i>two</i>", level=1)).to_be_visible()
        await page.keyboard.press("Control+k")
        await field.fill("scissors")
        await expect(options).to_have_text([f"Sharpen the <b>scissors</b> Palette <i>two</i>{far['key']}"])
        await field.fill(far["key"].lower())
        await expect(options).to_have_count(1)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name=f"{far['key']} Sharpen")).to_be_visible()


async def test_an_action_is_done_where_the_focus_was(browser: Browser, site: World) -> None:
    board = await site.board(title="Acting")
    await site.card(board, "Todo", title="Acted upon")
    async with visiting(browser, site, site.sa) as page:
        await shown(page, board)
        await card(page, "Acted upon").get_by_role("link").focus()
        await page.keyboard.press("Control+k")
        await page.keyboard.press("Shift+E")  # while it is being opened no key does what it does elsewhere
        field, options = page.get_by_role("combobox"), page.get_by_role("option")
        await expect(field).to_be_focused()
        await field.fill("move to …")
        await expect(options).to_have_count(1)
        await expect(options.first).to_contain_text("m")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("menu")).to_contain_text("In Progress")
        await page.keyboard.press("Escape")
        await expect(card(page, "Acted upon").get_by_role("link")).to_be_focused()
        await page.keyboard.press("Control+k")
        await expect(field).to_be_focused()
        await page.keyboard.press("ArrowUp")
        last = page.get_by_role("option").last
        await expect(last).to_have_attribute("aria-selected", "true")
        name = await last.get_attribute("id")
        await expect(page.get_by_role("combobox")).to_have_attribute("aria-activedescendant", name or "")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog", name="Palette")).to_be_hidden()
        await expect(card(page, "Acted upon").get_by_role("link")).to_be_focused()


async def test_what_is_not_found_is_said_and_a_lost_line_too(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.member, viewport=PHONE) as page:
        await page.goto("/")
        await expect(page.get_by_role("heading", name="Home", level=1)).to_be_visible()
        await page.keyboard.press("Control+k")
        await page.get_by_role("combobox").fill("zebra crossing")
        await expect(page.get_by_role("status").filter(has_text="No results.")).to_be_visible()
        assert await page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        await intercept(page, "**/search?*", lambda route: route.abort())
        await page.get_by_role("combobox").fill("anything")
        await expect(page.get_by_text("cannot be reached")).to_be_visible()


async def test_the_palette_has_what_keys_do_and_a_freeze_that_ends_by_mistake_goes_on(
    browser: Browser, site: World
) -> None:
    board = await site.board(title="All actions")
    await site.card(board, "Todo", title="Acted on")
    async with visiting(browser, site, site.sa) as page, visiting(browser, site, site.member) as other:
        await shown(page, board)

        async def do(words: str) -> None:
            await page.keyboard.press("Control+k")
            await expect(page.get_by_role("combobox")).to_be_focused()
            await page.get_by_role("combobox").fill(words)
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("dialog", name="Palette")).to_be_hidden()

        await card(page, "Acted on").get_by_role("link").focus()
        await do("select / deselect")
        await expect(page.get_by_role("region", name="Selected cards")).to_contain_text("1 card selected")
        await do("deselect all")
        await expect(page.get_by_role("region", name="Selected cards")).to_be_hidden()
        await card(page, "Acted on").get_by_role("link").focus()
        await do("move to next")
        await expect(column(page, "In Progress").locator("li.card")).to_have_count(1)
        await do("undo the last")
        await expect(column(page, "Todo").locator("li.card")).to_have_count(1)
        await do("freeze all")
        await page.get_by_label("Reason").fill("They <b>run</b>")
        await page.get_by_role("button", name="Freeze", exact=True).click()
        await page.get_by_role("button", name="Unfreeze agents").click()
        await page.locator(".toast").get_by_role("button", name="Undo").click()
        await expect(page.get_by_text("Agents are frozen: They <b>run</b>")).to_be_visible()
        await do("go to the agents")
        await expect(page.get_by_role("heading", name="Agents", level=1)).to_be_visible()
        await do("go to reports")
        await expect(page.get_by_role("heading", name="Reports", level=1)).to_be_visible()
        await shown(other, board)
        await other.keyboard.press("Control+k")
        await other.get_by_role("combobox").fill("freeze")
        await expect(other.get_by_text("No results.")).to_be_visible()
        (await site.sa.delete(site.sa.org("/freeze"))).ok()
