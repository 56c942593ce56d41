"""What the database has done so far: plain numbers, for whoever watches."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any


@dataclass(slots=True)
class WriterStats:
    """Counts since the start; seconds are those of the clock on the wall."""

    groups: int = 0  # of writes that shared a COMMIT
    units: int = 0  # of work in them
    group_seconds: float = 0.0
    longest_group: float = 0.0
    reads: int = 0  # on a thread; the few pages that are read on the event loop do not wait
    read_waits: float = 0.0  # seconds that they waited for their thread

    def group(self, units: int, seconds: float) -> None:
        """Count a group of writes."""
        self.groups += 1
        self.units += units
        self.group_seconds += seconds
        self.longest_group = max(self.longest_group, seconds)

    def waiting(self, work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Have a read count how long it waited once it begins."""
        asked = monotonic()

        def begun(connection: Any) -> Any:
            self.reads += 1
            self.read_waits += monotonic() - asked
            return work(connection)

        return begun
