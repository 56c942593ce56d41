"""Garbage collection: contents without a row are quarantined for a week, and moved back if a row needs them."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from service.clock import ClockTrust, now
from service.runtime.file_store import Key
from service.runtime.garbage_collection import QUARANTINE, QUARANTINE_SECONDS, collect_garbage, remove_expired_files

ORG, GONE = "org_" + "0" * 26, "org_" + "1" * 26
KEY = (ORG, "card_1", "file_1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Provide a files folder with the contents of one file."""
    folder = tmp_path / "files"
    _put(folder, KEY)
    return folder


def _put(folder: Path, key: Key) -> Path:
    path = folder.joinpath(*key)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("/".join(key).encode())
    os.utime(path, (0, 0))  # uploaded long since
    return path


def _there(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


async def test_contents_without_a_row_are_quarantined(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    orphans = [_put(folder, key) for key in ((ORG, "card_1", "file_2"), (ORG, "card_2", "f"), (GONE, "c", "f"))]
    await collect_garbage(folder, {ORG}, {KEY})
    names = [str(path.relative_to(folder)) for path in orphans]
    assert _there(folder) == {"/".join(KEY), *(f"{QUARANTINE}/{name}" for name in names)}
    assert [(folder / QUARANTINE / name).read_text() for name in names] == names
    assert [
        f"{path} belongs to no file; it is kept in {folder / QUARANTINE} for a week" in caplog.text for path in orphans
    ]
    assert not (folder / GONE).exists()


async def test_an_older_database_over_newer_files_takes_nothing_from_the_newer_one(folder: Path) -> None:
    newer = {KEY, (ORG, "card_1", "file_2"), (ORG, "card_9", "file_3"), (GONE, "card_4", "file_4")}
    for key in newer:
        _put(folder, key)
    await collect_garbage(folder, {ORG}, {KEY})
    assert _there(folder) >= {"/".join(KEY)}
    await collect_garbage(folder, {ORG, GONE}, newer)
    assert _there(folder) == {"/".join(key) for key in newer}
    assert all(folder.joinpath(*key).read_text() == "/".join(key) for key in newer)


@pytest.mark.parametrize("started_far", [False, True])
async def test_quarantined_contents_are_removed_after_a_week_unless_the_clock_is_not_trusted(
    folder: Path, started_far: bool
) -> None:
    _put(folder, (ORG, "card_1", "file_2"))
    await collect_garbage(folder, {ORG}, {KEY})
    aside = folder.joinpath(QUARANTINE, ORG, "card_1")
    for name, age in (("young", QUARANTINE_SECONDS - 60), ("old", QUARANTINE_SECONDS + 60)):
        _put(folder, (QUARANTINE, ORG, "card_1", name))
        os.utime(aside / name, (time.time() - age,) * 2)
    task = asyncio.create_task(
        remove_expired_files(folder, ClockTrust("2020-01-01T00:00:00.000Z" if started_far else now()))
    )
    await asyncio.sleep(0.2)
    task.cancel()
    assert {path.name for path in aside.iterdir()} == {"file_2", "young"} | ({"old"} if started_far else set())
    assert folder.joinpath(*KEY).exists()


async def test_missing_contents_are_logged(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    await collect_garbage(folder, {ORG}, {KEY, (ORG, "card_1", "file_2")})
    assert (
        f"the contents of 1 files are lost; restore them from a backup, or delete the files: {ORG}/card_1/file_2"
        in caplog.text
    )
    assert _there(folder) == {"/".join(KEY)}


async def test_foreign_files_are_not_touched(folder: Path, tmp_path: Path) -> None:
    (folder / "lost+found").mkdir()
    (folder / "Documents" / "letters").mkdir(parents=True)
    (folder / "Documents" / "letters" / "letter.txt").write_text("Dear")
    (folder / "notes.txt").write_text("x")
    (tmp_path / "elsewhere" / "card").mkdir(parents=True)
    (tmp_path / "elsewhere" / "card" / "file").write_text("x")
    (folder / ("org_" + "2" * 26)).symlink_to(tmp_path / "elsewhere")
    before = _there(folder)
    await collect_garbage(folder, {ORG}, {KEY})
    assert _there(folder) == before
    assert (folder / "lost+found").is_dir()
    assert (tmp_path / "elsewhere" / "card" / "file").exists()


async def test_nothing_is_touched_if_the_folder_belongs_to_another_database(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await collect_garbage(folder, {"org_" + "3" * 26}, set())
    assert _there(folder) == {"/".join(KEY)}
    assert "is it another database's? Nothing is removed." in caplog.text


async def test_garbage_collection_continues_after_an_error(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = _put(folder, (ORG, "card_1", "file_2"))
    (folder / QUARANTINE).write_text("a file where a folder must be")
    await collect_garbage(folder, {ORG}, {KEY, (ORG, "card_1", "file_3")})
    assert f"{path} belongs to no file and cannot be moved to quarantine: Not a directory" in caplog.text
    assert "the contents of 1 files are lost" in caplog.text
    assert path.exists()
