"""Validation patterns of fields: RE2, because users write them and linear time is a promise.

Linear is not yet fast: where RE2 cannot build a small automaton, it takes some 11 ns for each byte of the text and
instruction of the pattern. So a pattern may have only so many instructions, and looks through the fewer bytes the more
it has; and that is done before the transaction, on a thread.
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
Outcomes = MutableMapping[tuple[str, str], str | None]  # of a pattern and a text: what is wrong, None if nothing is
INSTRUCTIONS_MAX = 5_000
COST_MAX = 1_250_000  # instructions times bytes: some 14 ms at the worst
BYTES_MIN = COST_MAX // INSTRUCTIONS_MAX  # that every pattern looks through, also one from before there was a bound
CLASSES_MAX = 20  # \p{…} in a pattern: RE2 reads hundreds of ranges for each before it counts instructions
MEMORY_BYTES_MAX = 1 << 20  # that a compiled pattern may take
BATCH_SECONDS = 0.01  # after which others have a turn
_CLASS = re.compile(r"\\[pP]")
_pool = BoundedThreadPool("patterns", threads=1, total_max=128, source_max=64)


@cache
def _import_re2() -> Any:
    import re2  # 2 MB that a service without patterns never needs

    return re2


@cache
def _get_options() -> Any:
    options = _import_re2().Options()
    options.log_errors = False
    options.max_mem = MEMORY_BYTES_MAX
    options.never_capture = True  # nobody asks for groups
    return options


@lru_cache(64)
def _compile(pattern: str) -> Any:
    return _import_re2().compile(pattern, _get_options())


def check_pattern(pattern: str | None) -> None:
    """Raise invalid_pattern if RE2 refuses a pattern, or if it is too large to be fast."""
    if pattern is None:
        return
    try:
        is_too_large = len(_CLASS.findall(pattern)) > CLASSES_MAX or _compile(pattern).programsize > INSTRUCTIONS_MAX
    except _import_re2().error as error:
        reason = error.args[0] if error.args else b""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        message = f"RE2 refuses the pattern ({reason}); it knows no look-around and no back-references."
        raise BadRequest("invalid_pattern", message, pattern=pattern) from None
    if is_too_large:
        message = "The pattern is too large to be fast; repeat less of it, say with + instead of {2,50}."
        raise BadRequest("invalid_pattern", message, pattern=pattern)


def get_max_bytes(pattern: str) -> int:
    """Tell how long a text a pattern looks through."""
    return max(BYTES_MIN, COST_MAX // int(_compile(pattern).programsize))


def find_problem(pattern: str, text: str) -> str | None:
    """Say what is wrong with a text, None if it has a match: anywhere, unless the pattern is anchored."""
    longest = get_max_bytes(pattern)
    if len(text.encode()) > longest:
        return f"is too long for the pattern of the field, which looks through {longest:,} bytes"
    return None if _compile(pattern).search(text) else "does not match the pattern of the field"


async def match_pairs(pairs: list[tuple[str, str]], outcomes: Outcomes, org_id: str) -> None:
    """Match texts with patterns on a thread, a few at a time; raise overloaded if too much of it waits."""
    while pairs:
        await _pool.run(partial(_match_some, pairs, outcomes), org_id)


def _match_some(pairs: list[tuple[str, str]], outcomes: Outcomes) -> None:
    end = monotonic() + BATCH_SECONDS
    while pairs and monotonic() < end:
        pair = pairs.pop()
        if pair not in outcomes:
            outcomes[pair] = find_problem(*pair)
