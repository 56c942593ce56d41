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
from service.errors import Unavailable

from ..builders import database
from ..running import running
from ..world import World


def _copy_back(path: Path) -> None:
    """Write an older copy into the file, as `cp` does."""
    path.write_bytes(path.with_name("older.db").read_bytes())


def _copy(path: Path, target: Path) -> None:
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


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
    async with running(settings) as world:
        card = await world.card(await world.board())
        _copy(settings.database, settings.database.with_name("older.db"))  # with session and card
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "Later"})).ok()
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


@pytest.mark.parametrize("overwrite", [_copy_back, _truncate, _cut])
async def test_a_database_whose_log_is_overwritten_takes_no_more_writes(
    settings: Settings, overwrite: Callable[[Path], None]
) -> None:
    async with running(settings) as world:
        card = await world.card(await world.board())
        log = settings.database.with_name("service.db-wal")
        shutil.copy(log, log.with_name("older.db"))
        for number in range(3):
            (await world.sa.patch(f"/cards/{card['id']}", {"title": f"Title {number}"})).ok()
        overwrite(log)
        for _ in range(3):
            (await world.sa.patch(f"/cards/{card['id']}", {"title": "Lost"})).refused(503, "unavailable")
        assert world.service is not None
        with pytest.raises(Unavailable, match="until an operator repairs the database"):
            await world.service.store.write(lambda tx: None)
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
            assert detector.find_overwritten() is None
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            assert detector.find_overwritten() is None
        os.utime(path)
        assert detector.find_overwritten() == path
        detector.note()
        assert detector.find_overwritten() is None
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
        assert detector.find_overwritten() is None
        assert detector.find_overwritten() is None
        detector.close()


def test_writes_of_sqlite_to_the_log_are_no_overwriting(tmp_path: Path) -> None:
    path = tmp_path / "service.db"
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as connection,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA cache_size = 5")  # frames are written before the commit, some of them twice
        connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text)")
        detector = OverwriteDetector(path)
        for round_number in range(20):
            for end in ("ROLLBACK", "COMMIT"):
                connection.execute("BEGIN")
                connection.executemany("INSERT INTO notes (text) VALUES (?)", [("n" * 900,)] * 50)
                connection.execute("UPDATE notes SET text = text || 'x'")
                assert detector.find_overwritten() is None
                connection.execute(end)
                assert detector.find_overwritten() is None
            other.execute("UPDATE notes SET text = 'other' WHERE id % 3 = 0")
            assert detector.find_overwritten() is None
            if round_number % 4 == 0:
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                assert detector.find_overwritten() is None
        detector.close()


def test_a_log_that_starts_anew_during_the_check_is_no_overwriting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "service.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (text)")
        detector = OverwriteDetector(path)
        read_index, is_first = detector._read_index, True

        def read_before_the_log_starts_anew() -> bytes:
            nonlocal is_first
            found = read_index()
            if is_first:
                is_first = False
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                connection.execute("INSERT INTO notes VALUES ('note')")
            return found

        monkeypatch.setattr(detector, "_read_index", read_before_the_log_starts_anew)
        assert not detector._is_log_overwritten()
        assert not is_first
        detector.close()


async def test_a_closed_store_keeps_no_file_open(settings: Settings) -> None:
    before = len(os.listdir("/proc/self/fd"))
    store = Store(settings.database)
    await store.open()
    await store.close()
    assert len(os.listdir("/proc/self/fd")) <= before
