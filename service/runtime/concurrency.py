"""Concurrency limits: quotas that are denied at once when used up, and slots that later requests wait for."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..errors import Overloaded


class Quota(NamedTuple):
    """A limit on the concurrent requests that count against one key."""

    key: str
    limit: int
    owner: str  # as the error message names it, for example "the organization"


class ConcurrencyLimiter:
    """Counts the concurrent requests of one kind, and denies those beyond a quota at once."""

    def __init__(self, message: str) -> None:
        self._message = message  # of the error, with the placeholders {limit} and {owner}
        self._in_use: Counter[str] = Counter()

    @contextmanager
    def acquire(self, *quotas: Quota) -> Iterator[None]:
        """Count against each quota while the block runs; raise Overloaded if one of them is used up."""
        for quota in quotas:
            if self._in_use[quota.key] >= quota.limit:
                raise Overloaded(None, self._message.format(**quota._asdict()), limit=quota.limit)
        keys = Counter(quota.key for quota in quotas)
        self._in_use += keys
        try:
            yield
        finally:
            self._in_use -= keys


class Slots:
    """A fixed number of slots per key for one kind of work, with a limit on the requests that hold or await one."""

    def __init__(self, count: int, pending_max: int, message: str) -> None:
        self._count, self._pending_max, self._message = count, pending_max, message
        # Weak references: a semaphore is dropped when no request holds or awaits it.
        self._semaphores: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._pending: Counter[str] = Counter()

    @asynccontextmanager
    async def acquire(self, key: str) -> AsyncIterator[None]:
        """Hold a slot while the block runs; raise Overloaded if too many requests of this key are pending."""
        if self._pending[key] >= self._pending_max:
            raise Overloaded(None, self._message)
        self._pending[key] += 1
        try:
            async with self._semaphores.setdefault(key, asyncio.Semaphore(self._count)):
                yield
        finally:
            self._pending -= Counter([key])  # a subtraction also drops keys whose count is zero
