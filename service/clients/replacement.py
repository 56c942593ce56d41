"""Atomic replacement of files in folders that belong to somebody else, such as a checkout of a foreign repository."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replace_file(file: Path, mode: int) -> Iterator[BinaryIO]:
    """Open a new file beside a file, and put it in its place when the block has ended without an error.

    The name of the new file cannot be predicted, so that no link can lie there and lead the content elsewhere.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as target:
            os.fchmod(descriptor, mode)
            yield target
            target.flush()
            os.fsync(descriptor)
        os.replace(name, file)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def default_mode() -> int:
    """Return the mode of a file that a program creates without asking for another one."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
