"""The time, as the service reads and writes it (contract, section 1)."""

import time
from datetime import UTC, datetime
from functools import lru_cache


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
