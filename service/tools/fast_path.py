"""Fast path for tool calls: one JSON message in, one response out, without the SDK.

The streams, tasks and models of the SDK take about two thirds of the time of a call. A message that is clearly a valid
tool call is answered here. All other messages, and calls with anything unusual, go to the SDK, which also reports what
is wrong with them.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from aiohttp import web

from .. import VERSION
from . import invocation
from .groups import GROUPS
from .registry import TOOLS, ToolContext

assert GROUPS  # importing them fills the registry
Json = dict[str, Any]
# Protocol versions with an initialize handshake, and the version in which each request describes itself.
HANDSHAKE_VERSIONS = {None, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
STATELESS_VERSION = "2026-07-28"
ACCEPTED = {"application/json", "text/event-stream"}
VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY = (
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientCapabilities", "clientInfo")
)
ROUTING_HEADERS = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")
# Keys that the stateless version adds to a result.
STATELESS_RESULT = {
    "resultType": "complete",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "tandem", "title": "Tandem", "version": VERSION}},
}


async def answer_tool_call(request: web.Request, body: bytes, ctx: ToolContext) -> web.Response | None:
    """Return the response to a tool call, or None if the SDK has to answer the message."""
    message = _parse_message(body)
    params = message.get("params")
    if not isinstance(params, dict) or not _is_tool_call(message, params):
        return None
    version = request.headers.get("MCP-Protocol-Version")
    is_plain = _is_plain_stateless if version == STATELESS_VERSION else _is_plain_handshake
    is_supported = version in HANDSHAKE_VERSIONS | {STATELESS_VERSION}
    if not is_supported or not is_plain(request, params) or not _accepts_json_and_events(request):
        return None
    result = await invocation.invoke(ctx, TOOLS[params["name"]], params.get("arguments") or {})
    if version == STATELESS_VERSION:
        result |= STATELESS_RESULT
    return web.Response(
        body=orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), content_type="application/json"
    )


def is_initialization(body: bytes) -> bool:
    """Return whether a message begins a connection of the protocol."""
    return bool(_parse_message(body).get("method") == "initialize")


def _parse_message(body: bytes) -> Json:
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return message if isinstance(message, dict) else {}


def _is_tool_call(message: Json, params: Json) -> bool:
    is_request = message.keys() == {"jsonrpc", "id", "method", "params"} and message["jsonrpc"] == "2.0"
    has_id = isinstance(message.get("id"), str | int) and not isinstance(message.get("id"), bool)
    has_tool = isinstance(params.get("name"), str) and params["name"] in TOOLS
    has_arguments = isinstance(params.get("arguments", {}), dict)
    is_call = message.get("method") == "tools/call" and params.keys() <= {"name", "arguments", "_meta"}
    return is_request and has_id and is_call and has_tool and has_arguments


def _is_plain_handshake(request: web.Request, params: Json) -> bool:
    return not _needs_sdk(params.get("_meta", {}), set())


def _is_plain_stateless(request: web.Request, params: Json) -> bool:
    """Return whether the headers repeat the message, each exactly once, and the message has the required metadata."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(VERSION_KEY) != STATELESS_VERSION:
        return False
    capabilities = meta.get(CAPABILITIES_KEY)
    if not isinstance(capabilities, dict) or not all(isinstance(value, dict) for value in capabilities.values()):
        return False
    if TOOLS[params["name"]].can_elicit and "elicitation" in capabilities:
        return False
    headers = [request.headers.getall(name, []) for name in ROUTING_HEADERS]
    is_consistent = headers == [[STATELESS_VERSION], ["tools/call"], [params["name"]]]
    has_parameters = any(name.lower().startswith("mcp-param-") for name in request.headers)
    return is_consistent and not has_parameters and not _needs_sdk(meta, {VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY})


def _needs_sdk(meta: Any, supported_keys: set[str]) -> bool:
    """Return whether the metadata of a message has keys or types that only the SDK handles."""
    if not isinstance(meta, Mapping) or meta.keys() - supported_keys - {"progressToken"}:
        return True
    client = meta.get(CLIENT_KEY, {"name": "", "version": ""})
    has_client = isinstance(client, dict) and all(isinstance(client.get(key), str) for key in ("name", "version"))
    token = meta.get("progressToken", "")
    return not has_client or not isinstance(token, str | int) or isinstance(token, bool)


def _accepts_json_and_events(request: web.Request) -> bool:
    types = {part.partition(";")[0].strip().lower() for part in request.headers.get("Accept", "").split(",")}
    return "*/*" in types or types >= ACCEPTED
