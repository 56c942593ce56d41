"""Whole databases as files: copied while others write, looked at without a trace, put in each other's place."""

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
PAGES_PER_SYNC = 256  # of a copy that are written through to the disk at a time
BESIDE = ("-wal", "-shm", ".part")
COPIES = (".schema-*", ".before-*")  # made before a migration; of late named by the schema that they hold
Error = sqlite3.Error
PROBLEMS_TOLD_MAX = 20  # of one database


def copy(source: Path, target: Path) -> None:
    """Copy a database as it is at one moment, while others write to it; the copy is on the disk afterwards.

    In portions, each written through before the next: a disk that is given all of it at once lets the service's
    commits wait. The open transaction keeps the moment; without it, each commit of another program would have the
    copy begin anew, and it would never end.
    """
    with contextlib.closing(_opened(source, "rw")) as live, contextlib.closing(sqlite3.connect(target)) as new:
        os.chmod(target, 0o600)
        for pragma in ("journal_mode = OFF", "synchronous = OFF"):  # nobody needs half of a copy
            new.execute(f"PRAGMA {pragma}")
        live.execute("BEGIN")
        live.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with target.open("rb") as file:
            live.backup(new, pages=PAGES_PER_SYNC, progress=lambda *_: to_disk(file.fileno()))
        live.execute("ROLLBACK")
    with target.open("rb") as file:
        os.fsync(file.fileno())


def to_disk(descriptor: int) -> None:
    """Write to the disk what a file was given so far, as far as that needs no commit of the file system.

    Each of those would hold up the service's own; it takes one, fsync, when all is there.
    """
    if _sync_file_range is None or _sync_file_range(descriptor, ctypes.c_int64(0), ctypes.c_int64(0), 7):
        os.fdatasync(descriptor)


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    name = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(f"file:{name}?mode={mode}", uri=True, isolation_level=None, timeout=10)


@contextlib.contextmanager
def looking(path: Path, is_live: bool = False) -> Iterator[Tx]:
    """Look at a database; nothing is left beside it, unless it is live: then others may write meanwhile."""
    with contextlib.closing(_opened(path, "rw" if is_live else "ro&immutable=1")) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        try:
            yield Tx(connection)
        finally:
            connection.execute("ROLLBACK")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Tx]:
    """Write to a database in one durable transaction, beside a service that runs or without it."""
    with contextlib.closing(_opened(path, "rw")) as connection:
        for pragma in ("foreign_keys = ON", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield Tx(connection, writes=True)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def search_problem(path: Path) -> str | None:
    """Compare the search index with the texts that it keeps; nobody else may write meanwhile."""
    with contextlib.closing(_opened(path, "rw")) as connection:
        connection.execute("BEGIN")
        try:
            connection.execute("INSERT INTO search_texts (search_texts) VALUES ('integrity-check')")
            connection.execute("INSERT INTO search_titles (search_titles) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return f"it is not what its texts say: {error}"
        finally:
            connection.execute("ROLLBACK")
    return None


def version(path: Path) -> int:
    """Tell the schema of a database that nobody writes to; raise MigrationError if it is none."""
    try:
        with contextlib.closing(_opened(path, "ro&immutable=1")) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error as error:
        raise MigrationError(f"{path} cannot be used as a database: {error}") from error


def problems(path: Path, is_live: bool = False) -> list[str]:
    """Look through a whole database: what is damaged, and what refers to nothing."""
    try:
        with contextlib.closing(_opened(path, "rw" if is_live else "ro&immutable=1")) as connection:
            connection.execute("PRAGMA query_only = ON")
            found = [row[0] for row in connection.execute(f"PRAGMA integrity_check({PROBLEMS_TOLD_MAX})")]
            lost = connection.execute("PRAGMA foreign_key_check").fetchmany(PROBLEMS_TOLD_MAX)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return [str(error)]
    orphans = [f"row {row} of {table} refers to a row of {parent} that is not there" for table, row, parent, _ in lost]
    return [line for line in found if line != "ok"] + orphans


def checkpoint(path: Path) -> None:
    """Bring what the write-ahead log holds into the database itself; nobody else may have it open."""
    with contextlib.closing(_opened(path, "rw")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()


def before(path: Path) -> Path | None:
    """Find the copy of a database that was made before it was last migrated: the newest with an older schema."""
    current = version(path)
    found = []
    for candidate in [file for pattern in COPIES for file in path.parent.glob(path.name + pattern)]:
        with contextlib.suppress(MigrationError):
            if not candidate.name.endswith(BESIDE) and 0 < version(candidate) < current:
                found.append((version(candidate), candidate.stat().st_mtime, candidate))
    return max(found)[2] if found else None


def replace(path: Path, by: Path, aside: Path) -> None:
    """Put another database in the place of one, which is kept under another name; at no moment there is none."""
    os.link(path, aside)
    os.replace(by, path)
