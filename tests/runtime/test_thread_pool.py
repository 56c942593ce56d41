"""Slow work on threads: so much of it may wait, of one source and in total, and what ends makes room."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from functools import partial

import pytest

from service.errors import STOPPING, Overloaded
from service.runtime.thread_pool import BoundedThreadPool


class Queue:
    """A pool with one thread that is held until the test lets it go, and what ran, in order."""

    def __init__(self) -> None:
        self.pool = BoundedThreadPool("test", threads=1, total_max=6, source_max=3)
        self.ran: list[str] = []
        self.refused: list[str] = []
        self.policy = threading.Event()
        self.began = threading.Event()
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, *names: str) -> None:
        """Ask for work, one after the other: `a:1` is the first of source a."""
        for name in names:
            self.tasks.append(asyncio.create_task(self._run(name)))
            await asyncio.sleep(0)

    async def _run(self, name: str) -> None:
        try:
            await self.pool.run(partial(self._work, name), name.partition(":")[0])
        except Overloaded:
            self.refused.append(name)

    def _work(self, name: str) -> None:
        self.began.set()
        self.policy.wait(10)
        self.ran.append(name)

    async def finish(self) -> list[str]:
        """Let all work end and return its order."""
        self.policy.set()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        return self.ran


@pytest.fixture
async def queue() -> AsyncIterator[Queue]:
    queue = Queue()
    yield queue
    await queue.finish()


async def test_work_is_done_in_the_order_in_which_it_came(queue: Queue) -> None:
    await queue.ask("a:1", "b:1", "a:2", "c:1")
    assert await queue.finish() == ["a:1", "b:1", "a:2", "c:1"]


async def test_pending_work_of_one_source_has_a_limit(queue: Queue) -> None:
    await queue.ask("a:1", "a:2", "a:3", "a:4", "b:1")
    assert queue.refused == ["a:4"]
    assert await queue.finish() == ["a:1", "a:2", "a:3", "b:1"]


async def test_pending_work_has_a_total_limit(queue: Queue) -> None:
    await queue.ask("a:1", "b:1", "c:1", "d:1", "e:1", "f:1", "g:1")
    assert queue.refused == ["g:1"]


async def test_completed_and_failed_work_frees_its_slot(queue: Queue) -> None:
    def fail() -> None:
        raise ValueError

    queue.policy.set()
    for _ in range(4):
        with pytest.raises(ValueError):  # noqa: PT011  # its own
            await queue.pool.run(fail, "a")
    await queue.ask("a:1", "a:2", "a:3")
    assert len(await queue.finish()) == 3
    assert queue.refused == []


async def test_work_that_began_counts_until_it_ends_although_its_caller_has_left(queue: Queue) -> None:
    await queue.ask("a:1", "a:2", "a:3")
    for task in queue.tasks:
        task.cancel()
    await asyncio.sleep(0.05)
    await queue.ask("a:4")
    assert queue.refused == ["a:4"]
    await queue.finish()
    await asyncio.sleep(0.05)
    await queue.ask("a:5")
    await queue.finish()
    assert queue.ran[-1] == "a:5"


async def test_a_shutdown_fails_what_waits_and_completes_what_runs(queue: Queue) -> None:
    await queue.ask("a:1", "a:2", "b:1")
    await asyncio.to_thread(queue.began.wait, 10)
    BoundedThreadPool.cancel_waiting()
    assert await queue.finish() == ["a:1"]
    results = await asyncio.gather(*queue.tasks, return_exceptions=True)
    assert [str(result) for result in results] == ["None", STOPPING, STOPPING]
    await queue.ask("c:1")  # of a request that arrived in time
    assert await queue.finish() == ["a:1", "c:1"]


async def test_a_pool_without_any_thread_refuses_work_and_one_with_a_thread_goes_on(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as limited:  # as a limit on the tasks of a control group does
        limited.setattr(threading.Thread, "start", refuse)
        await queue.ask("a:1")
        assert queue.refused == ["a:1"]
    queue.policy.set()
    pool = BoundedThreadPool("test", threads=2, total_max=6, source_max=6)
    await pool.run(threading.get_ident, "a")
    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refuse)
        assert len(set(await asyncio.gather(*(pool.run(threading.get_ident, "a") for _ in range(3))))) == 1


def test_the_process_ends_without_waiting_for_work() -> None:
    code = (
        "import asyncio, time; from service.runtime.thread_pool import BoundedThreadPool as Pool\n"
        "async def main():\n"
        "    work = asyncio.create_task(Pool('test', 1, 9, 9).run(lambda: print('began') or time.sleep(60), ''))\n"
        "    await asyncio.sleep(0.2)\n"
        "asyncio.run(main())"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "began\n", "")
