"""Calls of tools that need nothing of the SDK: one whole message in, one answer out.

Two thirds of what a call cost were the SDK's streams, tasks and models. So a message that is plainly a call of a tool
in one of the two eras is answered here; *anything* else about it, and all other messages, are for the SDK, which knows
what to refuse and how.
"""

from collections.abc import Mapping
from typing import Any

import orjson
from aiohttp import web

from .. import VERSION
from . import calling
from .groups import GROUPS
from .registry import TOOLS, ToolContext

assert GROUPS  # importing them fills the registry
Json = dict[str, Any]
LEGACY = {None, "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
MODERN = "2026-07-28"
ACCEPTED = {"application/json", "text/event-stream"}
VERSION_KEY, CAPABILITIES, CLIENT = (
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientCapabilities", "clientInfo")
)
ROUTING = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name")
# What an answer of the younger era says besides.
COMPLETE = {
    "resultType": "complete",
    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "tandem", "title": "Tandem", "version": VERSION}},
}


async def answer(request: web.Request, body: bytes, ctx: ToolContext) -> web.Response | None:
    """Answer a message that is plainly a call of a tool; None: it is for the SDK."""
    message = _message(body)
    params = message.get("params")
    if not isinstance(params, dict) or not _is_call(message, params):
        return None
    version = request.headers.get("MCP-Protocol-Version")
    fits = _fits_modern if version == MODERN else _fits_legacy
    if version not in LEGACY | {MODERN} or not fits(request, params) or not _accepts(request):
        return None
    result = await calling.result_of(ctx, TOOLS[params["name"]], params.get("arguments") or {})
    if version == MODERN:
        result |= COMPLETE
    return web.Response(
        body=orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), content_type="application/json"
    )


def _message(body: bytes) -> Json:
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return message if isinstance(message, dict) else {}


def _is_call(message: Json, params: Json) -> bool:
    is_request = message.keys() == {"jsonrpc", "id", "method", "params"} and message["jsonrpc"] == "2.0"
    is_named = isinstance(message.get("id"), str | int) and not isinstance(message.get("id"), bool)
    is_known = isinstance(params.get("name"), str) and params["name"] in TOOLS
    has_arguments = isinstance(params.get("arguments", {}), dict)
    is_call = message.get("method") == "tools/call" and params.keys() <= {"name", "arguments", "_meta"}
    return is_request and is_named and is_call and is_known and has_arguments


def _fits_legacy(request: web.Request, params: Json) -> bool:
    return not _rest(params.get("_meta", {}), set())


def _fits_modern(request: web.Request, params: Json) -> bool:
    """Tell whether the headers say what the message says, each once, and the message all that it has to."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(VERSION_KEY) != MODERN or not isinstance(meta.get(CAPABILITIES), dict):
        return False
    said = [request.headers.getall(name, []) for name in ROUTING]
    agrees = said == [[MODERN], ["tools/call"], [params["name"]]]
    has_parameters = any(name.lower().startswith("mcp-param-") for name in request.headers)
    capable = all(isinstance(value, dict) for value in meta[CAPABILITIES].values())
    if TOOLS[params["name"]].inquires and "elicitation" in meta[CAPABILITIES]:
        return False
    return agrees and not has_parameters and capable and not _rest(meta, {VERSION_KEY, CAPABILITIES, CLIENT})


def _rest(meta: Any, known: set[str]) -> bool:
    """Tell whether a message says of itself what only the SDK understands."""
    if not isinstance(meta, Mapping) or meta.keys() - known - {"progressToken"}:
        return True
    client = meta.get(CLIENT, {"name": "", "version": ""})
    has_name = isinstance(client, dict) and all(isinstance(client.get(key), str) for key in ("name", "version"))
    token = meta.get("progressToken", "")
    return not has_name or not isinstance(token, str | int) or isinstance(token, bool)


def _accepts(request: web.Request) -> bool:
    kinds = {kind.partition(";")[0].strip().lower() for kind in request.headers.get("Accept", "").split(",")}
    return "*/*" in kinds or kinds >= ACCEPTED
