"""The size of an answer: 2,000 tokens unless more is asked for, 8,000 at the most, and a note of what was left out."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, ClassVar

import orjson
from pydantic import Field, PrivateAttr

from ..wire import Input, Output

TOKENS_DEFAULT, TOKENS_MAX = 2000, 8000
BYTES_PER_TOKEN = 4
ENVELOPE_BYTES = 200  # of the protocol, around an answer
TEXTS_PER_BUDGET = 50  # that may all keep an equal part of it, in characters, before whole entries are left out
ENTRIES_MAX = 400  # of a list; more never fit
ERROR_CHARACTERS_MAX = 500  # of a text in an error that is too long
Json = dict[str, Any]
MaxTokens = Annotated[int, Field(ge=1000, le=TOKENS_MAX)]


class Bounds(Input):
    """The argument of tools whose answers can be long."""

    max_tokens: MaxTokens = TOKENS_DEFAULT


class Bounded(Output):
    """An answer that can be long: `lists` may lose their last entries, texts that somebody wrote their ends."""

    lists: ClassVar[dict[str, str]] = {}  # each with how to get what was left out, the dearest last
    texts: ClassVar[str] = ""  # how to get the rest of a text
    left_out: list[str] | None = None
    _totals: dict[str, int] = PrivateAttr(default_factory=dict)  # of lists that are not whole to begin with


def encoded(answer: Json) -> str:
    """Write an answer as the text of a result."""
    return orjson.dumps(answer).decode()


def size(answer: Json) -> int:
    """Count the bytes of a result: its text, and the same again as structured content."""
    text = orjson.dumps(answer)
    return len(text) + len(orjson.dumps(text.decode())) + ENVELOPE_BYTES


def shown(answer: Output) -> Json:
    """Give an answer as JSON, without what is null."""
    return answer.model_dump(by_alias=True, exclude_none=True)


def bounded(answer: Bounded, tokens: int) -> Json:
    """Make an answer fit: shorten its texts, then its lists, and say so."""
    whole, budget = shown(answer), min(tokens, TOKENS_MAX) * BYTES_PER_TOKEN
    if not answer._totals and size(whole) <= budget:
        return whole
    totals = answer._totals
    lists = {name: (how, totals.get(name, len(whole[name]))) for name, how in answer.lists.items() if name in whole}
    # What cannot fit in any case goes first: the search for the mildest cut looks at the rest many times.
    whole = _clipped(whole | {name: whole[name][:ENTRIES_MAX] for name in lists}, budget, answer.texts)
    longest = max((len(text["data"]) for text in _texts(whole)), default=0)
    result = _largest(lambda most: _clipped(whole, most, answer.texts), budget // TEXTS_PER_BUDGET, longest, budget)
    for name, (how, total) in lists.items():
        if size(result) > budget or len(result[name]) < total:
            result = _shorter(result, name, total, how, budget)
    return result


def bounded_error(error: Json) -> Json:
    """Make an error fit what answers may have by default: end its lists and texts sooner, and say so."""
    budget = TOKENS_DEFAULT * BYTES_PER_TOKEN
    if size(error) <= budget:
        return error

    def cut(most: int) -> Json:
        note = f"Lists in details end at {most} entries; GET the thing itself over HTTP for all of them"
        return {**_ended(error, most), "leftOut": [note]}

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
    copy: Json = orjson.loads(orjson.dumps(answer))
    found = [text for text in _texts(copy) if len(text["data"]) > most]
    for text in found:
        text.setdefault("cut", len(text["data"]))
        text["data"] = text["data"][:most]
    if found:
        copy["leftOut"] = [f"Texts with 'cut' (the whole's length) end at {most}; {how}"]
    return copy


def _texts(part: Any) -> Iterator[Json]:
    """Find the texts that somebody wrote, however deep."""
    if isinstance(part, dict):
        if "data" in part and "kind" in part:
            yield part
            return
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from _texts(item)
