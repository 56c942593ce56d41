"""Validation patterns of fields: RE2, because users write them and linear time is a promise."""

from functools import cache, lru_cache
from typing import Annotated, Any

from pydantic import StringConstraints

from ..errors import BadRequest

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


@cache
def _re2() -> Any:
    import re2  # 2 MB that a service without patterns never needs

    return re2


@cache
def _options() -> Any:
    options = _re2().Options()
    options.log_errors = False
    options.max_mem = 1 << 20  # bytes a compiled pattern may take
    return options


@lru_cache(1000)
def _compiled(pattern: str) -> Any:
    return _re2().compile(pattern, _options())


def check(pattern: str | None) -> None:
    """Raise invalid_pattern if RE2 refuses a pattern."""
    if pattern is None:
        return
    try:
        _compiled(pattern)
    except _re2().error as error:
        reason = error.args[0] if error.args else b""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        message = f"RE2 refuses the pattern ({reason}); it knows no look-around and no back-references."
        raise BadRequest("invalid_pattern", message, pattern=pattern) from None


def matches(pattern: str, text: str) -> bool:
    """Tell whether a text has a match: anywhere, unless the pattern is anchored."""
    return _compiled(pattern).search(text) is not None
