"""Thread pools for slow work, with limits on how much of it may be pending."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..errors import Overloaded
from .cpu_scheduling import use_all_cores

T = TypeVar("T")


class BoundedThreadPool:
    """A thread pool with a first-in-first-out queue and limits on pending work, in total and per source.

    A source is an IP address, a user or an organization. The work should release the GIL, since its threads run on all
    cores.
    """

    def __init__(self, name: str, threads: int, total_max: int, source_max: int) -> None:
        self._name = name
        self._executor = ThreadPoolExecutor(threads, name, use_all_cores)
        self._total_max, self._source_max = total_max, source_max
        self._pending: Counter[str] = Counter()  # work that waits or runs, by source

    async def run(self, work: Callable[[], T], source: str) -> T:
        """Run work on a thread and return its result; raise Overloaded if too much work is pending."""
        if self._pending[source] >= self._source_max or self._pending.total() >= self._total_max:
            raise Overloaded(None, f"Too much work is waiting ({self._name}); try again in a few seconds.")
        loop = asyncio.get_running_loop()
        self._pending[source] += 1
        future = loop.run_in_executor(self._executor, work)
        # A thread cannot be cancelled: started work is counted until it ends, even if its request is cancelled.
        future.add_done_callback(lambda _: self._release(source))
        return await asyncio.shield(future)

    def _release(self, source: str) -> None:
        self._pending -= Counter([source])  # a subtraction also drops sources whose count is zero
