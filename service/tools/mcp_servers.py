"""The tool that lists the outbound tool servers (specification, what the service does)."""

from typing import Any

from pydantic import Field

from ..wire import Output
from .bounding import Bounded, Bounds
from .registry import Visit, tool


class ListMcpServers(Bounds):
    offset: int = Field(0, ge=0)


class Credentials(Output):
    kind: str
    token: str | None = None


class Server(Output):
    id: str
    name: str
    transport: str
    command: str | None = None
    args: list[str] | None = None
    env: dict[str, str] | None = None
    url: str | None = None
    auth: Credentials | None = None


class Servers(Bounded):
    """The enabled tool servers."""

    lists = {"servers": "ask again with offset and maxTokens=8000, or read GET /mcp-servers/mcp over HTTP"}
    total: int
    servers: list[Server]


@tool(
    "List the other tool servers that your organization lets agents use, with all you need to connect: command, "
    "environment, address, token. These are secrets. Call it at start-up.",
    Servers,
    reads=True,
)
async def list_mcp_servers(visit: Visit, arguments: ListMcpServers) -> Servers:
    """List the enabled outbound tool servers with their secrets."""
    rows = await visit.ask("GET /mcp-servers/mcp")
    return Servers(total=len(rows), servers=[_server(row) for row in rows[arguments.offset :]])


def _server(row: dict[str, Any]) -> Server:
    env = {name: value for name, value in row["env"].items() if value is not None}
    return Server.of({**row, "env": env or None, "args": row["args"] or None})
