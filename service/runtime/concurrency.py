"""Concurrency limits: quotas that are denied at once when used up, and slots that later requests wait for."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..errors import Overloaded


class Quota(NamedTuple):
    """How many places a name has, and whose they are, in the words of the refusal."""

    name: str
    most: int
    whose: str


class ConcurrencyLimiter:
    """The places that are taken in one service process."""

    def __init__(self, message: str) -> None:
        self._message = message  # of the refusal; names {most} and {whose}
        self._taken: Counter[str] = Counter()

    @contextmanager
    def acquire(self, *bounds: Quota) -> Iterator[None]:
        """Take a place under each name meanwhile; raise overloaded if one has none left."""
        for bound in bounds:
            if self._taken[bound.name] >= bound.most:
                raise Overloaded(None, self._message.format(**bound._asdict()), limit=bound.most)
        names = Counter(bound.name for bound in bounds)
        self._taken += names
        try:
            yield
        finally:
            self._taken -= names


class Slots:
    """The slots of one kind of work, with a bound on how many may hold one or wait for one."""

    def __init__(self, count: int, pending_max: int, message: str) -> None:
        self._count, self._pending_max, self._message = count, pending_max, message
        # A semaphore lives as long as somebody holds it or waits for it.
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._pending: Counter[str] = Counter()

    @asynccontextmanager
    async def acquire(self, name: str) -> AsyncIterator[None]:
        """Hold a slot meanwhile; raise overloaded if too many wait for one of this name already."""
        if self._pending[name] >= self._pending_max:
            raise Overloaded(None, self._message)
        self._pending[name] += 1
        try:
            async with self._semaphores.setdefault(name, asyncio.Semaphore(self._count)):
                yield
        finally:
            self._pending -= Counter([name])  # names that nobody uses are dropped
