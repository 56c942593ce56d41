"""Import of a file in parts; the number of imported parts is saved, so that an interrupted import can continue."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO, Any

from ..client import ApiFailure, Client
from ..replacement import replace_file
from . import parts
from .parts import ImportPart, LargeContent, SnapshotIndex

CHUNK_BYTES = 3 << 18  # of base64, decoded at a time


class Progress:
    """The number of parts of a file that were imported into a service, saved next to the file."""

    def __init__(self, file: Path, client: Client) -> None:
        state = file.stat()
        self._path = parts.progress_file(file)
        self._identity = {
            "service": client.root,
            "size": state.st_size,
            "modified": state.st_mtime_ns,
            "part": parts.PART_BYTES,
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


async def import_file(
    client: Client, file: Path, found: SnapshotIndex, advance: Callable[[int], object]
) -> Counter[str]:
    """Import a snapshot part by part and return the number of rows of each kind; raise ApiFailure."""
    progress, imported = Progress(file, client), Counter[str]()
    organization = str(json.loads(found.single["organization"])["id"])
    with file.open("rb") as source:
        for part in parts.split(source, found):
            if part.number > progress.done:
                imported += await _send(client, part, organization)
                progress.save(part.number)
            part.body.close()
            advance(part.row_bytes)
    progress.clear()
    imported["organizations"] = 1
    return imported


async def _send(client: Client, part: ImportPart, organization: str) -> Counter[str]:
    report = await client.send("/admin/import", part.body, {"Content-Type": "application/json"})
    for large in part.large:
        await _send_content(client, large, organization)
    counts: dict[str, Any] = report["summary"]["imported"]
    return Counter({name: count for name, count in counts.items() if name != "organizations"})


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
