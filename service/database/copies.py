"""Operations on database files: copy during writes, open without the service, check, checkpoint and replace."""

import contextlib
import ctypes
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from .damage import is_damage
from .migrate import MigrationError
from .transaction import Tx

# Linux only; Python has no name for it.
_sync_file_range = getattr(ctypes.CDLL(None), "sync_file_range", None)
PAGES_PER_SYNC = 256  # copied between two flushes to disk
JOURNAL_SUFFIXES = ("-wal", "-shm", "-journal")
AUXILIARY_SUFFIXES = (*JOURNAL_SUFFIXES, ".part")
COPIES = (".schema-*", ".before-*")  # created before a migration; newer ones are named by the schema that they contain
Error = sqlite3.Error
PROBLEMS_LISTED_MAX = 20  # of one database


def copy(source: Path, target: Path) -> None:
    """Copy one consistent snapshot of a database while other programs write to it; fsync the copy.

    The copy is flushed in small steps: a single large flush would delay the service's commits. The open transaction
    pins the snapshot; without it, SQLite would restart the copy after each commit of another program.
    """
    with contextlib.closing(_open(source, "rw")) as live, contextlib.closing(sqlite3.connect(target)) as new:
        os.chmod(target, 0o600)
        for pragma in ("journal_mode = OFF", "synchronous = OFF"):  # an incomplete copy is useless anyway
            new.execute(f"PRAGMA {pragma}")
        live.execute("BEGIN")
        live.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with target.open("rb") as file:
            live.backup(new, pages=PAGES_PER_SYNC, progress=lambda *_: flush_written_data(file.fileno()))
        live.execute("ROLLBACK")
    with target.open("rb") as file:
        os.fsync(file.fileno())


def flush_written_data(descriptor: int) -> None:
    """Flush the written data of a file to disk, without a journal commit of the file system where possible.

    A journal commit would delay the service's own commits; the caller makes one at the end, by fsync.
    """
    if _sync_file_range is None or _sync_file_range(descriptor, ctypes.c_int64(0), ctypes.c_int64(0), 7):
        os.fdatasync(descriptor)


def _open(path: Path, mode: str) -> sqlite3.Connection:
    name = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"file:{name}?mode={mode}", uri=True, isolation_level=None, timeout=10)


@contextlib.contextmanager
def open_for_reading(path: Path, is_live: bool = False) -> Iterator[Tx]:
    """Open a snapshot of a database, read-only.

    `is_live` allows other programs to write meanwhile. Otherwise the file must not change, and SQLite creates no WAL
    files next to it.
    """
    with contextlib.closing(_open(path, "rw" if is_live else "ro&immutable=1")) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        try:
            yield Tx(connection)
        finally:
            connection.execute("ROLLBACK")


@contextlib.contextmanager
def open_for_writing(path: Path) -> Iterator[Tx]:
    """Open one durable write transaction on a database, whether or not the service runs."""
    with contextlib.closing(_open(path, "rw")) as connection:
        for pragma in ("foreign_keys = ON", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield Tx(connection, writes=True)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def find_search_problem(path: Path) -> str | None:
    """Return how the search index differs from the indexed texts, or None; nothing else may write meanwhile."""
    with contextlib.closing(_open(path, "rw")) as connection:
        connection.execute("BEGIN")
        try:
            connection.execute("INSERT INTO search_texts (search_texts) VALUES ('integrity-check')")
            connection.execute("INSERT INTO search_parts (search_parts) VALUES ('integrity-check')")
            connection.execute("INSERT INTO search_titles (search_titles) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return f"it does not match the texts: {error}"
        finally:
            connection.execute("ROLLBACK")
    return None


def get_schema_version(path: Path) -> int:
    """Return the schema version of a database that nothing writes to; raise MigrationError if it is not a database."""
    try:
        with contextlib.closing(_open(path, "ro&immutable=1")) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error as error:
        raise MigrationError(f"{path} cannot be used as a database: {error}") from error


def find_problems(path: Path, is_live: bool = False) -> list[str]:
    """Check a whole database, and return its damaged parts and its broken foreign keys."""
    try:
        with contextlib.closing(_open(path, "rw" if is_live else "ro&immutable=1")) as connection:
            connection.execute("PRAGMA query_only = ON")
            lines = [row[0] for row in connection.execute(f"PRAGMA integrity_check({PROBLEMS_LISTED_MAX})")]
            broken = connection.execute("PRAGMA foreign_key_check").fetchmany(PROBLEMS_LISTED_MAX)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return [str(error)]
    orphans = [f"row {row} of {table} refers to a missing row of {parent}" for table, row, parent, _ in broken]
    return [line for line in lines if line != "ok"] + orphans


def checkpoint(path: Path) -> None:
    """Checkpoint the WAL and remove it; nothing else may have the database open."""
    with contextlib.closing(_open(path, "rw")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()


def find_copy_before_migration(path: Path) -> Path | None:
    """Return the copy that was created before the last migration: the newest one with an older schema, or None."""
    current = get_schema_version(path)
    found = []
    for candidate in [file for pattern in COPIES for file in path.parent.glob(path.name + pattern)]:
        with contextlib.suppress(MigrationError):
            is_copy = candidate.is_file() and not candidate.is_symlink()
            is_copy &= not candidate.name.endswith(AUXILIARY_SUFFIXES)
            if is_copy and 0 < (schema := get_schema_version(candidate)) < current:
                found.append((schema, candidate.stat().st_mtime, candidate))
    return max(found)[2] if found else None


def replace_database(path: Path, replacement: Path, old_path: Path) -> None:
    """Replace a database atomically, and keep the old one at `old_path`."""
    os.link(path, old_path)
    os.replace(replacement, path)
