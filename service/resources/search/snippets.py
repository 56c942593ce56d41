"""Snippets: the stretch of a text around what was found in it, as plain text with the places of the hits."""

import re
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from ...database.store import Row
from ...schemas import Output, stored_json
from .scripts import whole
from .texts import HIT_END, HIT_START, TEXT_SEPARATOR

SNIPPET_CHARACTERS, LEAD_CHARACTERS = 160, 50  # and those before its first hit
SNIPPETS_MAX = 3  # of a card
_MARKED = re.compile(f"{HIT_START}|{HIT_END}")


class Snippet(Output):
    """A stretch of a text; `hits` are [start, end) in it, counted in Unicode characters."""

    source: Literal["title", "field", "comment"]
    field_id: str | None = None
    comment_id: str | None = None
    text: str = Field(description="Plain text as people wrote it: escape it where you show it.")
    hits: list[tuple[int, int]]


def of(rows: list[Row]) -> list[Snippet]:
    """Give the snippets of one card: of its title, then of field values, then of comments."""
    sources: dict[str, dict[str, Any]] = {}
    for row in rows:
        for kind, key, text in _texts(row):
            if HIT_START in text:
                sources.setdefault(kind, {}).setdefault(key, text)
    found = [(kind, key, text) for kind in ("title", "field", "comment") for key, text in sources.get(kind, {}).items()]
    return [_snippet(kind, key, text) for kind, key, text in found[:SNIPPETS_MAX]]


def _texts(row: Row) -> Iterator[tuple[str, str, str]]:
    ids = stored_json(row["sources"])
    yield "title", "", row["title"]
    yield from (("field", key, text) for key, text in zip(ids["fields"], row["fields"].split(TEXT_SEPARATOR)))
    yield from (("comment", key, text) for key, text in zip(ids["comments"], row["comments"].split(TEXT_SEPARATOR)))


def _snippet(kind: Any, key: str, marked: str) -> Snippet:
    text, hits = _unmarked(marked)
    start, end = _window(text, hits[0][0])
    before, after = "…" if start else "", "…" if end < len(text) else ""
    shift = len(before) - start
    shown = [(low + shift, min(high, end) + shift) for low, high in hits if low < end]
    names = {"field_id": key if kind == "field" else None, "comment_id": key if kind == "comment" else None}
    return Snippet(source=kind, **names, text=before + text[start:end] + after, hits=shown)


def _unmarked(marked: str) -> tuple[str, list[tuple[int, int]]]:
    """Take the marks out of a text; tell where they stood."""
    parts = _MARKED.split(whole(marked))
    places, position = [], 0
    for part in parts[:-1]:
        position += len(part)
        places.append(position)
    return "".join(parts), list(zip(places[::2], places[1::2]))


def _window(text: str, hit: int) -> tuple[int, int]:
    """Choose a stretch around a hit that begins and ends at words, where they are short enough."""
    start = max(0, hit - LEAD_CHARACTERS)
    if start and (space := text.find(" ", start, hit)) >= 0:
        start = space + 1
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text) and (space := text.rfind(" ", hit + SNIPPET_CHARACTERS // 2, end)) > 0:
        end = space
    return start, end
