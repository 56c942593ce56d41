"""Daily statistics in the time zone of the caller, for charts."""

import re
from collections import defaultdict
from datetime import date, datetime, timedelta, tzinfo
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ..auth.context import Call
from ..auth.policies import may
from ..clock import find_zone, parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import LONG
from ..errors import invalid
from ..pipeline import filter_values
from ..pipeline.routing import routes
from ..schemas import Output, Query, json_text
from . import auth, projects

DAYS_DEFAULT, DAYS_MAX = 30, 400
COUNTS_MAX = 100_000  # number of columns times number of days
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
END_OF_TIME = 1 << 53  # milliseconds since 1970


class Day(Output):
    """Statistics of one day: cards created and closed, cycle times, and cards per column at its end."""

    date: str
    created: int
    closed: int
    cycle_median: float | None = Field(
        description="Median hours from creation to closing, of cards closed on that day; null if none."
    )
    cycle85: float | None = Field(alias="cycle85", description="85th percentile of these hours.")
    columns: dict[str, int] = Field(description="By column id: number of cards at the end of the day; for today, now.")


class Series(Output):
    days: list[Day]


def _parse_day_or_time(text: str) -> str:
    """Normalize a calendar day (2026-03-10) or a timestamp."""
    return date.fromisoformat(text).isoformat() if _DAY.fullmatch(text) else timestamp(parse_timestamp(text))


DayOrTime = Annotated[str, AfterValidator(_parse_day_or_time)]


class SeriesQuery(Query):
    project_id: str | None = None
    start: DayOrTime | None = Field(None, alias="from")
    end: DayOrTime | None = Field(None, alias="to")
    bucket: Literal["day"] = "day"


@routes.get("/organizations/{org_id}/analytics/series", may("read", "Analytics"), on_reader_thread=True, read_kind=LONG)
def get_series(call: Call, org_id: str, query: SeriesQuery) -> Series:
    """Return statistics for each day in the time zone of the caller: by default the last 30 days, at most 400.

    `from` and `to` are a day (2026-03-10) or a timestamp; both days are included, and no day is after today. Each move
    into a done column counts as closing the card. Deleted columns are omitted. Past counts are computed from the card
    history, so permanently deleted cards are not included. A `projectId` that names nothing is 400, that of an archived
    project 404.
    """
    filter_values.require_known(call, query)
    if query.project_id is not None:
        projects.require_project(call, query.project_id)
    days = _list_days(call, query)
    scope = {"org_id": org_id, "project_id": query.project_id}
    rows = call.tx.all(sql.series.list_days, days=json_text(days), **scope)
    columns = _count_cards(call, days, scope)
    return Series(days=[Day(**row, columns=columns[row["date"]]) for row in rows])


def _list_days(call: Call, query: SeriesQuery) -> list[dict[str, Any]]:
    """Return the requested days with their start and end; raise validation_failed if there are none or too many."""
    zone = find_zone(auth.get_user(call)["timezone"])
    today = _local_date(call.now, zone)
    last = min(_local_date(query.end, zone), today) if query.end else today
    first = _local_date(query.start, zone) if query.start else last - timedelta(days=DAYS_DEFAULT - 1)
    if first > last:
        raise invalid("from", "must not be after `to` or in the future")
    count = (last - first).days + 1
    if count > DAYS_MAX:
        raise invalid("from", f"gives a range of {count} days; at most {DAYS_MAX} are allowed")
    return [_day_bounds(first + timedelta(days=number), zone) for number in range(count)]


def _local_date(time: str, zone: tzinfo) -> date:
    """Return the calendar day of a day or timestamp in the time zone of the caller."""
    return date.fromisoformat(time) if _DAY.fullmatch(time) else parse_timestamp(time).astimezone(zone).date()


def _day_bounds(day: date, zone: tzinfo) -> dict[str, Any]:
    since, until = (datetime.combine(start, datetime.min.time(), zone) for start in (day, day + timedelta(days=1)))
    milliseconds = {"begins": _milliseconds(since), "ends": _milliseconds(until)}
    return {"date": day.isoformat(), "since": timestamp(since), "until": timestamp(until), **milliseconds}


def _milliseconds(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def _count_cards(call: Call, days: list[dict[str, Any]], scope: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return the cards per column at the end of each day, computed backwards from the current counts."""
    counts = {row["id"]: row["card_count"] for row in call.tx.all(sql.series.list_columns, **scope)}
    if len(counts) * len(days) > COUNTS_MAX:
        raise invalid("from", "requests too many days and columns; filter by project, or choose a shorter range")
    later = {"date": "later", "begins": days[-1]["ends"], "ends": END_OF_TIME}
    gained: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in call.tx.all(sql.series.list_column_changes, days=json_text([*days, later]), **scope):
        gained[row["date"]][row["column_id"]] = row["gained"]
    result = {}
    for day in reversed([*days, later]):
        result[day["date"]] = counts
        gains = gained[day["date"]]
        counts = {column_id: max(0, count - gains.get(column_id, 0)) for column_id, count in counts.items()}
    return result
