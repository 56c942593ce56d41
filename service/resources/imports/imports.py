"""Import: a snapshot comes back as an organization, all of it or nothing (specification, import rules)."""

import asyncio
import contextlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar, cast

from aiohttp import web

from ...auth.context import Call
from ...auth.policies import architect
from ...database.store import DryRun, Effect
from ...errors import PayloadTooLarge, UnsupportedMediaType, invalid
from ...http import multipart, request_body
from ...pipeline.pipeline import Operation
from ...pipeline.routing import routes
from ...runtime import file_store
from ...runtime.concurrency import Quota
from ...runtime.cpu_scheduling import lower_priority
from ...runtime.disk_space import DiskSpace
from ...schemas import Output
from .. import events
from . import boards, cards, completing, files, talk
from .inlined import Content
from .merging import Merge
from .staging import Meta, Staged, stage
from .steps import Steps

CALLER_IMPORTS_MAX, ORGANIZATION_IMPORTS_MAX = 2, 2  # under way, or waiting for those of others: they go one by one
CHUNK_BYTES = 1 << 20  # that are written to the disk at a time
COUNTERS = (
    "organizations", "projects", "teams", "agents", "cardTypes", "customFields", "boardColumns", "statusTransitions",
    "cardRelationships", "promptCategories", "prompts", "promptVersions", "cards", "fieldValues", "comments",
    "history", "presets", "files", "toolServers",
)  # fmt: skip
log = logging.getLogger("service")
T = TypeVar("T")
# One snapshot is read at a time, and one is tried: that bounds the memory of them all. Both are background work.
_reading = ThreadPoolExecutor(1, "import", lower_priority)
_checking = ThreadPoolExecutor(1, "trial", lower_priority)


class Summary(Output):
    """How many rows of each kind came in, or did not."""

    imported: dict[str, int]
    skipped: dict[str, int]


class ImportReport(Output):
    """What an import did (specification, admin)."""

    summary: Summary
    source_meta: dict[str, Any]
    imported_at: str


class ImportBounds(Output):
    """How large an imported file may be."""

    max_bytes: int


@routes.get("/admin/import", architect())
def read(call: Call) -> ImportBounds:
    """Tell how many bytes a file that is imported may have (SA)."""
    return ImportBounds(max_bytes=call.service.settings.import_max_bytes)


@routes.post("/admin/import", architect(), streams=True)
async def add(operation: Operation[Call]) -> ImportReport:
    """Take a snapshot in (SA here, and in its organization if that exists); the caller owns one that is new.

    Raises UnknownExceptionDuringParse, InvalidSnapshotShape, UnsupportedProduct, EmptySnapshot, id_conflict,
    sa_required, or payload_too_large over 64 MiB (setting import_max_bytes); then nothing was written.
    A person and their current organization have 2 imports under way at a time: 503 overloaded.
    """
    report: ImportReport = await bring_in(operation, stage)
    return report


async def bring_in(operation: Operation[Call], read: Callable[[BinaryIO, Staged], None]) -> Any:
    """Take in what `read` puts by of the body, on a thread of its own; raise overloaded if two are under way."""
    org_id = await operation.read(lambda call: call.org_id)  # nobody else gets to send that much
    with operation.service.imports.acquire(
        Quota(operation.who, CALLER_IMPORTS_MAX, "yours"),
        Quota(org_id, ORGANIZATION_IMPORTS_MAX, "the organization"),
    ):
        return await _brought_in(operation, read)


async def _brought_in(operation: Operation[Call], read: Callable[[BinaryIO, Staged], None]) -> Any:
    began = time.monotonic()
    length, disk_space = operation.request.content_length or 0, operation.service.disk_space
    with operation.service.file_store.workplace(length) as folder, tempfile.TemporaryFile(dir=folder) as spool:
        await _receive(operation, spool)
        operation.read_inline(lambda call: None)  # who sends it once more is answered before all that work
        staging, steps_file = Staged(folder, disk_space), Steps(folder, disk_space)
        with contextlib.closing(staging) as staged, contextlib.closing(steps_file) as steps:
            await _aside(_reading, partial(read, cast(BinaryIO, spool), staged), staged)
            report = await _taken_in(operation, staged, steps)
    log.info("import finished in %.1f s: %s", time.monotonic() - began, report.summary.imported)
    return report


async def _receive(operation: Operation[Call], spool: IO[bytes]) -> None:
    """Write the body to the disk; raise payload_too_large once that is known, Unavailable if the disk fills up."""
    most = operation.service.settings.import_max_bytes
    if (operation.request.content_length or 0) > most:
        raise _too_large(most)
    size = 0
    block = bytearray()
    async for chunk in _chunks(operation.request, most):
        operation.update_digest(chunk)
        size += len(chunk)
        if size > most:
            raise _too_large(most)
        block += chunk
        if len(block) >= CHUNK_BYTES:
            await asyncio.to_thread(_write, spool, bytes(block), operation.service.disk_space)
            block.clear()
    operation.update_digest(b"", is_last=True)
    await asyncio.to_thread(_write, spool, bytes(block), operation.service.disk_space)
    spool.seek(0)
    log.info("import: %d bytes received", size)


def _write(spool: IO[bytes], block: bytes, disk_space: DiskSpace) -> None:
    disk_space.require(len(block))
    spool.write(block)


def _too_large(most: int) -> PayloadTooLarge:
    message = f"A file may have {most / (1 << 20):g} MiB here; `tandem import FILE` sends a larger one in parts."
    return PayloadTooLarge(None, message, limit=most)


async def _chunks(request: web.Request, most: int) -> AsyncIterator[bytes]:
    kind = multipart.mime_type_of(request.headers.get("Content-Type", ""))
    if kind.startswith("multipart/"):
        async for chunk in _file_part(request, most):
            yield chunk
    elif "Content-Type" in request.headers and kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMediaType(None, f"This route takes multipart/form-data or application/json, not {kind[:100]}.")
    else:
        while chunk := await request_body.more(request.content):
            yield chunk


async def _file_part(request: web.Request, most: int) -> AsyncIterator[bytes]:
    is_there = False
    async for part in multipart.Form(request, most):
        if part.name == "file" and not is_there:
            is_there = True
            async for chunk in part.chunks():
                yield chunk
    if not is_there:
        raise invalid("file", "is missing; send the snapshot as a part of this name")


async def _taken_in(operation: Operation[Call], staged: Staged, steps: Steps) -> ImportReport:
    assert staged.organization is not None
    service, org_id = operation.service, staged.organization["id"]
    async with completing.held(operation, org_id, staged.placed):
        tried = partial(_tried, operation, staged, steps)
        report, effects = await _aside(_checking, tried, staged)
        await completing.write(service, org_id, steps, effects)
    return report


async def _aside(thread: ThreadPoolExecutor, work: Callable[[], T], staged: Staged) -> T:
    """Do something with a snapshot on a thread, which ends soon if the request does."""
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
    except asyncio.CancelledError:
        staged.is_abandoned = True
        raise


def _tried(operation: Operation[Call], staged: Staged, steps: Steps) -> tuple[ImportReport, Sequence[Effect]]:
    """Try an import, by which all that is wrong with it is found; then put the contents of files into their places."""
    arrivals: dict[Path, Content] = {}
    effects: list[Effect] = []

    def work(tx: DryRun) -> ImportReport:
        report = operation.writing(partial(_merge, staged, steps, arrivals), tx)
        effects.extend(tx.effects)
        return report

    with file_store.translate_disk_errors():
        report = operation.service.store.dry_run(work, staged.folder / "scratch", steps.add)
        steps.end()
        files.arrive(operation.service.settings.files, arrivals, staged.placed)
    return report, effects


def _merge(staged: Staged, steps: Steps, arrivals: dict[Path, Content], call: Call) -> ImportReport:
    assert staged.meta is not None
    assert staged.organization is not None
    merge = Merge(call, staged, staged.organization, steps)
    merge.enter()
    boards.write(merge)
    cards.write(merge)
    talk.write(merge)
    arrivals |= files.write(merge, call)
    steps.come_to_the_end()
    events.record(call, "import.completed", org_id=merge.org_id)
    call.tx.on_commit(partial(call.service.changed, merge.org_id))
    report = _report(merge, staged, staged.meta)
    return staged.tell(report) if staged.tell else report


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
