"""The readers of many rows: a few connections, in turns that are fair to organizations and callers.

Whoever had the least of them lately comes first, an organization has never all of them, and a read that takes too long
is interrupted: so nobody waits longer than that for others, however many pages those turn.
"""

import asyncio
import sqlite3
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

import aiosqlite

from ..errors import Overloaded, TooExpensive
from .connections import T, ended, hop, reached

READERS_COUNT = 3
ORGANIZATION_READS_MAX, CALLER_READS_MAX = 2, 1  # that run at a time
WAITING_MAX = 200  # of one organization
READ_SECONDS_MAX = 5.0
HALF_LIFE_SECONDS = 20.0  # in which half of what somebody had is forgotten
REMEMBERED_MAX = 10_000
TOO_LONG = (
    f"This read took longer than {READ_SECONDS_MAX:g} s and was ended; ask for less, by a filter or a smaller page."
)


@dataclass(frozen=True, slots=True)
class Share:
    """For whom a read is: an organization, and one of its callers; without them it is the service's own."""

    org_id: str = ""
    caller_id: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Give by what is counted how much somebody reads."""
        return (self.org_id, self.caller_id) if self.org_id else ()


SERVICE = Share()


@dataclass(eq=False, slots=True)
class _Turn:
    """A read under way: on which connection, for whom, since when, and what ends it if it takes too long."""

    connection: aiosqlite.Connection
    share: Share
    began: float
    ending: asyncio.Task[None] | None = None


class Readers:
    """A few connections that read, and those who wait for one."""

    def __init__(self, connections: list[aiosqlite.Connection]) -> None:
        self._free = list(connections)
        self._waiting: dict[Share, deque[asyncio.Future[_Turn]]] = {}  # of each share in the order in which they came
        self._crowds: Counter[str] = Counter()  # of those who wait, by organization
        self._running: Counter[str] = Counter()
        self._had: dict[str, tuple[float, float]] = {}  # seconds of reading, and when that was worked out

    async def read(self, work: Callable[[sqlite3.Connection], T], share: Share) -> T:
        """Run a function on a connection; raise overloaded if too many wait, too_expensive if it takes too long."""
        is_first = self._free and not self._waiting and self._may_begin(share)
        turn = self._begun(share) if is_first else await self._wait(share)
        watch = asyncio.get_running_loop().call_later(READ_SECONDS_MAX, self._interrupt, turn)
        try:
            return await hop(turn.connection, work)
        except sqlite3.OperationalError as error:
            if turn.ending is not None and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise TooExpensive(None, TOO_LONG) from None
            raise
        except asyncio.CancelledError:  # nobody waits for it any more
            self._interrupt(turn)
            raise
        finally:
            watch.cancel()
            self._end(turn)

    async def _wait(self, share: Share) -> _Turn:
        if share.org_id and self._crowds[share.org_id] >= WAITING_MAX:
            raise Overloaded(None, "Too many reads of the organization wait already; try again in a few seconds.")
        future: asyncio.Future[_Turn] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(share, deque()).append(future)
        self._crowds[share.org_id] += 1
        self._go_on()
        try:
            return await future
        except asyncio.CancelledError:
            if future.cancelled():
                self._forget(share, future)
            elif future.exception() is None:  # its turn came just as it left
                self._end(future.result())
            raise

    def turn_away(self, error: Exception) -> None:
        """Answer all who still wait, since the connections are about to be closed."""
        for share, waiting in list(self._waiting.items()):
            for future in list(waiting):
                self._forget(share, future)
                future.set_exception(error)

    def _go_on(self) -> None:
        """Let begin who may: of those with the fewest reads under way whoever had the least lately."""
        while self._free and (may := [share for share in self._waiting if self._may_begin(share)]):
            share = min(may, key=self._claim)
            future = self._waiting[share][0]
            self._forget(share, future)
            future.set_result(self._begun(share))

    def _forget(self, share: Share, future: asyncio.Future[_Turn]) -> None:
        waiting = self._waiting[share]
        waiting.remove(future)
        self._crowds[share.org_id] -= 1
        if not waiting:
            del self._waiting[share]

    def _may_begin(self, share: Share) -> bool:
        running = self._running
        return not share.org_id or (
            running[share.org_id] < ORGANIZATION_READS_MAX and running[share.caller_id] < CALLER_READS_MAX
        )

    def _claim(self, share: Share) -> tuple[int, float]:
        return sum(self._running[name] for name in share.names), sum(self._lately(name) for name in share.names)

    def _begun(self, share: Share) -> _Turn:
        for name in share.names:
            self._running[name] += 1
        return _Turn(self._free.pop(), share, monotonic())

    def _end(self, turn: _Turn) -> None:
        if turn.ending is not None and not turn.ending.done():  # what interrupts it must not meet the next one
            turn.ending.add_done_callback(lambda _: self._end(turn))
            return
        for name in turn.share.names:
            self._running[name] -= 1
            if not self._running[name]:
                del self._running[name]
        self._note(turn.share.names, monotonic() - turn.began)
        self._free.append(turn.connection)
        self._go_on()

    def _interrupt(self, turn: _Turn) -> None:
        """Interrupt a read again and again until it ends: it may have many statements."""
        reading = asyncio.create_task(reached(turn.connection))
        turn.ending = turn.ending or asyncio.create_task(ended(reading, turn.connection))

    def _lately(self, name: str) -> float:
        seconds, at = self._had.get(name, (0.0, 0.0))
        return seconds * 0.5 ** ((monotonic() - at) / HALF_LIFE_SECONDS) if seconds else 0.0

    def _note(self, names: tuple[str, ...], seconds: float) -> None:
        if len(self._had) > REMEMBERED_MAX:
            self._had = {name: had for name, had in self._had.items() if self._lately(name) > 0.01}
        for name in names:
            self._had[name] = (self._lately(name) + seconds, monotonic())
