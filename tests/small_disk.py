"""A small real file system, which a test fills up; it needs the right to mount one."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

MIB = 1 << 20


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ballast = folder / "ballast"

    def free_bytes(self) -> int:
        """Return how many bytes the file system has left."""
        disk = os.statvfs(self.folder)
        return disk.f_bavail * disk.f_frsize

    def leave(self, free_bytes: int) -> None:
        """Fill the file system with another file until only this many bytes are left, or give bytes back."""
        size = self._ballast.stat().st_size if self._ballast.exists() else 0
        wanted = max(0, size + self.free_bytes() - free_bytes)
        with self._ballast.open("ab") as file:
            file.truncate(min(size, wanted))
            os.posix_fallocate(file.fileno(), 0, max(1, wanted))


@contextlib.contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """Mount a file system of this size at a folder; skip the test where that is not permitted."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes},mode=700", "tandem-tests", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("this machine has no mount command, so a small file system cannot be made")
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        # Lazily, since a service that failed to stop may still have files open there.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
