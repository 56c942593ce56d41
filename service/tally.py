"""What is counted while the service runs: requests, refusals, calls of tools; plain numbers, read at a scrape.

Everything here runs on the event loop, on the path of every request: a counter of the library that writes the
scrape would take a lock and a dictionary each time, three times what this costs.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
METHODS = {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"}
OTHER = "other"  # what callers may write as they like is no label, or they could make any number of series


@dataclass(slots=True)
class Spread:
    """How long things took: how many up to each bound, the last being those beyond, and all seconds together."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds


@dataclass(slots=True)
class Tally:
    """The counts of one service process."""

    requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)  # method, route, status
    latency: defaultdict[tuple[str, str], Spread] = field(default_factory=lambda: defaultdict(Spread))  # method, route
    errors: Counter[str] = field(default_factory=Counter)  # by code
    tools: Counter[tuple[str, str]] = field(default_factory=Counter)  # tool, code of the error or "ok"
    tool_seconds: defaultdict[str, Spread] = field(default_factory=lambda: defaultdict(Spread))

    def request(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count a request; seconds are None for a stream, which takes as long as somebody listens."""
        method = method if method in METHODS else OTHER
        self.requests[method, route, status] += 1
        if seconds is not None:
            self.latency[method, route].add(seconds)

    def tool(self, name: str, code: str | None, seconds: float) -> None:
        """Count a call of a tool, with the code of its error if it was refused."""
        self.tools[name, code or "ok"] += 1
        self.tool_seconds[name].add(seconds)
