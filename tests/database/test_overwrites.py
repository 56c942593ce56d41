"""A database that another program overwrites or truncates while the service runs takes no more writes."""

import asyncio
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from service.config import Settings
from service.database.overwrites import OverwriteDetector
from service.database.store import Store

from ..builders import database
from ..running import running
from ..world import World


def _copy_back(path: Path) -> None:
    """Write an older copy into the file, as `cp` does."""
    path.write_bytes(path.with_name("older.db").read_bytes())


def _truncate(path: Path) -> None:
    os.truncate(path, 0)


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _overwrite_a_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(8 * 4096)
        file.write(os.urandom(4096))


@pytest.mark.parametrize("overwrite", [_copy_back, _truncate, _cut, _overwrite_a_page])
@pytest.mark.parametrize("is_checkpointed", [True, False])
async def test_an_overwritten_database_takes_no_more_writes(
    settings: Settings, overwrite: Callable[[Path], None], is_checkpointed: bool
) -> None:
    shutil.copy(settings.database, settings.database.with_name("older.db"))
    async with running(settings) as world:
        card = await world.card(await world.board())
        if is_checkpointed:
            checkpoint(settings.database)
            (await world.sa.patch(f"/cards/{card['id']}", {"title": "Checkpointed"})).ok()
        overwrite(settings.database)
        for _ in range(3):
            answer = await world.sa.patch(f"/cards/{card['id']}", {"title": "Lost"})
            answer.refused(503, "unavailable")
            assert "until an operator repairs the database" in answer.body["error"]["message"]
        async with world.client().http.get(world.url + "/readyz") as response:
            assert response.status == 503
        assert world.service is not None
        assert world.service.store.is_damaged


def checkpoint(path: Path) -> None:
    """Checkpoint as another program does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


async def test_checkpoints_of_other_programs_and_of_the_service_are_no_overwriting(
    world: World, settings: Settings
) -> None:
    card = await world.card(await world.board())
    assert world.service is not None
    for number in range(5):
        (await world.sa.patch(f"/cards/{card['id']}", {"title": f"Title {number}"})).ok()
        with database(world) as other:
            other.execute("UPDATE users SET full_name = full_name || 'x'")
            for kind in ("PASSIVE", "FULL", "RESTART", "TRUNCATE"):
                other.execute(f"PRAGMA wal_checkpoint({kind})").fetchall()
                (await world.sa.patch(f"/cards/{card['id']}", {"title": f"{kind} {number}"})).ok()
    await asyncio.sleep(0)
    assert not world.service.store.is_damaged


async def test_the_log_is_not_written_into_an_overwritten_database(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.store.WAL_CHECK_SECONDS", 0.02)
    async with running(settings) as world:
        await world.card(await world.board())
        assert world.service is not None
        await asyncio.sleep(0.2)  # the log is emptied when idle
        with database(world) as other:
            other.execute("UPDATE users SET full_name = full_name || 'x'")
        _truncate(settings.database)
        for _ in range(100):
            await asyncio.sleep(0.02)
            if world.service.store.is_damaged:
                break
        assert world.service.store.is_damaged
        assert settings.database.stat().st_size == 0


async def test_a_checkpoint_that_is_in_progress_is_no_overwriting(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE notes (text)")
        detector = OverwriteDetector(path)
        for note in ("one", "two"):
            connection.execute("INSERT INTO notes VALUES (?)", (note,))
            assert not detector.is_overwritten()
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            assert not detector.is_overwritten()
        os.utime(path)
        assert detector.is_overwritten()
        detector.note()
        assert not detector.is_overwritten()
        detector.close()


async def test_a_checkpoint_that_ends_during_the_check_is_no_overwriting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "service.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("CREATE TABLE notes (text)")
        detector = OverwriteDetector(path)

        def write_to_file() -> None:
            connection.execute("INSERT INTO notes VALUES ('note')")
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            time.sleep(0.02)  # the clock of the file system advances in ticks of some ms

        write_to_file()
        read_file, is_first = detector._read_file, True

        def read_before_another_checkpoint() -> tuple[int, int] | None:
            nonlocal is_first
            found = read_file()
            if is_first:
                is_first = False
                write_to_file()
            return found

        monkeypatch.setattr(detector, "_read_file", read_before_another_checkpoint)
        assert not detector.is_overwritten()
        assert not detector.is_overwritten()
        detector.close()


async def test_a_closed_store_keeps_no_file_open(settings: Settings) -> None:
    before = len(os.listdir("/proc/self/fd"))
    store = Store(settings.database)
    await store.open()
    await store.close()
    assert len(os.listdir("/proc/self/fd")) <= before
