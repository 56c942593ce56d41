"""The time, as the service reads and writes it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

NEAR_SECONDS = 86400.0  # after the last thing that happened: a start within them is believed at once
JUMP_SECONDS = 60.0  # by which the clock may differ from one that nobody sets
AGREEMENT_SECONDS = 3600.0  # for which it must not, to be believed again


def timestamp(moment: datetime) -> str:
    """Write a moment as ISO-8601 UTC with milliseconds and Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def now() -> str:
    """Tell the time as the service writes it."""
    return _written(time.time_ns() // 1_000_000)


@lru_cache(maxsize=2)  # every request asks for the time, and a crowd of them within one millisecond
def _written(millisecond: int) -> str:
    second, rest = divmod(millisecond, 1000)
    return f"{_begun(second)}{rest:03d}Z"


@lru_cache(maxsize=2)
def _begun(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S.")


class Clock:
    """Tells the time, and knows the latest that it ever was, since the clock on the wall may go back."""

    def __init__(self, clock: Callable[[], str] = now, latest: str | None = None) -> None:
        self._clock = clock
        self._latest = latest or ""
        self._back_until = ""  # the clock has gone back, and until then the time was told before

    def __call__(self) -> str:
        """Tell the time."""
        moment = self._clock()
        if moment < self._latest:
            self._back_until = self._latest
        else:
            self._latest = moment
        return moment

    def may_have_gone_backwards(self, moment: str) -> bool:
        """Tell whether later times than this one may have been told before it."""
        return moment <= self._back_until

    def monotonic_now(self) -> str:
        """Tell the time, or where the clock has gone back one right after all that were ever told."""
        if self() < self._latest:
            self._latest = next_millisecond(self._latest)
        return self._latest

    def monotonic_seconds(self) -> float:
        """Tell the same in seconds since 1970."""
        return parse_timestamp(self.monotonic_now()).timestamp()


class ClockTrust:
    """Tells whether the clock may be believed where something is thrown away for its age.

    A machine may start far in the future, until the network tells it the time. So whoever starts more than a day after
    the last thing happened, or sees the clock jump, believes it once it has gone on evenly for an hour.
    """

    def __init__(
        self,
        latest: str | None,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock, self._steady = clock, steady
        self._seen = self._since = steady()
        self._shown = clock()
        last = parse_timestamp(latest).timestamp() if latest else float("-inf")
        self._is_near = self._shown - last < NEAR_SECONDS

    def is_trusted(self) -> bool:
        """Look at the clock, and tell whether it may be believed; to be asked at least once an hour or so."""
        seen, shown = self._steady(), self._clock()
        if abs((shown - self._shown) - (seen - self._seen)) > JUMP_SECONDS:
            self._is_near, self._since = False, seen
        self._seen, self._shown = seen, shown
        return self._is_near or seen - self._since >= AGREEMENT_SECONDS


def parse_timestamp(text: str) -> datetime:
    """Read an ISO-8601 moment with any offset (none: UTC); raise ValueError if it is not one."""
    if not isinstance(text, str) or len(text) > 40:
        raise ValueError("must be an ISO-8601 timestamp, for example 2026-11-20T09:05:00Z")
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be an ISO-8601 timestamp, for example 2026-11-20T09:05:00Z") from None
    if moment.year < 1000:
        raise ValueError("must be a timestamp after the year 1000")
    return moment


def next_millisecond(moment: str) -> str:
    """Give the millisecond after a moment."""
    return timestamp(parse_timestamp(moment) + timedelta(milliseconds=1))
