"""A unit of work on trial: it sees what it has written, the database does not change, and each change is told.

What it writes goes into a scratch database with the same tables, which hold nothing else. So it may take as long as it
likes: nobody waits for it. Whoever is told its changes may make them for good, one after the other, as long as nobody
else changes what it has read.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .connections import Snapshot
from .queries import Statement, sql
from .transaction import Row, Tx, execute

CACHE_KIB = 32 << 10  # of the scratch database; the rest of it is on the disk
PRAGMAS = (  # nobody needs half of a scratch database
    "PRAGMA journal_mode = OFF",
    "PRAGMA synchronous = OFF",
    "PRAGMA locking_mode = EXCLUSIVE",
    f"PRAGMA cache_size = -{CACHE_KIB}",
    "BEGIN",
)


class DryRun(Tx):
    """A unit of work whose changes are told instead of made; for one thread, which closes it.

    `one` and `value` find what it has written itself, else what was there before; `all` and `each` look at the former
    only, `live` at the latter. A statement that counts or sums up must be asked of both.
    """

    __slots__ = ("_tell", "live")
    is_bounded = False
    is_trial = True

    def __init__(self, path: Path, scratch: Path, tell: Callable[[Statement, dict[str, Any]], None]) -> None:
        super().__init__(sqlite3.connect(scratch, isolation_level=None, cached_statements=512), writes=True)
        self._tell = tell
        self.live = Snapshot(path)
        for pragma in PRAGMAS:
            execute(self._connection, pragma)
        for row in self.live.each(sql.imports.list_schema):
            execute(self._connection, row["sql"])

    def one(self, statement: Statement, /, **parameters: Any) -> Row | None:
        """Give the first row, or None."""
        row = super().one(statement, **parameters)
        return self.live.one(statement, **parameters) if row is None else row

    def value(self, statement: Statement, /, **parameters: Any) -> Any:
        """Give the first column of the first row, or None."""
        value = super().value(statement, **parameters)
        return self.live.value(statement, **parameters) if value is None else value

    def written(self, statement: Statement, /, **parameters: Any) -> Row | None:
        """Give the first row among those that the unit itself has written, or None."""
        return super().one(statement, **parameters)

    def run(self, statement: Statement, /, **parameters: Any) -> int:
        """Run a statement on the scratch database, and tell of it."""
        self._tell(statement, parameters)
        return super().run(statement, **parameters)

    def close(self) -> None:
        """Forget all that was written."""
        self.live.close()
        self._connection.close()
