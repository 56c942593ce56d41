"""The data folder: its lock, and durable writes of its files."""

import contextlib
import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..config import ConfigError, Settings
from ..database import copies
from ..runtime import copy_ages
from ..runtime.file_store import flush_to_disk, hash_file

CHUNK_BYTES = 1 << 20  # read at a time
_BESIDE = ("jwt-secret", "jwt-secret-previous", copy_ages.RECORD)  # files that only an installation with a database has


@contextlib.contextmanager
def lock_data_folder(folder: Path) -> Iterator[None]:
    """Lock the data folder, since the caches of two services would become stale; raise ConfigError if it is locked."""
    with open(folder / "service.lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(f"data_path: {folder} is in use by another running service") from None
        except OSError as error:  # for example, a network file system without locks
            raise OSError(error.errno, f"flock: {error.strerror}", str(folder)) from None
        yield


def find_remains(settings: Settings) -> Path | None:
    """Return a file that belongs to a missing or empty database, or None if there is none or the database exists."""
    if settings.database.is_file() and settings.database.stat().st_size:
        return None
    patterns = ("-wal", ".schema-*", ".before-*", ".rolled-back-*", ".restoring", ".unfinished")
    left = [path for pattern in patterns for path in settings.data_path.glob(settings.database.name + pattern)]
    left += settings.files.glob("org_*") if settings.files.is_dir() else []
    left += [path for name in _BESIDE if (path := settings.data_path / name).exists()]
    return next(iter(left), None)


def require_database_or_empty_folder(settings: Settings) -> None:
    """Raise ConfigError if the database is missing but other files of an installation exist.

    A new empty database must not replace one that was lost.
    """
    if left := find_remains(settings):
        raise ConfigError(
            f"{settings.database}: is missing, but {left} exists; restore the database from a backup or a copy, "
            "or move the remaining files away to start with an empty database"
        )


def require_access(settings: Settings) -> None:
    """Raise ConfigError for a file of the service that this user cannot read and write, such as one of root."""
    names = (settings.database.name, *(settings.database.name + suffix for suffix in copies.JOURNAL_SUFFIXES), *_BESIDE)
    for path in (settings.data_path / name for name in names):
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            advice = f"give it to the owner of the folder: chown --reference={settings.data_path} {path}"
            raise ConfigError(f"{path}: cannot be read and written by the user that runs the service; {advice}")


def give_to_owner(settings: Settings) -> None:
    """Give what root has created below the data and files folders to the owners of these folders.

    A command that root runs must leave nothing that the service cannot read.
    """
    for top in (settings.data_path, settings.files):
        owner = top.stat()
        for name, found, descriptor in _list_entries(top):
            is_link = found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode)  # perhaps to a file elsewhere
            if found.st_uid == 0 != owner.st_uid and not is_link:
                os.chown(Path(name).name, owner.st_uid, owner.st_gid, dir_fd=descriptor, follow_symlinks=False)


def list_foreign_files(top: Path) -> list[str]:
    """List what lies below a folder and belongs to another user than the folder."""
    return [name for name, found, _ in _list_entries(top) if found.st_uid != top.stat().st_uid]


def _list_entries(top: Path) -> Iterator[tuple[str, os.stat_result, int]]:
    """Yield path and state of each file and folder below a folder, with a descriptor of the folder that it is in."""
    for path, folders, names, descriptor in os.fwalk(top):
        for name in (*folders, *names):
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                yield os.path.join(path, name), os.stat(name, dir_fd=descriptor, follow_symlinks=False), descriptor


def is_in_use(folder: Path) -> bool:
    """Return whether a service runs on a data folder."""
    try:
        with lock_data_folder(folder):
            return False
    except ConfigError:
        return True


def copy_file(source: Path, target: Path) -> tuple[int, str]:
    """Copy a file durably, readable by its owner only, and return its size and SHA-256."""
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file, os.fdopen(_new(target), "wb") as copy:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
            size += copy.write(piece)
            if len(piece) == CHUNK_BYTES:
                copy.flush()
                copies.flush_written_data(
                    copy.fileno()
                )  # in small steps, so that other writers do not wait for the whole file
        copy.flush()
        os.fsync(copy.fileno())
    return size, digest.hexdigest()


def _new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def write_file(path: Path, text: str) -> None:
    """Write a new file durably, readable by its owner only."""
    with os.fdopen(_new(path), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def create_folder(folder: Path) -> Path:
    """Create a folder and its missing parents, accessible by the owner only."""
    if not folder.is_dir():
        create_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


__all__ = [
    "copy_file",
    "create_folder",
    "find_remains",
    "flush_to_disk",
    "give_to_owner",
    "hash_file",
    "is_in_use",
    "list_foreign_files",
    "lock_data_folder",
    "require_access",
    "require_database_or_empty_folder",
    "sync_names",
    "write_file",
]  # fmt: skip


def sync_names(folder: Path) -> None:
    """Flush the directory entries of a folder and all folders in it to the disk."""
    for path, _, _ in os.walk(folder):
        flush_to_disk(Path(path))
