"""Rests of threads that hash passwords: the core is free for others each millisecond."""

import hashlib
import resource
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from service.credentials import crypto
from service.rests import _system, rests

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has timers that interrupt one thread")


def sleeps_of(pool: str) -> int:
    """Count how often the threads of a pool gave their core away by themselves, until now."""
    numbers = [thread.native_id for thread in threading.enumerate() if thread.name.startswith(pool)]
    files = [Path(f"/proc/self/task/{number}/status").read_text() for number in numbers]
    return sum(int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0]) for text in files)


@pytest.mark.parametrize(
    ("hashed", "pool"),
    [
        (lambda: crypto.hash_password("correct horse", "somebody"), "passwords"),
        (lambda: crypto.check_password("correct horse", None, "somebody"), "passwords"),
        (lambda: crypto.sign_in("correct horse", None, "192.0.2.1", "nobody@example.test"), "signing in"),
    ],
)
async def test_a_hash_rests_again_and_again(hashed: Callable[[], Awaitable[object]], pool: str) -> None:
    before = sleeps_of(pool)
    await hashed()
    assert sleeps_of(pool) - before >= 50


async def test_a_hash_that_was_interrupted_is_right() -> None:
    stored = await crypto.hash_password("correct horse", "somebody")
    assert await crypto.check_password("correct horse", stored, "somebody") is True
    assert await crypto.check_password("wrong horse", stored, "somebody") is False


def computes() -> None:
    """Compute for some 0.2 s without the interpreter's lock."""
    hashlib.pbkdf2_hmac("sha256", b"correct horse", b"salt", 200_000)


def sleeps_in(work: Callable[[], object]) -> int:
    """Count how often this thread sleeps in its work."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    work()
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - before


@pytest.mark.parametrize("error", [None, ValueError])
def test_a_thread_rests_within_and_not_after(error: type[Exception] | None) -> None:
    with suppress(ValueError), rests():
        within = sleeps_in(computes)
        if error:
            raise error
    assert within >= 30
    assert sleeps_in(computes) <= 10


def test_without_a_timer_left_work_is_done_without_rests() -> None:
    usual = resource.getrlimit(resource.RLIMIT_SIGPENDING)
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, usual[1]))  # timers count against it
    try:
        assert sleeps_in(rests()(computes)) <= 10
    finally:
        resource.setrlimit(resource.RLIMIT_SIGPENDING, usual)


def test_elsewhere_than_on_linux_a_hash_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(signal, "SIGRTMAX")  # which only Linux has
    _system.cache_clear()
    try:
        assert sleeps_in(lambda: crypto.hash_now("correct horse", cost=4)) <= 10
    finally:
        _system.cache_clear()
