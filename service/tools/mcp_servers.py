"""The tool that lists the MCP servers that agents of an organization may use."""

from typing import Any

from pydantic import Field

from ..resources import mcp_servers
from .registry import ToolContext, tool
from .token_limit import TokenLimit, TruncatableResult

Json = dict[str, Any]


class ListMcpServers(TokenLimit):
    offset: int = Field(0, ge=0)


@tool(
    "List other MCP servers",
    "List other MCP servers that you may use, with their secrets. Call it once at start.",
    read_only=True,
)
async def list_mcp_servers(ctx: ToolContext, arguments: ListMcpServers) -> TruncatableResult:
    """List the enabled MCP servers with their secrets."""
    rows = await ctx.call(mcp_servers.list_mcp_servers_for_agents)
    content = {"total": len(rows), "servers": [_render_server(row) for row in rows[arguments.offset :]]}
    return TruncatableResult(content, {"servers": "ask again with offset and maxTokens=8000"})


def _render_server(row: Json) -> Json:
    env = {name: value for name, value in row["env"].items() if value is not None}
    server = {key: row[key] for key in ("id", "name", "transport", "command", "url")}
    auth = row["auth"] and {key: row["auth"][key] for key in ("kind", "token")}
    return {**server, "auth": auth, "env": env or None, "args": row["args"] or None}
