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


@dataclass(frozen=True)
class _Bounds:
    """The known positions of an organization's log, and when it begins: after deleted events, or at a restore."""

    oldest: int
    newest: int
    first_at: str  # "" if no events before the first one were deleted
    restored_at: str  # "" if there was no restore


def _get_bounds(call: Call) -> _Bounds:
    """Return the bounds of an organization's log; positions before deleted events or a restore are unknown."""
    row = call.tx.one(sql.events.id_range, org_id=call.org_id)
    assert row is not None
    first, restored = row["first_id"] or 1, row["restored_id"] or 0
    is_complete = first == 1 or row["first_type"] == "organization.created"
    return _Bounds(
        oldest=max(0 if is_complete else first - 1, restored),
        newest=max(row["last_id"] or 0, restored),
        first_at="" if is_complete else row["first_at"],
        restored_at=row["restored_at"] or "",
    )


def _is_empty_log_known(call: Call, bounds: _Bounds) -> bool:
    """Return whether nothing is lost after position 0; the log keeps its newest event, however old it is."""
    kept_since = timestamp(parse_timestamp(call.now) - timedelta(seconds=call.service.settings.events_kept))
    return not bounds.restored_at and bounds.first_at >= kept_since


def get_last_event_id(call: Call) -> int:
    """Return the id of the organization's newest event, or of the last restore if there is none since; 0 if neither."""
    return _get_bounds(call).newest


def limit_to_known(call: Call, event_id: int) -> int:
    """Return the position, or the oldest known one if it is older, for a client that continues from it."""
    return max(event_id, _get_bounds(call).oldest)


def find_cursor_after(call: Call, since: str | None) -> Cursor:
    """Return the cursor after an event id; the end of the log without an id, or if the id is unknown."""
    bounds = _get_bounds(call)
    if not since:
        return Cursor(bounds.newest, is_lost=False)
    number = int(since) if _NUMBER.fullmatch(since) else -1
    is_known = bounds.oldest <= number <= bounds.newest or (number == 0 and _is_empty_log_known(call, bounds))
    return Cursor(number if is_known else bounds.newest, is_lost=not is_known)


def find_cursor(call: Call, since: str | None) -> Cursor:
    """Return the cursor after an event id, or at a timestamp or an age (15m, 3h, 2d); raise validation_failed."""
    if not since or (since.isascii() and since.isdigit()):
        return find_cursor_after(call, since)
    time = _require_time(call, since)
    bounds = _get_bounds(call)
    if time < max(bounds.first_at, bounds.restored_at):
        return Cursor(bounds.newest, is_lost=True)
    return Cursor(max(find_last_event_before(call, time), bounds.oldest), is_lost=False)


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


def require_time(call: Call, since: str, path: str = "since") -> str:
    """Return the timestamp for a timestamp or an age (15m, 3h, 2d); raise validation_failed."""
    time = parse_time(call, since)
    if time is None:
        raise invalid(path, "must be a timestamp or an age like 15m, 3h, 2d")
    return time


def find_last_event_before(call: Call, time: str) -> int:
    """Return the id of the organization's last event before a timestamp, by binary search: ids grow with time."""
    low, high = 0, get_last_event_id(call)
    while low < high:
        middle = (low + high + 1) // 2
        row = call.tx.one(sql.events.find_from, org_id=call.org_id, id=middle)
        if row is not None and row["id"] <= high and row["created_at"] < time:
            low = row["id"]
        else:
            high = middle - 1
    return low
