"""The loop of the agents and of the person, and their output."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ..client import ApiFailure

POLL_SECONDS = 0.2  # before the next search for work
RETRY_SECONDS = 1.0  # after an error response
T = TypeVar("T")


def say(name: str, what: str) -> None:
    """Print one step in one line, without buffering."""
    print(f"[{name}] {what}", flush=True)


async def take_turns(name: str, turn: Callable[[], Awaitable[bool]], finished: asyncio.Event) -> None:
    """Call `turn`, which returns whether there was work, until the demo is finished.

    Raises ApiFailure if the service is not reachable. Other errors are only printed, since the user may move cards,
    stop agents or decide requests during the demo.
    """
    while not finished.is_set():
        try:
            pause = 0 if await turn() else POLL_SECONDS
        except ApiFailure as failure:
            if failure.status == 401 or not 400 <= failure.status < 500:
                raise
            say(name, f"was refused: {failure}")
            pause = RETRY_SECONDS
        await asyncio.sleep(pause)


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end even if the command is interrupted; then raise the interruption."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
