"""Activity of one agent: what it did on cards, newest first."""

import orjson

from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..domain import event_cursor
from ..pipeline.routing import routes
from ..schemas import Output, PageSize, Query
from . import agents, events


class AgentActivity(Output):
    """What an agent did on cards, newest first; with `hasMore` it did more before these."""

    items: list[events.Event]
    has_more: bool


class AgentActivityQuery(Query):
    since: event_cursor.Since = None
    limit: PageSize = 50


@routes.get(
    "/organizations/{org_id}/agents/{agent_id}/activity",
    may("read", "Card"),
    on_reader_thread=True,
    answers=AgentActivity,
)
def list_agent_activity(call: Call, org_id: str, agent_id: str, query: AgentActivityQuery) -> bytes:
    """List the events that an agent caused on cards, newest first; denied requests have a list of their own.

    `since` is an event id, a timestamp or an age (`15m`, `3h`, `2d`); without it, all kept events are searched.
    """
    agents.require_agent(call, agent_id)
    since = 0 if query.since is None else event_cursor.require_event_id(call, query.since)
    which = {"org_id": org_id, "agent_id": agent_id, "since": since}
    row = call.tx.one(sql.activity.list_of_agent, limit=query.limit + 1, **which)
    assert row is not None
    items = orjson.loads(row["items"])
    return orjson.dumps({"items": items[: query.limit], "hasMore": row["count"] > query.limit})
