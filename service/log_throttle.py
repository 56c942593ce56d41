"""A limit on log lines about conditions that last, so that they do not fill the disk."""

import time
from collections import defaultdict

INTERVAL_SECONDS = 60.0


class LogThrottle:
    """Decides whether a condition is logged again; the key tells conditions apart, and there must be few of them."""

    def __init__(self) -> None:
        self._logged_at: dict[object, float] = defaultdict(lambda: float("-inf"))

    def is_due(self, key: object = None) -> bool:
        """Return whether the last line is at least INTERVAL_SECONDS old; if so, count this as the next one."""
        now = time.monotonic()
        if now - self._logged_at[key] < INTERVAL_SECONDS:
            return False
        self._logged_at[key] = now
        return True
