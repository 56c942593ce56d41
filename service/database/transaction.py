"""Transactions: the interface through which a unit of work runs SQL statements."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ..clock import now
from ..errors import TooExpensive
from .deadline import Deadline
from .queries import sql
from .statement import Statement

ROWS_MAX = 50_000  # that a read may return as a list
CHARACTERS_MAX = 32 << 20  # in those rows
CHANGES_BYTES_MAX = 64 << 20  # of history changes that a unit may read and write
ROWS_UNCOUNTED = 16  # a list of at most this many rows cannot reach CHARACTERS_MAX
Effect = Callable[[], object]
TOO_LARGE = "The response would be too large; use a filter or a smaller page."
TOO_MUCH = (
    f"This reads or writes more than {CHANGES_BYTES_MAX >> 20} MiB of changes, and nothing was changed; ask for less at"
    " a time: fewer changes, or a shorter span."
)
execute = sqlite3.Connection.execute
T = TypeVar("T")
R = TypeVar("R")


class Tx:
    """A unit of work inside a transaction: runs its statements, and has one fixed time and effects on commit."""

    __slots__ = (
        "_bytes_left", "_connection", "_cursors", "_deadline", "_now", "_used_pages", "changed", "clock", "effects",
        "org_id", "writes",
    )  # fmt: skip
    is_bounded = True  # whether the size of its reads is limited
    is_dry_run = False  # see dry_run.py

    def __init__(self, connection: sqlite3.Connection, writes: bool = False, deadline: Deadline | None = None) -> None:
        self._connection = connection
        self._deadline = deadline  # of a unit in the writer
        self._bytes_left = CHANGES_BYTES_MAX
        self._cursors: list[sqlite3.Cursor] = []  # opened by `each` and `values`, maybe not exhausted
        self.writes = writes
        self.clock = now
        self._now: str | None = None
        self._used_pages: int | None = None  # of the whole database before the first write
        self.org_id = ""  # the organization whose data the unit writes, for the estimate in usage.py; empty: of none
        self.effects: list[Effect] = []
        self.changed: set[str] = set()  # the tables that were written to

    @property
    def now(self) -> str:
        """Return the time of the unit, which is the same on each call."""
        if self._now is None:
            self._now = self.clock()
        return self._now

    def _run(self, statement: Statement[Any], parameters: dict[str, Any]) -> sqlite3.Cursor:
        if self._deadline is not None:
            self._deadline.require_time()
        try:
            values = statement.values(parameters)
        except KeyError:
            raise _parameter_error(statement, parameters) from None
        if len(values) != len(parameters):
            raise _parameter_error(statement, parameters)
        if statement.changed:
            if self.org_id and self._used_pages is None:
                self._used_pages = self._count_used_pages()
            self.changed |= statement.changed
        return execute(self._connection, statement.text, values)

    def one(self, statement: Statement[R], /, **parameters: Any) -> R | None:
        """Return the first row, or None."""
        cursor = self._run(statement, parameters)
        values = cursor.fetchone()
        if values is None:
            return None
        return dict(zip(statement.columns or columns_of(statement, cursor), values))  # type: ignore[return-value]

    def all(self, statement: Statement[R], /, **parameters: Any) -> list[R]:
        """Return all rows; raise TooExpensive if they are too large for memory."""
        cursor = self._run(statement, parameters)
        columns = statement.columns or columns_of(statement, cursor)
        rows = _fetch_bounded(cursor) if self.is_bounded else cursor.fetchall()
        return [dict(zip(columns, values)) for values in rows]  # type: ignore[misc]

    def value(self, statement: Statement[Any], /, **parameters: Any) -> Any:
        """Return the first column of the first row, or None."""
        row = self._run(statement, parameters).fetchone()
        return None if row is None else row[0]

    def each(self, statement: Statement[R], /, **parameters: Any) -> Iterator[R]:
        """Return an iterator over any number of rows; for a unit that does not share its connection."""
        cursor = self._open_cursor(statement, parameters)
        columns = statement.columns or columns_of(statement, cursor)
        return (dict(zip(columns, values)) for values in cursor)  # type: ignore[misc]

    def values(self, statement: Statement[Any], /, **parameters: Any) -> Iterator[Any]:
        """Return an iterator over the first column of any number of rows, with the same condition as `each`."""
        return (row[0] for row in self._open_cursor(statement, parameters))

    def _open_cursor(self, statement: Statement[Any], parameters: dict[str, Any]) -> sqlite3.Cursor:
        cursor = self._run(statement, parameters)
        if self.is_bounded:
            self._cursors.append(cursor)
        return cursor

    def close_cursors(self) -> None:
        """Close all open cursors: the traceback of an error keeps its cursor alive, and the cursor its snapshot."""
        for cursor in self._cursors:
            cursor.close()

    def run(self, statement: Statement[Any], /, **parameters: Any) -> int:
        """Run a statement, and return how many rows it changed."""
        return self._run(statement, parameters).rowcount

    def take_growth(self) -> int:
        """Return by how many bytes the database has grown since the first write for `org_id`, or the last call."""
        if self._used_pages is None:
            return 0
        before, self._used_pages = self._used_pages, self._count_used_pages()
        pages = self._used_pages - before
        page_bytes: int = Tx.value(self, sql.database_usage.page_bytes) if pages else 0
        return pages * page_bytes

    def _count_used_pages(self) -> int:
        pages: int = Tx.value(self, sql.database_usage.count_pages)
        free_pages: int = Tx.value(self, sql.database_usage.count_free_pages)
        return pages - free_pages

    def count_changes(self, text: str) -> None:
        """Count the bytes of changes that the unit reads or writes; raise TooExpensive beyond CHANGES_BYTES_MAX."""
        self._bytes_left -= len(text) if text.isascii() else len(text.encode())
        if self._bytes_left < 0:
            raise TooExpensive(None, TOO_MUCH)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Run a block in a savepoint; if it raises, only the writes and effects of the block are rolled back."""
        effects_before = len(self.effects)
        execute(self._connection, "SAVEPOINT part")
        try:
            yield
        except BaseException:
            del self.effects[effects_before:]
            if self._connection.in_transaction:
                execute(self._connection, "ROLLBACK TO part")
                execute(self._connection, "RELEASE part")
            raise
        execute(self._connection, "RELEASE part")

    def on_commit(self, effect: Effect) -> None:
        """Run a short function on the event loop after the commit; it is not run if the unit is rolled back."""
        self.effects.append(effect)


def _fetch_bounded(cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    characters = 0
    while chunk := cursor.fetchmany(ROWS_UNCOUNTED):
        rows += chunk
        if len(rows) > ROWS_UNCOUNTED:
            characters += sum(len(value) for row in chunk for value in row if type(value) is str)
        if len(rows) > ROWS_MAX or characters > CHARACTERS_MAX:
            cursor.close()  # the traceback of the error would keep the cursor and its snapshot alive
            raise TooExpensive(None, TOO_LARGE)
    return rows


def run_work(work: Callable[[Tx], T], tx: Tx) -> T:
    """Run a unit; raise RuntimeError instead of StopIteration, which a future cannot carry."""
    try:
        return work(tx)
    except StopIteration as error:
        raise RuntimeError("a unit of work raised StopIteration") from error


def roll_back(connection: sqlite3.Connection) -> None:
    """Roll back the open transaction, if any: an error may have ended it already."""
    if connection.in_transaction:
        execute(connection, "ROLLBACK")


def _parameter_error(statement: Statement[Any], parameters: dict[str, Any]) -> TypeError:
    differing = sorted(parameters.keys() ^ statement.parameters)
    return TypeError(f"{statement.name} was given the wrong parameters: {differing}")


def columns_of(statement: Statement[Any], cursor: sqlite3.Cursor) -> tuple[str, ...]:
    """Return the column names of a statement, and cache them in it; dicts are faster to read than sqlite3.Row."""
    statement.columns = tuple(column[0] for column in cursor.description)
    return statement.columns
