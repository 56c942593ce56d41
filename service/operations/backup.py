"""Backup: a consistent copy of the database, the files to which it refers, and the generated secret."""

import os
import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from ..clock import now, parse_timestamp, timestamp
from ..config import ConfigError, Settings
from ..database import copies
from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row, Tx
from . import folder, manifest, verify
from .manifest import DAMAGED, DATABASE, FILES, LOST, REMOVED, SECRETS, Entry, Manifest, Missing

UNFINISHED = ".part"
DATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d")  # the names that create_in_folder gives


def create_backup(settings: Settings, target: Path) -> Manifest:
    """Create a backup in a new folder; the service may be running.

    The folder has the suffix `.part` until the backup is complete. Raises ConfigError if the target exists, or if there
    is no database.
    """
    if target.is_dir() and not any(target.iterdir()):
        target.rmdir()
    if target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: exists already; name a new folder")
    if not settings.database.is_file():
        raise ConfigError(f"{settings.database}: there is no database yet; start the service once")
    part = target.with_name(target.name + UNFINISHED)
    shutil.rmtree(part, ignore_errors=True)  # of an interrupted backup
    folder.create_folder(part)
    try:
        created = _copy_contents(settings, part)
        created.write(part)
        folder.sync_names(part)
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    folder.flush_to_disk(target.parent)
    return created


def _copy_contents(settings: Settings, part: Path) -> Manifest:
    copies.copy(settings.database, part / DATABASE)
    created = Manifest(copies.get_schema_version(part / DATABASE))
    created.entries.append(_describe_file(part, DATABASE))
    for name in SECRETS if settings.jwt_secret is None else ():
        if (settings.data_path / name).is_file():
            size, sha256 = folder.copy_file(settings.data_path / name, part / name)
            created.entries.append(Entry(name, size, sha256))
    with copies.open_for_reading(part / DATABASE) as tx:
        for row in tx.each(_get_list(tx)):
            _copy_content(settings, part, row, created)
    return created


def _get_list(tx: Tx) -> Statement[Any]:
    """Return the statement that lists the files of a database, with their hashes if its schema has them."""
    has_hashes = tx.value(sql.operations.has_hashes)
    return sql.operations.list_hashes if has_hashes else sql.operations.list_files


def _describe_file(part: Path, name: str) -> Entry:
    return Entry(name, (part / name).stat().st_size, folder.hash_file(part / name))


def _copy_content(settings: Settings, part: Path, row: Row, created: Manifest) -> None:
    """Copy the content of one file, or record in the manifest why it is missing."""
    path = Path(row["org_id"], row["card_id"], row["id"])
    name = str(FILES / path)
    folder.create_folder((part / name).parent)
    try:
        size, sha256 = folder.copy_file(settings.files / path, part / name)
    except FileNotFoundError:
        created.missing.append(Missing(name, REMOVED if _is_removed(settings, row) else LOST))
        return
    created.entries.append(Entry(name, size, sha256))
    if size != row["size_bytes"] or row.get("sha256") not in (None, sha256):
        created.missing.append(Missing(name, DAMAGED))


def _is_removed(settings: Settings, row: Row) -> bool:
    """Return whether a file was removed after the database was copied."""
    with copies.open_for_reading(settings.database, is_live=True) as tx:
        return tx.one(sql.files.get, file_id=row["id"]) is None


def create_in_folder(settings: Settings, home: Path, keep: int) -> tuple[Path, Manifest]:
    """Create a backup named by the current time in a folder of backups, and keep only the newest `keep` backups.

    The newest complete backup is kept too, if none of those has the contents of all files.
    """
    folder.create_folder(home)
    target = _find_free_name(home)
    created = create_backup(settings, target)
    others = sorted((path for path in _list_dated(home) if path != target), reverse=True)
    kept, old = others[: keep - 1], others[keep - 1 :]  # never the new one, even if the clock has gone backwards
    if created.lost and not any(map(_is_complete, kept)):
        complete = next(filter(_is_complete, old), None)
        old = [path for path in old if path != complete]
    for path in old:
        shutil.rmtree(path)
    return target, created


def _find_free_name(home: Path) -> Path:
    """Return the path that the current second names, or the next one that is free."""
    moment = parse_timestamp(now())
    while (target := home / timestamp(moment)[:19].replace(":", "-")).exists():
        moment += timedelta(seconds=1)
    return target


def _is_complete(backup: Path) -> bool:
    """Return whether a backup has the contents of all files; one that cannot be read has not."""
    try:
        return not manifest.read_manifest(backup).lost
    except ConfigError:
        return False


def _list_dated(home: Path) -> Iterator[Path]:
    """Yield the complete backups in a folder that `create_in_folder` made; other folders may have any other name."""
    with os.scandir(home) as entries:
        for entry in entries:
            path = Path(entry.path)
            if DATED.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False) and (path / manifest.SUM).is_file():
                yield path


def find_newest(target: Path) -> Path:
    """Return the newest backup in a folder of nightly backups, or the folder itself if it is a backup."""
    if (target / manifest.NAME).exists() or not target.is_dir():
        return target
    return max(_list_dated(target), default=target)


def verify_backup(target: Path) -> list[str]:
    """Check the hash of every file of a backup and the integrity of its database; return the problems."""
    return list(verify.find_problems(target, manifest.read_manifest(target)))
