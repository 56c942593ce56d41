"""Shutdown on a signal, which ends within seconds even if something hangs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT)
STOP_SECONDS = 7.5  # maximum duration of a shutdown; container runtimes kill the process after 10
LATE = "tandem: the shutdown took too long, so the process was ended; all acknowledged changes are stored"


def install_signal_handlers(stop: Callable[[], object]) -> None:
    """Call `stop` at the first signal, and end the process if it still runs after STOP_SECONDS.

    Must be called before any other thread starts. It waits on a separate thread, which depends neither on the event
    loop nor on threads that may hang at a disk.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # inherited by all later threads, so only sigwait receives them
    threading.Thread(target=_wait, args=(stop,), name="stop", daemon=True).start()


def _wait(stop: Callable[[], object]) -> None:
    signal.sigwait(SIGNALS)
    stop()
    time.sleep(STOP_SECONDS)
    print(LATE, file=sys.stderr, flush=True)
    os._exit(1)
