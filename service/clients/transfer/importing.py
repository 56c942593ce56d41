"""Import of a file in parts; the number of imported parts is saved, so that an interrupted import can continue."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import IO, Any

from ..client import ApiFailure, Client
from ..replacement import replace_file
from . import parts
from .parts import ImportPart, LargeContent, SnapshotIndex

CHUNK_BYTES = 3 << 18  # of base64, decoded at a time


class Progress:
    """The number of parts of a file that were imported into a service, saved next to the file."""

    def __init__(self, file: Path, client: Client, is_people_only: bool = False) -> None:
        state = file.stat()
        self._path = parts.progress_file(file)
        self._identity = {
            "service": client.root,
            "size": state.st_size,
            "modified": state.st_mtime_ns,
            "part": parts.PART_BYTES,
            **({"only": "people"} if is_people_only else {}),
        }
        self.done = self._read()

    def _read(self) -> int:
        try:
            stored = json.loads(self._path.read_text("utf-8"))
            return int(stored.pop("done")) if {**stored, "done": 0} == {**self._identity, "done": 0} else 0
        except (OSError, ValueError, KeyError, AttributeError):
            return 0

    def save(self, number: int) -> None:
        """Save the number of the last imported part."""
        with replace_file(self._path, mode=0o600) as target:
            target.write(json.dumps({**self._identity, "done": number}).encode())

    def clear(self) -> None:
        """Delete the saved progress after the last part."""
        self._path.unlink(missing_ok=True)


class FileImport:
    """The import of a file in parts into the organization that it names."""

    def __init__(self, client: Client, file: Path, found: SnapshotIndex, is_people_only: bool = False) -> None:
        self.found = found
        self.missing_people: set[str] = set()  # e-mail addresses that are no members
        self._client = client
        self._file = file
        self._is_people_only = is_people_only
        self._progress = Progress(file, client, is_people_only)
        self._organization = str(json.loads(found.single["organization"])["id"])

    async def preview(self, advance: Callable[[int], object]) -> Counter[str]:
        """Return the number of items that were changed, archived and removed since the export; raise ApiFailure."""
        counts = Counter(changed=0, archived=0, removed=0)
        if not await self._exists():
            return counts
        for part in self._parts(advance):
            answer = await self._send("dryRun=true", part)
            counts.update({name: int(answer[name]) for name in counts})
        return counts

    async def _exists(self) -> bool:
        try:
            await self._client.get(f"/organizations/{self._organization}")
        except ApiFailure as failure:
            if failure.status != 404:
                raise
            return False
        return True

    async def run(self, advance: Callable[[int], object]) -> Counter[str]:
        """Import the parts that are left and return the number of rows of each kind; raise ApiFailure."""
        imported = Counter[str]()
        for part in self._parts(advance):
            imported += await self._import(part)
            self._progress.save(part.number)
        self._progress.clear()
        imported["organizations"] = int(not self._is_people_only)
        return imported

    def _parts(self, advance: Callable[[int], object]) -> Iterator[ImportPart]:
        with self._file.open("rb") as source:
            for part in parts.split(source, self.found):
                if part.number > self._progress.done:
                    yield part
                part.body.close()
                advance(part.row_bytes)

    async def _import(self, part: ImportPart) -> Counter[str]:
        report = await self._send("only=people" if self._is_people_only else "", part)
        self.missing_people.update(report.get("missingPeople", ()))
        for large in () if self._is_people_only else part.large:
            await _send_content(self._client, large, self._organization)
        counts: dict[str, Any] = report["summary"]["imported"]
        return Counter({name: count for name, count in counts.items() if name != "organizations"})

    async def _send(self, query: str, part: ImportPart) -> Any:
        path = f"/admin/import?{query}" if query else "/admin/import"
        return await self._client.send(path, part.body, {"Content-Type": "application/json"})


async def _send_content(client: Client, large: LargeContent, organization: str) -> None:
    """Upload the content of a file that is too large for a part, unless it exists."""
    path = f"/files/{large.file_id}/content"
    headers = {"X-Organization-Id": organization}
    try:
        await client.request("HEAD", path, headers=headers)
    except ApiFailure as failure:
        if failure.status != 404:
            raise
        await client.send(path, _decode(large.base64), {**headers, "Content-Type": "application/octet-stream"})
    finally:
        large.base64.close()


async def _decode(source: IO[bytes]) -> AsyncIterator[bytes]:
    source.seek(0)
    while block := source.read(CHUNK_BYTES):  # a multiple of 4
        yield base64.b64decode(block)
