"""multipart/form-data as a stream: however large a part is, no more than one network read of it is in memory."""

import re
from collections.abc import AsyncIterator
from typing import Self
from urllib.parse import unquote

from aiohttp import web

from ..errors import BadRequest, PayloadTooLarge, UnsupportedMediaType, invalid
from ..wire import NO_NUL
from . import bodies

TEXT_PART_BYTES_MAX = 1000  # of a part that is read as text
_HEAD_BYTES_MAX = 8192  # of the headers of a part
_OVERHEAD_BYTES_MAX = 1 << 16  # of a body, beside its file
_BOUNDARY = re.compile(r'^multipart/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.I)
_PARAMETER = re.compile(r';\s*([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))')
_ESCAPED = re.compile(r'\\(["\\])')
_MIME_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+-]{1,100}", re.ASCII)
# What browsers and curl write for the characters that cannot stand in a quoted name.
_BROWSERS = {"%22": '"', "%0A": "\n", "%0D": "\r"}


class Part:
    """One part of a form: its name, its file name and type if it has them, and its contents."""

    def __init__(self, form: "Form", head: bytes) -> None:
        lines = (line.partition(":") for line in head.decode("utf-8", "replace").split("\r\n"))
        headers = {name.strip().lower(): value.strip() for name, _, value in lines}
        found = _PARAMETER.findall(headers.get("content-disposition", ""))
        parameters = {key.lower(): _ESCAPED.sub(r"\1", quoted) or token for key, quoted, token in found}
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
    """Read a MIME type without its parameters; what is none says nothing of the contents."""
    mime_type = text.partition(";")[0].strip().lower()
    return mime_type if _MIME_TYPE.fullmatch(mime_type) else "application/octet-stream"


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
        """Begin to read a form whose file may have so many bytes; raise unsupported_media_type.

        Raises payload_too_large as soon as the body cannot be one that is small enough.
        """
        boundary = _BOUNDARY.match(request.headers.get("Content-Type", ""))
        if boundary is None:
            raise UnsupportedMediaType(
                None, "This route takes multipart/form-data; send the file as one part of a form."
            )
        self._stream = request.content
        self._delimiter = b"\r\n--" + (boundary[1] or boundary[2]).encode()
        self._buffer = bytearray(b"\r\n")  # so that the first delimiter looks like the others
        self._in_part = True  # what comes before the first delimiter is skipped like a part
        self._limit = limit
        self._size = 0
        self._refuse_larger(request.content_length or 0)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Part:
        """Give the next part, past what has not been read of the one before."""
        async for _ in self.contents():
            pass
        head = await self._head()
        if head is None:
            raise StopAsyncIteration
        self._in_part = True
        return Part(self, head)

    async def _head(self) -> bytes | None:
        """Read the headers of the next part; None at the end of the form."""
        while not self._buffer.startswith(b"--"):
            end = self._buffer.find(b"\r\n\r\n", 0, _HEAD_BYTES_MAX)
            if end >= 0:
                head = bytes(self._buffer[:end])
                del self._buffer[: end + 4]
                return head
            if len(self._buffer) >= _HEAD_BYTES_MAX:
                raise _broken("the headers of a part are too long or have no end")
            await self._read()
        await self._take_rest()
        return None

    async def _take_rest(self) -> None:
        """Read to the end of the body: an answer before that would end the connection."""
        while chunk := await bodies.more(self._stream):
            self._count(chunk)

    async def contents(self) -> AsyncIterator[bytes]:
        """Give what is left of the part that is being read."""
        while self._in_part:
            end = self._buffer.find(self._delimiter)
            self._in_part = end < 0
            # The end of the buffer may be the beginning of a delimiter.
            size = max(0, len(self._buffer) - len(self._delimiter) + 1) if end < 0 else end
            chunk = bytes(self._buffer[:size])
            del self._buffer[: size if end < 0 else end + len(self._delimiter)]
            if chunk:
                yield chunk
            if self._in_part:
                await self._read()

    async def _read(self) -> None:
        chunk = await bodies.more(self._stream)
        if not chunk:
            raise _broken("it ends before its last boundary")
        self._count(chunk)
        self._buffer += chunk

    def _count(self, chunk: bytes) -> None:
        self._size += len(chunk)
        self._refuse_larger(self._size)

    def _refuse_larger(self, size: int) -> None:
        if size > self._limit + _OVERHEAD_BYTES_MAX:
            raise too_large(self._limit)


def too_large(limit: int) -> PayloadTooLarge:
    """Make the error for a file that is larger than it may be."""
    return PayloadTooLarge(None, f"A file may have {limit} bytes here; send a smaller one.", limitBytes=limit)


def _broken(what: str) -> BadRequest:
    return invalid("", f"the body is not multipart/form-data: {what}")
