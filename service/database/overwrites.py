"""Detection of other programs that overwrite or truncate the open database or its write-ahead log in place.

SQLite writes to the database file in checkpoints only, and first notes in the shared memory beside it that one begins
(https://sqlite.org/walformat.html). A file that has changed without a checkpoint was written by something else. The
shared memory also has the checksum of all frames of the log, which the last of them repeats: a log with another frame
there, or without it, was written by something else, and SQLite would append to it what it cannot read later.
"""

import os
import struct
from pathlib import Path

INDEX_BYTES = 136  # of the header of the shared memory
SALTS = slice(32, 40)  # of the write-ahead log, new each time it starts from its beginning
BACKFILLED, BACKFILL_ATTEMPTED = 96, 128  # frames of the log that are in the database, and that a checkpoint began with
PAGE_SIZE, FRAMES, CHECKSUM = 14, 16, slice(24, 32)  # of the log: bytes of a page, number of frames, checksum of all
LOG_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
FRAME_SALTS_AND_CHECKSUM = struct.Struct(">8sII")  # in the header of a frame, after page number and database size


class OverwriteDetector:
    """The state of a database file, compared with the checkpoints that SQLite has made since it was noted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        self._index = path.with_name(path.name + "-shm").open("rb", buffering=0)
        self._log = path.with_name(path.name + "-wal").open("rb", buffering=0)
        self.note()

    def note(self) -> None:
        """Record the current state as written by SQLite itself."""
        # The checkpoints first: one that begins in between shows as a newer checkpoint, not as a foreign write.
        self._checkpoints = self._read_checkpoints()
        self._file = self._read_file()

    def find_overwritten(self) -> Path | None:
        """Return the file that something else than SQLite has written to: the database, its log, or None."""
        if self._is_database_overwritten():
            return self._path
        return Path(self._log.name) if self._is_log_overwritten() else None

    def _is_log_overwritten(self) -> bool:
        """Return whether the last frame of the log is not the one that the shared memory describes."""
        index = self._read_index()
        while (frame := _describe_last_frame(index)) is not None:
            position, expected = frame
            found = os.pread(self._log.fileno(), len(expected), position)
            before, index = index, self._read_index()
            if found == expected:
                return False
            if index == before:  # else another program has just started the log from its beginning
                return True
        return False

    def _is_database_overwritten(self) -> bool:
        """Return whether the file has changed, and no checkpoint can have done it."""
        file = self._read_file()
        if file is None or file == self._file:
            return False
        checkpoints = self._read_checkpoints()
        _, backfilled, attempted = self._checkpoints
        is_checkpointed = checkpoints != self._checkpoints or backfilled != attempted
        if not is_checkpointed or not file[0]:
            return True
        # What was read above can be older than the checkpoints, if one has ended in between.
        self.note()
        return False

    def _read_file(self) -> tuple[int, int] | None:
        """Return size and time of the last write; None without a file, which DatabaseFiles notices."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return self._file  # as before
        return found.st_size, found.st_mtime_ns

    def _read_checkpoints(self) -> tuple[bytes, int, int]:
        index = self._read_index()
        numbers = [struct.unpack_from("=I", index, offset)[0] for offset in (BACKFILLED, BACKFILL_ATTEMPTED)]
        return index[SALTS], numbers[0], numbers[1]

    def _read_index(self) -> bytes:
        return os.pread(self._index.fileno(), INDEX_BYTES, 0)

    def close(self) -> None:
        """Close the shared memory and the log."""
        self._index.close()
        self._log.close()


def _describe_last_frame(index: bytes) -> tuple[int, bytes] | None:
    """Return the position of the last frame's salts and checksum in the log, and their bytes; None for an empty log."""
    (page_size,), (frames,) = struct.unpack_from("=H", index, PAGE_SIZE), struct.unpack_from("=I", index, FRAMES)
    if not frames:
        return None
    frame_bytes = FRAME_HEADER_BYTES + (page_size if page_size != 1 else 1 << 16)
    position = LOG_HEADER_BYTES + (frames - 1) * frame_bytes + 8
    return position, FRAME_SALTS_AND_CHECKSUM.pack(index[SALTS], *struct.unpack("=II", index[CHECKSUM]))
