"""Comments on Trello cards, and the texts of the comments that the import creates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from . import export
from .export import Record

COMMENT_TYPES = ("commentCard", "copyCommentCard")
CONTENT_CHARACTERS_MAX = 20_000
AUTHOR_CHARACTERS_MAX = 200
_NO_SPACE = re.compile(r"\S")


@dataclass(frozen=True)
class TrelloComment:
    author: str
    written_at: datetime | None
    text: str


def is_comment(action: Record) -> bool:
    """Return whether an action of the board is a comment with a text."""
    text = export.text(export.record(action, "data"), "text").strip()
    return action.get("type") in COMMENT_TYPES and bool(text)


def get_card_id(action: Record) -> str:
    """Return the id of the card that an action is about."""
    return export.text(export.record(export.record(action, "data"), "card"), "id")


def read_comment(action: Record, people: Mapping[str, str]) -> TrelloComment:
    """Return the comment of an action, with the name of its author."""
    data = export.record(action, "data")
    author = (
        people.get(export.text(data, "idOriginalCommenter"))
        or people.get(export.text(action, "idMemberCreator"))
        or people.get(export.text(export.record(action, "memberCreator"), "id"))
        or "(unknown member)"
    )
    return TrelloComment(
        author[:AUTHOR_CHARACTERS_MAX], export.timestamp(action, "date"), export.text(data, "text").strip()
    )


def contents(comment: TrelloComment) -> Iterator[str]:
    """Yield the text of a comment with its author and date, split where it exceeds the limit of the service."""
    date = comment.written_at.strftime("%Y-%m-%d %H:%M UTC") if comment.written_at else "date unknown"
    heading = f"**{comment.author}** ({date}):\n\n"
    return (heading + piece for piece in split(comment.text, CONTENT_CHARACTERS_MAX - len(heading)))


def split(text: str, length_max: int) -> Iterator[str]:
    """Yield the pieces of a text, each of at most a length, cut between lines or words where possible."""
    start = 0
    while len(text) - start > length_max:
        last = start + length_max
        end = max(text.rfind("\n", start + 1, last), text.rfind(" ", start + 1, last))
        end = end if end > start else last
        yield text[start:end]
        found = _NO_SPACE.search(text, end)
        start = found.start() if found else len(text)
    if start < len(text):
        yield text[start:]
