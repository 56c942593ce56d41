"""Staging of a snapshot: its rows are parsed and validated before the import locks the organization.

The rows are stored in temporary files, one for each group, since they must be written in an order that differs from
that of the snapshot and may not fit into memory.
"""

import contextlib
import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ... import PRODUCT
from ...errors import BadRequest
from ...pipeline.parsing import list_problems
from ...runtime.disk_space import DiskSpace
from ...schemas import Timestamp
from ...tracebacks import drop_tracebacks
from . import card_rows, rows, snapshot
from .content_extraction import Content, ContentExtractor
from .reading import Reading
from .snapshot import invalid_snapshot

ROWS_PER_LOG_LINE = 20_000
# Groups that are not imported as rows: people are looked up, permissions are for a new organization only, and API keys
# are not imported.
COUNTED = ("users", "apiKeys", "permissions")
log = logging.getLogger("service")
ROWS: dict[str, type[rows.SnapshotRow]] = {
    "projects": rows.ProjectRow,
    "teams": rows.TeamRow,
    "agents": rows.AgentRow,
    "cardTypes": rows.CardTypeRow,
    "fields": rows.CustomFieldRow,
    "columns": rows.ColumnRow,
    "transitions": rows.TransitionRow,
    "promptCategories": rows.PromptCategoryRow,
    "prompts": rows.PromptRow,
    "promptVersions": rows.PromptVersionRow,
    "toolServers": rows.ToolServerRow,
    "cards": card_rows.CardRow,
    "relationships": card_rows.RelationshipRow,
    "comments": card_rows.CommentRow,
    "history": card_rows.HistoryEntryRow,
    "presets": card_rows.PresetRow,
    "files": card_rows.FileRow,
}
LOOKED_UP: dict[str, type[rows.SnapshotRow]] = {"users": rows.UserRow, "permissions": rows.PermissionRow}


class SnapshotPart(BaseModel):
    """The number of a part of a snapshot that is sent in parts; the last part completes the import."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    number: int
    last: bool


StagedRow = dict[str, Any]  # a row of a snapshot, on its way into the database


class Meta(BaseModel):
    """The origin of a snapshot."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    product: Any = None
    version: str | None = None
    exportedAt: Timestamp | None = None  # noqa: N815  # returned under the same key
    part: SnapshotPart | None = Field(default=None, exclude=True)


class ImportCancelled(Exception):
    """Raised in the thread of an import whose request was cancelled or whose client has left."""


def _unnamed_file(folder: Path) -> IO[bytes]:
    return tempfile.TemporaryFile(dir=folder)


@dataclass
class StagedSnapshot:
    """A snapshot that was read completely, with its rows in temporary files."""

    folder: Path
    disk_space: DiskSpace
    meta: Meta | None = None
    organization: StagedRow | None = None
    counts: Counter[str] = field(default_factory=Counter)
    grants: int = 0  # actions in the permission rows
    contents: dict[str, Content] = field(default_factory=dict)
    placed: list[Path] = field(default_factory=list)  # contents that were moved to the files folder
    is_cancelled: bool = False  # set while a thread works on the snapshot
    reading: Reading | None = None  # while the file is read
    preview: Any = None  # the answer of a dry run, which writes nothing
    extend_report: Callable[[Any], Any] | None = None  # adds to the report of the import
    problem: BadRequest | None = None  # the first one; raised after the product of the snapshot was checked
    _files: dict[str, IO[bytes]] = field(default_factory=dict)
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def check(self) -> None:
        """Let others have their turn; raise ImportCancelled if the request was cancelled.

        Every loop of an import calls this, since a thread cannot be interrupted.
        """
        if self.is_cancelled:
            raise ImportCancelled
        if self.reading is not None:
            self.reading.pause()

    def add(self, key: str, index: int, values: StagedRow) -> None:
        """Store a row; raise the errors of `check`, and Unavailable if the disk is full."""
        self.check()
        self.disk_space.require()
        if key not in self._files:
            self._files[key] = self._stack.enter_context(_unnamed_file(self.folder))
        self._files[key].write(orjson.dumps([index, values], option=orjson.OPT_APPEND_NEWLINE))

    def rows(self, key: str) -> Iterator[tuple[str, StagedRow]]:
        """Yield the rows of a group with their paths in the snapshot."""
        if key not in self._files:
            return
        file = self._files[key]
        file.seek(0)
        for line in file:
            self.check()
            index, values = orjson.loads(line)
            yield f"{key}.{index}", values

    @property
    def is_complete(self) -> bool:
        """Return whether this is the whole snapshot or its last part."""
        return self.meta is None or self.meta.part is None or self.meta.part.last

    @property
    def total(self) -> int:
        """Return the number of rows to write."""
        return sum(self.counts[key] for key in ROWS)

    def close(self) -> None:
        """Free the disk space."""
        self._stack.close()


def stage(source: BinaryIO, staged: StagedSnapshot) -> None:
    """Read a snapshot and validate every row.

    Raises UnknownExceptionDuringParse, InvalidSnapshotShape, UnsupportedProduct or EmptySnapshot.
    """
    extractor = ContentExtractor(source, staged.folder, staged.disk_space)
    stage_rows(snapshot.rows(extractor), staged)
    staged.contents = extractor.contents


def stage_rows(found: Iterable[tuple[str, int | None, Any]], staged: StagedSnapshot) -> None:
    """Validate and store rows; raise InvalidSnapshotShape, UnsupportedProduct or EmptySnapshot."""
    for count, (key, index, value) in enumerate(found, 1):
        staged.check()  # also for rows that are not stored
        _stage_value(staged, key, index, value)
        if count % ROWS_PER_LOG_LINE == 0:
            log.info("import: %d rows read", count)
    _check_complete(staged)


def _stage_value(staged: StagedSnapshot, key: str, index: int | None, value: Any) -> None:
    if key == "meta":
        staged.meta = _check_meta(None if index is not None else value)
    elif staged.problem is not None:
        return
    try:
        if key == "organization":
            staged.organization = _validate(rows.OrganizationRow, key, None if index is not None else value)
        elif key in ROWS or key in COUNTED:
            _stage_row(staged, key, index, value)
    except BadRequest as problem:
        drop_tracebacks(problem)  # its frames refer to the staged rows
        staged.problem = problem


def _stage_row(staged: StagedSnapshot, key: str, index: int | None, value: Any) -> None:
    if index is None:
        raise invalid_snapshot(key, "must be an array")
    staged.counts[key] += 1
    if key in ROWS:
        staged.add(key, index, _validate(ROWS[key], f"{key}.{index}", value))
    elif key in LOOKED_UP:
        with contextlib.suppress(BadRequest):  # an invalid one is ignored, since it is not imported as a row
            values = _validate(LOOKED_UP[key], f"{key}.{index}", value)
            staged.add(key, index, values)
            staged.grants += len(values.get("actions", ()))


def _check_meta(value: Any) -> Meta:
    """Return the validated meta block; raise UnsupportedProduct if another product has created the snapshot."""
    try:
        meta = Meta.model_validate(value)
    except ValidationError as error:
        first = list_problems(error, Meta)[0]
        raise invalid_snapshot(f"meta.{first['path']}".rstrip("."), first["message"]) from None
    if meta.product != PRODUCT:
        name = meta.product if isinstance(meta.product, str) else ""
        message = f"The snapshot was created by another product; import a snapshot that {PRODUCT} exported."
        raise BadRequest("UnsupportedProduct", message, product=name[:200])
    return meta


def _validate(model: type[Any], path: str, value: Any) -> StagedRow:
    try:
        values: StagedRow = model.model_validate(value).values()
    except ValidationError as error:
        first = list_problems(error, model)[0]
        raise invalid_snapshot(f"{path}.{first['path']}".rstrip("."), first["message"]) from None
    return values


def _check_complete(staged: StagedSnapshot) -> None:
    if staged.meta is None:
        raise invalid_snapshot("meta", "is missing; import the file that the export created")
    if staged.problem is not None:
        raise staged.problem
    if staged.organization is None:
        if not staged.total:
            raise BadRequest("EmptySnapshot", "The snapshot has no rows; export the organization again.")
        raise invalid_snapshot("organization", "is missing; import the file that the export created")
