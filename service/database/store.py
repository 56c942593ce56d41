"""The store: the interface of the database layer, with one writer and several read-only connections.

A write costs one hop to a database thread, where its whole unit of work runs. Concurrent units share one BEGIN
IMMEDIATE and one durable COMMIT, and a unit that fails rolls back only its own changes (see commits.py). No transaction
is ever upgraded from read to write, so "database is locked" cannot occur.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite

from ..errors import STOPPING
from .connections import (
    READER,
    WRITER,
    Snapshot,
    T,
    Work,
    close,
    connect,
    run_in_connection_thread,
    run_on_snapshot,
    truncate_wal,
)
from .damage import DatabaseOpenError, find_damage
from .deadline import Deadline
from .dry_run import DryRun
from .fair_queue import SERVICE, Share
from .faults import TranslateErrors, unavailable
from .files import DatabaseFiles
from .point_reader import PointReader, TooManyRows
from .readers import LONG, READERS_COUNT, SEARCH, SHORT, Readers, ReadKind
from .statement import Row, Statement
from .stats import WriterStats
from .transaction import Effect, Tx
from .writer import Writer

__all__ = [
    "LONG",
    "SEARCH",
    "SHORT",
    "DryRun",
    "Effect",
    "ReadKind",
    "Row",
    "Share",
    "Snapshot",
    "Store",
    "TooManyRows",
    "Tx",
]

WAL_BYTES_MAX = 64 << 20  # size of the WAL at which it is truncated
WAL_CHECK_SECONDS = 1.0  # between two checks of its size
IDLE_CHECKS = 5  # checks in a row without a write, after which a short WAL is truncated too
log = logging.getLogger("service")


class Store:
    """The open database of one service process."""

    def __init__(self, path: Path, before_commit: Callable[[Tx], None] | None = None) -> None:
        """Store the path, and the function that runs at the end of each unit that has written."""
        self.path = path
        self._before_commit = before_commit
        self.stats = WriterStats()
        self._translate_errors = TranslateErrors()
        self._connections: list[aiosqlite.Connection] = []
        self._closing = False

    async def open(self) -> None:
        """Open the writer and the readers; the database must be migrated. Raise DatabaseOpenError if not."""
        try:
            writer_connection = await self._connect(WRITER)
            reader_connections = [await self._connect(READER) for _ in range(READERS_COUNT)]
            self._readers = Readers(reader_connections)
            damage = await run_in_connection_thread(reader_connections[0], find_damage)
            self._point_reader, self._files = PointReader(self.path), DatabaseFiles(self.path, damage)
        except BaseException as error:
            await self._disconnect()
            if isinstance(error, (sqlite3.Error, OSError)):
                raise DatabaseOpenError(f"{self.path} cannot be opened or checked: {error}") from error
            raise
        self._writer_connection = writer_connection
        await run_in_connection_thread(writer_connection, (deadline := Deadline()).watch)
        self._writer = Writer(
            writer_connection, deadline, self._files, self.stats, self._point_reader.release, self._before_commit
        )
        if self.is_damaged:
            log.error("%s is damaged: %s. Nothing is written; restore a backup.", self.path, self._files.damage)
        self._wal_task = asyncio.create_task(self._keep_wal_short())

    @property
    def is_damaged(self) -> bool:
        """Return whether the database was damaged when it was opened; then all writes fail."""
        return self._files.damage is not None

    async def _connect(self, pragmas: tuple[str, ...]) -> aiosqlite.Connection:
        connection = await connect(self.path, pragmas)
        self._connections.append(connection)
        return connection

    async def _disconnect(self) -> None:
        while self._connections:
            await close(self._connections.pop())

    def read_inline(self, work: Work[T], limited: bool = False) -> T:
        """Run a short read synchronously on the event loop.

        With `limited`, raise TooManyRows if it reads too much, so that the caller can repeat it with `read`.
        """
        if self._closing:
            raise unavailable(STOPPING)
        with self._translate_errors:
            return self._point_reader.run(work, limited)

    def refresh_snapshot(self) -> None:
        """Make the next `read_inline` see the latest commits of other programs, too."""
        self._point_reader.release()

    async def read(self, work: Work[T], share: Share = SERVICE, kind: ReadKind = SHORT) -> T:
        """Run a read of any size on a reader thread, on one consistent snapshot.

        It waits for its turn (see readers.py). Raise Overloaded if too many reads wait, and TooExpensive if it takes
        too long.
        """
        if self._closing:
            raise unavailable(STOPPING)
        try:
            with self._translate_errors:
                result: T = await self._readers.read(self.stats.measure_wait(partial(self._read, work)), share, kind)
            return result
        finally:
            # The reader's snapshot can be newer than that of `read_inline`, whose next result must not be older.
            self._point_reader.release()

    def _read(self, work: Work[T], connection: sqlite3.Connection) -> T:
        if self._closing:
            raise unavailable(STOPPING)
        return run_on_snapshot(work, connection)

    def snapshot(self) -> Snapshot:
        """Open a snapshot for long reads on a separate connection; the caller must close it."""
        return Snapshot(self.path)

    def dry_run(
        self, work: Callable[[DryRun], T], scratch: Path, report: Callable[[Statement[Row], dict[str, Any]], None]
    ) -> T:
        """Run a unit without changing the database, on the calling thread, and report each of its writes."""
        with self._translate_errors, closing(DryRun(self.path, scratch, report)) as tx:
            return work(tx)

    def run_before_commit(self, tx: Tx) -> None:
        """Run the `before_commit` function now, for a unit that measures its duration between batches."""
        if self._before_commit is not None:
            self._before_commit(tx)

    async def write(self, work: Work[T], share: Share = SERVICE) -> T:
        """Run a unit of work, and return when its changes are durable; an exception rolls them back.

        Raise Overloaded if too many units of the caller wait, and TooExpensive if it takes too long (see deadline.py).
        A unit may be run twice (see commits.py), so it must have no side effects outside of its transaction and its
        `on_commit` effects.
        """
        if self._closing:
            raise unavailable(STOPPING)
        with self._translate_errors:
            return await self._writer.write(work, share)

    @property
    def units_accepted(self) -> int:
        """Return how many units were queued so far, by which background work detects other writers."""
        return self._writer.units_accepted

    @property
    def queue_length(self) -> int:
        """Return how many units wait to be written."""
        return self._writer.queue_length

    @property
    def is_committing(self) -> bool:
        """Return whether no unit waits or the commit task is running."""
        return self._writer.is_committing

    def get_log_bytes(self) -> int:
        """Return the size of the write-ahead log."""
        return self._files.get_wal_bytes()

    def data_version(self) -> int:
        """Return a number that changes with each commit, of this process or another one."""
        with self._translate_errors:
            return self._point_reader.data_version()

    async def _keep_wal_short(self) -> None:
        """Truncate the WAL when it is long or the service is idle; SQLite cannot do it while reads overlap."""
        accepted, idle = 0, 0
        while True:
            await asyncio.sleep(WAL_CHECK_SECONDS)
            accepted, idle = self.units_accepted, (idle + 1 if self.units_accepted == accepted else 0)
            try:
                limit = 0 if idle and idle % IDLE_CHECKS == 0 else WAL_BYTES_MAX
                if not self.is_damaged and self._files.get_wal_bytes() > limit:
                    with self._point_reader.without_snapshot():
                        await run_in_connection_thread(self._writer_connection, self._truncate_wal)
            except Exception:
                log.exception("the write-ahead log could not be truncated; the next check tries again")

    def _truncate_wal(self, connection: sqlite3.Connection) -> None:
        """Checkpoint and truncate the WAL, unless another program has overwritten the database."""
        self._files.check()
        try:
            truncate_wal(connection)
        finally:
            self._files.note_own_writes()

    async def close(self) -> None:
        """Finish the queued writes, stop the reads, and close the database, within a few seconds."""
        self._closing = True
        self._wal_task.cancel()
        self._readers.close()
        await self._writer.finish()
        await self._disconnect()
        self._point_reader.close()
        self._files.close()
