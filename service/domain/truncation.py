"""Makes an answer fit a number of tokens: lists end sooner, then long texts, and it says what was left out."""

from collections.abc import Iterator
from typing import Any

import orjson

from ..schemas import Output

BYTES_PER_TOKEN = 4
SHORT_CHARACTERS = 40  # a text that is no longer stays whole
NOTE_BYTES = 80  # that one entry of leftOut takes
NOTES_OF_TEXTS_MAX = 10
# What can be asked for elsewhere, in the order in which it goes if there is no room for anything else.
LISTS = (
    ("relations",), ("parts", "items"), ("takes",), ("files",), ("card", "blockedBy"), ("moves",), ("comments",),
    ("card", "fields"),
)  # fmt: skip
LISTS_PER_BUDGET = 8  # at first each list may take an equal part of it
# Texts that somebody wrote, and that may be long.
TEXTS = ("card", "column", "comments", "question", "request")
FIELDS = ".".join(LISTS[-1])  # where keys are names that somebody chose
Json = dict[str, Any]
TextLocation = tuple[Any, Any, str]  # what holds a text, under which key, and its path


class LeftOut(Output):
    """What is not whole: how much of it is shown, in characters or entries, and how much there is (null: more)."""

    what: str
    shown: int
    total: int | None = None


def truncate(answer: Json, tokens: int) -> bytes:
    """Encode an answer within so many tokens of 4 bytes; `leftOut` in it tells what that has cost.

    Keys, ids, tokens and moments are never cut: who reads half of one has nothing.
    """
    budget = tokens * BYTES_PER_TOKEN
    if len(encoded := orjson.dumps(answer)) <= budget:
        return encoded
    for path in LISTS[:-2]:
        _shorten_list(answer, path, budget // LISTS_PER_BUDGET, alone=True)
    _shorten_texts(answer, budget)
    for path in LISTS:
        _shorten_list(answer, path, budget, alone=False)
    return orjson.dumps(answer)


def _shorten_texts(answer: Json, budget: int) -> None:
    """End the longest texts at one length, the greatest at which the answer fits."""
    places = sorted(
        _find_texts({name: answer[name] for name in TEXTS if name in answer}, ""), key=_get_length, reverse=True
    )
    whole = [holder[key] for holder, key, _ in places]
    room = budget - NOTE_BYTES * min(len(places), NOTES_OF_TEXTS_MAX)
    low, high = SHORT_CHARACTERS, max(map(len, whole), default=SHORT_CHARACTERS)
    while low < high:
        middle = (low + high + 1) // 2
        _cut_texts(places, whole, middle)
        low, high = (middle, high) if len(orjson.dumps(answer)) <= room else (low, middle - 1)
    _cut_texts(places, whole, low)
    cut = [(path, text) for (_, _, path), text in zip(places, whole, strict=True) if len(text) > low]
    notes = [{"what": path, "shown": low, "total": len(text)} for path, text in cut]
    answer["leftOut"] += notes[:NOTES_OF_TEXTS_MAX]


def _get_length(place: TextLocation) -> int:
    holder, key, _ = place
    return len(holder[key])


def _cut_texts(places: list[TextLocation], whole: list[str], length: int) -> None:
    for (holder, key, _), text in zip(places, whole, strict=True):
        holder[key] = text[:length]


def _find_texts(part: Any, path: str) -> Iterator[TextLocation]:
    """Find the texts of an answer that can be shortened, however deep."""
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        below = f"{path}.{key}" if path else str(key)
        if isinstance(value, str):
            if len(value) > SHORT_CHARACTERS and (path == FIELDS or not str(key).lower().endswith(("id", "token"))):
                yield part, key, below
        elif key not in ("claim", "blockedBy"):
            yield from _find_texts(value, below)


def _shorten_list(answer: Json, path: tuple[str, ...], budget: int, alone: bool) -> None:
    """Leave the last entries of a list out (of comments the oldest), as few as will do."""
    items: Any = answer
    what = ".".join(path)
    for key in path:
        items = items.get(key) if items else items
    if not items:
        return
    measured, total = items if alone else answer, len(items)
    if len(orjson.dumps(measured)) <= budget:
        return
    while items and len(orjson.dumps(measured)) + NOTE_BYTES > budget:
        _drop_entry(items, what)
    if len(items) < total:
        known = [note for note in answer["leftOut"] if note["what"] == what]
        note = known[0] if known else {"what": what, "total": total}
        answer["leftOut"] = [other for other in answer["leftOut"] if other is not note] + [note | {"shown": len(items)}]


def _drop_entry(items: Any, what: str) -> None:
    if isinstance(items, dict):
        items.popitem()
    else:
        items.pop(0 if what == "comments" else -1)
