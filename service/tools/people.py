"""The tool that lists people and agents."""

from typing import Any

from ..resources import agents, members
from .registry import ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult

Json = dict[str, Any]
HINT = "ask again with maxTokens=8000"


@tool(
    "List the people and agents of your organization by id and name, for assignedUserId and assignedAgentId.",
    read_only=True,
)
async def list_people(ctx: ToolContext, arguments: TokenLimit) -> TruncatableResult:
    """List the members and agents of the organization."""
    member_rows = await ctx.call(members.list_member_names)
    agent_rows = await ctx.call(agents.list_agents, None, {"status": "approved"})
    content = {
        "people": [{"id": person["userId"], "name": person["fullName"]} for person in member_rows],
        "agents": [
            {"id": agent["id"], "name": agent["title"], "online": agent["isOnline"] or None} for agent in agent_rows
        ],
    }
    return TruncatableResult(content, {"agents": HINT, "people": HINT})
