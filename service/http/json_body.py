"""Parsing of JSON request bodies, with limits that are checked before parsing and validation use time and memory."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from ..errors import BadRequest, invalid, invalid_fields
from ..schemas import NO_NUL

VALUES_MAX = 1 << 16  # per body; the largest useful one, 100 cards with 100 field values each, has 30,000
VALUE_BYTES = 128  # estimated memory of a parsed value: about 64 for an object or a list, more in a model
NESTING_MAX = 32  # levels per body; no model has more than five
TOO_DEEP = f"The body is nested too deeply; {NESTING_MAX} levels are the limit."
PREFIX_BYTES = 1 << 14  # enough for the parser to reach its own limit of 1,024 levels
PROBLEMS_LISTED_MAX = 20  # per body
PATH_CHARACTERS_MAX = 200  # per reported problem: the client chooses the keys, so a path can be long


def parse_object(raw: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; raise invalid_json or validation_failed."""
    check_value_count(raw)
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadRequest("invalid_json", f"The body is not valid JSON: {error}.") from None
    if not isinstance(content, dict):
        raise BadRequest("invalid_json", "The body must be a JSON object.")
    # Almost every body has so few brackets that its depth need not be measured.
    if raw.count(b"[") + raw.count(b"{") > NESTING_MAX and not _is_nested_within(content, NESTING_MAX):
        raise BadRequest("invalid_json", TOO_DEEP)
    if b"\\u0000" in raw:
        check_nul(content)
    return content


def parse_text(text: str, *types: type) -> Any:
    """Return the value of a JSON text inside a body if it has one of the types, otherwise the text."""
    try:
        value = text if "\\u0000" in text else orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    is_expected = isinstance(value, types) and (bool in types or not isinstance(value, bool))
    return value if is_expected else text


def count_values(raw: bytes) -> int:
    """Return an upper bound of the number of values in a body: the commas and opening brackets, strings included."""
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def estimate_values_size(raw: bytes) -> int:
    """Return the estimated size in bytes of the parsed values of a body, without their texts."""
    return VALUE_BYTES * min(count_values(raw), VALUES_MAX)


def check_value_count(raw: bytes, limit: int = VALUES_MAX) -> None:
    """Raise validation_failed if a body has more values than the limit, without parsing it.

    Raise invalid_json if there are that many because it is nested deeply.
    """
    if count_values(raw) > limit and _has_more_values(raw, limit):
        if _is_deep(raw[:PREFIX_BYTES]):
            raise BadRequest("invalid_json", TOO_DEEP)
        raise invalid("", f"the body has too many values; {limit:,} are the limit, send fewer at a time")


def _has_more_values(raw: bytes, limit: int) -> bool:
    """Return whether a body has more values than the limit, ignoring commas and brackets inside strings."""
    unescaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    if unescaped.count(b'"') > 4 * limit:  # a value has at most two strings: its key and its text
        return True
    return count_values(b"".join(unescaped.split(b'"')[::2])) > limit


def _is_deep(prefix: bytes) -> bool:
    """Return whether the first bytes of a body are nested more deeply than the parser supports."""
    try:
        orjson.loads(prefix)
    except orjson.JSONDecodeError as error:
        return str(error).startswith("depth limit")
    return False


def _is_nested_within(value: Any, levels: int) -> bool:
    """Return whether a value has at most `levels` levels, without descending further."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_nested_within(item, levels - 1) for item in inner)


def check_nul(content: dict[str, Any]) -> None:
    """Raise validation_failed with the paths of the first texts and keys that contain a NUL character."""
    if paths := list(islice(_find_nuls(content), PROBLEMS_LISTED_MAX)):
        raise invalid_fields([{"path": path, "message": NO_NUL} for path in paths])


def _find_nuls(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all texts and keys that contain a NUL character."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(key, str) and "\0" in key:
            yield join_path(path, key.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        elif isinstance(item, dict | list):
            yield from _find_nuls(item, join_path(path, key))
        elif isinstance(item, str) and "\0" in item:
            yield join_path(path, key)


def join_path(path: str, key: str | int) -> str:
    """Return the path of a key, truncated because it is copied for every nested key."""
    return f"{path}.{key}".removeprefix(".")[:PATH_CHARACTERS_MAX]
