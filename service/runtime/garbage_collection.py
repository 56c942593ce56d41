"""Garbage collection at the start: contents without a database row are quarantined for a week, then removed.

They are not removed at once, because an older database may have been restored over newer files. If a row refers to
quarantined contents again, they are moved back.
"""

import asyncio
import logging
import os
import re
import time
from contextlib import suppress
from pathlib import Path

from ..clock import ClockTrust
from .file_store import Key, flush_to_disk

QUARANTINE = ".unclaimed"  # a folder in the files folder
QUARANTINE_SECONDS = 7 * 86400
INTERVAL_SECONDS = 3600  # between two checks for expired contents
PATHS_LOGGED_MAX = 20  # paths of missing contents in one line of the log
_GENERATED_ORG_ID = re.compile(r"org_[0-9A-Z]{26}")
log = logging.getLogger("service")


async def collect_garbage(folder: Path, organizations: set[str], expected: set[Key]) -> None:
    """Quarantine contents that no row refers to, and log those that are missing.

    Call it at the start, before any request. `expected` has the contents of all rows.
    """
    await asyncio.to_thread(_collect_garbage, folder, organizations, expected)


def _collect_garbage(folder: Path, organizations: set[str], expected: set[Key]) -> None:
    for org_id in _get_organization_folders(folder, organizations):
        for subfolder, _, names in os.walk(folder / org_id, topdown=False):
            for key in (Path(subfolder, name).relative_to(folder) for name in names):
                if key.parts not in expected:
                    _quarantine(folder, key)
            _remove_if_empty(Path(subfolder))
    missing = sorted(key for key in expected if not folder.joinpath(*key).is_file() and not _restore(folder, key))
    if missing:
        paths = ", ".join("/".join(key) for key in missing[:PATHS_LOGGED_MAX])
        log.error(
            "the contents of %d files are lost; restore them from a backup, or delete the files: %s",
            len(missing),
            paths,
        )


def _get_organization_folders(folder: Path, organizations: set[str]) -> set[str]:
    """Return the names of the folders to collect; none if they seem to belong to another database."""
    names = {entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)}
    found = {name for name in names if name in organizations or _GENERATED_ORG_ID.fullmatch(name)}
    if found and found.isdisjoint(organizations):
        log.error("%s has files of other organizations only; is it another database's? Nothing is removed.", folder)
        return set()
    return found


def _quarantine(folder: Path, key: Path) -> None:
    try:
        _move(folder / key, folder / QUARANTINE / key)
        os.utime(folder / QUARANTINE / key, follow_symlinks=False)  # the week begins
        log.warning("%s belongs to no file; it is kept in %s for a week", folder / key, folder / QUARANTINE)
    except OSError as error:
        log.warning("%s belongs to no file and cannot be moved to quarantine: %s", folder / key, error.strerror)


def _restore(folder: Path, key: Key) -> bool:
    """Move contents back from quarantine, and return whether they were there."""
    try:
        _move(folder.joinpath(QUARANTINE, *key), folder.joinpath(*key))
    except OSError:
        return False
    log.warning("%s belongs to a file again and was moved back", folder.joinpath(*key))
    return True


def _move(path: Path, target: Path) -> None:
    """Move contents and fsync the target folders; raise OSError if the contents do not exist."""
    path.lstat()  # raises before any folder is created
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.rename(target)
    for folder in (target.parent, target.parent.parent, target.parent.parent.parent):
        flush_to_disk(folder)


async def remove_expired_files(folder: Path, clock_trust: ClockTrust) -> None:
    """Remove contents that have been in quarantine for a week, checking every hour. Runs until cancelled."""
    while True:
        try:
            if clock_trust.is_trusted():
                before = time.time() - QUARANTINE_SECONDS
                await asyncio.to_thread(_remove_expired, folder / QUARANTINE, before)
        except Exception:
            log.exception("quarantined files could not be removed; the next check tries again")
        await asyncio.sleep(INTERVAL_SECONDS)


def _remove_expired(quarantine: Path, before: float) -> None:
    for subfolder, _, names in os.walk(quarantine, topdown=False):
        for path in (Path(subfolder, name) for name in names):
            if path.lstat().st_mtime < before:
                path.unlink()
                log.warning("removed %s, which belonged to no file for a week", path)
        _remove_if_empty(Path(subfolder))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # it is not empty
        folder.rmdir()
