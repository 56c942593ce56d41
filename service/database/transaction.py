"""What a unit of work sees of the database: four ways to run a statement."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any, TypeVar

from ..clock import now
from ..errors import TooExpensive
from .deadline import too_long
from .queries import Statement

ROWS_MAX = 50_000  # that a read may give at once
CHARACTERS_MAX = 32 << 20  # in them
CHANGES_BYTES_MAX = 64 << 20  # of changes that a unit may read and write
ROWS_UNCOUNTED = 16  # whose length need not be looked at: no row is that long
Row = Mapping[str, Any]  # read only
Effect = Callable[[], object]
TOO_LARGE = "The answer would be too large; ask for less, by a filter or a smaller page."
TOO_MUCH = (
    f"This reads or writes more than {CHANGES_BYTES_MAX >> 20} MiB of changes, and nothing was changed; ask for less at"
    " a time: fewer changes, or a shorter span."
)
execute = sqlite3.Connection.execute
T = TypeVar("T")


class Tx:
    """One unit of work inside a transaction: the statements it may run, and its time."""

    __slots__ = ("_bytes_left", "_connection", "_cursors", "_deadline", "_now", "changed", "clock", "effects", "writes")
    is_bounded = True  # its reads are answers to requests
    is_trial = False  # see dry_run.py

    def __init__(self, connection: sqlite3.Connection, writes: bool = False, deadline: float = inf) -> None:
        self._connection = connection
        self._deadline = deadline  # by time.monotonic
        self._bytes_left = CHANGES_BYTES_MAX
        self._cursors: list[sqlite3.Cursor] = []  # that may not have come to their end
        self.writes = writes
        self.clock = now
        self._now: str | None = None
        self.effects: list[Effect] = []
        self.changed: set[str] = set()  # the tables that were written to

    @property
    def now(self) -> str:
        """Give the time of the unit, the same each time it is asked for."""
        if self._now is None:
            self._now = self.clock()
        return self._now

    def _run(self, statement: Statement, parameters: dict[str, Any]) -> sqlite3.Cursor:
        if self.writes and monotonic() > self._deadline:
            raise too_long()
        try:
            values = statement.values(parameters)
        except KeyError:
            raise _wrong(statement, parameters) from None
        if len(values) != len(parameters):
            raise _wrong(statement, parameters)
        if statement.changed:
            self.changed |= statement.changed
        return execute(self._connection, statement.text, values)

    def one(self, statement: Statement, /, **parameters: Any) -> Row | None:
        """Give the first row, or None."""
        cursor = self._run(statement, parameters)
        values = cursor.fetchone()
        return None if values is None else dict(zip(statement.columns or columns_of(statement, cursor), values))

    def all(self, statement: Statement, /, **parameters: Any) -> list[Row]:
        """Give every row; raise too_expensive if a read gives more than memory should hold."""
        cursor = self._run(statement, parameters)
        columns = statement.columns or columns_of(statement, cursor)
        found = _within_bounds(cursor) if self.is_bounded else cursor.fetchall()
        return [dict(zip(columns, values)) for values in found]

    def value(self, statement: Statement, /, **parameters: Any) -> Any:
        """Give the first column of the first row, or None."""
        row = self._run(statement, parameters).fetchone()
        return None if row is None else row[0]

    def each(self, statement: Statement, /, **parameters: Any) -> Iterator[Row]:
        """Give the rows one by one, however many there are; for a unit that has its connection to itself."""
        cursor = self._opened(statement, parameters)
        columns = statement.columns or columns_of(statement, cursor)
        return (dict(zip(columns, values)) for values in cursor)

    def values(self, statement: Statement, /, **parameters: Any) -> Iterator[Any]:
        """Give the first column of each row one by one, likewise."""
        return (row[0] for row in self._opened(statement, parameters))

    def _opened(self, statement: Statement, parameters: dict[str, Any]) -> sqlite3.Cursor:
        cursor = self._run(statement, parameters)
        if self.is_bounded:
            self._cursors.append(cursor)
        return cursor

    def close_cursors(self) -> None:
        """End what was read row by row: the traceback of an error keeps its cursor, and the cursor its snapshot."""
        for cursor in self._cursors:
            cursor.close()

    def run(self, statement: Statement, /, **parameters: Any) -> int:
        """Run a statement and tell how many rows it changed."""
        return self._run(statement, parameters).rowcount

    def charge(self, text: str) -> None:
        """Count a text among the changes that the unit reads and writes; raise too_expensive if they are too large."""
        self._bytes_left -= len(text) if text.isascii() else len(text.encode())
        if self._bytes_left < 0:
            raise TooExpensive(None, TOO_MUCH)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Run a part of the unit that, if it fails, takes back what it wrote, and nothing else."""
        told = len(self.effects)
        execute(self._connection, "SAVEPOINT part")
        try:
            yield
        except BaseException:
            del self.effects[told:]
            if self._connection.in_transaction:
                execute(self._connection, "ROLLBACK TO part")
                execute(self._connection, "RELEASE part")
            raise
        execute(self._connection, "RELEASE part")

    def on_commit(self, effect: Effect) -> None:
        """Run something quick on the event loop once the change is durable, and only then."""
        self.effects.append(effect)


def _within_bounds(cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    characters = 0
    while chunk := cursor.fetchmany(ROWS_UNCOUNTED):
        rows += chunk
        if len(rows) > ROWS_UNCOUNTED:
            characters += sum(len(value) for row in chunk for value in row if type(value) is str)
        if len(rows) > ROWS_MAX or characters > CHARACTERS_MAX:
            cursor.close()  # the traceback would keep it, and with it the snapshot
            raise TooExpensive(None, TOO_LARGE)
    return rows


def perform(work: Callable[[Tx], T], tx: Tx) -> T:
    """Run a unit; raise RuntimeError for its StopIteration, which no future can carry to whoever waits."""
    try:
        return work(tx)
    except StopIteration as error:
        raise RuntimeError("a unit of work took a next one where there was none") from error


def end(connection: sqlite3.Connection) -> None:
    """Take back what is not committed, unless the failure that led here has done so already."""
    if connection.in_transaction:
        execute(connection, "ROLLBACK")


def _wrong(statement: Statement, parameters: dict[str, Any]) -> TypeError:
    wrong = sorted(parameters.keys() ^ statement.parameters)
    return TypeError(f"{statement.name} was given the wrong parameters: {wrong}")


def columns_of(statement: Statement, cursor: sqlite3.Cursor) -> tuple[str, ...]:
    """Remember the names of a statement's columns: sqlite3.Row looks each one up by comparing texts."""
    statement.columns = tuple(column[0] for column in cursor.description)
    return statement.columns
