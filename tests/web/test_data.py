"""Data: an organization as a file, and a file brought in again with what came of it."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from service.resources.lost_files import check_files
from service.runtime import copy_ages
from service.runtime.scheduled_backups import ScheduledBackups

from ..direct_db import execute
from ..forms import find_contents, upload
from ..world import World
from .axe import findings_in_both_themes
from .boards import drop_files
from .browser import until, visiting, watch_of

TRELLO = Path(__file__).parents[1] / "data" / "trello-small.json"
IMPORT = "POST /admin/import?unlessChanged=true"
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def open_screen(page: Page) -> None:
    """Open the screen and wait until it is there."""
    await page.goto("/settings/data")
    await expect(page.get_by_role("heading", name="Export", level=2)).to_be_visible()


async def test_what_is_exported_is_imported_again(browser: Browser, site: World, tmp_path: Path) -> None:
    board = await site.board(title="Travels")
    one = await site.card(board, title="Comes along")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
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
        await expect(page.get_by_role("dialog")).to_contain_text("1 changed, 0 archived and 0 removed")
        await page.get_by_role("button", name="Cancel").click()
        await expect(page.get_by_role("main").get_by_role("alert")).to_contain_text("Nothing was imported.")
        assert (await site.sa.get(f"/cards/{one['id']}")).ok()["title"] == "Changed since"
        await page.get_by_role("button", name="Import…").click()
        await page.get_by_role("button", name="Import", exact=True).click()
        await page.get_by_role("button", name="Import anyway").click()
        table = page.get_by_role("table")
        await expect(table.get_by_role("row", name="cards")).to_contain_text("1")
    assert (await site.sa.get(f"/cards/{one['id']}")).ok()["title"] == "Comes along"


async def test_people_who_are_no_members_yet_are_named_and_restored(
    browser: Browser, site: World, tmp_path: Path
) -> None:
    card = await site.card(await site.board(title="Travels"), assignedUserId=site.member.id)
    text = json.dumps((await site.sa.get("/admin/export")).ok()).replace(site.member.id, "usr_elsewhere")
    file = tmp_path / "export.json"
    file.write_text(text.replace("member@example.test", "later@example.test"), "utf-8")
    (await site.sa.patch(f"/cards/{card['id']}", {"assignedUserId": None})).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        await page.get_by_label("File to import").set_input_files(file)
        await page.get_by_role("button", name="Import…").click()
        await page.get_by_role("button", name="Import", exact=True).click()
        await page.get_by_role("button", name="Import anyway").click()
        await expect(page.get_by_text("later@example.test")).to_be_visible()
        await execute(site, "UPDATE users SET email_key = 'later@example.test' WHERE id = :id", id=site.member.id)
        await page.get_by_role("button", name="Restore people").click()
        await expect(page.get_by_text("later@example.test")).to_have_count(0)
    assert (await site.sa.get(f"/cards/{card['id']}")).ok()["assignedUserId"] == site.member.id
    await execute(site, "UPDATE users SET email_key = 'member@example.test' WHERE id = :id", id=site.member.id)


async def test_a_file_that_is_none_changes_nothing_and_the_reason_is_said(
    browser: Browser, site: World, tmp_path: Path
) -> None:
    wrong, other = tmp_path / "wrong.json", tmp_path / "other.json"
    wrong.write_text("{ no json", "utf-8")
    other.write_text(json.dumps({"meta": {"product": "Other"}}), "utf-8")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        for file in (wrong, other):
            await page.get_by_label("File to import").set_input_files(file)
            await page.get_by_role("button", name="Import…").click()
            await page.get_by_role("button", name="Import", exact=True).click()
            await expect(page.get_by_role("main").get_by_role("alert")).to_contain_text(file.name)
            await expect(page.get_by_role("table")).to_have_count(0)


async def test_a_board_from_trello_is_dropped_and_what_came_and_what_could_not_is_shown(
    browser: Browser, site: World, axe: str
) -> None:
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        place = page.get_by_role("region", name="From Trello")
        await expect(place).to_contain_text("Up to 64 MiB.")
        await drop_files(page, place.locator(".drop"), ("other.json", "{}"))
        await expect(place.get_by_role("alert")).to_contain_text(
            "other.json: The file is not the export of a Trello board"
        )
        await drop_files(page, place.locator(".drop"), ("one.json", "{}"), ("two.json", "{}"))
        await expect(place.get_by_role("alert")).to_contain_text("One file at a time")
        assert await findings_in_both_themes(page, axe) == []
        await place.get_by_label("Board from Trello").set_input_files(TRELLO)
        await place.get_by_role("button", name="Import board").press("Enter")
        asked = page.get_by_role("dialog", name="Import Village garden?")
        boxes = asked.get_by_role("checkbox")
        await expect(boxes).to_have_count(3)
        assert [(await box.get_attribute("value"), await box.is_checked()) for box in await boxes.all()] == [
            ("Ideas", False),
            ("Doing", False),
            ("DONE", True),
        ]
        assert await findings_in_both_themes(page, axe) == []
        await page.keyboard.press("Escape")
        assert "Village garden" not in [one["title"] for one in (await site.sa.get(site.sa.org("/projects"))).ok()]
        await place.get_by_label("Board from Trello").set_input_files(TRELLO)
        await place.get_by_role("button", name="Import board").press("Enter")
        await asked.get_by_role("checkbox", name="Doing").check()
        await asked.get_by_role("checkbox", name="DONE").uncheck()
        await asked.get_by_role("button", name="Import", exact=True).click()
        came = page.get_by_role("dialog", name="Import from Trello: result")
        await expect(came.get_by_role("row", name="done columns")).to_contain_text("Doing")
        await expect(came.get_by_role("row", name="cards, active")).to_contain_text("5")
        await expect(came.get_by_role("row", name="members as users")).to_contain_text("their names stay on the cards")
        assert await findings_in_both_themes(page, axe) == []
        await came.get_by_role("button", name="Open the board").click()
        await expect(page.get_by_role("heading", name="Village garden")).to_be_visible()
        await expect(page.get_by_text("Dig a well")).to_be_visible()
        await expect(page.locator(".due")).to_have_text("May 1, 2024")  # complete, and so not late
        await expect(page.get_by_role("link", name="Village garden").first).to_be_visible()  # in the rail, by the news


async def test_a_file_that_is_too_large_is_refused_before_it_is_sent_and_one_on_its_way_is_stopped(
    browser: Browser, site: World, tmp_path: Path
) -> None:
    large, long = tmp_path / "large.json", tmp_path / "long.json"
    with large.open("wb") as file:
        file.truncate((64 << 20) + 1)
    long.write_text(" " * (4 << 20), "utf-8")
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        place = page.get_by_role("region", name="Import", exact=True)
        await place.get_by_label("File to import").set_input_files(large)
        await place.get_by_role("button", name="Import…").click()
        await expect(place.get_by_role("alert")).to_contain_text(
            "64 MiB is the most here; send a larger one by command: tandem import FILE --url http://"
        )
        network = await page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 500_000}
        await network.send("Network.emulateNetworkConditions", slow)
        await place.get_by_label("File to import").set_input_files(long)
        await place.get_by_role("button", name="Import…").click()
        await page.get_by_role("button", name="Import", exact=True).click()
        await until(page, "() => document.querySelector('progress')?.value > 0")
        await place.get_by_role("button", name="Stop long.json").click()
        await expect(place.get_by_role("progressbar")).to_have_count(0)
        await expect(place.get_by_role("button", name="Import…")).to_be_enabled()
    assert [one for one in watch_of(page).requests if one == IMPORT] == [IMPORT]


async def test_others_than_architects_move_no_data(browser: Browser, site: World) -> None:
    async with visiting(browser, site, site.member) as page:
        await page.goto("/settings/data")
        await expect(page.get_by_text("Only Solution Architects can see this.")).to_be_visible()
        await expect(page.get_by_role("button", name="Export")).to_have_count(0)


async def test_the_storage_that_is_used_is_shown_with_its_quota(browser: Browser, site: World) -> None:
    assert site.service is not None
    settings = site.service.settings
    board = await site.board()
    card = await site.card(board)
    for _ in range(60):
        (await site.sa.post(f"/cards/{card['id']}/comments", {"content": "x" * 19_000})).ok()
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        storage = page.get_by_role("region", name="Storage")
        await expect(storage).to_contain_text(re.compile(r"Databaseabout [1-9]\.?\d? MiB of 10 GiB"))
        await expect(storage).to_contain_text("Files0 KiB of 10 GiB")
        await expect(storage).not_to_contain_text("The quota is used")
        site.service.settings = settings.model_copy(update={"database_quota_bytes": 1 << 20, "files_quota_bytes": 0})
        await page.reload()
        await expect(storage).to_contain_text("The quota is used: what needs space is refused.")
        await expect(storage).to_contain_text("no quota")
        await page.goto(f"/b/{board.id}/c/{card['key']}")
        await page.get_by_role("textbox", name="Comment").fill("Not lost")
        await page.get_by_role("button", name="Comment", exact=True).click()
        await expect(page.get_by_text("delete archived boards and cards permanently")).to_be_visible()
        await expect(page.get_by_role("textbox", name="Comment")).to_have_value("Not lost")
    site.service.settings = settings


async def test_lost_files_are_listed_with_a_link_to_their_cards(browser: Browser, site: World) -> None:
    board = await site.board(title="Lost things")
    card = await site.card(board, title="Has a file")
    file = await upload(site, card, board.field("attachments"))
    find_contents(site, file).unlink()
    await check_files(site.service)
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        section = page.get_by_role("region", name="Lost files")
        await expect(section.get_by_role("link", name=file["name"])).to_have_attribute("href", re.compile(card["key"]))
        async with page.expect_download():
            await page.get_by_role("button", name="Export", exact=True).click()
        await expect(page.get_by_text("The contents of one file are lost and not in it")).to_be_visible()
        await page.goto("/")
        await expect(page.get_by_role("link", name="The contents of a file are lost.")).to_have_attribute(
            "href", "/settings/data"
        )
    (await site.sa.delete(f"/files/{file['id']}")).ok()


async def test_the_last_backup_is_shown(browser: Browser, site: World) -> None:
    data_path = site.service.settings.data_path
    copy_ages.record_backup(data_path, data_path / "copy", [(f"{site.sa.org_id}/card_1/file_1", False)])
    async with visiting(browser, site, site.sa) as page:
        await open_screen(page)
        section = page.get_by_role("region", name="Backups")
        await expect(section).to_contain_text("not yet")
        await expect(section).to_contain_text("the contents of 1 file")


async def test_the_next_backup_and_why_the_last_one_failed_are_shown(
    browser: Browser, site: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.service is not None
    in_the_way = tmp_path / "backups"
    in_the_way.touch()  # a file in the place of the folder
    settings = site.service.settings.model_copy(update={"backup_dir": in_the_way, "backup_at": "03:30"})
    schedule = ScheduledBackups(settings, site.service.clock)
    monkeypatch.setattr(site.service, "scheduled_backups", schedule)
    monkeypatch.setattr(copy_ages, "RECORD", "no-backup-yet")
    running = asyncio.create_task(schedule.run())
    async with visiting(browser, site, site.sa) as page:
        while schedule.find_problem() is None:
            await page.wait_for_timeout(50)
        await open_screen(page)
        section = page.get_by_role("region", name="Backups")
        await expect(section).to_contain_text("No backup was made yet.")
        await expect(section).to_contain_text("Next backup")
        await expect(section).to_contain_text("The last backup failed.")
        await page.goto("/")
        await page.get_by_role("link", name="The last backup failed.").first.click()
        await expect(page.get_by_role("heading", name="Backups", level=2)).to_be_visible()
    running.cancel()
