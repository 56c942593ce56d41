"""The reader pool: connections for reads of many rows.

Organizations, and callers within each, are served in turn by the time that their reads took (see fair_queue.py).
"""

import asyncio
import sqlite3
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import aiosqlite

from ..errors import STOPPING, Overloaded, TooExpensive
from .connections import T, interrupt_until_done, run_in_connection_thread, wait_until_idle
from .fair_queue import FairQueue, Share, Turn
from .faults import unavailable

READERS_COUNT = 3
ORGANIZATION_READS_MAX, CALLER_READS_MAX = 2, 1  # at the same time
LONG_READS_MAX = 2  # at the same time, so that a short read finds a connection
PENDING_MAX = 200  # reads of one organization that wait or run
TOO_MANY = "Too many reads of the organization are waiting; try again in a few seconds."


@dataclass(frozen=True, slots=True)
class ReadKind:
    """How long a read may take, whether it is expected to be long, and what helps if it takes too long."""

    seconds_max: float = 5.0
    is_long: bool = False
    advice: str = "use a filter or a smaller page"


SHORT = ReadKind()
LONG = ReadKind(is_long=True)
SEARCH = ReadKind(seconds_max=1.0, is_long=True, advice="search for longer or for fewer words, or within one board")


@dataclass(slots=True, eq=False)
class _Read:
    """A read that waits for a connection."""

    kind: ReadKind
    future: asyncio.Future["_Grant"]


@dataclass(frozen=True, slots=True)
class _Grant:
    """A connection for a read, until it is released."""

    turn: Turn[_Read]
    connection: aiosqlite.Connection
    began: float


class Readers:
    """A pool of read-only connections."""

    def __init__(self, connections: list[aiosqlite.Connection]) -> None:
        self._free = deque(connections)
        self._queue = FairQueue[_Read]()
        self._pending: Counter[str] = Counter()  # reads that wait or run, by organization
        self._running: Counter[tuple[str, str]] = Counter()  # by organization, and by caller
        self._long_running = 0
        self._interrupting: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def read(self, work: Callable[[sqlite3.Connection], T], share: Share, kind: ReadKind = SHORT) -> T:
        """Run a function on a connection; raise Overloaded if too many wait, TooExpensive if it takes too long."""
        if share.org_id and self._pending[share.org_id] >= PENDING_MAX:
            raise Overloaded(None, TOO_MANY)
        self._pending[share.org_id] += 1
        try:
            return await self._run(work, await self._acquire(share, kind))
        finally:
            self._pending -= Counter([share.org_id])  # a subtraction also drops organizations whose count is zero

    async def _acquire(self, share: Share, kind: ReadKind) -> _Grant:
        """Wait for a connection; `_release` has to follow."""
        read = _Read(kind, asyncio.get_running_loop().create_future())
        self._queue.put(share, read)
        self._grant_all()
        try:
            return await read.future
        except asyncio.CancelledError:
            if read.future.cancelled():
                self._queue.remove(share, read)
            else:  # cancelled after the turn had come
                self._release(read.future.result())
            raise

    def _grant_all(self) -> None:
        """Give the free connections to the reads whose turn it is."""
        while self._free and (turn := self._queue.peek(self._may_run)):
            if turn.item.future.done():  # cancelled
                self._queue.remove(turn.share, turn.item)
                continue
            self._queue.take(turn)
            self._count_running(turn, 1)
            turn.item.future.set_result(_Grant(turn, self._free.popleft(), monotonic()))

    def _may_run(self, share: Share, read: _Read) -> bool:
        if read.kind.is_long and self._long_running >= LONG_READS_MAX:
            return False
        if not share.caller_id:  # the service's own reads have no limit
            return True
        organization, caller = _get_keys(share)
        return self._running[organization] < ORGANIZATION_READS_MAX and self._running[caller] < CALLER_READS_MAX

    def _count_running(self, turn: Turn[_Read], difference: int) -> None:
        self._long_running += turn.item.kind.is_long * difference
        for key in _get_keys(turn.share):
            self._running[key] += difference
            if not self._running[key]:
                del self._running[key]

    def _release(self, grant: _Grant) -> None:
        self._queue.finish(grant.turn, monotonic() - grant.began)
        self._count_running(grant.turn, -1)
        self._free.append(grant.connection)
        self._grant_all()

    async def _run(self, work: Callable[[sqlite3.Connection], T], grant: _Grant) -> T:
        is_idle, kind = True, grant.turn.item.kind
        try:
            if self._is_closed:
                raise unavailable(STOPPING)
            is_idle = False
            async with asyncio.timeout(kind.seconds_max):
                result = await run_in_connection_thread(grant.connection, work)
            is_idle = True
            return result
        except TimeoutError:
            message = f"This read took longer than {kind.seconds_max:g} s and was stopped; {kind.advice}."
            raise TooExpensive(None, message) from None
        except Exception:
            is_idle = True
            raise
        finally:
            if is_idle:
                self._release(grant)
            else:  # the read timed out or was cancelled
                self._interrupting.add(task := asyncio.create_task(self._interrupt(grant)))
                task.add_done_callback(self._interrupting.discard)

    async def _interrupt(self, grant: _Grant) -> None:
        """Interrupt a read, which may have many statements, until it has ended; then release its connection."""
        await interrupt_until_done(asyncio.create_task(wait_until_idle(grant.connection)), grant.connection)
        self._release(grant)

    def close(self) -> None:
        """Make all waiting reads fail, since the connections are about to be closed."""
        self._is_closed = True


def _get_keys(share: Share) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the keys under which running reads are counted; a caller may have several organizations."""
    return ("organization", share.org_id), ("caller", share.caller_id)
