"""Thread pools for slow work, with bounds on how much of it may wait."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..errors import Overloaded
from .cpu_scheduling import use_all_cores

T = TypeVar("T")


class BoundedThreadPool:
    """A fixed number of threads, first come first served, with a bound for each source and one in total.

    A source is whoever asks for the work: an address, a person, an organization. The work should release the
    interpreter lock: it may run on any core.
    """

    def __init__(self, name: str, threads: int, total_max: int, source_max: int) -> None:
        self._name = name
        self._executor = ThreadPoolExecutor(threads, name, use_all_cores)
        self._total_max, self._source_max = total_max, source_max
        self._pending: Counter[str] = Counter()  # work that waits or runs, by source

    async def run(self, work: Callable[[], T], source: str) -> T:
        """Run work on a thread and return its result; raise overloaded if too much is pending already."""
        if self._pending[source] >= self._source_max or self._pending.total() >= self._total_max:
            raise Overloaded(None, f"Too much work is waiting ({self._name}); try again in a few seconds.")
        loop = asyncio.get_running_loop()
        self._pending[source] += 1
        future = loop.run_in_executor(self._executor, work)
        # A thread cannot be stopped: work that began counts until it ends, although its caller may have left.
        future.add_done_callback(lambda _: self._release(source))
        return await asyncio.shield(future)

    def _release(self, source: str) -> None:
        self._pending -= Counter([source])  # sources without pending work are dropped
