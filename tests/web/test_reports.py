"""Reports: charts, the numbers behind each, and a CSV file of them."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page, query: str = "") -> None:
    """Open the screen and wait until it is there."""
    await page.goto(f"/reports{query}")
    await expect(page.get_by_role("heading", name="Created and closed")).to_be_visible()


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
        await open_screen(page, f"?project={board.id}&days=7")
        await expect(page.get_by_label("Board")).to_have_value(board.id)
        part = page.get_by_role("region", name="Created and closed", exact=True)
        await expect(part.get_by_role("img", name="Created and closed: 7 rows")).to_be_visible()
        assert await part.locator("rect").count() == 14
        await part.get_by_role("button", name="Show numbers").click()
        await expect(part.get_by_role("row").last.get_by_role("cell")).to_have_text(["4", "3"])
        flow = page.get_by_role("region", name="Cumulative flow", exact=True)
        await flow.get_by_role("button", name="Show numbers").press("Enter")
        await expect(flow.get_by_role("columnheader")).to_have_text(["Day", "Review", "Done"])
        lines = "(head) => head.getClientRects().length && head.clientHeight"
        assert await flow.get_by_role("rowheader").last.evaluate(lines) < 30, "a day is one line"
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
        await open_screen(page)
        await page.get_by_label("Days").select_option("90 days")
        await expect(page.get_by_role("region", name="Created and closed", exact=True)).to_be_visible()
        await page.get_by_label("Board").select_option("Quiet")
        await expect(page.get_by_text("No data in this period.").first).to_be_visible()
        await expect(page.locator(".stats dd").last).to_have_text("\u2013")  # no card is closed: there is no mean
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


# Labels that are cut by the edge of their chart, or written over each other.
CUT = """() => [...document.querySelectorAll("svg.chart")].flatMap((chart) => {
    const frame = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll("text")].map((one) => [one, one.getBoundingClientRect()]);
    const isCut = ({left, right, top, bottom}) => left < frame.left - 0.5 || right > frame.right + 0.5 ||
        top < frame.top - 0.5 || bottom > frame.bottom + 0.5 || right > innerWidth;
    const isOver = (at) => at > 0 && labels[at - 1][1].top === labels[at][1].top &&
        labels[at - 1][1].right > labels[at][1].left;
    return labels.filter(([, box], at) => isCut(box) || isOver(at)).map(([one]) => one.textContent);
})"""


async def multiplied(route: Route) -> None:
    """Answer with a million times the numbers of the service."""
    answer = await route.fetch()
    text = re.sub(
        r"(?<=[:,\[])(\d+(?:\.\d+)?)(?=[,}\]])", lambda found: f"{float(found[1]) * 1e6}", await answer.text()
    )
    await route.fulfill(response=answer, body=text)


async def test_each_label_is_inside_its_chart_with_long_names_and_large_numbers(browser: Browser, site: World) -> None:
    board = await site.board(title="Labels " + "Wide " * 20)
    await site.column(board, "Done", title="Finished, " + "WIDE" * 100)
    name = "Review by the whole team"
    await site.column(board, "Review", title=name, agentPickupEnabled=True, agentCanModerate=True)
    bot = await site.agent("labelled" + "w" * 40)
    for number in range(3):
        one = await site.card(board, "Review", title=f"Card {number}")
        (await bot.post(f"/cards/{one['id']}/comments/mcp", {"content": "Looked at"})).ok()
        (await site.sa.patch(f"/cards/{one['id']}/status", {"toColumnId": board.columns["Done"]})).ok()
    async with visiting(browser, site, site.sa) as page:
        await page.route("**/analytics**", multiplied)
        for days in (7, 365):
            await open_screen(page, f"?project={board.id}&days={days}")
            for width in (1440, 1024, 720, 390, 320):
                await page.set_viewport_size({"width": width, "height": 900})
                await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
                found: Any = await page.evaluate(CUT)
                assert found == [], (days, width)
                names = await page.locator("svg.chart text").all_text_contents()
                assert any(re.search(r"\d,\d00,000", label) for label in names), names
                assert any(label.startswith("Fini") and "…" in label for label in names), names
                assert name in names, "a name is cut although there is room above its bar"
                numbers = await page.evaluate("() => document.querySelector('svg.chart').getBoundingClientRect().width")
                assert numbers > width / 2, "the chart uses the width"
