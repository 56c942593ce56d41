"""Dry runs: units of work that see their own writes but do not change the database; each write is reported.

Writes go to a scratch database with the same tables, initially empty. A dry run blocks no other writer, so it may take
long. The reported statements can be applied later, one after the other, as long as nothing else changes the rows that
the dry run has read.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .connections import Snapshot, add_functions
from .queries import sql
from .statement import Statement
from .transaction import R, Tx, execute

CACHE_KIB = 32 << 10  # of the scratch database in memory; the rest of it is on disk
PRAGMAS = (  # the scratch database need not survive a crash
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA locking_mode = EXCLUSIVE",
    f"PRAGMA cache_size = -{CACHE_KIB}",
    "BEGIN",
)


class DryRun(Tx):
    """A unit of work whose writes are reported instead of stored; for one thread, which closes it.

    `one` and `value` search the scratch database first, then the real one. `all` and `each` read only the scratch
    database, `live` only the real one. A statement that counts or sums must be run on both.
    """

    __slots__ = ("_report", "live")
    is_bounded = False
    is_dry_run = True

    def __init__(self, path: Path, scratch: Path, report: Callable[[Statement[Any], dict[str, Any]], None]) -> None:
        super().__init__(sqlite3.connect(scratch, isolation_level=None, cached_statements=512), writes=True)
        add_functions(self._connection)
        self._report = report
        self.live = Snapshot(path)
        for pragma in PRAGMAS:
            execute(self._connection, pragma)
        for row in self.live.each(sql.imports.list_schema):
            execute(self._connection, row["sql"])

    def one(self, statement: Statement[R], /, **parameters: Any) -> R | None:
        """Return the first row, or None."""
        row = super().one(statement, **parameters)
        return self.live.one(statement, **parameters) if row is None else row

    def value(self, statement: Statement[Any], /, **parameters: Any) -> Any:
        """Return the first column of the first row, or None."""
        value = super().value(statement, **parameters)
        return self.live.value(statement, **parameters) if value is None else value

    def find_written(self, statement: Statement[R], /, **parameters: Any) -> R | None:
        """Return the first row that this unit has written (from the scratch database only), or None."""
        return super().one(statement, **parameters)

    def run(self, statement: Statement[Any], /, **parameters: Any) -> int:
        """Report a statement, and run it on the scratch database."""
        self._report(statement, parameters)
        return super().run(statement, **parameters)

    def close(self) -> None:
        """Close both connections; the writes are discarded."""
        self.live.close()
        self._connection.close()
