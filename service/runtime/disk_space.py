"""Free disk space: checked before request data is stored."""

import os
from pathlib import Path

from ..errors import Unavailable

LOW = "The disk of the service is nearly full, so this cannot be stored, and nothing was changed; try again later."
UNKNOWN = "The free disk space of the service cannot be read, and nothing was changed; try again later."


class DiskFull(Unavailable):
    """The disk has less free space than the minimum."""


class DiskSpace:
    """The free space on the disks of the data folder and the files folder.

    `minimum_bytes` is the setting disk_free_min_bytes; 0 turns all checks off.
    """

    def __init__(self, minimum_bytes: int, data_path: Path, files_path: Path) -> None:
        self.minimum_bytes = minimum_bytes
        self._data_path = data_path
        self._files_path = files_path

    def get_free_bytes(self) -> int:
        """Return the free bytes of the fuller disk; raise OSError if a folder is missing."""
        return min(_free_bytes(self._data_path), _free_bytes(self._files_path))

    def require(self, needed_bytes: int = 0) -> None:
        """Raise Unavailable if storing this many bytes would leave less than the minimum on either disk."""
        self._require(needed_bytes, self._data_path, self._files_path)

    def require_in_data_folder(self, needed_bytes: int = 0) -> None:
        """Raise Unavailable if storing this many bytes would leave less than the minimum on the database's disk."""
        self._require(needed_bytes, self._data_path)

    def is_data_folder_low(self) -> bool:
        """Return whether the database's disk has less free space than the minimum.

        It does not check the files folder: writers call this, and that folder may be on a remote disk that hangs.
        """
        try:
            self.require_in_data_folder()
        except Unavailable:
            return True
        return False

    def _require(self, needed_bytes: int, *folders: Path) -> None:
        if not self.minimum_bytes:
            return
        try:
            free_bytes = min(map(_free_bytes, folders))
        except OSError as error:
            raise Unavailable(None, UNKNOWN) from error
        if free_bytes < self.minimum_bytes + needed_bytes:
            raise DiskFull(None, LOW)


def _free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
