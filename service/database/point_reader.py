"""Short reads on the event loop, on a snapshot that is reused until the next commit.

They block the event loop, so a read that turns out to be large raises TooManyRows and is repeated on a reader thread.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from .connections import READER, T, Work, add_functions
from .statement import Statement
from .transaction import R, Tx, columns_of, execute, roll_back

SNAPSHOT_SECONDS = 1.0  # maximum age of the snapshot, which matters only if another program writes to the database
ROWS_MAX, CHARACTERS_MAX = 200, 1 << 18  # in the lists of one limited read: about 5 ms including encoding
TEXT_BYTES_MAX = 4 << 20  # of a value that SQLite may build


class TooManyRows(Exception):
    """A limited inline read found too many rows; it must be repeated on a reader thread."""


class _LimitedTx(Tx):
    """A unit of work that raises TooManyRows if its lists are too long for the event loop."""

    __slots__ = ("_characters_left", "_rows_left")

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._rows_left, self._characters_left = ROWS_MAX, CHARACTERS_MAX

    def all(self, statement: Statement[R], /, **parameters: Any) -> list[R]:
        """Return all rows; raise TooManyRows if the unit has read too much."""
        cursor = self._run(statement, parameters)
        rows = cursor.fetchmany(self._rows_left + 1)
        columns = statement.columns or columns_of(statement, cursor)
        cursor.close()
        self._rows_left -= len(rows)
        self._characters_left -= sum(len(value) for values in rows for value in values if type(value) is str)
        if self._rows_left < 0 or self._characters_left < 0:
            raise TooManyRows
        return [dict(zip(columns, values)) for values in rows]  # type: ignore[misc]


class PointReader:
    """Connection for short reads on the event loop, which avoids the cost of a thread hop.

    The snapshot is reused until the next commit, at most for SNAPSHOT_SECONDS, because opening one takes file locks.
    The writer calls `release` before it reports a commit, so no caller reads a state older than its own change.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, cached_statements=512)
        add_functions(self._connection)
        for pragma in READER:
            self._connection.execute(pragma)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX)
        self._opened_at: float | None = None  # when the current snapshot was opened
        self._keeps_snapshot = True

    def run(self, work: Work[T], limited: bool = False) -> T:
        """Run a unit on the current snapshot or a new one; with `limited`, raise TooManyRows if it reads too much."""
        time = monotonic()
        if self._opened_at is None or time - self._opened_at > SNAPSHOT_SECONDS:
            self.release()
            execute(self._connection, "BEGIN")
            self._opened_at = time
        tx = _LimitedTx(self._connection) if limited else Tx(self._connection)
        try:
            return work(tx)
        except (sqlite3.Error, MemoryError) as error:
            self.release()  # the error may have ended the transaction, so the snapshot is unknown
            if limited and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_TOOBIG:
                raise TooManyRows from None
            raise
        finally:
            tx.close_cursors()
            if not self._keeps_snapshot:
                self.release()

    def release(self) -> None:
        """Close the snapshot, so that the next read sees the latest commit."""
        if self._opened_at is not None:
            self._opened_at = None
            roll_back(self._connection)

    def data_version(self) -> int:
        """Return a number that changes with each commit of another connection, including the writer's."""
        self.release()
        (version,) = execute(self._connection, "PRAGMA data_version").fetchone()
        return int(version)

    @contextmanager
    def without_snapshot(self) -> Iterator[None]:
        """Close the snapshot after each unit while the block runs, so that the WAL can be truncated."""
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
