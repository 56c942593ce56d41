"""What agents and the person have in common: they say what they do, and take turns until all is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ..client import ApiFailure

POLL_SECONDS = 0.2  # until somebody without work looks again
RETRY_SECONDS = 1.0  # until somebody who was refused tries again
T = TypeVar("T")


def say(name: str, what: str) -> None:
    """Print one step in one line, at once."""
    print(f"[{name}] {what}", flush=True)


async def take_turns(name: str, turn: Callable[[], Awaitable[bool]], finished: asyncio.Event) -> None:
    """Take turns (true: there was work) until all is done; raise ApiFailure if the service cannot be asked.

    A refusal ends nothing: whoever watches may move cards, stop agents or decide requests meanwhile.
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
    """Do something to its end, also if the command is interrupted meanwhile; then the interruption goes on."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
