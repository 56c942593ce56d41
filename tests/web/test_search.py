"""Search: cards of all boards by their words and by their key, with what was found marked as text."""

import re

import pytest
from playwright.async_api import Browser, expect

from ..world import World
from .axe import findings_in_both_themes
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_cards_are_found_by_words_and_by_key_on_every_board(browser: Browser, site: World, axe: str) -> None:
    board, other = await site.board(title="First board"), await site.board(title="Other board")
    one = await site.card(board, title="Paint the <b>shed</b>")
    two = await site.card(other, title="Sell it")
    (await site.sa.post(f"/cards/{two['id']}/comments", {"content": "The 🎨 shed <img src=x> is painted"})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/")
        await page.get_by_role("link", name="Search").first.click()
        await expect(page.get_by_label("Search all boards")).to_be_focused()
        await page.keyboard.type("shed")
        rows = page.locator("li.item")
        await expect(rows).to_have_count(2)
        await expect(rows.nth(1)).to_contain_text("Other board · Todo")
        await expect(rows.nth(1).locator("mark")).to_have_text("shed")
        await expect(rows.nth(0)).to_contain_text("Paint the <b>shed</b>")
        assert page.url.endswith("/search?q=shed")
        assert await findings_in_both_themes(page, axe) == []
        await page.get_by_label("Search all boards").fill(two["key"].lower())
        await expect(rows.first).to_contain_text(f"Sell it {two['key']} · Other board · Todo")
        await page.get_by_label("Search all boards").fill("no such words")
        await expect(page.get_by_text("No results.")).to_be_visible()
        await page.get_by_label("Search all boards").fill("#" + two["key"].replace("-", ""))
        await expect(rows.first).to_contain_text(f"Sell it {two['key']}")
        await rows.first.get_by_role("link").click()
        await expect(page.get_by_role("dialog", name=f"{two['key']} Sell it")).to_be_visible()
        await page.goto("/search?q=no+such+words")
        await expect(page.get_by_text("No results.")).to_be_visible()
        await page.goto(f"/search?q={one['key']}")
        await expect(rows.first).to_contain_text(re.compile("Paint the"))
