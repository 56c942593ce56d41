"""The sweep at the start: contents that no row names are put aside for a week, and come back if one does again.

They are not removed at once: an older database over newer files does not name all that the newer one did.
"""

import asyncio
import logging
import os
import re
import time
from contextlib import suppress
from pathlib import Path

from ..clock import ClockTrust
from .file_store import Key, through_to_disk

ASIDE = ".unclaimed"  # in the files folder
ASIDE_SECONDS = 7 * 86400
INTERVAL_SECONDS = 3600  # between two looks for what is older
NAMED_MAX = 20  # lost contents, in one line of the log
_MADE_HERE = re.compile(r"org_[0-9A-Z]{26}")
log = logging.getLogger("service")


async def sweep(folder: Path, organizations: set[str], expected: set[Key]) -> None:
    """Put aside what no row expects, and tell what is lost; only for the start, before anything comes in."""
    await asyncio.to_thread(_sweep, folder, organizations, expected)


def _sweep(folder: Path, organizations: set[str], expected: set[Key]) -> None:
    for org_id in _swept(folder, organizations):
        for place, _, names in os.walk(folder / org_id, topdown=False):
            for key in (Path(place, name).relative_to(folder) for name in names):
                if key.parts not in expected:
                    _put_aside(folder, key)
            _remove_empty(Path(place))
    missing = sorted(key for key in expected if not folder.joinpath(*key).is_file() and not _brought_back(folder, key))
    if missing:
        named = ", ".join("/".join(key) for key in missing[:NAMED_MAX])
        log.error(
            "the contents of %d files are lost; restore them from a backup, or delete the files: %s",
            len(missing),
            named,
        )


def _swept(folder: Path, organizations: set[str]) -> set[str]:
    """Name the folders that are the service's to sweep: nobody else's, and not another database's."""
    there = {entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)}
    ours = {name for name in there if name in organizations or _MADE_HERE.fullmatch(name)}
    if ours and ours.isdisjoint(organizations):
        log.error("%s holds files of other organizations only; is it another database's? Nothing is removed.", folder)
        return set()
    return ours


def _put_aside(folder: Path, key: Path) -> None:
    try:
        _move(folder / key, folder / ASIDE / key)
        os.utime(folder / ASIDE / key, follow_symlinks=False)  # the week begins
        log.warning("%s belongs to no file; it is kept in %s for a week", folder / key, folder / ASIDE)
    except OSError as error:
        log.warning("%s belongs to no file and cannot be put aside: %s", folder / key, error.strerror)


def _brought_back(folder: Path, key: Key) -> bool:
    """Tell whether contents that a row misses were put aside, and are in their place again."""
    try:
        _move(folder.joinpath(ASIDE, *key), folder.joinpath(*key))
    except OSError:
        return False
    log.warning("%s belongs to a file again, and is back", folder.joinpath(*key))
    return True


def _move(path: Path, target: Path) -> None:
    """Move contents, durably; raise OSError if they are not there."""
    path.lstat()  # before folders are made for them
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.rename(target)
    for folder in (target.parent, target.parent.parent, target.parent.parent.parent):
        through_to_disk(folder)


async def keep_short(folder: Path, clock_trust: ClockTrust) -> None:
    """Remove for good what was put aside a week ago; look again each hour. Runs until cancelled."""
    while True:
        try:
            if clock_trust.is_trusted():
                await asyncio.to_thread(_forget, folder / ASIDE, time.time() - ASIDE_SECONDS)
        except Exception:
            log.exception("what was put aside could not be removed; the next look tries again")
        await asyncio.sleep(INTERVAL_SECONDS)


def _forget(aside: Path, before: float) -> None:
    for place, _, names in os.walk(aside, topdown=False):
        for path in (Path(place, name) for name in names):
            if path.lstat().st_mtime < before:
                path.unlink()
                log.warning("removed %s, which belonged to no file for a week", path)
        _remove_empty(Path(place))


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):  # it is not
        folder.rmdir()
