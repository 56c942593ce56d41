"""Backup: the database as it is at one moment, the files that it names, and the secret that opens both."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from ..clock import now
from ..config import ConfigError, Settings
from ..database import copies
from ..database.queries import sql
from ..database.store import Row
from . import folder, manifest, verify
from .manifest import DAMAGED, DATABASE, FILES, LOST, REMOVED, SECRETS, Entry, Manifest, Missing

UNFINISHED = ".part"


def make(settings: Settings, target: Path) -> Manifest:
    """Make a backup, beside a running service or without one; until it is whole it has another name.

    Raises ConfigError if there is something in its place, or nothing to take.
    """
    if target.is_dir() and not any(target.iterdir()):
        target.rmdir()
    if target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: there is something already; name a new folder")
    if not settings.database.is_file():
        raise ConfigError(f"{settings.database}: there is no database yet; start the service once")
    part = target.with_name(target.name + UNFINISHED)
    shutil.rmtree(part, ignore_errors=True)  # of a backup that was cut short
    folder.made(part)
    try:
        made = _filled(settings, part)
        made.write(part)
        folder.names_through_to_disk(part)
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    folder.through_to_disk(target.parent)
    return made


def _filled(settings: Settings, part: Path) -> Manifest:
    copies.copy(settings.database, part / DATABASE)
    made = Manifest(copies.version(part / DATABASE))
    made.entries.append(_entry(part, DATABASE))
    for name in SECRETS if settings.jwt_secret is None else ():
        if (settings.data_path / name).is_file():
            size, sha256 = folder.copied(settings.data_path / name, part / name)
            made.entries.append(Entry(name, size, sha256))
    with copies.looking(part / DATABASE) as tx:
        for row in tx.each(sql.operations.list_files):
            _take(settings, part, row, made)
    return made


def _entry(part: Path, name: str) -> Entry:
    return Entry(name, (part / name).stat().st_size, folder.hash_of(part / name))


def _take(settings: Settings, part: Path, row: Row, made: Manifest) -> None:
    """Take the contents of one file along, or tell why not."""
    path = Path(row["org_id"], row["card_id"], row["id"])
    name = str(FILES / path)
    folder.made((part / name).parent)
    try:
        size, sha256 = folder.copied(settings.files / path, part / name)
    except FileNotFoundError:
        made.missing.append(Missing(name, REMOVED if _is_gone(settings, row) else LOST))
        return
    made.entries.append(Entry(name, size, sha256))
    if size != row["size_bytes"]:
        made.missing.append(Missing(name, DAMAGED))


def _is_gone(settings: Settings, row: Row) -> bool:
    """Tell whether a file was removed since the copy of the database was made."""
    with copies.looking(settings.database, is_live=True) as tx:
        return tx.one(sql.files.get, file_id=row["id"]) is None


def make_in(settings: Settings, home: Path, keep: int) -> tuple[Path, Manifest]:
    """Make a backup named by the moment in a folder of backups; of those that are there the newest are kept."""
    folder.made(home)
    target = home / now()[:19].replace(":", "-")
    made = make(settings, target)
    others = sorted((path for path in _whole(home) if path != target), reverse=True)
    for old in others[keep - 1 :]:  # never the one just made, though the clock may have gone back
        shutil.rmtree(old)
    return target, made


def _whole(home: Path) -> Iterator[Path]:
    """Give the backups in a folder, and nothing else that may be there."""
    with os.scandir(home) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False) and path.suffix != UNFINISHED and (path / manifest.SUM).is_file():
                yield path


def newest(target: Path) -> Path:
    """Give the newest backup in a folder of backups, or the folder itself if it is one."""
    if (target / manifest.NAME).exists() or not target.is_dir():
        return target
    return max(_whole(target), default=target)


def judged(target: Path) -> list[str]:
    """Prove a backup: every file by its hash, the database by looking through it; give what is wrong."""
    return list(verify.problems(target, manifest.read(target)))
