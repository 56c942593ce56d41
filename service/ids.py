"""Ids that the service makes: `<prefix>_<ULID>`."""

import secrets
import time

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [a + b for a in _CROCKFORD for b in _CROCKFORD]
_HEAD = range(120, 39, -10)  # the bits at which pairs of digits begin, but for the last four


class _Ulids:
    """ULIDs that rise even inside one millisecond, so that ids sort as they were made.

    Ids are no secrets; all the same nobody is to work out from those they see what others are called.
    """

    def __init__(self) -> None:
        self._millisecond = self._last = 0
        self._head = 0, ""  # all but the last 40 bits, and their digits: as a rule those of the id before

    def next(self) -> str:
        millisecond = time.time_ns() // 1_000_000
        if millisecond > self._millisecond:
            # Nine random bytes leave room to count up from the last one without touching the time.
            self._millisecond, number = millisecond, millisecond << 80 | secrets.randbits(72)
        else:
            number = self._last + 1 + secrets.randbits(32)
        self._last = number
        return self._written(number)

    def _written(self, number: int) -> str:
        high, head = self._head
        if high != number >> 40:
            high, head = self._head = number >> 40, "".join([_PAIRS[number >> shift & 1023] for shift in _HEAD])
        return (
            f"{head}{_PAIRS[number >> 30 & 1023]}{_PAIRS[number >> 20 & 1023]}"
            f"{_PAIRS[number >> 10 & 1023]}{_PAIRS[number & 1023]}"
        )


_ulids = _Ulids()


def new_id(prefix: str) -> str:
    """Make an id `<prefix>_<ULID>`."""
    return f"{prefix}_{_ulids.next()}"
