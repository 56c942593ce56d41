"""The write-ahead log: it is checkpointed while others write, and truncated when it is long or nobody writes."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from service.config import Settings
from service.database.statement import Statement
from service.database.store import WAL_BYTES_MAX, Store

from ..world import World
from .descriptors import diverted

SCHEMA = """
CREATE TABLE notes (text TEXT NOT NULL);
CREATE TABLE counter (value INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
"""
COUNT = Statement("notes.count", "SELECT count(*) FROM notes")
INCREASE = Statement("counter.increase", "UPDATE counter SET value = value + 1")
COUNTER = Statement("counter.read", "SELECT value FROM counter")
FILL = Statement("notes.fill", "INSERT INTO notes (text) VALUES (hex(randomblob(1000000)))")
ANSWER_TIMEOUT_SECONDS = 10  # after which what should have been answered long since is given up


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "scratch.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
    return path


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    store = Store(path)
    await store.open()
    yield store
    await asyncio.wait_for(store.close(), ANSWER_TIMEOUT_SECONDS)


def checkpointed(path: Path) -> int:
    """Return how many notes the database holds without its log, in a copy: closing it here would drop its locks."""
    alone = path.with_name("alone")
    subprocess.run(["cp", path, alone], check=True)
    with closing(sqlite3.connect(alone)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM notes").fetchone()
    return int(count)


async def test_the_log_is_checkpointed_while_others_write(store: Store, path: Path) -> None:
    for _ in range(6):
        await store.write(lambda tx: tx.run(FILL))  # some 490 pages each
    assert await store.read(lambda tx: tx.value(COUNT)) == 6
    assert checkpointed(path) >= 4


@pytest.mark.skipif(sys.platform != "linux", reason="finds the descriptors of the database in /proc")
async def test_a_log_that_cannot_be_checkpointed_keeps_all_that_was_written_until_it_can(
    store: Store, path: Path
) -> None:
    with diverted(path, "rb"):
        for _ in range(6):
            await store.write(lambda tx: tx.run(FILL))
        assert await store.read(lambda tx: tx.value(COUNT)) == 6
    assert checkpointed(path) == 0
    await store.write(lambda tx: tx.run(FILL))
    assert checkpointed(path) == 7


@pytest.fixture
def short_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.database.store.WAL_BYTES_MAX", 4 << 20)
    monkeypatch.setattr("service.database.store.WAL_CHECK_SECONDS", 0.01)


@pytest.mark.slow
async def test_the_log_stays_short_while_reads_leave_no_gap(short_log: None, store: Store, path: Path) -> None:
    longest = 0
    for _ in range(60):
        writing = asyncio.ensure_future(store.write(lambda tx: tx.run(FILL)))
        while not writing.done():
            store.read_inline(lambda tx: tx.all(COUNTER))
            await asyncio.sleep(0)
        longest = max(longest, path.with_name(path.name + "-wal").stat().st_size)
    assert longest < 16 << 20  # sixty notes of 2 MB were written


async def test_the_log_is_emptied_though_nobody_writes_any_more_once_a_long_read_is_over(
    short_log: None, store: Store, path: Path
) -> None:
    log = path.with_name(path.name + "-wal")
    with closing(store.snapshot()) as view:
        view.one(COUNTER)
        for _ in range(4):
            await store.write(lambda tx: tx.run(FILL))
        await asyncio.sleep(0.2)
        assert log.stat().st_size > 4 << 20
    async with asyncio.timeout(10):
        while log.stat().st_size:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    assert await store.read(lambda tx: tx.value(COUNTER)) == 0


async def test_a_point_read_of_just_now_does_not_keep_the_log_from_being_emptied(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.database.store.WAL_BYTES_MAX", 0)
    monkeypatch.setattr("service.database.store.WAL_CHECK_SECONDS", 0.3)
    store, log = Store(path), path.with_name(path.name + "-wal")
    await store.open()
    await store.write(lambda tx: tx.run(INCREASE))
    store.read_inline(lambda tx: tx.value(COUNTER))
    async with asyncio.timeout(10):
        while log.stat().st_size:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    assert store.read_inline(lambda tx: tx.value(COUNTER)) == 1
    await store.close()


async def test_a_short_log_is_emptied_once_nobody_writes_any_more(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.database.store.WAL_CHECK_SECONDS", 0.05)
    store, log = Store(path), path.with_name(path.name + "-wal")
    await store.open()
    await store.write(lambda tx: tx.run(INCREASE))
    assert 0 < log.stat().st_size < WAL_BYTES_MAX
    async with asyncio.timeout(10):
        while log.stat().st_size:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    await store.close()


@pytest.mark.slow
async def test_the_log_of_a_running_service_is_truncated_once_nobody_asks(world: World, settings: Settings) -> None:
    """The look for other programs' commits must not keep it from being idle."""
    await world.board()
    log = settings.database.with_name("service.db-wal")
    assert log.stat().st_size > 0
    async with asyncio.timeout(30):
        while log.stat().st_size:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.1)
