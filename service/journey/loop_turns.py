"""Turns of the event loop: while several organizations read, each begins one request in a turn.

All that is ready is done before the loop looks for what came meanwhile, and a request takes several turns. So whoever
asks on many connections would make everybody else wait for all of them, several times (contract, section 5, bounds).
"""

import asyncio
from asyncio import AbstractEventLoop, Future
from collections import deque

from ..neighbours import Neighbours


class LoopTurns:
    """Who has begun in this turn, and those of the same organization who wait for the next ones."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Future[None]]] = {}  # of organizations that had this turn
        self._neighbours = Neighbours()

    async def take(self, org_id: str) -> None:
        """Wait for the next turn that is free for an organization; while no other one asks, for none."""
        loop = asyncio.get_running_loop()
        self._neighbours.note(org_id, now := loop.time())
        if not self._neighbours.are_there(now):
            return
        if (waiting := self._waiting.get(org_id)) is None:
            self._waiting[org_id] = deque()
            loop.call_soon(self._next, org_id, loop)
            return
        waiting.append(future := loop.create_future())
        await future

    def _next(self, org_id: str, loop: AbstractEventLoop) -> None:
        """Let the next one begin, who has not left meanwhile."""
        waiting = self._waiting[org_id]
        while waiting:
            if not (future := waiting.popleft()).done():
                future.set_result(None)
                loop.call_soon(self._next, org_id, loop)
                return
        del self._waiting[org_id]
