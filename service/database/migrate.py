"""Numbered migrations: sql/migrations/0001_….sql, forward only, version in PRAGMA user_version."""

import contextlib
import sqlite3
from pathlib import Path

from .queries import FOLDER

FULL_TEXT = "fts5"  # the module of SQLite that searches


class MigrationError(Exception):
    """The database cannot be brought to the schema of this program."""


def migrations(folder: Path = FOLDER / "migrations") -> list[Path]:
    """List the migrations in order; the first four digits of a name are its version."""
    return sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))


def schema_version() -> int:
    """Tell the schema version that this program works with."""
    return int(migrations()[-1].name[:4])


def migrate(path: Path, folder: Path = FOLDER / "migrations") -> int:
    """Bring a database to the newest schema and return its version; copy it first.

    Raises MigrationError if the database is newer than the program, is none, or a script
    fails; a script that fails leaves the database as it was before that script.
    """
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return _upgrade(connection, path, folder)
    except sqlite3.Error as error:
        raise MigrationError(f"{path} cannot be used as a database: {error}") from error


def _upgrade(connection: sqlite3.Connection, path: Path, folder: Path) -> int:
    _refuse_without_full_text(connection)
    current = int(connection.execute("PRAGMA user_version").fetchone()[0])
    pending = [file for file in migrations(folder) if int(file.name[:4]) > current]
    _refuse_newer(path, current, folder)
    if pending and current:
        _copy(connection, path.with_name(f"{path.name}.before-{pending[-1].name[:4]}"))
    for file in pending:
        _apply(connection, file)
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


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    with contextlib.closing(sqlite3.connect(target)) as copy:
        connection.backup(copy, pages=-1)


def _apply(connection: sqlite3.Connection, file: Path) -> None:
    try:
        connection.executescript(file.read_text("utf-8"))
    except sqlite3.Error as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise MigrationError(f"{file.name} failed, the database is as it was before it: {error}") from error
