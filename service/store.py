"""SQLite: one writer that commits in groups, and readers that cannot write.

A request costs one hop to a database thread: its whole unit of work runs there. Many
units share one BEGIN IMMEDIATE and one durable COMMIT, each in its own savepoint, so a
unit that fails takes back only its own changes. Beginning IMMEDIATE in one place is
what keeps "database is locked" away: nobody ever upgrades a read to a write.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import aiosqlite

from .errors import Unavailable
from .queries import Statement
from .wire import now

T = TypeVar("T")
Row = dict[str, Any]
Work = Callable[["Tx"], T]
Effect = Callable[[], object]
Outcome = tuple[Any, Exception | None]

SNAPSHOT = 0.1  # seconds a point read may look back, if another program writes to the file
GROUP = 256  # units that share a COMMIT at the most
log = logging.getLogger("service")
_execute = sqlite3.Connection.execute
_COMMON = ("PRAGMA foreign_keys = ON", "PRAGMA busy_timeout = 10000", "PRAGMA temp_store = MEMORY")
_WRITER = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 10000")
_READER = ("PRAGMA query_only = ON",)


class Tx:
    """One unit of work inside a transaction: the statements it may run, and its time."""

    __slots__ = ("_connection", "_now", "effects")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._now: str | None = None
        self.effects: list[Effect] = []

    @property
    def now(self) -> str:
        """Give the time of the unit, the same each time it is asked for."""
        if self._now is None:
            self._now = now()
        return self._now

    def _run(self, statement: Statement, parameters: dict[str, Any]) -> sqlite3.Cursor:
        if parameters.keys() != statement.parameters:
            wrong = sorted(parameters.keys() ^ statement.parameters)
            raise TypeError(f"{statement.name} was given the wrong parameters: {wrong}")
        return _execute(self._connection, statement.text, parameters)

    def one(self, statement: Statement, /, **parameters: Any) -> Row | None:
        """Give the first row, or None."""
        cursor = self._run(statement, parameters)
        values = cursor.fetchone()
        return None if values is None else dict(zip(statement.columns or _columns(statement, cursor), values))

    def all(self, statement: Statement, /, **parameters: Any) -> list[Row]:
        """Give every row."""
        cursor = self._run(statement, parameters)
        columns = statement.columns or _columns(statement, cursor)
        return [dict(zip(columns, values)) for values in cursor.fetchall()]

    def value(self, statement: Statement, /, **parameters: Any) -> Any:
        """Give the first column of the first row, or None."""
        row = self._run(statement, parameters).fetchone()
        return None if row is None else row[0]

    def each(self, statement: Statement, /, **parameters: Any) -> Iterator[Row]:
        """Give the rows one by one, however many there are."""
        cursor = self._run(statement, parameters)
        columns = statement.columns or _columns(statement, cursor)
        return (dict(zip(columns, values)) for values in cursor)

    def run(self, statement: Statement, /, **parameters: Any) -> int:
        """Run a statement and tell how many rows it changed."""
        return self._run(statement, parameters).rowcount

    def after(self, effect: Effect) -> None:
        """Run something quick on the event loop once the change is durable, and only then."""
        self.effects.append(effect)


def _columns(statement: Statement, cursor: sqlite3.Cursor) -> tuple[str, ...]:
    """Remember the names of a statement's columns: sqlite3.Row looks each one up by comparing texts."""
    statement.columns = tuple(column[0] for column in cursor.description)
    return statement.columns


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
        self._queue: list[tuple[Work[Any], asyncio.Future[Any], bool]] = []
        self._pump: asyncio.Task[None] | None = None
        self._closing = False

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

    def snapshot(self) -> "Snapshot":
        """Open a snapshot that may be read for a long time, beside all other work; whoever opens it closes it."""
        return Snapshot(self.path)

    async def write(self, work: Work[T], alone: bool = False) -> T:
        """Run a unit of work and return once its changes are durable; any exception takes them back.

        One that writes very much goes alone: a savepoint keeps what it overwrites in memory.
        """
        if self._closing:
            raise Unavailable(None, "The service is stopping; send the request again in a few seconds.")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append((work, future, alone))
        if self._pump is None:
            self._pump = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        while self._queue:
            count = _together([alone for _, _, alone in self._queue[:GROUP]])
            batch, self._queue = self._queue[:count], self._queue[count:]
            outcomes, effects = await self._commit([work for work, _, _ in batch], batch[0][2])
            # In this order and without a pause: what is read from now on is new, then what memory
            # holds of the old is dropped, then the callers hear of it.
            self._point_reader.release()
            for effect in effects:
                _run_effect(effect)
            for (_, future, _), outcome in zip(batch, outcomes, strict=True):
                _resolve(future, outcome)
        self._pump = None

    async def _commit(self, works: list[Work[Any]], alone: bool) -> tuple[list[Outcome], list[Effect]]:
        try:
            return await _hop(self._writer, partial(_alone, works[0]) if alone else partial(_group, works))
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


class Snapshot(Tx):
    """One consistent view of the database on a connection of its own, for one thread at a time."""

    __slots__ = ()

    def __init__(self, path: Path) -> None:
        super().__init__(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        # Unlike elsewhere temporary tables go to the disk: what is sorted here can be large.
        for statement in ("PRAGMA busy_timeout = 10000", *_READER, "BEGIN"):
            _execute(self._connection, statement)

    def close(self) -> None:
        """End the view."""
        self._connection.close()


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

    def run(self, work: Work[T]) -> T:
        """Run a unit on the snapshot that is open, or on a new one."""
        clock = monotonic()
        if self._taken is None or clock - self._taken > SNAPSHOT:
            self.release()
            _execute(self._connection, "BEGIN")
            self._taken = clock
        return work(Tx(self._connection))

    def release(self) -> None:
        """Let the snapshot go, so that the next read sees what was committed."""
        if self._taken is not None:
            self._taken = None
            _execute(self._connection, "ROLLBACK")

    def close(self) -> None:
        self.release()
        self._connection.close()


async def _hop(connection: aiosqlite.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    return await connection.execute_fetchall(work)  # type: ignore[return-value]  # see _Connection


def _resolve(future: asyncio.Future[Any], outcome: Outcome) -> None:
    value, error = outcome
    if future.done():  # its request was cancelled; the change stands all the same
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)


def _snapshot(work: Work[T], connection: sqlite3.Connection) -> T:
    _execute(connection, "BEGIN")
    try:
        return work(Tx(connection))
    finally:
        _execute(connection, "ROLLBACK")


def _together(alone: list[bool]) -> int:
    """Tell how many of the next units share a COMMIT: those before one that goes alone."""
    return max(1, alone.index(True)) if True in alone else len(alone)


def _alone(work: Work[Any], connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    tx = Tx(connection)
    _execute(connection, "BEGIN IMMEDIATE")
    try:
        value, error = _tried(work, tx)
        _execute(connection, "ROLLBACK" if error else "COMMIT")
    except BaseException:
        if connection.in_transaction:
            _execute(connection, "ROLLBACK")
        raise
    return [(value, error)], [] if error else tx.effects


def _tried(work: Work[Any], tx: Tx) -> Outcome:
    try:
        return work(tx), None
    except Exception as exception:
        return None, exception


def _group(works: list[Work[Any]], connection: sqlite3.Connection) -> tuple[list[Outcome], list[Effect]]:
    _execute(connection, "BEGIN IMMEDIATE")
    effects: list[Effect] = []
    try:
        outcomes = [_unit(work, connection, effects) for work in works]
        _execute(connection, "COMMIT")
    except BaseException:
        if connection.in_transaction:
            _execute(connection, "ROLLBACK")
        raise
    return outcomes, effects


def _unit(work: Work[Any], connection: sqlite3.Connection, effects: list[Effect]) -> Outcome:
    tx = Tx(connection)
    _execute(connection, "SAVEPOINT unit")
    try:
        value, error = work(tx), None
        effects += tx.effects
    except Exception as exception:
        if not connection.in_transaction:  # the whole group is lost (disk full, I/O error)
            raise
        _execute(connection, "ROLLBACK TO unit")
        value, error = None, exception
    _execute(connection, "RELEASE unit")
    return value, error


def _run_effect(effect: Effect) -> None:
    try:
        effect()
    except Exception:
        log.exception("an effect after a commit failed; the change itself stands")
