"""The pace of claims: who looks for a next card in a loop leaves the writer to others, if there are any.

A claim that finds nothing costs as much as any other write, and nobody gains by asking again at once. It is no limit:
nothing is refused that can wait, and while nobody else writes nobody waits.
"""

import asyncio
from typing import Any

from ..errors import Overloaded
from ..neighbours import Neighbours

CLAIM_SECONDS = 0.2  # between two claims of an agent
CLAIMS_AT_ONCE = 50  # that need not wait, if there were none lately
WAIT_SECONDS_MAX = 15.0
AGENTS_MAX = 10_000  # that are remembered
Name = tuple[str, str | None]  # of a key, and of the agent that a request with it names
TOO_MANY = "So many claims of this agent wait already that this one was not taken; try again in a few seconds."


class Pace:
    """When the next claim of each agent is due, and whether others write; times in seconds of the event loop."""

    def __init__(self) -> None:
        self._due: dict[Name, float] = {}
        self._writers = Neighbours()

    def note(self, caller_id: str, now: float) -> None:
        """Note that somebody writes."""
        self._writers.note(caller_id, now)

    def seconds(self, agent: Name, now: float) -> float:
        """Tell how long a claim has to wait, and count it; raise overloaded if that is too long."""
        if not self._writers.are_there(now):
            return 0.0
        due = max(self._due.get(agent, 0.0), now - (CLAIMS_AT_ONCE - 1) * CLAIM_SECONDS)
        if due - now > WAIT_SECONDS_MAX:
            raise Overloaded(None, TOO_MANY)
        if len(self._due) >= AGENTS_MAX:
            self._due = {name: at for name, at in self._due.items() if at > now}
        self._due[agent] = due + CLAIM_SECONDS
        return max(0.0, due - now)


async def keep(operation: Any) -> None:
    """Have a claim wait for its time; a route that claims declares this with `before`."""
    agent, now = (operation.caller.id, operation.taken.agent_id), asyncio.get_running_loop().time()
    if seconds := operation.service.pace.seconds(agent, now):
        await asyncio.sleep(seconds)
