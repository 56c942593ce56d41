"""Slots: a fixed number of places for each name, for which later ones wait in order."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from .errors import Overloaded


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
