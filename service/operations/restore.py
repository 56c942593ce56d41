"""Restoring: a backup becomes a data folder again; what is there already is never overwritten."""

import os
from pathlib import Path

from ..config import ConfigError, Settings
from . import folder, manifest, verify
from .manifest import DATABASE, FILES, SECRETS, Entry, Manifest

OWN = {".temporary", ".unclaimed"}  # what a service makes among the files when it starts


def restore(settings: Settings, backup: Path) -> Manifest:
    """Prove a backup and bring it back; the database comes last, so half of a restore is no service.

    Raises ConfigError if the backup is damaged, if a service runs, or if there is anything to overwrite.
    """
    listed = manifest.read(backup)
    if wrong := list(verify.problems(backup, listed)):
        raise ConfigError(f"{backup}: the backup is damaged, nothing was restored: {'; '.join(wrong[:5])}")
    with folder.sole_user(folder.made(settings.data_path)):
        _refuse_to_overwrite(settings, backup, listed)
        for entry in listed.entries:
            if entry.name != DATABASE:
                _bring(backup, entry, _place(settings, entry.name))
        folder.names_through_to_disk(settings.files)
        fresh = settings.database.with_name(DATABASE + ".restoring")
        fresh.unlink(missing_ok=True)
        _bring(backup, next(entry for entry in listed.entries if entry.name == DATABASE), fresh)
        os.replace(fresh, settings.database)
        folder.through_to_disk(settings.data_path)
    return listed


def _refuse_to_overwrite(settings: Settings, backup: Path, listed: Manifest) -> None:
    database = settings.database
    for path in (database, database.with_name(DATABASE + "-wal")):
        if path.exists():
            raise ConfigError(f"{path}: is there already; move the data folder away first")
    folder.made(settings.files)
    if {entry.name for entry in os.scandir(settings.files)} - OWN:
        raise ConfigError(f"{settings.files}: holds files already; move them away first")
    for name in SECRETS:
        ours, its = settings.data_path / name, backup / name
        if ours.exists() and not (its.is_file() and its.read_bytes() == ours.read_bytes()):
            raise ConfigError(f"{ours}: is another secret than that of the backup; move it away first")
    if listed.has_secret and settings.jwt_secret is not None:
        raise ConfigError("jwt_secret: is set, and the backup has a secret of its own; take the setting out")


def _place(settings: Settings, name: str) -> Path:
    if name in SECRETS:
        return settings.data_path / name
    return settings.files / Path(name).relative_to(FILES)


def _bring(backup: Path, entry: Entry, target: Path) -> None:
    if target.exists():  # the same secret
        return
    folder.made(target.parent)
    if folder.copied(backup / entry.name, target) != (entry.size, entry.sha256):
        raise ConfigError(f"{backup / entry.name}: has changed meanwhile; nothing can be started from this")
