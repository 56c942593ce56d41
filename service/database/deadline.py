"""The deadline of a unit of work in the writer, so that other writes wait at most one second for it."""

import sqlite3
from math import inf
from time import monotonic

from ..errors import TooExpensive

UNIT_SECONDS_MAX = 1.0
STEPS_PER_CHECK = 10_000  # SQLite VM instructions, about 1 ms; each check acquires the GIL
TOO_LONG = (
    f"This took longer than {UNIT_SECONDS_MAX:g} s and was rolled back, so nothing was changed; ask for less at a time:"
    " fewer changes, fewer items, or a shorter span."
)


class Deadline:
    """The time by which the running unit must have ended; infinite between units."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = inf

    def watch(self, connection: sqlite3.Connection) -> None:
        """Interrupt statements of a connection that run past the deadline."""
        connection.set_progress_handler(self.is_over, STEPS_PER_CHECK)

    def start(self) -> float:
        """Set the deadline of a unit that starts now, and return it."""
        self.at = monotonic() + UNIT_SECONDS_MAX
        return self.at

    def stop(self) -> None:
        """Clear the deadline, so that COMMIT and ROLLBACK are never interrupted."""
        self.at = inf

    def is_over(self) -> bool:
        """Return whether the unit has run past its deadline."""
        return monotonic() > self.at

    def explain(self, error: BaseException) -> BaseException:
        """Return TooExpensive if the error is a statement that was interrupted at the deadline, else the error."""
        is_interrupted = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        return too_long() if is_interrupted and self.is_over() else error


def too_long() -> TooExpensive:
    """Return the error for a unit that exceeded its deadline."""
    return TooExpensive(None, TOO_LONG)
