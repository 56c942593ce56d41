"""SQLite: one writer that commits in groups, and readers that cannot write.

A request costs one hop to a database thread: its whole unit of work runs there. Many
units share one BEGIN IMMEDIATE and one durable COMMIT, each in its own savepoint, so a
unit that fails takes back only its own changes. Beginning IMMEDIATE in one place is
what keeps "database is locked" away: nobody ever upgrades a read to a write.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import aiosqlite

from .errors import Unavailable
from .transaction import Effect, Row, Tx, execute

__all__ = ["Row", "Store", "Tx"]

T = TypeVar("T")
Work = Callable[[Tx], T]
Outcome = tuple[Any, Exception | None]

SNAPSHOT = 0.1  # seconds a point read may look back, if another program writes to the file
GROUP = 256  # units that share a COMMIT at the most
LOG_LIMIT = 64 << 20  # bytes the write-ahead log may have before it is emptied
LOOK_AFTER = 1000  # groups between two looks at it
log = logging.getLogger("service")
_COMMON = ("PRAGMA foreign_keys = ON", "PRAGMA busy_timeout = 10000", "PRAGMA temp_store = MEMORY")
_WRITER = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 10000")
_READER = ("PRAGMA query_only = ON",)


class _Connection(sqlite3.Connection):
    """A connection whose execute also takes a function, so that a whole unit is one hop."""

    def execute(self, work: Any, parameters: Any = (), /) -> Any:
        if callable(work):
            return _Result(work(self))
        return super().execute(work, parameters)


class _Result:
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def fetchall(self) -> Any:
        return self.value


class Store:
    """The open database of one service process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._queue: list[tuple[Work[Any], asyncio.Future[Any]]] = []
        self._pump: asyncio.Task[None] | None = None
        self._closing = False
        self._groups = 0

    async def open(self) -> None:
        """Open the writer and the readers; the database must be migrated already."""
        self._writer = await self._connect(_COMMON + _WRITER)
        self._point_reader = _PointReader(self.path)
        self._bulk_reader = await self._connect(_COMMON + _READER)

    async def _connect(self, pragmas: tuple[str, ...]) -> aiosqlite.Connection:
        connection = await aiosqlite.connect(
            self.path, isolation_level=None, factory=_Connection, cached_statements=512
        )
        for pragma in pragmas:
            await connection.execute_fetchall(pragma)
        return connection

    def peek(self, work: Work[T]) -> T:
        """Run a unit that reads a few cached pages, right here on the event loop."""
        return self._point_reader.run(work)

    async def read(self, work: Work[T]) -> T:
        """Run a unit that may read many rows, on a thread; like `peek` on one consistent snapshot."""
        return await _hop(self._bulk_reader, partial(_snapshot, work))

    async def write(self, work: Work[T]) -> T:
        """Run a unit of work and return once its changes are durable; any exception takes them back."""
        if self._closing:
            raise Unavailable(None, "The service is stopping; send the request again in a few seconds.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append((work, future))
        if self._pump is None:
            self._pump = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:GROUP], self._queue[GROUP:]
            outcomes, effects = await self._commit([work for work, _ in batch])
            # In this order and without a pause: what is read from now on is new, then what memory
            # holds of the old is dropped, then the callers hear of it.
            self._point_reader.release()
            for effect in effects:
                _run_effect(effect)
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                _resolve(future, outcome)
            await self._keep_log_short()
        self._pump = None

    async def _keep_log_short(self) -> None:
        """Empty the write-ahead log once it is long: while reads follow each other without a gap, SQLite cannot."""
        self._groups += 1
        if self._groups % LOOK_AFTER == 0:
            self._point_reader.keeps_snapshot = False
            await _hop(self._writer, partial(_empty_log, self.path))
            self._point_reader.keeps_snapshot = True

    async def _commit(self, works: list[Work[Any]]) -> tuple[list[Outcome], list[Effect]]:
        try:
            return await _hop(self._writer, partial(_group, works))
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


class _PointReader:
    """Reads a few cached pages right on the event loop: some 20 µs, where a hop to a thread costs twice that.

    Its snapshot is kept until the writer has committed, or SNAPSHOT seconds: opening one takes locks in the
    file system, a third of the cost of a small read. Nobody is told of a commit before the release.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, cached_statements=512)
        for pragma in _COMMON + _READER:
            self._connection.execute(pragma)
        self._taken: float | None = None
        self.keeps_snapshot = True

    def run(self, work: Work[T]) -> T:
        """Run a unit on the snapshot that is open, or on a new one."""
        clock = monotonic()
        if self._taken is None or clock - self._taken > SNAPSHOT:
            self.release()
            execute(self._connection, "BEGIN")
            self._taken = clock
        try:
            return work(Tx(self._connection))
        finally:
            if not self.keeps_snapshot:
                self.release()

    def release(self) -> None:
        """Let the snapshot go, so that the next read sees what was committed."""
        if self._taken is not None:
            self._taken = None
            execute(self._connection, "ROLLBACK")

    def close(self) -> None:
        self.release()
        self._connection.close()


async def _hop(connection: aiosqlite.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    return await connection.execute_fetchall(work)  # type: ignore[return-value]  # see _Connection


def _empty_log(path: Path, connection: sqlite3.Connection) -> None:
    if path.with_name(path.name + "-wal").stat().st_size < LOG_LIMIT:
        return
    # Readers that are still at it, an export say, keep it from happening: then the next look does it.
    execute(connection, "PRAGMA busy_timeout = 100")
    execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    execute(connection, "PRAGMA busy_timeout = 10000")


def _resolve(future: asyncio.Future[Any], outcome: Outcome) -> None:
    value, error = outcome
    if future.done():  # its request was cancelled; the change stands all the same
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _snapshot(work: Work[T], connection: sqlite3.Connection) -> T:
    execute(connection, "BEGIN")
    try:
        return work(Tx(connection))
    finally:
        execute(connection, "ROLLBACK")


def _group(works: list[Work[Any]], connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    execute(connection, "BEGIN IMMEDIATE")
    effects: list[Effect] = []
    try:
        outcomes = [_unit(work, connection, effects) for work in works]
        execute(connection, "COMMIT")
    except BaseException:
        if connection.in_transaction:
            execute(connection, "ROLLBACK")
        raise
    return outcomes, effects


def _unit(work: Work[Any], connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    tx = Tx(connection)
    execute(connection, "SAVEPOINT unit")
    try:
        value, error = work(tx), None
        effects += tx.effects
    except Exception as exception:
        if not connection.in_transaction:  # the whole group is lost (disk full, I/O error)
            raise
        execute(connection, "ROLLBACK TO unit")
        value, error = None, exception
    execute(connection, "RELEASE unit")
    return value, error


def _run_effect(effect: Effect) -> None:
    try:
        effect()
    except Exception:
        log.exception("an effect after a commit failed; the change itself stands")
