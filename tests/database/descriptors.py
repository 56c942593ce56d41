"""Has the disk fail: the descriptors of a file lead elsewhere meanwhile."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def diverted(path: Path, mode: str) -> Iterator[None]:
    """Have all descriptors of a file lead to a copy of it: opened for "ab" each read fails, for "rb" each write."""
    copy = shutil.copy(path, path.with_name("diverted"))
    with open(copy, mode) as nowhere:
        found = [int(name) for name in os.listdir("/proc/self/fd") if _leads_to(name, path)]
        kept = {number: os.dup(number) for number in found}
        assert kept
        for number in kept:
            os.dup2(nowhere.fileno(), number)
        try:
            yield
        finally:
            for number, file in kept.items():
                os.dup2(file, number)
                os.close(file)


def _leads_to(name: str, path: Path) -> bool:
    try:
        return os.readlink(f"/proc/self/fd/{name}") == str(path)
    except FileNotFoundError:  # the one that lists the folder
        return False
