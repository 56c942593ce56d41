"""The fair queue: organizations, and callers within each, are served in turn by the time that their items took."""

from collections import Counter
from collections.abc import Callable

import pytest

from service.database import fair_queue
from service.database.fair_queue import FairQueue, Share

SHORT, LONG = 0.01, 0.4  # seconds of an item


class Server:
    """A server that takes items from a queue; their seconds pass on a clock of its own."""

    def __init__(self) -> None:
        self.queue = FairQueue[tuple[str, float]]()
        self.served: list[str] = []
        self.seconds: Counter[str] = Counter()  # of service, by organization and by caller

    def put(self, name: str, seconds: float, count: int = 1) -> None:
        """Let items wait; the name is that of the organization, a dot, and that of the caller."""
        for _ in range(count):
            self.queue.put(_share(name), (name, seconds))

    def serve(self, count: int = 1, is_allowed: Callable[[Share, tuple[str, float]], bool] | None = None) -> list[str]:
        """Serve some items and return their names."""
        for _ in range(count):
            turn = self.queue.peek(is_allowed)
            assert turn is not None
            self.queue.take(turn)
            name, seconds = turn.item
            self.queue.finish(turn, seconds)
            self.served.append(name)
            self.seconds.update({name: seconds, name.partition(".")[0]: seconds})
        return self.served[-count:]

    def load(self, name: str) -> float:
        return round(self.queue.get_load(_share(name)), 6)


def _share(name: str) -> Share:
    organization, _, caller = name.partition(".")
    return Share(organization, caller)


@pytest.fixture
def server() -> Server:
    return Server()


def test_items_of_equal_cost_are_served_in_turn_by_organization_and_caller(server: Server) -> None:
    server.put("a.x", SHORT, 4)
    server.put("a.y", SHORT, 4)
    server.put("b.z", SHORT, 4)
    assert server.serve(8) == ["a.x", "b.z", "a.y", "b.z"] * 2
    assert server.serve(4) == ["a.x", "a.y"] * 2
    assert len(server.queue) == 0
    assert server.queue.peek() is None


def test_organizations_get_equal_time_and_not_equal_numbers_of_items(server: Server) -> None:
    server.put("a.x", LONG, 20)
    server.put("b.y", SHORT, 1000)
    server.serve(20 + 19 * int(LONG / SHORT))
    assert server.seconds["a"] == pytest.approx(server.seconds["b"], abs=LONG)


def test_many_callers_of_one_organization_share_its_time(server: Server) -> None:
    for number in range(16):
        server.put(f"a.{number}", LONG, 20)
    server.put("b.x", LONG, 200)
    server.serve(96)
    assert server.seconds["a"] == pytest.approx(server.seconds["b"], abs=LONG)
    assert {server.served.count(f"a.{number}") for number in range(16)} == {3}


def test_the_caller_with_the_smallest_charge_is_served_next(server: Server) -> None:
    server.put("a.x", LONG, 60)
    server.put("a.y", LONG, 60)
    server.put("b.z", LONG, 60)
    server.serve(50)
    for name in ("c.new", "a.new", "c.newer"):
        server.put(name, SHORT)
    first = server.serve(3)
    assert set(first[:2]) == {"c.new", "c.newer"}  # of an organization that owes nothing
    assert "a.new" in server.serve(2) + first[2:]  # before the others of its organization


def test_a_caller_that_used_more_waits_until_the_others_have_caught_up(server: Server) -> None:
    server.put("a.x", LONG, 2)
    server.serve()
    server.put("b.y", SHORT, 100)
    assert server.serve(40) == ["b.y"] * 40
    assert "a.x" in server.serve(2)


def test_idle_callers_gain_no_credit(server: Server) -> None:
    server.put("a.x", LONG, 100)
    server.put("b.y", SHORT)
    server.serve(51)  # b had nothing to do for most of the time
    server.put("b.y", LONG, 10)
    assert Counter(server.serve(10)) == {"a.x": 5, "b.y": 5}


def test_a_debt_shrinks_while_others_are_served_and_ends_when_nobody_waits(server: Server) -> None:
    server.put("a.x", LONG)
    server.put("b.y", SHORT, 60)
    server.serve()
    assert server.load("a.x") == LONG
    server.serve(20)
    assert server.load("a.x") == pytest.approx(LONG - 20 * SHORT, abs=2 * SHORT)
    server.serve(40)
    assert server.load("a.x") == 0
    server.put("a.x", LONG)
    server.serve()
    assert server.load("a.x") == 0  # nothing waits


def test_a_debt_to_callers_of_the_same_organization_shrinks_as_they_are_served(server: Server) -> None:
    server.put("a.x", LONG)
    server.put("a.y", SHORT, 60)
    server.serve()
    server.serve(20)
    assert server.load("a.x") == pytest.approx(LONG - 20 * SHORT, abs=2 * SHORT)
    server.put("b.z", SHORT, 200)
    server.serve(100)
    assert server.load("a.x") == 0


def test_a_caller_owes_nothing_for_what_others_of_its_organization_used(server: Server) -> None:
    server.put("a.x", LONG, 2)
    server.put("a.y", SHORT)
    server.put("b.z", SHORT, 9)
    server.serve(2)
    assert server.load("a.y") == fair_queue.ITEM_SECONDS_MIN  # it waits
    assert server.load("a.x") >= LONG


def test_a_waiting_item_counts_as_the_mean_of_the_last_ones(server: Server) -> None:
    server.put("a.x", LONG, 10)
    assert server.load("a.x") == 10 * fair_queue.ITEM_SECONDS_MIN  # nothing is known of it
    server.serve(4)
    assert server.load("a.x") == pytest.approx(LONG + 6 * LONG)  # the last one is its debt
    server.serve(6)
    server.put("a.x", SHORT / 1000, 100)
    server.serve(50)
    assert server.load("a.x") == pytest.approx(50 * fair_queue.ITEM_SECONDS_MIN, abs=0.001)


def test_only_callers_count_as_others(server: Server) -> None:
    server.put("a.x", SHORT, 3)
    assert not server.queue.has_others(_share("a.x"))
    assert server.queue.has_others(_share("a.y"))
    server.put("a", SHORT, 2)  # the service's own
    server.put("", SHORT)
    assert not server.queue.has_others(_share("a.x"))
    server.put("a.y", SHORT)
    assert server.queue.has_others(_share("a.x"))
    server.serve(7)
    assert not server.queue.has_others(_share("a.y"))


def test_an_item_that_is_put_back_keeps_its_place_and_is_not_charged(server: Server) -> None:
    for name, items in (("a.x", "12"), ("b.y", "3")):
        for item in items:
            server.queue.put(_share(name), (item, SHORT))
    taken = []
    while turn := server.queue.peek():
        server.queue.take(turn)
        taken.append(turn)
    order = [turn.item[0] for turn in taken]
    assert order == ["1", "3", "2"]
    for turn in reversed(taken):
        server.queue.put_back(turn)
    assert len(server.queue) == 3
    assert (server.load("a.x"), server.load("b.y")) == (0.002, 0.001)
    assert server.serve(3) == order


def test_a_removed_item_is_not_served(server: Server) -> None:
    server.put("a.x", SHORT, 2)
    server.put("b.y", LONG)
    server.queue.remove(_share("b.y"), ("b.y", LONG))
    server.queue.remove(_share("b.y"), ("b.y", LONG))
    server.queue.remove(_share("c.z"), ("c.z", LONG))
    assert len(server.queue) == 2
    assert server.serve(2) == ["a.x", "a.x"]
    assert server.queue.peek() is None


def test_the_newest_item_of_the_caller_with_most_work_is_removed_first(server: Server) -> None:
    server.put("", LONG, 500)  # the service's own never does
    server.put("a.x", SHORT, 3)
    server.queue.put(_share("a.x"), ("newest", SHORT))
    server.put("b.y", SHORT, 2)
    assert server.queue.remove_newest() == ("newest", SHORT)
    assert len(server.queue) == 505
    for _ in range(5):
        server.queue.remove_newest()
    assert len(server.queue) == 500


def test_items_that_are_not_allowed_wait_and_let_others_pass(server: Server) -> None:
    server.put("a.x", LONG, 3)
    server.put("a.y", SHORT, 3)
    server.put("b.z", LONG, 3)
    assert server.serve(3, lambda share, item: item[1] == SHORT) == ["a.y"] * 3
    assert server.queue.peek(lambda share, item: item[1] == SHORT) is None
    assert sorted(server.serve(6)) == ["a.x"] * 3 + ["b.z"] * 3


def test_callers_with_nothing_to_do_are_forgotten(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "CALLERS_MAX", 50)
    server.put("a.busy", SHORT, 1000)
    for number in range(500):
        server.put(f"{number}.x", SHORT)
        server.serve(2)
        assert len(server.queue._callers) <= 50
        assert len(server.queue._organizations) <= 50
    assert server.served.count("a.busy") == 500
    assert server.load("a.busy") > 0
