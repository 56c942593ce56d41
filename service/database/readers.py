"""The readers of many rows: a small pool of connections, with slots for each caller and each organization."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

import aiosqlite

from ..errors import Overloaded, TooExpensive
from .connections import T, ended, reached, run_in_connection_thread
from .faults import unavailable

READERS_COUNT = 3
ORGANIZATION_READS_MAX, CALLER_READS_MAX = 2, 1  # that run at a time
PENDING_MAX = 200  # of one organization, those that run included
READ_SECONDS_MAX = 5.0
STOPPING = "The service is stopping; send the request again in a few seconds."
TOO_MANY = "Too many reads of the organization wait already; try again in a few seconds."
TOO_LONG = (
    f"This read took longer than {READ_SECONDS_MAX:g} s and was ended; ask for less, by a filter or a smaller page."
)


@dataclass(frozen=True, slots=True)
class Share:
    """Whose slots a read uses: those of an organization and a caller; without them it is the service's own."""

    org_id: str = ""
    caller_id: str = ""


SERVICE = Share()


class Readers:
    """A pool of connections that read."""

    def __init__(self, connections: list[aiosqlite.Connection]) -> None:
        self._free: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        for connection in connections:
            self._free.put_nowait(connection)
        # A semaphore lives as long as somebody holds it or waits for it.
        self._organizations: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._callers: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._pending: Counter[str] = Counter()  # reads that wait or run, by organization
        self._interrupting: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def read(self, work: Callable[[sqlite3.Connection], T], share: Share) -> T:
        """Run a function on a connection; raise overloaded if too many wait, too_expensive if it takes too long."""
        if not share.org_id:
            return await self._run(work, await self._free.get())
        if self._pending[share.org_id] >= PENDING_MAX:
            raise Overloaded(None, TOO_MANY)
        self._pending[share.org_id] += 1
        try:
            caller = self._callers.setdefault(share.caller_id, asyncio.Semaphore(CALLER_READS_MAX))
            organization = self._organizations.setdefault(share.org_id, asyncio.Semaphore(ORGANIZATION_READS_MAX))
            # The caller's own slot first: one that waits for it takes no slot of the organization.
            async with caller, organization:
                return await self._run(work, await self._free.get())
        finally:
            self._pending -= Counter([share.org_id])  # organizations without pending reads are dropped

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
            else:  # the time is over, or the caller has left
                self._interrupting.add(task := asyncio.create_task(self._interrupt(connection)))
                task.add_done_callback(self._interrupting.discard)

    async def _interrupt(self, connection: aiosqlite.Connection) -> None:
        """Interrupt a read until it has ended (it may have many statements), then give its connection back."""
        await ended(asyncio.create_task(reached(connection)), connection)
        self._free.put_nowait(connection)

    def close(self) -> None:
        """Refuse all that wait, since the connections are about to be closed."""
        self._is_closed = True
