"""A snapshot on its way in: parsed and checked before the import takes hold of the writer.

The rows wait in files of their own, one for each group, since a snapshot lists them in another order than
that in which they can be written, and all of them together may not fit into memory.
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
from ...pipeline.parsing import problems
from ...runtime.disk_space import DiskSpace
from ...schemas import Timestamp
from ...tracebacks import drop_tracebacks
from . import card_rows, rows, snapshot
from .inlined import Content, Inlined
from .snapshot import unshapely

ROWS_PER_LOG_LINE = 20_000
# Groups that are no rows of the organization: people are looked up, permissions are for a new organization, keys stay.
COUNTED = ("users", "apiKeys", "permissions")
log = logging.getLogger("service")
ROWS: dict[str, type[rows.Row]] = {
    "projects": rows.Project,
    "teams": rows.Team,
    "agents": rows.Agent,
    "cardTypes": rows.CardType,
    "fields": rows.CustomField,
    "columns": rows.Column,
    "transitions": rows.Transition,
    "promptCategories": rows.PromptCategory,
    "prompts": rows.Prompt,
    "promptVersions": rows.PromptVersion,
    "toolServers": rows.ToolServer,
    "cards": card_rows.Card,
    "relationships": card_rows.Relationship,
    "comments": card_rows.Comment,
    "history": card_rows.HistoryRow,
    "presets": card_rows.Preset,
    "files": card_rows.File,
}
OTHERS: dict[str, type[rows.Row]] = {"users": rows.User, "permissions": rows.Permission}


class Part(BaseModel):
    """Which part of a snapshot this is, where it comes in parts; only the last one completes what others began."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    number: int
    last: bool


Draft = dict[str, Any]  # a row of a snapshot, on its way into the database


class Meta(BaseModel):
    """Where a snapshot comes from."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True)

    product: Any = None
    version: str | None = None
    exportedAt: Timestamp | None = None  # noqa: N815  # shown again as it came
    part: Part | None = Field(default=None, exclude=True)


class Abandoned(Exception):
    """The request whose snapshot this is has ended: its thread is to end too, which nobody can interrupt."""


def _unnamed_file(folder: Path) -> IO[bytes]:
    return tempfile.TemporaryFile(dir=folder)


@dataclass
class Staged:
    """A snapshot that was read to its end: what is in it, and files with its rows."""

    folder: Path
    disk_space: DiskSpace
    meta: Meta | None = None
    organization: Draft | None = None
    counts: Counter[str] = field(default_factory=Counter)
    grants: int = 0  # actions in the permission rows
    contents: dict[str, Content] = field(default_factory=dict)
    placed: list[Path] = field(default_factory=list)  # contents that were put into their places
    is_abandoned: bool = False  # by its request, while a thread is at it
    tell: Callable[[Any], Any] | None = None  # makes the answer of the report, if there is more to say
    problem: BadRequest | None = None  # the first; told only once the snapshot is known to be ours
    _files: dict[str, IO[bytes]] = field(default_factory=dict)
    _stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def add(self, key: str, index: int, values: Draft) -> None:
        """Put a row by; raise Abandoned if nobody waits for it any more, Unavailable if the disk is too full."""
        if self.is_abandoned:
            raise Abandoned
        self.disk_space.require()
        if key not in self._files:
            self._files[key] = self._stack.enter_context(_unnamed_file(self.folder))
        self._files[key].write(orjson.dumps([index, values], option=orjson.OPT_APPEND_NEWLINE))

    def rows(self, key: str) -> Iterator[tuple[str, Draft]]:
        """Give the rows of a group with their paths in the snapshot."""
        if key not in self._files:
            return
        file = self._files[key]
        file.seek(0)
        for line in file:
            index, values = orjson.loads(line)
            yield f"{key}.{index}", values

    @property
    def is_complete(self) -> bool:
        """Tell whether nothing more of the snapshot is to come."""
        return self.meta is None or self.meta.part is None or self.meta.part.last

    @property
    def total(self) -> int:
        """Tell how many rows there are to write."""
        return sum(self.counts[key] for key in ROWS)

    def close(self) -> None:
        """Give the disk space back."""
        self._stack.close()


def stage(source: BinaryIO, staged: Staged) -> None:
    """Read a snapshot and check every row.

    Raises UnknownExceptionDuringParse, InvalidSnapshotShape, UnsupportedProduct or EmptySnapshot.
    """
    inlined = Inlined(source, staged.folder, staged.disk_space)
    gather(snapshot.rows(inlined), staged)
    staged.contents = inlined.contents


def gather(found: Iterable[tuple[str, int | None, Any]], staged: Staged) -> None:
    """Check the rows of a snapshot and put them by; raises what stage raises for a snapshot that is JSON."""
    for count, (key, index, value) in enumerate(found, 1):
        _take(staged, key, index, value)
        if count % ROWS_PER_LOG_LINE == 0:
            log.info("import: %d rows read", count)
    _judge(staged)


def _take(staged: Staged, key: str, index: int | None, value: Any) -> None:
    if key == "meta":
        staged.meta = _meta(None if index is not None else value)
    elif staged.problem is not None:
        return
    try:
        if key == "organization":
            staged.organization = _checked(rows.Organization, key, None if index is not None else value)
        elif key in ROWS or key in COUNTED:
            _take_row(staged, key, index, value)
    except BadRequest as problem:
        drop_tracebacks(problem)  # its frames hold the rows that are staged
        staged.problem = problem


def _take_row(staged: Staged, key: str, index: int | None, value: Any) -> None:
    if index is None:
        raise unshapely(key, "must be an array")
    staged.counts[key] += 1
    if key in ROWS:
        staged.add(key, index, _checked(ROWS[key], f"{key}.{index}", value))
    elif key in OTHERS:
        with contextlib.suppress(BadRequest):  # none of them is a row of the organization
            values = _checked(OTHERS[key], f"{key}.{index}", value)
            staged.add(key, index, values)
            staged.grants += len(values.get("actions", ()))


def _meta(value: Any) -> Meta:
    """Check the meta block: it says whether the rest is for us at all."""
    try:
        meta = Meta.model_validate(value)
    except ValidationError as error:
        first = problems(error, Meta)[0]
        raise unshapely(f"meta.{first['path']}".rstrip("."), first["message"]) from None
    if meta.product != PRODUCT:
        name = meta.product if isinstance(meta.product, str) else ""
        message = f"The snapshot is of another product; import one that {PRODUCT} exported."
        raise BadRequest("UnsupportedProduct", message, product=name[:200])
    return meta


def _checked(model: type[Any], path: str, value: Any) -> Draft:
    try:
        values: Draft = model.model_validate(value).values()
    except ValidationError as error:
        first = problems(error, model)[0]
        raise unshapely(f"{path}.{first['path']}".rstrip("."), first["message"]) from None
    return values


def _judge(staged: Staged) -> None:
    if staged.meta is None:
        raise unshapely("meta", "is missing; import what export made")
    if staged.problem is not None:
        raise staged.problem
    if staged.organization is None:
        if not staged.total:
            raise BadRequest("EmptySnapshot", "The snapshot has no rows; export the organization again.")
        raise unshapely("organization", "is missing; import what export made")
