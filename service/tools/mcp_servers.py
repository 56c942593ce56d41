"""The tool that lists the outbound tool servers (specification, what the service does)."""

from typing import Any

from pydantic import Field

from .bounding import Bounds, Long
from .registry import ToolContext, tool

Json = dict[str, Any]


class ListMcpServers(Bounds):
    offset: int = Field(0, ge=0)


@tool(
    "List the other tool servers that your organization lets agents use, with all you need to connect: command, "
    "environment, address, token. These are secrets. Call it at start-up.",
    reads=True,
)
async def list_mcp_servers(ctx: ToolContext, arguments: ListMcpServers) -> Long:
    """List the enabled outbound tool servers with their secrets."""
    rows = await ctx.ask("GET /mcp-servers/mcp")
    answer = {"total": len(rows), "servers": [_server(row) for row in rows[arguments.offset :]]}
    return Long(answer, {"servers": "ask again with offset and maxTokens=8000"})


def _server(row: Json) -> Json:
    env = {name: value for name, value in row["env"].items() if value is not None}
    kept = {key: row[key] for key in ("id", "name", "transport", "command", "url")}
    auth = row["auth"] and {key: row["auth"][key] for key in ("kind", "token")}
    return {**kept, "auth": auth, "env": env or None, "args": row["args"] or None}
