"""A JSON object from outside, within bounds that hold before a parser or a model spends time and memory on it."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from ..errors import BadRequest, invalid, invalid_fields
from ..schemas import NO_NUL

VALUES_MAX = 1 << 16  # of a body; the largest that is of use, 100 cards with 100 field values each, has 30,000
VALUE_BYTES = 128  # of memory that a value takes: an object or a list about 64, an entry in a model more
NESTING_MAX = 32  # levels of a body; no model has more than five
TOO_DEEP = f"The body is nested too deeply; {NESTING_MAX} levels are the limit."
BEGINNING_BYTES = 1 << 14  # in which the parser reaches its own limit of 1,024 levels, if it does at all
PROBLEMS_TOLD_MAX = 20  # of one body
PATH_CHARACTERS_MAX = 200  # of a problem: keys are chosen by the caller, too


def parse_object(raw: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; raise invalid_json or validation_failed."""
    check_value_count(raw)
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadRequest("invalid_json", f"The body is not valid JSON: {error}.") from None
    if not isinstance(content, dict):
        raise BadRequest("invalid_json", "The body must be a JSON object.")
    # Counting brackets is enough for all but few bodies.
    if raw.count(b"[") + raw.count(b"{") > NESTING_MAX and not _fits(content, NESTING_MAX):
        raise BadRequest("invalid_json", TOO_DEEP)
    if b"\\u0000" in raw:
        check_nul(content)
    return content


def count_values(raw: bytes) -> int:
    """Return how many values a body has at most: each begins after a comma or an opening bracket, even in a string."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def size_of_values(raw: bytes) -> int:
    """Return about how many bytes the values of a body take once they are parsed, besides their texts."""
    return VALUE_BYTES * min(count_values(raw), VALUES_MAX)


def check_value_count(raw: bytes, limit: int = VALUES_MAX) -> None:
    """Raise validation_failed if a body has more values than the limit, without parsing it.

    Raise invalid_json if there are that many because it is nested deeply.
    """
    if count_values(raw) > limit and _has_more_values(raw, limit):
        if _is_deep(raw[:BEGINNING_BYTES]):
            raise BadRequest("invalid_json", TOO_DEEP)
        raise invalid("", f"the body has too many values; {limit:,} are the limit, send fewer at a time")


def _has_more_values(raw: bytes, limit: int) -> bool:
    """Return whether a body has more values than the limit, not counting what looks like them inside strings."""
    unescaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * limit:  # each value has at most two strings, its key and itself
        return True
    return count_values(b"".join(unescaped.split(b'"')[::2])) > limit


def _is_deep(beginning: bytes) -> bool:
    """Return whether the beginning of a body is nested more deeply than the parser goes."""
    try:
        orjson.loads(beginning)
    except orjson.JSONDecodeError as error:
        return str(error).startswith("depth limit")
    return False


def _fits(value: Any, levels: int) -> bool:
    """Return whether a value has at most that many levels; it looks no deeper."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_fits(item, levels - 1) for item in inner)


def check_nul(content: dict[str, Any]) -> None:
    """Raise validation_failed with the paths of the first texts and keys that have a NUL character."""
    if paths := list(islice(_nuls(content), PROBLEMS_TOLD_MAX)):
        raise invalid_fields([{"path": path, "message": NO_NUL} for path in paths])


def _nuls(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all that has a NUL character in it."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(key, str) and "\0" in key:
            yield join_path(path, key.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        elif isinstance(item, dict | list):
            yield from _nuls(item, join_path(path, key))
        elif isinstance(item, str) and "\0" in item:
            yield join_path(path, key)


def join_path(path: str, key: str | int) -> str:
    """Return the path of a key; a long one is cut, since it is copied for everything below it."""
    return f"{path}.{key}".removeprefix(".")[:PATH_CHARACTERS_MAX]
