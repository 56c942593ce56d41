"""A comment on a Trello card, and the text that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from . import export
from .export import Record

COMMENT_TYPES = ("commentCard", "copyCommentCard")
CONTENT_CHARACTERS_MAX = 20_000
AUTHOR_CHARACTERS_MAX = 200


@dataclass(frozen=True)
class Comment:
    author: str
    written_at: datetime | None
    text: str


def is_comment(action: Record) -> bool:
    """Tell whether an action of the board is a comment that has a text."""
    written = export.text(export.record(action, "data"), "text").strip()
    return action.get("type") in COMMENT_TYPES and bool(written)


def card_id(action: Record) -> str:
    """Return the id of the card that an action is about."""
    return export.text(export.record(export.record(action, "data"), "card"), "id")


def read_comment(action: Record, people: Mapping[str, str]) -> Comment:
    """Make a comment of an action, with the name of its author."""
    data = export.record(action, "data")
    author = (
        people.get(export.text(data, "idOriginalCommenter"))
        or people.get(export.text(action, "idMemberCreator"))
        or people.get(export.text(export.record(action, "memberCreator"), "id"))
        or "(unknown member)"
    )
    return Comment(author[:AUTHOR_CHARACTERS_MAX], export.moment(action, "date"), export.text(data, "text").strip())


def contents(comment: Comment) -> list[str]:
    """Write a comment as the one or more contents that the service accepts."""
    date = comment.written_at.strftime("%Y-%m-%d %H:%M UTC") if comment.written_at else "date unknown"
    heading = f"**{comment.author}** ({date}):\n\n"
    return [heading + piece for piece in _pieces(comment.text, CONTENT_CHARACTERS_MAX - len(heading))]


def _pieces(text: str, room: int) -> list[str]:
    pieces = []
    while len(text) > room:
        end = max(text.rfind("\n", 1, room), text.rfind(" ", 1, room))
        end = end if end > 0 else room
        pieces.append(text[:end])
        text = text[end:].lstrip()
    return [*pieces, text] if text else pieces
