"""Streams that are put by on the disk before they are sent, so that a slow client holds nothing up but itself."""

import tempfile
from collections.abc import Generator
from functools import partial
from pathlib import Path

from .disk_space import DiskSpace

READ_BYTES = 256 << 10


def spool_to_disk(
    pieces: Generator[bytes, None, None], folder: Path, disk_space: DiskSpace
) -> Generator[bytes, None, None]:
    """Write a stream to an unnamed file and yield it from there, the first byte after the last was written.

    Raise Unavailable before the first byte if the disk would be too full.
    """
    with tempfile.TemporaryFile(dir=folder) as spool:
        for piece in pieces:
            disk_space.require_in_data_folder(len(piece))
            spool.write(piece)
        spool.seek(0)
        yield from iter(partial(spool.read, READ_BYTES), b"")
