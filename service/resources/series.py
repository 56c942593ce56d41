"""Series: the figures of each day in the caller's time zone, for pictures (contract, section 7: links, series)."""

import re
from collections import defaultdict
from datetime import date, datetime, timedelta, tzinfo
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ..auth.context import Call
from ..auth.policies import may
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import invalid
from ..pipeline.routing import routes
from ..schemas import Output, Query, json_text
from . import auth, projects

DAYS_SHOWN, DAYS_MAX = 30, 400
COUNTS_MAX = 100_000  # of columns times days
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
FOR_EVER = 1 << 53  # milliseconds since 1970


class Day(Output):
    """One day: cards made and closed, hours from the one to the other, and how many stood in each column at its end."""

    date: str
    created: int
    closed: int
    cycle_median: float | None = Field(description="Hours, of the cards closed on that day; null if none was.")
    cycle85: float | None = Field(alias="cycle85", description="Hours in which 85 % of them were done.")
    columns: dict[str, int] = Field(description="By id of column: cards at the end of the day, or now if it is today.")


class Series(Output):
    days: list[Day]


def _moment(text: str) -> str:
    """Take a day of the caller's calendar as it is, and a moment as others."""
    return date.fromisoformat(text).isoformat() if _DAY.fullmatch(text) else timestamp(parse_timestamp(text))


Moment = Annotated[str, AfterValidator(_moment)]


class SeriesQuery(Query):
    project_id: str | None = None
    start: Moment | None = Field(None, alias="from")
    end: Moment | None = Field(None, alias="to")
    bucket: Literal["day"] = "day"


@routes.get("/organizations/{org_id}/analytics/series", may("read", "Analytics"), on_reader_thread=True)
def read(call: Call, org_id: str, query: SeriesQuery) -> Series:
    """Show the figures of each day, whole days of the caller's time zone: the last 30 unless named, 400 at the most.

    The days are those of `from`, of `to` and all in between, up to today; both may be a day (2026-03-10) or a moment.
    A card counts as closed by each move into a done column. Columns that were deleted are left out. Past counts come
    from history: what was removed for good is not in them.
    """
    if query.project_id is not None:
        projects.require_project(call, query.project_id)
    days = _days(call, query)
    scope = {"org_id": org_id, "project_id": query.project_id}
    figures = call.tx.all(sql.series.list_days, days=json_text(days), **scope)
    columns = _columns(call, days, scope)
    return Series(days=[Day(**row, columns=columns[row["date"]]) for row in figures])


def _days(call: Call, query: SeriesQuery) -> list[dict[str, Any]]:
    """List the days with where each begins and ends; raise validation_failed if they are none or too many."""
    from zoneinfo import ZoneInfo  # a MB that most processes never need

    zone = ZoneInfo(auth.get_user(call)["timezone"])
    today = _date(call.now, zone)
    last = min(_date(query.end, zone), today) if query.end else today
    first = _date(query.start, zone) if query.start else last - timedelta(days=DAYS_SHOWN - 1)
    if first > last:
        raise invalid("from", "must not be after to, nor in the future")
    count = (last - first).days + 1
    if count > DAYS_MAX:
        raise invalid("from", f"begins {count} days before the last one; {DAYS_MAX} are the limit, ask for less")
    return [_day(first + timedelta(days=number), zone) for number in range(count)]


def _date(moment: str, zone: tzinfo) -> date:
    """Give the day of the caller's calendar on which a moment is."""
    return date.fromisoformat(moment) if _DAY.fullmatch(moment) else parse_timestamp(moment).astimezone(zone).date()


def _day(day: date, zone: tzinfo) -> dict[str, Any]:
    since, until = (datetime.combine(one, datetime.min.time(), zone) for one in (day, day + timedelta(days=1)))
    moments = {"begins": _milliseconds(since), "ends": _milliseconds(until)}
    return {"date": day.isoformat(), "since": timestamp(since), "until": timestamp(until), **moments}


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _columns(call: Call, days: list[dict[str, Any]], scope: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Count back from the cards that stand in each column now to the end of each day."""
    counts = {row["id"]: row["card_count"] for row in call.tx.all(sql.series.list_columns, **scope)}
    if len(counts) * len(days) > COUNTS_MAX:
        raise invalid("from", "asks for too many days of too many columns; name a project, or fewer days")
    later = {"date": "later", "begins": days[-1]["ends"], "ends": FOR_EVER}
    gained: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in call.tx.all(sql.series.list_column_changes, days=json_text([*days, later]), **scope):
        gained[row["date"]][row["column_id"]] = row["gained"]
    shown = {}
    for day in reversed([*days, later]):
        shown[day["date"]] = counts
        less = gained[day["date"]]
        counts = {column_id: max(0, count - less.get(column_id, 0)) for column_id, count in counts.items()}
    return shown
