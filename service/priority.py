"""Threads that step back: long work leaves the core to what answers requests."""

import os
import sys
import threading

NICENESS_ADDED = 10  # to that of the process


def step_back() -> None:
    """Let the calling thread come after all others that want the core, from now on; for threads of long work only.

    Otherwise it often keeps the core until the next tick of the system, some 4 ms, after the event loop has woken.
    """
    if sys.platform == "linux":  # elsewhere a thread has no priority, and its number may be that of some process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + NICENESS_ADDED)
