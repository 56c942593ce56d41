"""Threads that step back: long work leaves the core to what answers requests."""

import os
import sys
import threading

NICENESS_OF_WORK = 10  # added to that of the process: a tenth of a core that the event loop wants too
NICENESS_OF_READS = 5  # likewise: a quarter, since somebody waits for the answer


def step_back(niceness: int = NICENESS_OF_WORK) -> None:
    """Let the calling thread come after all others that want the core, from now on; for threads of long work only.

    Otherwise it often keeps the core until the next tick of the system, some 4 ms, after the event loop has woken.
    """
    if sys.platform == "linux":  # elsewhere a thread has no priority, and its number may be that of some process
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + niceness)
