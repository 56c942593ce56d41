"""The writer: what waits to be written is committed in groups, and nobody waits in vain."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from functools import partial
from time import monotonic

import aiosqlite

from . import commits
from .commits import Committed
from .connections import T, Work, bring_log_home, ended, hop
from .faults import unavailable
from .figures import Figures
from .files import DatabaseFiles, Unfit
from .write_queue import GROUP_UNITS_MAX, Group, Unit, WriteQueue

CLOSE_SECONDS = 2.0  # that what was taken has to end when the store is closed, before it is interrupted
UNITS_IN_LOG = 125  # after which the write-ahead log is brought home, in some ms: all at once it took up to 60
UNITS_COUNTED_MAX = 16  # of a group: else the disk would be waited for once more with every other COMMIT of a crowd
NOT_STORED = "The change could not be stored, and nothing was changed; try again in a few seconds."
REFUSED = "Nothing can be stored until an operator has seen to the database (its log and `doctor` tell what is wrong)."
IN_DOUBT = "It is not known whether the change was stored; look at it before you send the request again."
log = logging.getLogger("service")


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
        self._queue = WriteQueue()
        self._in_log = 0  # units since the write-ahead log was brought home
        self._homecoming: asyncio.Task[None] | None = None  # while it is
        self._under_way: asyncio.Future[None] | None = None  # while anything is committed; done when nothing is left
        self._committing: Group | None = None  # what the thread has
        self._was_alone = True  # what was committed last
        self._gathering: asyncio.Task[None] | None = None  # before a group of several

    async def write(self, work: Work[T], org_id: str, alone: bool) -> T:
        """Run a unit and return once its changes are durable; any exception takes them back.

        Raises overloaded if too many wait already.
        """
        loop = asyncio.get_running_loop()
        unit = Unit(work, org_id, alone, loop.create_future())
        self._queue.add(unit)
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
            left = self._queue.clear()
            self._tell(left, _failed(left, NOT_STORED))

    async def _gather(self) -> None:
        """Let others join: each that comes along shares the cost of the COMMIT; one alone waits for nobody."""
        size = 1
        while size < len(self._queue) < GROUP_UNITS_MAX:
            size = len(self._queue)
            await asyncio.sleep(0)
        await self._commit()

    async def _commit(self) -> None:
        """Have the next group committed; it goes on if whoever waits here leaves."""
        group = self._committing = self._queue.next_group()
        try:
            await hop(self._connection, partial(self._committed, group, asyncio.get_running_loop()))
        except Exception:
            log.exception("a group of %d writes could not begin", len(group.units))
            self._tell(group, _failed(group, NOT_STORED))

    def _committed(self, group: Group, loop: asyncio.AbstractEventLoop, connection: sqlite3.Connection) -> None:
        """Commit a group, on the thread of the connection, and have the callers told.

        Told from here, they are answered a turn of the event loop sooner than by whoever waits for the thread.
        """
        loop.call_soon_threadsafe(self._tell, group, self._outcomes(group, connection))

    def _count_in_log(self, units: int) -> None:
        """Have the write-ahead log brought home every so many units, before what is committed next.

        Its own turn of the thread: whoever waits for that of a COMMIT, a caller who writes alone, does not wait for it.
        """
        self._in_log += min(units, UNITS_COUNTED_MAX)
        if self._in_log >= UNITS_IN_LOG:
            self._in_log = 0
            self._homecoming = asyncio.create_task(self._bring_log_home())

    async def _bring_log_home(self) -> None:
        try:
            await hop(self._connection, self._brought_home)
        except Exception as error:  # whatever it is: all have their answer, and what was written is safe in the log
            log.warning("the write-ahead log could not be brought home; the next look tries again: %s", error)

    def _brought_home(self, connection: sqlite3.Connection) -> None:
        self._files.check()
        bring_log_home(connection)

    def _outcomes(self, group: Group, connection: sqlite3.Connection) -> Committed:
        try:
            self._files.check()
            if group.units[0].alone:
                return commits.alone(group.units[0].work, connection)
            return commits.group([unit.work for unit in group.units], connection, group.is_over)
        except Unfit as error:
            log.error("nothing is written: %s", error)
            return _failed(group, REFUSED)
        except BaseException:  # whatever it is: those who wait have to hear of it
            log.exception("a group of %d writes was rolled back", len(group.units))
            return _failed(group, NOT_STORED)

    def _tell(self, group: Group, committed: Committed) -> None:
        self._committing = None
        units = self._queue.settle(group, committed)
        self._count_in_log(len(units))  # first, so that it begins before anybody who is answered writes again
        try:
            self._figures.group(len(units), monotonic() - group.began)
            # In this order and without a pause: what is read from now on is new, then what memory
            # holds of the old is dropped, then the callers hear of it.
            for effect in (self._renew, *committed.effects):
                commits.run_effect(effect)
            for unit, outcome in zip(units, committed.outcomes, strict=True):
                unit.answer(outcome)
        finally:
            for unit in units:
                if not unit.future.done():  # what was to tell it has failed
                    unit.answer((None, unavailable(IN_DOUBT)))
            self._go_on(len(units) == 1)

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
        return not self._queue or self._committing is not None or is_gathering

    async def finish(self) -> None:
        """Wait for what was taken; what takes long is interrupted, and taken back."""
        if under_way := self._under_way:
            await asyncio.wait({under_way}, timeout=CLOSE_SECONDS)
            await ended(under_way, self._connection)


def _failed(group: Group, message: str) -> Committed:
    return Committed([(None, unavailable(message)) for _ in group.units])
