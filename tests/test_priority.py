"""Which thread has the core: all share one, those that hash passwords use any, and long work gives way."""

import asyncio
import os
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from service import priority
from service.database.queries import Statement
from service.database.store import Store, Tx

from .process import ServiceProcess
from .world import World

COUNT_FAR = Statement(
    "numbers.count_far",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT count(*) FROM n",
)
COUNT = Statement("numbers.count", "SELECT 1")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="threads are kept on cores on Linux only")
CORES = os.sched_getaffinity(0) if sys.platform == "linux" else set()
needs_cores = pytest.mark.skipif(len(CORES) < 2, reason="there is only one core to be on")


def cores_of(pid: int) -> list[set[int]]:
    """Tell on which cores the threads of a process may run."""
    return [os.sched_getaffinity(int(thread)) for thread in os.listdir(f"/proc/{pid}/task")]


@needs_linux
@needs_cores
async def test_a_service_keeps_to_one_core_but_for_what_hashes_passwords(service_process: ServiceProcess) -> None:
    before = cores_of(service_process.process.pid)
    assert len(before) > 4
    assert {len(cores) for cores in before} == {1}
    assert len(set.union(*before)) == 1
    async with World(service_process.url):  # they sign in
        after = cores_of(service_process.process.pid)
    hashing = [cores for cores in after if len(cores) > 1]
    assert hashing in ([CORES], [CORES] * 2)  # there are two threads at the most


@needs_linux
def test_a_service_stays_on_the_cores_that_it_was_given(settings: object, tmp_path: Path) -> None:
    given = max(CORES)
    os.sched_setaffinity(0, {given})  # as `taskset` and CPUAffinity= do
    try:
        with ServiceProcess(tmp_path) as process:
            assert set.union(*cores_of(process.process.pid)) == {given}
    finally:
        os.sched_setaffinity(0, CORES)


@pytest.fixture
def ways_given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """By which threads the core was given away."""
    given: list[str] = []
    monkeypatch.setattr(priority.os, "sched_yield", lambda: given.append(threading.current_thread().name))
    monkeypatch.setattr(priority, "sleep", lambda _: given.append(threading.current_thread().name))
    return given


@pytest.fixture
async def store(tmp_path: Path, ways_given: list[str]) -> AsyncIterator[Store]:
    path = tmp_path / "scratch.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
    store = Store(path)
    await store.open()
    ways_given.clear()
    yield store
    await store.close()


@needs_linux
@pytest.mark.parametrize(("begin", "least", "most"), [(priority.step_back, 5, 150), (lambda: None, 0, 0)])
def test_only_what_has_stepped_back_rests_now_and_then(
    begin: Callable[[], None], least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    monkeypatch.setattr(priority, "sleep", rests.append)

    def work() -> None:
        begin()
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            priority.give_way()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert least <= len(rests) <= most


@needs_linux
async def test_a_long_read_gives_way_again_and_again_and_a_short_one_never(store: Store, ways_given: list[str]) -> None:
    assert await store.read(lambda tx: tx.value(COUNT)) == 1
    assert ways_given == []
    assert await store.read(lambda tx: tx.value(COUNT_FAR)) == 100_000
    assert len(ways_given) >= 20
    assert threading.main_thread().name not in ways_given


@needs_linux
async def test_a_long_look_at_a_snapshot_gives_way(store: Store, ways_given: list[str]) -> None:
    with closing(store.snapshot()) as view:
        assert view.value(COUNT_FAR) == 100_000
    assert len(ways_given) >= 20


@needs_linux
async def test_the_event_loop_gives_way_while_something_is_committed_and_only_then(
    store: Store, ways_given: list[str]
) -> None:
    store.let_writer_go_first()
    assert ways_given == []
    began, go_on = threading.Event(), threading.Event()

    def work(tx: Tx) -> None:
        began.set()
        assert go_on.wait(10)

    writing = asyncio.create_task(store.write(work))
    assert await asyncio.to_thread(began.wait, 10)
    store.let_writer_go_first()
    assert ways_given == [threading.main_thread().name]
    go_on.set()
    await writing
    store.let_writer_go_first()
    assert len(ways_given) == 1


@needs_linux
async def test_each_request_lets_what_is_committed_go_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(Store, "let_writer_go_first", lambda _: asked.append("yes"))
    (await world.sa.get("/auth/me")).ok()
    assert asked == ["yes"]


@needs_linux
async def test_an_import_gives_way_where_it_reads_where_it_is_tried_and_where_it_is_written(
    world: World, ways_given: list[str]
) -> None:
    await world.board()
    snapshot = (await world.sa.get("/admin/export")).ok()
    ways_given.clear()
    summary = (await world.sa.post("/admin/import", snapshot)).ok()["summary"]
    places = Counter(ways_given)
    of_requests = places.pop(threading.main_thread().name, 0)
    assert places.pop("import_0") > 20  # rows that were read
    tried = places.pop("trial_0")  # rows again, and statements
    (written,) = places.values()  # statements, by the thread that commits
    rows = sum(summary["imported"].values()) - summary["imported"]["organizations"]
    assert tried == rows + written
    assert min(rows, written) > 0
    assert of_requests < 5
