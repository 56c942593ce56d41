"""Restore of a backup into a data folder, which never overwrites files."""

import os
import shutil
from pathlib import Path

from ..config import ConfigError, Settings
from ..database import copies
from . import event_ids, folder, manifest, verify
from .manifest import DATABASE, FILES, SECRETS, Entry, Manifest

RESTORED = DATABASE + ".restoring"  # the database until everything else is there
UNFINISHED = DATABASE + ".unfinished"  # exists during a restore
SERVICE_FOLDERS = {".temporary", ".unclaimed"}  # folders that a service creates in the files folder at startup


def restore(settings: Settings, backup: Path) -> Manifest:
    """Verify and restore a backup; the database comes last, so that no service starts on an incomplete restore.

    Raises ConfigError if the backup is damaged, if a service runs, or if a file would be overwritten.
    """
    listed = manifest.read_manifest(backup)
    if wrong := list(verify.find_problems(backup, listed)):
        raise ConfigError(f"{backup}: the backup is damaged, nothing was restored: {'; '.join(wrong[:5])}")
    with folder.lock_data_folder(folder.create_folder(settings.data_path)):
        _remove_leftovers(settings)
        _require_empty_target(settings, backup, listed)
        try:
            _restore_entries(settings, backup, listed)
        except BaseException:
            _remove_leftovers(settings)
            raise
    return listed


def _restore_entries(settings: Settings, backup: Path, listed: Manifest) -> None:
    unfinished = settings.database.with_name(UNFINISHED)
    folder.write_file(unfinished, "")  # before any other file: what is there now is left by this restore
    for entry in listed.entries:
        if entry.name != DATABASE:
            _restore_file(backup, entry, _target_path(settings, entry.name))
    folder.sync_names(settings.files)
    _restore_database(settings, backup, next(entry for entry in listed.entries if entry.name == DATABASE))
    unfinished.unlink()
    folder.flush_to_disk(settings.data_path)


def _remove_leftovers(settings: Settings) -> None:
    """Remove what an interrupted restore has left; the files folder was empty when it began."""
    unfinished, restored = settings.database.with_name(UNFINISHED), settings.database.with_name(RESTORED)
    if not unfinished.exists() or settings.database.exists():
        unfinished.unlink(missing_ok=True)
        return
    for entry in os.scandir(settings.files) if settings.files.is_dir() else ():
        if entry.name not in SERVICE_FOLDERS:
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
    for suffix in ("", *copies.JOURNAL_SUFFIXES):
        restored.with_name(restored.name + suffix).unlink(missing_ok=True)
    unfinished.unlink()


def _require_empty_target(settings: Settings, backup: Path, listed: Manifest) -> None:
    database = settings.database
    for path in (database, database.with_name(DATABASE + "-wal")):
        if path.exists():
            raise ConfigError(f"{path}: exists already; move the data folder away first")
    folder.create_folder(settings.files)
    if {entry.name for entry in os.scandir(settings.files)} - SERVICE_FOLDERS:
        raise ConfigError(f"{settings.files}: contains files already; move them away first")
    for name in SECRETS:
        current, saved = settings.data_path / name, backup / name
        if current.exists() and not (saved.is_file() and saved.read_bytes() == current.read_bytes()):
            raise ConfigError(f"{current}: differs from the secret of the backup; move it away first")
    if listed.has_secret and settings.jwt_secret is not None:
        raise ConfigError("jwt_secret: is set, but the backup contains a generated secret; remove the setting")


def _target_path(settings: Settings, name: str) -> Path:
    if name in SECRETS:
        return settings.data_path / name
    return settings.files / Path(name).relative_to(FILES)


def _restore_file(backup: Path, entry: Entry, target: Path) -> None:
    if target.exists():  # a secret that equals the one of the backup
        return
    folder.create_folder(target.parent)
    try:
        if folder.copy_file(backup / entry.name, target) != (entry.size, entry.sha256):
            raise ConfigError(f"{backup / entry.name}: changed during the restore; try again with another backup")
    except BaseException:
        target.unlink(missing_ok=True)  # the next restore refuses a secret that is not complete
        raise


def _restore_database(settings: Settings, backup: Path, entry: Entry) -> None:
    restored = settings.database.with_name(RESTORED)
    for suffix in ("", *copies.JOURNAL_SUFFIXES):  # of an interrupted restore of an earlier version
        restored.with_name(restored.name + suffix).unlink(missing_ok=True)
    _restore_file(backup, entry, restored)
    event_ids.skip_used(restored)
    os.replace(restored, settings.database)
