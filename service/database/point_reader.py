"""The reader of a few cached pages: what it has read it remembers until the next commit."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

from .connections import READER, T, Work, bound
from .queries import Statement
from .transaction import Row, Tx, end, execute

SNAPSHOT_SECONDS = 1.0  # that a read may look back, if another program writes to the file
ROWS_REMEMBERED_MAX = 10_000
CHARACTERS_REMEMBERED_MAX = 8 << 20  # in these rows, and in what they were asked for by
UNKNOWN: Row = {}  # not None: that there is no such row is remembered too


class _Memory:
    """The rows that one snapshot has shown; it forgets all of them before they are too many or too long."""

    __slots__ = ("_characters", "rows")

    def __init__(self) -> None:
        self.rows: dict[Any, Row | None] = {}
        self._characters = 0

    def keep(self, key: Any, row: Row | None, parameters: dict[str, Any]) -> None:
        """Remember what was found."""
        characters = _characters(parameters) + (_characters(row) if row else 0)
        if len(self.rows) >= ROWS_REMEMBERED_MAX or self._characters + characters > CHARACTERS_REMEMBERED_MAX:
            self.clear()
        self._characters += characters
        self.rows[key] = row

    def clear(self) -> None:
        """Forget all."""
        self.rows.clear()
        self._characters = 0


def _characters(values: Row) -> int:
    return sum(len(value) for value in values.values() if isinstance(value, str))


class _Remembering(Tx):
    """A unit on a snapshot that others look at too: asked the same again, it answers the same again."""

    __slots__ = ("_memory",)

    def __init__(self, connection: sqlite3.Connection, memory: _Memory) -> None:
        super().__init__(connection)
        self._memory = memory

    def one(self, statement: Statement, /, **parameters: Any) -> Row | None:
        """Give the first row, or None; whoever takes it cannot change it."""
        key = (statement, *parameters.items())
        known = self._memory.rows.get(key, UNKNOWN)
        if known is not UNKNOWN:
            return known
        row = super().one(statement, **parameters)
        shared = None if row is None else MappingProxyType(row)
        self._memory.keep(key, shared, parameters)
        return shared


class PointReader:
    """Reads a few cached pages right on the event loop: some 20 µs, where a hop to a thread costs twice that.

    Its snapshot is kept until the writer has committed, or SNAPSHOT_SECONDS: opening one takes locks in the
    file system, a third of the cost of a small read. Nobody is told of a commit before the release.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, cached_statements=512)
        for pragma in READER:
            self._connection.execute(pragma)
        bound(self._connection)
        self._taken_at: float | None = None
        self._memory = _Memory()
        self._keeps_snapshot = True

    def run(self, work: Work[T]) -> T:
        """Run a unit on the snapshot that is open, or on a new one."""
        clock = monotonic()
        if self._taken_at is None or clock - self._taken_at > SNAPSHOT_SECONDS:
            self.release()
            execute(self._connection, "BEGIN")
            self._taken_at = clock
        try:
            return work(_Remembering(self._connection, self._memory))
        except (sqlite3.Error, MemoryError):
            self.release()  # it may have ended the transaction, and nobody could tell what the next read would see
            raise
        finally:
            if not self._keeps_snapshot:
                self.release()

    def release(self) -> None:
        """Let the snapshot go, so that the next read sees what was committed."""
        self._taken_at = None
        self._memory.clear()
        end(self._connection)

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
