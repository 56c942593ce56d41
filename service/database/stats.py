"""Statistics of the database layer, for the metrics endpoint."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any


@dataclass(slots=True)
class WriterStats:
    """Counts since the start; durations are elapsed time in seconds."""

    groups: int = 0  # group commits
    units: int = 0  # units of work in them
    group_seconds: float = 0.0
    longest_group: float = 0.0
    reads: int = 0  # on reader threads; inline reads are not counted
    read_waits: float = 0.0  # seconds that they waited for a reader thread

    def count_group(self, units: int, seconds: float) -> None:
        """Count a group commit."""
        self.groups += 1
        self.units += units
        self.group_seconds += seconds
        self.longest_group = max(self.longest_group, seconds)

    def measure_wait(self, work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return the read wrapped so that its waiting time is counted when it starts."""
        queued_at = monotonic()

        def run(connection: Any) -> Any:
            self.reads += 1
            self.read_waits += monotonic() - queued_at
            return work(connection)

        return run
