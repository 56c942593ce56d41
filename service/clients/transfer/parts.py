"""A snapshot cut into parts that the import takes one after the other, each a snapshot of its own.

The rows go in the order in which they need each other; what a row refers to is in its part or in an earlier one.
The first part makes the organization, with the permissions; people stand in each part that names them.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

from .reading import NotASnapshot, Reader, Row

PART_BYTES = 16 << 20  # that a part should have: the import takes 64 MiB, and others wait less for small ones
INLINE_BYTES_MAX = 40 << 20  # of base64 that a part holds of one content; larger ones are sent by themselves
ORDER = (
    "projects", "teams", "agents", "cardTypes", "fields", "promptCategories", "prompts", "columns", "transitions",
    "promptVersions", "toolServers", "cards", "relationships", "comments", "history", "presets", "files",
)  # fmt: skip
WHOLE = ("fields", "columns")  # numbered anew by each import, so they come together
_TEXT = re.compile(rb'"([^"\\]{1,128})"')
_PROMPT = re.compile(rb'"promptId"\s*:\s*"([^"\\]+)"')
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]+)"')


@dataclass
class Contents:
    """What stands in a snapshot, and where."""

    places: dict[str, int] = field(default_factory=dict)  # group -> offset of its array
    sizes: Counter[str] = field(default_factory=Counter)  # group -> bytes
    counts: Counter[str] = field(default_factory=Counter)
    single: dict[str, bytes] = field(default_factory=dict)  # key -> value: meta, organization
    users: dict[bytes, bytes] = field(default_factory=dict)  # id -> row, of those with an e-mail
    prompts: dict[bytes, bytes] = field(default_factory=dict)  # id -> row
    permissions: list[bytes] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Count the bytes of what is sent."""
        return sum(self.sizes[key] for key in ORDER)


def look_through(source: BinaryIO) -> Contents:
    """Read a snapshot once to see what it holds; raise NotASnapshot."""
    found = Contents()
    for row in Reader(source).rows(found.places):
        found.sizes[row.key] += row.size
        found.counts[row.key] += row.is_member
        if row.content is not None:
            row.content.close()
        if not row.is_member:
            found.single[row.key] = row.head
        elif row.key == "permissions":
            found.permissions.append(row.head)
        elif row.key in ("users", "prompts"):
            _keep(found, row)
    if not {"meta", "organization"} <= found.single.keys():
        raise NotASnapshot("it is not as export makes it: meta or organization is missing")
    return found


def _keep(found: Contents, row: Row) -> None:
    if row.key == "prompts":
        found.prompts[_id(row)] = row.head
    elif json.loads(row.head).get("email"):
        found.users[_id(row)] = row.head


def _id(row: Row) -> bytes:
    match = _ID.search(row.head)
    return match[1] if match else b""


@dataclass
class Large:
    """A content that is too large for a part."""

    file_id: str
    base64: IO[bytes]


class Part:
    """A part in the making, on the disk."""

    def __init__(self, number: int, found: Contents) -> None:
        self.number = number
        self.body: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed by whoever has sent it
        self.taken = 0  # bytes of the snapshot
        self.large: list[Large] = []
        self._found = found
        self._key = ""
        self._named: dict[bytes, bytes] = {}
        self._prompts: dict[bytes, bytes] = {}
        self.body.write(b'{"organization":' + found.single["organization"])
        if number == 1 and found.permissions:
            self.body.write(b',"permissions":[' + b",".join(found.permissions) + b"]")

    @property
    def size(self) -> int:
        """Count the bytes so far."""
        return self.body.tell() + sum(map(len, self._prompts.values()))

    def add(self, row: Row) -> None:
        """Add a row, after those of its group that are there."""
        if row.key == "prompts":
            self._prompts[_id(row)] = row.head
            self.taken += row.size
            return
        if row.key != self._key:
            self._end_group()
            self.body.write(f',"{row.key}":['.encode())
            self._key = row.key
        else:
            self.body.write(b",")
        self.taken += row.size
        self._note(row)
        self._write(row)

    def _note(self, row: Row) -> None:
        """Note whom a row names, and which prompt it is about."""
        if row.key in ("cards", "teams"):
            named = set(_TEXT.findall(row.head)) & self._found.users.keys()
            self._named |= {user_id: self._found.users[user_id] for user_id in named}
        elif row.key == "promptVersions":
            match = _PROMPT.search(row.head)
            prompt = self._found.prompts.get(match[1]) if match else None
            self._prompts |= {match[1]: prompt} if match and prompt else {}

    def _write(self, row: Row) -> None:
        self.body.write(row.head)
        if row.content is None:
            return
        if row.content.tell() <= INLINE_BYTES_MAX:
            row.content.seek(0)
            while block := row.content.read(1 << 20):
                self.body.write(block)
            row.content.close()
        else:
            # What is left is an empty text, which is no content: null it is.
            self.body.seek(-1, 1)
            self.body.write(b"null")
            row.tail = row.tail[1:]
            self.large.append(Large(json.loads(row.head + b'"}')["id"], row.content))
        self.body.write(row.tail)

    def _end_group(self) -> None:
        if self._key:
            self.body.write(b"]")

    def close(self, is_last: bool) -> None:
        """Complete the part: who is named in it, and which part of what it is."""
        self._end_group()
        # A version says nothing of which one is current: its prompt does.
        for key, rows in (("users", self._named), ("prompts", self._prompts)):
            if rows:
                self.body.write(f',"{key}":['.encode() + b",".join(rows.values()) + b"]")
        meta: dict[str, Any] = json.loads(self._found.single["meta"])
        meta["part"] = {"number": self.number, "last": is_last}
        self.body.write(b',"meta":' + json.dumps(meta).encode() + b"}")
        self.body.flush()
        self.body.seek(0)


def cut(source: BinaryIO, found: Contents) -> Generator[Part, None, None]:
    """Give the parts of a snapshot, the same ones each time."""
    part = Part(1, found)
    for key in ORDER:
        if key in WHOLE and part.taken and part.size + found.sizes[key] > PART_BYTES:
            part = yield from _next(part, found)
        if key not in found.places:
            continue
        for row in Reader(source, found.places[key]).values(key):
            if part.taken and key not in WHOLE and part.size + row.size > PART_BYTES:
                part = yield from _next(part, found)
            part.add(row)
    part.close(is_last=True)
    yield part


def _next(part: Part, found: Contents) -> Generator[Part, None, Part]:
    part.close(is_last=False)
    yield part
    return Part(part.number + 1, found)


def name_of(file: Path) -> Path:
    """Tell where it is noted how far the import of a file has come."""
    return file.with_name(file.name + ".importing")
