"""Data: an organization as a file, and a file brought in again with what came of it."""

import json
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from ..world import World
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def opened(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/data")
    await expect(page.get_by_role("heading", name="Export", level=2)).to_be_visible()


async def test_what_is_exported_is_imported_again(browser: Browser, site: World, tmp_path: Path) -> None:
    board = await site.board(title="Travels")
    one = await site.card(board, title="Comes along")
    async with visiting(browser, site, site.sa) as page:
        await opened(page)
        async with page.expect_download() as found:
            await page.get_by_role("button", name="Export", exact=True).click()
        download = await found.value
        assert download.suggested_filename.startswith("tandem-")
        file = tmp_path / "export.json"
        await download.save_as(file)
        await expect(page.get_by_text("is saved.").first).to_be_visible()
        assert "Comes along" in file.read_text("utf-8")
        (await site.sa.patch(f"/cards/{one['id']}", {"title": "Changed since"})).ok()
        await page.get_by_role("button", name="Import…").click()
        await expect(page.get_by_text("Choose a file first.")).to_be_visible()
        await page.get_by_label("File to import").set_input_files(file)
        await page.get_by_role("button", name="Import…").click()
        await page.get_by_role("button", name="Import", exact=True).click()
        table = page.get_by_role("table")
        await expect(table.get_by_role("row", name="cards")).to_contain_text("1")
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["title"] == "Comes along"


async def test_a_file_that_is_none_changes_nothing_and_the_reason_is_said(
    browser: Browser, site: World, tmp_path: Path
) -> None:
    wrong, other = tmp_path / "wrong.json", tmp_path / "other.json"
    wrong.write_text("{ no json", "utf-8")
    other.write_text(json.dumps({"meta": {"product": "Other"}}), "utf-8")
    async with visiting(browser, site, site.sa) as page:
        await opened(page)
        for file in (wrong, other):
            await page.get_by_label("File to import").set_input_files(file)
            await page.get_by_role("button", name="Import…").click()
            await page.get_by_role("button", name="Import", exact=True).click()
            await expect(page.get_by_role("main").get_by_role("alert")).not_to_be_empty()
            await expect(page.get_by_role("table")).to_have_count(0)


async def test_others_than_architects_move_no_data(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/data")
        await expect(page.get_by_text("Only Solution Architects see this.")).to_be_visible()
        await expect(page.get_by_role("button", name="Export")).to_have_count(0)
