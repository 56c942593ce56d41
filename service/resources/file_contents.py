"""Contents of files, streamed: whole or in ranges, and only if they changed (RFC 9110)."""

import logging
import re
from datetime import UTC
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import quote

import aiofiles
from aiohttp import payload, web
from aiohttp.abc import AbstractStreamWriter

from ..auth.context import FileCall
from ..auth.policies import FILE, agent, may
from ..clock import parse_timestamp
from ..database.store import Row
from ..domain import quotas
from ..errors import Conflict, NotFound, RangeNotSatisfiable, invalid
from ..http import multipart, request_body
from ..ids import new_id
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..runtime.file_store import Incoming
from ..schemas import Query, Success

CHUNK_BYTES = 1 << 18  # read at a time, for each download
_RANGE = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", re.ASCII | re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^ !#$&+.0-9A-Z^_`a-z{}~()@,=\[\]-]")
log = logging.getLogger("service")


class ContentQuery(Query):
    inline: bool = False


class Contents(payload.Payload):
    """A stretch of a file on disk, as the body of an answer."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        super().__init__(path)
        self._path, self._start, self._length = path, start, size

    @property
    def size(self) -> int:
        """Give how many bytes are sent."""
        return self._length

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Refuse to be a text: contents are never in memory as a whole."""
        raise TypeError("contents can only be streamed")

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Send the contents, no faster than the client takes them."""
        left = self._length
        async with aiofiles.open(self._path, "rb") as file:
            await file.seek(self._start)
            while left:
                piece = await file.read(min(CHUNK_BYTES, left))
                if not piece:
                    raise EOFError(f"{self._path} has become shorter")
                left -= len(piece)
                await writer.write(piece)


@routes.get("/files/{file_id}/content", may("read", "File", FILE))
@routes.get("/files/{file_id}/content/mcp", agent(FILE))
async def get_contents(operation: Operation[FileCall], file_id: str, query: ContentQuery) -> web.StreamResponse:
    """Stream the contents of a file, as an attachment unless inline=1; ranges and conditions are heeded."""
    file, path = await require_file(operation)
    request, headers = operation.request, _validators(file)
    if _is_known(request, file, headers):
        return web.Response(status=304, headers=headers)
    headers |= _description(file, query.inline)
    size = file["size_bytes"]
    stretch = _stretch(request, headers, size)
    if stretch is None:
        return web.Response(headers=headers, body=Contents(path, 0, size))
    start, stop = stretch
    headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    return web.Response(status=206, headers=headers, body=Contents(path, start, stop - start))


@routes.post("/files/{file_id}/content", may("create", "File", FILE, sa=True, archived=True), streams=True)
async def restore_contents(operation: Operation[FileCall], file_id: str) -> Success:
    """Bring back the contents of a file that has lost them (SA): the body is the contents themselves.

    For files that are too large for the snapshot that brought their rows. Raises conflict if they are there,
    payload_too_large if the file is larger than an upload may be, quota_exceeded if the organization has more than its
    quota, and validation_failed if they have not as many bytes as the file; then nothing was changed.
    """
    file, file_store = operation.read_inline(_writable_file), operation.service.file_store
    if await file_store.size(file_store.path(file["org_id"], file["card_id"], file["id"])) == file["size_bytes"]:
        raise Conflict(None, "The contents of this file are there; upload a file of its own.", state="present")
    async with file_store.incoming(new_id("file"), file["size_bytes"]) as incoming:
        await _receive(operation.request, incoming, file["size_bytes"])
        operation.read_inline(_writable_file)  # it may have gone meanwhile, and the right to it
        incoming.file_id = file["id"]
        await file_store.keep(incoming, file["org_id"], file["card_id"])
    return Success()


async def _receive(request: web.Request, incoming: Incoming, size: int) -> None:
    """Store a body that must have exactly this many bytes; raise validation_failed, or request_timeout if it stops."""
    if request.content_length in (None, size):
        while incoming.size <= size and (chunk := await request_body.read_chunk(request.content)):
            await incoming.write(chunk)
    if incoming.size != size:
        raise invalid("", f"the contents must have the {size} bytes of the file")


async def require_file(operation: Operation[FileCall]) -> tuple[Row, Path]:
    """Give the file that a call names and where its contents are; raise NotFound, also if they are not whole."""
    file, file_store = operation.read_inline(_file), operation.service.file_store
    path = file_store.path(file["org_id"], file["card_id"], file["id"])
    if await file_store.size(path) != file["size_bytes"]:
        log.error("the contents of file %s are not whole at %s; restore them from a backup", file["id"], path)
        raise NotFound("file")
    return file, path


def _file(call: FileCall) -> Row:
    return call.file


def _writable_file(call: FileCall) -> Row:
    """Return the file if contents of its size may be stored; its row may come from a snapshot that says any size."""
    limit = call.service.settings.files_max_bytes
    if call.file["size_bytes"] > limit:
        raise multipart.too_large(limit)
    quotas.require_within_quota(call)
    return call.file


def _validators(file: Row) -> dict[str, str]:
    modified = parse_timestamp(file["uploaded_at"]).replace(microsecond=0)
    return {
        "ETag": f'"{file["id"]}"',  # contents never change under an id
        "Last-Modified": format_datetime(modified.astimezone(UTC), usegmt=True),
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, no-cache",
    }


def _description(file: Row, inline: bool) -> dict[str, str]:
    """Say what the contents are; whatever they are, no script in them runs in the service's origin."""
    return {
        "Content-Type": file["mime_type"],
        "Content-Disposition": disposition("inline" if inline else "attachment", file["name"]),
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }


def disposition(kind: str, name: str) -> str:
    """Write a Content-Disposition: the name in full, and in ASCII for who cannot read that (RFC 6266)."""
    plain = _NOT_PLAIN.sub("_", name)
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _is_known(request: web.Request, file: Row, headers: dict[str, str]) -> bool:
    if request.if_none_match is not None:
        return any(tag.value in (file["id"], "*") for tag in request.if_none_match)
    since = request.if_modified_since
    return since is not None and parse_timestamp(file["uploaded_at"]).replace(microsecond=0) <= since


def _stretch(request: web.Request, headers: dict[str, str], size: int) -> tuple[int, int] | None:
    """Read the one range that is asked for; None, for the whole, if there is none that is to be heeded."""
    condition = request.headers.get("If-Range")
    match = _RANGE.fullmatch(request.headers.get("Range", ""))
    is_void = condition is not None and condition not in (headers["ETag"], headers["Last-Modified"])
    if match is None or match[0].strip() == "bytes=-" or is_void or request.method != "GET":
        return None
    first, last = match.groups()
    start = int(first) if first else max(0, size - int(last))
    stop = min(size, int(last) + 1) if first and last else size
    if first and last and int(last) < int(first):
        return None
    if start >= size or start >= stop:
        message = f"The file has {size} bytes; ask for a range inside."
        raise RangeNotSatisfiable(None, message, {"Content-Range": f"bytes */{size}"}, sizeBytes=size)
    return start, stop
