"""Ids that the service creates: `<prefix>_<ULID>`."""

import re
import secrets
import time

# Words that filters take for an id, and the prefixes of the ids of resources.
_RESERVED = re.compile(
    "me|none|system|"
    "(?:org|usr|team|key|proj|col|ctype|fld|card|tr|rel|cmt|file|prm|ver|cat|srv|sc|perm|his|pre|"
    "tpl|sch|view|lnk|evd|frg|chn|ntf|ses|idn)_.*",
    re.IGNORECASE,
)
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [a + b for a in _CROCKFORD for b in _CROCKFORD]
_HEAD = range(120, 39, -10)  # bit offsets of the pairs of digits, except for the last four pairs


class _Ulids:
    """A generator of ULIDs that increase even within one millisecond, so that ids sort by creation.

    Ids are not secret, but random steps between them prevent a client from guessing other ids.
    """

    def __init__(self) -> None:
        self._millisecond = self._last = 0
        self._head = 0, ""  # cache: all but the last 40 bits of the previous id, and their digits

    def next(self) -> str:
        millisecond = time.time_ns() // 1_000_000
        if millisecond > self._millisecond:
            # 72 of 80 random bits are used, so that counting up from the last id does not overflow into the time.
            self._millisecond, number = millisecond, millisecond << 80 | secrets.randbits(72)
        else:
            number = self._last + 1 + secrets.randbits(32)
        self._last = number
        return self._encode(number)

    def _encode(self, number: int) -> str:
        high, head = self._head
        if high != number >> 40:
            high, head = self._head = number >> 40, "".join([_PAIRS[number >> shift & 1023] for shift in _HEAD])
        return (
            f"{head}{_PAIRS[number >> 30 & 1023]}{_PAIRS[number >> 20 & 1023]}"
            f"{_PAIRS[number >> 10 & 1023]}{_PAIRS[number & 1023]}"
        )


_ulids = _Ulids()


def new_id(prefix: str) -> str:
    """Return a new id `<prefix>_<ULID>`."""
    return f"{prefix}_{_ulids.next()}"


def is_reserved(agent_id: str) -> bool:
    """Return whether no new agent may choose this id: it is a word of filters, or looks like the id of a resource."""
    return bool(_RESERVED.fullmatch(agent_id))
