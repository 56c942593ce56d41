"""Turns at slow work: whoever had the least of it lately comes first, and only so many may wait."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from .errors import Overloaded
from .priority import step_aside

T = TypeVar("T")
RECENT_SECONDS = 60.0  # for which a turn is remembered


@dataclass(eq=False, slots=True)
class _Waiting:
    """Work that waits for its turn, and for whom: an address, say, and an e-mail."""

    work: Callable[[], Any]
    who: tuple[str, ...]
    future: asyncio.Future[Any]


@dataclass(slots=True)
class _Turn:
    """A turn that somebody had: no more of it is kept, since its work knows a password."""

    who: tuple[str, ...]
    began: float
    counts: bool = True


class Turns:
    """A few threads for slow work, which step back before what answers requests, and those who wait for one.

    Of those who had equally many turns lately the last that came is first: a crowd that came at once, to keep others
    out, does not stand before who comes after it. A turn that ends with True, a password that was right, is held
    against nobody. When too many wait, one of the largest crowd goes.
    """

    def __init__(self, what: str, threads: int, most: int) -> None:
        self._what = what
        self._threads = ThreadPoolExecutor(threads, what, step_aside)
        self._free = threads
        self._most = most
        self._waiting: list[_Waiting] = []
        self._taken: deque[_Turn] = deque()
        self._lately: Counter[str] = Counter()

    async def take(self, work: Callable[[], T], *who: str) -> T:
        """Run slow work on a thread when its turn comes; raise overloaded if too many wait."""
        loop = asyncio.get_running_loop()
        one = _Waiting(work, who, loop.create_future())
        self._waiting.append(one)
        if self._free:
            self._begin(loop)
        elif len(self._waiting) > self._most:
            self._turn_away()
        try:
            result: T = await one.future
        finally:
            if one in self._waiting:  # nobody waits for it any more
                self._waiting.remove(one)
        return result

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the next turn, if there are a thread and somebody who waits for it."""
        if not self._waiting:
            return
        self._forget(monotonic())
        one = min(reversed(self._waiting), key=lambda one: self._had(one.who))
        self._waiting.remove(one)
        turn = _Turn(one.who, monotonic())
        self._taken.append(turn)
        self._lately.update(turn.who)
        self._free -= 1
        working = loop.run_in_executor(self._threads, one.work)
        working.add_done_callback(partial(self._done, loop, turn, one.future))

    def _done(
        self,
        loop: asyncio.AbstractEventLoop,
        turn: _Turn,
        waiting: asyncio.Future[Any],
        finished: asyncio.Future[Any],
    ) -> None:
        self._free += 1
        error = finished.exception()
        if error is None and finished.result() is True:
            turn.counts = False
            self._lately.subtract(turn.who)
        if not waiting.done():
            waiting.set_result(finished.result()) if error is None else waiting.set_exception(error)
        self._begin(loop)

    def _had(self, who: tuple[str, ...]) -> int:
        return sum(self._lately[one] for one in who)

    def _forget(self, now: float) -> None:
        while self._taken and self._taken[0].began < now - RECENT_SECONDS:
            turn = self._taken.popleft()
            if turn.counts:
                self._lately.subtract(turn.who)
        self._lately += Counter()  # leaves out those at nothing

    def _turn_away(self) -> None:
        """Tell one who waits that there are too many: of whom most wait or had turns, the one that came first."""
        crowd = Counter(name for one in self._waiting for name in one.who)
        one = max(self._waiting, key=lambda one: self._had(one.who) + sum(crowd[name] for name in one.who))
        self._waiting.remove(one)
        message = f"There is too much to do with {self._what} now; try again in a few seconds."
        one.future.set_exception(Overloaded(None, message))
