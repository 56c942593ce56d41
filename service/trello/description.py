"""The title and description that a Trello card gets as a card of the service."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from .board import Attachment, Checklist, TrelloCard
from .comment import CONTENT_CHARACTERS_MAX, contents, split

TITLE_CHARACTERS_MAX, DESCRIPTION_CHARACTERS_MAX = 500, 100_000
CONTINUED = "The description goes on:\n\n"


def shorten(title: str) -> str:
    """Return a title, cut to the length that the service accepts."""
    return title if len(title) <= TITLE_CHARACTERS_MAX else title[: TITLE_CHARACTERS_MAX - 1] + "…"


def describe(card: TrelloCard) -> str:
    """Return a card's description, checklists and attachments as Markdown, empty if it has none."""
    full_title = card.title if len(card.title) > TITLE_CHARACTERS_MAX else ""
    parts = [full_title, card.description.strip("\r\n")]
    parts += [_checklist(checklist) for checklist in card.checklists]
    if card.attachments:
        parts.append("\n".join(["## Attachments", "", *map(_attachment, card.attachments)]))
    return "\n\n".join(part for part in parts if part.strip())


def describe_with_comments(card: TrelloCard) -> tuple[str, Iterator[str]]:
    """Return the description of a card and the texts of its comments, which begin with the rest of a long one."""
    parts = split(describe(card), DESCRIPTION_CHARACTERS_MAX)
    return next(parts, ""), _list_comments(card, parts)


def _list_comments(card: TrelloCard, rest: Iterator[str]) -> Iterator[str]:
    for part in rest:
        for piece in split(part, CONTENT_CHARACTERS_MAX - len(CONTINUED)):
            yield CONTINUED + piece
    for comment in card.comments:
        yield from contents(comment)


def _checklist(checklist: Checklist) -> str:
    items = [f"- [{'x' if item.complete else ' '}] {item.title}" for item in checklist.items]
    return "\n".join([f"## {checklist.title}", "", *items]).rstrip("\n")


def _attachment(attachment: Attachment) -> str:
    title = _escape(attachment.title or attachment.url)
    if _is_web_address(attachment.url):
        return f"- [{title}]({_link_target(attachment.url)})"
    address = attachment.url if attachment.url != attachment.title else ""
    return f"- {title}: {_escape(address)}" if attachment.title and address else f"- {title}"


def _escape(title: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", title)


def _link_target(url: str) -> str:
    return re.sub(r"[\s()<>\\]", lambda found: f"%{ord(found[0]):02X}", url)


def _is_web_address(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme in ("http", "https") and bool(address.netloc)
    except ValueError:
        return False
