"""The people and agents of an organization, for the tool whoami."""

from typing import Any

from ..resources import agents, members
from .registry import ToolContext
from .token_limit import TruncatableResult

Json = dict[str, Any]
HINT = "ask again with maxTokens=8000"


def list_mentioned(written: Json) -> Json:
    """Return the people whom a written card or comment mentions, as a part of the answer; empty if there are none."""
    names = [mention["label"] for mention in written["mentions"]]
    return {"mentions": names} if names else {}


async def list_people(ctx: ToolContext) -> TruncatableResult:
    """List the members and agents of the organization by id and name, and the members with their handles."""
    member_rows = await ctx.call(members.list_member_names)
    agent_rows = await ctx.call(agents.list_agents, None, {"status": "approved"})
    content = {
        "people": [
            {"id": person["userId"], "name": person["fullName"], "handle": person["handle"]} for person in member_rows
        ],
        "agents": [
            {"id": agent["id"], "name": agent["title"], "online": agent["isOnline"] or None} for agent in agent_rows
        ],
    }
    return TruncatableResult(content, {"agents": HINT, "people": HINT})
