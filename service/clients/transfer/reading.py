"""A snapshot read row by row as it stands in its file, however large it is: rows are passed on, not taken apart.

The contents of files, each of which may be larger than memory, go to a file of their own on the way.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO

CHUNK_BYTES = 1 << 20  # that are read at a time
ROW_BYTES_MAX = 64 << 20  # contents aside
CONTENT = b'"contentBase64"'
# A text, perhaps an unfinished one at the end of what was read; or a bracket.
_MARK = re.compile(rb'"(?:[^"\\]++|\\.)*+("|\Z|\\\Z)|[{}\[\]]', re.DOTALL)
_TOKEN = re.compile(rb'\s*("(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^\s"{}\[\],:]++)', re.DOTALL)
_BEGINS = re.compile(rb'\s*:\s*"')
_BLANKS = re.compile(rb"\s*")


class NotASnapshot(Exception):
    """The file is no snapshot as export makes it; the message says where."""


@dataclass
class Row:
    """One value of a snapshot as it stands there; `content` is what stands between head and tail, if it has one."""

    key: str
    is_member: bool  # of an array
    head: bytes
    content: IO[bytes] | None = None
    tail: bytes = b""

    @property
    def size(self) -> int:
        """Count the bytes of all of it."""
        return len(self.head) + len(self.tail) + (self.content.tell() if self.content else 0)


class Reader:
    """A position in a snapshot."""

    def __init__(self, source: BinaryIO, offset: int = 0) -> None:
        self._source = source
        source.seek(offset)
        self._base = offset  # where the buffer begins in the file
        self._buffer = b""
        self._at = 0
        self._ended = False

    @property
    def offset(self) -> int:
        """Tell the place in the file."""
        return self._base + self._at

    def rows(self, places: dict[str, int]) -> Iterator[Row]:
        """Give every value under a top-level key, the members of arrays one by one; note where each array begins."""
        self._expect(b"{")
        token = self._token()
        while token != b"}":
            key = token[1:-1].decode(errors="replace")
            self._expect(b":")
            if self._peek() == b"[":
                places[key] = self.offset
            yield from self.values(key)
            token = self._token()
            if token == b",":
                token = self._token()
            elif token != b"}":
                raise self._wrong("a comma is missing")
        if self._token(optional=True):
            raise self._wrong("there is more after its end")

    def values(self, key: str) -> Iterator[Row]:
        """Give the value that stands here, or its members if it is an array."""
        if self._peek() != b"[":
            yield self._value(key, is_member=False)
            return
        self._expect(b"[")
        if self._peek() == b"]":
            self._token()
            return
        token = b","
        while token == b",":
            yield self._value(key, is_member=True)
            token = self._token()
        if token != b"]":
            raise self._wrong("a comma is missing")

    def _value(self, key: str, is_member: bool) -> Row:
        if self._peek() not in (b"{", b"["):
            return Row(key, is_member, self._token())
        start, depth = self._at, 0
        while True:
            mark = self._mark()
            text = mark[0]
            depth += (text in (b"{", b"[")) - (text in (b"}", b"]"))
            if depth == 0:
                return self._cut(Row(key, is_member, b""), start)
            if key == "files" and text == CONTENT and (row := self._with_content(key, start)):
                return row

    def _mark(self) -> re.Match[bytes]:
        """Give the next text or bracket of a value, and stand behind it; the value itself stays in the buffer."""
        while True:
            found = _MARK.search(self._buffer, self._at)
            if found and (found[1] is None or found[1] == b'"'):
                self._at = found.end()
                return found
            self._more(keep=True)

    def _cut(self, row: Row, start: int) -> Row:
        row.head = self._buffer[start : self._at]
        self._drop()
        return row

    def _with_content(self, key: str, start: int) -> Row | None:
        """Take out the content that begins here, up to the end of its row."""
        while len(self._buffer) - self._at < 100 and not self._ended:
            self._more(keep=True)
        begins = _BEGINS.match(self._buffer, self._at)
        if begins is None:  # null
            return None
        self._at = begins.end()
        row = self._cut(Row(key, True, b""), start)
        row.content = self._spooled()
        start = self._at
        depth = 1
        while depth:
            text = self._mark()[0]
            depth += (text in (b"{", b"[")) - (text in (b"}", b"]"))
        row.tail = b'"' + self._buffer[start : self._at]
        self._drop()
        return row

    def _spooled(self) -> IO[bytes]:
        spool = tempfile.TemporaryFile()  # noqa: SIM115  # closed by whoever has sent it
        while (end := self._buffer.find(b'"', self._at)) < 0:
            spool.write(self._buffer[self._at :])
            self._at = len(self._buffer)
            self._more()
        spool.write(self._buffer[self._at : end])
        self._at = end + 1
        return spool

    def _peek(self) -> bytes:
        """Look at the next byte that is no blank; none at the end."""
        while True:
            self._at = _BLANKS.match(self._buffer, self._at).end()  # type: ignore[union-attr]  # it may be empty
            if self._at < len(self._buffer) or self._ended:
                return self._buffer[self._at : self._at + 1]
            self._more()

    def _token(self, optional: bool = False) -> bytes:
        while True:
            found = _TOKEN.match(self._buffer, self._at)
            if found and (found.end() < len(self._buffer) or found[1] in b"{}[],:" or self._ended):
                self._at = found.end()
                return found[1]
            if optional and self._ended and not self._peek():
                return b""
            self._more()

    def _expect(self, wanted: bytes) -> None:
        if self._token() != wanted:
            raise self._wrong(f"{wanted.decode()!r} is missing")

    def _more(self, keep: bool = False) -> None:
        """Read on; what was dealt with is forgotten, unless the value that stands there is still wanted."""
        if self._ended:
            raise self._wrong("it is cut short")
        if not keep:
            self._drop()
        if len(self._buffer) > ROW_BYTES_MAX:
            raise self._wrong("a row is too large")
        block = self._source.read(CHUNK_BYTES)
        self._ended = not block
        self._buffer += block

    def _drop(self) -> None:
        if self._at > CHUNK_BYTES or self._at == len(self._buffer):
            self._base += self._at
            self._buffer = self._buffer[self._at :]
            self._at = 0

    def _wrong(self, what: str) -> NotASnapshot:
        return NotASnapshot(f"it is not as export makes it: near byte {self.offset} {what}")
