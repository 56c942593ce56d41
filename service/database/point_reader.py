"""The reader of a few cached pages, on a snapshot that it keeps until the next commit.

It reads on the event loop, so all others wait meanwhile: what turns out to be much is not for it (TooManyRows).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from .connections import READER, T, Work
from .queries import Statement
from .transaction import Row, Tx, columns_of, end, execute

SNAPSHOT_SECONDS = 1.0  # that a read may look back, if another program writes to the file
ROWS_MAX, CHARACTERS_MAX = 200, 1 << 18  # in the lists that one read gives: some 5 ms until they are encoded
TEXT_BYTES_MAX = 4 << 20  # that may be put together


class TooManyRows(Exception):
    """There is more to read than all others can be kept waiting for; a reader of many rows is to do it."""


class _BriefTx(Tx):
    """A unit of work that raises TooManyRows where its lists are longer than the event loop has time for."""

    __slots__ = ("_characters_left", "_rows_left")

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._rows_left, self._characters_left = ROWS_MAX, CHARACTERS_MAX

    def all(self, statement: Statement, /, **parameters: Any) -> list[Row]:
        """Give every row; raise TooManyRows if they are more than the event loop has time for."""
        cursor = self._run(statement, parameters)
        found = cursor.fetchmany(self._rows_left + 1)
        columns = statement.columns or columns_of(statement, cursor)
        cursor.close()
        self._rows_left -= len(found)
        self._characters_left -= sum(len(value) for values in found for value in values if type(value) is str)
        if self._rows_left < 0 or self._characters_left < 0:
            raise TooManyRows
        return [dict(zip(columns, values)) for values in found]


class PointReader:
    """Reads a few cached pages right on the event loop: some 20 µs, where a hop to a thread costs twice that.

    Its snapshot is kept until the writer has committed, or SNAPSHOT_SECONDS: opening one takes locks in the
    file system, a third of the cost of a small read. Nobody is told of a commit before the release.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, cached_statements=512)
        for pragma in READER:
            self._connection.execute(pragma)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX)
        self._taken_at: float | None = None
        self._keeps_snapshot = True

    def run(self, work: Work[T], limited: bool = False) -> T:
        """Run a unit on the open snapshot or a new one; raise TooManyRows if it is limited and reads more."""
        clock = monotonic()
        if self._taken_at is None or clock - self._taken_at > SNAPSHOT_SECONDS:
            self.release()
            execute(self._connection, "BEGIN")
            self._taken_at = clock
        tx = _BriefTx(self._connection) if limited else Tx(self._connection)
        try:
            return work(tx)
        except (sqlite3.Error, MemoryError) as error:
            self.release()  # it may have ended the transaction, and nobody could tell what the next read would see
            if limited and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_TOOBIG:
                raise TooManyRows from None
            raise
        finally:
            tx.close_cursors()
            if not self._keeps_snapshot:
                self.release()

    def release(self) -> None:
        """Let the snapshot go, so that the next read sees what was committed."""
        if self._taken_at is not None:
            self._taken_at = None
            end(self._connection)

    def data_version(self) -> int:
        """Return SQLite's number of the last commit of another connection, the writer included."""
        self.release()
        (version,) = execute(self._connection, "PRAGMA data_version").fetchone()
        return int(version)

    @contextmanager
    def letting_go(self) -> Iterator[None]:
        """Keep no snapshot meanwhile beyond the unit that reads it."""
        self._keeps_snapshot = False
        self.release()
        try:
            yield
        finally:
            self._keeps_snapshot = True

    def close(self) -> None:
        """Close the connection."""
        self.release()
        self._connection.close()
