"""The readers of many rows: a few connections, in turns that are fair to organizations and callers.

Whoever had the least of them lately comes first, an organization has never all of them, and a read that takes too long
is interrupted: so nobody waits longer than that for others, however many pages those turn.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import aiosqlite

from ..errors import Overloaded, TooExpensive
from .connections import ended, hop

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
class _Read:
    """A read that waits for its turn."""

    work: Callable[[sqlite3.Connection], Any]
    share: Share
    future: asyncio.Future[Any]


class Readers:
    """A few connections that read, and those who wait for one."""

    def __init__(self, connections: list[aiosqlite.Connection]) -> None:
        self._free = list(connections)
        self._waiting: list[_Read] = []
        self._running: Counter[str] = Counter()
        self._had: dict[str, tuple[float, float]] = {}  # seconds of reading, and when that was worked out
        self._tasks: set[asyncio.Task[None]] = set()

    async def read(self, work: Callable[[sqlite3.Connection], Any], share: Share) -> Any:
        """Run a function on a connection; raise overloaded if too many wait, too_expensive if it takes too long."""
        if share.org_id and sum(one.share.org_id == share.org_id for one in self._waiting) >= WAITING_MAX:
            raise Overloaded(None, "Too many reads of the organization wait already; try again in a few seconds.")
        one = _Read(work, share, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self._begin()
        try:
            return await one.future
        finally:
            if one in self._waiting:  # nobody waits for it any more
                self._waiting.remove(one)

    def turn_away(self, error: Exception) -> None:
        """Answer all who still wait, since the connections are about to be closed."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.future.set_exception(error)

    def _begin(self) -> None:
        while self._free and (one := self._next()) is not None:
            self._waiting.remove(one)
            task = asyncio.create_task(self._run(one, self._free.pop()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _next(self) -> _Read | None:
        """Choose who is next: of those with the fewest reads under way whoever had the least lately."""
        may = [one for one in self._waiting if self._may_begin(one.share)]
        return min(may, key=lambda one: self._claim(one.share), default=None)

    def _may_begin(self, share: Share) -> bool:
        running = self._running
        return not share.org_id or (
            running[share.org_id] < ORGANIZATION_READS_MAX and running[share.caller_id] < CALLER_READS_MAX
        )

    def _claim(self, share: Share) -> tuple[int, float]:
        return sum(self._running[name] for name in share.names), sum(self._lately(name) for name in share.names)

    async def _run(self, one: _Read, connection: aiosqlite.Connection) -> None:
        names, began = one.share.names, monotonic()
        self._running.update(names)
        task = asyncio.create_task(hop(connection, one.work))
        is_late = not (await asyncio.wait({task}, timeout=READ_SECONDS_MAX))[0]
        if is_late:
            await ended(task, connection)
        self._running = self._running - Counter(names)
        self._note(names, monotonic() - began)
        self._free.append(connection)
        self._tell(one.future, task, is_late)
        self._begin()

    def _tell(self, future: asyncio.Future[Any], task: asyncio.Task[Any], is_late: bool) -> None:
        error = task.exception()
        if future.done():  # nobody waits for it any more
            return
        if error is None:
            future.set_result(task.result())
        else:
            future.set_exception(TooExpensive(None, TOO_LONG) if is_late and _was_interrupted(error) else error)

    def _lately(self, name: str) -> float:
        seconds, at = self._had.get(name, (0.0, 0.0))
        return seconds * 0.5 ** ((monotonic() - at) / HALF_LIFE_SECONDS) if seconds else 0.0

    def _note(self, names: tuple[str, ...], seconds: float) -> None:
        if len(self._had) > REMEMBERED_MAX:
            self._had = {name: had for name, had in self._had.items() if self._lately(name) > 0.01}
        for name in names:
            self._had[name] = (self._lately(name) + seconds, monotonic())


def _was_interrupted(error: BaseException) -> bool:
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT
