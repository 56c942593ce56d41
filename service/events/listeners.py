"""Who waits for something to happen in an organization, and is woken when it may have.

Nobody is handed anything: whoever is woken looks into the log of events, and those after the first find what it has
read there since the round began. So a commit never waits for a listener, nothing is queued for a slow one, and none
is told of what was rolled back. Listeners are woken 50 ms after a commit, so that they hear of many changes at once.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from aiohttp import web

from ..runtime.concurrency import ConcurrencyLimiter, Quota

SEND_TIMEOUT_SECONDS = 30  # for which a listener may take nothing of what it is sent
DEBOUNCE_SECONDS = 0.05  # between a commit and the round that wakes those who wait
SHARED_MAX = 16  # reads of a round that those who come later are given; listeners at other places read for themselves
TAKEN = "So many listen for {whose} already: {most}. End a stream that is not needed, or ask /changes."


class Presence:
    """Somebody who listens, until they leave."""

    def __init__(self) -> None:
        self.has_left = False
        self.future: Future[None] | None = None  # what they wait for

    def leave(self) -> None:
        """Note that nobody is there any more, and end the waiting."""
        self.has_left = True
        if self.future is not None:
            _finish(self.future)


class NewEvents(NamedTuple):
    """What somebody has read in the log: how many events, up to which, and what is sent of them."""

    number: int
    last_id: int
    frames: bytes


PRESENCE = web.RequestKey("presence", Presence)


class Listeners:
    """Those who wait in one service process; all of it runs on the event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[Future[None]]] = {}
        self._sending: set[asyncio.Timeout] = set()
        self._debouncing: set[str] = set()  # organizations in which something happened since their last round began
        self._shared: dict[str, dict[int, NewEvents]] = {}  # what was read since then, by the place it was read from
        self.rounds_begun = 0
        self._limiter = ConcurrencyLimiter(TAKEN)
        self.stopped = False

    @contextmanager
    def present(self, org_id: str, caller_id: str, organization_max: int, caller_max: int) -> Iterator[Presence]:
        """Count somebody who listens meanwhile; raise overloaded if the organization or the caller has too many."""
        organization = Quota(org_id, organization_max, "the organization")
        with self._limiter.acquire(organization, Quota(caller_id, caller_max, "this caller")):
            yield Presence()

    @property
    def count(self) -> int:
        """Tell how many wait or are being sent something."""
        return sum(map(len, self._waiting.values())) + len(self._sending)

    def wake(self, org_id: str) -> None:
        """Wake all who wait for an organization in a moment, together with whatever happens until then."""
        if org_id not in self._debouncing:
            self._debouncing.add(org_id)
            asyncio.get_running_loop().call_later(DEBOUNCE_SECONDS, self._begin_round, org_id)

    def _begin_round(self, org_id: str) -> None:
        self._debouncing.discard(org_id)
        self.rounds_begun += 1
        self._shared.pop(org_id, None)
        if waiting := self._waiting.pop(org_id, None):
            self._shared[org_id] = {}
            for future in waiting:
                _finish(future)

    def known(self, org_id: str, since: int) -> NewEvents | None:
        """Give what another listener has read after an event since the round began; what came then has a next round."""
        return self._shared.get(org_id, {}).get(since)

    def share(self, org_id: str, since: int, news: NewEvents, begun: int) -> None:
        """Keep what a listener has read for those of the same round, if it began to read in this one."""
        shared = self._shared.get(org_id)
        if shared is not None and len(shared) < SHARED_MAX and begun == self.rounds_begun:
            shared[since] = news

    async def wait(
        self, org_id: str, seconds: float, presence: Presence | None = None, begun: int | None = None
    ) -> None:
        """Return when something may have happened in an organization, time is over, the service stops, or they left.

        Whoever looked into the log and calls this without an `await` in between misses nothing. Nor does whoever says
        how many rounds had begun before they looked: if there was another one meanwhile, this returns at once.
        """
        if self.stopped or (presence is not None and presence.has_left) or begun not in (None, self.rounds_begun):
            return
        future: Future[None] = asyncio.get_running_loop().create_future()
        if presence is not None:
            presence.future = future
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

    async def with_retry(self, sending: Awaitable[None]) -> None:
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
        for future in [future for waiting in self._waiting.values() for future in waiting]:
            _finish(future)
        for patience in self._sending:
            if not patience.expired():
                patience.reschedule(0)


def _finish(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)
