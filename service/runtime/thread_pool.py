"""Thread pools for slow work, with limits on how much of it may be pending."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar
from weakref import WeakSet

from ..errors import STOPPING, Overloaded, Unavailable
from .cpu_scheduling import use_all_cores

T = TypeVar("T")
Task = tuple[Callable[[], Any], asyncio.Future[Any]]


class BoundedThreadPool:
    """A thread pool with a first-in-first-out queue and limits on pending work, in total and per source.

    A source is an IP address, a user or an organization. Each thread begins with `prepare`: work that releases the GIL
    may use all cores. They are daemon threads, unlike those of ThreadPoolExecutor, so that the process ends without
    waiting for them.
    """

    _pools: WeakSet["BoundedThreadPool"] = WeakSet()

    def __init__(
        self,
        name: str,
        threads: int,
        total_max: int,
        source_max: int,
        prepare: Callable[[], None] = use_all_cores,
    ) -> None:
        self._name, self._prepare = name, prepare
        self._threads_max, self._threads = threads, 0
        self._total_max, self._source_max = total_max, source_max
        self._pending: Counter[str] = Counter()  # work that waits or runs, by source
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        self._pools.add(self)

    async def run(self, work: Callable[[], T], source: str) -> T:
        """Run work on a thread and return its result; raise Overloaded if too much work is pending."""
        if self._pending[source] >= self._source_max or self._pending.total() >= self._total_max:
            raise self._overloaded()
        self._start_thread()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._pending[source] += 1
        # A thread cannot be cancelled: started work is counted until it ends, even if its request is cancelled.
        future.add_done_callback(lambda _: self._release(source))
        self._tasks.put((work, future))
        return await asyncio.shield(future)

    @classmethod
    def cancel_waiting(cls) -> None:
        """Fail the work that waits in any pool with Unavailable, for a shutdown; work that runs is completed."""
        for pool in cls._pools:
            with suppress(Empty):
                while True:
                    _, future = pool._tasks.get_nowait()
                    _set_result(future, None, Unavailable(None, STOPPING))

    def _overloaded(self) -> Overloaded:
        return Overloaded(None, f"Too much work is waiting ({self._name}); try again in a few seconds.")

    def _release(self, source: str) -> None:
        self._pending -= Counter([source])  # a subtraction also drops sources whose count is zero

    def _start_thread(self) -> None:
        """Start a thread if all are busy and there may be another one; raise Overloaded if there is none at all."""
        if self._threads == self._threads_max or self._threads > self._pending.total():
            return
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
        except RuntimeError:  # the system cannot start another thread
            if not self._threads:
                raise self._overloaded() from None
            return
        self._threads += 1

    def _run(self) -> None:
        self._prepare()
        while True:
            _run_task(*self._tasks.get())


def _run_task(work: Callable[[], Any], future: asyncio.Future[Any]) -> None:
    """Run work and pass its result to the event loop; keeps no reference to it, since it may contain a password."""
    result, error = None, None
    try:
        result = work()
    except BaseException as caught:
        error = caught
    with suppress(RuntimeError):  # the loop is closed: the service has stopped
        future.get_loop().call_soon_threadsafe(_set_result, future, result, error)
    del future, error  # the future keeps the traceback, which refers to this frame


def _set_result(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
