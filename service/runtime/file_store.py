"""Storage of file contents at <folder>/<org_id>/<card_id>/<file_id>; all disk access runs on worker threads.

Contents are written before their database row and removed after it. A crash can therefore leave contents without a
row, but no row without contents; garbage_collection.py cleans up.
"""

import asyncio
import contextlib
import hashlib
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiofiles

from ..errors import Unavailable
from ..schemas import check_external_id
from .disk_space import DiskSpace

CHUNK_BYTES = 1 << 20  # per write, since aiofiles dispatches each write to a thread
Key = tuple[str, str, str]  # organization, card, file
_TEMPORARY = ".temporary"  # no id starts with a dot
FOLDER_MISSING = "The files folder is missing or on another disk than at the start of the service; try again later."
log = logging.getLogger("service")


class IncomingFile:
    """A file that is being uploaded: a temporary file, written in chunks."""

    def __init__(self, file_id: str, path: Path, file: Any, disk_space: DiskSpace) -> None:
        self.file_id = file_id
        self.path = path
        self.size = 0
        self._file = file
        self._disk_space = disk_space
        self._buffer = bytearray()
        self._digest = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the contents that were flushed, in hexadecimal."""
        return self._digest.hexdigest()

    async def write(self, chunk: bytes) -> None:
        """Append a chunk to the contents; raise Unavailable if the disk is too full."""
        self.size += len(chunk)
        self._buffer += chunk
        if len(self._buffer) >= CHUNK_BYTES:
            await self._write_buffer()

    async def _write_buffer(self) -> None:
        buffered, self._buffer = self._buffer, bytearray()
        # Checked for every chunk: other requests can fill the disk during a long upload.
        await asyncio.to_thread(self._prepare, buffered)
        with translate_disk_errors():
            await self._file.write(buffered)

    def _prepare(self, buffered: bytearray) -> None:
        self._disk_space.require(len(buffered))
        self._digest.update(buffered)

    async def flush(self) -> None:
        """Write the rest of the buffer, and fsync the file."""
        await self._write_buffer()
        with translate_disk_errors():
            await self._file.flush()
            await asyncio.to_thread(os.fsync, self._file.fileno())


class FileStore:
    """The files folder, with the contents of all uploaded files."""

    def __init__(self, folder: Path, disk_space: DiskSpace) -> None:
        self._folder = folder
        self.disk_space = disk_space
        self._temporary = folder / _TEMPORARY
        self._device = 0  # of the folder at the start; another one means that its disk was unmounted
        # Prevents one thread from removing an empty folder that another thread has just created.
        self._tree_lock = threading.Lock()
        self._pending: set[asyncio.Future[None]] = set()

    def get_path(self, org_id: str, card_id: str, file_id: str) -> Path:
        """Return the path of a file's contents; raise ValueError for an id that could leave the folder."""
        return self._folder / check_external_id(org_id) / check_external_id(card_id) / check_external_id(file_id)

    async def get_size(self, path: Path) -> int | None:
        """Return the size of contents in bytes, or None if they are missing; raise Unavailable if the folder is."""
        with translate_disk_errors("The contents of the file cannot be read at the moment; try again later."):
            return await asyncio.to_thread(self._get_size, path)

    def _get_size(self, path: Path) -> int | None:
        try:
            return path.stat().st_size
        except FileNotFoundError:
            self.check()
            return None

    def check(self) -> None:
        """Raise Unavailable unless the folder exists on the same disk as at the start."""
        try:
            is_same_disk = self._folder.stat().st_dev == self._device
        except FileNotFoundError:
            is_same_disk = False
        if not is_same_disk:
            raise Unavailable(None, FOLDER_MISSING)

    @contextlib.contextmanager
    def temporary_folder(self, expected_bytes: int = 0) -> Iterator[Path]:
        """Create a temporary folder on the disk of the contents; raise Unavailable if that fails or the disk is full.

        The folder is removed at the end of the block.
        """
        with translate_disk_errors():
            self._prepare(expected_bytes)
            folder = tempfile.TemporaryDirectory(dir=self._temporary, ignore_cleanup_errors=True)
        with folder as name:
            yield Path(name)

    def _prepare(self, expected_bytes: int) -> None:
        self.check()
        self.disk_space.require(expected_bytes)
        self._temporary.mkdir(mode=0o700, exist_ok=True)

    @contextlib.asynccontextmanager
    async def open_incoming(self, file_id: str, expected_bytes: int = 0) -> AsyncIterator[IncomingFile]:
        """Open a temporary file for an upload; it is removed at the end of the block, unless `store` has moved it.

        Raise Unavailable if the disk has no room for `expected_bytes`.
        """
        # Not in the target folder: the card may be known only after the contents.
        path = self._temporary / check_external_id(file_id)
        async with contextlib.AsyncExitStack() as stack:
            with translate_disk_errors():
                await asyncio.to_thread(self._prepare, expected_bytes)
                file = await stack.enter_async_context(aiofiles.open(path, "xb"))
            try:
                yield IncomingFile(file_id, path, file, self.disk_space)
            finally:
                await asyncio.shield(self._run_in_thread(path.unlink, True))

    async def store(self, incoming: IncomingFile, org_id: str, card_id: str) -> None:
        """Move uploaded contents to their final path, and fsync; call it before the database row is written."""
        await incoming.flush()
        with translate_disk_errors():
            await asyncio.to_thread(self._move_to, incoming.path, self.get_path(org_id, card_id, incoming.file_id))

    def _move_to(self, temporary: Path, target: Path) -> None:
        with self._tree_lock:
            created = [folder for folder in (target.parent.parent, target.parent) if _create_folder(folder)]
            temporary.rename(target)
        for folder in (target.parent, *[folder.parent for folder in created]):
            flush_to_disk(folder)

    async def remove(self, *key: str) -> None:
        """Remove contents whose database row could not be written."""
        await asyncio.shield(self._run_in_thread(self._remove, self.get_path(*key)))

    def remove_later(self, org_id: str, card_id: str, file_id: str) -> None:
        """Remove the contents of a file in the background; call it after the commit that removed the row."""
        self._run_in_thread(self._remove, self.get_path(org_id, card_id, file_id))

    def remove_folder_later(self, org_id: str, card_id: str | None = None) -> None:
        """Remove all contents of a card or an organization in the background; call it after the commit."""
        folder = self._folder / check_external_id(org_id)
        self._run_in_thread(self._remove_folder, folder / check_external_id(card_id) if card_id else folder)

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._remove_empty(path.parent)

    def _remove_empty(self, folder: Path) -> None:
        with self._tree_lock, contextlib.suppress(OSError):  # rmdir fails at the first folder that is not empty
            while folder != self._folder:
                folder.rmdir()
                folder = folder.parent

    def _remove_folder(self, folder: Path) -> None:
        if not folder.exists():
            return
        # The rename is atomic; after a crash, the next start empties the temporary folder.
        removed = Path(tempfile.mkdtemp(dir=self._temporary))
        with self._tree_lock, contextlib.suppress(FileNotFoundError):  # removed meanwhile, since it was empty
            folder.rename(removed)
        self._remove_empty(folder.parent)
        shutil.rmtree(removed)

    def _run_in_thread(self, work: Callable[..., None], *arguments: Any) -> asyncio.Future[None]:
        future = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
        self._pending.add(future)
        future.add_done_callback(self._finish)
        return future

    def _finish(self, future: asyncio.Future[None]) -> None:
        self._pending.discard(future)
        if error := future.exception():
            log.error("file contents could not be removed; the next start tries again", exc_info=error)

    async def wait_for_removals(self) -> None:
        """Wait until all pending removals have finished."""
        while self._pending:
            await asyncio.wait(self._pending)

    async def create_folder(self) -> None:
        """Create the files folder and delete unfinished uploads; call it at the start, before any request."""
        await asyncio.to_thread(self._create)

    def _create(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._device = self._folder.stat().st_dev
        # Interrupted imports of earlier versions left `.import-*` folders.
        for leftover in (self._temporary, *self._folder.glob(".import-*")):
            shutil.rmtree(leftover, ignore_errors=True)
        self._temporary.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def translate_disk_errors(
    message: str = "The file could not be stored, and nothing was changed; try again later.",
) -> Iterator[None]:
    """Translate OSError into Unavailable: a disk error is a failure of the service, not of the caller."""
    try:
        yield
    except OSError as error:
        log.exception("the contents of a file could not be stored or read")
        raise Unavailable(None, message) from error


def _create_folder(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def flush_to_disk(path: Path) -> None:
    """Flush a file, or the entries of a folder, to disk (fsync)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
