"""Turns of long work on threads: one at a time, everybody in turn, and nobody twice while another one waits."""

import threading
import time
from itertools import pairwise

import pytest

from service.runtime import turns
from service.runtime.turns import ThreadTurns, Turns


def run_all(*works: threading.Thread) -> None:
    for work in works:
        work.start()
    for work in works:
        work.join(10)
        assert not work.is_alive()


def test_threads_work_one_at_a_time_and_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 0)
    shared, order, working = Turns(), [], set()
    ready = threading.Barrier(3)

    def work(name: str) -> None:
        ready.wait()
        with shared.join() as turn:
            for _ in range(20):
                working.add(name)
                assert working == {name}
                order.append(name)
                time.sleep(0.001)
                working.discard(name)
                turn.pause()

    run_all(*(threading.Thread(target=work, args=(name,)) for name in "abc"))
    for name in "abc":
        places = [at for at, other in enumerate(order) if other == name]
        # Once all of them have come, and until the first one ends, each works every third time.
        assert all(later - earlier == 3 for earlier, later in pairwise(places[3:16]))


def test_a_thread_that_fails_passes_its_turn_on() -> None:
    shared = Turns()
    with pytest.raises(ZeroDivisionError), shared.join():
        _ = 1 / 0
    with shared.join() as turn:
        assert turn.seconds < 10


def test_the_turns_of_others_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 0)
    shared, spent = Turns(), {}

    def work(name: str, seconds: float) -> None:
        with shared.join() as turn:
            for _ in range(5):
                time.sleep(seconds)
                turn.pause()
            spent[name] = turn.seconds

    run_all(*(threading.Thread(target=work, args=pair) for pair in (("short", 0.001), ("long", 0.1))))
    assert spent["short"] < 0.3 <= spent["long"]


def test_a_turn_that_has_just_begun_goes_on() -> None:
    shared = Turns()
    waited = threading.Event()

    def wait_for_turn() -> None:
        with shared.join():
            waited.set()

    with shared.join() as turn:
        other = threading.Thread(target=wait_for_turn)
        other.start()
        while not shared._waiting:
            time.sleep(0.001)
        turn._began = time.monotonic()
        turn.pause()
        assert not waited.is_set()
    other.join(10)
    assert waited.is_set()
    assert isinstance(turn, ThreadTurns)
