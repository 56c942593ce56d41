"""ClockTrust: when the clock is reliable enough to delete data by age."""

from service.clock import ClockTrust, parse_timestamp

LATEST = "2026-11-20T09:05:00.000Z"
AT = parse_timestamp(LATEST).timestamp()
HOUR, DAY, YEAR = 3600, 86400, 365 * 86400


class Clocks:
    """The clock on the wall, and one that nobody sets."""

    def __init__(self, wall: float) -> None:
        self.wall, self.steady = wall, 5.0

    def pass_by(self, seconds: float, jump: float = 0) -> None:
        self.steady += seconds
        self.wall += seconds + jump

    def clock_trust(self, latest: str | None = LATEST) -> ClockTrust:
        return ClockTrust(latest, lambda: self.wall, lambda: self.steady)


def test_a_start_soon_after_the_last_thing_that_happened_is_believed_at_once() -> None:
    for later in (0, 60, DAY - 60, -60, -YEAR):
        assert Clocks(AT + later).clock_trust().is_trusted()


def test_a_start_far_in_the_future_is_believed_once_the_clock_has_agreed_for_an_hour() -> None:
    for latest in (LATEST, None):
        clocks = Clocks(AT + YEAR)
        clock_trust = clocks.clock_trust(latest)
        assert not clock_trust.is_trusted()
        clocks.pass_by(HOUR - 1)
        assert not clock_trust.is_trusted()
        clocks.pass_by(2)
        assert clock_trust.is_trusted()


def test_a_clock_that_is_put_right_meanwhile_begins_the_hour_anew() -> None:
    clocks = Clocks(AT + YEAR)
    clock_trust = clocks.clock_trust()
    clocks.pass_by(HOUR / 2, jump=-YEAR)
    assert not clock_trust.is_trusted()
    clocks.pass_by(HOUR - 1)
    assert not clock_trust.is_trusted()
    clocks.pass_by(1)
    assert clock_trust.is_trusted()


def test_a_clock_that_jumps_while_the_service_runs_is_not_believed_for_an_hour() -> None:
    for jump in (YEAR, -YEAR, 120):
        clocks = Clocks(AT)
        clock_trust = clocks.clock_trust()
        clocks.pass_by(HOUR)
        assert clock_trust.is_trusted()
        clocks.pass_by(HOUR, jump)
        assert not clock_trust.is_trusted()
        clocks.pass_by(HOUR)
        assert clock_trust.is_trusted()


def test_a_clock_that_is_kept_right_a_little_at_a_time_is_believed_for_ever() -> None:
    clocks = Clocks(AT)
    clock_trust = clocks.clock_trust()
    for _ in range(1000):
        clocks.pass_by(HOUR, jump=2)
        assert clock_trust.is_trusted()
