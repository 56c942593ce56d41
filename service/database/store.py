"""SQLite: one writer that commits in groups, and readers that cannot write.

A request costs one hop to a database thread: its whole unit of work runs there. Many units share one BEGIN IMMEDIATE
and one durable COMMIT, and a unit that fails takes back only its own changes (see commits.py). Beginning IMMEDIATE in
one place is what keeps "database is locked" away: nobody ever upgrades a read to a write.
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

from .connections import (
    READER,
    WRITER,
    Snapshot,
    T,
    Work,
    close,
    connect,
    empty_log,
    on_snapshot,
    run_in_connection_thread,
)
from .damage import DatabaseOpenError, find_damage
from .deadline import Deadline
from .dry_run import DryRun
from .faults import Told, unavailable
from .figures import WriterStats
from .files import DatabaseFiles
from .point_reader import PointReader, TooManyRows
from .queries import Statement
from .readers import READERS_COUNT, SERVICE, STOPPING, Readers, Share
from .transaction import Effect, Row, Tx
from .writer import Writer

__all__ = ["DryRun", "Effect", "Row", "Share", "Snapshot", "Store", "TooManyRows", "Tx"]

LOG_LIMIT_BYTES = 64 << 20  # that the write-ahead log may have before it is emptied
LOG_CHECK_SECONDS = 1.0  # between two looks at it
IDLE_CHECKS = 5  # in a row without a write, after which a short log is emptied too
log = logging.getLogger("service")


class Store:
    """The open database of one service process."""

    def __init__(self, path: Path, before_commit: Callable[[Tx], None] | None = None) -> None:
        """Take the path, and what each unit that writes ends with, before it is committed."""
        self.path = path
        self._before_commit = before_commit
        self.figures = WriterStats()
        self._told = Told()
        self._connections: list[aiosqlite.Connection] = []
        self._closing = False

    async def open(self) -> None:
        """Open the writer and the readers; the database must be migrated. Raise DatabaseOpenError if not."""
        try:
            writing = await self._connect(WRITER)
            reading = [await self._connect(READER) for _ in range(READERS_COUNT)]
            self._readers = Readers(reading)
            self._point_reader, self._files = PointReader(self.path), DatabaseFiles(self.path)
            self._files.damage = await run_in_connection_thread(reading[0], find_damage)
        except BaseException as error:
            await self._disconnect()
            if isinstance(error, sqlite3.Error):
                raise DatabaseOpenError(f"{self.path} cannot be opened or checked: {error}") from error
            raise
        self._writing = writing
        await run_in_connection_thread(writing, (deadline := Deadline()).watch)
        renew = self._point_reader.release
        self._writer = Writer(writing, deadline, self._files, self.figures, renew, self._before_commit)
        if self.is_damaged:
            log.error("%s is damaged: %s. Nothing is written; restore a backup.", self.path, self._files.damage)
        self._log_keeper = asyncio.create_task(self._keep_log_short())

    @property
    def is_damaged(self) -> bool:
        """Tell whether the database was found damaged when it was opened: then nothing is written."""
        return self._files.damage is not None

    async def _connect(self, pragmas: tuple[str, ...]) -> aiosqlite.Connection:
        connection = await connect(self.path, pragmas)
        self._connections.append(connection)
        return connection

    async def _disconnect(self) -> None:
        while self._connections:
            await close(self._connections.pop())

    def read_inline(self, work: Work[T], limited: bool = False) -> T:
        """Run a unit that reads a few cached pages, right here on the event loop.

        One that is to be brief raises TooManyRows where there is more to read than others can be kept waiting for.
        """
        with self._told:
            return self._point_reader.run(work, limited)

    def look_anew(self) -> None:
        """Have the next `read_inline` see what other programs have committed by now, not only what this one has."""
        self._point_reader.release()

    async def read(self, work: Work[T], share: Share = SERVICE) -> T:
        """Run a unit that may read many rows, on a thread; like `read_inline` on one consistent snapshot.

        It waits for a slot of its caller and of its organization (see readers.py). Raises overloaded, too_expensive.
        """
        if self._closing:
            raise unavailable(STOPPING)
        try:
            with self._told:
                result: T = await self._readers.read(self.figures.waiting(partial(self._read, work)), share)
            return result
        finally:
            # The reader's snapshot can be newer than that of `read_inline`, which must not fall behind what was shown.
            self._point_reader.release()

    def _read(self, work: Work[T], connection: sqlite3.Connection) -> T:
        if self._closing:
            raise unavailable(STOPPING)
        return on_snapshot(work, connection)

    def snapshot(self) -> Snapshot:
        """Open a snapshot that may be read for a long time, beside all other work; whoever opens it closes it."""
        return Snapshot(self.path)

    def dry_run(
        self, work: Callable[[DryRun], T], scratch: Path, tell: Callable[[Statement, dict[str, Any]], None]
    ) -> T:
        """Run a unit on trial, right here on the caller's thread: nothing changes, and each change is told."""
        with self._told, closing(DryRun(self.path, scratch, tell)) as tx:
            return work(tx)

    def finish_part(self, tx: Tx) -> None:
        """Do for a part of a unit what each unit ends with: for one that has more to write and watches the time."""
        if self._before_commit is not None:
            self._before_commit(tx)

    async def write(self, work: Work[T], org_id: str = "") -> T:
        """Run a unit of work and return once its changes are durable; an exception rolls them back.

        Without an organization it is the service's own. Raises overloaded, and too_expensive once it has run for a
        second. It may be run twice (see commits.py), so all that it changes is in its transaction and its effects.
        """
        if self._closing:
            raise unavailable(STOPPING)
        with self._told:
            return await self._writer.write(work, org_id)

    @property
    def taken(self) -> int:
        """Tell how many units were to be written so far: work that can wait tells by it whether others write."""
        return self._writer.taken

    @property
    def queued(self) -> int:
        """Tell how many units wait to be written."""
        return self._writer.queued

    @property
    def is_committing(self) -> bool:
        """Tell whether what waits is seen to."""
        return self._writer.is_committing

    def data_version(self) -> int:
        """Return a number that changes with each commit, of this process or another one."""
        with self._told:
            return self._point_reader.data_version()

    async def _keep_log_short(self) -> None:
        """Empty the write-ahead log once it is long, as SQLite cannot while reads leave no gap; and when idle."""
        taken, idle = 0, 0
        while True:
            await asyncio.sleep(LOG_CHECK_SECONDS)
            taken, idle = self.taken, (idle + 1 if self.taken == taken else 0)
            try:
                if self._files.log_bytes() > (0 if idle and idle % IDLE_CHECKS == 0 else LOG_LIMIT_BYTES):
                    with self._point_reader.letting_go():
                        await run_in_connection_thread(self._writing, empty_log)
            except Exception:
                log.exception("the write-ahead log could not be emptied; the next look tries again")

    async def close(self) -> None:
        """Finish the writes that were taken, end the reads, and close the database; within a few seconds."""
        self._closing = True
        self._log_keeper.cancel()
        self._readers.close()
        await self._writer.finish()
        await self._disconnect()
        self._point_reader.close()
