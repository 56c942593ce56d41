"""The connections to the database: one that writes, and readers that cannot."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from .transaction import Tx, end, execute, perform

T = TypeVar("T")
Work = Callable[[Tx], T]

BUSY_TIMEOUT_MILLISECONDS = 10_000  # that a statement waits for another program's lock
BUSY_TIMEOUT = f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MILLISECONDS}"
LOG_WAIT_MILLISECONDS = 100  # for readers that keep the write-ahead log from being emptied
INTERRUPT_SECONDS = 0.05  # between two attempts to end what does not end by itself
COMMON = ("PRAGMA foreign_keys = ON", BUSY_TIMEOUT)
TEXT_BYTES_MAX = 64 << 20  # that a reader may put together, a board say
READ_ONCE = "PRAGMA user_version"  # with it the write-ahead log is there
# The writer keeps temporary data in files: in memory SQLite walks the journal of a savepoint as a linked list after
# each statement that fires triggers, which took 0.2 ms a card at first and 9.8 ms after 10,000.
WRITER = (
    *COMMON,
    "PRAGMA temp_store = FILE",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA wal_autocheckpoint = 2000",
    READ_ONCE,
)
READER = (*COMMON, "PRAGMA temp_store = MEMORY", "PRAGMA query_only = ON")


class _Connection(sqlite3.Connection):
    """A connection whose execute also takes a function, so that a whole unit is one run_in_connection_thread."""

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


async def connect(path: Path, pragmas: tuple[str, ...]) -> aiosqlite.Connection:
    """Open a connection with a thread of its own; raise sqlite3.Error, with no thread left, if that fails."""
    options: dict[str, Any] = {"isolation_level": None, "cached_statements": 512}
    connection = await aiosqlite.connect(path, factory=_Connection, **options)
    try:
        for pragma in pragmas:
            await connection.execute_fetchall(pragma)
        if pragmas is READER:
            await run_in_connection_thread(connection, _limit_text)
    except BaseException:
        await connection.close()
        raise
    return connection


def _limit_text(connection: sqlite3.Connection) -> None:
    """Let a reader put no text together that is as large as memory."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX)


async def run_in_connection_thread(connection: aiosqlite.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    """Run a function on the thread of a connection."""
    return await connection.execute_fetchall(work)  # type: ignore[return-value]  # see _Connection


async def ended(work: asyncio.Future[None], connection: aiosqlite.Connection) -> None:
    """Wait for the end of work that waits for a connection, and interrupt again and again what goes on there."""
    while True:
        await asyncio.wait({work}, timeout=INTERRUPT_SECONDS)
        if work.done():
            return
        await connection.interrupt()


async def close(connection: aiosqlite.Connection) -> None:
    """End what goes on on a connection, and close it."""
    await ended(asyncio.create_task(reached(connection)), connection)
    await reached(connection)  # an interrupt that came late would keep the close from emptying the log
    await connection.close()


async def reached(connection: aiosqlite.Connection) -> None:
    """Wait until all that waits for a connection is done; with it an interrupt is over."""
    await run_in_connection_thread(connection, _rest)


def _rest(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        execute(connection, "SELECT 1").fetchall()


def empty_log(connection: sqlite3.Connection) -> None:
    """Bring what the write-ahead log holds into the database itself, unless readers are still at it: an export, say."""
    execute(connection, f"PRAGMA busy_timeout = {LOG_WAIT_MILLISECONDS}")
    try:
        execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        execute(connection, BUSY_TIMEOUT)


def on_snapshot(work: Work[T], connection: sqlite3.Connection) -> T:
    """Run a unit that only reads on one consistent view."""
    execute(connection, "BEGIN")
    tx = Tx(connection)
    try:
        return perform(work, tx)
    finally:
        tx.close_cursors()
        end(connection)


class Snapshot(Tx):
    """One consistent view of the database on a connection of its own, for one thread at a time."""

    __slots__ = ()
    is_bounded = False

    def __init__(self, path: Path) -> None:
        super().__init__(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        # Unlike elsewhere temporary tables go to the disk: what is sorted here can be large.
        for statement in (BUSY_TIMEOUT, "PRAGMA query_only = ON", "BEGIN"):
            execute(self._connection, statement)

    def renew(self) -> None:
        """Look at what is there by now: whoever looks for long would keep the write-ahead log from being emptied."""
        for statement in ("COMMIT", "BEGIN"):
            execute(self._connection, statement)

    def close(self) -> None:
        """End the view."""
        self._connection.close()
