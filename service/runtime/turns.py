"""Turns of long work on several threads: one thread works for a short time, then the one that has waited longest."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

TURN_SECONDS = 0.1


class Turns:
    """Work on threads of which only one runs at a time; the others wait in the order in which they came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()
        self._is_taken = False

    @contextmanager
    def join(self) -> Iterator["ThreadTurns"]:
        """Wait for a turn, and pass the turn on at the end of the block."""
        self._take()
        turn = ThreadTurns(self)
        try:
            yield turn
        finally:
            self._pass_on()

    def next(self) -> None:
        """Pass the turn on if another thread waits, and wait for the next one."""
        if self._waiting:
            self._pass_on()
            self._take()

    def _take(self) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            self._waiting.append(mine := threading.Event())
        mine.wait()

    def _pass_on(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


class ThreadTurns:
    """The turns of one thread."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._began = monotonic()
        self._seconds = 0.0  # in earlier turns

    @property
    def seconds(self) -> float:
        """Return how long the thread has worked, without the turns of others."""
        return self._seconds + monotonic() - self._began

    def pause(self) -> None:
        """Let others work if the turn has lasted long enough."""
        if monotonic() - self._began < TURN_SECONDS:
            return
        self._seconds = self.seconds
        self._turns.next()
        self._began = monotonic()
