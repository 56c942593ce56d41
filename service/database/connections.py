"""Connections to the database: one for writing, and several that are read-only."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
import orjson

from ..text import checklists
from ..text.comparison import fold_text, to_nfc
from ..text.handles import assign_handles
from .transaction import Tx, execute, roll_back, run_work

T = TypeVar("T")
Work = Callable[[Tx], T]

BUSY_TIMEOUT_MILLISECONDS = 10_000  # maximum wait of a statement for another program's lock
BUSY_TIMEOUT = f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MILLISECONDS}"
CHECKPOINT_WAIT_MILLISECONDS = 100  # maximum wait of a checkpoint for readers
INTERRUPT_SECONDS = 0.05  # between two interrupts of a statement
COMMON = ("PRAGMA foreign_keys = ON", BUSY_TIMEOUT)
TEXT_BYTES_MAX = 64 << 20  # of a value that a reader may build, for example a board
READ_ONCE = "PRAGMA user_version"  # the first read creates the WAL file
# The writer keeps temporary data in files: in memory, SQLite walks the journal of a savepoint as a linked list after
# each statement that fires triggers, so large units become slower with each card.
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
    """A connection whose `execute` also accepts a function, so that aiosqlite runs a whole unit in one thread hop."""

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
    """Open a connection with a separate thread; raise sqlite3.Error, and end the thread, if that fails."""
    options: dict[str, Any] = {"isolation_level": None, "cached_statements": 512}
    connection = await aiosqlite.connect(path, factory=_Connection, **options)
    try:
        await run_in_connection_thread(connection, add_functions)
        for pragma in pragmas:
            await connection.execute_fetchall(pragma)
        if pragmas is READER:
            await run_in_connection_thread(connection, _limit_text)
    except BaseException:
        await connection.close()
        raise
    return connection


def add_functions(connection: sqlite3.Connection) -> None:
    """Add functions to SQL: `fold`, the form in which texts are compared, counts of checklists, those of migrations."""
    connection.create_function("fold", 1, fold_text, deterministic=True)
    connection.create_function("checklist_done", 1, lambda value: _count_items(value)[0], deterministic=True)
    connection.create_function("checklist_total", 1, lambda value: _count_items(value)[1], deterministic=True)
    connection.create_function("nfc", 1, to_nfc, deterministic=True)
    connection.create_function("assign_handles", 1, assign_handles, deterministic=True)


@lru_cache(maxsize=1)  # both counts of a value are asked for, one after the other
def _count_items(value: str) -> tuple[int, int]:
    """Return how many items of checklists a stored text has that are done, and how many in all."""
    text = orjson.loads(value) if "[" in value else ""
    return checklists.count(checklists.find_items(text)) if isinstance(text, str) else (0, 0)


def _limit_text(connection: sqlite3.Connection) -> None:
    """Limit the size of values that a reader can build in memory."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX)


async def run_in_connection_thread(connection: aiosqlite.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    """Run a function on the thread of a connection."""
    return await connection.execute_fetchall(work)  # type: ignore[return-value]  # see _Connection


async def interrupt_until_done(work: asyncio.Future[None], connection: aiosqlite.Connection) -> None:
    """Interrupt the statements of a connection repeatedly until `work` is done."""
    while True:
        await asyncio.wait({work}, timeout=INTERRUPT_SECONDS)
        if work.done():
            return
        await connection.interrupt()


async def close(connection: aiosqlite.Connection) -> None:
    """Interrupt all work on a connection, and close it."""
    await interrupt_until_done(asyncio.create_task(wait_until_idle(connection)), connection)
    await wait_until_idle(connection)  # a late interrupt would stop the checkpoint that closing makes
    await connection.close()


async def wait_until_idle(connection: aiosqlite.Connection) -> None:
    """Wait until all queued work of a connection is done, and no interrupt is pending."""
    await run_in_connection_thread(connection, _run_trivial_statement)


def _run_trivial_statement(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.Error):
        execute(connection, "SELECT 1").fetchall()


def truncate_wal(connection: sqlite3.Connection) -> None:
    """Checkpoint and truncate the WAL, unless readers, for example an export, still use it."""
    execute(connection, f"PRAGMA busy_timeout = {CHECKPOINT_WAIT_MILLISECONDS}")
    try:
        execute(connection, "PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        execute(connection, BUSY_TIMEOUT)


def run_on_snapshot(work: Work[T], connection: sqlite3.Connection) -> T:
    """Run a read-only unit on one consistent snapshot."""
    execute(connection, "BEGIN")
    tx = Tx(connection)
    try:
        return run_work(work, tx)
    finally:
        tx.close_cursors()
        roll_back(connection)


class Snapshot(Tx):
    """One consistent snapshot of the database on a separate connection, for one thread at a time."""

    __slots__ = ()
    is_bounded = False

    def __init__(self, path: Path) -> None:
        super().__init__(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        # Temporary tables stay on disk here, since sorted results can be large.
        for statement in (BUSY_TIMEOUT, "PRAGMA query_only = ON", "BEGIN"):
            execute(self._connection, statement)

    def renew(self) -> None:
        """Move to the latest commit, since a snapshot that stays open prevents a full WAL checkpoint."""
        for statement in ("COMMIT", "BEGIN"):
            execute(self._connection, statement)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
