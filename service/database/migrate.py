"""Schema migrations: numbered files sql/migrations/0001_….sql, forward only; the version is PRAGMA user_version."""

import contextlib
import filecmp
import itertools
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from .connections import add_functions
from .damage import DatabaseOpenError, find_damage
from .files import restrict_permissions
from .statement import FOLDER

FULL_TEXT = "fts5"  # the full-text search module of SQLite
# A migration file: comments, then its statements in one transaction.
SCRIPT = re.compile(r"(?:\s*--[^\n]*\n)*\s*BEGIN;(.*)COMMIT;\s*", re.DOTALL)


class MigrationError(DatabaseOpenError):
    """The database cannot be brought to the schema of this program."""


def migrations(folder: Path = FOLDER / "migrations") -> list[Path]:
    """Return the migration files in order; the first four digits of a name are its version."""
    return sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))


def schema_version() -> int:
    """Return the schema version that this program requires."""
    return int(migrations()[-1].name[:4])


def migrate(path: Path, folder: Path = FOLDER / "migrations") -> int:
    """Copy a database, migrate it to the newest schema, and return its version.

    Raise MigrationError if the database is newer than the program, is not a database, or a migration fails. All
    migrations share one transaction, so an interrupted upgrade leaves the database unchanged.
    """
    try:
        restrict_permissions(path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            add_functions(connection)
            return _upgrade(connection, path, folder)
    except (sqlite3.Error, OSError) as error:
        raise MigrationError(f"{path} cannot be used as a database: {error}") from error


def _upgrade(connection: sqlite3.Connection, path: Path, folder: Path) -> int:
    _require_full_text_search(connection)
    current = _version(connection)
    pending = [file for file in migrations(folder) if int(file.name[:4]) > current]
    _require_known_schema(path, current, folder)
    if pending and current:
        _require_undamaged(connection, path)
        _copy(connection, path.with_name(f"{path.name}.schema-{current:04}"))
    if pending:
        _apply(connection, pending)
    return _version(connection)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _require_full_text_search(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", (FULL_TEXT,)).fetchone() is None:
        raise MigrationError(
            f"SQLite {sqlite3.sqlite_version} of this Python has no {FULL_TEXT}; use a Python whose sqlite3 includes it"
        )


def _require_known_schema(path: Path, current: int, folder: Path) -> None:
    newest = int(migrations(folder)[-1].name[:4])
    if current > newest:
        raise MigrationError(f"{path} has schema {current}, newer than this program's {newest}; update the program")


def _require_undamaged(connection: sqlite3.Connection, path: Path) -> None:
    if (found := find_damage(connection)) is not None:
        raise MigrationError(f"{path} is damaged and was not updated: {found}; restore a backup")


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy a database to a new file; keep an existing copy, and add none if it is identical.

    Otherwise each failed start would add a copy.
    """
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with contextlib.closing(sqlite3.connect(part)) as copy:
        connection.backup(copy, pages=-1)
    for candidate in _list_copy_paths(target):
        if not candidate.exists():
            part.rename(candidate)
            return
        if filecmp.cmp(part, candidate, shallow=False):
            part.unlink()
            return


def _list_copy_paths(target: Path) -> Iterator[Path]:
    """Yield the possible paths of a copy: `target`, then the same with `.2`, `.3` and so on."""
    yield target
    yield from (target.with_name(f"{target.name}.{number}") for number in itertools.count(2))


def _apply(connection: sqlite3.Connection, pending: list[Path]) -> None:
    try:
        connection.executescript("BEGIN IMMEDIATE;" + "".join(map(_statements, pending)) + "COMMIT;")
    except sqlite3.Error as error:
        reached = _version(connection)  # read before the rollback resets it
        failed = next(file.name for file in pending if int(file.name[:4]) > reached)
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise MigrationError(f"{failed} failed, and the database is unchanged: {error}") from error


def _statements(file: Path) -> str:
    """Return the statements of a migration without its BEGIN and COMMIT."""
    script = SCRIPT.fullmatch(file.read_text("utf-8"))
    if script is None:
        raise MigrationError(f"{file.name} is not a migration: it needs comments, BEGIN;, statements, COMMIT;")
    return script[1]
