"""The contents of files inside a snapshot: taken out of the stream before it is parsed.

A content can be as large as the whole snapshot, and a JSON parser hands out a text only as a whole. So
each one goes to a file of its own, decoded on the way, and the parser is shown a short token instead.
"""

import binascii
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...runtime.disk_space import DiskSpace
from .snapshot import CHUNK_BYTES, unshapely

TEXT_BYTES_MAX = 2 << 20  # of any other text in a snapshot
_KEY = b'"contentBase64"'
_BEGIN = re.compile(rb'"contentBase64"\s*:\s*"')
_UNFINISHED = re.compile(rb"\s*(:\s*)?")


@dataclass(frozen=True)
class Content:
    """A decoded content and how many bytes it has."""

    path: Path
    size: int


@dataclass
class Inlined:
    """A stream of JSON without the contents in it; those are in `contents`, by their tokens."""

    source: BinaryIO
    folder: Path
    disk_space: DiskSpace
    contents: dict[str, Content] = field(default_factory=dict)
    _secret: str = field(default_factory=lambda: secrets.token_hex(16))  # so that no snapshot can name a token
    _buffer: bytes = b""
    _begun: bytes = b""  # a backslash at the end of a block: what it is about is in the next one
    _is_text: bool = False
    _length: int = 0  # since the last block in which a text began or ended

    def read(self, size: int) -> bytes:
        """Give some bytes more, none at the end."""
        if size == 0:  # the parser asks which type it will get
            return b""
        while not (ready := self._ready()):
            block = self.source.read(CHUNK_BYTES)
            if not block:
                ready, self._buffer = self._buffer, b""
                break
            self._buffer += block
        return self._watched(ready)

    def _ready(self) -> bytes:
        """Take from the buffer what comes before a content, with the token of that content, or what holds none."""
        match = _BEGIN.search(self._buffer)
        end = match.end() - 1 if match else self._safe_end()
        ready, self._buffer = self._buffer[:end], self._buffer[end:]
        if match is None:
            return ready
        self._buffer = self._buffer[1:]
        return ready + b'"' + self._content().encode() + b'"'

    def _safe_end(self) -> int:
        """Tell where the end of the buffer may be the beginning of a content."""
        at = self._buffer.rfind(_KEY)
        if at >= 0 and _UNFINISHED.fullmatch(self._buffer, at + len(_KEY)) and len(self._buffer) - at < CHUNK_BYTES:
            return at
        cuts = (len(self._buffer) - length for length in range(len(_KEY) - 1, 0, -1))
        return next((cut for cut in cuts if cut >= 0 and _KEY.startswith(self._buffer[cut:])), len(self._buffer))

    def _watched(self, ready: bytes) -> bytes:
        """Refuse a text that is too long, before the parser gathers it."""
        # What is left of the quotes without what stands behind a backslash is where texts begin and end.
        bare = (self._begun + ready).replace(b"\\\\", b"").replace(b'\\"', b"")
        self._begun = b"\\" if bare.endswith(b"\\") else b""
        quotes = bare.count(b'"')
        self._is_text ^= quotes % 2 == 1
        self._length = 0 if quotes else self._length + len(ready)
        if self._is_text and self._length > TEXT_BYTES_MAX:
            raise unshapely("", f"has a text of more than {TEXT_BYTES_MAX >> 20} MiB")
        return ready

    def _content(self) -> str:
        """Decode the content at the beginning of the buffer into a file and give its token."""
        token = f"{self._secret}.{len(self.contents)}"
        path = self.folder / str(len(self.contents))
        with path.open("xb") as file:
            size = self._decode(file)
            file.flush()
            os.fsync(file.fileno())
        self.contents[token] = Content(path, size)
        return token

    def _decode(self, file: BinaryIO) -> int:
        size, rest, ended = 0, b"", False
        while not ended:
            text, ended = self._text()
            text = rest + text
            cut = len(text) if ended else max(0, len(text) - 1) // 4 * 4  # only the very last four may be padded
            decoded = _decoded(text[:cut], last=ended)
            rest = text[cut:]
            self.disk_space.require(len(decoded))
            size += file.write(decoded)
        return size

    def _text(self) -> tuple[bytes, bool]:
        """Take what the buffer has of a text, and tell whether the text ends there."""
        if not self._buffer:
            self._buffer = self.source.read(CHUNK_BYTES)
        if not self._buffer:
            return b"", True  # cut short: the parser will say so
        text, quote, self._buffer = self._buffer.partition(b'"')
        return text.replace(b"\\", b""), bool(quote)  # some write / as \/; any other escape is no base64 anyway


def _decoded(text: bytes, last: bool) -> bytes:
    try:
        if not last and b"=" in text:
            raise binascii.Error
        return binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise unshapely("files", "a contentBase64 is not valid base64") from None
