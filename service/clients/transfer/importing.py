"""The import of a file in parts, each noted once it is in: an import that was cut short goes on where it was."""

from __future__ import annotations

import base64
import json
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO, Any

from ..client import ApiFailure, Client
from . import parts
from .parts import Contents, Large, Part

CHUNK_BYTES = 3 << 18  # of base64 that are decoded at a time


class Progress:
    """How many parts of a file are in an organization of a service, noted beside the file."""

    def __init__(self, file: Path, client: Client) -> None:
        state = file.stat()
        self._path = parts.name_of(file)
        self._of = {
            "service": client.root,
            "size": state.st_size,
            "modified": state.st_mtime_ns,
            "part": parts.PART_BYTES,
        }
        self.done = self._read()

    def _read(self) -> int:
        try:
            known = json.loads(self._path.read_text("utf-8"))
            return int(known.pop("done")) if {**known, "done": 0} == {**self._of, "done": 0} else 0
        except (OSError, ValueError, KeyError, AttributeError):
            return 0

    def note(self, number: int) -> None:
        """Write down that a part is in."""
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.write_text(json.dumps({**self._of, "done": number}), "utf-8")
        os.replace(fresh, self._path)

    def end(self) -> None:
        """Forget it: all of the file is in."""
        self._path.unlink(missing_ok=True)


async def take_in(client: Client, file: Path, found: Contents, advance: Callable[[int], object]) -> Counter[str]:
    """Send a snapshot part by part and give how many rows of each kind came in; raise ApiFailure."""
    progress, imported = Progress(file, client), Counter[str]()
    organization = str(json.loads(found.single["organization"])["id"])
    with file.open("rb") as source:
        for part in parts.cut(source, found):
            if part.number > progress.done:
                imported += await _send(client, part, organization)
                progress.note(part.number)
            part.body.close()
            advance(part.taken)
    progress.end()
    imported["organizations"] = 1
    return imported


async def _send(client: Client, part: Part, organization: str) -> Counter[str]:
    report = await client.send("/admin/import", part.body, {"Content-Type": "application/json"})
    for large in part.large:
        await _send_content(client, large, organization)
    counts: dict[str, Any] = report["summary"]["imported"]
    return Counter({name: count for name, count in counts.items() if name != "organizations"})


async def _send_content(client: Client, large: Large, organization: str) -> None:
    """Send the content of a file that is too large for a part, unless it is there."""
    path = f"/files/{large.file_id}/content"
    headers = {"X-Organization-Id": organization}
    try:
        await client.request("HEAD", path, headers=headers)
    except ApiFailure as failure:
        if failure.status != 404:
            raise
        await client.send(path, _decoded(large.base64), {**headers, "Content-Type": "application/octet-stream"})
    finally:
        large.base64.close()


async def _decoded(source: IO[bytes]) -> AsyncIterator[bytes]:
    source.seek(0)
    while block := source.read(CHUNK_BYTES):  # a multiple of 4
        yield base64.b64decode(block)
