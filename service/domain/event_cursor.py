"""Positions: where in the log of events somebody goes on, by an event id, a moment or an age."""

import re
from dataclasses import dataclass
from datetime import timedelta

from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import invalid

_NUMBER = re.compile("[0-9]{1,18}")
_AGE = re.compile(r"([0-9]{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Cursor:
    """Where to go on in the log; lost: what happened in between is no longer known, or never was."""

    after: int
    lost: bool


def get_last_event_id(call: Call) -> int:
    """Give the id of the last event there is, whosever it is; 0 if nothing ever happened."""
    bounds = call.tx.one(sql.events.id_range)
    assert bounds is not None
    return bounds["last_id"] or 0


def find_cursor_after(call: Call, since: str | None) -> Cursor:
    """Find where to go on after an event id: at the end of the log if none is named, or if the id is not known."""
    bounds = call.tx.one(sql.events.id_range)
    assert bounds is not None
    first, last = bounds["first_id"] or 1, bounds["last_id"] or 0
    if not since:
        return Cursor(last, lost=False)
    number = int(since) if _NUMBER.fullmatch(since) else -1
    is_known = first - 1 <= number <= last
    return Cursor(number if is_known else last, lost=not is_known)


def find_cursor(call: Call, since: str | None) -> Cursor:
    """Find where to go on after an event id, or from a moment or an age (15m, 3h, 2d) on."""
    named = since and parse_time(call, since)
    if not named:
        return find_cursor_after(call, since)
    first = call.tx.one(sql.events.find_from, id=0)
    # What came before the first event that is kept is forgotten, unless nothing ever was.
    lost = first is not None and first["id"] > 1 and named < first["created_at"]
    return Cursor(get_last_event_id(call) if lost else find_last_event_before(call, named), lost)


def require_event_id(call: Call, since: str) -> int:
    """Find the place in the log that `since` names: an event id, a moment, or an age (15m, 3h, 2d); raise invalid."""
    if _NUMBER.fullmatch(since):
        return min(int(since), get_last_event_id(call))
    named = parse_time(call, since)
    if named is None:
        raise invalid("since", "must be an event id, a timestamp or an age like 15m, 3h, 2d")
    return find_last_event_before(call, named)


def parse_time(call: Call, named: str) -> str | None:
    """Give the moment that a timestamp or an age (15m, 3h, 2d) names; None if it is neither."""
    try:
        if age := _AGE.fullmatch(named):
            return timestamp(parse_timestamp(call.now) - timedelta(seconds=int(age[1]) * _SECONDS[age[2]]))
        return None if named.isascii() and named.isdigit() else timestamp(parse_timestamp(named))
    except (ValueError, OverflowError):
        return None


def find_last_event_before(call: Call, moment: str) -> int:
    """Give the last event before a moment: ids grow with time, so a few looks find it."""
    low, high = 0, get_last_event_id(call)
    while low < high:
        middle = (low + high + 1) // 2
        row = call.tx.one(sql.events.find_from, id=middle)
        if row is not None and row["id"] <= high and row["created_at"] < moment:
            low = row["id"]
        else:
            high = middle - 1
    return low
