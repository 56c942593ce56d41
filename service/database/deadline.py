"""The deadline of a unit of work in the writer: others wait at most a second for it."""

import sqlite3
from math import inf
from time import monotonic

from ..errors import TooExpensive

UNIT_SECONDS_MAX = 1.0
STEPS_PER_CHECK = 10_000  # of SQLite's virtual machine, about 1 ms; each check needs the GIL
TOO_LONG = (
    f"This took longer than {UNIT_SECONDS_MAX:g} s and was rolled back, so nothing was changed; ask for less at a time:"
    " fewer changes, fewer items, or a shorter span."
)


class Deadline:
    """When the unit that runs in the writer must have ended; between units there is none."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = inf

    def watch(self, connection: sqlite3.Connection) -> None:
        """Interrupt statements of a connection that run past the deadline."""
        connection.set_progress_handler(self.is_over, STEPS_PER_CHECK)

    def start(self) -> float:
        """Begin a unit, and return its deadline."""
        self.at = monotonic() + UNIT_SECONDS_MAX
        return self.at

    def stop(self) -> None:
        """End a unit: its COMMIT or ROLLBACK is never interrupted."""
        self.at = inf

    def is_over(self) -> bool:
        """Return whether the unit has run past its deadline."""
        return monotonic() > self.at

    def explain(self, error: BaseException) -> BaseException:
        """Return too_expensive instead of the error of a statement that was interrupted at the deadline."""
        is_interrupted = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        return too_long() if is_interrupted and self.is_over() else error


def too_long() -> TooExpensive:
    """Return the error that says: ask for less at a time."""
    return TooExpensive(None, TOO_LONG)
