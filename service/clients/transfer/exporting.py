"""Export of one organization to a file, which appears when it is complete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from ..client import Client

CHUNK_BYTES = 1 << 20  # written at a time


async def export(client: Client, file: Path, with_files: bool, advance: Callable[[int], object]) -> int:
    """Write the current organization to a file and return its size in bytes; raise ApiFailure or OSError."""
    part = file.with_name(file.name + ".part")
    query = {"includeFiles": "true" if with_files else "false", "includeHistory": "true"}
    size = 0
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
            async for piece in client.stream("/admin/export", query, CHUNK_BYTES):
                size += target.write(piece)
                advance(len(piece))
            target.flush()
            os.fsync(target.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return size
