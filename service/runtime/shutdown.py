"""The stop: asked for by a signal, and over within seconds whatever hangs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT)
STOP_SECONDS = 9.0  # that a stop may take; who waits for one, container runtimes say, gives up after 10
LATE = "tandem: something hung and the stop took too long, so the process was ended; what was acknowledged is stored"


def install_signal_handlers(stop: Callable[[], object]) -> None:
    """Call `stop` at the first signal, and end the process if it has not ended soon after; before any other thread.

    On a thread of its own, which needs neither the event loop nor any of the threads that may hang at a disk.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # in all threads to come: only sigwait hears of them
    threading.Thread(target=_wait, args=(stop,), name="stop", daemon=True).start()


def _wait(stop: Callable[[], object]) -> None:
    signal.sigwait(SIGNALS)
    stop()
    time.sleep(STOP_SECONDS)
    print(LATE, file=sys.stderr, flush=True)
    os._exit(1)
