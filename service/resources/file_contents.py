"""Download of file contents with range and conditional requests (RFC 9110), and their restoration."""

import logging
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote

import aiofiles
from aiohttp import payload, web
from aiohttp.abc import AbstractStreamWriter

from ..auth.context import FileCall
from ..auth.policies import FILE, agent, may
from ..clock import parse_timestamp
from ..database.queries import sql
from ..domain import quotas
from ..errors import BadRequest, Conflict, Forbidden, NotFound, RangeNotSatisfiable, invalid
from ..http import multipart, request_body
from ..ids import new_id
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Query, Success

CHUNK_BYTES = 1 << 18  # read at once for each download
_RANGE = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", re.ASCII | re.IGNORECASE)
# Values of `Sec-Fetch-Dest` with which a browser runs contents or applies them to a page. The policy of the page allows
# this for files of its own origin, and uploaded ones are of that origin.
_CODE_DESTINATIONS = {"audioworklet", "json", "manifest", "paintworklet", "script", "serviceworker", "sharedworker"}
_CODE_DESTINATIONS |= {"sharedstorageworklet", "speculationrules", "style", "worker", "xslt"}
_PDF = "application/pdf"
# No script of an uploaded file runs in the origin of the service. Browsers show no PDF in a sandbox; their viewers run
# its scripts apart from the origin.
_SANDBOX_POLICY = "default-src 'none'; sandbox"
_PDF_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_NOT_ASCII_SAFE = re.compile(r"[^ !#$&+.0-9A-Z^_`a-z{}~()@,=\[\]-]")
log = logging.getLogger("service")


class ContentQuery(Query):
    inline: bool = False


class Contents(payload.Payload):
    """A byte range of a file on disk as the body of a response."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        super().__init__(path)
        self._path, self._start, self._length = path, start, size

    @property
    def size(self) -> int:
        """Return the number of bytes to send."""
        return self._length

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Raise TypeError: contents are never held in memory as a whole."""
        raise TypeError("contents can only be streamed")

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Send the contents no faster than the client reads them."""
        left = self._length
        async with aiofiles.open(self._path, "rb") as file:
            await file.seek(self._start)
            while left:
                chunk = await file.read(min(CHUNK_BYTES, left))
                if not chunk:
                    raise EOFError(f"{self._path} has become shorter")
                left -= len(chunk)
                await writer.write(chunk)


@routes.get("/files/{file_id}/content", may("read", "File", FILE))
@routes.get("/files/{file_id}/content/mcp", agent(FILE))
async def get_contents(operation: Operation[FileCall], file_id: str, query: ContentQuery) -> web.StreamResponse:
    """Download a file, as an attachment unless `inline=1`; supports range and conditional requests.

    A browser that would run the contents as a script, style or worker gets 403 permission_denied. With `inline=1`
    browsers show PDFs; any other contents can do nothing there but be displayed.
    """
    file, path = await require_file(operation)
    _require_data_destination(operation.request)
    request, headers = operation.request, _get_cache_headers(file)
    if _is_not_modified(request, file):
        return web.Response(status=304, headers=headers)
    headers |= _get_content_headers(file, query.inline)
    size = file["size_bytes"]
    byte_range = _parse_range(request, headers, size)
    if byte_range is None:
        return web.Response(headers=headers, body=Contents(path, 0, size))
    start, stop = byte_range
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    return web.Response(status=206, headers=headers, body=Contents(path, start, stop - start))


# allows_archived_boards: an import of a large organization also brings the contents of files on archived boards.
RESTORE_POLICY = may(
    "create", "File", FILE, requires_architect=True, allows_archived_cards=True, allows_archived_boards=True
)


@routes.post("/files/{file_id}/content", RESTORE_POLICY, streams=True)
async def restore_contents(operation: Operation[FileCall], file_id: str) -> Success:
    """Restore the missing or damaged contents of a file (SA); the request body is the contents.

    For lost files, and those that were too large to be part of an imported snapshot. Raises conflict if the contents
    exist, payload_too_large if the file is larger than the upload limit, quota_exceeded if the organization exceeds its
    quota, and validation_failed if the body has not the size or `sha256` of the file; then nothing is changed.
    """
    file, file_store = operation.read_inline(_require_storable_file), operation.service.file_store
    size, path = file["size_bytes"], file_store.get_path(file["org_id"], file["card_id"], file["id"])
    if file["lost_since"] is None and await file_store.get_size(path) == size:
        await _replay_response(operation, size)
        message = "This file already has its contents; upload the body as a new file instead."
        raise Conflict(None, message, state="present")
    async with file_store.open_incoming(new_id("file"), size) as incoming:
        async for chunk in _read_body(operation, size):
            await incoming.write(chunk)
        await incoming.flush()
        _require_same_contents(file, incoming.sha256)
        operation.read_inline(_require_storable_file)  # the file or the permission may have been removed meanwhile
        incoming.file_id = file["id"]
        await file_store.store(incoming, file["org_id"], file["card_id"])
    return await operation.write(partial(_mark_restored, sha256=incoming.sha256))


def _require_same_contents(file: "sql.files.GetRow", sha256: str) -> None:
    if file["sha256"] not in (None, sha256):
        raise invalid("", "these are not the contents that were lost; upload them as a new file and remove this one")


def _mark_restored(call: FileCall, sha256: str) -> Success:
    call.tx.run(sql.files.update_state, file_id=call.file["id"], sha256=sha256, lost_since=None)
    return Success()


async def _read_body(operation: Operation[FileCall], size: int) -> AsyncIterator[bytes]:
    """Yield a body that must have exactly this many bytes; raise validation_failed, or request_timeout if it stops."""
    request, received = operation.request, 0
    if request.content_length in (None, size):
        while received <= size and (chunk := await request_body.read_chunk(request.content)):
            received += len(chunk)
            operation.update_digest(chunk)
            yield chunk
    if received != size:
        raise invalid("", f"the contents must have the {size} bytes of the file")
    operation.update_digest(b"", is_last=True)


async def _replay_response(operation: Operation[FileCall], size: int) -> None:
    """Read a body with an idempotency key, and raise Replay if the request is a repeated one."""
    if operation.parsed.retry is None:
        return
    with suppress(BadRequest):  # a body of another length is not a repeated one
        async for _ in _read_body(operation, size):
            pass
    operation.read_inline(_require_storable_file)


async def require_file(operation: Operation[FileCall]) -> tuple["sql.files.GetRow", Path]:
    """Return the requested file and the path of its contents; raise NotFound if its contents are not complete."""
    file, file_store = operation.read_inline(_get_file), operation.service.file_store
    path = file_store.get_path(file["org_id"], file["card_id"], file["id"])
    if await file_store.get_size(path) != file["size_bytes"]:
        log.error(
            "the contents of file %s are missing or incomplete at %s; restore them from a backup", file["id"], path
        )
        raise NotFound("file")
    return file, path


def _get_file(call: FileCall) -> "sql.files.GetRow":
    return call.file


def _require_storable_file(call: FileCall) -> "sql.files.GetRow":
    """Return the file if contents of its size may be stored: its row can come from a snapshot, with any size."""
    limit = call.service.settings.files_max_bytes
    if call.file["size_bytes"] > limit:
        raise multipart.too_large(limit)
    quotas.require_within_quota(call)
    return call.file


def _require_data_destination(request: web.Request) -> None:
    """Raise Forbidden if a browser would run the contents; also before a 304, since it would run its stored copy."""
    if request.headers.get("Sec-Fetch-Dest", "").strip().lower() in _CODE_DESTINATIONS:
        raise Forbidden(None, "Uploaded files cannot be used as scripts, styles or workers; open or download the file.")


def _get_cache_headers(file: "sql.files.GetRow") -> dict[str, str]:
    modified = parse_timestamp(file["uploaded_at"]).replace(microsecond=0)
    return {
        "ETag": f'"{file["id"]}"',  # contents never change under an id
        "Last-Modified": format_datetime(modified.astimezone(UTC), usegmt=True),
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
        "Vary": "Sec-Fetch-Dest",
    }


def _get_content_headers(file: "sql.files.GetRow", inline: bool) -> dict[str, str]:
    """Return the headers that describe the contents; scripts in them must not run in the origin of the service."""
    is_shown_pdf = inline and file["mime_type"] == _PDF
    return {
        "Content-Type": file["mime_type"],
        "Content-Disposition": format_disposition("inline" if inline else "attachment", file["name"]),
        "Content-Security-Policy": _PDF_POLICY if is_shown_pdf else _SANDBOX_POLICY,
        "X-Content-Type-Options": "nosniff",
    }


def format_disposition(kind: str, name: str) -> str:
    """Return a Content-Disposition header with the full name and an ASCII fallback for old clients (RFC 6266)."""
    fallback = _NOT_ASCII_SAFE.sub("_", name)
    return f"{kind}; filename=\"{fallback}\"; filename*=UTF-8''{quote(name, safe='')}"


def _is_not_modified(request: web.Request, file: "sql.files.GetRow") -> bool:
    if request.if_none_match is not None:
        return any(tag.value in (file["id"], "*") for tag in request.if_none_match)
    since = request.if_modified_since
    return since is not None and parse_timestamp(file["uploaded_at"]).replace(microsecond=0) <= since


def _parse_range(request: web.Request, headers: dict[str, str], size: int) -> tuple[int, int] | None:
    """Return start and stop of the requested range, or None for the whole file; raise RangeNotSatisfiable."""
    condition = request.headers.get("If-Range")
    match = _RANGE.fullmatch(request.headers.get("Range", ""))
    is_outdated = condition is not None and condition not in (headers["ETag"], headers["Last-Modified"])
    if match is None or match[0].strip() == "bytes=-" or is_outdated or request.method != "GET":
        return None
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if first and last and int(last) < int(first):
        return None
    if start >= size or start >= stop:
        message = f"The file has {size} bytes; request a range within it."
        raise RangeNotSatisfiable(None, message, {"Content-Range": f"bytes */{size}"}, sizeBytes=size)
    return start, stop
