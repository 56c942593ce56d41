"""The tool that tells who is there."""

from typing import Any

from .bounding import Bounds, Long
from .registry import ToolContext, tool

Json = dict[str, Any]
HOW = "ask again with maxTokens=8000"


@tool(
    "List the people and agents of your organization by id and name, for assignedUserId and assignedAgentId.",
    reads=True,
)
async def list_people(ctx: ToolContext, arguments: Bounds) -> Long:
    """List the members and agents of the organization."""
    people = await ctx.ask("GET /organizations/{org_id}/members/mcp")
    agents = await ctx.ask("GET /organizations/{org_id}/agents/mcp", None, {"status": "approved"})
    answer = {
        "people": [{"id": person["userId"], "name": person["fullName"]} for person in people],
        "agents": [
            {"id": agent["id"], "name": agent["title"], "online": agent["isOnline"] or None} for agent in agents
        ],
    }
    return Long(answer, {"agents": HOW, "people": HOW})
