"""Streams that are put by on the disk before they are sent, so that a slow client holds nothing up but itself."""

import logging
import os
import tempfile
from collections.abc import Generator, Iterator
from functools import partial
from io import FileIO
from pathlib import Path
from time import monotonic

from .errors import Unavailable

READ_BYTES = 256 << 10
UNSPOOLED_SECONDS_MAX = 60.0  # in which a client must take what found no room
log = logging.getLogger("service")


def spooled(pieces: Generator[bytes, None, None], folder: Path, free_min: int) -> Generator[bytes, None, None]:
    """Give the pieces of a stream, all of them made before the first is given; they lie in an unnamed file meanwhile.

    Where that would leave fewer free bytes on the disk than there must be, or the disk takes no more, the rest is made
    as it is given, within a minute: a full disk keeps nobody from reading.
    """
    with tempfile.TemporaryFile(dir=folder, buffering=0) as spool:
        left = next(filter(None, (_left(spool, piece, free_min) for piece in pieces)), b"")
        spool.seek(0)
        yield from iter(partial(spool.read, READ_BYTES), b"")
        if left:
            log.warning("the disk has no room for all of an export; the rest is read while the client takes it")
            yield left
            yield from _in_time(pieces)


def _left(spool: FileIO, piece: bytes, free_min: int) -> bytes:
    """Write a piece, and give what of it finds no room."""
    try:
        disk = os.fstatvfs(spool.fileno())
        if disk.f_bavail * disk.f_frsize < free_min + len(piece):
            return piece
        return piece[spool.write(piece) :]
    except OSError:
        return piece


def _in_time(pieces: Iterator[bytes]) -> Iterator[bytes]:
    end = monotonic() + UNSPOOLED_SECONDS_MAX
    for piece in pieces:
        yield piece
        if monotonic() > end:
            raise Unavailable(None, "The disk has no room to put an export by, and to send it took too long.")
