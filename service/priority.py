"""Which thread has the core: all share one, and long work leaves it to what answers requests."""

import os
import secrets
import sys
import threading
from contextlib import suppress

NICENESS_OF_WORK = 10  # added to that of the process: a tenth of a core that the event loop wants too
NICENESS_OF_READS = 5  # likewise: a quarter, since somebody waits for the answer
_cores: set[int] = set()  # that the process might use before it chose one


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

    One that has just been woken would otherwise wait until the next tick of the system, some 4 ms.
    """
    if sys.platform == "linux":
        os.sched_yield()


def step_back(niceness: int = NICENESS_OF_WORK) -> None:
    """Let the calling thread come after all others that want the core, from now on; for threads of long work only."""
    if sys.platform == "linux":  # elsewhere a thread has no priority, and its number may be that of some process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + niceness)


def step_aside() -> None:
    """Step back, and use any core: for threads whose work goes on for long without the interpreter's lock."""
    step_back()
    if _cores:
        with suppress(PermissionError):
            os.sched_setaffinity(0, _cores)
