"""Numbers that people see are those of the lists behind them."""

import pytest
from playwright.async_api import Browser, expect

from ..direct_db import execute
from ..many_cards import Many
from ..resources.test_calling_agent import REQUESTS
from ..world import World
from .boards import card
from .browser import visiting
from .test_home import find_panel, open_board, open_home, row

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_numbers_on_home_are_those_of_the_lists_behind_them(browser: Browser, site: World) -> None:
    board, other = await open_board(site, "Numbers"), await open_board(site, "Other numbers")
    bot = await site.agent("counter")
    Many(site, board).fill(55, "Review")
    await execute(site, REQUESTS, done=board.columns["Done"])
    await execute(site, "UPDATE cards SET due_date = '2026-01-01T00:00:00.000Z' WHERE id LIKE 'card_many_%'")
    for column in ("Todo", "In Progress", "Done"):
        await site.card(other, column, title=f"Late in {column}", dueDate="2026-01-02T00:00:00Z")
    given = await site.card(other, "In Progress", title="Handed over")
    await site.column(other, "Review", agentPickupEnabled=False, agentCanModerate=False)
    await site.column(other, "In Progress", agentPickupEnabled=True, agentCanModerate=True)
    (await bot.patch(f"/cards/{given['id']}/mcp/status", {"toColumnId": other.columns["Review"]})).ok()
    await site.agent("newcomer", approve=False)
    async with visiting(browser, site, site.member) as page:
        await open_home(page)
        mine, others, overdue = (find_panel(page, name) for name in ("Waiting for you", "Needs attention", "Overdue"))
        await expect(mine.locator("li.item[data-id]")).to_have_count(50)
        await expect(mine).to_contain_text("And 5 items more.")
        await expect(page.get_by_role("img", name="55 waiting for you").first).to_be_visible()
        await expect(page).to_have_title("(55) Home · Tandem")
        await expect(others.locator("li.item")).to_have_count(2)  # a member may do nothing about them here
        await expect(others).to_contain_text("Handed over")
        await expect(others).to_contain_text("newcomer waits for approval")
        await expect(others.get_by_role("button")).to_have_count(0)
        assert await overdue.locator("li.item").all_inner_texts() == ["Numbers\n55 cards", "Other numbers\n2 cards"]
        await overdue.get_by_role("link", name="Other numbers").click()
        await expect(page.get_by_role("button", name="2 of 4")).to_be_visible()
        await expect(card(page, "Late in Todo")).to_be_visible()
        await expect(card(page, "Late in Done")).to_have_count(0)
    async with visiting(browser, site, site.sa) as page:
        await open_home(page)
        await expect(page).to_have_title("(55) Home · Tandem")  # to approve an agent is nothing that one has to do now
        await row(page, "newcomer").get_by_role("link").click()
        await expect(page.get_by_role("button", name="Remove newcomer")).to_be_visible()
