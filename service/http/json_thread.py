"""A thread that validates large request bodies, so that they do not block the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..runtime.concurrency import Slots
from .json_body import count_values

LARGE_BYTES, LARGE_VALUES = 1 << 16, 2000  # above one of them, validation takes longer than a change of threads
PENDING_MAX = 64  # per caller
TOO_MANY = "Too many of your large requests are already waiting; send fewer at a time."
T = TypeVar("T")


def is_large(raw: bytes) -> bool:
    """Return whether a body must be validated on the thread."""
    return len(raw) > LARGE_BYTES or count_values(raw) > LARGE_VALUES


class BodyThread:
    """A thread that validates large bodies, one per caller at a time, so that no caller fills its queue."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "bodies")
        self._slots = Slots(1, PENDING_MAX, TOO_MANY)

    async def run(self, work: Callable[[], T], caller_key: str) -> T:
        """Run the validation of a body; raise overloaded if too many bodies of the caller are waiting."""
        async with self._slots.acquire(caller_key):
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
