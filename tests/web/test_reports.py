"""Reports: charts, the numbers behind each, and a CSV file of them."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def opened(page: Page, query: str = "") -> None:
    """Open the screen and wait until it is there."""
    await page.goto(f"/reports{query}")
    await expect(page.get_by_role("heading", name="Made and closed")).to_be_visible()


async def test_each_picture_has_its_numbers_and_a_file_of_them(browser: Browser, site: World, tmp_path: Path) -> None:
    board = await site.board(title="Figured")
    bot = await site.agent("cmd", approve=False)
    about = {"id": "cmd", "title": "=cmd"}
    team = (await site.sa.get(site.sa.org("/agents"))).ok()[-1]["teamId"]
    (await bot.post(f"/teams/{team}/agents/register", about)).ok()
    (await site.sa.patch("/agents/cmd/approve")).ok()
    for number in range(4):
        one = await site.card(board, "Review", title=f"Card {number}")
        if number < 3:
            (await site.sa.patch(f"/cards/{one['id']}/status", {"toColumnId": board.columns["Done"]})).ok()
    (await bot.post(f"/cards/{one['id']}/comments/mcp", {"content": "Looked at"})).ok()
    async with visiting(browser, site, site.member) as page:
        await opened(page, f"?project={board.id}&days=7")
        await expect(page.get_by_label("Board")).to_have_value(board.id)
        part = page.get_by_role("region", name="Made and closed", exact=True)
        await expect(part.get_by_role("img", name="Made and closed: 7 rows")).to_be_visible()
        assert await part.locator("rect").count() == 14
        await part.get_by_role("button", name="Show numbers").click()
        await expect(part.get_by_role("row").last.get_by_role("cell")).to_have_text(["4", "3"])
        flow = page.get_by_role("region", name="Cumulative flow", exact=True)
        await flow.get_by_role("button", name="Show numbers").press("Enter")
        await expect(flow.get_by_role("columnheader")).to_have_text(["Day", "Review", "Done"])
        await expect(flow.get_by_role("row").last.get_by_role("cell")).to_have_text(["1", "3"])
        await expect(page.get_by_role("region", name="Cycle time", exact=True).locator("circle").first).to_be_visible()
        async with page.expect_download() as found:
            await page.get_by_role("button", name="CSV: Work of agents").click()
        await (await found.value).save_as(tmp_path / "agents.csv")
        told = (tmp_path / "agents.csv").read_text("utf-8-sig")
        assert told.splitlines() == ["Agent,Cards,Moves,Comments", "'=cmd,1,0,1"]


async def test_board_and_days_are_in_the_address_and_whoever_may_not_see_is_told(browser: Browser, site: World) -> None:
    await site.board(title="Quiet")
    async with visiting(browser, site, site.sa) as page:
        await opened(page)
        await page.get_by_label("Days").select_option("90 days")
        await expect(page.get_by_role("region", name="Made and closed", exact=True)).to_be_visible()
        await page.get_by_label("Board").select_option("Quiet")
        await expect(page.get_by_text("No data in this period.").first).to_be_visible()
        await page.wait_for_url("**?*days=90*")
        await page.reload()
        await expect(page.get_by_label("Days")).to_have_value("90")
    rows = (await site.sa.get("/permissions")).ok()
    right = next(one for one in rows if one["role"] == "Member" and one["resource"] == "Analytics")
    (await site.sa.patch(f"/permissions/{right['id']}", {"actions": []})).ok()
    async with visiting(browser, site, site.member) as page:
        await page.goto("/reports")
        await expect(page.get_by_role("alert")).to_have_text("You don't have permission to see this.")
    (await site.sa.patch(f"/permissions/{right['id']}", {"actions": ["read"]})).ok()


async def test_the_former_address_of_the_reports_leads_to_them(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.sa) as page:
        await page.goto("/figures?days=90")
        await page.wait_for_url("**/reports?days=90")
        await expect(page.get_by_label("Days")).to_have_value("90")
        await page.reload()
        await expect(page.get_by_label("Days")).to_have_value("90")
