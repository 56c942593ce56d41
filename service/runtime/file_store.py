"""Contents of files on disk, at <folder>/<org_id>/<card_id>/<file_id>; nothing here runs on the event loop.

Contents come before their row and leave after it, so a crash leaves at worst contents without a row: see sweep.py.
"""

import asyncio
import contextlib
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
from ..schemas import outside_id
from .disk_space import DiskSpace

CHUNK_BYTES = 1 << 20  # written at a time: aiofiles hops to a thread for each
Key = tuple[str, str, str]  # organization, card, file
_ON_THE_WAY = ".temporary"  # no id starts with a point
GONE = "The files folder is not there, or not the one that was there when the service started; try again later."
log = logging.getLogger("service")


class Incoming:
    """Contents on their way in: a temporary file that is written in pieces."""

    def __init__(self, file_id: str, path: Path, file: Any, disk_space: DiskSpace) -> None:
        self.file_id = file_id
        self.path = path
        self.size = 0
        self._file = file
        self._disk_space = disk_space
        self._piece = bytearray()

    async def write(self, chunk: bytes) -> None:
        """Take more of the contents; raise Unavailable if the disk has become too full for them."""
        self.size += len(chunk)
        self._piece += chunk
        if len(self._piece) >= CHUNK_BYTES:
            await self._write_piece()

    async def _write_piece(self) -> None:
        piece, self._piece = self._piece, bytearray()
        # Again with each piece: an upload lasts, and what others store meanwhile fills the disk as well.
        await asyncio.to_thread(self._disk_space.require, len(piece))
        with translate_disk_errors():
            await self._file.write(piece)

    async def flush(self) -> None:
        """Write what is left through to the disk."""
        await self._write_piece()
        with translate_disk_errors():
            await self._file.flush()
            await asyncio.to_thread(os.fsync, self._file.fileno())


class FileStore:
    """The folder of contents."""

    def __init__(self, folder: Path, disk_space: DiskSpace) -> None:
        self._folder = folder
        self._disk_space = disk_space
        self._temporary = folder / _ON_THE_WAY
        self._device = 0  # where the folder is: on another disk than at the start nobody would find what is written
        # A folder that one thread has just made must not be removed by another for being empty.
        self._tree = threading.Lock()
        self._pending: set[asyncio.Future[None]] = set()

    def path(self, org_id: str, card_id: str, file_id: str) -> Path:
        """Tell where the contents of a file are; raise ValueError for an id that could leave the folder."""
        return self._folder / outside_id(org_id) / outside_id(card_id) / outside_id(file_id)

    async def size(self, path: Path) -> int | None:
        """Tell how many bytes are there, None if the contents are gone; raise Unavailable if the folder is."""
        with translate_disk_errors("The contents of the file cannot be read at the moment; try again later."):
            return await asyncio.to_thread(self._size, path)

    def _size(self, path: Path) -> int | None:
        try:
            return path.stat().st_size
        except FileNotFoundError:
            self.check()
            return None

    def check(self) -> None:
        """Raise Unavailable unless the folder is there, and on the disk on which it was at the start."""
        try:
            is_there = self._folder.stat().st_dev == self._device
        except FileNotFoundError:
            is_there = False
        if not is_there:
            raise Unavailable(None, GONE)

    @contextlib.contextmanager
    def workplace(self, expected_bytes: int = 0) -> Iterator[Path]:
        """Make a folder on the disk of the contents that is gone afterwards; raise Unavailable if that cannot be."""
        with translate_disk_errors():
            self._prepare(expected_bytes)
            folder = tempfile.TemporaryDirectory(dir=self._temporary, ignore_cleanup_errors=True)
        with folder as name:
            yield Path(name)

    def _prepare(self, expected_bytes: int) -> None:
        self.check()
        self._disk_space.require(expected_bytes)
        self._temporary.mkdir(mode=0o700, exist_ok=True)

    @contextlib.asynccontextmanager
    async def incoming(self, file_id: str, expected_bytes: int = 0) -> AsyncIterator[Incoming]:
        """Open a temporary file for new contents; it goes at the end, unless `keep` has given it its place.

        Raise Unavailable if the disk has no room for as many bytes as are expected.
        """
        # Not beside its target: whose it is may come only after the contents.
        path = self._temporary / outside_id(file_id)
        async with contextlib.AsyncExitStack() as stack:
            with translate_disk_errors():
                await asyncio.to_thread(self._prepare, expected_bytes)
                file = await stack.enter_async_context(aiofiles.open(path, "xb"))
            try:
                yield Incoming(file_id, path, file, self._disk_space)
            finally:
                await asyncio.shield(self._aside(path.unlink, True))

    async def keep(self, incoming: Incoming, org_id: str, card_id: str) -> None:
        """Give new contents their place, durably; the row comes after."""
        await incoming.flush()
        with translate_disk_errors():
            await asyncio.to_thread(self._place, incoming.path, self.path(org_id, card_id, incoming.file_id))

    def _place(self, temporary: Path, target: Path) -> None:
        with self._tree:
            made = [folder for folder in (target.parent.parent, target.parent) if _make(folder)]
            temporary.rename(target)
        for folder in (target.parent, *[folder.parent for folder in made]):
            through_to_disk(folder)

    async def remove(self, *key: str) -> None:
        """Remove contents whose row could not be written."""
        await asyncio.shield(self._aside(self._remove, self.path(*key)))

    def drop(self, org_id: str, card_id: str, file_id: str) -> None:
        """Remove the contents of a file soon; for after the commit that removed the row."""
        self._aside(self._remove, self.path(org_id, card_id, file_id))

    def drop_folder(self, org_id: str, card_id: str | None = None) -> None:
        """Remove all contents of a card or an organization soon; for after the commit that removed it."""
        folder = self._folder / outside_id(org_id)
        self._aside(self._remove_folder, folder / outside_id(card_id) if card_id else folder)

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._remove_empty(path.parent)

    def _remove_empty(self, folder: Path) -> None:
        with self._tree, contextlib.suppress(OSError):  # until one is not empty
            while folder != self._folder:
                folder.rmdir()
                folder = folder.parent

    def _remove_folder(self, folder: Path) -> None:
        if not folder.exists():
            return
        # One rename takes it all away at once; what a crash then leaves, the next start sweeps.
        doomed = Path(tempfile.mkdtemp(dir=self._temporary))
        with self._tree, contextlib.suppress(FileNotFoundError):  # removed meanwhile, being empty
            folder.rename(doomed)
        self._remove_empty(folder.parent)
        shutil.rmtree(doomed)

    def _aside(self, work: Callable[..., None], *arguments: Any) -> asyncio.Future[None]:
        future = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
        self._pending.add(future)
        future.add_done_callback(self._done)
        return future

    def _done(self, future: asyncio.Future[None]) -> None:
        self._pending.discard(future)
        if error := future.exception():
            log.error("contents could not be removed; the next start tries again", exc_info=error)

    async def drained(self) -> None:
        """Wait until all that was to be removed has gone."""
        while self._pending:
            await asyncio.wait(self._pending)

    async def begin(self) -> None:
        """Make the folder, and clear away what was on its way; only for the start, before anything comes in."""
        await asyncio.to_thread(self._begin)

    def _begin(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._device = self._folder.stat().st_dev
        # Imports of earlier versions left folders beside the contents when they were cut short.
        for left in (self._temporary, *self._folder.glob(".import-*")):
            shutil.rmtree(left, ignore_errors=True)
        self._temporary.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def translate_disk_errors(
    message: str = "The file could not be stored, and nothing was changed; try again later.",
) -> Iterator[None]:
    """Answer what the disk refuses as the service's failure, not the caller's."""
    try:
        yield
    except OSError as error:
        log.exception("contents of a file could not be stored or read")
        raise Unavailable(None, message) from error


def _make(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return False
    return True


def through_to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
