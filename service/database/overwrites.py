"""Detection of other programs that overwrite or truncate the open database in place.

SQLite writes to the database file in checkpoints only, and first notes in the shared memory beside it that one begins
(https://sqlite.org/walformat.html). A file that has changed without a checkpoint was written by something else.
"""

import os
import struct
from pathlib import Path

INDEX_BYTES = 136  # of the header of the shared memory
SALTS = slice(32, 40)  # of the write-ahead log, new each time it starts from its beginning
BACKFILLED, BACKFILL_ATTEMPTED = 96, 128  # frames of the log that are in the database, and that a checkpoint began with


class OverwriteDetector:
    """The state of a database file, compared with the checkpoints that SQLite has made since it was noted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: tuple[int, int] | None = None
        self._index = path.with_name(path.name + "-shm").open("rb", buffering=0)
        self.note()

    def note(self) -> None:
        """Note the state as that of SQLite's own writes."""
        # The checkpoints first: one that begins in between shows as a newer checkpoint, not as a foreign write.
        self._checkpoints = self._read_checkpoints()
        self._file = self._read_file()

    def is_overwritten(self) -> bool:
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
        index = os.pread(self._index.fileno(), INDEX_BYTES, 0)
        numbers = [struct.unpack_from("=I", index, offset)[0] for offset in (BACKFILLED, BACKFILL_ATTEMPTED)]
        return index[SALTS], numbers[0], numbers[1]

    def close(self) -> None:
        """Close the shared memory."""
        self._index.close()
