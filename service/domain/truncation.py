"""Truncation of a card context to a number of tokens: shorter lists, then shorter texts, with notes in `leftOut`."""

from collections.abc import Iterator
from typing import Any

import orjson

from ..schemas import Output

BYTES_PER_TOKEN = 4
SHORT_CHARACTERS = 40  # texts up to this length are never cut
NOTE_BYTES = 80  # estimated size of one entry of leftOut
TEXT_NOTES_MAX = 10
# Lists that are available from other routes, in the order in which they are shortened.
LISTS = (
    ("relations",), ("parts", "items"), ("takes",), ("files",), ("card", "blockedBy"), ("moves",), ("comments",),
    ("card", "fields"),
)  # fmt: skip
LISTS_PER_BUDGET = 8  # at first, each list gets an equal share of the budget
# Members with texts that users wrote.
TEXTS = ("card", "column", "comments", "question", "request")
FIELDS = ".".join(LISTS[-1])  # keys in it are names that users chose
Json = dict[str, Any]
TextLocation = tuple[Any, Any, str]  # container of the text, its key there, and its path


class LeftOut(Output):
    """A truncated member: how much of it is shown, in characters or entries, and how much there is (null: unknown)."""

    what: str
    shown: int
    total: int | None = None


def truncate(response: Json, tokens: int) -> bytes:
    """Return a response as JSON of at most a number of tokens of 4 bytes; `leftOut` lists what was truncated.

    Keys, ids, tokens and timestamps are never cut.
    """
    budget = tokens * BYTES_PER_TOKEN
    if len(encoded := orjson.dumps(response)) <= budget:
        return encoded
    for path in LISTS[:-2]:
        _shorten_list(response, path, budget // LISTS_PER_BUDGET, alone=True)
    _shorten_texts(response, budget)
    for path in LISTS:
        _shorten_list(response, path, budget, alone=False)
    return orjson.dumps(response)


def _shorten_texts(response: Json, budget: int) -> None:
    """Cut the longest texts to a common length, the largest at which the response fits."""
    locations = sorted(
        _find_texts({name: response[name] for name in TEXTS if name in response}, ""), key=_get_length, reverse=True
    )
    originals = [holder[key] for holder, key, _ in locations]
    available = budget - NOTE_BYTES * min(len(locations), TEXT_NOTES_MAX)
    low, high = SHORT_CHARACTERS, max(map(len, originals), default=SHORT_CHARACTERS)
    while low < high:
        middle = (low + high + 1) // 2
        _cut_texts(locations, originals, middle)
        low, high = (middle, high) if len(orjson.dumps(response)) <= available else (low, middle - 1)
    _cut_texts(locations, originals, low)
    cut = [(path, text) for (_, _, path), text in zip(locations, originals, strict=True) if len(text) > low]
    notes = [{"what": path, "shown": low, "total": len(text)} for path, text in cut]
    response["leftOut"] += notes[:TEXT_NOTES_MAX]


def _get_length(location: TextLocation) -> int:
    holder, key, _ = location
    return len(holder[key])


def _cut_texts(locations: list[TextLocation], originals: list[str], length: int) -> None:
    for (holder, key, _), text in zip(locations, originals, strict=True):
        holder[key] = text[:length]


def _find_texts(part: Any, path: str) -> Iterator[TextLocation]:
    """Yield the texts of a response that can be shortened, at any depth."""
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        below = f"{path}.{key}" if path else str(key)
        if isinstance(value, str):
            if len(value) > SHORT_CHARACTERS and (path == FIELDS or not str(key).lower().endswith(("id", "token"))):
                yield part, key, below
        elif key not in ("claim", "blockedBy"):
            yield from _find_texts(value, below)


def _shorten_list(response: Json, path: tuple[str, ...], budget: int, alone: bool) -> None:
    """Drop as few entries as necessary from the end of a list (of comments, the oldest)."""
    items: Any = response
    what = ".".join(path)
    for key in path:
        items = items.get(key) if items else items
    if not items:
        return
    measured, total = items if alone else response, len(items)
    if len(orjson.dumps(measured)) <= budget:
        return
    while items and len(orjson.dumps(measured)) + NOTE_BYTES > budget:
        _drop_entry(items, what)
    if len(items) < total:
        existing = [note for note in response["leftOut"] if note["what"] == what]
        note = existing[0] if existing else {"what": what, "total": total}
        response["leftOut"] = [other for other in response["leftOut"] if other is not note] + [
            note | {"shown": len(items)}
        ]


def _drop_entry(items: Any, what: str) -> None:
    if isinstance(items, dict):
        items.popitem()
    else:
        items.pop(0 if what == "comments" else -1)
