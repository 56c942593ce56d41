"""The clock of the service, and its timestamps: ISO-8601 in UTC with milliseconds."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

RECENT_SECONDS = 86400.0  # a clock that is less than this ahead of the latest stored timestamp is trusted at once
JUMP_SECONDS = 60.0  # difference between wall clock and monotonic clock that counts as a jump
STEADY_SECONDS = 3600.0  # time without a jump after which the clock is trusted again


def timestamp(time: datetime) -> str:
    """Return a time as ISO-8601 UTC with milliseconds and Z."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def now() -> str:
    """Return the current time as a timestamp."""
    return _format_millisecond(time.time_ns() // 1_000_000)


@lru_cache(maxsize=2)  # Every request needs the time, often several within one millisecond.
def _format_millisecond(millisecond: int) -> str:
    second, rest = divmod(millisecond, 1000)
    return f"{_format_second(second)}{rest:03d}Z"


@lru_cache(maxsize=2)
def _format_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S.")


class Clock:
    """The wall clock, with a memory of its latest time, since a wall clock may be set back."""

    def __init__(self, clock: Callable[[], str] = now, latest: str | None = None) -> None:
        self._clock = clock
        self._latest = latest or ""
        self._set_back_from = ""  # the latest time before the clock was last set back, or empty

    def __call__(self) -> str:
        """Return the current time."""
        time = self._clock()
        if time < self._latest:
            self._set_back_from = self._latest
        else:
            self._latest = time
        return time

    def may_have_gone_backwards(self, time: str) -> bool:
        """Return whether this clock may have returned a later time before it returned this one."""
        return time <= self._set_back_from

    def monotonic_now(self) -> str:
        """Return the current time or, if the clock was set back, a millisecond after the latest time so far."""
        if self() < self._latest:
            self._latest = next_millisecond(self._latest)
        return self._latest

    def monotonic_seconds(self) -> float:
        """Return monotonic_now() in seconds since 1970."""
        return parse_timestamp(self.monotonic_now()).timestamp()


class ClockTrust:
    """Decides whether the wall clock is reliable enough to delete data by age.

    A machine may boot with a time far in the future, until it is synchronized. If the service starts more than a day
    after the latest stored timestamp, or if the clock jumps, the clock is trusted after an hour without a jump.
    """

    def __init__(
        self,
        latest: str | None,
        clock: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock, self._steady = clock, steady
        self._last_steady = self._steady_since = steady()
        self._last_time = clock()
        last = parse_timestamp(latest).timestamp() if latest else float("-inf")
        self._is_recent = self._last_time - last < RECENT_SECONDS

    def is_trusted(self) -> bool:
        """Check the clock for a jump and return whether it is trusted; call this about once an hour or more often."""
        steady, time = self._steady(), self._clock()
        if abs((time - self._last_time) - (steady - self._last_steady)) > JUMP_SECONDS:
            self._is_recent, self._steady_since = False, steady
        self._last_steady, self._last_time = steady, time
        return self._is_recent or steady - self._steady_since >= STEADY_SECONDS


def parse_timestamp(text: str) -> datetime:
    """Return the time of an ISO-8601 text, in UTC if it has no offset; raise ValueError for any other text."""
    if not isinstance(text, str) or len(text) > 40:
        raise ValueError("must be an ISO-8601 timestamp, for example 2026-11-20T09:05:00Z")
    try:
        time = datetime.fromisoformat(text)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        time = time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be an ISO-8601 timestamp, for example 2026-11-20T09:05:00Z") from None
    if time.year < 1000:
        raise ValueError("must be a timestamp after the year 1000")
    return time


def find_zone(name: str) -> tzinfo:
    """Return a time zone by its IANA name; UTC if the zone data of this machine lacks it (a database can be moved)."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # on demand: it needs 1 MB that most processes never use

    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return UTC


def next_millisecond(time: str) -> str:
    """Return the timestamp one millisecond after this one."""
    return timestamp(parse_timestamp(time) + timedelta(milliseconds=1))
