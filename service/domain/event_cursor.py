"""Cursors into the event log, from an event id, a timestamp or an age."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from pydantic import Field

from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import invalid

_NUMBER = re.compile("[0-9]{1,18}")
_AGE = re.compile(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
Since = Annotated[str | None, Field(description="An event id, a timestamp or an age: 15m, 3h, 2d.")]


@dataclass(frozen=True)
class Cursor:
    """The id of the last event that a client has; `is_lost` if events after the requested position were deleted."""

    after: int
    is_lost: bool


def get_last_event_id(call: Call) -> int:
    """Return the id of the newest event of all organizations; 0 if there has never been one."""
    bounds = call.tx.one(sql.events.id_range)
    assert bounds is not None
    return bounds["last_id"] or 0


def find_cursor_after(call: Call, since: str | None) -> Cursor:
    """Return the cursor after an event id; the end of the log without an id, or if the id is unknown."""
    bounds = call.tx.one(sql.events.id_range)
    assert bounds is not None
    first, last = bounds["first_id"] or 1, bounds["last_id"] or 0
    if not since:
        return Cursor(last, is_lost=False)
    number = int(since) if _NUMBER.fullmatch(since) else -1
    is_known = first - 1 <= number <= last
    return Cursor(number if is_known else last, is_lost=not is_known)


def find_cursor(call: Call, since: str | None) -> Cursor:
    """Return the cursor after an event id, or at a timestamp or an age (15m, 3h, 2d); raise validation_failed."""
    if not since or (since.isascii() and since.isdigit()):
        return find_cursor_after(call, since)
    time = _require_time(call, since)
    first = call.tx.one(sql.events.find_from, id=0)
    # Events before the first stored one were deleted, unless the first one has the id 1.
    is_lost = first is not None and first["id"] > 1 and time < first["created_at"]
    return Cursor(get_last_event_id(call) if is_lost else find_last_event_before(call, time), is_lost)


def require_event_id(call: Call, since: str) -> int:
    """Return the event id at `since`: an event id, a timestamp or an age (15m, 3h, 2d); raise validation_failed."""
    if _NUMBER.fullmatch(since):
        return min(int(since), get_last_event_id(call))
    return find_last_event_before(call, _require_time(call, since))


def _require_time(call: Call, since: str) -> str:
    time = parse_time(call, since)
    if time is None:
        raise invalid("since", "must be an event id, a timestamp or an age like 15m, 3h, 2d")
    return time


def parse_time(call: Call, text: str) -> str | None:
    """Return the timestamp for a timestamp or an age (15m, 3h, 2d) before now; None for other texts."""
    try:
        if age := _AGE.fullmatch(text):
            return timestamp(parse_timestamp(call.now) - timedelta(seconds=int(age[1]) * _SECONDS[age[2]]))
        return None if text.isascii() and text.isdigit() else timestamp(parse_timestamp(text))
    except (ValueError, OverflowError):
        return None


def require_time(call: Call, since: str) -> str:
    """Return the timestamp for a timestamp or an age (15m, 3h, 2d); raise validation_failed."""
    time = parse_time(call, since)
    if time is None:
        raise invalid("since", "must be a timestamp or an age like 15m, 3h, 2d")
    return time


def find_last_event_before(call: Call, time: str) -> int:
    """Return the id of the last event before a timestamp, by binary search: ids grow with time."""
    low, high = 0, get_last_event_id(call)
    while low < high:
        middle = (low + high + 1) // 2
        row = call.tx.one(sql.events.find_from, id=middle)
        if row is not None and row["id"] <= high and row["created_at"] < time:
            low = row["id"]
        else:
            high = middle - 1
    return low
