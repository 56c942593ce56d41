"""The files of an open database: what is written into one that is no longer in its place would be lost."""

import os
from contextlib import suppress
from pathlib import Path


class DatabaseFileError(Exception):
    """Nothing may be written to the database: it is damaged, or a file of it was moved, removed or replaced."""


class DatabaseFiles:
    """The database and its write-ahead log as they were when they were opened."""

    def __init__(self, path: Path) -> None:
        self.damage: str | None = None  # found when it was opened
        self._log = path.with_name(path.name + "-wal")
        self._opened = {file: _identity(file) for file in (path, self._log)}

    def check(self) -> None:
        """Raise DatabaseFileError if one of them is not where it was, or the database is damaged."""
        if self.damage is not None:
            raise DatabaseFileError(f"the database is damaged ({self.damage}); stop the service and restore a backup")
        for file, identity in self._opened.items():
            if _identity(file) != identity:
                raise DatabaseFileError(f"{file} is not the file that was opened; stop the service and bring it back")

    def log_bytes(self) -> int:
        """Tell how long the write-ahead log is."""
        return self._log.stat().st_size


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def close_to_others(path: Path) -> None:
    """Make the file of a database if there is none, and let nobody but its owner look into it, its log and its copies.

    The log and what else SQLite makes beside it get the same mode from it.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    for file in path.parent.glob(f"{path.name}*"):
        with suppress(PermissionError, FileNotFoundError):  # not ours to change: doctor tells
            if file.is_file():
                file.chmod(0o600)
