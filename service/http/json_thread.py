"""The thread that checks large bodies, so that no other request waits for it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..runtime.concurrency import Slots
from .json_body import count_values

LARGE_BYTES, LARGE_VALUES = 1 << 16, 2000  # beyond, to check a body takes longer than to change threads
PENDING_MAX = 64  # of a caller
TOO_MANY = "Too many large bodies of yours wait already; send fewer at a time."
T = TypeVar("T")


def is_large(raw: bytes) -> bool:
    """Return whether a body is to be checked on the thread."""
    return len(raw) > LARGE_BYTES or count_values(raw) > LARGE_VALUES


class BodyThread:
    """One thread for all large bodies; of each caller it checks one at a time, so that nobody waits for many."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "bodies")
        self._slots = Slots(1, PENDING_MAX, TOO_MANY)

    async def run(self, work: Callable[[], T], who: str) -> T:
        """Run the check of a body for a caller."""
        async with self._slots.acquire(who):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
