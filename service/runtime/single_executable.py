"""The folder into which the single executable unpacks itself; a process that is killed leaves it behind."""

import contextlib
import fcntl
import os
import shutil
import sys
from pathlib import Path

LOCK = "tandem.lock"  # in that folder; locked while the process runs


def remove_left_folders() -> None:
    """Remove the folders of killed processes of this user, and mark that of this process as used.

    Do nothing if this is not the single executable, or if a system call fails: the folders only take space.
    """
    unpacked = getattr(sys, "_MEIPASS", None)  # set by PyInstaller
    if unpacked is None:
        return
    with contextlib.suppress(OSError):
        _lock(Path(unpacked))
        for folder in Path(unpacked).parent.glob("_MEI*"):
            with contextlib.suppress(OSError):
                if _is_left(folder):
                    shutil.rmtree(folder, ignore_errors=True)  # removes nothing through a link


def _lock(folder: Path) -> None:
    new = folder / f"{LOCK}.new"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT, 0o600)  # never closed: the lock ends with the process
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.rename(new, folder / LOCK)  # appears locked


def _is_left(folder: Path) -> bool:
    """Return whether a folder belongs to this user and has a lock that no process holds."""
    if folder.stat().st_uid != os.geteuid():
        return False
    descriptor = os.open(folder / LOCK, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    finally:
        os.close(descriptor)
