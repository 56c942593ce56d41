"""Who waits for something to happen in an organization, and is woken when it may have.

Nobody is handed anything: whoever is woken looks into the log of events for itself. So a commit never waits
for a listener, nothing is queued for a slow one, and none is told of what was rolled back.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable

SEND_TIMEOUT_SECONDS = 30  # for which a listener may take nothing of what it is sent


class Listeners:
    """Those who wait in one service process; all of it runs on the event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[Future[None]]] = {}
        self._sending: set[asyncio.Timeout] = set()
        self.stopped = False

    @property
    def count(self) -> int:
        """Tell how many wait or are being sent something."""
        return sum(map(len, self._waiting.values())) + len(self._sending)

    def wake(self, org_id: str) -> None:
        """Wake all who wait for an organization."""
        for future in self._waiting.pop(org_id, ()):
            _finish(future)

    async def wait(self, org_id: str, seconds: float) -> None:
        """Return when something may have happened in an organization, or the time is over, or the service stops.

        Whoever looked into the log and calls this without an `await` in between misses nothing.
        """
        if self.stopped:
            return
        future: Future[None] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(org_id, set())
        waiting.add(future)
        timer = asyncio.get_running_loop().call_later(seconds, _finish, future)
        try:
            await future
        finally:
            timer.cancel()
            waiting.discard(future)
            if not waiting and self._waiting.get(org_id) is waiting:
                del self._waiting[org_id]

    async def patiently(self, sending: Awaitable[None]) -> None:
        """Send something to a listener; raise TimeoutError if it takes nothing for long, or the service stops."""
        async with asyncio.timeout(SEND_TIMEOUT_SECONDS) as patience:
            self._sending.add(patience)
            try:
                await sending
            finally:
                self._sending.discard(patience)

    def stop(self) -> None:
        """Wake everybody for good, and give up on those who do not take what they are sent."""
        self.stopped = True
        for org_id in list(self._waiting):
            self.wake(org_id)
        for patience in self._sending:
            if not patience.expired():
                patience.reschedule(0)


def _finish(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)
