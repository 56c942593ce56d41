"""A unit of work in the writer has one second of CPU and five by the clock; the units of others are stored anyway."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service.database import deadline, transaction
from service.database.connections import run_in_connection_thread
from service.database.deadline import UNIT_CPU_SECONDS_MAX
from service.database.statement import Statement
from service.database.store import Share, Store, Tx
from service.errors import Conflict, TooExpensive

NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
ADD = Statement("notes.add", "INSERT INTO notes (text) VALUES (:text)")
READ_ENDLESSLY = Statement("numbers.read", f"{NUMBERS} SELECT max(i) FROM n")
WRITE_ENDLESSLY = Statement("notes.add_numbers", f"INSERT INTO notes (text) {NUMBERS} SELECT i FROM n WHERE i < 0")
ROWS = Statement("numbers.rows", f"{NUMBERS} SELECT i FROM n LIMIT {transaction.ROWS_MAX + 1}")
TEST_SECONDS = 20  # after which a unit that nobody ends is given up
Work = Callable[[Tx], Any]


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
    await store.close()


def stored(path: Path) -> list[str]:
    """Return what another process sees."""
    with closing(sqlite3.connect(path)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY rowid")]


def many_statements(tx: Tx) -> None:
    ends_at = time.monotonic() + TEST_SECONDS
    while time.monotonic() < ends_at:
        tx.run(ADD, text="of the expensive unit")


def many_statements_in_parts(tx: Tx) -> None:
    ends_at = time.monotonic() + TEST_SECONDS
    while time.monotonic() < ends_at:
        with tx.savepoint():
            tx.run(ADD, text="of the expensive unit")


def long_read(tx: Tx) -> None:
    tx.run(ADD, text="of the expensive unit")
    tx.value(READ_ENDLESSLY)


def long_write(tx: Tx) -> None:
    tx.run(ADD, text="of the expensive unit")
    tx.run(WRITE_ENDLESSLY)


def long_write_in_a_part(tx: Tx) -> None:
    with tx.savepoint():
        long_write(tx)


def python_only(tx: Tx) -> None:
    tx.run(ADD, text="of the expensive unit")
    ends_at = time.thread_time() + UNIT_CPU_SECONDS_MAX + 0.1
    while time.thread_time() < ends_at:
        pass


EXPENSIVE = [many_statements, many_statements_in_parts, long_read, long_write, long_write_in_a_part, python_only]


async def hold_writer(store: Store, group: list[tuple[str, Work]]) -> list[Any]:
    """Have units wait for the writer until all are queued, so that they share a COMMIT; return their outcomes."""
    began, go_on = threading.Event(), threading.Event()
    first = asyncio.create_task(store.write(lambda tx: (began.set(), go_on.wait(TEST_SECONDS))[1]))
    assert await asyncio.to_thread(began.wait, TEST_SECONDS)
    waiting = [asyncio.create_task(store.write(work, Share(org_id, "caller"))) for org_id, work in group]
    await asyncio.sleep(0)
    go_on.set()
    assert await first
    return await asyncio.gather(*waiting, return_exceptions=True)


def expect_too_expensive(error: Any) -> None:
    assert isinstance(error, TooExpensive)
    assert (error.status, error.code) == (503, "too_expensive")
    assert int(error.headers["Retry-After"]) > 0
    assert "ask for less" in error.message


@pytest.mark.parametrize("expensive", EXPENSIVE)
async def test_a_unit_has_a_second_and_the_others_of_its_group_are_stored(
    store: Store, path: Path, expensive: Work
) -> None:
    effects: list[str] = []

    def add(text: str) -> tuple[str, Work]:
        return text[0], lambda tx: (tx.run(ADD, text=text), tx.on_commit(lambda: effects.append(text)), text)[2]

    def refused(tx: Tx) -> None:
        tx.run(ADD, text="of a refused unit")
        raise Conflict(None, "No.")

    def expensive_with_effect(tx: Tx) -> None:
        tx.on_commit(lambda: effects.append("of the expensive unit"))
        expensive(tx)

    group = [add("a 1"), ("b", refused), ("x", expensive_with_effect), add("a 2"), add("b 2")]
    outcomes = await hold_writer(store, group)
    expect_too_expensive(outcomes[2])
    assert isinstance(outcomes[1], Conflict)
    assert [outcomes[0], *outcomes[3:]] == ["a 1", "a 2", "b 2"]
    assert stored(path) == effects
    assert sorted(effects) == ["a 1", "a 2", "b 2"]


@pytest.mark.parametrize("expensive", EXPENSIVE)
async def test_a_unit_alone_has_a_second_too(store: Store, path: Path, expensive: Work) -> None:
    await store.write(lambda tx: tx.run(ADD, text="before"))
    with pytest.raises(TooExpensive) as refused:
        await store.write(expensive)
    expect_too_expensive(refused.value)
    await store.write(lambda tx: tx.run(ADD, text="after"))
    assert stored(path) == ["before", "after"]


async def test_several_units_that_write_for_long_take_only_their_own_changes_back(store: Store, path: Path) -> None:
    adds: list[tuple[str, Work]] = [("a", lambda tx, n=n: tx.run(ADD, text=str(n))) for n in range(3)]
    outcomes = await hold_writer(store, [adds[0], ("x", long_write), adds[1], ("x", long_write), adds[2]])
    for number in (1, 3):
        expect_too_expensive(outcomes[number])
    assert [outcomes[0], outcomes[2], outcomes[4]] == [1, 1, 1]
    assert stored(path) == ["0", "1", "2"]


async def test_each_unit_of_a_group_has_a_second_of_its_own(store: Store, path: Path) -> None:
    def slow(tx: Tx) -> None:
        ends_at = time.thread_time() + 0.4 * UNIT_CPU_SECONDS_MAX
        while time.thread_time() < ends_at:
            tx.run(ADD, text="slow")

    assert await hold_writer(store, [("a", slow)] * 4) == [None] * 4
    assert set(stored(path)) == {"slow"}


async def test_what_a_unit_waits_for_is_no_cpu_time(store: Store, path: Path) -> None:
    def waiting(tx: Tx) -> None:
        for _ in range(12):
            time.sleep(UNIT_CPU_SECONDS_MAX / 10)
            tx.run(ADD, text="waiting")

    assert await hold_writer(store, [("a", waiting)]) == [None]
    assert stored(path) == ["waiting"] * 12


async def test_a_unit_has_five_seconds_by_the_clock(store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "UNIT_CPU_SECONDS_MAX", 0.2)
    monkeypatch.setattr(deadline, "UNIT_SECONDS_MAX", 0.4)  # of five

    def waiting(tx: Tx) -> None:
        for _ in range(6):
            time.sleep(0.1)
            tx.run(ADD, text="waiting")

    expect_too_expensive((await hold_writer(store, [("a", waiting)]))[0])
    assert stored(path) == []


def test_the_bounds_of_a_unit() -> None:
    assert (deadline.UNIT_CPU_SECONDS_MAX, deadline.UNIT_SECONDS_MAX) == (1, 5)


async def test_a_unit_that_goes_on_after_its_second_changes_nothing(store: Store, path: Path) -> None:
    def stubborn(tx: Tx) -> None:
        try:
            long_write(tx)
        except Exception:
            tx.run(ADD, text="outside of the transaction")

    with pytest.raises(TooExpensive):
        await store.write(stubborn)
    expect_too_expensive((await hold_writer(store, [("x", stubborn), ("a", lambda tx: tx.run(ADD, text="a"))]))[0])
    assert stored(path) == ["a"]


async def test_the_changes_of_a_unit_are_bounded_together_whether_it_reads_or_writes(store: Store, path: Path) -> None:
    part = "é" * (transaction.CHANGES_BYTES_MAX // 8)  # a quarter of it in bytes

    def unit(tx: Tx, count: int) -> None:
        if tx.writes:
            tx.run(ADD, text=str(count))
        for _ in range(count):
            tx.count_changes(part)

    for way in (store.read, store.write):
        await way(lambda tx: unit(tx, 4))
        with pytest.raises(TooExpensive) as refused:
            await way(lambda tx: unit(tx, 5))
        expect_too_expensive(refused.value)
    assert stored(path) == ["4"]


async def test_reads_in_the_writer_are_bounded_like_other_reads(store: Store) -> None:
    with pytest.raises(TooExpensive):
        await store.write(lambda tx: tx.all(ROWS))
    assert len(await store.write(lambda tx: list(tx.each(ROWS)))) == transaction.ROWS_MAX + 1


async def test_statements_between_units_have_no_deadline(store: Store) -> None:
    def count(connection: sqlite3.Connection) -> Any:
        return connection.execute(f"{NUMBERS} SELECT count(*) FROM (SELECT i FROM n LIMIT 100000)").fetchone()

    await store.write(lambda tx: tx.run(ADD, text="a"))
    await asyncio.sleep(UNIT_CPU_SECONDS_MAX + 0.2)
    assert await run_in_connection_thread(store._writer_connection, count) == (100_000,)
