"""The writer: a queue of units of work; units that arrive during a COMMIT share the next one (group commit).

Organizations, and callers within each, are served in turn by the time that their units took (see fair_queue.py).
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

import aiosqlite

from ..errors import Overloaded
from . import commits
from .commits import GROUP_SECONDS_MAX, Committed, Outcome
from .connections import T, Work, interrupt_until_done, run_in_connection_thread
from .deadline import Deadline
from .fair_queue import FairQueue, Share, Turn
from .faults import unavailable
from .files import DatabaseFileError, DatabaseFiles
from .stats import WriterStats
from .transaction import Tx

QUEUE_MAX = 2000  # waiting units of callers; beyond, the newest one of the caller whose units take longest is refused
CALLER_SECONDS_MAX = 2.0  # of debt and waiting units of a caller, while units of others wait
SHARED_SECONDS_MAX = 0.01  # of debt and of one unit, up to which callers share a COMMIT
CLOSE_SECONDS = 2.0  # for units that still run when the store is closed; then they are interrupted
NOT_STORED = "The change could not be stored, and nothing was changed; try again in a few seconds."
IN_DOUBT = "It is not known whether the change was stored; read the resource before you send the request again."
REFUSED = "Nothing can be stored until an operator repairs the database; the log and `doctor` report the problem."
TOO_MANY = "Too many changes are waiting to be stored, so this one was not accepted; try again in a few seconds."
TOO_MUCH = "Your changes keep others waiting, so this one was not accepted; wait a few seconds, then send it again."
log = logging.getLogger("service")


@dataclass(slots=True, eq=False)
class Unit:
    """A unit of work that waits for its COMMIT."""

    work: Work[Any]
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
        self._queue = FairQueue[Unit]()
        self._committing: asyncio.Task[None] | None = None

    async def write(self, work: Work[T], share: Share) -> T:
        """Run a unit, and return when its changes are durable; an exception rolls them back.

        Raise Overloaded if too many units wait, and TooExpensive if it takes too long. The service's own units are
        never refused.
        """
        if share.caller_id and self._queue.has_others(share) and self._queue.get_load(share) > CALLER_SECONDS_MAX:
            raise Overloaded(None, TOO_MUCH)
        unit = Unit(partial(self._finish, work), asyncio.get_running_loop().create_future())
        self._queue.put(share, unit)
        if self._queue.callers_count > QUEUE_MAX:
            self._queue.remove_newest().answer((None, Overloaded(None, TOO_MANY)))
        self.units_accepted += 1
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_all())
        try:
            result: T = await unit.future
        except asyncio.CancelledError:
            self._queue.remove(share, unit)
            raise
        return result

    def _finish(self, work: Work[T], tx: Tx) -> T:
        value = work(tx)
        if self._before_commit is not None and tx.changed:
            self._before_commit(tx)
        return value

    async def _commit_all(self) -> None:
        """Commit groups until the queue is empty; the future of each unit is resolved even after an error."""
        try:
            while len(self._queue):
                await self._commit_group(self._take_group())
        finally:
            self._committing = None
            self._drop_waiting()

    def _take_group(self) -> list[Turn[Unit]]:
        """Take the units that share the next COMMIT.

        Whoever owes time, or sends units that take long, shares it with nobody: no short unit waits for such a COMMIT.
        """
        group: list[Turn[Unit]] = []
        seconds = 0.0
        while turn := self._queue.peek():
            seconds += turn.expected
            if group and (seconds > GROUP_SECONDS_MAX or not _may_share(group[0], turn)):
                break
            self._queue.take(turn)
            group.append(turn)
        return group

    async def _commit_group(self, group: list[Turn[Unit]]) -> None:
        began = monotonic()
        committed = _failed([turn.item for turn in group], IN_DOUBT)
        try:
            committed = await self._run([turn.item for turn in group])
            self._stats.count_group(len(committed.outcomes), monotonic() - began)
            # The order matters, without an `await` in between: first later reads see the change, then caches are
            # invalidated, then the callers continue.
            for effect in (self._release_snapshot, *committed.effects):
                commits.run_effect(effect)
            for turn, outcome in zip(group, committed.outcomes):
                turn.item.answer(outcome)
        finally:
            self._settle(group, committed.seconds)

    def _settle(self, group: list[Turn[Unit]], seconds: list[float]) -> None:
        """Charge the units that were run, and let the others wait again; after an error, answer all that were run."""
        for turn, taken in zip(group, seconds):
            self._queue.finish(turn, taken)
            turn.item.answer((None, unavailable(IN_DOUBT)))
        for turn in reversed(group[len(seconds) :]):
            self._queue.put_back(turn)
            if turn.item.future.cancelled():
                self._queue.remove(turn.share, turn.item)

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

    def _drop_waiting(self) -> None:
        """Answer all waiting units that they are not stored."""
        while turn := self._queue.peek():
            self._queue.remove(turn.share, turn.item)
            turn.item.answer((None, unavailable(NOT_STORED)))

    async def finish(self) -> None:
        """Wait for the queued units for a while; then drop those that wait, and interrupt and roll back the others."""
        if committing := self._committing:
            await asyncio.wait({committing}, timeout=CLOSE_SECONDS)
            self._drop_waiting()
            await interrupt_until_done(committing, self._connection)


def _may_share(first: Turn[Unit], turn: Turn[Unit]) -> bool:
    """Return whether a unit may share a COMMIT with the first one of its group."""
    is_short = first.expected <= SHARED_SECONDS_MAX and turn.debt + turn.expected <= SHARED_SECONDS_MAX
    return is_short or turn.share == first.share


def _failed(units: list[Unit], message: str) -> Committed:
    return Committed([(None, unavailable(message)) for _ in units], seconds=[0.0] * len(units))
