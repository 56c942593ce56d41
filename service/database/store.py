"""SQLite: one writer that commits in groups, and readers that cannot write.

A request costs one hop to a database thread: its whole unit of work runs there. Many units share one BEGIN IMMEDIATE
and one durable COMMIT, and a unit that fails takes back only its own changes (see commits.py). Beginning IMMEDIATE in
one place is what keeps "database is locked" away: nobody ever upgrades a read to a write.
"""

import asyncio
import logging
import sqlite3
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from ..errors import Unavailable
from . import commits
from .connections import READER, WRITER, PointReader, Snapshot, T, Work, connect, hop, on_snapshot
from .figures import Figures
from .transaction import Effect, Row, Tx, execute

__all__ = ["Row", "Snapshot", "Store", "Tx"]

GROUP_UNITS_MAX = 256  # units that share a COMMIT
LOG_LIMIT_BYTES = 64 << 20  # that the write-ahead log may have before it is emptied
LOG_CHECK_GROUPS = 1000  # between two looks at it
log = logging.getLogger("service")


@dataclass(slots=True)
class _Unit:
    """A unit of work that waits for its commit, and for whom."""

    work: Work[Any]
    alone: bool
    future: asyncio.Future[Any]


class Store:
    """The open database of one service process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._queue: list[_Unit] = []
        self._pump: asyncio.Task[None] | None = None
        self._closing = False
        self._groups = 0
        self.taken = 0  # units of work so far: work that can wait tells by it whether others write
        self.figures = Figures()

    async def open(self) -> None:
        """Open the writer and the readers; the database must be migrated already."""
        self._loop = asyncio.get_running_loop()
        self._writer = await connect(self.path, WRITER)
        self._point_reader = PointReader(self.path)
        self._bulk_reader = await connect(self.path, READER)

    def peek(self, work: Work[T]) -> T:
        """Run a unit that reads a few cached pages, right here on the event loop."""
        return self._point_reader.run(work)

    async def read(self, work: Work[T]) -> T:
        """Run a unit that may read many rows, on a thread; like `peek` on one consistent snapshot."""
        return await hop(self._bulk_reader, self.figures.waiting(partial(on_snapshot, work)))

    def snapshot(self) -> Snapshot:
        """Open a snapshot that may be read for a long time, beside all other work; whoever opens it closes it."""
        return Snapshot(self.path)

    async def write(self, work: Work[T], alone: bool = False) -> T:
        """Run a unit of work and return once its changes are durable; any exception takes them back.

        One that writes very much goes alone: a savepoint keeps what it overwrites in memory.
        """
        if self._closing:
            raise Unavailable(None, "The service is stopping; send the request again in a few seconds.")
        unit = _Unit(work, alone, self._loop.create_future())
        self._queue.append(unit)
        self.taken += 1
        if self._pump is None:
            self._pump = asyncio.create_task(self._drain())
        result: T = await unit.future
        return result

    async def _drain(self) -> None:
        while self._queue:
            await self._gather()
            count = _together(self._queue[:GROUP_UNITS_MAX])
            batch, self._queue = self._queue[:count], self._queue[count:]
            began = monotonic()
            outcomes, effects = await self._commit(batch)
            self.figures.group(count, monotonic() - began)
            # In this order and without a pause: what is read from now on is new, then what memory
            # holds of the old is dropped, then the callers hear of it.
            self._point_reader.release()
            for effect in effects:
                commits.run_effect(effect)
            for unit, outcome in zip(batch, outcomes, strict=True):
                _resolve(unit.future, outcome)
            await self._keep_log_short()
        self._pump = None

    @property
    def queued(self) -> int:
        """Tell how many units wait to be written."""
        return len(self._queue)

    @property
    def is_committing(self) -> bool:
        """Tell whether what waits is seen to."""
        return not self._queue or (self._pump is not None and not self._pump.done())

    async def _gather(self) -> None:
        """Let those join who are about to: each that comes along shares the cost of the COMMIT."""
        size = 0
        while size < len(self._queue) < GROUP_UNITS_MAX:
            size = len(self._queue)
            await asyncio.sleep(0)

    async def _keep_log_short(self) -> None:
        """Empty the write-ahead log once it is long: while reads follow each other without a gap, SQLite cannot."""
        self._groups += 1
        if self._groups % LOG_CHECK_GROUPS == 0:
            self._point_reader.keeps_snapshot = False
            try:
                await hop(self._writer, partial(_empty_log, self.path))
            except (OSError, sqlite3.Error):
                log.exception("the write-ahead log could not be emptied; the next look tries again")
            finally:
                self._point_reader.keeps_snapshot = True

    async def _commit(self, batch: list[_Unit]) -> tuple[list[commits.Outcome], list[Effect]]:
        works = [unit.work for unit in batch]
        work = partial(commits.alone, works[0]) if batch[0].alone else partial(commits.group, works)
        try:
            return await hop(self._writer, work)
        except Exception:
            log.exception("a group of %d writes was rolled back", len(works))
            error = Unavailable(None, "The change could not be stored, and nothing was changed; try again later.")
            return [(None, error)] * len(works), []

    async def close(self) -> None:
        """Finish the writes that were taken, then close the database."""
        self._closing = True
        while self._pump is not None:
            await self._pump
        for connection in (self._bulk_reader, self._writer):
            await connection.close()
        self._point_reader.close()


def _together(units: list[_Unit]) -> int:
    """Tell how many of the next units share a COMMIT: those before one that goes alone."""
    return max(1, next((number for number, unit in enumerate(units) if unit.alone), len(units)))


def _empty_log(path: Path, connection: sqlite3.Connection) -> None:
    if path.with_name(path.name + "-wal").stat().st_size < LOG_LIMIT_BYTES:
        return
    # Readers that are still at it, an export say, keep it from happening: then the next look does it.
    execute(connection, "PRAGMA busy_timeout = 100")
    execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    execute(connection, "PRAGMA busy_timeout = 10000")


def _resolve(future: asyncio.Future[Any], outcome: commits.Outcome) -> None:
    value, error = outcome
    if future.done():  # its request was cancelled; the change stands all the same
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
