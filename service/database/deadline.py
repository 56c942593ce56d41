"""The deadline of a unit of work in the writer: one second of CPU, and five seconds by the clock."""

import sqlite3
from math import inf
from time import monotonic, thread_time

from ..errors import TooExpensive

UNIT_CPU_SECONDS_MAX = 1.0  # of the writer thread, so that a busy machine does not refuse what a quiet one stores
UNIT_SECONDS_MAX = 5.0  # by the clock
STEPS_PER_CHECK = 10_000  # SQLite VM instructions, about 1 ms; each check acquires the GIL
TOO_LONG = (
    f"This took more than {UNIT_CPU_SECONDS_MAX:g} s of CPU time, or {UNIT_SECONDS_MAX:g} s in all, and was rolled"
    " back, so nothing was changed; ask for less at a time: fewer changes, fewer items, or a shorter span."
)


class Deadline:
    """The deadline of the running unit; between units there is none. It is used on the writer thread only."""

    __slots__ = ("_cpu_at", "_earliest", "_latest")

    def __init__(self) -> None:
        self.stop()

    def watch(self, connection: sqlite3.Connection) -> None:
        """Interrupt statements of a connection that run past the deadline."""
        connection.set_progress_handler(self.is_over, STEPS_PER_CHECK)

    def start(self) -> None:
        """Set the deadline of a unit that starts now."""
        now = monotonic()
        self._cpu_at = thread_time() + UNIT_CPU_SECONDS_MAX
        self._earliest = now + UNIT_CPU_SECONDS_MAX  # a thread uses no more CPU time than passes by the clock
        self._latest = now + UNIT_SECONDS_MAX

    def stop(self) -> None:
        """Clear the deadline, so that COMMIT and ROLLBACK are never interrupted."""
        self._cpu_at = self._earliest = self._latest = inf

    def is_over(self) -> bool:
        """Return whether the unit has run past its deadline."""
        now = monotonic()
        return now > self._earliest and (now > self._latest or thread_time() > self._cpu_at)

    def require_time(self) -> None:
        """Raise TooExpensive if the unit has run past its deadline."""
        if self.is_over():
            raise too_long()

    def explain(self, error: BaseException) -> BaseException:
        """Return TooExpensive if the error is a statement that was interrupted at the deadline, else the error."""
        is_interrupted = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT
        return too_long() if is_interrupted and self.is_over() else error


def too_long() -> TooExpensive:
    """Return the error for a unit that exceeded its deadline."""
    return TooExpensive(None, TOO_LONG)
