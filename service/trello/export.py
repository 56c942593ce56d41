"""Reading of a Trello export from a file or a stream of rows, and access to its keys, any of which may be missing."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..text.comparison import is_blank
from .file_problems import BEGINNING_BYTES, BYTE_ORDER_MARK, END_BYTES, HOW_TO_EXPORT, explain_problem

Record = dict[str, Any]

EXPORT_BYTES_MAX = 256 * 1024 * 1024
MEMORY_BYTES_MAX = 64 << 20  # of a board that is read as a stream of rows
READ = (
    "name",
    "desc",
    "pluginData",
    "lists",
    "cards",
    "checklists",
    "labels",
    "members",
    "customFields",
    "actions",
)

LISTS_MAX = 1000  # done lists in a request
NO_BOARD = f"is not the export of a Trello board. {HOW_TO_EXPORT}"


class NotATrelloExport(Exception):
    """The file is not the JSON export of a Trello board; the message says what to do."""


def read(path: Path) -> Record:
    """Read the export of a board; raise NotATrelloExport for any other file."""
    content = _content(path)
    try:
        source = json.loads(content.removeprefix(BYTE_ORDER_MARK).decode())
    except (ValueError, RecursionError):
        raise NotATrelloExport(f"{path} {explain_problem(content[:BEGINNING_BYTES], content[-END_BYTES:])}") from None
    return require_board(source, str(path))


def collect(rows: Iterable[tuple[str, int | None, Any]], keep: Callable[[int], None] = lambda size: None) -> Record:
    """Return the export of a board built from a stream of rows; raise NotATrelloExport if it is not one.

    `keep` is called with the bytes of each row, also of those that are not needed (0), and can raise to end the work.
    """
    source: Record = {"cards": []}  # an empty list is no row
    size = 0
    for key, index, value in rows:
        needed = _size(value) if key in READ else 0
        keep(needed)
        if not needed:
            continue
        size += needed
        if size > MEMORY_BYTES_MAX:
            raise NotATrelloExport("The board is too large to import at once. Split it in Trello first.")
        if index is None:
            source[key] = value
        else:
            source.setdefault(key, []).append(value)
    return require_board(source, "The file")


def require_board(source: Any, name: str) -> Record:
    """Return the export of a board; raise NotATrelloExport if the value is not one."""
    if not isinstance(source, dict) or not all(isinstance(source.get(key), list) for key in ("lists", "cards")):
        raise NotATrelloExport(f"{name} {NO_BOARD}")
    if not records(source, "lists"):
        raise NotATrelloExport(f"The board in {name} has no lists. Add a list in Trello and export it again.")
    return source


def _size(value: Any) -> int:
    """Return the size of a value in memory, in bytes."""
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(_size(key) + _size(inner) for key, inner in value.items())
    return size + sum(map(_size, value)) if isinstance(value, list) else size


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(EXPORT_BYTES_MAX + 1)
    except OSError as error:
        raise NotATrelloExport(f"Cannot read {path} ({error.strerror}). Give the path of a Trello export.") from error
    if len(content) > EXPORT_BYTES_MAX:
        raise NotATrelloExport(
            f"{path} is larger than {EXPORT_BYTES_MAX // 1024**2} MiB. Split the board in Trello first."
        )
    return content


def records(parent: Record, key: str) -> list[Record]:
    """Return the objects of a list, none if it is missing."""
    found = parent.get(key)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def record(parent: Record, key: str) -> Record:
    """Return an object, an empty one if it is missing."""
    found = parent.get(key)
    return found if isinstance(found, dict) else {}


def text(parent: Record, key: str) -> str:
    """Return a text that can be encoded as UTF-8, an empty one if it is missing."""
    found = parent.get(key)
    if not isinstance(found, str):
        return ""
    # JSON can contain a lone surrogate, which cannot be encoded as UTF-8.
    return found.replace("\0", "").encode("utf-8", "replace").decode()


def line(parent: Record, key: str) -> str:
    """Return a text as one line, without surrounding spaces and control characters; empty if it is blank."""
    found = re.sub(r"[\x00-\x1f\x7f-\x9f]", "", " ".join(text(parent, key).split()))
    return "" if is_blank(found) else found


def texts(parent: Record, key: str) -> list[str]:
    """Return the texts of a list, such as ids."""
    found = parent.get(key)
    return [row for row in found if isinstance(row, str)] if isinstance(found, list) else []


def position(row: Record) -> float:
    """Return the number by which Trello sorts lists, cards, checklists or items."""
    found = row.get("pos")
    return found if isinstance(found, int | float) else 0


def timestamp(parent: Record, key: str) -> datetime | None:
    """Return a time in UTC, None if it is missing or invalid."""
    try:
        found = datetime.fromisoformat(text(parent, key))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def to_text(time: datetime) -> str:
    """Return a time in the form of the service."""
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
