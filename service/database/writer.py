"""The writer: a queue of units of work; units that arrive during a COMMIT share the next one (group commit)."""

import asyncio
import logging
import sqlite3
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

import aiosqlite

from ..errors import Overloaded
from . import commits
from .commits import Committed, Outcome
from .connections import T, Work, interrupt_until_done, run_in_connection_thread
from .deadline import Deadline
from .faults import unavailable
from .files import DatabaseFileError, DatabaseFiles
from .stats import WriterStats
from .transaction import Tx

QUEUE_MAX, ORGANIZATION_QUEUE_MAX = 2000, 1000  # waiting units in total, and of one organization
GROUP_MAX = 256  # units that share a COMMIT
CLOSE_SECONDS = 2.0  # that units may still run when the store is closed, before they are interrupted
NOT_STORED = "The change could not be stored, and nothing was changed; try again in a few seconds."
IN_DOUBT = "It is not known whether the change was stored; read the resource before you send the request again."
REFUSED = "Nothing can be stored until an operator repairs the database; the log and `doctor` report the problem."
TOO_MANY = "Too many changes are waiting to be stored, so this one was not accepted; try again in a few seconds."
log = logging.getLogger("service")


@dataclass(slots=True)
class Unit:
    """A unit of work that waits for its COMMIT; `org_id` is empty for the service's own units."""

    work: Work[Any]
    org_id: str
    future: asyncio.Future[Any]

    def answer(self, outcome: Outcome) -> None:
        """Resolve the future of the caller, unless it was cancelled; a committed change stays committed."""
        value, error = outcome
        if self.future.done():
            return
        if error is None:
            self.future.set_result(value)
        else:
            self.future.set_exception(error)


class Writer:
    """The queue of units of work, and the only connection that writes."""

    def __init__(
        self,
        connection: aiosqlite.Connection,
        deadline: Deadline,
        files: DatabaseFiles,
        stats: WriterStats,
        release_snapshot: Callable[[], None],
        before_commit: Callable[[Tx], None] | None,
    ) -> None:
        self.units_accepted = 0  # since the start
        self._connection = connection
        self._deadline = deadline
        self._files = files
        self._stats = stats
        self._release_snapshot = release_snapshot  # of inline reads
        self._before_commit = before_commit
        self._queue: deque[Unit] = deque()
        self._queued: Counter[str] = Counter()  # units that wait, by organization
        self._committing: asyncio.Task[None] | None = None

    async def write(self, work: Work[T], org_id: str) -> T:
        """Run a unit, and return when its changes are durable; an exception rolls them back.

        Raise Overloaded if too many units wait, and TooExpensive if it runs for more than a second.
        """
        if len(self._queue) >= QUEUE_MAX or (org_id and self._queued[org_id] >= ORGANIZATION_QUEUE_MAX):
            raise Overloaded(None, TOO_MANY)
        unit = Unit(partial(self._finish, work), org_id, asyncio.get_running_loop().create_future())
        self._queue.append(unit)
        self._queued[org_id] += 1
        self.units_accepted += 1
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_all())
        result: T = await unit.future
        return result

    def _finish(self, work: Work[T], tx: Tx) -> T:
        value = work(tx)
        if self._before_commit is not None and tx.changed:
            self._before_commit(tx)
        return value

    async def _commit_all(self) -> None:
        """Commit groups until the queue is empty; the future of each unit is resolved even after an error."""
        try:
            while self._queue:
                await self._commit_group(self._next_group())
        finally:
            self._committing = None
            for unit in self._queue:
                unit.answer((None, unavailable(NOT_STORED)))
            self._queue.clear()
            self._queued.clear()

    def _next_group(self) -> list[Unit]:
        units = [self._queue.popleft() for _ in range(min(len(self._queue), GROUP_MAX))]
        self._queued -= Counter(unit.org_id for unit in units)
        return units

    async def _commit_group(self, units: list[Unit]) -> None:
        began = monotonic()
        try:
            committed = await self._run(units)
            self._stats.count_group(len(units), monotonic() - began)
            # The order matters, without an `await` in between: first later reads see the change, then caches are
            # invalidated, then the callers continue.
            for effect in (self._release_snapshot, *committed.effects):
                commits.run_effect(effect)
            for unit, outcome in zip(units, committed.outcomes, strict=True):
                unit.answer(outcome)
        finally:
            for unit in units:
                if not unit.future.done():
                    unit.answer((None, unavailable(IN_DOUBT)))

    async def _run(self, units: list[Unit]) -> Committed:
        try:
            return await run_in_connection_thread(self._connection, partial(self._commit, units))
        except Exception:
            log.exception("a group of %d writes could not start", len(units))
            return _failed(units, NOT_STORED)

    def _commit(self, units: list[Unit], connection: sqlite3.Connection) -> Committed:
        try:
            self._files.check()
            try:
                return commits.commit_group([unit.work for unit in units], connection, self._deadline)
            finally:
                self._files.note_own_writes()
        except DatabaseFileError as error:
            log.error("nothing is written: %s", error)
            return _failed(units, REFUSED)
        except BaseException:  # every caller needs a result
            log.exception("a group of %d writes was rolled back", len(units))
            return _failed(units, NOT_STORED)

    @property
    def queue_length(self) -> int:
        """Return how many units wait."""
        return len(self._queue)

    @property
    def is_committing(self) -> bool:
        """Return whether no unit waits or the commit task is running."""
        return not self._queue or self._committing is not None

    async def finish(self) -> None:
        """Wait for all queued units; interrupt and roll back those that take too long."""
        if committing := self._committing:
            await asyncio.wait({committing}, timeout=CLOSE_SECONDS)
            await interrupt_until_done(committing, self._connection)


def _failed(units: list[Unit], message: str) -> Committed:
    return Committed([(None, unavailable(message)) for _ in units])
