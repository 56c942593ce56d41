"""Which thread has the core: all share one, and long work leaves it to what answers requests."""

import os
import secrets
import sys
import threading
from contextlib import suppress
from time import monotonic, sleep

NICENESS_OF_WORK = 10  # added to that of the process: a tenth of a core that the event loop wants too
NICENESS_OF_READS = 5  # likewise: a quarter, since somebody waits for the answer
REST_SECONDS = 0.002  # after which a thread that has stepped back sleeps for once
_cores: set[int] = set()  # that the process might use before it chose one


class _Behind(threading.local):
    """Whether a thread has stepped back, and until when it need not rest."""

    until: float | None = None


_behind = _Behind()


def share_one_core() -> None:
    """Keep the process, and all threads that it begins from now on, on one of the cores that it may use.

    Two cores make it slower: each statement leaves the interpreter's lock, and another thread on another core has it by
    then. Which core is left to chance, so that several services on a machine are spread.
    """
    if sys.platform == "linux":
        _cores.update(os.sched_getaffinity(0))
        with suppress(PermissionError):  # a sandbox may forbid it
            os.sched_setaffinity(0, {secrets.choice(sorted(_cores))})


def give_way() -> None:
    """Let other threads that want the core have it now, and the interpreter's lock too; for a fraction of a µs if none.

    One that has just been woken would otherwise wait until the next tick of the system, some 4 ms. A thread that has
    stepped back also sleeps now and then, for some 0.05 ms: to yield brings those of the process to their turn, but not
    the system's own, and without these no COMMIT comes to its end.
    """
    if sys.platform != "linux":
        return
    if _behind.until is None or monotonic() < _behind.until:
        os.sched_yield()
    else:
        sleep(0)
        _behind.until = monotonic() + REST_SECONDS


def step_back(niceness: int = NICENESS_OF_WORK) -> None:
    """Let the calling thread come after all others that want the core, from now on; for threads of long work only."""
    _behind.until = 0.0
    if sys.platform == "linux":  # elsewhere a thread has no priority, and its number may be that of some process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + niceness)


def step_aside() -> None:
    """Step back, and use any core: for threads whose work goes on for long without the interpreter's lock."""
    step_back()
    if _cores:
        with suppress(PermissionError):
            os.sched_setaffinity(0, _cores)
