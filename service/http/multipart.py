"""multipart/form-data as a stream: however large a part is, no more than one network read of it is in memory."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator
from typing import Self
from urllib.parse import unquote

from aiohttp import web
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, MultipartState

from ..errors import BadRequest, PayloadTooLarge, UnsupportedMediaType, invalid
from ..schemas import NO_NUL
from . import request_body

TEXT_PART_BYTES_MAX = 1000  # of a part that is read as text
_BOUNDARY_BYTES_MAX = 70  # RFC 2046
_SLICE_BYTES = 512  # parsed in one go where the parser may work byte by byte (0.3 µs each)
PARTS_MAX = 100  # of a form; the library bounds the headers of a part: 8, of 4 KiB each
_OVERHEAD_BYTES_MAX = 1 << 16  # of a body, beside its file
_PARAMETER = re.compile(r';\s*([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))')
_ESCAPED = re.compile(r'\\(["\\])')
_MIME_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+-]{1,100}", re.ASCII)
# What browsers and curl write for the characters that cannot stand in a quoted name.
_BROWSERS = {"%22": '"', "%0A": "\n", "%0D": "\r"}


class Part:
    """One part of a form: its name, its file name and type if it has them, and its contents."""

    def __init__(self, form: "Form", fields: list[tuple[bytearray, bytearray]]) -> None:
        headers = {name.decode().lower(): value.decode("utf-8", "replace").strip() for name, value in fields}
        parameters = _parameters(headers.get("content-disposition", ""))
        self.name = parameters.get("name", "")
        self.file_name = _file_name(parameters)
        self.mime_type = mime_type_of(headers.get("content-type", ""))
        self._form = form

    def chunks(self) -> AsyncIterator[bytes]:
        """Give the contents as they come in."""
        return self._form.contents()

    async def text(self) -> str:
        """Give the contents as a short text; raise validation_failed."""
        raw = bytearray()
        async for chunk in self.chunks():
            raw += chunk
            if len(raw) > TEXT_PART_BYTES_MAX:
                raise invalid(self.name, f"may have {TEXT_PART_BYTES_MAX} bytes at the most")
        if b"\0" in raw:
            raise invalid(self.name, NO_NUL)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise invalid(self.name, "must be UTF-8 text") from None


def mime_type_of(text: str) -> str:
    """Read a MIME type without its parameters; what is none says nothing of the contents.

    (aiohttp's `content_type` takes over a second for some headers of 16 KB.)
    """
    mime_type = text.partition(";")[0].strip().lower()
    return mime_type if _MIME_TYPE.fullmatch(mime_type) else "application/octet-stream"


def _parameters(header: str) -> dict[str, str]:
    """Return the parameters of a header by their names in lower case."""
    found = _PARAMETER.findall(header)
    return {key.lower(): _ESCAPED.sub(r"\1", quoted) or token for key, quoted, token in found}


def _file_name(parameters: dict[str, str]) -> str | None:
    """Read the file name: an extended one (RFC 8187) first, else the plain one as browsers write it."""
    charset, _, extended = parameters.get("filename*", "").partition("'")
    if charset.lower() == "utf-8":
        return unquote(extended.partition("'")[2], errors="replace")
    name = parameters.get("filename")
    return name and re.sub("%22|%0A|%0D", lambda match: _BROWSERS[match[0].upper()], name, flags=re.I)


class Form:
    """Reads the parts of one form, in the order in which they come."""

    def __init__(self, request: web.Request, limit: int) -> None:
        """Begin to read a form whose file may have `limit` bytes; raise unsupported_media_type, validation_failed.

        Raises payload_too_large as soon as the body cannot be one that is small enough.
        """
        kind = request.headers.get("Content-Type", "")
        boundary = _parameters(kind).get("boundary", "").encode(errors="surrogateescape")
        if not boundary or mime_type_of(kind) != "multipart/form-data":
            message = "This route takes multipart/form-data; send the file as one part of a form."
            raise UnsupportedMediaType(None, message)
        if len(boundary) > _BOUNDARY_BYTES_MAX:
            raise _broken(f"its boundary has more than {_BOUNDARY_BYTES_MAX} bytes")
        self._stream, self._limit, self._bytes_left = request.content, limit, limit + _OVERHEAD_BYTES_MAX
        if (request.content_length or 0) > self._bytes_left:
            raise too_large(limit)
        self._found = deque[Part | bytes | None]()  # parts, each followed by its contents; None ends the form
        self._headers, self._parts = list[tuple[bytearray, bytearray]](), 0
        self._delimiter = b"\r\n--" + boundary
        self._parser = self._make_parser(boundary)

    def _make_parser(self, boundary: bytes) -> MultipartParser:
        parser = MultipartParser(
            boundary,
            {
                "on_header_begin": lambda: self._headers.append((bytearray(), bytearray())),
                "on_header_field": lambda data, start, end: self._headers[-1][0].extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._headers[-1][1].extend(data[start:end]),
                "on_headers_finished": self._add_part,
                "on_part_data": lambda data, start, end: self._found.append(data[start:end]),
                "on_end": lambda: self._found.append(None),
            },
        )
        # The library refuses a preamble, so it is parsed as the contents of a part that is skipped.
        parser.write(self._delimiter + b"\r\n\r\n\r\n")
        self._found.clear()
        return parser

    def _add_part(self) -> None:
        self._parts += 1
        if self._parts > PARTS_MAX + 1:
            raise _broken(f"it has more than {PARTS_MAX} parts")
        self._found.append(Part(self, self._headers))
        self._headers = []

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Part:
        """Return the next part, past what has not been read of the one before."""
        async for _ in self.contents():
            pass
        part = self._found.popleft()
        if isinstance(part, Part):
            return part
        while chunk := await request_body.more(self._stream):  # an answer before the end would close the connection
            self._count(len(chunk))
        raise StopAsyncIteration

    async def contents(self) -> AsyncIterator[bytes]:
        """Yield what is left of the part that is being read."""
        while True:
            while not self._found:
                await self._parse_more()
            if not isinstance(chunk := self._found[0], bytes):
                return
            self._found.popleft()
            yield chunk

    async def _parse_more(self) -> None:
        chunk = await request_body.more(self._stream)
        if not chunk:
            raise _broken("it ends before its last boundary")
        self._count(len(chunk))
        start = 0
        while start < len(chunk):
            end = self._end_of_piece(chunk, start)
            self._parse(chunk[start:end])
            start = end
            await asyncio.sleep(0)  # a form that is slow to parse must not delay other requests

    def _end_of_piece(self, chunk: bytes, start: int) -> int:
        """Return how far to parse in one go: contents up to the next boundary are fast, all else may be slow."""
        if self._parser.state == MultipartState.PART_DATA and not self._parser.index:
            boundary = chunk.find(self._delimiter, start)
            if boundary != start:
                return boundary if boundary > 0 else len(chunk)
        return start + _SLICE_BYTES

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise _broken(f"the headers of a part are malformed or too long ({error})") from None

    def _count(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise too_large(self._limit)


def too_large(limit: int) -> PayloadTooLarge:
    """Make the error for a file that is larger than it may be."""
    return PayloadTooLarge(None, f"A file may have {limit} bytes here; send a smaller one.", limitBytes=limit)


def _broken(what: str) -> BadRequest:
    return invalid("", f"the body is not multipart/form-data: {what}")
