"""Shutdown on a signal, which ends within seconds even if something hangs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

STOP_SECONDS = 7.5  # maximum duration of a shutdown; container runtimes kill the process after 10
LATE = "tandem: the shutdown took too long, so the process was ended; all acknowledged changes are stored"


def install_signal_handlers(stop: Callable[[], object]) -> None:
    """Call `stop` at the first signal, and end the process if it still runs after STOP_SECONDS.

    Must be called before any other thread starts. It waits on a separate thread, which depends neither on the event
    loop nor on threads that may hang at a disk.
    """
    signals = list_signals()
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # inherited by all later threads, so only sigwait receives them
    threading.Thread(target=_wait, args=(signals, stop), name="stop", daemon=True).start()


def list_signals() -> list[signal.Signals]:
    """Return the signals that end the service: a closed terminal, too, unless that is ignored (nohup)."""
    is_ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *(() if is_ignored else (signal.SIGHUP,))]


def _wait(signals: list[signal.Signals], stop: Callable[[], object]) -> None:
    signal.sigwait(signals)
    stop()
    time.sleep(STOP_SECONDS)
    print(LATE, file=sys.stderr, flush=True)
    os._exit(1)
