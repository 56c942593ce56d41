"""The size of an answer: 2,000 tokens unless more is asked for, 8,000 at the most, and a note of what was left out."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import orjson
from pydantic import Field

from ..domain.truncation import SHORT_CHARACTERS
from ..schemas import Input

TOKENS_DEFAULT, TOKENS_MAX = 2000, 8000
BYTES_PER_TOKEN = 4
TEXTS_PER_BUDGET = 50  # that may all keep an equal part of it, in characters, before whole entries are left out
ENTRIES_MAX = 400  # of a list; more never fit
CUTS_TOLD_MAX = 5  # of texts that were cut, each with its length
ERROR_CHARACTERS_MAX = 500  # of a text in an error that is too long
Json = dict[str, Any]
MaxTokens = Annotated[int, Field(ge=1000, le=TOKENS_MAX)]


class Bounds(Input):
    """The argument of tools whose answers can be long."""

    max_tokens: MaxTokens = TOKENS_DEFAULT


@dataclass
class Long:
    """An answer that can be long: `lists` may lose their last entries, texts their ends."""

    answer: Json
    lists: dict[str, str] = field(default_factory=dict)  # each with how to get what was left out, the dearest last
    texts: str = ""  # how to get the rest of a text; if there is no way, texts stay whole
    totals: dict[str, int] = field(default_factory=dict)  # of lists that are not whole to begin with
    fit: Callable[[Json, int], Json] | None = None  # to so many tokens, in a way of its own


def encoded(answer: Json) -> str:
    """Write an answer as the text of a result."""
    return orjson.dumps(answer).decode()


def size(answer: Json) -> int:
    """Count the bytes of a result: of what a model reads."""
    return len(orjson.dumps(answer))


def shown(part: Any) -> Any:
    """Give an answer without what is null."""
    if isinstance(part, dict):
        return {key: shown(value) for key, value in part.items() if value is not None}
    return [shown(item) for item in part] if isinstance(part, list) else part


def bounded(long: Long, tokens: int) -> Json:
    """Make an answer fit: shorten its texts, then its lists, and say so."""
    whole, budget = shown(long.answer), min(tokens, TOKENS_MAX) * BYTES_PER_TOKEN
    if long.fit is not None:
        return long.fit(whole, min(tokens, TOKENS_MAX))
    if not long.totals and size(whole) <= budget:
        return dict(whole)
    lists = {name: (how, long.totals.get(name, len(whole[name]))) for name, how in long.lists.items() if name in whole}
    # What cannot fit in any case goes first: the search for the mildest cut looks at the rest many times.
    whole = whole | {name: whole[name][:ENTRIES_MAX] for name in lists}
    result = _cut(whole, long.texts, budget // TEXTS_PER_BUDGET, budget)
    for name, (how, total) in lists.items():
        if size(result) > budget or len(result[name]) < total:
            result = _shorter(result, name, total, how, budget)
    return _cut(result, long.texts, SHORT_CHARACTERS, budget) if size(result) > budget else result


def _cut(answer: Json, how: str, least: int, budget: int) -> Json:
    """End texts where the answer fits, but no sooner than at `least` characters."""
    longest = max(_lengths(answer), default=0)
    return _largest(lambda most: _clipped(answer, most, how), min(least, longest), longest, budget) if how else answer


def bounded_error(error: Json) -> Json:
    """Make an error fit what answers may have by default: end its lists and texts sooner, and say so."""
    budget = TOKENS_DEFAULT * BYTES_PER_TOKEN
    if size(error) <= budget:
        return error

    def cut(most: int) -> Json:
        return {**_ended(error, most), "leftOut": [f"Lists in details end at {most} entries"]}

    return _largest(cut, 0, ENTRIES_MAX, budget)


def _ended(part: Any, most: int) -> Any:
    if isinstance(part, dict):
        return {key[:ERROR_CHARACTERS_MAX]: _ended(value, most) for key, value in part.items()}
    if isinstance(part, list):
        return [_ended(item, most) for item in part[:most]]
    return part[:ERROR_CHARACTERS_MAX] if isinstance(part, str) else part


def _largest(cut: Callable[[int], Json], least: int, most: int, budget: int) -> Json:
    """Find the mildest cut that fits; the hardest one if none does."""
    while least < most:
        middle = (least + most + 1) // 2
        if size(cut(middle)) <= budget:
            least = middle
        else:
            most = middle - 1
    return cut(least)


def _shorter(answer: Json, name: str, total: int, how: str, budget: int) -> Json:
    items = answer[name]

    def cut(kept: int) -> Json:
        note = f"{name}: {total - kept} of {total} left out; {how}"
        return answer | {name: items[:kept], "leftOut": [*answer.get("leftOut", []), note]}

    return _largest(cut, 0, min(len(items), total - 1), budget)


def _clipped(answer: Json, most: int, how: str) -> Json:
    cuts: list[str] = []
    copy: Json = _clip(answer, most, "", cuts)
    if cuts:
        rest = f" and {len(cuts) - CUTS_TOLD_MAX} more" if len(cuts) > CUTS_TOLD_MAX else ""
        told = ", ".join(cuts[:CUTS_TOLD_MAX])
        copy["leftOut"] = [*answer.get("leftOut", []), f"Texts end at {most} characters: {told}{rest}; {how}"]
    return copy


def _clip(part: Any, most: int, path: str, cuts: list[str]) -> Any:
    """Cut long texts, and write down which, by the path of their keys."""
    if isinstance(part, dict):
        return {key: _clip(value, most, f"{path}.{key}" if path else key, cuts) for key, value in part.items()}
    if isinstance(part, list):
        return [_clip(item, most, f"{path}.{index}", cuts) for index, item in enumerate(part)]
    if isinstance(part, str) and len(part) > most:
        cuts.append(f"{path[:100]} ({len(part)})")
        return part[:most]
    return part


def _lengths(part: Any) -> list[int]:
    """List the lengths of all texts."""
    if isinstance(part, str):
        return [len(part)]
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    return [length for item in inside for length in _lengths(item)]
