"""Listeners: requests and streams that wait for events of an organization.

Listeners are only woken; each reads the event log itself, or uses what another listener of the same round has read. So
a commit never waits for a listener, no events are queued for slow listeners, and rolled-back events are never seen.
A round of wake-ups starts 50 ms after a commit, so that a listener receives many changes at once.
"""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from aiohttp import web

from ..runtime.concurrency import ConcurrencyLimiter, Quota

SEND_TIMEOUT_SECONDS = 30  # then a listener that does not receive is dropped
DEBOUNCE_SECONDS = 0.05  # between a commit and the round of wake-ups
FRAMES_MAX = 100  # of one caller that wait to be sent
SHARED_MAX = 16  # event batches that are shared within one round
TOO_MANY = "Too many listeners of {owner}: the limit is {limit}. Close a stream that is not needed, or poll /changes."


class Presence:
    """The state of one listener: whether its client is still connected, and whether it must check its access."""

    def __init__(self) -> None:
        self.has_left = False
        self.org_id = ""
        self.frames: list[bytes] = []  # of events that only this caller gets, and that are in no log
        self.must_check = False  # the credential may have ended since the listener last read
        self.future: Future[None] | None = None  # resolved when the listener is woken

    def leave(self) -> None:
        """Mark the client as disconnected, and wake the listener."""
        self.has_left = True
        if self.future is not None:
            _finish(self.future)

    def check_access(self) -> None:
        """Wake the listener, or keep it from waiting, so that it reads again and notices that its access has ended."""
        self.must_check = True
        if self.future is not None:
            _finish(self.future)


class NewEvents(NamedTuple):
    """Events that a listener has read: their number, the id of the last one, and the encoded frames."""

    number: int
    last_id: int
    frames: bytes


PRESENCE = web.RequestKey("presence", Presence)


class Listeners:
    """The listeners of one service process; all methods run on the event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[Future[None]]] = {}
        self._sending: set[asyncio.Timeout] = set()
        self._debouncing: set[str] = set()  # organizations whose next round is scheduled
        self._shared: dict[str, dict[int, NewEvents]] = {}  # by organization and by the event id read from
        self._present: dict[str, set[Presence]] = {}  # by caller
        self.round_number = 0
        self._limiter = ConcurrencyLimiter(TOO_MANY)
        self.stopped = False

    @contextmanager
    def register(self, org_id: str, caller_id: str, organization_max: int, caller_max: int) -> Iterator[Presence]:
        """Count a listener while the block runs; raise Overloaded if the organization or the caller has too many."""
        organization = Quota(org_id, organization_max, "the organization")
        with self._limiter.acquire(organization, Quota(caller_id, caller_max, "this caller")):
            presence = Presence()
            presence.org_id = org_id
            present = self._present.setdefault(caller_id, set())
            present.add(presence)
            try:
                yield presence
            finally:
                present.discard(presence)
                if not present:
                    self._present.pop(caller_id, None)

    def check_access(self, caller_id: str) -> None:
        """Make the listeners of a caller check at once whether they still have access."""
        for presence in self._present.get(caller_id, ()):
            presence.check_access()

    def send_to(self, org_id: str, caller_id: str, frame: bytes) -> None:
        """Pass an encoded event on to the streams of one caller to an organization; those far behind miss it."""
        for presence in self._present.get(caller_id, ()):
            if presence.org_id == org_id and len(presence.frames) < FRAMES_MAX:
                presence.frames.append(frame)
                presence.check_access()  # wakes it

    def check_all_access(self) -> None:
        """Make all listeners check at once whether they still have access."""
        for caller_id in self._present:
            self.check_access(caller_id)

    @property
    def count(self) -> int:
        """Return how many listeners wait or are being sent events."""
        return sum(map(len, self._waiting.values())) + len(self._sending)

    def wake(self, org_id: str) -> None:
        """Schedule a round of wake-ups for an organization, unless one is scheduled already."""
        if org_id not in self._debouncing:
            self._debouncing.add(org_id)
            asyncio.get_running_loop().call_later(DEBOUNCE_SECONDS, self._begin_round, org_id)

    def _begin_round(self, org_id: str) -> None:
        self._debouncing.discard(org_id)
        self.round_number += 1
        self._shared.pop(org_id, None)
        if waiting := self._waiting.pop(org_id, None):
            self._shared[org_id] = {}
            for future in waiting:
                _finish(future)

    def get_shared(self, org_id: str, since: int) -> NewEvents | None:
        """Return the batch after an event id that another listener has read in this round, or None."""
        return self._shared.get(org_id, {}).get(since)

    def share(self, org_id: str, since: int, batch: NewEvents, round_number: int) -> None:
        """Share a batch with the other listeners of the round, if `round_number` is still the current one."""
        shared = self._shared.get(org_id)
        if shared is not None and len(shared) < SHARED_MAX and round_number == self.round_number:
            shared[since] = batch

    async def wait(
        self, org_id: str, seconds: float, presence: Presence | None = None, round_number: int | None = None
    ) -> None:
        """Wait for possible events of an organization; also return on timeout, disconnect or shutdown.

        No event is missed if the caller has read the log without an `await` before this call, or passes the
        `round_number` that it noted before it read the log: if a round has begun since, this returns at once. With
        `presence` it also returns once after each call of `check_access`.
        """
        is_late = round_number not in (None, self.round_number)
        if self.stopped or is_late or (presence is not None and presence.has_left):
            return
        if presence is not None and presence.must_check:
            presence.must_check = False
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

    async def send(self, sending: Awaitable[None]) -> None:
        """Await a send to a listener; raise TimeoutError after SEND_TIMEOUT_SECONDS or when the service stops."""
        async with asyncio.timeout(SEND_TIMEOUT_SECONDS) as timeout:
            self._sending.add(timeout)
            try:
                await sending
            finally:
                self._sending.discard(timeout)

    def stop(self) -> None:
        """Wake all listeners, reject new waits, and cancel pending sends."""
        self.stopped = True
        for future in [future for waiting in self._waiting.values() for future in waiting]:
            _finish(future)
        for timeout in self._sending:
            if not timeout.expired():
                timeout.reschedule(0)


def _finish(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)
