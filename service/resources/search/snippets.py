"""Snippets of search results: the plain text around a hit, with the positions of the hits."""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Literal

from pydantic import Field

from ...database.queries import sql
from ...database.store import Row, Tx
from ...schemas import Output, stored_json
from .card_texts import HIT_END, HIT_START, TEXT_SEPARATOR, replace_markers
from .folding import find_original_positions
from .scripts import join_scripts
from .texts import get_value_text

SNIPPET_CHARACTERS, LEAD_CHARACTERS = 160, 50  # of a snippet, and before its first hit
SNIPPETS_MAX = 3  # per card
_MARKED = re.compile(f"{HIT_START}|{HIT_END}")


class Snippet(Output):
    """An excerpt of a text; `hits` are [start, end) positions in it, counted in Unicode characters."""

    source: Literal["title", "field", "comment"]
    field_id: str | None = None
    comment_id: str | None = None
    text: str = Field(description="Plain text as written by users. Escape it before you insert it into HTML.")
    hits: list[tuple[int, int]]


def list_snippets(tx: Tx, card: Row, rows: list[Row]) -> list[Snippet]:
    """Return the snippets of one card: first of its title, then of field values, then of comments."""
    sources: dict[str, dict[str, Any]] = {}
    for row in rows:
        for kind, key, text in _iterate_texts(row):
            if HIT_START in text:
                sources.setdefault(kind, {}).setdefault(key, text)
    found = [(kind, key, text) for kind in ("title", "field", "comment") for key, text in sources.get(kind, {}).items()]
    return [_create_snippet(tx, card, *match) for match in found[:SNIPPETS_MAX]]


def _iterate_texts(row: Row) -> Iterator[tuple[str, str, str]]:
    ids = stored_json(row["sources"])
    yield "title", "", row["title"]
    yield from (("field", key, text) for key, text in zip(ids["fields"], row["fields"].split(TEXT_SEPARATOR)))
    yield from (("comment", key, text) for key, text in zip(ids["comments"], row["comments"].split(TEXT_SEPARATOR)))


def _create_snippet(tx: Tx, card: Row, kind: Any, key: str, marked: str) -> Snippet:
    text = replace_markers(_get_text(tx, card, kind, key))
    hits = find_original_positions(text, _extract_hits(marked))
    start, end = _choose_window(text, hits[0][0])
    before, after = "…" if start else "", "…" if end < len(text) else ""
    shift = len(before) - start
    visible_hits = [(low + shift, min(high, end) + shift) for low, high in hits if low < end]
    names = {"field_id": key if kind == "field" else None, "comment_id": key if kind == "comment" else None}
    return Snippet(source=kind, **names, text=before + text[start:end] + after, hits=visible_hits)


def _get_text(tx: Tx, card: Row, kind: str, key: str) -> str:
    """Return the text as it was written; the index has it folded."""
    if kind == "field":
        return get_value_text(tx.value(sql.search.get_field_value, card_id=card["card_id"], field_id=key))
    text: str = card["title"] if kind == "title" else tx.value(sql.search.get_comment_content, comment_id=key)
    return text


def _extract_hits(marked: str) -> list[tuple[int, int]]:
    """Return the positions of the hits in a text with hit marks."""
    positions = list(accumulate(map(len, _MARKED.split(join_scripts(marked)))))[:-1]
    return list(zip(positions[::2], positions[1::2]))


def _choose_window(text: str, hit: int) -> tuple[int, int]:
    """Return start and end of the excerpt around a hit, at word boundaries where words are short enough."""
    start = max(0, hit - LEAD_CHARACTERS)
    if start and (space := text.find(" ", start, hit)) >= 0:
        start = space + 1
    end = min(len(text), start + SNIPPET_CHARACTERS)
    if end < len(text) and (space := text.rfind(" ", hit + SNIPPET_CHARACTERS // 2, end)) > 0:
        end = space
    return start, end
