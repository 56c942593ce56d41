"""Filters of cards, as queries give them and as statements take them.

Values of one filter mean any of them, several filters mean all of them. Statements take a set of values as a JSON list;
an assignee of `''` means none.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from ..auth.context import Call
from ..clock import find_zone, timestamp
from ..database.queries import sql
from ..errors import invalid
from ..pipeline import filter_values, reference_errors
from ..schemas import Query, Repeatable, json_text
from ..text.comparison import fold_name, fold_text
from . import due_dates, event_cursor

Priority = Literal["none", "low", "medium", "high", "urgent"]
VALUES_MAX = 100  # of one filter
DUE_VALUES_MAX = 10  # each is compared with every due date
FIELD_VALUE_CHARACTERS_MAX = 500
DAYS_OF_WEEK = 7
FIRST_YEAR = 1000  # of timestamps
_DUE_WORDS = ("overdue", "today", "week", "none")
_DAYS = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)", re.ASCII)
_DUE_HINT = "must be overdue, today, week, none or two days like 2026-11-01..2026-11-30"
_END = "~"  # sorts after all days and timestamps
# By filter of a query: the parameter of statements. Those of `priority` are texts, as are all others.
PARAMETERS = {
    "project_id": "project_ids",
    "column_id": "column_ids",
    "card_type_id": "card_type_ids",
    "assigned_agent_id": "assigned_agent_ids",
    "assigned_user_id": "assigned_user_ids",
    "claimed_by": "claimed_by_ids",
    "priority": "priorities",
}
_WORDS = {"assigned_agent_id": ("me", "none"), "assigned_user_id": ("me", "none")}
Filters = dict[str, Any]  # parameters of statements; sets of values are tuples


def _check_due(value: str) -> str:
    if value not in _DUE_WORDS:
        _parse_days(value)
    return value


def _parse_days(value: str) -> tuple[date, date]:
    """Return the first and the last day of a range; raise ValueError."""
    days = _DAYS.fullmatch(value)
    try:
        first, last = map(date.fromisoformat, days.groups() if days else ())
    except ValueError:
        raise ValueError(_DUE_HINT) from None
    if first > last:
        raise ValueError("must begin with the earlier day")
    return first, last


def _check_field(value: str) -> str:
    if not fold_name(value.partition(":")[0]) or ":" not in value:
        raise ValueError("must be the name of a field, a colon and a value, for example labels:bug")
    return value


_Limit = Field(max_length=VALUES_MAX)
Ids = Annotated[tuple[str, ...] | None, Repeatable, _Limit]
Priorities = Annotated[tuple[Priority, ...] | None, Repeatable, _Limit]
FieldFilter = Annotated[str, StringConstraints(max_length=FIELD_VALUE_CHARACTERS_MAX), AfterValidator(_check_field)]
DueFilter = Annotated[str, AfterValidator(_check_due)]


class CardFilters(Query):
    """The filters of lists of cards and of the search; a key that is repeated means any of its values."""

    project_id: Ids = None
    column_id: Ids = None
    card_type_id: Ids = None
    assigned_agent_id: Annotated[
        tuple[str, ...] | None, Repeatable, _Limit, Field(description="`none`: no agent; `me`: the calling agent.")
    ] = None
    assigned_user_id: Annotated[
        tuple[str, ...] | None, Repeatable, _Limit, Field(description="`none`: no person; `me`: the caller.")
    ] = None
    claimed_by: Ids = None
    priority: Priorities = None
    field: Annotated[
        tuple[FieldFilter, ...] | None,
        Repeatable,
        _Limit,
        Field(description="`<name>:<value>`: values of one field mean any, several fields all of them."),
    ] = None
    due: Annotated[
        tuple[DueFilter, ...] | None,
        Repeatable,
        Field(max_length=DUE_VALUES_MAX),
        Field(description="`overdue`, `today`, `week` (today and the six days after it), `none`, or `<day>..<day>`."),
    ] = None
    updated_since: str | None = Field(None, description="A timestamp or an age: 15m, 3h, 2d.")

    @property
    def is_relative(self) -> bool:
        """Return whether what the filters mean depends on the time or on the caller."""
        people = (*(self.assigned_agent_id or ()), *(self.assigned_user_id or ()))
        return bool(self.due or self.updated_since or "me" in people)


def resolve(call: Call, query: CardFilters) -> Filters:
    """Return the parameters of statements for filters; raise validation_failed for a value that names nothing."""
    given, since = {name: getattr(query, name) for name in PARAMETERS}, query.updated_since
    named = {
        name: tuple(value for value in values or () if value not in _WORDS.get(name, ()))
        for name, values in given.items()
    }
    filter_values.require_known_values(call, query, named)
    chosen = {
        **given,
        "assigned_agent_id": _resolve_words(query.assigned_agent_id, lambda: _get_own_agent_id(call)),
        "assigned_user_id": _resolve_words(query.assigned_user_id, lambda: _get_own_user_id(call)),
    }
    return {
        **{parameter: chosen[name] for name, parameter in PARAMETERS.items()},
        "field_card_ids": _find_cards_by_fields(call, query.field),
        "due": None if query.due is None else _resolve_due(call, query.due),
        "due_none": query.due is not None and "none" in query.due,
        "updated_since": since if since is None else event_cursor.require_time(call, since, "updatedSince"),
    }


def _resolve_words(values: tuple[str, ...] | None, get_own_id: Callable[[], str]) -> tuple[str, ...] | None:
    """Return ids with `me` replaced by the caller's id, and `none` by an empty one."""
    if values is None:
        return None
    return tuple(get_own_id() if value == "me" else "" if value == "none" else value for value in values)


def _get_own_agent_id(call: Call) -> str:
    agent_id = call.agent_id
    if agent_id is None or not call.tx.one(sql.access.get_agent, org_id=call.org_id, agent_id=agent_id):
        raise invalid("assignedAgentId", "me is the calling agent, and you are none; send the id of an agent")
    return agent_id


def _get_own_user_id(call: Call) -> str:
    if call.is_agent:
        raise invalid("assignedUserId", "me is the calling person, and you are none; send the id of a member")
    return call.user_id


def _find_cards_by_fields(call: Call, filters: tuple[str, ...] | None) -> str | None:
    """Return the ids of the cards with one of the values of each field, as a JSON list; raise validation_failed."""
    if filters is None:
        return None
    wanted = [(fold_name(name), fold_text(value)) for name, _, value in (text.partition(":") for text in filters)]
    rows = call.tx.all(sql.fields.list_of_organization, org_id=call.org_id)
    fields = [(row["id"], fold_name(row["name"])) for row in rows]
    names = {name for name, _ in wanted}
    if unknown := names - {name for _, name in fields}:
        raise reference_errors.unknown_field_name(call, "field", f"there is no field {min(unknown)!r}", rows)
    ids = [(field_id, name) for field_id, name in fields if name in names]
    parameters = {"fields": json_text(ids), "values": json_text(wanted), "names": len(names)}
    return str(call.tx.value(sql.field_values.list_card_ids, **parameters))


def _resolve_due(call: Call, values: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    """Return due dates as ranges of days and of moments, without their ends; `isOpen` leaves out done cards."""
    zone, today = find_zone(due_dates.get_timezone(call)), date.fromisoformat(due_dates.get_today(call))
    ranges = {
        "overdue": {"firstDay": "", "endDay": today.isoformat(), "first": "", "end": call.now, "isOpen": True},
        "today": _get_range(zone, today, today),
        "week": _get_range(zone, today, today + timedelta(days=DAYS_OF_WEEK - 1)),
    }
    return tuple(ranges.get(value) or _get_range(zone, *_parse_days(value)) for value in values if value != "none")


def _get_range(zone: tzinfo, first: date, last: date) -> dict[str, Any]:
    end = None if last == date.max else last + timedelta(days=1)
    return {
        "firstDay": first.isoformat(),
        "endDay": end.isoformat() if end else _END,
        "first": _get_start(zone, first),
        "end": _get_start(zone, end) if end else _END,
        "isOpen": False,
    }


def _get_start(zone: tzinfo, day: date) -> str:
    """Return the timestamp at which a day begins in a time zone."""
    if day.year <= FIRST_YEAR:
        return day.isoformat()  # no due date is earlier
    return timestamp(datetime.combine(day, time(), zone).astimezone(UTC))
