"""Import: a snapshot comes back as an organization, all of it or nothing (specification, import rules)."""

import asyncio
import contextlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import IO, Any

from aiohttp import web

from ...errors import PayloadTooLarge, UnsupportedMediaType, invalid
from ...journey import bodies, multipart
from ...journey.call import Call
from ...journey.gates import architect
from ...journey.route import Operation
from ...journey.table import routes
from ...wire import Output
from .. import events, quotas
from . import boards, cards, files, talk
from .merging import Merge
from .staging import Meta, Staged, stage

BODY_BYTES_MAX = 64 << 20
CHUNK_BYTES = 1 << 20  # that are written to the disk at a time
COUNTERS = (
    "organizations", "projects", "teams", "agents", "cardTypes", "customFields", "boardColumns", "statusTransitions",
    "cardRelationships", "promptCategories", "prompts", "promptVersions", "cards", "fieldValues", "comments",
    "history", "presets", "files", "toolServers",
)  # fmt: skip
log = logging.getLogger("service")
_thread = ThreadPoolExecutor(1, "import")  # one snapshot is read at a time: that bounds the memory of them all


class Summary(Output):
    """How many rows of each kind came in, or did not."""

    imported: dict[str, int]
    skipped: dict[str, int]


class ImportReport(Output):
    """What an import did (specification, admin)."""

    summary: Summary
    source_meta: dict[str, Any]
    imported_at: str


@routes.post("/admin/import", architect())
async def add(operation: Operation[Call]) -> ImportReport:
    """Take a snapshot in (SA here, and in its organization if that exists); the caller owns one that is new.

    Raises UnknownExceptionDuringParse, InvalidSnapshotShape, UnsupportedProduct, EmptySnapshot, id_conflict,
    sa_required, or payload_too_large over 64 MiB; then nothing was written.
    """
    await operation.read(lambda call: None)  # nobody else gets to send that much
    began = time.monotonic()
    with operation.service.blobs.workplace() as folder, tempfile.TemporaryFile(dir=folder) as spool:
        await _receive(operation, spool)
        operation.peek(lambda call: None)  # who sends it once more is answered before all that work
        with contextlib.closing(Staged(folder)) as staged:
            await asyncio.get_running_loop().run_in_executor(_thread, stage, spool, staged)
            report = await _written(operation, staged)
    log.info("import finished in %.1f s: %s", time.monotonic() - began, report.summary.imported)
    return report


async def _receive(operation: Operation[Call], spool: IO[bytes]) -> None:
    """Write the body to the disk; raise payload_too_large as soon as that is known."""
    if (operation.request.content_length or 0) > BODY_BYTES_MAX:
        raise _too_large()
    size = 0
    block = bytearray()
    async for chunk in _chunks(operation.request):
        operation.hear(chunk)
        size += len(chunk)
        if size > BODY_BYTES_MAX:
            raise _too_large()
        block += chunk
        if len(block) >= CHUNK_BYTES:
            await asyncio.to_thread(spool.write, bytes(block))
            block.clear()
    operation.hear(b"", is_last=True)
    await asyncio.to_thread(spool.write, bytes(block))
    spool.seek(0)
    log.info("import: %d bytes received", size)


def _too_large() -> PayloadTooLarge:
    message = f"The snapshot is larger than {BODY_BYTES_MAX >> 20} MiB; export without files or without history."
    return PayloadTooLarge(None, message, limit=BODY_BYTES_MAX)


async def _chunks(request: web.Request) -> AsyncIterator[bytes]:
    kind = request.content_type
    if kind.startswith("multipart/"):
        async for chunk in _file_part(request):
            yield chunk
    elif "Content-Type" in request.headers and kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMediaType(None, f"This route takes multipart/form-data or application/json, not {kind[:100]}.")
    else:
        while chunk := await bodies.more(request.content):
            yield chunk


async def _file_part(request: web.Request) -> AsyncIterator[bytes]:
    is_there = False
    async for part in multipart.Form(request, BODY_BYTES_MAX):
        if part.name == "file" and not is_there:
            is_there = True
            async for chunk in part.chunks():
                yield chunk
    if not is_there:
        raise invalid("file", "is missing; send the snapshot as a part of this name")


async def _written(operation: Operation[Call], staged: Staged) -> ImportReport:
    try:
        return await operation.write(partial(_merge, staged), alone=True)
    except Exception:
        for path in staged.placed:
            path.unlink(missing_ok=True)
        raise


def _merge(staged: Staged, call: Call) -> ImportReport:
    assert staged.meta is not None
    assert staged.organization is not None
    settings = call.service.settings
    merge = Merge(call, staged, staged.organization)
    size = quotas.used(call, merge.org_id)
    merge.enter()
    boards.write(merge)
    cards.write(merge)
    talk.write(merge)
    files.write(merge, settings.files, settings.files_max_bytes)
    quotas.judge_growth(call, merge.org_id, size)
    events.record(call, "import.completed", org_id=merge.org_id)
    call.tx.after(partial(call.service.changed, merge.org_id))
    return _report(merge, staged, staged.meta)


def _report(merge: Merge, staged: Staged, meta: Meta) -> ImportReport:
    skipped = {key: staged.counts[key] for key in ("users", "apiKeys", "permissions")}
    grants = staged.grants
    if merge.is_new:
        skipped["permissions"] = grants = 0
    summary = Summary(
        imported={counter: merge.imported[counter] for counter in COUNTERS},
        skipped={**skipped, "rolePermissions": grants},
    )
    return ImportReport(summary=summary, source_meta=meta.model_dump(), imported_at=merge.tx.now)
