"""The reader pool: connections for reads of many rows, with concurrency limits per caller and organization."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

import aiosqlite

from ..errors import STOPPING, Overloaded, TooExpensive
from .connections import T, interrupt_until_done, run_in_connection_thread, wait_until_idle
from .faults import unavailable

READERS_COUNT = 3
ORGANIZATION_READS_MAX, CALLER_READS_MAX = 2, 1  # that run at the same time
PENDING_MAX = 200  # reads of one organization that wait or run
READ_SECONDS_MAX = 5.0
TOO_MANY = "Too many reads of the organization are waiting; try again in a few seconds."
TOO_LONG = f"This read took longer than {READ_SECONDS_MAX:g} s and was stopped; use a filter or a smaller page."


@dataclass(frozen=True, slots=True)
class Share:
    """The organization and the caller whose limits apply to a read; empty for reads of the service itself."""

    org_id: str = ""
    caller_id: str = ""


SERVICE = Share()


class Readers:
    """A pool of read-only connections."""

    def __init__(self, connections: list[aiosqlite.Connection]) -> None:
        self._free: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        for connection in connections:
            self._free.put_nowait(connection)
        # Weak references: a semaphore is dropped when no read holds or awaits it.
        self._organizations: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._callers: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._pending: Counter[str] = Counter()  # reads that wait or run, by organization
        self._interrupting: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def read(self, work: Callable[[sqlite3.Connection], T], share: Share) -> T:
        """Run a function on a connection; raise Overloaded if too many wait, TooExpensive if it takes too long."""
        if not share.org_id:
            return await self._run(work, await self._free.get())
        if self._pending[share.org_id] >= PENDING_MAX:
            raise Overloaded(None, TOO_MANY)
        self._pending[share.org_id] += 1
        try:
            caller = self._callers.setdefault(share.caller_id, asyncio.Semaphore(CALLER_READS_MAX))
            organization = self._organizations.setdefault(share.org_id, asyncio.Semaphore(ORGANIZATION_READS_MAX))
            # The caller's slot first, so that a caller's waiting reads do not use up the organization's slots.
            async with caller, organization:
                return await self._run(work, await self._free.get())
        finally:
            self._pending -= Counter([share.org_id])  # a subtraction also drops organizations whose count is zero

    async def _run(self, work: Callable[[sqlite3.Connection], T], connection: aiosqlite.Connection) -> T:
        is_idle = True
        try:
            if self._is_closed:
                raise unavailable(STOPPING)
            is_idle = False
            async with asyncio.timeout(READ_SECONDS_MAX):
                result = await run_in_connection_thread(connection, work)
            is_idle = True
            return result
        except TimeoutError:
            raise TooExpensive(None, TOO_LONG) from None
        except Exception:
            is_idle = True
            raise
        finally:
            if is_idle:
                self._free.put_nowait(connection)
            else:  # the read timed out or was cancelled
                self._interrupting.add(task := asyncio.create_task(self._interrupt(connection)))
                task.add_done_callback(self._interrupting.discard)

    async def _interrupt(self, connection: aiosqlite.Connection) -> None:
        """Interrupt a read, which may have many statements, until it has ended; then return its connection."""
        await interrupt_until_done(asyncio.create_task(wait_until_idle(connection)), connection)
        self._free.put_nowait(connection)

    def close(self) -> None:
        """Make all waiting reads fail, since the connections are about to be closed."""
        self._is_closed = True
