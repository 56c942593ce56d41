"""The write-ahead log: it is brought home while others write, without anybody's wait, and stays short."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from service.database.connections import bring_log_home
from service.database.queries import Statement
from service.database.store import LOG_LIMIT_BYTES, Store
from service.database.writer import UNITS_COUNTED_MAX, UNITS_IN_LOG
from service.errors import Unavailable

from .descriptors import diverted

SCHEMA = """
CREATE TABLE notes (text TEXT NOT NULL);
CREATE TABLE counter (value INTEGER NOT NULL);
INSERT INTO counter VALUES (0);
"""
ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")
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


async def add(store: Store, count: int, at_once: int = 1) -> None:
    """Write so many notes, those at once in one group; a COMMIT begins once all that came before it is done."""
    for _ in range(count // at_once):
        units = [store.write(lambda tx: tx.run(ADD, text="A note.")) for _ in range(at_once)]
        await asyncio.wait_for(asyncio.gather(*units), ANSWER_TIMEOUT_SECONDS)


def home(path: Path) -> int:
    """Tell how many notes the database holds without its log, read by another program: closing it here drops locks."""
    alone = path.with_name("alone")
    subprocess.run(["cp", path, alone], check=True)
    with closing(sqlite3.connect(alone)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM notes").fetchone()
    return int(count)


async def test_the_log_is_brought_home_every_so_many_writes(store: Store, path: Path) -> None:
    await add(store, UNITS_IN_LOG - 1)
    assert home(path) == 0
    await add(store, UNITS_IN_LOG - 1)
    assert home(path) == UNITS_IN_LOG
    await add(store, 3)
    assert home(path) == 2 * UNITS_IN_LOG


async def test_of_a_crowd_that_shares_a_commit_only_some_count(store: Store, path: Path) -> None:
    crowd, groups = 4 * UNITS_COUNTED_MAX, UNITS_IN_LOG // UNITS_COUNTED_MAX
    counted = 1 + groups * UNITS_COUNTED_MAX  # whoever comes first is committed alone
    await add(store, groups * crowd, crowd)
    await add(store, UNITS_IN_LOG - counted - 1)
    assert home(path) == 0
    await add(store, 2)
    assert home(path) > groups * crowd


@pytest.mark.parametrize("at_once", [1, 5], ids=["alone", "together"])
async def test_nobody_waits_for_an_answer_until_the_log_is_brought_home(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def bring_in_a_while(connection: sqlite3.Connection) -> None:
        began.set()
        assert go_on.wait(3 * ANSWER_TIMEOUT_SECONDS)  # longer than any answer is waited for
        bring_log_home(connection)

    monkeypatch.setattr("service.database.writer.bring_log_home", bring_in_a_while)
    try:
        await add(store, UNITS_IN_LOG - UNITS_IN_LOG % at_once, at_once)
        await add(store, UNITS_IN_LOG % at_once)
        assert await asyncio.to_thread(began.wait, ANSWER_TIMEOUT_SECONDS)
        assert await asyncio.wait_for(store.read(lambda tx: tx.value(COUNT)), ANSWER_TIMEOUT_SECONDS) == UNITS_IN_LOG
    finally:
        go_on.set()
    await add(store, 1)
    assert home(path) >= UNITS_IN_LOG


async def test_nothing_is_brought_home_into_a_database_that_is_no_longer_there(
    store: Store, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, aside = path.with_name(path.name), path.with_name("aside")
    await add(store, UNITS_IN_LOG - 1)
    file.rename(aside)
    for _ in range(2):
        with pytest.raises(Unavailable):
            await add(store, 1)
    assert "could not be brought home" in caplog.text
    assert "could not begin" not in caplog.text
    assert home(aside) == 0
    aside.rename(file)
    await add(store, UNITS_IN_LOG)
    assert home(path) >= UNITS_IN_LOG


@pytest.mark.skipif(sys.platform != "linux", reason="finds the descriptors of the database in /proc")
async def test_a_log_that_cannot_be_brought_home_keeps_all_that_was_written_until_it_can(
    store: Store, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with diverted(path, "rb"):
        await add(store, UNITS_IN_LOG + 1)
        assert "could not be brought home" in caplog.text
        assert await store.read(lambda tx: tx.value(COUNT)) == UNITS_IN_LOG + 1
    assert home(path) == 0
    await add(store, UNITS_IN_LOG)
    assert home(path) >= 2 * UNITS_IN_LOG


@pytest.fixture
def short_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.database.store.LOG_LIMIT_BYTES", 4 << 20)
    monkeypatch.setattr("service.database.store.LOG_CHECK_SECONDS", 0.01)


async def test_the_log_stays_short_while_reads_leave_no_gap(short_log: None, store: Store, path: Path) -> None:
    longest = 0
    for _ in range(60):
        writing = asyncio.ensure_future(store.write(lambda tx: tx.run(FILL)))
        while not writing.done():
            store.peek(lambda tx: tx.all(COUNTER))
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
    monkeypatch.setattr("service.database.store.LOG_LIMIT_BYTES", 0)
    monkeypatch.setattr("service.database.store.LOG_CHECK_SECONDS", 0.3)
    store, log = Store(path), path.with_name(path.name + "-wal")
    await store.open()
    await store.write(lambda tx: tx.run(INCREASE))
    store.peek(lambda tx: tx.value(COUNTER))
    async with asyncio.timeout(10):
        while log.stat().st_size:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    assert store.peek(lambda tx: tx.value(COUNTER)) == 1
    await store.close()


async def test_a_short_log_is_emptied_once_nobody_writes_any_more(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.database.store.LOG_CHECK_SECONDS", 0.05)
    store, log = Store(path), path.with_name(path.name + "-wal")
    await store.open()
    await store.write(lambda tx: tx.run(INCREASE))
    assert 0 < log.stat().st_size < LOG_LIMIT_BYTES
    async with asyncio.timeout(10):
        while log.stat().st_size:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    await store.close()
