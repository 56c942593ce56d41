"""MCP servers that agents of an organization may use, with secrets encrypted at rest."""

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import MISSING, AfterValidator, BeforeValidator, Field, StringConstraints

from ..auth.context import Call
from ..auth.policies import SA, agent, may
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Title, json_text, stored_json
from . import events


def _check_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an absolute http or https address")
    return url


VARIABLES_MAX = 200  # environment variables of one server


def _limit_variables(value: Any) -> Any:
    """Return the value of `env`; raise ValueError for too many variables before each of them is validated."""
    if isinstance(value, dict) and len(value) > VARIABLES_MAX:
        raise ValueError(f"may have at most {VARIABLES_MAX} variables")
    return value


Line = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Variable = Annotated[str, StringConstraints(max_length=200, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Secret = Annotated[str, StringConstraints(max_length=20_000)]
ARGUMENTS_MAX = 200
Arguments = Annotated[list[Annotated[str, StringConstraints(max_length=2000)]], Field(max_length=ARGUMENTS_MAX)]
Environment = Annotated[dict[Variable, Secret], Field(max_length=VARIABLES_MAX), BeforeValidator(_limit_variables)]
Url = Annotated[Line, AfterValidator(_check_url)]


class NewAuth(Input):
    kind: Literal["bearer"]
    token: Annotated[Secret, StringConstraints(min_length=1)]


class Auth(Output):
    """The credentials that agents send to a server; people only see whether a token is set."""

    kind: str
    token: str | None
    token_set: bool


class McpServerSummary(Output):
    """A tool server in a list; values that its transport does not use are null."""

    id: str
    name: str
    transport: Literal["stdio", "http"]
    command: str | None
    url: str | None
    enabled: bool


class McpServer(McpServerSummary):
    """A tool server with its complete configuration."""

    args: list[str]
    env: dict[str, str | None]
    auth: Auth | None
    created_at: str


class NewMcpServer(Input):
    name: Title
    transport: Literal["stdio", "http"]
    command: Line | None = None
    args: Arguments = []
    env: Environment = {}
    url: Url | None = None
    auth: NewAuth | None = None
    enabled: bool = True


class McpServerEdit(Input):
    name: Title | MISSING = MISSING
    command: Line | MISSING = MISSING
    args: Arguments | MISSING = MISSING
    env: Environment | MISSING = MISSING
    url: Url | MISSING = MISSING
    auth: NewAuth | None | MISSING = MISSING
    enabled: bool | MISSING = MISSING


def _require_server(call: Call, server_id: Id) -> "sql.mcp_servers.GetRow":
    return call.require(sql.mcp_servers.get, "tool server", server_id=server_id, org_id=call.org_id)


def _to_columns(call: Call, server_id: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a request by column of the table, with secrets encrypted."""
    encrypt, stored = call.service.encryptor.encrypt, dict(values)
    if "args" in values:
        stored["args"] = json_text(values["args"])
    if "env" in values:
        stored["env"] = json_text(
            {name: encrypt("mcp_servers.env", value, server_id) for name, value in values["env"].items()}
        )
    if "auth" in values:
        auth = stored.pop("auth")
        stored["auth_kind"] = auth and auth["kind"]
        stored["auth_token"] = auth and encrypt("mcp_servers.auth_token", auth["token"], server_id)
    return stored


def _to_output(call: Call, row: Row, *, with_env: bool, with_token: bool) -> McpServer:
    """Return a server with the secrets that its reader may see; one that no configured key can decrypt is null."""
    decrypt = call.service.encryptor.decrypt
    encrypted = stored_json(row["env"]).items()
    values = {name: decrypt(value, row["id"]) if with_env else None for name, value in encrypted}
    auth = row["auth_kind"] and Auth(
        kind=row["auth_kind"],
        token=decrypt(row["auth_token"], row["id"]) if with_token and row["auth_token"] else None,
        token_set=bool(row["auth_token"]),
    )
    return McpServer(**{**row, "args": stored_json(row["args"]), "env": values, "auth": auth})


def _check_server(call: Call, server_id: str | None, values: dict[str, Any]) -> None:
    unused = ("url", "auth") if values["transport"] == "stdio" else ("command", "args", "env")
    for key in unused:
        if values.get(key):
            raise invalid(key, f"is not used by a server with transport {values['transport']}")
    required = "command" if values["transport"] == "stdio" else "url"
    if not values.get(required):
        raise invalid(required, f"is required for a server with transport {values['transport']}")
    namesake = call.tx.value(sql.mcp_servers.find_by_name, org_id=call.org_id, name=values["name"])
    if namesake not in (None, server_id):
        message = "The organization already has a tool server of this name; choose another."
        raise Conflict(None, message, state="taken", name=values["name"])


@routes.get("/mcp-servers", may("read", "ToolServer"))
def list_mcp_servers(call: Call) -> list[McpServerSummary]:
    """List the tool servers of the current organization, by name."""
    rows = call.tx.all(sql.mcp_servers.list, org_id=call.org_id, enabled=0)
    return [McpServerSummary.of(row) for row in rows]


@routes.get("/mcp-servers/mcp", agent())
def list_mcp_servers_for_agents(call: Call) -> list[McpServer]:
    """List the enabled tool servers with everything an agent needs to connect, including environment and token."""
    rows = call.tx.all(sql.mcp_servers.list, org_id=call.org_id, enabled=1)
    return [_to_output_with_secrets(call, row) for row in rows]


@routes.get("/mcp-servers/{server_id}", may("read", "ToolServer"))
def get_mcp_server(call: Call, server_id: str) -> McpServer:
    """Return a tool server without its token; only an SA sees the values of its environment."""
    return _to_output(call, _require_server(call, server_id), with_env=call.role == SA, with_token=False)


@routes.post("/mcp-servers", may("create", "ToolServer", requires_architect=True))
def create_mcp_server(call: Call, body: NewMcpServer) -> McpServer:
    """Create a tool server (SA): with a command for stdio, with a URL for http."""
    values = body.model_dump()
    _check_server(call, None, values)
    server_id = new_id("srv")
    stored = {"auth_kind": None, "auth_token": None} | _to_columns(call, server_id, values)
    call.tx.run(sql.mcp_servers.create, id=server_id, org_id=call.org_id, now=call.now, **stored)
    events.record(call, "toolServer.created")
    return get_mcp_server(call, server_id)


@routes.patch("/mcp-servers/{server_id}", may("update", "ToolServer", requires_architect=True))
def update_mcp_server(call: Call, server_id: str, body: McpServerEdit) -> McpServer:
    """Update a tool server (SA), but not its transport; `env` and `auth` are replaced as a whole."""
    row, changes = _require_server(call, server_id), body.changes()
    _check_server(call, server_id, {"transport": row["transport"], "name": row["name"], **_get_address(row), **changes})
    stored = {**row, **_to_columns(call, server_id, changes)}
    columns = [key for key in sql.mcp_servers.update.parameters if key != "server_id"]
    call.tx.run(sql.mcp_servers.update, server_id=server_id, **{key: stored[key] for key in columns})
    if _to_output_with_secrets(call, stored) != _to_output_with_secrets(call, row):
        events.record(call, "toolServer.updated")
    return get_mcp_server(call, server_id)


def _to_output_with_secrets(call: Call, row: Row) -> McpServer:
    return _to_output(call, row, with_env=True, with_token=True)


def _get_address(row: Row) -> dict[str, Any]:
    return {"command": row["command"], "url": row["url"]}


@routes.delete("/mcp-servers/{server_id}", may("delete", "ToolServer", requires_architect=True))
def delete_mcp_server(call: Call, server_id: str) -> None:
    """Delete a tool server (SA); it is missing from the next list that agents request."""
    _require_server(call, server_id)
    call.tx.run(sql.mcp_servers.delete, server_id=server_id)
    events.record(call, "toolServer.removed")
