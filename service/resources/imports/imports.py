"""Import of a snapshot into an organization, completely or not at all."""

import asyncio
import contextlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, TypeVar, cast

from aiohttp import web
from pydantic import Field

from ...auth.context import IMPORT_LIMIT_REACHED, Call
from ...auth.policies import architect
from ...database.queries import sql
from ...database.store import DryRun, Effect
from ...errors import PayloadTooLarge, UnsupportedMediaType, invalid
from ...http import multipart, request_body
from ...pipeline.pipeline import Operation
from ...pipeline.routing import routes
from ...runtime import file_store
from ...runtime.concurrency import Quota, Slots
from ...runtime.cpu_scheduling import lower_priority
from ...runtime.disk_space import DiskSpace
from ...runtime.thread_pool import BoundedThreadPool
from ...schemas import Output, Query
from ...trello.file_problems import BYTE_ORDER_MARK
from .. import events
from . import boards, cards, comments, execution, files, people_only
from .content_extraction import Content
from .merge import Merge
from .newer_changes import NewerChanges, count_newer_changes
from .people import People, require_import_permission
from .reading import Readings
from .redo_log import RedoLog
from .staging import ImportCancelled, Meta, StagedSnapshot, stage

CALLER_IMPORTS_MAX, ORGANIZATION_IMPORTS_MAX = 2, 2  # in progress or waiting
LEFT_SECONDS = 0.5  # between two checks whether the client has disconnected
CHUNK_BYTES = 1 << 20  # written to the disk at a time
COUNTERS = (
    "organizations", "projects", "teams", "agents", "cardTypes", "customFields", "boardColumns", "statusTransitions",
    "cardRelationships", "promptCategories", "prompts", "promptVersions", "cards", "fieldValues", "comments",
    "history", "presets", "files", "toolServers",
)  # fmt: skip
log = logging.getLogger("service")
T = TypeVar("T")
# Files are read in turns, one of each organization; imports are checked one at a time. Both at a low priority.
_readings = Readings()
_reading = BoundedThreadPool("imports", 32, 256, ORGANIZATION_IMPORTS_MAX, lower_priority)
_reading_slots = Slots(1, ORGANIZATION_IMPORTS_MAX, IMPORT_LIMIT_REACHED)
_checking = BoundedThreadPool("checks of imports", 1, 256, ORGANIZATION_IMPORTS_MAX, lower_priority)


class Summary(Output):
    """The number of rows of each kind that were imported or skipped."""

    imported: dict[str, int]
    skipped: dict[str, int]


class ImportReport(Output):
    """The result of an import; `missingPeople` are e-mail addresses that are no members, at most 200."""

    summary: Summary
    source_meta: dict[str, Any]
    imported_at: str
    missing_people: list[str] = []


class ImportPreview(NewerChanges):
    """What an import would undo, and the e-mail addresses of people who are no members."""

    missing_people: list[str]


class ImportQuery(Query):
    unless_changed: bool = Field(False, description="Raise conflict if the import would undo newer changes.")
    dry_run: bool = Field(False, description="Write nothing; return what the import would undo.")
    only: Literal["people"] | None = Field(
        None, description="Only fill in assignees, teams and mentions of existing rows that have none."
    )


class ImportBounds(Output):
    """The maximum size of an imported file."""

    max_bytes: int


_OVERWRITE = ImportQuery()


@routes.get("/admin/import", architect())
def get_import_limits(call: Call) -> ImportBounds:
    """Return the maximum size in bytes of an imported file (SA)."""
    return ImportBounds(max_bytes=call.service.settings.import_max_bytes)


@routes.post("/admin/import", architect(), streams=True)
async def import_snapshot(operation: Operation[Call], query: ImportQuery) -> ImportReport | ImportPreview:
    """Import a snapshot, completely or not at all (SA of the current organization and of that of the snapshot, if any).

    An organization that does not exist yet is created and belongs to the caller. Every row is validated: the `path` of
    InvalidSnapshotShape names the first wrong row and field (`history.3.changes.title.from`); a change in the history
    has the values before and after it, `{from, to}`. Comments and history are marked as `imported`, whatever the
    snapshot says; rows that exist stay as they are. Times after the import become its time, except due dates. A due
    date at midnight UTC is a day if the snapshot does not say so (`dueAllDay`). Raises
    UnknownExceptionDuringParse, InvalidSnapshotShape, UnsupportedProduct, EmptySnapshot, id_conflict, sa_required, or
    payload_too_large over 64 MiB (setting import_max_bytes); then nothing was written. A person and an organization may
    have 2 imports in progress at a time; beyond, 503 overloaded.

    Existing rows are overwritten by the snapshot. With `unlessChanged` the import raises conflict (`details.changed`,
    `archived`, `removed`) if it would undo what people or agents have done to these rows since the export, or since the
    last complete import of the same file if that is later. `dryRun` returns these numbers and writes nothing.
    `only=people` changes nothing but assignees, teams and mentions of existing rows that have none: invite the people
    in `missingPeople`, then import the file again like this.
    """
    report: ImportReport | ImportPreview = await run_import(operation, stage, query)
    return report


async def run_import(
    operation: Operation[Call],
    read: Callable[[BinaryIO, StagedSnapshot], None],
    query: ImportQuery = _OVERWRITE,
) -> Any:
    """Import the body of a request, which `read` parses and stages on a thread.

    Raises overloaded if the caller or the organization has two imports in progress.
    """
    org_id = await operation.read(lambda call: call.org_id)  # checks the permission before the body is received
    with operation.service.imports.acquire(
        Quota(operation.limit_key, CALLER_IMPORTS_MAX, "yours"),
        Quota(org_id, ORGANIZATION_IMPORTS_MAX, "the organization"),
    ):
        return await _receive_and_import(operation, org_id, read, query)


async def _receive_and_import(
    operation: Operation[Call], org_id: str, read: Callable[[BinaryIO, StagedSnapshot], None], query: ImportQuery
) -> Any:
    started = time.monotonic()
    length, disk_space = operation.request.content_length or 0, operation.service.disk_space
    with operation.service.file_store.temporary_folder(length) as folder, tempfile.TemporaryFile(dir=folder) as spool:
        await _receive(operation, spool)
        operation.read_inline(lambda call: None)  # a repeated request (Idempotency-Key) is answered here
        staging, log_file = StagedSnapshot(folder, disk_space), RedoLog(folder, disk_space)
        with contextlib.closing(staging) as staged, contextlib.closing(log_file) as redo_log:
            work = partial(_read_in_turns, read, cast(BinaryIO, spool), staged)
            async with _reading_slots.acquire(org_id):
                await _run_on_thread(operation, _reading, work, staged)
            if staged.preview is not None:
                return staged.preview
            if query.dry_run:
                return await _preview(operation, staged, query)
            report = await _import_staged(operation, staged, redo_log, query)
    log.info("import finished in %.1f s: %s", time.monotonic() - started, report.summary.imported)
    return report


async def _receive(operation: Operation[Call], spool: IO[bytes]) -> None:
    """Write the body to a file; raise payload_too_large as soon as it is too large, Unavailable if the disk is full."""
    max_bytes = operation.service.settings.import_max_bytes
    if (operation.request.content_length or 0) > max_bytes:
        raise _too_large(max_bytes)
    size = 0
    block = bytearray()
    async for chunk in _chunks(operation.request, max_bytes):
        operation.update_digest(chunk)
        size += len(chunk)
        if size > max_bytes:
            raise _too_large(max_bytes)
        block += chunk
        if len(block) >= CHUNK_BYTES:
            await asyncio.to_thread(_write, spool, bytes(block), operation.service.disk_space)
            block.clear()
    operation.update_digest(b"", is_last=True)
    await asyncio.to_thread(_write, spool, bytes(block), operation.service.disk_space)
    _skip_byte_order_mark(spool)
    log.info("import: %d bytes received", size)


def _skip_byte_order_mark(spool: IO[bytes]) -> None:
    spool.seek(0)
    is_marked = spool.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    spool.seek(len(BYTE_ORDER_MARK) if is_marked else 0)


def _write(spool: IO[bytes], block: bytes, disk_space: DiskSpace) -> None:
    disk_space.require(len(block))
    spool.write(block)


def _too_large(max_bytes: int) -> PayloadTooLarge:
    size = f"{max_bytes / (1 << 20):g} MiB"
    message = f"The file is larger than {size}; `tandem import FILE` sends a larger file in parts."
    return PayloadTooLarge(None, message, limit=max_bytes)


async def _chunks(request: web.Request, max_bytes: int) -> AsyncIterator[bytes]:
    kind = multipart.parse_mime_type(request.headers.get("Content-Type", ""))
    if kind.startswith("multipart/"):
        async for chunk in _file_part(request, max_bytes):
            yield chunk
    elif "Content-Type" in request.headers and kind != "application/json" and not kind.endswith("+json"):
        message = f"This route accepts multipart/form-data or application/json, not {kind[:100]}."
        raise UnsupportedMediaType(None, message)
    else:
        while chunk := await request_body.read_chunk(request.content):
            yield chunk


async def _file_part(request: web.Request, max_bytes: int) -> AsyncIterator[bytes]:
    is_found = False
    async for part in multipart.Form(request, max_bytes):
        if part.name == "file" and not is_found:
            is_found = True
            async for chunk in part.chunks():
                yield chunk
    if not is_found:
        raise invalid("file", "is missing; send the snapshot as a form part with this name")


async def _preview(operation: Operation[Call], staged: StagedSnapshot, query: ImportQuery) -> ImportPreview:
    """Return what an import would undo; raise sa_required if the caller may not import into the organization."""
    assert staged.organization is not None
    require_permission = partial(require_import_permission, org_id=staged.organization["id"])
    user_id, email = await operation.read(lambda call: (require_permission(call), _get_account(call))[1])
    return await _run_on_thread(
        operation, _checking, partial(_count_for_preview, operation, staged, query, user_id, email), staged
    )


def _get_account(call: Call) -> tuple[str, str]:
    return call.user_id, call.require(sql.users.get, "user", user_id=call.user_id)["email"]


def _count_for_preview(
    operation: Operation[Call], staged: StagedSnapshot, query: ImportQuery, user_id: str, email: str
) -> ImportPreview:
    assert staged.organization is not None
    with contextlib.closing(operation.service.store.snapshot()) as view:
        changes = NewerChanges() if query.only else count_newer_changes(view, staged)
        missing = People(view, staged.organization["id"], staged).list_missing()
    # The caller becomes a member of a new organization.
    others = [address for address in missing if address != email.lower()]
    return ImportPreview(**changes.model_dump(), missing_people=others)


async def _import_staged(
    operation: Operation[Call], staged: StagedSnapshot, redo_log: RedoLog, query: ImportQuery
) -> ImportReport:
    assert staged.organization is not None
    service, org_id = operation.service, staged.organization["id"]
    async with execution.lock_organization(operation, org_id, staged.placed):
        check = partial(_dry_run, operation, staged, redo_log, query)
        report, effects = await _run_on_thread(operation, _checking, check, staged)
        await execution.write(service, org_id, redo_log, effects)
    return report


def _read_in_turns(read: Callable[[BinaryIO, StagedSnapshot], None], spool: BinaryIO, staged: StagedSnapshot) -> None:
    with _readings.begin() as staged.reading:
        read(spool, staged)
    staged.reading = None


async def _run_on_thread(
    operation: Operation[Call], pool: BoundedThreadPool, work: Callable[[], T], staged: StagedSnapshot
) -> T:
    """Run a function on a thread; if the request is cancelled or the client leaves, tell the function to stop."""
    task = asyncio.ensure_future(pool.run(work, operation.limit_key))
    try:
        while not (await asyncio.wait({task}, timeout=LEFT_SECONDS))[0]:
            staged.is_cancelled = operation.request.transport is None
        return await task
    except asyncio.CancelledError:
        staged.is_cancelled = True
        task.cancel()
        raise
    except ImportCancelled:
        raise ConnectionResetError("the client has left") from None


def _dry_run(
    operation: Operation[Call], staged: StagedSnapshot, redo_log: RedoLog, query: ImportQuery
) -> tuple[ImportReport, Sequence[Effect]]:
    """Check an import with a dry run, which fills the redo log; then move file contents to their paths."""
    contents: dict[Path, Content] = {}
    effects: list[Effect] = []

    def work(tx: DryRun) -> ImportReport:
        report = operation.write_in(partial(_merge, staged, redo_log, contents, query), tx)
        effects.extend(tx.effects)
        return report

    with file_store.translate_disk_errors():
        report = operation.service.store.dry_run(work, staged.folder / "scratch", redo_log.add)
        redo_log.finish()
        files.place_contents(operation.service.settings.files, contents, staged.placed)
    return report, effects


def _merge(
    staged: StagedSnapshot, redo_log: RedoLog, contents: dict[Path, Content], query: ImportQuery, call: Call
) -> ImportReport:
    assert staged.meta is not None
    assert staged.organization is not None
    merge = Merge(call, staged, staged.organization, redo_log)
    if query.only:
        people_only.fill(merge)
    else:
        if query.unless_changed:
            count_newer_changes(merge.tx.live, staged).require_none()
        contents |= _overwrite(merge, call)
    redo_log.defer_from_here()
    if staged.is_complete and staged.meta.exportedAt and not query.only:
        merge.tx.run(sql.imports.write_mark, org_id=merge.org_id, exported_at=staged.meta.exportedAt, now=call.now)
        merge.tx.run(sql.imports.delete_old_marks, org_id=merge.org_id)
    events.record(call, "import.completed", org_id=merge.org_id)
    call.tx.on_commit(partial(call.service.notify_change, merge.org_id))
    report = _report(merge, staged, staged.meta)
    return staged.extend_report(report) if staged.extend_report else report


def _overwrite(merge: Merge, call: Call) -> dict[Path, Content]:
    merge.upsert_organization()
    boards.write(merge)
    cards.write(merge)
    comments.write(merge)
    return files.write(merge, call)


def _report(merge: Merge, staged: StagedSnapshot, meta: Meta) -> ImportReport:
    skipped = {key: staged.counts[key] for key in ("users", "apiKeys", "permissions")}
    grants = staged.grants
    if merge.is_new:
        skipped["permissions"] = grants = 0
    summary = Summary(
        imported={counter: merge.imported[counter] for counter in COUNTERS},
        skipped={**skipped, "rolePermissions": grants},
    )
    return ImportReport(
        summary=summary,
        source_meta=meta.model_dump(),
        imported_at=merge.tx.now,
        missing_people=merge.list_missing_people(),
    )
