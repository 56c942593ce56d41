"""Export: one consistent snapshot of an organization as a stream, while writes go on (contract, section 5)."""

import asyncio
import base64
import contextlib
import itertools
import logging
import re
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
from ..runtime.spooling import spool_to_disk
from ..schemas import Query

CHUNK_BYTES = 256 << 10  # that are made, and then sent, at a time
JOINED_CHARACTERS = 64 << 10  # of rows that are put together first
CALLER_EXPORTS_MAX, ORGANIZATION_EXPORTS_MAX, EXPORTS_MAX = 2, 4, 16  # under way at a time
MARK = b"\0"
SEND_TIMEOUT_SECONDS = 30  # for one chunk
FILE_CHUNK_BYTES = 192 << 10  # of a file, encoded at a time; a multiple of 3, so that base64 has no seams
log = logging.getLogger("service")

# In the order of the specification; `exportedAt` stands between the two.
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
    """Send a snapshot of the current organization (SA), without any secret; files and history as asked.

    A person has 2 exports under way at a time, an organization 4, the service 16: 503 overloaded. While the disk is
    nearly full it is 503 unavailable.
    """
    org_id = await operation.read(lambda call: call.org_id)
    if operation.request.method == "HEAD":
        return web.Response(headers=_headers(operation.request, org_id))
    if query.include_files:
        await asyncio.to_thread(operation.service.file_store.check)  # rather no export than one without all the files
    with operation.service.exports.acquire(
        Quota(operation.who, CALLER_EXPORTS_MAX, "yours"),
        Quota(org_id, ORGANIZATION_EXPORTS_MAX, "the organization"),
        Quota("", EXPORTS_MAX, "all organizations"),
    ):
        return await _spooled(operation, org_id, query)


async def _spooled(operation: Operation[Call], org_id: str, query: ExportQuery) -> web.StreamResponse:
    settings, store = operation.service.settings, operation.service.store
    rows = _pieces(_told(store, org_id, query))
    blocks = spool_to_disk(rows, store.path.parent, operation.service.disk_space)
    pieces = _pieces(_filled(blocks, settings.files / org_id))
    thread = ThreadPoolExecutor(1, "export", lower_priority)
    try:
        return await _send(operation.request, org_id, pieces, thread)
    finally:
        # On the same thread, thus after the piece that may still be in the making.
        for stage in (pieces, blocks, rows):
            thread.submit(stage.close)
        thread.shutdown(wait=False)


async def _send(
    request: web.Request, org_id: str, pieces: Iterator[bytes], thread: ThreadPoolExecutor
) -> web.StreamResponse:
    loop = asyncio.get_running_loop()
    piece = await loop.run_in_executor(thread, next, pieces, b"")  # what fails here still gets its envelope
    response = web.StreamResponse(headers=_headers(request, org_id))
    await response.prepare(request)
    try:
        while piece:
            await asyncio.wait_for(response.write(piece), SEND_TIMEOUT_SECONDS)
            piece = await loop.run_in_executor(thread, next, pieces, b"")
    except Exception as error:
        _break_off(request, org_id, error)
    await response.write_eof()
    return response


def _headers(request: web.Request, org_id: str) -> dict[str, str]:
    moment = re.sub(r"[-:]|\.\d+", "", now())
    return {
        "Content-Type": "application/json",
        "Content-Disposition": f'attachment; filename="tandem-{org_id}-{moment}.json"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Request-Id": request[REQUEST_CONTEXT].request_id,
    }


def _break_off(request: web.Request, org_id: str, error: Exception) -> None:
    """Cut the connection, so that nobody takes half a snapshot for a whole one."""
    if not isinstance(error, ConnectionError):
        is_late = isinstance(error, TimeoutError)
        reason = f"the client took nothing for {SEND_TIMEOUT_SECONDS} s" if is_late else "it failed"
        log.error("the export of %s was broken off: %s", org_id, reason, exc_info=error)
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError("the export was broken off") from error


def _pieces(document: Generator[bytes, None, None]) -> Generator[bytes, None, None]:
    """Gather the parts of a document into pieces that are worth sending."""
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


def _told(store: Store, org_id: str, query: ExportQuery) -> Generator[bytes, None, None]:
    """Give what the database tells, all from one transaction; contents of files are left to _filled."""
    exported_at = now()
    with contextlib.closing(store.snapshot()) as view:
        yield b'{"meta":' + orjson.dumps(_meta(exported_at))
        yield b',"organization":' + _organization(view, org_id)
        for key, statement in GROUPS:
            is_wanted = key != "history" or query.include_history
            rows = view.values(statement, org_id=org_id) if is_wanted else iter(())
            yield from _group(key, _with_limiter(rows) if key == "files" and query.include_files else _joined(rows))
        yield b',"exportedAt":' + orjson.dumps(exported_at)
        for key, statement in FURTHER_GROUPS:
            yield from _group(key, _joined(view.values(statement, org_id=org_id)))
        people = [view.values(statement, org_id=org_id) for statement in PEOPLE]
        yield from _group("users", _joined(itertools.chain.from_iterable(people)))
        yield from _group("apiKeys", _joined(view.values(sql.exports.api_keys, org_id=org_id)))
        yield b"}\n"


def _meta(exported_at: str) -> dict[str, object]:
    schema = migrate.schema_version()
    return {"product": PRODUCT, "version": VERSION, "schemaVersion": schema, "exportedAt": exported_at}


def _organization(view: Snapshot, org_id: str) -> bytes:
    import_locks.judge(view, org_id)  # it may have been held since the caller was admitted
    text = view.value(sql.exports.organization, org_id=org_id)
    if text is None:
        raise NotFound("organization")
    return str(text).encode()


def _group(key: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    """Make an array of rows; a part that begins with an opening brace begins a row, or several."""
    yield f',"{key}":['.encode()
    separator = b""
    for part in parts:
        if part.startswith(b"{"):
            yield separator
            separator = b","
        yield part
    yield b"]"


def _joined(rows: Iterable[str]) -> Iterator[bytes]:
    """Put rows together, as many as have some length: what is done with each by itself takes longer than to read it."""
    texts, length = list[str](), 0
    for text in rows:
        texts.append(text)
        length += len(text)
        if length >= JOINED_CHARACTERS:
            yield ",".join(texts).encode()
            texts, length = [], 0
    yield ",".join(texts).encode()


def _with_limiter(rows: Iterable[str]) -> Iterator[bytes]:
    """Note in the rows of files where their contents belong: between two NULs, which no JSON holds."""
    for row in rows:
        about = orjson.loads(row)
        place = f"{about['cardId']}/{about['id']}".encode()
        yield row[:-1].encode() + b',"contentBase64":' + MARK + place + MARK + b"}"


def _filled(blocks: Iterable[bytes], files: Path) -> Generator[bytes, None, None]:
    """Put contents of files where they belong; they never change, so they are read as they are sent."""
    place: list[bytes] | None = None  # what has come of the name of one
    for block in blocks:
        for number, part in enumerate(block.split(MARK)):
            if number and place is not None:
                yield from _content(files / b"".join(place).decode())
                place = None
            elif number:
                place = []
            if place is None:
                yield part
            else:
                place.append(part)


def _content(path: Path) -> Iterator[bytes]:
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
