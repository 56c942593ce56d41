"""Export of one organization to a file, which appears when it is complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..client import Client
from ..replacement import replace_file

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
