"""Truncation of tool results: 2,000 tokens by default (a card: 6,000), at most 8,000, with notes in `leftOut`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

import orjson
from pydantic import Field

from ..domain.truncation import BYTES_PER_TOKEN, SHORT_CHARACTERS, find_greatest, get_size
from ..resources.context import TOKENS_DEFAULT as CONTEXT_TOKENS_DEFAULT
from ..schemas import Input

TOKENS_DEFAULT, TOKENS_MAX = 2000, 8000
TEXTS_PER_BUDGET = 50  # before lists lose entries, each text keeps at least this fraction of the budget in characters
ENTRIES_MAX = 400  # of a list; more never fit
CUTS_LISTED_MAX = 5  # truncated texts that the note lists by path and length
ERROR_CHARACTERS_MAX = 500  # of a text in an error that is too long
Json = dict[str, Any]
MaxTokens = Annotated[int, Field(ge=1000, le=TOKENS_MAX)]


class TokenLimit(Input):
    """The argument of tools whose results can be long."""

    max_tokens: MaxTokens = TOKENS_DEFAULT


class ContextLimit(Input):
    """The argument of tools whose result is the context of a card."""

    max_tokens: MaxTokens = CONTEXT_TOKENS_DEFAULT


@dataclass
class TruncatableResult:
    """A result that may exceed the token limit: its lists can lose their last entries, its texts their ends.

    `lists` names the lists, the first to be shortened first, each with a hint how to get the omitted entries. `texts`
    is the hint for truncated texts; if it is empty, texts are never truncated.
    """

    content: Json
    lists: dict[str, str] = field(default_factory=dict)
    texts: str = ""
    totals: dict[str, int] = field(default_factory=dict)  # lengths of lists that are already incomplete
    truncate: Callable[[Json, int], Json] | None = None  # to a number of tokens, instead of the rules above


def encode_json(content: Json) -> str:
    """Return the JSON text of a result."""
    return orjson.dumps(content).decode()


def count_tokens(content: Json) -> int:
    """Return the tokens of a result, rounded up."""
    return -(-get_size(content) // BYTES_PER_TOKEN) if content else 0


def drop_nulls(part: Any) -> Any:
    """Return a copy without the keys whose value is null."""
    if isinstance(part, dict):
        return {key: drop_nulls(value) for key, value in part.items() if value is not None}
    return [drop_nulls(item) for item in part] if isinstance(part, list) else part


def truncate(result: TruncatableResult, tokens: int) -> Json:
    """Return the content of a result within a number of tokens: shorten its texts, then its lists."""
    content, budget = drop_nulls(result.content), min(tokens, TOKENS_MAX) * BYTES_PER_TOKEN
    if result.truncate is not None:
        return result.truncate(content, min(tokens, TOKENS_MAX))
    if not result.totals and get_size(content) <= budget:
        return dict(content)
    lists = {
        key: (hint, result.totals.get(key, len(content[key]))) for key, hint in result.lists.items() if key in content
    }
    # Drop what cannot fit in any case: the binary search below encodes the rest many times.
    content = content | {key: content[key][:ENTRIES_MAX] for key in lists}
    content = _truncate_texts(content, result.texts, budget // TEXTS_PER_BUDGET, budget)
    for key, (hint, total) in lists.items():
        if get_size(content) > budget or len(content[key]) < total:
            content = _truncate_list(content, key, total, hint, budget)
    if get_size(content) > budget:
        content = _truncate_texts(content, result.texts, SHORT_CHARACTERS, budget)
    return content


def _truncate_texts(content: Json, hint: str, minimum: int, budget: int) -> Json:
    """Truncate texts to the greatest length that fits, but to at least `minimum` characters."""
    if not hint:
        return content
    longest = max(_text_lengths(content), default=0)
    return _find_largest(lambda limit: _limit_texts(content, limit, hint), min(minimum, longest), longest, budget)


def truncate_error(error: Json) -> Json:
    """Return an error within the default token limit, with shorter lists and texts."""
    budget = TOKENS_DEFAULT * BYTES_PER_TOKEN
    if get_size(error) <= budget:
        return error

    def cut(limit: int) -> Json:
        return {**_limit_error_part(error, limit), "leftOut": [f"Lists in details end at {limit} entries"]}

    return _find_largest(cut, 0, ENTRIES_MAX, budget)


def _limit_error_part(part: Any, limit: int) -> Any:
    if isinstance(part, dict):
        return {key[:ERROR_CHARACTERS_MAX]: _limit_error_part(value, limit) for key, value in part.items()}
    if isinstance(part, list):
        return [_limit_error_part(item, limit) for item in part[:limit]]
    return part[:ERROR_CHARACTERS_MAX] if isinstance(part, str) else part


def _find_largest(cut: Callable[[int], Json], lowest: int, highest: int, budget: int) -> Json:
    """Return the result of `cut` for the greatest limit that fits the budget; for the lowest if none fits."""
    return cut(find_greatest(lambda limit: get_size(cut(limit)) <= budget, lowest, highest))


def _truncate_list(content: Json, key: str, total: int, hint: str, budget: int) -> Json:
    items = content[key]

    def cut(count: int) -> Json:
        note = f"{key}: {total - count} of {total} left out; {hint}"
        return _add_note(content | {key: items[:count]}, note)

    return _find_largest(cut, 0, min(len(items), total - 1), budget)


def _limit_texts(content: Json, limit: int, hint: str) -> Json:
    cuts: list[str] = []
    copy: Json = _limit_texts_of(content, limit, "", cuts)
    if cuts:
        rest = f" and {len(cuts) - CUTS_LISTED_MAX} more" if len(cuts) > CUTS_LISTED_MAX else ""
        listed = ", ".join(cuts[:CUTS_LISTED_MAX])
        return _add_note(copy, f"Texts end at {limit} characters: {listed}{rest}; {hint}")
    return copy


def _add_note(content: Json, note: str) -> Json:
    """Return content with a further note in `leftOut`, its first key."""
    notes = [*content.get("leftOut", []), note]
    return {"leftOut": notes, **{key: value for key, value in content.items() if key != "leftOut"}}


def _limit_texts_of(part: Any, limit: int, path: str, cuts: list[str]) -> Any:
    """Return a copy with truncated texts, and append the path and the length of each to `cuts`."""
    if isinstance(part, dict):
        return {
            key: _limit_texts_of(value, limit, f"{path}.{key}" if path else key, cuts) for key, value in part.items()
        }
    if isinstance(part, list):
        return [_limit_texts_of(item, limit, f"{path}.{index}", cuts) for index, item in enumerate(part)]
    if isinstance(part, str) and len(part) > limit:
        cuts.append(f"{path[:100]} ({len(part)})")
        return part[:limit]
    return part


def _text_lengths(part: Any) -> list[int]:
    """Return the lengths of all texts."""
    if isinstance(part, str):
        return [len(part)]
    inside = part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    return [length for item in inside for length in _text_lengths(item)]
