"""Extraction of file contents (base64) from the JSON stream of a snapshot, before it is parsed.

A file content can be as large as the whole snapshot, and a JSON parser returns each string as a whole. So each content
is decoded into a temporary file, and the parser reads a short token in its place.
"""

import binascii
import hashlib
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...runtime.disk_space import DiskSpace
from .snapshot import CHUNK_BYTES, invalid_snapshot

TEXT_BYTES_MAX = 2 << 20  # maximum size of any other string in a snapshot
_KEY = b'"contentBase64"'
_BEGIN = re.compile(rb'"contentBase64"\s*:\s*"')
_UNFINISHED = re.compile(rb"\s*(:\s*)?")


@dataclass(frozen=True)
class Content:
    """The temporary file of a decoded content, with its size in bytes and its SHA-256."""

    path: Path
    size: int
    sha256: str


@dataclass
class ContentExtractor:
    """A JSON stream with tokens in place of file contents; `contents` has the decoded contents by token."""

    source: BinaryIO
    folder: Path
    disk_space: DiskSpace
    contents: dict[str, Content] = field(default_factory=dict)
    _secret: str = field(default_factory=lambda: secrets.token_hex(16))  # so that no snapshot can contain a token
    _buffer: bytes = b""
    _pending_escape: bytes = b""  # a backslash at the end of a block; the character that it escapes is in the next one
    _is_text: bool = False
    _length: int = 0  # since the last block in which a string began or ended

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end of the stream."""
        if size == 0:  # the parser calls read(0) to check whether it gets bytes or text
            return b""
        while not (ready := self._remove_ready_part()):
            block = self.source.read(CHUNK_BYTES)
            if not block:
                ready, self._buffer = self._buffer, b""
                break
            self._buffer += block
        self._check_text_length(ready)
        return ready

    def _remove_ready_part(self) -> bytes:
        """Remove and return the part of the buffer that can be parsed, with a token in place of a file content."""
        match = _BEGIN.search(self._buffer)
        end = match.end() - 1 if match else self._find_safe_end()
        ready, self._buffer = self._buffer[:end], self._buffer[end:]
        if match is None:
            return ready
        self._buffer = self._buffer[1:]
        return ready + b'"' + self._extract_content().encode() + b'"'

    def _find_safe_end(self) -> int:
        """Return the end of the part of the buffer in which no file content can begin."""
        at = self._buffer.rfind(_KEY)
        if at >= 0 and _UNFINISHED.fullmatch(self._buffer, at + len(_KEY)) and len(self._buffer) - at < CHUNK_BYTES:
            return at
        cuts = (len(self._buffer) - length for length in range(len(_KEY) - 1, 0, -1))
        return next((cut for cut in cuts if cut >= 0 and _KEY.startswith(self._buffer[cut:])), len(self._buffer))

    def _check_text_length(self, ready: bytes) -> None:
        """Raise InvalidSnapshotShape for a string that is too long, before the parser holds all of it in memory."""
        # The quotes that are not escaped are where strings begin and end.
        bare = (self._pending_escape + ready).replace(b"\\\\", b"").replace(b'\\"', b"")
        self._pending_escape = b"\\" if bare.endswith(b"\\") else b""
        quotes = bare.count(b'"')
        self._is_text ^= quotes % 2 == 1
        self._length = 0 if quotes else self._length + len(ready)
        if self._is_text and self._length > TEXT_BYTES_MAX:
            raise invalid_snapshot("", f"has a text of more than {TEXT_BYTES_MAX >> 20} MiB")

    def _extract_content(self) -> str:
        """Decode the file content at the beginning of the buffer into a temporary file and return its token."""
        token = f"{self._secret}.{len(self.contents)}"
        path = self.folder / str(len(self.contents))
        with path.open("xb") as file:
            digest = hashlib.sha256()
            size = self._decode(file, digest)
            file.flush()
            os.fsync(file.fileno())
        self.contents[token] = Content(path, size, digest.hexdigest())
        return token

    def _decode(self, file: BinaryIO, digest: "hashlib._Hash") -> int:
        size, rest, ended = 0, b"", False
        while not ended:
            text, ended = self._next_base64()
            text = rest + text
            cut = len(text) if ended else max(0, len(text) - 1) // 4 * 4  # only the last four characters may be padded
            decoded = _decode_base64(text[:cut], last=ended)
            rest = text[cut:]
            self.disk_space.require(len(decoded))
            digest.update(decoded)
            size += file.write(decoded)
        return size

    def _next_base64(self) -> tuple[bytes, bool]:
        """Remove and return the next part of a file content, and whether the content ends there."""
        if not self._buffer:
            self._buffer = self.source.read(CHUNK_BYTES)
        if not self._buffer:
            return b"", True  # the stream is truncated; the parser reports it
        text, quote, self._buffer = self._buffer.partition(b'"')
        return text.replace(b"\\", b""), bool(quote)  # some programs write / as \/; base64 needs no other escapes


def _decode_base64(text: bytes, last: bool) -> bytes:
    try:
        if not last and b"=" in text:
            raise binascii.Error
        return binascii.a2b_base64(text, strict_mode=True)
    except binascii.Error:
        raise invalid_snapshot("files", "a contentBase64 is not valid base64") from None
