"""CPU affinity of the process and priority of its threads; both are optional optimizations."""

import os
import secrets
import sys
import threading
from contextlib import suppress

BACKGROUND_NICENESS = 10  # added to the niceness of the process
_available: set[int] = set()  # the cores that the process could use before its affinity was set


def use_one_core(setting: str) -> str:
    """Pin the process, and threads that it starts later, to one core; return the core's number or `any` for the log.

    The setting `cpu_affinity` is `auto` (any available core), `off` or the number of a core. On several cores, threads
    contend for the GIL, which multiplies the latency of writes.
    """
    if setting == "off" or sys.platform != "linux":
        return "any"
    try:
        _available.update(os.sched_getaffinity(0))
        core = secrets.choice(sorted(_available)) if setting == "auto" else int(setting)
        if _available != {core}:
            os.sched_setaffinity(0, {core})
    except OSError as error:
        return f"any (sched_setaffinity: {error.strerror})"
    return str(core)


def use_all_cores() -> None:
    """Let the calling thread use every core; for long work that releases the GIL."""
    if len(_available) > 1:
        with suppress(OSError):  # for example, none of these cores is available any more
            os.sched_setaffinity(0, _available)


def lower_priority() -> None:
    """Lower the priority of the calling thread; for background work that no request waits for.

    Do not use it for password hashing: on a busy machine a low-priority thread hardly makes progress.
    """
    if sys.platform == "linux":  # other systems have no priority per thread
        with suppress(OSError):
            niceness = os.getpriority(os.PRIO_PROCESS, 0) + BACKGROUND_NICENESS
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)


def lower_priority_of_process(pid: int) -> None:
    """Give a child process all cores that the service could use and a low priority, where the system allows it."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + BACKGROUND_NICENESS)
    with suppress(OSError):
        if _available and sys.platform == "linux":
            os.sched_setaffinity(pid, _available)
