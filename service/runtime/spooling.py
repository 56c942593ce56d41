"""Spooling of streamed responses to disk, so that a slow client does not keep a database snapshot open."""

import errno
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO

from .disk_space import LOW, DiskFull, DiskSpace

READ_BYTES = 64 << 10  # compressed
COMPRESSION_LEVEL = 1  # the fastest; rows are very similar
Chunks = Generator[bytes, None, None]


class SnapshotTooOld(Exception):
    """A response that is streamed from a snapshot of the database has taken too long; the message says why."""


class SnapshotBounds:
    """The bounds of responses that are streamed from a snapshot: one at a time, for a while, while the log is short.

    While a snapshot is open, the write-ahead log cannot be emptied and may fill the disk.
    """

    def __init__(self, seconds: float, log_bytes: int, get_log_bytes: Callable[[], int]) -> None:
        self.seconds, self.log_bytes, self.get_log_bytes = seconds, log_bytes, get_log_bytes
        self.lock = threading.Lock()  # held by the one response


class SnapshotStream:
    """One response, which is spooled, or streamed within the bounds if there is no room on the disk."""

    def __init__(self, bounds: SnapshotBounds) -> None:
        self._bounds = bounds
        self._ends_at: float | None = None  # while it is streamed
        self._log_bytes_max = 0

    def begin(self) -> bool:
        """Begin to stream; return False if another response is being streamed."""
        if not self._bounds.lock.acquire(blocking=False):
            return False
        self._log_bytes_max = self._bounds.get_log_bytes() + self._bounds.log_bytes
        self._ends_at = time.monotonic() + self._bounds.seconds
        return True

    def end(self) -> None:
        """End the streaming."""
        self._ends_at = None
        self._bounds.lock.release()

    def check(self) -> None:
        """Raise SnapshotTooOld if the response has been streamed for too long; do nothing if it is spooled."""
        ends_at = self._ends_at
        if ends_at is None:
            return
        if time.monotonic() > ends_at:
            raise SnapshotTooOld(f"it was streamed without room on the disk for {self._bounds.seconds:g} s")
        if self._bounds.get_log_bytes() > self._log_bytes_max:
            raise SnapshotTooOld("it was streamed without room on the disk, and the write-ahead log has grown too much")


def spool_or_stream(
    generate: Callable[[], Chunks], folder: Path, disk_space: DiskSpace, stream: SnapshotStream
) -> Chunks:
    """Spool a stream to disk and yield it from there; stream it as it is generated if there is no room on the disk.

    Raise DiskFull before the first chunk is yielded if there is no room, and another response is being streamed.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as spool:
            with closing(generate()) as chunks, _translate_full_disk():
                _compress(chunks, spool, disk_space)
            yield from _decompress(spool)
            return
    except DiskFull:
        if not stream.begin():
            raise
    try:
        with closing(generate()) as chunks:
            for chunk in chunks:
                yield chunk
                stream.check()
    finally:
        stream.end()


@contextmanager
def _translate_full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull(None, LOW) from error


def _compress(chunks: Iterator[bytes], spool: IO[bytes], disk_space: DiskSpace) -> None:
    compressor = zlib.compressobj(COMPRESSION_LEVEL)
    for chunk in chunks:
        compressed = compressor.compress(chunk)
        disk_space.require_in_data_folder(len(compressed))
        spool.write(compressed)
    spool.write(compressor.flush())
    spool.seek(0)


def _decompress(spool: IO[bytes]) -> Iterator[bytes]:
    decompressor = zlib.decompressobj()
    for block in iter(partial(spool.read, READ_BYTES), b""):
        yield decompressor.decompress(block)
    yield decompressor.flush()
