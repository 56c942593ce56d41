"""Validation patterns of fields, matched with RE2, which guarantees linear time for patterns written by users.

Without a small automaton RE2 takes about 11 ns for each byte of text and instruction of the pattern. So the number of
instructions is limited, a larger pattern accepts shorter texts, and matching runs on a thread before the transaction.
"""

import re
from collections.abc import MutableMapping
from functools import cache, lru_cache, partial
from time import monotonic
from typing import Annotated, Any

from pydantic import StringConstraints

from ..errors import BadRequest
from ..runtime.thread_pool import BoundedThreadPool

Pattern = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Outcomes = MutableMapping[tuple[str, str], str | None]  # (pattern, text) to the problem, or None for a match
INSTRUCTIONS_MAX = 5_000
COST_MAX = 1_250_000  # instructions times bytes: at most about 14 ms
BYTES_MIN = COST_MAX // INSTRUCTIONS_MAX  # every pattern accepts texts of this size, even one stored before the limit
CLASSES_MAX = 20  # \p{…} in a pattern: RE2 reads hundreds of ranges for each before it counts instructions
MEMORY_BYTES_MAX = 1 << 20  # limit for a compiled pattern
BATCH_SECONDS = 0.01  # then other organizations are served
_CLASS = re.compile(r"\\[pP]")
_pool = BoundedThreadPool("patterns", threads=1, total_max=128, source_max=64)


@cache
def _import_re2() -> Any:
    import re2  # imported on first use: it takes 2 MB

    return re2


@cache
def _get_options() -> Any:
    options = _import_re2().Options()
    options.log_errors = False
    options.max_mem = MEMORY_BYTES_MAX
    options.never_capture = True  # groups are not used
    return options


@lru_cache(64)
def _compile(pattern: str) -> Any:
    return _import_re2().compile(pattern, _get_options())


def check_pattern(pattern: str | None) -> None:
    """Raise invalid_pattern if RE2 cannot compile a pattern, or if it is too large to match quickly."""
    if pattern is None:
        return
    try:
        is_too_large = len(_CLASS.findall(pattern)) > CLASSES_MAX or _compile(pattern).programsize > INSTRUCTIONS_MAX
    except _import_re2().error as error:
        reason = error.args[0] if error.args else b""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        message = f"RE2 cannot compile the pattern ({reason}); it supports no look-around and no back-references."
        raise BadRequest("invalid_pattern", message, pattern=pattern) from None
    if is_too_large:
        message = "The pattern is too large; use fewer repetitions, for example + instead of {2,50}."
        raise BadRequest("invalid_pattern", message, pattern=pattern)


def get_max_bytes(pattern: str) -> int:
    """Return the size of the longest text that a pattern accepts, in bytes."""
    return max(BYTES_MIN, COST_MAX // int(_compile(pattern).programsize))


def find_problem(pattern: str, text: str) -> str | None:
    """Return the problem of a text, or None if the pattern matches anywhere in it."""
    longest = get_max_bytes(pattern)
    if len(text.encode()) > longest:
        return f"is too long for the pattern of the field, which accepts at most {longest:,} bytes"
    return None if _compile(pattern).search(text) else "does not match the pattern of the field"


async def match_pairs(pairs: list[tuple[str, str]], outcomes: Outcomes, org_id: str) -> None:
    """Match texts with patterns on a thread, in batches; raise overloaded if the queue is full."""
    while pairs:
        await _pool.run(partial(_match_some, pairs, outcomes), org_id)


def _match_some(pairs: list[tuple[str, str]], outcomes: Outcomes) -> None:
    end = monotonic() + BATCH_SECONDS
    while pairs and monotonic() < end:
        pair = pairs.pop()
        if pair not in outcomes:
            outcomes[pair] = find_problem(*pair)
