"""The data folder: who may work on it, and how its files are written."""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from ..config import ConfigError, Settings
from ..database import copies
from ..runtime.file_store import through_to_disk

CHUNK_BYTES = 1 << 20  # that are read at a time


@contextlib.contextmanager
def sole_user(folder: Path) -> Iterator[None]:
    """Hold the data folder: a second service on it would answer from stale memory."""
    with open(folder / "service.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(f"data_path: {folder} is in use by another running service") from None
        yield


def left_behind(settings: Settings) -> Path | None:
    """Give what an installation has left beside a database that is missing, or is empty; None if that is there."""
    if settings.database.is_file() and settings.database.stat().st_size:
        return None
    patterns = ("-wal", ".schema-*", ".before-*", ".rolled-back-*")
    left = [path for pattern in patterns for path in settings.data_path.glob(settings.database.name + pattern)]
    left += settings.files.glob("org_*") if settings.files.is_dir() else []
    return next(iter(left), None)


def refuse_to_begin_anew(settings: Settings) -> None:
    """Raise ConfigError if the database is missing beside what an installation has left: no empty one replaces it."""
    if left := left_behind(settings):
        raise ConfigError(
            f"{settings.database}: is not there, but {left} is; bring the database back (restore, or a copy of it), "
            "or move away what is left to begin anew"
        )


def is_served(folder: Path) -> bool:
    """Tell whether a service runs on a data folder."""
    try:
        with sole_user(folder):
            return False
    except ConfigError:
        return True


def hash_of(path: Path) -> str:
    """Give the SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def copied(source: Path, target: Path) -> tuple[int, str]:
    """Copy a file durably, readable by its owner only, and give its size and SHA-256."""
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file, os.fdopen(_new(target), "wb") as copy:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
            size += copy.write(piece)
            if len(piece) == CHUNK_BYTES:
                copy.flush()
                copies.to_disk(copy.fileno())  # little by little, so that no other writer waits for all of it
        copy.flush()
        os.fsync(copy.fileno())
    return size, digest.hexdigest()


def _new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def written(path: Path, text: str) -> None:
    """Write a new file durably, readable by its owner only."""
    with os.fdopen(_new(path), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def made(folder: Path) -> Path:
    """Make a folder for its owner only, and those above it that are missing."""
    if not folder.is_dir():
        made(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


__all__ = [
    "copied", "hash_of", "is_served", "left_behind", "made", "names_through_to_disk", "refuse_to_begin_anew",
    "sole_user", "through_to_disk", "written",
]  # fmt: skip


def names_through_to_disk(folder: Path) -> None:
    """Wait until the names in a folder, and in all below it, are on the disk."""
    for path, _, _ in os.walk(folder):
        through_to_disk(Path(path))
