"""Turns at slow work are fair: a crowd that came first keeps nobody out, and only so many may wait."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from functools import partial

import pytest

from service.errors import Overloaded
from service.turns import Turns


class Queue:
    """Turns with one thread that is held up until the test lets it go, and who had theirs, in order."""

    def __init__(self, most: int) -> None:
        self.turns = Turns("test", threads=1, most=most)
        self.had: list[str] = []
        self.turned_away: list[str] = []
        self._gate = threading.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def come(self, *names: str) -> None:
        """Have some come, one after the other: `a:1` is the first request of a."""
        for name in names:
            self._tasks.append(asyncio.create_task(self._take(name)))
            await asyncio.sleep(0)

    async def _take(self, name: str) -> None:
        try:
            await self.turns.take(partial(self._work, name), *name.partition(":")[0].split("+"))
        except Overloaded:
            self.turned_away.append(name)

    def _work(self, name: str) -> bool:
        self._gate.wait(10)
        self.had.append(name)
        return name.endswith("right")

    async def go(self) -> list[str]:
        """Let all have their turns and give the order."""
        self._gate.set()
        await asyncio.gather(*self._tasks)
        return self.had


@pytest.fixture
async def queue() -> AsyncIterator[Queue]:
    queue = Queue(most=6)
    await queue.come("busy:0")  # has the thread
    yield queue
    await queue.go()


async def test_who_had_the_fewest_turns_lately_is_next(queue: Queue) -> None:
    await queue.come("a:1", "a:2", "a:3", "b:1")
    assert (await queue.go())[1:3] in (["b:1", "a:3"], ["a:3", "b:1"])
    await queue.come("busy:1", "c:1")
    assert (await queue.go())[-1] in ("busy:1", "c:1")


async def test_a_crowd_of_strangers_does_not_stand_before_who_comes_later(queue: Queue) -> None:
    await queue.come("a:1", "b:1", "c:1", "d:1", "late:1")
    assert (await queue.go())[1] == "late:1"


async def test_an_address_and_an_email_count_both(queue: Queue) -> None:
    await queue.come("one+victim:1", "two+victim:1", "three+victim:1", "home+other:1")
    had = await queue.go()
    assert had[1] == "home+other:1"
    await queue.come("busy:2", "one+another:1", "new+new:1")
    assert (await queue.go()).index("new+new:1") < had.index("one+another:1")


async def test_beyond_the_bound_one_of_the_largest_crowd_is_turned_away(queue: Queue) -> None:
    await queue.come("crowd:1", "crowd:2", "crowd:3", "crowd:4", "b:1", "c:1")
    assert queue.turned_away == []
    await queue.come("d:1", "e:1")
    await asyncio.sleep(0)
    assert queue.turned_away == ["crowd:1", "crowd:2"]
    assert {"b:1", "c:1", "d:1", "e:1"} <= set(await queue.go())


async def test_what_fails_fails_for_its_own_and_the_next_goes_on() -> None:
    turns = Turns("test", threads=1, most=2)

    def fail() -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011  # its own
        await turns.take(fail, "a")
    assert await turns.take(lambda: 1, "a") == 1


async def test_who_leaves_gives_the_turn_away(queue: Queue) -> None:
    task = asyncio.create_task(queue.turns.take(lambda: queue.had.append("gone"), "gone"))
    await queue.come("a:1")
    task.cancel()
    assert await queue.go() == ["busy:0", "a:1"]


async def test_what_was_right_is_held_against_nobody(queue: Queue) -> None:
    await queue.come("a:right", "b:wrong")
    await queue.go()
    await queue.come("busy:2", "a:2", "b:2")
    assert (await queue.go())[-2:] == ["a:2", "b:2"]


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux only")
async def test_slow_work_leaves_the_core_to_what_answers_requests() -> None:
    turns = Turns("test", threads=1, most=1)
    of_work = await turns.take(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), "a")
    of_requests = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert of_work > of_requests or of_work == 19
