"""Reads of many rows: in turn, at most two of an organization and two long ones, and none for longer than 5 s."""

import asyncio
import contextlib
import threading
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from service.database import migrate, readers, transaction
from service.database.connections import Work
from service.database.queries import sql
from service.database.statement import Statement
from service.database.store import Share, Store, Tx
from service.errors import Conflict, Overloaded, TooExpensive

ENDLESS = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

LARGE = "SELECT length(group_concat(hex(zeroblob(1 << 20)), '')) FROM sqlite_schema"  # 2 MiB for each table or index

BRIEF = readers.ReadKind(seconds_max=0.3)
NOTED = Statement("noted", "SELECT checked_at FROM readiness")
NUMBERS = Statement(
    "numbers",
    "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
    f" SELECT x, checked_at FROM n LEFT JOIN readiness LIMIT {transaction.ROWS_MAX + 1000}",
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    migrate.migrate(tmp_path / "service.db")
    store = Store(tmp_path / "service.db")
    await store.open()
    yield store
    await store.close()


class HeldReads:
    """Reads that go on until they are let go, and who began, in order."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.began: list[str] = []
        self.go: dict[str, threading.Event] = defaultdict(threading.Event)
        self.tasks: list[asyncio.Task[Any]] = []

    async def ask(self, name: str, org_id: str, caller_id: str, kind: readers.ReadKind = readers.SHORT) -> None:
        """Ask for a read, and let those begin that may."""
        read = self.store.read(lambda tx: self._work(name), Share(org_id, caller_id), kind)
        self.tasks.append(asyncio.create_task(read, name=name))
        await asyncio.sleep(0.02)

    def _work(self, name: str) -> None:
        self.began.append(name)
        self.go[name].wait(10)

    async def wait_for(self, count: int) -> None:
        """Wait until a number of reads have begun."""
        async with asyncio.timeout(5):
            while len(self.began) < count:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.01)

    async def expect(self, *names: str) -> None:
        """Expect that these reads begin, in this order, and no others."""
        await self.wait_for(len(names))
        await asyncio.sleep(0.05)
        assert self.began == list(names)

    async def finish(self) -> None:
        """Let all go on, and see that each comes to its end."""
        for name in [*self.go, *(task.get_name() for task in self.tasks)]:
            self.go[name].set()
        await asyncio.gather(*self.tasks)


async def test_an_organization_never_has_all_readers(store: Store) -> None:
    held = HeldReads(store)
    for number in range(4):
        await held.ask(f"a{number}", "A", f"caller{number}")
    await held.ask("b", "B", "other")
    await held.expect("a0", "a1", "b")
    await held.finish()
    assert sorted(held.began) == ["a0", "a1", "a2", "a3", "b"]


async def test_a_caller_reads_one_after_the_other(store: Store) -> None:
    held = HeldReads(store)
    for number in range(3):
        await held.ask(f"x{number}", "A", "x")
    await held.ask("y", "A", "y")
    await held.expect("x0", "y")
    await held.finish()


async def test_a_caller_reads_one_after_the_other_also_with_several_organizations(store: Store) -> None:
    held = HeldReads(store)
    for number in range(3):
        await held.ask(f"x{number}", f"org{number}", "x")
    await held.expect("x0")
    await held.finish()


async def test_long_reads_leave_a_reader_for_short_ones(store: Store) -> None:
    held = HeldReads(store)
    for number in range(4):
        await held.ask(f"long{number}", f"org{number}", f"x{number}", readers.LONG if number % 2 else readers.SEARCH)
    await held.expect("long0", "long1")
    await held.ask("short", "other", "y")
    await held.ask("short too", "other", "z")
    await held.expect("long0", "long1", "short")
    held.go["short"].set()
    await held.expect("long0", "long1", "short", "short too")
    await held.finish()
    assert len(held.began) == 6


async def test_the_caller_that_has_read_least_is_served_next(store: Store) -> None:
    held = HeldReads(store)
    for number in range(3):
        for caller in range(8):
            await held.ask(f"{caller}.{number}", f"org{caller // 2}", f"x{caller}", readers.SEARCH)
    for number in range(8):
        held.go[held.began[number]].set()
        await held.wait_for(number + 1 + readers.LONG_READS_MAX)
    await held.ask("new", "other", "y", readers.SEARCH)
    held.go[held.began[8]].set()
    await held.wait_for(9 + readers.LONG_READS_MAX)
    assert held.began[-1] == "new"
    await held.finish()


@pytest.mark.parametrize(("kind", "seconds"), [(readers.SEARCH, 1), (readers.SHORT, 5), (readers.LONG, 5)])
def test_the_time_of_a_read(kind: readers.ReadKind, seconds: float) -> None:
    assert kind.seconds_max == seconds


async def test_so_many_reads_of_an_organization_may_wait(store: Store) -> None:
    held = HeldReads(store)
    for number in range(readers.ORGANIZATION_READS_MAX):
        await held.ask(f"a{number}", "A", f"a{number}")
    left = readers.PENDING_MAX - readers.ORGANIZATION_READS_MAX
    waiting = [asyncio.create_task(store.read(lambda tx: None, Share("A", "x"))) for _ in range(left)]
    await asyncio.sleep(0.05)
    with pytest.raises(Overloaded):
        await store.read(lambda tx: None, Share("A", "y"))
    await store.read(lambda tx: None, Share("B", "z"))
    await held.finish()
    await asyncio.gather(*waiting)


async def test_a_read_that_takes_too_long_is_interrupted(store: Store) -> None:
    def endless(tx: Tx) -> Any:
        return tx._connection.execute(ENDLESS).fetchone()

    for _ in range(readers.READERS_COUNT + 1):
        with pytest.raises(TooExpensive) as refused:
            await store.read(endless, Share("A", "a"), BRIEF)
        assert int(refused.value.headers["Retry-After"]) > 0
    assert await store.read(lambda tx: 7, Share("A", "a")) == 7


async def test_many_statements_together_are_interrupted_too(store: Store) -> None:
    def endless(tx: Tx) -> None:
        while True:
            tx._connection.execute(ENDLESS.replace("FROM n)", "FROM n WHERE x < 100000)")).fetchone()

    with pytest.raises(TooExpensive):
        await store.read(endless, Share("A", "a"), BRIEF)


async def test_no_reader_puts_a_text_together_that_is_as_large_as_memory(store: Store) -> None:
    def large(tx: Tx) -> Any:
        return tx._connection.execute(LARGE).fetchone()

    with pytest.raises(TooExpensive):
        await store.read(large)
    with pytest.raises(TooExpensive):
        store.read_inline(large)


def read_all(tx: Tx) -> Any:
    return tx.all(NUMBERS)  # too many


def read_some(tx: Tx) -> Any:
    for number in tx.values(NUMBERS):
        if number == 3:
            raise Conflict(None, "No.")


def read_some_rows(tx: Tx) -> Any:
    for row in tx.each(NUMBERS):
        if row["x"] == 3:
            raise Conflict(None, "No.")


@pytest.mark.parametrize("unit", [read_all, read_some, read_some_rows])
@pytest.mark.parametrize("way", ["read_inline", "read", "write"])
async def test_an_error_that_is_kept_keeps_no_snapshot(store: Store, unit: Work[Any], way: str) -> None:
    errors: list[Exception] = []
    for _ in range(readers.READERS_COUNT):
        try:
            store.read_inline(unit) if way == "read_inline" else await getattr(store, way)(unit)
        except (Conflict, TooExpensive) as error:
            errors.append(error)  # with its traceback, and the cursor in it
    assert len(errors) == readers.READERS_COUNT
    await store.write(lambda tx: tx.run(sql.monitoring.check_write, now="2040-01-01T00:00:00.000Z"))
    read = [await store.read(lambda tx: tx.value(NOTED)) for _ in range(readers.READERS_COUNT)]
    assert {*read, store.read_inline(lambda tx: tx.value(NOTED))} == {"2040-01-01T00:00:00.000Z"}


async def test_a_cancelled_waiting_read_is_removed(store: Store) -> None:
    held = HeldReads(store)
    await held.ask("a", "A", "a")
    left = asyncio.create_task(store.read(lambda tx: held.began.append("left"), Share("A", "a")))
    await asyncio.sleep(0.02)
    left.cancel()
    await held.finish()
    await store.read(lambda tx: None, Share("A", "a"))
    assert held.began == ["a"]


async def test_a_read_under_way_that_nobody_waits_for_is_ended(store: Store) -> None:
    def endless(tx: Tx) -> Any:
        return tx._connection.execute(ENDLESS).fetchone()

    for _ in range(readers.READERS_COUNT + 1):
        left = asyncio.create_task(store.read(endless, Share("A", "a")))
        await asyncio.sleep(0.02)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
    async with asyncio.timeout(readers.SHORT.seconds_max / 2):
        assert await store.read(lambda tx: 7, Share("A", "a")) == 7


async def test_a_reader_cancelled_at_its_turn_passes_it_on(store: Store) -> None:
    held = HeldReads(store)
    await held.ask("a", "A", "a")
    leaving = asyncio.create_task(store.read(lambda tx: None, Share("A", "a")))
    following = asyncio.create_task(store.read(lambda tx: 7, Share("A", "a")))
    await asyncio.sleep(0.02)
    held.tasks[0].add_done_callback(lambda _: leaving.cancel())  # by then its turn has come
    await held.finish()
    assert await following == 7
    assert leaving.cancelled()


async def test_what_is_interrupted_harms_no_read_after_it(store: Store) -> None:
    def counted(tx: Tx, most: int) -> Any:
        return tx._connection.execute(ENDLESS.replace("FROM n)", f"FROM n WHERE x < {most})")).fetchone()

    async def endless() -> None:
        with pytest.raises(TooExpensive):
            await store.read(lambda tx: counted(tx, 10**12), Share("A", "a"), BRIEF)

    async def quick() -> None:
        assert await store.read(lambda tx: counted(tx, 10), Share("A", "a")) == (10,)

    for _ in range(5):
        await asyncio.gather(endless(), *(quick() for _ in range(20)))


SHARES = {
    "caller": [Share("A", "a")] * 10,
    "organization": [Share("A", f"a{number}") for number in range(10)],
    "pool": [Share(f"org{number}", f"b{number}") for number in range(10)],
}
CONCURRENT = {
    "caller": readers.CALLER_READS_MAX,
    "organization": readers.ORGANIZATION_READS_MAX,
    "pool": readers.READERS_COUNT,
}


async def hold(store: Store, share: Share, go: threading.Event, began: list[Share]) -> None:
    """Read until `go` is set, and note when the read begins."""

    def work(_: Tx) -> None:
        began.append(share)
        go.wait(10)

    await store.read(work, share)


async def require_concurrent(store: Store, bound: str) -> None:
    """Fail the test unless exactly as many reads run at the same time as a bound allows."""
    go, began = threading.Event(), list[Share]()
    holding = [asyncio.create_task(hold(store, share, go, began)) for share in SHARES[bound]]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(5):
            while len(began) < CONCURRENT[bound]:  # noqa: ASYNC110  # the reads are on other threads
                await asyncio.sleep(0.01)
    await asyncio.sleep(0.02)
    count = len(began)
    go.set()
    await asyncio.gather(*holding)
    assert count == CONCURRENT[bound]


async def cancel_after_grant(store: Store, bound: str, iterations: int) -> None:
    """Cancel waiting reads as soon as a reader is granted to them, or some iterations of the event loop later."""
    go, began, count = threading.Event(), list[Share](), CONCURRENT[bound]
    waiting: list[asyncio.Task[None]] = []

    async def hold_and_cancel(share: Share) -> None:
        await hold(store, share, go, began)
        for _ in range(iterations):
            await asyncio.sleep(0)
        for task in waiting:
            task.cancel()

    holding = [asyncio.create_task(hold_and_cancel(share)) for share in SHARES[bound][:count]]
    while len(began) < count:  # noqa: ASYNC110  # the reads are on other threads
        await asyncio.sleep(0.01)
    waiting += [asyncio.create_task(store.read(lambda tx: None, share)) for share in SHARES[bound][count : 3 * count]]
    await asyncio.sleep(0.01)
    go.set()
    await asyncio.gather(*holding)
    for end in await asyncio.gather(*waiting, return_exceptions=True):
        assert end is None or isinstance(end, asyncio.CancelledError)


@pytest.mark.parametrize("bound", SHARES)
async def test_no_reader_is_lost_with_a_caller_cancelled_as_it_is_granted(store: Store, bound: str) -> None:
    async with asyncio.timeout(30):
        for iterations in range(5):
            await cancel_after_grant(store, bound, iterations)
            for known in SHARES:
                await require_concurrent(store, known)
