"""Contents of files on disk, at <folder>/<org_id>/<card_id>/<file_id>; nothing here runs on the event loop.

Contents come before their row and leave after it, so a crash leaves at worst contents without a row.
The next start sweeps those away, with all that was on its way in or out.
"""

import asyncio
import contextlib
import logging
import os
import re
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiofiles

from .errors import Unavailable
from .wire import outside_id

CHUNK_BYTES = 1 << 20  # written at a time: aiofiles hops to a thread for each
Key = tuple[str, str, str]  # organization, card, file
_ON_THE_WAY = ".temporary"  # no id starts with a point
_MADE_HERE = re.compile(r"org_[0-9A-Z]{26}")
log = logging.getLogger("service")


class Incoming:
    """Contents on their way in: a temporary file that is written in pieces."""

    def __init__(self, file_id: str, path: Path, file: Any) -> None:
        self.file_id = file_id
        self.path = path
        self.size = 0
        self._file = file
        self._piece = bytearray()

    async def write(self, chunk: bytes) -> None:
        """Take more of the contents."""
        self.size += len(chunk)
        self._piece += chunk
        if len(self._piece) >= CHUNK_BYTES:
            await self._write_piece()

    async def _write_piece(self) -> None:
        piece, self._piece = self._piece, bytearray()
        with _told_of_the_disk():
            await self._file.write(piece)

    async def flush(self) -> None:
        """Write what is left through to the disk."""
        await self._write_piece()
        with _told_of_the_disk():
            await self._file.flush()
            await asyncio.to_thread(os.fsync, self._file.fileno())


class Blobs:
    """The folder of contents."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._temporary = folder / _ON_THE_WAY
        # A folder that one thread has just made must not be removed by another for being empty.
        self._tree = threading.Lock()
        self._pending: set[asyncio.Future[None]] = set()

    def path(self, org_id: str, card_id: str, file_id: str) -> Path:
        """Tell where the contents of a file are; raise ValueError for an id that could leave the folder."""
        return self._folder / outside_id(org_id) / outside_id(card_id) / outside_id(file_id)

    async def size(self, path: Path) -> int | None:
        """Tell how many bytes are there; None if the contents are gone."""
        try:
            return (await asyncio.to_thread(path.stat)).st_size
        except FileNotFoundError:
            return None

    @contextlib.asynccontextmanager
    async def incoming(self, file_id: str) -> AsyncIterator[Incoming]:
        """Open a temporary file for new contents; it goes at the end, unless `keep` has given it its place."""
        # Not beside its target: whose it is may come only after the contents.
        path = self._temporary / outside_id(file_id)
        try:
            async with aiofiles.open(path, "xb") as file:
                yield Incoming(file_id, path, file)
        finally:
            await asyncio.shield(self._aside(path.unlink, True))

    async def keep(self, incoming: Incoming, org_id: str, card_id: str) -> None:
        """Give new contents their place, durably; the row comes after."""
        await incoming.flush()
        with _told_of_the_disk():
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

    async def sweep(self, organizations: set[str], expected: set[Key]) -> None:
        """Make the folder, and remove what no row expects; only for the start, before anything comes in."""
        await asyncio.to_thread(self._sweep, organizations, expected)

    def _sweep(self, organizations: set[str], expected: set[Key]) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir(mode=0o700, exist_ok=True)
        for org_id in self._swept(organizations):
            for folder, _, names in os.walk(self._folder / org_id, topdown=False):
                for name in names:
                    self._remove_unexpected(Path(folder, name), expected)
                self._remove_empty(Path(folder))
        missing = sorted(key for key in expected if not self.path(*key).is_file())
        if missing:
            named = ", ".join("/".join(key) for key in missing[:20])
            log.error(
                "the contents of %d files are lost; restore them from a backup, or delete the files: %s",
                len(missing),
                named,
            )

    def _swept(self, organizations: set[str]) -> set[str]:
        """Name the folders that are the service's to sweep: nobody else's, and not another database's."""
        there = {entry.name for entry in os.scandir(self._folder) if entry.is_dir(follow_symlinks=False)}
        ours = {name for name in there if name in organizations or _MADE_HERE.fullmatch(name)}
        if ours and ours.isdisjoint(organizations):
            log.error(
                "%s holds files of other organizations only; is it another database's? Nothing is removed.",
                self._folder,
            )
            return set()
        return ours

    def _remove_unexpected(self, path: Path, expected: set[Key]) -> None:
        if path.relative_to(self._folder).parts in expected:
            return
        try:
            path.unlink()
            log.warning("removed %s: no file has these contents", path)
        except OSError as error:
            log.warning("%s belongs to no file and cannot be removed: %s", path, error.strerror)


@contextlib.contextmanager
def _told_of_the_disk() -> Iterator[None]:
    """Answer what the disk refuses as the service's failure, not the caller's."""
    try:
        yield
    except OSError as error:
        log.exception("contents of a file could not be stored")
        raise Unavailable(None, "The file could not be stored, and nothing was changed; try again later.") from error


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
