"""Checks on the files of the open database: writes to a file that was moved or replaced would be lost."""

import os
from contextlib import suppress
from pathlib import Path

from .overwrites import OverwriteDetector


class DatabaseFileError(Exception):
    """The database is read-only: it is damaged, or one of its files was moved, removed or replaced."""


class DatabaseFiles:
    """The identities of the database file and its WAL at the time they were opened."""

    def __init__(self, path: Path, damage: str | None) -> None:
        self.damage = damage  # the first problem, found at the start or later
        self._wal = path.with_name(path.name + "-wal")
        self._overwriting = OverwriteDetector(path)
        self._opened = {file: _identity(file) for file in (path, self._wal)}

    def check(self) -> None:
        """Raise DatabaseFileError if the database is damaged or overwritten, or a file is not the one opened."""
        if self.damage is not None:
            raise DatabaseFileError(f"the database is damaged ({self.damage}); stop the service and restore a backup")
        for file, identity in self._opened.items():
            if _identity(file) != identity:
                raise DatabaseFileError(
                    f"{file} is not the file that was opened; stop the service and restore that file"
                )
        if overwritten := self._overwriting.find_overwritten():
            self.damage = f"another program has overwritten or truncated {overwritten}"
            self.check()

    def note_own_writes(self) -> None:
        """Note the state of the database after writes of this process."""
        self._overwriting.note()

    def close(self) -> None:
        """Close what is open; only after all connections: closing a file drops the locks of the process on it."""
        self._overwriting.close()

    def get_wal_bytes(self) -> int:
        """Return the size of the WAL in bytes."""
        return self._wal.stat().st_size


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def restrict_permissions(path: Path) -> None:
    """Create the database file if it is missing, and set mode 0600 on it, its WAL and its copies.

    SQLite gives the files that it creates next to the database the same mode.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    for file in path.parent.glob(f"{path.name}*"):
        with suppress(PermissionError, FileNotFoundError):  # owned by another user, which `doctor` reports
            if file.is_file():
                file.chmod(0o600)
