"""Spooling of streamed responses to disk, so that a slow client does not keep a database snapshot open."""

import tempfile
from collections.abc import Generator
from functools import partial
from pathlib import Path

from .disk_space import DiskSpace

READ_BYTES = 256 << 10


def spool_to_disk(
    chunks: Generator[bytes, None, None], folder: Path, disk_space: DiskSpace
) -> Generator[bytes, None, None]:
    """Write a whole stream to an unnamed temporary file, then yield it from there.

    Raise Unavailable before the first chunk is yielded if the disk is too full.
    """
    with tempfile.TemporaryFile(dir=folder) as spool:
        for chunk in chunks:
            disk_space.require_in_data_folder(len(chunk))
            spool.write(chunk)
        spool.seek(0)
        yield from iter(partial(spool.read, READ_BYTES), b"")
