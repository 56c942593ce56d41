"""Faults of disk or file: waiting callers get 503, no confirmed write is lost, and the next request is served."""

import asyncio
import os
import resource
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.config import Settings
from service.database.damage import DatabaseOpenError
from service.database.statement import Statement
from service.database.store import Share, Store, Tx
from service.errors import Unavailable

from ..world import World
from .descriptors import diverted

ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")
FILL = Statement("notes.fill", "INSERT INTO notes (text) VALUES (hex(randomblob(1000000)))")
WEIGH = Statement("notes.weigh", "SELECT sum(length(text)) FROM notes")
COUNT = Statement("notes.count", "SELECT count(*) FROM notes WHERE length(text) < 100")
NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
READ_FOR_EVER = Statement("numbers.read", f"{NUMBERS} SELECT max(i) FROM n")
WRITE_FOR_EVER = Statement("notes.add_numbers", f"INSERT INTO notes (text) {NUMBERS} SELECT i FROM n WHERE i < 0")
ANSWER_TIMEOUT_SECONDS = 10  # after which what should have been answered long since is given up


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "scratch.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text TEXT NOT NULL)")
    return path


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    store = Store(path)
    await store.open()
    yield store
    await asyncio.wait_for(store.close(), ANSWER_TIMEOUT_SECONDS)


def stored(path: Path) -> list[str]:
    """Tell what another process would see of the short notes."""
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes WHERE length(text) < 100 ORDER BY text")]


async def add(store: Store, text: str) -> int:
    return await asyncio.wait_for(store.write(lambda tx: tx.run(ADD, text=text)), ANSWER_TIMEOUT_SECONDS)


async def fill(store: Store, path: Path) -> None:
    """Write more than a connection keeps in memory, through to the database itself."""
    for _ in range(3):
        await store.write(lambda tx: tx.run(FILL))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.skipif(sys.platform != "linux", reason="finds the descriptors of the database in /proc")
@pytest.mark.parametrize("way", ["read_inline", "read"])
async def test_a_read_that_the_disk_fails_is_503_and_neither_reads_nor_writes_end_with_it(
    store: Store, path: Path, way: str
) -> None:
    async def weigh() -> Any:
        return (
            store.read_inline(lambda tx: tx.value(WEIGH))
            if way == "read_inline"
            else await store.read(lambda tx: tx.value(WEIGH))
        )

    def look_twice(tx: Tx) -> tuple[int, int]:
        first = tx.value(COUNT)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("INSERT INTO notes (text) VALUES ('beside')")
        return first, tx.value(COUNT)

    await fill(store, path)
    await weigh()
    with diverted(path, "ab"):
        for _ in range(2):
            with pytest.raises(Unavailable) as caught:
                await weigh()
            assert caught.value.headers["Retry-After"]
    assert (store.read_inline(look_twice) if way == "read_inline" else await store.read(look_twice)) == (
        0,
        0,
    )  # one view as ever
    assert await add(store, "after") == 1
    assert await weigh() == 3 * 2_000_000 + len("after" + "beside")
    assert stored(path) == ["after", "beside"]


@pytest.mark.skipif(sys.platform != "linux", reason="finds the descriptors of the database in /proc")
async def test_a_fault_that_lasts_is_logged_once(store: Store, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await add(store, "before")
    with diverted(path, "ab"):
        for _ in range(20):
            with pytest.raises(Unavailable):
                await store.read(lambda tx: tx.value(WEIGH))
    assert sum("the database failed" in record.message for record in caplog.records) == 1


async def test_a_disk_that_takes_no_more_is_503_and_reads_go_on_until_it_does_again(store: Store, path: Path) -> None:
    await add(store, "before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limits[1]))
    try:
        units = [store.write(lambda tx, n=n: (tx.run(ADD, text=str(n)), n == 2 and tx.run(FILL))) for n in range(4)]
        outcomes = await asyncio.wait_for(asyncio.gather(*units, return_exceptions=True), ANSWER_TIMEOUT_SECONDS)
        assert isinstance(outcomes[2], Unavailable)
        assert all(isinstance(outcome, Unavailable) for outcome in outcomes if isinstance(outcome, Exception))
        there = ["before", *(str(n) for n, outcome in enumerate(outcomes) if not isinstance(outcome, Exception))]
        assert store.read_inline(lambda tx: tx.value(COUNT)) == len(there)
        assert await store.read(lambda tx: tx.value(COUNT)) == len(there)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    await add(store, "after")
    assert stored(path) == sorted([*there, "after"])


@pytest.mark.parametrize("what", ["scratch.db", "scratch.db-wal"])
@pytest.mark.parametrize("replaced", [True, False])
async def test_nothing_is_written_into_a_database_that_is_no_longer_there(
    store: Store, path: Path, what: str, replaced: bool
) -> None:
    await add(store, "before")
    file, aside = path.with_name(what), path.with_name("aside")
    file.rename(aside)
    if replaced:
        shutil.copy(aside, file)
    there = file.read_bytes() if replaced else None
    with pytest.raises(Unavailable):
        await add(store, "lost")
    assert (file.read_bytes() if file.exists() else None) == there
    aside.rename(file)
    await add(store, "after")
    assert stored(path) == ["after", "before"]


async def test_a_unit_that_takes_a_next_one_where_there_is_none_fails_for_its_caller_only(store: Store) -> None:
    def unit(tx: Tx, text: str) -> None:
        tx.run(ADD, text=text)
        next(row for row in tx.all(COUNT) if row["count(*)"] > 1000)

    units = [add(store, "a"), store.write(lambda tx: unit(tx, "b")), add(store, "c")]
    outcomes = await asyncio.wait_for(asyncio.gather(*units, return_exceptions=True), ANSWER_TIMEOUT_SECONDS)
    assert [type(outcome) for outcome in outcomes] == [int, RuntimeError, int]
    with pytest.raises(RuntimeError):  # without others in its group too
        await store.write(lambda tx: unit(tx, "b"))
    with pytest.raises(RuntimeError):
        await asyncio.wait_for(store.read(lambda tx: next(iter(tx.all(WEIGH)[1:]))), ANSWER_TIMEOUT_SECONDS)
    assert await store.read(lambda tx: tx.value(COUNT)) == 2


async def test_waiting_callers_are_answered_if_the_caller_that_commits_leaves(store: Store, path: Path) -> None:
    began, go_on = threading.Event(), threading.Event()

    def unit(tx: Tx) -> None:
        began.set()
        assert go_on.wait(ANSWER_TIMEOUT_SECONDS)
        tx.run(ADD, text="first")

    first = asyncio.create_task(store.write(unit))
    assert await asyncio.to_thread(began.wait, ANSWER_TIMEOUT_SECONDS)
    others = [asyncio.create_task(add(store, text)) for text in ("second", "third")]
    await asyncio.sleep(0)
    first.cancel()
    go_on.set()
    await asyncio.wait_for(asyncio.gather(*others), ANSWER_TIMEOUT_SECONDS)
    await asyncio.wait({first})
    assert first.cancelled()
    await add(store, "fourth")
    assert stored(path) == ["first", "fourth", "second", "third"]


async def test_waiting_callers_are_answered_if_the_commit_task_is_cancelled(store: Store, path: Path) -> None:
    began, go_on = threading.Event(), threading.Event()

    def unit(tx: Tx) -> None:
        began.set()
        assert go_on.wait(ANSWER_TIMEOUT_SECONDS)

    first = asyncio.create_task(store.write(unit))
    assert await asyncio.to_thread(began.wait, ANSWER_TIMEOUT_SECONDS)
    others = [asyncio.create_task(add(store, text)) for text in ("second", "third")]
    await asyncio.sleep(0)
    (committing,) = (task for task in asyncio.all_tasks() if task.get_coro().__name__ == "_commit_all")
    committing.cancel()  # as the end of the event loop would
    outcomes = await asyncio.wait_for(asyncio.gather(first, *others, return_exceptions=True), ANSWER_TIMEOUT_SECONDS)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 3
    assert "not known" in str(outcomes[0])  # it may be committed all the same
    assert "nothing was changed" in str(outcomes[1])
    go_on.set()
    assert store.is_committing
    await asyncio.wait_for(add(store, "fourth"), ANSWER_TIMEOUT_SECONDS)
    assert stored(path) == ["fourth"]


async def test_waiting_callers_are_answered_if_a_callback_fails(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr(store.stats.__class__, "count_group", fail)
        outcomes = await asyncio.wait_for(
            asyncio.gather(*(add(store, text) for text in ("a", "b", "c")), return_exceptions=True),
            ANSWER_TIMEOUT_SECONDS,
        )
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 3
    await asyncio.wait_for(add(store, "d"), ANSWER_TIMEOUT_SECONDS)
    assert stored(path) == ["a", "b", "c", "d"]


async def test_closing_ends_reads_that_would_go_on_for_ever_and_those_behind_them(path: Path) -> None:
    store = Store(path)
    await store.open()
    reads = [asyncio.create_task(store.read(lambda tx: tx.value(READ_FOR_EVER))) for _ in range(300)]
    await asyncio.sleep(0.2)
    await asyncio.wait_for(store.close(), ANSWER_TIMEOUT_SECONDS)
    outcomes = await asyncio.wait_for(asyncio.gather(*reads, return_exceptions=True), ANSWER_TIMEOUT_SECONDS)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 300


@pytest.mark.parametrize("units_in_group", [1, 2])
async def test_closing_takes_back_a_write_that_would_go_on_for_ever(
    path: Path, monkeypatch: pytest.MonkeyPatch, units_in_group: int
) -> None:
    monkeypatch.setattr("service.database.writer.CLOSE_SECONDS", 0.2)
    store = Store(path)
    await store.open()
    await add(store, "before")
    units = [lambda tx: (tx.run(ADD, text="taken back"), tx.run(WRITE_FOR_EVER)), lambda tx: tx.run(COUNT)]
    writes = [asyncio.create_task(store.write(unit)) for unit in units[:units_in_group]]
    await asyncio.sleep(0.1)
    await asyncio.wait_for(store.close(), ANSWER_TIMEOUT_SECONDS)
    outcomes = await asyncio.wait_for(asyncio.gather(*writes, return_exceptions=True), ANSWER_TIMEOUT_SECONDS)
    assert isinstance(outcomes[0], Unavailable)
    assert stored(path) == ["before"]
    assert not path.with_name(path.name + "-wal").exists()  # the last one to close has put all into the database


async def test_closing_does_not_wait_for_all_writes_that_take_long(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.database.writer.CLOSE_SECONDS", 0.3)
    store = Store(path)
    await store.open()

    def unit(tx: Tx) -> str:
        tx.run(ADD, text="long")
        time.sleep(0.1)
        return "stored"

    writes = [asyncio.create_task(store.write(unit, Share("org", "caller"))) for _ in range(100)]
    await asyncio.sleep(0)
    await asyncio.wait_for(store.close(), ANSWER_TIMEOUT_SECONDS)
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {str, Unavailable}
    assert 0 < len(stored(path)) == outcomes.count("stored") < 20


async def test_a_file_that_is_no_database_is_not_opened_and_keeps_no_thread(tmp_path: Path) -> None:
    path = tmp_path / "list.db"
    path.write_bytes(b"a shopping list, surely no database\n" * 100)
    threads = set(threading.enumerate())
    with pytest.raises(DatabaseOpenError):
        await Store(path).open()
    await asyncio.sleep(0.1)
    assert set(threading.enumerate()) <= threads


async def test_an_opening_that_fails_halfway_keeps_no_thread(path: Path) -> None:
    threads, limits = set(threading.enumerate()), resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(first_free := os.dup(0))
    failures = 0
    for more in range(1, 30):
        store = Store(path)
        resource.setrlimit(resource.RLIMIT_NOFILE, (first_free + more, limits[1]))
        try:
            await asyncio.wait_for(store.open(), ANSWER_TIMEOUT_SECONDS)
        except DatabaseOpenError:
            failures += 1
            await asyncio.sleep(0.05)
            assert set(threading.enumerate()) <= threads
            continue
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        await store.close()
        break
    assert failures > 3  # at the writer and at the readers


async def test_over_http_a_database_that_is_gone_is_503_for_writes_and_reads_still_answer(
    world: World, settings: Settings
) -> None:
    card = await world.card(await world.board())
    path, aside = f"/cards/{card['id']}", settings.database.with_name("aside.db")
    settings.database.rename(aside)
    answer = await world.sa.patch(path, {"title": "Lost"})
    answer.refused(503, "unavailable")
    assert int(answer.headers["Retry-After"]) > 0
    assert (await world.sa.get(path)).ok() == card
    aside.rename(settings.database)
    assert (await world.sa.patch(path, {"title": "Kept"})).ok()["title"] == "Kept"
