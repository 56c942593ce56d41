"""Division of a snapshot into parts, each of which is a snapshot that can be imported.

A row refers only to rows of its own part or of earlier parts. The first part creates the organization with its
permissions; each part contains the people that it names.
"""

from __future__ import annotations

import codecs
import json
import re
import tempfile
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

from .reading import NotASnapshot, SnapshotReader, SnapshotValue

PART_BYTES = 16 << 20  # target size: an import accepts 64 MiB, but smaller ones delay other requests less
INLINE_BYTES_MAX = 40 << 20  # of base64 of one content in a part; larger contents are uploaded separately
ORDER = (
    "projects", "teams", "agents", "cardTypes", "fields", "promptCategories", "prompts", "columns", "transitions",
    "promptVersions", "toolServers", "cards", "relationships", "comments", "history", "presets", "files",
)  # fmt: skip
WHOLE = ("fields", "columns")  # each import renumbers them, so they must be in one part
_TEXT = re.compile(rb'"([^"\\]{1,128})"')
_PROMPT = re.compile(rb'"promptId"\s*:\s*"([^"\\]+)"')
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]+)"')


@dataclass
class SnapshotIndex:
    """The groups of a snapshot with their offsets and sizes, and the rows that several parts may need."""

    offsets: dict[str, int] = field(default_factory=dict)  # group -> offset of its array
    sizes: Counter[str] = field(default_factory=Counter)  # group -> bytes
    counts: Counter[str] = field(default_factory=Counter)
    single: dict[str, bytes] = field(default_factory=dict)  # key -> value: meta, organization
    users: dict[bytes, bytes] = field(default_factory=dict)  # id -> row, of those with an e-mail
    prompts: dict[bytes, bytes] = field(default_factory=dict)  # id -> row
    permissions: list[bytes] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Return the number of bytes to send."""
        return sum(self.sizes[key] for key in ORDER)


def index_snapshot(source: BinaryIO) -> SnapshotIndex:
    """Read a snapshot once and return its index; raise NotASnapshot."""
    found = SnapshotIndex()
    start = len(codecs.BOM_UTF8) if source.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
    for row in SnapshotReader(source, start).rows(found.offsets):
        found.sizes[row.key] += row.size
        found.counts[row.key] += row.is_member
        if row.content is not None:
            row.content.close()
        if not row.is_member:
            found.single[row.key] = row.head
        elif row.key == "permissions":
            found.permissions.append(row.head)
        elif row.key in ("users", "prompts"):
            _index_row(found, row)
    if not {"meta", "organization"} <= found.single.keys():
        raise NotASnapshot("it is not a file of the export: meta or organization is missing")
    parse_object(found.single["meta"], "meta")
    if "id" not in parse_object(found.single["organization"], "organization"):
        raise NotASnapshot("it is not a file of the export: the organization has no id")
    return found


def parse_object(text: bytes, name: str) -> dict[str, Any]:
    """Return a JSON object; raise NotASnapshot if it is none."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise NotASnapshot(f"it is not a file of the export: {name} is not a JSON object")
    return parsed


def _index_row(found: SnapshotIndex, row: SnapshotValue) -> None:
    if row.key == "prompts":
        found.prompts[_id(row)] = row.head
    elif parse_object(row.head, "a row of users").get("email"):
        found.users[_id(row)] = row.head


def _id(row: SnapshotValue) -> bytes:
    match = _ID.search(row.head)
    return match[1] if match else b""


@dataclass
class LargeContent:
    """A file content that is too large for a part."""

    file_id: str
    base64: IO[bytes]


class ImportPart:
    """A part, in a temporary file."""

    def __init__(self, number: int, found: SnapshotIndex) -> None:
        self.number = number
        self.body: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # closed after it was sent
        self.row_bytes = 0  # bytes of the snapshot
        self.large: list[LargeContent] = []
        self._found = found
        self._key = ""
        self._users: dict[bytes, bytes] = {}
        self._prompts: dict[bytes, bytes] = {}
        self.body.write(b'{"organization":' + found.single["organization"])
        if number == 1 and found.permissions:
            self.body.write(b',"permissions":[' + b",".join(found.permissions) + b"]")

    @property
    def size(self) -> int:
        """Return the size of the part so far in bytes."""
        return self.body.tell() + sum(map(len, self._prompts.values()))

    def add(self, row: SnapshotValue) -> None:
        """Append a row to its group."""
        if row.key == "prompts":
            self._prompts[_id(row)] = row.head
            self.row_bytes += row.size
            return
        if row.key != self._key:
            self._end_group()
            self.body.write(f',"{row.key}":['.encode())
            self._key = row.key
        else:
            self.body.write(b",")
        self.row_bytes += row.size
        self._collect_references(row)
        self._write(row)

    def _collect_references(self, row: SnapshotValue) -> None:
        """Collect the people whom a row names, and the prompt of a prompt version."""
        if row.key in ("cards", "teams"):
            named = set(_TEXT.findall(row.head)) & self._found.users.keys()
            self._users |= {user_id: self._found.users[user_id] for user_id in named}
        elif row.key == "promptVersions":
            match = _PROMPT.search(row.head)
            prompt = self._found.prompts.get(match[1]) if match else None
            self._prompts |= {match[1]: prompt} if match and prompt else {}

    def _write(self, row: SnapshotValue) -> None:
        self.body.write(row.head)
        if row.content is None:
            return
        if row.content.tell() <= INLINE_BYTES_MAX:
            row.content.seek(0)
            while block := row.content.read(1 << 20):
                self.body.write(block)
            row.content.close()
        else:
            # Replace the opening quote by null, since an empty string would be an empty content.
            self.body.seek(-1, 1)
            self.body.write(b"null")
            row.tail = row.tail[1:]
            self.large.append(
                LargeContent(str(parse_object(row.head + b'"}', "a row of files").get("id")), row.content)
            )
        self.body.write(row.tail)

    def _end_group(self) -> None:
        if self._key:
            self.body.write(b"]")

    def close(self, is_last: bool) -> None:
        """Complete the part with its people, its prompts and its meta block."""
        self._end_group()
        # The prompt of a version is included, since it says which version is current.
        for key, rows in (("users", self._users), ("prompts", self._prompts)):
            if rows:
                self.body.write(f',"{key}":['.encode() + b",".join(rows.values()) + b"]")
        meta: dict[str, Any] = json.loads(self._found.single["meta"])
        meta["part"] = {"number": self.number, "last": is_last}
        self.body.write(b',"meta":' + json.dumps(meta).encode() + b"}")
        self.body.flush()
        self.body.seek(0)


def split(source: BinaryIO, found: SnapshotIndex) -> Generator[ImportPart, None, None]:
    """Yield the parts of a snapshot, which are the same each time."""
    part = ImportPart(1, found)
    for key in ORDER:
        if key in WHOLE and part.row_bytes and part.size + found.sizes[key] > PART_BYTES:
            part = yield from _finish_part(part, found)
        if key not in found.offsets:
            continue
        for row in SnapshotReader(source, found.offsets[key]).values(key):
            if part.row_bytes and key not in WHOLE and part.size + row.size > PART_BYTES:
                part = yield from _finish_part(part, found)
            part.add(row)
    part.close(is_last=True)
    yield part


def _finish_part(part: ImportPart, found: SnapshotIndex) -> Generator[ImportPart, None, ImportPart]:
    part.close(is_last=False)
    yield part
    return ImportPart(part.number + 1, found)


def progress_file(file: Path) -> Path:
    """Return the path of the file that stores the progress of the import of a file."""
    return file.with_name(file.name + ".importing")
