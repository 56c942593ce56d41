"""The HTTP endpoint /mcp of the tool server, which is loaded by the first request."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aiohttp import web

from ..auth import agent_sessions
from ..auth.authentication import API_KEY, Key
from ..auth.context import Service
from ..config import Settings
from ..errors import JSON, REQUEST_CONTEXT, TOOL_PATH, Forbidden, UnsupportedMediaType, invalid
from ..http import json_body, request_body
from ..http.known_hosts import LOCAL_HOSTS, require_known_host, split_address, split_host
from ..http.multipart import parse_mime_type
from ..pipeline import admission
from . import fast_path, toolsets
from .registry import ToolContext

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

VALUES_MAX = 2000  # in a message: the SDK validates each against about ten models, on the event loop


def register(app: web.Application, service: Service) -> None:
    """Add the tool server to an application, which stops it on cleanup."""
    endpoint = Endpoint(service)
    app.router.add_post(TOOL_PATH, endpoint.answer)
    app.on_cleanup.append(endpoint.close)


class Endpoint:
    """The tool server of one application."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._manager_future: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._task: asyncio.Task[None] | None = None

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one message of the protocol.

        Raise ServiceError without an API key, for a wrong host or origin, or for an unknown toolset.
        """
        _require_known_origin(request, self._service.settings)
        key = await self._service.authenticator.authenticate(request.headers, API_KEY)
        assert isinstance(key, Key)
        request[REQUEST_CONTEXT].caller_id = key.id
        toolset = toolsets.parse_toolset(request.query)
        if (kind := parse_mime_type(request.headers.get("Content-Type", ""))) != JSON:
            raise UnsupportedMediaType(None, f"The tool server takes {JSON}, not {kind[:100]}.")
        admission.reserve_memory(self._service, key, request, request_body.get_max_size(request))
        body = await request_body.read_body(request)
        json_body.check_value_count(body, VALUES_MAX)
        _require_single_message(body)
        key = await self._service.authenticator.authenticate(
            request.headers, API_KEY
        )  # it may have been revoked meanwhile
        assert isinstance(key, Key)
        ctx = self._create_context(request, key)
        response = await fast_path.answer_tool_call(request, body, ctx)
        if response is None:
            response = await _call_asgi(await self._get_manager(), request, body, {"ctx": ctx, "toolset": toolset})
            if fast_path.is_initialization(body):
                response.headers[agent_sessions.MCP_HEADER] = uuid4().hex
        assert isinstance(response.body, bytes)
        admission.reserve_memory(self._service, key, request, len(response.body))  # an image can be large
        return response

    def _create_context(self, request: web.Request, key: Key) -> ToolContext:
        # Only these headers: others, such as Idempotency-Key, belong to one request and not to the calls of a tool.
        headers = {name: request.headers[name] for name in ("Authorization", "X-Agent-Id") if name in request.headers}
        if session := agent_sessions.parse_tool_session(request.headers):
            headers[agent_sessions.HEADER] = session
        return ToolContext(self._service, key, headers, request[REQUEST_CONTEXT])

    async def _get_manager(self) -> "StreamableHTTPSessionManager":
        if self._manager_future is None:
            self._manager_future = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._run(self._manager_future))
        return await asyncio.shield(self._manager_future)

    async def _run(self, future: "asyncio.Future[StreamableHTTPSessionManager]") -> None:
        try:
            manager = await asyncio.to_thread(_load_manager)
        except Exception as error:
            self._manager_future = None  # the next request tries again
            future.set_exception(error)
            return
        async with manager.run():
            future.set_result(manager)
            await asyncio.Event().wait()

    async def close(self, app: web.Application) -> None:
        """Stop the tool server, if it was started."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task


def _require_single_message(body: bytes) -> None:
    if body.lstrip().startswith(b"["):
        raise invalid("", "send one message at a time; lists of messages are not supported")


def _load_manager() -> "StreamableHTTPSessionManager":
    from .server import create_manager

    return create_manager()


async def _call_asgi(
    manager: "StreamableHTTPSessionManager", request: web.Request, body: bytes, state: dict[str, Any]
) -> web.Response:
    """Pass a request to the SDK's ASGI application and return its response."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    response = web.Response()
    parts: list[bytes] = []

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            response.set_status(message["status"])
            response.headers.update(_decode_headers(message["headers"]))
        else:
            parts.append(message.get("body", b""))

    await manager.handle_request(_build_scope(request, state), receive, send)
    response.body = b"".join(parts)
    return response


def _decode_headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in raw)
    return {name: value for name, value in pairs if name != "content-length"}


def _build_scope(request: web.Request, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": TOOL_PATH,
        "raw_path": TOOL_PATH.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
        "state": state,
    }


def _require_known_origin(request: web.Request, settings: Settings) -> None:
    """Raise Misdirected or Forbidden for a request that a foreign web page may have sent."""
    require_known_host(request, settings)
    host, public = split_host(request.headers.get("Host", "")), split_address(settings.public_url or "")
    origin = split_address(request.headers.get("Origin", ""))
    is_same = origin.netloc and origin.netloc in (host.netloc, public.netloc)
    if "Origin" in request.headers and not is_same and origin.hostname not in LOCAL_HOSTS:
        raise Forbidden("origin_not_allowed", "Web pages of other origins may not use the tool server.")
