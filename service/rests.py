"""Rests within one long call of C: a password's hash cannot give way by itself, so a timer of the system does it."""

import ctypes
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

NANOSECONDS_BETWEEN = 1_000_000  # a tick of the system, for which others would wait, is four times as long
_TO_ONE_THREAD, _MONOTONIC = 4, 1  # SIGEV_THREAD_ID, CLOCK_MONOTONIC


class _Event(ctypes.Structure):
    """What a timer does (sigevent of timer_create): here it sends a signal to one thread."""

    _fields_ = (
        ("value", ctypes.c_void_p),
        ("signal", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("thread", ctypes.c_int),
        ("unused", ctypes.c_char * 48),
    )


class _Times(ctypes.Structure):
    """When a timer does it (itimerspec of timer_settime)."""

    _fields_ = tuple((name, ctypes.c_long) for name in ("seconds", "nanoseconds", "first_seconds", "first_nanoseconds"))


@cache
def _system() -> ctypes.CDLL | None:
    """Let the last real-time signal put the thread that gets it to sleep; None where the system has no such timers.

    What handles a signal is called with its number, 64, and usleep sleeps for so many µs: no code of Python could run
    here, since the call that is interrupted goes on without the interpreter. With the system's slack that is 0.12 ms.
    """
    if sys.platform != "linux":
        return None
    system = ctypes.CDLL(None)
    if not hasattr(system, "timer_create"):  # in an old C library it is elsewhere
        return None
    system.signal(signal.SIGRTMAX, system.usleep)
    return system


@contextmanager
def rests() -> Iterator[None]:
    """Let the calling thread sleep a moment after each millisecond within; for calls without the interpreter's lock.

    One that computes is not taken off its core before the next tick of the system, also not for a thread of a higher
    priority: a write of another organization waited 4 ms where it came upon two hashes.
    """
    system, timer = _system(), ctypes.c_void_p()
    if system is None or not _made(system, timer):
        yield  # without rests
        return
    try:
        times = _Times(0, NANOSECONDS_BETWEEN, 0, NANOSECONDS_BETWEEN)
        system.timer_settime(timer, 0, ctypes.byref(times), None)
        yield
    finally:
        system.timer_delete(timer)


def _made(system: ctypes.CDLL, timer: ctypes.c_void_p) -> bool:
    """Make a timer that interrupts the calling thread; false if the system has none left."""
    event = _Event(signal=signal.SIGRTMAX, notify=_TO_ONE_THREAD, thread=threading.get_native_id())
    return not int(system.timer_create(_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)))
