"""Streaming parser of multipart/form-data: at most one network read of a part is in memory."""

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

TEXT_PART_BYTES_MAX = 1000  # per part that is read as text
_BOUNDARY_BYTES_MAX = 70  # RFC 2046
_SLICE_BYTES = 512  # parsed without a pause where the parser may work byte by byte (0.3 µs each)
PARTS_MAX = 100  # per form; the library limits the headers of a part: 8, of 4 KiB each
_OVERHEAD_BYTES_MAX = 1 << 16  # of a body in addition to its file
_PARAMETER = re.compile(r';\s*([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))')
_ESCAPED = re.compile(r'\\(["\\])')
_MIME_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+-]{1,100}", re.ASCII)
# How browsers and curl escape the characters that a quoted file name cannot contain.
_BROWSER_ESCAPES = {"%22": '"', "%0A": "\n", "%0D": "\r"}


class FormPart:
    """A part of a form: its name, file name, MIME type and contents."""

    def __init__(self, form: "Form", fields: list[tuple[bytearray, bytearray]]) -> None:
        headers = {name.decode().lower(): value.decode("utf-8", "replace").strip() for name, value in fields}
        parameters = _parse_parameters(headers.get("content-disposition", ""))
        self.name = parameters.get("name", "")
        self.file_name = _parse_file_name(parameters)
        self.mime_type = parse_mime_type(headers.get("content-type", ""))
        self._form = form

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the contents as they arrive."""
        return self._form.contents()

    async def text(self) -> str:
        """Return the contents as a short text; raise validation_failed if they are too long or not UTF-8."""
        raw = bytearray()
        async for chunk in self.chunks():
            raw += chunk
            if len(raw) > TEXT_PART_BYTES_MAX:
                raise invalid(self.name, f"may have at most {TEXT_PART_BYTES_MAX} bytes")
        if b"\0" in raw:
            raise invalid(self.name, NO_NUL)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise invalid(self.name, "must be UTF-8 text") from None


def parse_mime_type(text: str) -> str:
    """Return a MIME type without its parameters, or application/octet-stream if the text is not a MIME type.

    `content_type` of aiohttp is not used: it takes over a second for some headers of 16 KB.
    """
    mime_type = text.partition(";")[0].strip().lower()
    return mime_type if _MIME_TYPE.fullmatch(mime_type) else "application/octet-stream"


def _parse_parameters(header: str) -> dict[str, str]:
    """Return the parameters of a header, keyed by lower-case name."""
    found = _PARAMETER.findall(header)
    return {key.lower(): _ESCAPED.sub(r"\1", quoted) or token for key, quoted, token in found}


def _parse_file_name(parameters: dict[str, str]) -> str | None:
    """Return the extended file name (RFC 8187) if there is one, else the plain one with browser escapes decoded."""
    charset, _, extended = parameters.get("filename*", "").partition("'")
    if charset.lower() == "utf-8":
        return unquote(extended.partition("'")[2], errors="replace")
    name = parameters.get("filename")
    return name and re.sub("%22|%0A|%0D", lambda match: _BROWSER_ESCAPES[match[0].upper()], name, flags=re.I)


class Form:
    """An asynchronous iterator over the parts of a form, in the order in which they arrive."""

    def __init__(self, request: web.Request, limit: int) -> None:
        """Start to read a form whose file may have at most `limit` bytes.

        Raise unsupported_media_type or validation_failed, and payload_too_large if the Content-Length is too large.
        """
        kind = request.headers.get("Content-Type", "")
        boundary = _parse_parameters(kind).get("boundary", "").encode(errors="surrogateescape")
        if not boundary or parse_mime_type(kind) != "multipart/form-data":
            message = "This route takes multipart/form-data; send the file as one part of a form."
            raise UnsupportedMediaType(None, message)
        if len(boundary) > _BOUNDARY_BYTES_MAX:
            raise _invalid_form(f"its boundary has more than {_BOUNDARY_BYTES_MAX} bytes")
        self._stream, self._limit, self._bytes_left = request.content, limit, limit + _OVERHEAD_BYTES_MAX
        if (request.content_length or 0) > self._bytes_left:
            raise too_large(limit)
        self._parsed = deque[FormPart | bytes | None]()  # parts, each followed by its contents; None ends the form
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
                "on_part_data": lambda data, start, end: self._parsed.append(data[start:end]),
                "on_end": lambda: self._parsed.append(None),
            },
        )
        # The library rejects a preamble, so it is parsed as the contents of a part that is skipped.
        parser.write(self._delimiter + b"\r\n\r\n\r\n")
        self._parsed.clear()
        return parser

    def _add_part(self) -> None:
        self._parts += 1
        if self._parts > PARTS_MAX + 1:
            raise _invalid_form(f"it has more than {PARTS_MAX} parts")
        self._parsed.append(FormPart(self, self._headers))
        self._headers = []

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> FormPart:
        """Return the next part, skipping unread contents of the previous one."""
        async for _ in self.contents():
            pass
        part = self._parsed.popleft()
        if isinstance(part, FormPart):
            return part
        while chunk := await request_body.read_chunk(self._stream):
            self._count(len(chunk))
        raise StopAsyncIteration

    async def contents(self) -> AsyncIterator[bytes]:
        """Yield the rest of the current part."""
        while True:
            while not self._parsed:
                await self._parse_more()
            if not isinstance(chunk := self._parsed[0], bytes):
                return
            self._parsed.popleft()
            yield chunk

    async def _parse_more(self) -> None:
        chunk = await request_body.read_chunk(self._stream)
        if not chunk:
            raise _invalid_form("it ends before its last boundary")
        self._count(len(chunk))
        start = 0
        while start < len(chunk):
            end = self._find_slice_end(chunk, start)
            self._parse(chunk[start:end])
            start = end
            await asyncio.sleep(0)  # a form that is slow to parse must not delay other requests

    def _find_slice_end(self, chunk: bytes, start: int) -> int:
        """Return the end of the next slice to parse: only contents up to the next boundary are sure to parse fast."""
        if self._parser.state == MultipartState.PART_DATA and not self._parser.index:
            boundary = chunk.find(self._delimiter, start)
            if boundary != start:
                return boundary if boundary > 0 else len(chunk)
        return start + _SLICE_BYTES

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise _invalid_form(f"the headers of a part are malformed or too long ({error})") from None

    def _count(self, size: int) -> None:
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise too_large(self._limit)


def too_large(limit: int) -> PayloadTooLarge:
    """Return the error for a file that exceeds the limit in bytes."""
    return PayloadTooLarge(None, f"A file may have {limit} bytes here; send a smaller one.", limitBytes=limit)


def _invalid_form(reason: str) -> BadRequest:
    return invalid("", f"the body is not multipart/form-data: {reason}")
