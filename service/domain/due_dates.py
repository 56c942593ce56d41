"""Due dates: a calendar day or a moment.

A due date has two forms. Columns and answers have the timestamp and whether it is a day (`due_all_day`): the day's
midnight in UTC. Inputs, history and tools have one text: `2026-11-30` is a day, a timestamp is a moment.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import MISSING, BeforeValidator, ValidationInfo

from ..auth.context import Call
from ..clock import find_zone, parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import invalid
from ..schemas import Input

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
MIDNIGHT = "T00:00:00.000Z"
COLUMNS = ("due_date", "due_all_day")


def _parse(value: Any, info: ValidationInfo) -> str | None:
    """Return a day or a moment; with `dueAllDay` a timestamp is the day that it names in its own time zone."""
    if value is None:
        return None
    moment, all_day = timestamp(_parse_moment(value)), info.data.get("due_all_day", MISSING)
    if all_day is True:
        day = datetime.fromisoformat(value).date().isoformat()
        return timestamp(parse_timestamp(day))[:10]
    return moment[:10] if _DAY.fullmatch(value) and all_day is not False else moment


def _parse_moment(value: Any) -> datetime:
    """Return the moment at which a day begins in UTC, or that a timestamp names; raise ValueError for anything else."""
    try:
        return parse_timestamp(value)
    except ValueError:
        raise ValueError("must be a day like 2026-11-20 or a moment like 2026-11-20T09:05:00Z") from None


DueDate = Annotated[str | None, BeforeValidator(_parse)]


class DueDateInput(Input):
    """The due date in a body. `dueAllDay` comes first, since the date is parsed with it."""

    due_all_day: bool | MISSING = MISSING
    due_date: DueDate | MISSING = MISSING


def get_text(row: Mapping[str, Any]) -> str | None:
    """Return the due date of a row or an answer (camelCase) as one text."""
    date: str | None
    date, all_day = (row[name] for name in (COLUMNS if "due_date" in row else ("dueDate", "dueAllDay")))
    return date[:10] if date and all_day else date


def get_columns(due: str | None) -> dict[str, Any]:
    """Return the columns of a due date in one text."""
    is_day = due is not None and len(due) == len("2026-11-30")
    return {"due_date": f"{due}{MIDNIGHT}" if is_day else due, "due_all_day": is_day}


def apply_changes(values: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a body with the due date as columns, if it has one; `before` is the row of the card.

    A day stays a day if its timestamp is sent back. Raise validation_failed for `dueAllDay` without a date.
    """
    others = {name: value for name, value in values.items() if name not in COLUMNS}
    if not values.keys() & set(COLUMNS):
        return others
    all_day, due = values.get("due_all_day"), values.get("due_date", before["due_date"])
    if due is None and all_day:
        raise invalid("dueAllDay", "needs a due date; send dueDate, too")
    if due and due == before["due_date"]:  # its timestamp, or none was sent
        is_day = before["due_all_day"] if all_day is None else all_day
        due = due[:10] if is_day else due
    return others | get_columns(due)


def get_today(call: Call) -> str:
    """Return the current day in the time zone of the organization."""
    return parse_timestamp(call.now).astimezone(find_zone(get_timezone(call))).date().isoformat()


def get_timezone(call: Call) -> str:
    """Return the time zone of the organization."""
    organization = call.tx.one(sql.organizations.get, org_id=call.org_id)
    return str(organization["timezone"]) if organization else "UTC"
