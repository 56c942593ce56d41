"""The writer: what waits to be written is committed in groups, and nobody waits in vain."""

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
from .connections import T, Work, ended, hop
from .faults import unavailable
from .figures import Figures
from .files import DatabaseFiles, Unfit
from .transaction import Effect

QUEUE_UNITS_MAX = 2000  # that wait: by then the disk stands still, or somebody means harm
GROUP_UNITS_MAX = 256  # units that share a COMMIT
CLOSE_SECONDS = 2.0  # that what was taken has to end when the store is closed, before it is interrupted
NOT_STORED = "The change could not be stored, and nothing was changed; try again in a few seconds."
REFUSED = "Nothing can be stored until an operator has seen to the database (its log and `doctor` tell what is wrong)."
IN_DOUBT = "It is not known whether the change was stored; look at it before you send the request again."
TOO_MANY = "So many changes wait to be stored that this one was not taken; try again in a few seconds."
log = logging.getLogger("service")


@dataclass(slots=True)
class _Unit:
    """A unit of work that waits for its commit, and for whom."""

    work: Work[Any]
    alone: bool
    future: asyncio.Future[Any]

    def answer(self, outcome: commits.Outcome) -> None:
        """Tell whoever waits, unless they have left; the change stands all the same."""
        value, error = outcome
        if self.future.done():
            return
        if error is None:
            self.future.set_result(value)
        else:
            self.future.set_exception(error)


class Writer:
    """The one connection that writes, and the queue before it."""

    def __init__(
        self, connection: aiosqlite.Connection, files: DatabaseFiles, figures: Figures, renew: Callable[[], None]
    ) -> None:
        self.taken = 0  # units so far
        self._connection = connection
        self._files = files
        self._figures = figures
        self._renew = renew  # has readers let go of the snapshot from before
        self._queue: list[_Unit] = []
        self._under_way: asyncio.Future[None] | None = None  # while anything is committed; done when nothing is left
        self._committing: list[_Unit] = []  # those that the thread has
        self._was_alone = True  # what was committed last
        self._gathering: asyncio.Task[None] | None = None  # before a group of several

    async def write(self, work: Work[T], alone: bool) -> T:
        """Run a unit and return once its changes are durable; any exception takes them back.

        Raises overloaded if too many wait already.
        """
        if len(self._queue) >= QUEUE_UNITS_MAX:
            raise Overloaded(None, TOO_MANY)
        loop = asyncio.get_running_loop()
        unit = _Unit(work, alone, loop.create_future())
        self._queue.append(unit)
        self.taken += 1
        if self._under_way is None:
            self._under_way = loop.create_future()
            if self._was_alone:
                await self._commit()  # by the caller itself: a task would begin a turn of the event loop later
            else:
                self._begin_to_gather()
        result: T = await unit.future
        return result

    def _begin_to_gather(self) -> None:
        self._gathering = asyncio.create_task(self._gather())
        self._gathering.add_done_callback(self._gathered)

    def _gathered(self, task: asyncio.Task[None]) -> None:
        """Answer those who wait where nobody has their units committed: the task was cancelled, or has failed."""
        if task is self._gathering and self._queue and not self._committing:
            left, self._queue = self._queue, []
            self._tell(left, _failed(left, NOT_STORED), [], monotonic())

    async def _gather(self) -> None:
        """Let others join: each that comes along shares the cost of the COMMIT; one alone waits for nobody."""
        size = 1
        while size < len(self._queue) < GROUP_UNITS_MAX:
            size = len(self._queue)
            await asyncio.sleep(0)
        await self._commit()

    async def _commit(self) -> None:
        """Have the next group committed; it goes on if whoever waits here leaves."""
        group = self._committing = self._next_group()
        try:
            await hop(self._connection, partial(self._committed, group, asyncio.get_running_loop(), monotonic()))
        except Exception:
            log.exception("a group of %d writes could not begin", len(group))
            self._tell(group, _failed(group, NOT_STORED), [], monotonic())

    def _next_group(self) -> list[_Unit]:
        """Take the next units: those before one that goes alone, or that one."""
        units = self._queue[:GROUP_UNITS_MAX]
        count = max(1, next((number for number, unit in enumerate(units) if unit.alone), len(units)))
        self._queue = self._queue[count:]
        return units[:count]

    def _committed(
        self, group: list[_Unit], loop: asyncio.AbstractEventLoop, began: float, connection: sqlite3.Connection
    ) -> None:
        """Commit a group, on the thread of the connection, and have the callers told.

        Told from here, they are answered a turn of the event loop sooner than by whoever waits for the thread.
        """
        outcomes, effects = self._outcomes(group, connection)
        loop.call_soon_threadsafe(self._tell, group, outcomes, effects, began)

    def _outcomes(
        self, group: list[_Unit], connection: sqlite3.Connection
    ) -> tuple[list[commits.Outcome], list[Effect]]:
        try:
            self._files.check()
            if group[0].alone:
                return commits.alone(group[0].work, connection)
            return commits.group([unit.work for unit in group], connection)
        except Unfit as error:
            log.error("nothing is written: %s", error)
            return _failed(group, REFUSED), []
        except BaseException:  # whatever it is: those who wait have to hear of it
            log.exception("a group of %d writes was rolled back", len(group))
            return _failed(group, NOT_STORED), []

    def _tell(self, group: list[_Unit], outcomes: list[commits.Outcome], effects: list[Effect], began: float) -> None:
        self._committing = []
        try:
            self._figures.group(len(group), monotonic() - began)
            # In this order and without a pause: what is read from now on is new, then what memory
            # holds of the old is dropped, then the callers hear of it.
            for effect in (self._renew, *effects):
                commits.run_effect(effect)
            for unit, outcome in zip(group, outcomes, strict=True):
                unit.answer(outcome)
        finally:
            for unit in group:
                if not unit.future.done():  # what was to tell it has failed
                    unit.answer((None, unavailable(IN_DOUBT)))
            self._go_on(len(group) == 1)

    def _go_on(self, was_alone: bool) -> None:
        self._was_alone = was_alone
        if self._queue:
            self._begin_to_gather()
        elif self._under_way:
            self._under_way.set_result(None)
            self._under_way = None

    @property
    def queued(self) -> int:
        """Tell how many units wait."""
        return len(self._queue)

    @property
    def is_committing(self) -> bool:
        """Tell whether what waits is seen to."""
        is_gathering = self._gathering is not None and not self._gathering.done()
        return not self._queue or bool(self._committing) or is_gathering

    async def finish(self) -> None:
        """Wait for what was taken; what takes long is interrupted, and taken back."""
        if under_way := self._under_way:
            await asyncio.wait({under_way}, timeout=CLOSE_SECONDS)
            await ended(under_way, self._connection)


def _failed(group: list[_Unit], message: str) -> list[commits.Outcome]:
    return [(None, unavailable(message)) for _ in group]
