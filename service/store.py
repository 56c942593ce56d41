"""SQLite: one writer that commits in groups, and readers that cannot write.

A request costs one hop to a database thread: its whole unit of work runs there. Many
units share one BEGIN IMMEDIATE and one durable COMMIT, each in its own savepoint, so a
unit that fails takes back only its own changes. Beginning IMMEDIATE in one place is
what keeps "database is locked" away: nobody ever upgrades a read to a write.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from .errors import Unavailable
from .queries import Statement
from .wire import now

T = TypeVar("T")
Row = Mapping[str, Any]
Work = Callable[["Tx"], T]
Outcome = tuple[Any, Exception | None]

GROUP = 256  # units that share a COMMIT at the most
log = logging.getLogger("service")
_execute = sqlite3.Connection.execute
_COMMON = ("PRAGMA foreign_keys = ON", "PRAGMA busy_timeout = 10000", "PRAGMA temp_store = MEMORY")
_WRITER = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA wal_autocheckpoint = 10000")
_READER = ("PRAGMA query_only = ON",)


class Tx:
    """One unit of work inside a transaction: the statements it may run, and its time."""

    __slots__ = ("_connection", "effects", "now")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.now = now()
        self.effects: list[Callable[[], object]] = []

    def _run(self, statement: Statement, parameters: dict[str, Any]) -> sqlite3.Cursor:
        if parameters.keys() != statement.parameters:
            wrong = sorted(parameters.keys() ^ statement.parameters)
            raise TypeError(f"{statement.name} was given the wrong parameters: {wrong}")
        return _execute(self._connection, statement.text, parameters)

    def one(self, statement: Statement, /, **parameters: Any) -> Row | None:
        """Give the first row, or None."""
        row: Row | None = self._run(statement, parameters).fetchone()
        return row

    def all(self, statement: Statement, /, **parameters: Any) -> list[Row]:
        """Give every row."""
        return self._run(statement, parameters).fetchall()

    def value(self, statement: Statement, /, **parameters: Any) -> Any:
        """Give the first column of the first row, or None."""
        row = self._run(statement, parameters).fetchone()
        return None if row is None else row[0]

    def run(self, statement: Statement, /, **parameters: Any) -> int:
        """Run a statement and tell how many rows it changed."""
        return self._run(statement, parameters).rowcount

    def after(self, effect: Callable[[], object]) -> None:
        """Run something outside the database once the change is durable, and only then."""
        self.effects.append(effect)


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

    async def open(self) -> None:
        """Open the writer and the readers; the database must be migrated already."""
        self._writer = await self._connect(_COMMON + _WRITER)
        self._reader = await self._connect(_COMMON + _READER)
        self._bulk_reader = await self._connect(_COMMON + _READER)

    async def _connect(self, pragmas: tuple[str, ...]) -> aiosqlite.Connection:
        connection = await aiosqlite.connect(
            self.path, isolation_level=None, factory=_Connection, cached_statements=512
        )
        connection.row_factory = sqlite3.Row
        for pragma in pragmas:
            await connection.execute_fetchall(pragma)
        return connection

    async def read(self, work: Work[T], bulk: bool = False) -> T:
        """Run a unit that only reads, on one consistent snapshot; bulk work has a reader of its own."""
        reader = self._bulk_reader if bulk else self._reader
        return await _hop(reader, partial(_snapshot, work))

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
            outcomes = await self._commit([work for work, _ in batch])
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                _resolve(future, outcome)
        self._pump = None

    async def _commit(self, works: list[Work[Any]]) -> list[Outcome]:
        try:
            return await _hop(self._writer, partial(_group, works))
        except Exception:
            log.exception("a group of %d writes was rolled back", len(works))
            error = Unavailable(None, "The change could not be stored, and nothing was changed; try again later.")
            return [(None, error)] * len(works)

    async def close(self) -> None:
        """Finish the writes that were taken, then close the database."""
        self._closing = True
        while self._pump is not None:
            await self._pump
        for connection in (self._reader, self._bulk_reader, self._writer):
            await connection.close()


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


def _group(works: list[Work[Any]], connection: sqlite3.Connection) -> list[Outcome]:
    _execute(connection, "BEGIN IMMEDIATE")
    effects: list[Callable[[], object]] = []
    try:
        outcomes = [_unit(work, connection, effects) for work in works]
        _execute(connection, "COMMIT")
    except BaseException:
        if connection.in_transaction:
            _execute(connection, "ROLLBACK")
        raise
    for effect in effects:
        _run_effect(effect)
    return outcomes


def _unit(work: Work[Any], connection: sqlite3.Connection, effects: list[Callable[[], object]]) -> Outcome:
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


def _run_effect(effect: Callable[[], object]) -> None:
    try:
        effect()
    except Exception:
        log.exception("an effect after a commit failed; the change itself stands")
