"""Numbered migrations: sql/migrations/0001_….sql, forward only, version in PRAGMA user_version."""

import contextlib
import filecmp
import itertools
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from .damage import DatabaseOpenError, find_damage
from .files import close_to_others
from .queries import FOLDER

FULL_TEXT = "fts5"  # the module of SQLite that searches
# A migration: comments, then its statements in one transaction.
SCRIPT = re.compile(r"(?:\s*--[^\n]*\n)*\s*BEGIN;(.*)COMMIT;\s*", re.DOTALL)


class MigrationError(DatabaseOpenError):
    """The database cannot be brought to the schema of this program."""


def migrations(folder: Path = FOLDER / "migrations") -> list[Path]:
    """List the migrations in order; the first four digits of a name are its version."""
    return sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))


def schema_version() -> int:
    """Tell the schema version that this program works with."""
    return int(migrations()[-1].name[:4])


def migrate(path: Path, folder: Path = FOLDER / "migrations") -> int:
    """Bring a database to the newest schema and return its version; copy it first.

    Raises MigrationError if the database is newer than the program, is none, or a script fails; all scripts share one
    transaction, so whatever cuts an upgrade short leaves the database as it was.
    """
    try:
        close_to_others(path)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return _upgrade(connection, path, folder)
    except (sqlite3.Error, OSError) as error:
        raise MigrationError(f"{path} cannot be used as a database: {error}") from error


def _upgrade(connection: sqlite3.Connection, path: Path, folder: Path) -> int:
    _refuse_without_full_text(connection)
    current = _version(connection)
    pending = [file for file in migrations(folder) if int(file.name[:4]) > current]
    _refuse_newer(path, current, folder)
    if pending and current:
        _refuse_damaged(connection, path)
        _copy(connection, path.with_name(f"{path.name}.schema-{current:04}"))
    if pending:
        _apply(connection, pending)
    return _version(connection)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _refuse_without_full_text(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT 1 FROM pragma_module_list WHERE name = ?", (FULL_TEXT,)).fetchone() is None:
        raise MigrationError(
            f"SQLite {sqlite3.sqlite_version} of this Python has no {FULL_TEXT}; use a Python whose sqlite3 has it"
        )


def _refuse_newer(path: Path, current: int, folder: Path) -> None:
    newest = int(migrations(folder)[-1].name[:4])
    if current > newest:
        raise MigrationError(f"{path} has schema {current}, newer than this program's {newest}; update the program")


def _refuse_damaged(connection: sqlite3.Connection, path: Path) -> None:
    if (found := find_damage(connection)) is not None:
        raise MigrationError(f"{path} is damaged and was not updated: {found}; restore a backup")


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """Copy a database; a copy that is there stays, and is enough if it is the same: each failed start would add one."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    with contextlib.closing(sqlite3.connect(part)) as copy:
        connection.backup(copy, pages=-1)
    for name in _names(target):
        if not name.exists():
            part.rename(name)
            return
        if filecmp.cmp(part, name, shallow=False):
            part.unlink()
            return


def _names(target: Path) -> Iterator[Path]:
    """Give the names that a copy may have, the best first."""
    yield target
    yield from (target.with_name(f"{target.name}.{number}") for number in itertools.count(2))


def _apply(connection: sqlite3.Connection, pending: list[Path]) -> None:
    try:
        connection.executescript("BEGIN IMMEDIATE;" + "".join(map(_statements, pending)) + "COMMIT;")
    except sqlite3.Error as error:
        reached = _version(connection)  # in a transaction that lives still
        failed = next(file.name for file in pending if int(file.name[:4]) > reached)
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise MigrationError(f"{failed} failed, the database is as it was before the update: {error}") from error


def _statements(file: Path) -> str:
    """Give what a migration does, without the transaction that it would be by itself."""
    script = SCRIPT.fullmatch(file.read_text("utf-8"))
    if script is None:
        raise MigrationError(f"{file.name} is no migration: comments, BEGIN;, its statements, COMMIT;")
    return script[1]
