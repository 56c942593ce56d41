"""Export of one organization to a file, which appears when it is complete."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..client import Client
from ..replacement import replace_file
from .reading import SnapshotReader

CHUNK_BYTES = 1 << 20  # written at a time


async def export(client: Client, file: Path, with_files: bool, advance: Callable[[int], object]) -> int:
    """Write the current organization to a file and return its size in bytes; raise ApiFailure or OSError."""
    query = {"includeFiles": "true" if with_files else "false", "includeHistory": "true"}
    size = 0
    with replace_file(file, mode=0o600) as target:
        async for piece in client.stream("/admin/export", query, CHUNK_BYTES):
            size += target.write(piece)
            advance(len(piece))
    return size


def list_missing_files(file: Path) -> list[Any]:
    """Return the files whose contents the service has lost, as the metadata of an export tells."""
    with file.open("rb") as source:
        meta = next(SnapshotReader(source).rows({}), None)
    found = json.loads(meta.head) if meta is not None and meta.key == "meta" else {}
    missing = found.get("missingFiles") if isinstance(found, dict) else None
    return missing if isinstance(missing, list) else []
