"""CPU affinity of the process and priority of its threads; the service works the same where neither can be set."""

import os
import secrets
import sys
import threading
from contextlib import suppress

BACKGROUND_NICENESS = 10  # added to that of the process
_available: set[int] = set()  # cores that the process might use before it chose one


def use_one_core(setting: str) -> str:
    """Keep the process, and threads that it starts later, on one core; return what was done, for the log.

    The setting `cpu_affinity` is `auto` (any core that is available), `off` or the number of a core. On two cores
    threads contend for the interpreter lock: a comment beside another organization's lists took 43 ms instead of 4.
    """
    if setting == "off" or sys.platform != "linux":
        return "any"
    try:
        _available.update(os.sched_getaffinity(0))
        core = secrets.choice(sorted(_available)) if setting == "auto" else int(setting)
        os.sched_setaffinity(0, {core})
    except OSError as error:
        return f"any (sched_setaffinity: {error.strerror})"
    return str(core)


def use_all_cores() -> None:
    """Let the calling thread use every core; for work that runs for long without the interpreter lock."""
    if _available:
        with suppress(OSError):
            os.sched_setaffinity(0, _available)


def lower_priority() -> None:
    """Let the calling thread yield to all others; for background work that no request waits for.

    Never for password hashing: on a machine that is busy with other programs it would hardly proceed.
    """
    if sys.platform == "linux":  # elsewhere threads have no priority of their own
        with suppress(OSError):
            niceness = os.getpriority(os.PRIO_PROCESS, 0) + BACKGROUND_NICENESS
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
