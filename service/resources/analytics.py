"""Analytics of a time window, computed from card history."""

from datetime import timedelta
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..auth.policies import may
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import LONG
from ..errors import invalid
from ..pipeline import filter_values
from ..pipeline.routing import routes
from ..schemas import Output, Query, Timestamp
from . import projects

WINDOW_DAYS = 30  # default length of the window


class Window(Output):
    """A time window; `from` is inclusive, `to` is exclusive."""

    start: str = Field(alias="from")
    end: str = Field(alias="to")


class Throughput(Output):
    """Cards created and closed in the window, and the mean time from creation to closing."""

    cards_created: int
    cards_closed: int
    average_cycle_time_hours: float


class AgentWork(Output):
    """The activity of one agent in the window."""

    agent_id: str
    cards_touched: int
    comments: int
    transitions: int


class ColumnFlow(Output):
    """Cards that entered a column in the window, and the mean time that cards spent there within it."""

    column_id: str
    cards_entered: int
    average_dwell_hours: float


class Analytics(Output):
    """The analytics of one window."""

    window: Window
    throughput: Throughput
    agents: list[AgentWork]
    by_column: list[ColumnFlow]


class AnalyticsQuery(Query):
    project_id: str | None = None
    start: Timestamp | None = Field(None, alias="from")
    end: Timestamp | None = Field(None, alias="to")


@routes.get("/organizations/{org_id}/analytics", may("read", "Analytics"), on_reader_thread=True, read_kind=LONG)
def get_analytics(call: Call, org_id: str, query: AnalyticsQuery) -> Analytics:
    """Return throughput, activity of agents and flow through columns; by default for the last 30 days.

    A `projectId` that names nothing is 400, that of an archived project 404.
    """
    window = _get_window(call, query)
    filter_values.require_known(call, query)
    if query.project_id is not None:
        projects.require_project(call, query.project_id)
    scope = {"org_id": org_id, "project_id": query.project_id}
    between, span = {"window_from": window.start, "window_to": window.end}, _convert_to_milliseconds(call, window)
    throughput = call.tx.one(sql.analytics.throughput, **scope, **between, **span)
    assert throughput is not None
    return Analytics(
        window=window,
        throughput=Throughput(**throughput),
        agents=[AgentWork(**row) for row in call.tx.all(sql.analytics.agent_activity, **scope, **between)],
        by_column=[ColumnFlow(**row) for row in call.tx.all(sql.analytics.column_dwell_times, **scope, **span)],
    )


def _get_window(call: Call, query: AnalyticsQuery) -> Window:
    start = query.start or timestamp(parse_timestamp(call.now) - timedelta(days=WINDOW_DAYS))
    end = query.end or call.now
    if start >= end:
        raise invalid("from", "must be before to")
    return Window(start=start, end=end)


def _convert_to_milliseconds(call: Call, window: Window) -> dict[str, Any]:
    """Return the window in milliseconds since 1970, the unit of column changes; it ends now at the latest."""
    since = _to_milliseconds(window.start)
    return {"since": since, "until": max(since, min(_to_milliseconds(window.end), _to_milliseconds(call.now)))}


def _to_milliseconds(time: str) -> int:
    return round(parse_timestamp(time).timestamp() * 1000)
