"""What a process remembers of the last requests of agents and sessions, so that few of them are written."""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from time import monotonic
from typing import Any

from ..clock import parse_timestamp, timestamp

WRITE_INTERVAL = timedelta(minutes=1)  # per agent and session
CACHED_MAX = 10_000
Name = tuple[str, str]  # of a session: its user and its id; of an agent: its organization and its id


class RecentRequests:
    """When the last request of each agent and session is to be written again, and when agents went offline."""

    def __init__(self) -> None:
        self._due: dict[Name, str] = {}  # of agents only after a failure: the database has the time of the others
        self._offline_since: dict[Name, float] = {}  # when an agent last said that it is offline
        self.tasks: set[asyncio.Task[None]] = set()

    def is_due(self, name: Name, now: str) -> bool:
        """Return whether the time of a request is to be written."""
        return now >= self._due.get(name, "")

    def take_due(self, name: Name, now: str) -> bool:
        """Return whether the time of a request is to be written now; then it is not again within a minute."""
        if not self.is_due(name, now):
            return False
        if len(self._due) >= CACHED_MAX:
            self._due.clear()
        self._due[name] = timestamp(parse_timestamp(now) + WRITE_INTERVAL)
        return True

    def set_offline(self, agent: Name) -> None:
        """Record that an agent says that it is offline."""
        if len(self._offline_since) >= CACHED_MAX:
            self._offline_since.clear()
        self._offline_since[agent] = monotonic()

    def is_after_offline(self, agent: Name, started: float) -> bool:
        """Return whether a request started after the agent last said that it is offline."""
        return started > self._offline_since.get(agent, 0.0)

    def start(self, writing: Coroutine[Any, Any, None]) -> None:
        """Write in the background."""
        task = asyncio.create_task(writing)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
