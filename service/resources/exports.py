"""Export of an organization: a consistent snapshot, streamed as JSON while writes continue."""

import asyncio
import base64
import contextlib
import itertools
import logging
import re
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import orjson
from aiohttp import web

from .. import PRODUCT, VERSION
from ..auth import import_locks
from ..auth.context import Call
from ..auth.policies import architect
from ..clock import now
from ..database import migrate
from ..database.queries import sql
from ..database.store import Snapshot, Store
from ..errors import REQUEST_CONTEXT, NotFound
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..runtime.concurrency import Quota
from ..runtime.cpu_scheduling import lower_priority
from ..runtime.spooling import SnapshotStream, SnapshotTooOld, spool_or_stream
from ..schemas import Query
from . import lost_files

CHUNK_BYTES = 256 << 10  # size of the chunks in which the document is generated and sent
JOINED_CHARACTERS = 64 << 10  # rows are joined into strings of about this length
CALLER_EXPORTS_MAX, ORGANIZATION_EXPORTS_MAX, EXPORTS_MAX = 2, 4, 16  # concurrent exports
PLACEHOLDER_DELIMITER = b"\0"
SEND_TIMEOUT_SECONDS = 30  # for one chunk
CHECK_SECONDS = 1.0  # between two checks of the bounds while a client reads slowly
FILE_CHUNK_BYTES = (
    192 << 10
)  # files are encoded in chunks; a multiple of 3, so that base64 needs no padding between them
log = logging.getLogger("service")

# In the order of the specification; `exportedAt` is written between GROUPS and FURTHER_GROUPS.
GROUPS = (
    ("projects", sql.exports.projects),
    ("columns", sql.exports.columns),
    ("cardTypes", sql.exports.card_types),
    ("fields", sql.exports.fields),
    ("presets", sql.exports.presets),
    ("transitions", sql.exports.transitions),
    ("cards", sql.exports.cards),
    ("comments", sql.exports.comments),
    ("history", sql.exports.history),
    ("agents", sql.exports.agents),
    ("files", sql.exports.files),
)
FURTHER_GROUPS = (
    ("teams", sql.exports.teams),
    ("relationships", sql.exports.relationships),
    ("promptCategories", sql.exports.prompt_categories),
    ("prompts", sql.exports.prompts),
    ("promptVersions", sql.exports.prompt_versions),
    ("toolServers", sql.exports.tool_servers),
    ("permissions", sql.exports.permissions),
)
PEOPLE = sql.exports.members, sql.exports.former_members


class ExportQuery(Query):
    include_files: bool = False
    include_history: bool = True


@routes.get("/admin/export", architect(), answers="application/json")
async def export_organization(operation: Operation[Call], query: ExportQuery) -> web.StreamResponse:
    """Send a snapshot of the current organization (SA), without secrets.

    `includeFiles` adds the contents of files, `includeHistory=false` leaves out the history. `meta.missingFiles` lists
    the files whose contents are missing or damaged. At most 2 exports of a person, 4 of an organization and 16 of the
    service run concurrently: 503 overloaded. While the disk is nearly full, one export at a time is sent as it is read
    (others are 503 unavailable). It breaks off after ten minutes, or when much is written meanwhile: a file that does
    not end with `}` is incomplete.
    """
    org_id = await operation.read(lambda call: call.org_id)
    if operation.request.method == "HEAD":
        return web.Response(headers=_headers(operation.request, org_id))
    if query.include_files:
        await asyncio.to_thread(operation.service.file_store.check)  # an export without all files would be misleading
    with operation.service.exports.acquire(
        Quota(operation.limit_key, CALLER_EXPORTS_MAX, "yours"),
        Quota(org_id, ORGANIZATION_EXPORTS_MAX, "the organization"),
        Quota("", EXPORTS_MAX, "all organizations"),
    ):
        return await _stream_snapshot(operation, org_id, query)


async def _stream_snapshot(operation: Operation[Call], org_id: str, query: ExportQuery) -> web.StreamResponse:
    settings, store = operation.service.settings, operation.service.store
    exported_at, stream = operation.service.clock(), SnapshotStream(operation.service.snapshot_bounds)
    generate = partial(_generate_chunks, store, org_id, query, settings.files, exported_at)
    blocks = spool_or_stream(generate, store.path.parent, operation.service.disk_space, stream)
    chunks = _chunk(_insert_file_contents(blocks, settings.files / org_id))
    thread = ThreadPoolExecutor(1, "export", lower_priority)
    try:
        return await _send(operation.request, org_id, chunks, thread, stream)
    finally:
        # On the same thread: a generator cannot be closed while it still produces a chunk.
        for stage in (chunks, blocks):
            thread.submit(stage.close)
        thread.shutdown(wait=False)


async def _send(
    request: web.Request, org_id: str, chunks: Iterator[bytes], thread: ThreadPoolExecutor, stream: SnapshotStream
) -> web.StreamResponse:
    loop = asyncio.get_running_loop()
    chunk = await loop.run_in_executor(thread, next, chunks, b"")  # an error here is still answered with its envelope
    response = web.StreamResponse(headers=_headers(request, org_id))
    await response.prepare(request)
    try:
        while chunk:
            await asyncio.wait_for(_write(response, chunk, stream), SEND_TIMEOUT_SECONDS)
            chunk = await loop.run_in_executor(thread, next, chunks, b"")
    except Exception as error:
        _abort(request, org_id, error)
    await response.write_eof()
    return response


async def _write(response: web.StreamResponse, chunk: bytes, stream: SnapshotStream) -> None:
    """Write a chunk; raise SnapshotTooOld while a client reads slowly, instead of when it has read the chunk."""
    writing = asyncio.ensure_future(response.write(chunk))
    try:
        while not (await asyncio.wait({writing}, timeout=CHECK_SECONDS))[0]:
            stream.check()
        await writing
    finally:
        writing.cancel()


def _headers(request: web.Request, org_id: str) -> dict[str, str]:
    timestamp = re.sub(r"[-:]|\.\d+", "", now())
    return {
        "Content-Type": "application/json",
        "Content-Disposition": f'attachment; filename="tandem-{org_id}-{timestamp}.json"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": request[REQUEST_CONTEXT].request_id,
    }


def _abort(request: web.Request, org_id: str, error: Exception) -> None:
    """Abort the connection, so that no client mistakes a partial snapshot for a complete one."""
    if not isinstance(error, ConnectionError):
        is_timeout = isinstance(error, TimeoutError)
        reason = f"the client read nothing for {SEND_TIMEOUT_SECONDS} s" if is_timeout else "it failed"
        is_bound = isinstance(error, SnapshotTooOld)
        log.error(
            "the export of %s was aborted: %s",
            org_id,
            error if is_bound else reason,
            exc_info=None if is_bound else error,
        )
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError("the export was aborted") from error


def _chunk(document: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
    """Join the parts of a document into chunks of at least CHUNK_BYTES; the last one may be smaller."""
    parts: list[bytes] = []
    size = 0
    with contextlib.closing(document):
        for part in document:
            parts.append(part)
            size += len(part)
            if size >= CHUNK_BYTES:
                yield b"".join(parts)
                parts, size = [], 0
        yield b"".join(parts)


def _generate_chunks(
    store: Store, org_id: str, query: ExportQuery, files: Path, exported_at: str
) -> Generator[bytes, None, None]:
    return _chunk(_generate_document(store, org_id, query, files, exported_at))


def _generate_document(
    store: Store, org_id: str, query: ExportQuery, files: Path, exported_at: str
) -> Generator[bytes, None, None]:
    """Generate the document from one read transaction; file contents are placeholders, see _insert_file_contents."""
    with contextlib.closing(store.snapshot()) as view:
        yield from _generate_metadata(view, org_id, files, exported_at)
        yield b',"organization":' + _get_organization(view, org_id)
        given = {"org_id": org_id, "now": exported_at}
        for key, statement in GROUPS:
            is_included = key != "history" or query.include_history
            parameters = {name: given[name] for name in statement.parameters}
            rows = view.values(statement, **parameters) if is_included else iter(())
            yield from _write_array(
                key, _with_placeholders(rows) if key == "files" and query.include_files else _join_rows(rows)
            )
        yield b',"exportedAt":' + orjson.dumps(exported_at)
        for key, statement in FURTHER_GROUPS:
            yield from _write_array(key, _join_rows(view.values(statement, org_id=org_id)))
        people = [view.values(statement, org_id=org_id) for statement in PEOPLE]
        yield from _write_array("users", _join_rows(itertools.chain.from_iterable(people)))
        yield from _write_array("apiKeys", _join_rows(view.values(sql.exports.api_keys, org_id=org_id)))
        yield b"}\n"


def _generate_metadata(view: Snapshot, org_id: str, files: Path, exported_at: str) -> Iterator[bytes]:
    """Generate the metadata, with the files whose contents are missing or damaged."""
    schema = migrate.schema_version()
    metadata = {"product": PRODUCT, "version": VERSION, "schemaVersion": schema, "exportedAt": exported_at}
    yield b'{"meta":' + orjson.dumps(metadata)[:-1]
    rows = view.each(sql.exports.contents, org_id=org_id)
    missing = lost_files.generate_missing(files, org_id, rows)
    yield from _write_array("missingFiles", (orjson.dumps(row) for row in missing))
    yield b"}"


def _get_organization(view: Snapshot, org_id: str) -> bytes:
    import_locks.require_unlocked(view, org_id)  # an import may have locked it since the request was authorized
    text = view.value(sql.exports.organization, org_id=org_id)
    if text is None:
        raise NotFound("organization")
    return str(text).encode()


def _write_array(key: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    """Write a JSON array; each part is empty, or one or more rows joined by commas."""
    yield f',"{key}":['.encode()
    separator = b""
    for part in parts:
        if part.startswith(b"{"):
            yield separator
            separator = b","
        yield part
    yield b"]"


def _join_rows(rows: Iterable[str]) -> Iterator[bytes]:
    """Join rows into strings of about JOINED_CHARACTERS: handling each row alone costs more than reading it."""
    texts, length = list[str](), 0
    for text in rows:
        texts.append(text)
        length += len(text)
        if length >= JOINED_CHARACTERS:
            yield ",".join(texts).encode()
            texts, length = [], 0
    yield ",".join(texts).encode()


def _with_placeholders(rows: Iterable[str]) -> Iterator[bytes]:
    """Add to the row of each file a placeholder for its contents: a path between NULs, which JSON never contains."""
    for row in rows:
        file = orjson.loads(row)
        path = f"{file['cardId']}/{file['id']}".encode()
        yield row[:-1].encode() + b',"contentBase64":' + PLACEHOLDER_DELIMITER + path + PLACEHOLDER_DELIMITER + b"}"


def _insert_file_contents(blocks: Iterable[bytes], files: Path) -> Generator[bytes, None, None]:
    """Replace the placeholders by the contents of the files; these never change, so they are read while being sent."""
    path: list[bytes] | None = None  # parts of a path read so far: a placeholder can span several blocks
    for block in blocks:
        for number, part in enumerate(block.split(PLACEHOLDER_DELIMITER)):
            if number and path is not None:
                yield from _read_base64(files / b"".join(path).decode())
                path = None
            elif number:
                path = []
            if path is None:
                yield part
            else:
                path.append(part)


def _read_base64(path: Path) -> Iterator[bytes]:
    try:
        file = path.open("rb")
    except OSError as error:
        log.warning("export: the content of file %s is missing (%s)", path.name, error.strerror)
        yield b"null"
        return
    with file:
        yield b'"'
        while block := file.read(FILE_CHUNK_BYTES):
            yield base64.b64encode(block)
        yield b'"'
