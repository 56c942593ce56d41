"""Reader of snapshots of any size, which returns each row as unparsed JSON.

File contents, each of which may be larger than the memory, are copied to temporary files.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO

CHUNK_BYTES = 1 << 20  # read at a time
ROW_BYTES_MAX = 64 << 20  # without file contents
CONTENT = b'"contentBase64"'
# A string, which may be incomplete at the end of the buffer, or a bracket.
_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+("|\Z|\\\Z)|[{}\[\]]', re.DOTALL)
_TOKEN = re.compile(rb'\s*("(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s"{}\[\],:]++)', re.DOTALL)
_BEGINS = re.compile(rb'\s*:\s*"')
_BLANKS = re.compile(rb"\s*")


class NotASnapshot(Exception):
    """The file is not a snapshot of the export; the message says where it differs."""


@dataclass
class SnapshotValue:
    """One value of a snapshot as JSON; a file content, if it has one, is in `content`, between `head` and `tail`."""

    key: str
    is_member: bool  # of an array
    head: bytes
    content: IO[bytes] | None = None
    tail: bytes = b""

    @property
    def size(self) -> int:
        """Return the size of the value in bytes."""
        return len(self.head) + len(self.tail) + (self.content.tell() if self.content else 0)


class SnapshotReader:
    """Reads the values of a snapshot from an offset on."""

    def __init__(self, source: BinaryIO, offset: int = 0) -> None:
        self._source = source
        source.seek(offset)
        self._base = offset  # where the buffer begins in the file
        self._buffer = b""
        self._at = 0
        self._ended = False

    @property
    def offset(self) -> int:
        """Return the current offset in the file."""
        return self._base + self._at

    def rows(self, offsets: dict[str, int]) -> Iterator[SnapshotValue]:
        """Yield the value of each top-level key, or the members of arrays; store the offset of each array."""
        self._expect(b"{")
        token = self._read_token()
        while token != b"}":
            key = token[1:-1].decode(errors="replace")
            self._expect(b":")
            if self._peek() == b"[":
                offsets[key] = self.offset
            yield from self.values(key)
            token = self._read_token()
            if token == b",":
                token = self._read_token()
            elif token != b"}":
                raise self._error("a comma is missing")
        if self._read_token(optional=True):
            raise self._error("there is data after its end")

    def values(self, key: str) -> Iterator[SnapshotValue]:
        """Yield the value at the current offset, or its members if it is an array."""
        if self._peek() != b"[":
            yield self._value(key, is_member=False)
            return
        self._expect(b"[")
        if self._peek() == b"]":
            self._read_token()
            return
        token = b","
        while token == b",":
            yield self._value(key, is_member=True)
            token = self._read_token()
        if token != b"]":
            raise self._error("a comma is missing")

    def _value(self, key: str, is_member: bool) -> SnapshotValue:
        if self._peek() not in (b"{", b"["):
            return SnapshotValue(key, is_member, self._read_token())
        start, depth = self._at, 0
        while True:
            mark = self._next_mark()
            text = mark[0]
            depth += (text in (b"{", b"[")) - (text in (b"}", b"]"))
            if depth == 0:
                return self._take_value(SnapshotValue(key, is_member, b""), start)
            if key == "files" and text == CONTENT and (row := self._split_content(key, start)):
                return row

    def _next_mark(self) -> re.Match[bytes]:
        """Return the next string or bracket and move behind it; the whole value stays in the buffer."""
        while True:
            found = _MARK.search(self._buffer, self._at)
            if found and (found[1] is None or found[1] == b'"'):
                self._at = found.end()
                return found
            self._read_more(keep_value=True)

    def _take_value(self, row: SnapshotValue, start: int) -> SnapshotValue:
        row.head = self._buffer[start : self._at]
        self._drop()
        return row

    def _split_content(self, key: str, start: int) -> SnapshotValue | None:
        """Return the row of the content that begins here, with the content in a temporary file."""
        while len(self._buffer) - self._at < 100 and not self._ended:
            self._read_more(keep_value=True)
        begins = _BEGINS.match(self._buffer, self._at)
        if begins is None:  # null
            return None
        self._at = begins.end()
        row = self._take_value(SnapshotValue(key, True, b""), start)
        row.content = self._spool_content()
        start = self._at
        depth = 1
        while depth:
            text = self._next_mark()[0]
            depth += (text in (b"{", b"[")) - (text in (b"}", b"]"))
        row.tail = b'"' + self._buffer[start : self._at]
        self._drop()
        return row

    def _spool_content(self) -> IO[bytes]:
        spool = tempfile.TemporaryFile()  # noqa: SIM115  # closed after it was sent
        while (end := self._buffer.find(b'"', self._at)) < 0:
            spool.write(self._buffer[self._at :])
            self._at = len(self._buffer)
            self._read_more()
        spool.write(self._buffer[self._at : end])
        self._at = end + 1
        return spool

    def _peek(self) -> bytes:
        """Return the next byte that is not whitespace, without moving; empty at the end."""
        while True:
            self._at = _BLANKS.match(self._buffer, self._at).end()  # type: ignore[union-attr]  # it may be empty
            if self._at < len(self._buffer) or self._ended:
                return self._buffer[self._at : self._at + 1]
            self._read_more()

    def _read_token(self, optional: bool = False) -> bytes:
        while True:
            found = _TOKEN.match(self._buffer, self._at)
            if found and (found.end() < len(self._buffer) or found[1] in b"{}[],:" or self._ended):
                self._at = found.end()
                return found[1]
            if optional and self._ended and not self._peek():
                return b""
            self._read_more()

    def _expect(self, expected: bytes) -> None:
        if self._read_token() != expected:
            raise self._error(f"{expected.decode()!r} is missing")

    def _read_more(self, keep_value: bool = False) -> None:
        """Read more bytes, and drop those before the offset unless the current value is still needed."""
        if self._ended:
            raise self._error("it is truncated")
        if not keep_value:
            self._drop()
        if len(self._buffer) > ROW_BYTES_MAX:
            raise self._error("a row is too large")
        block = self._source.read(CHUNK_BYTES)
        self._ended = not block
        self._buffer += block

    def _drop(self) -> None:
        if self._at > CHUNK_BYTES or self._at == len(self._buffer):
            self._base += self._at
            self._buffer = self._buffer[self._at :]
            self._at = 0

    def _error(self, what: str) -> NotASnapshot:
        return NotASnapshot(f"it is not a file of the export: near byte {self.offset} {what}")
