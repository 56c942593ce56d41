"""/mcp: from an HTTP request to the tool server, which is loaded with the first one."""

import asyncio
import contextlib
import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from aiohttp import web

from ..auth.authentication import API_KEY, Key
from ..auth.context import Service
from ..config import Settings
from ..errors import JSON, REQUEST_CONTEXT, Forbidden, Misdirected, UnsupportedMediaType
from ..http import json_body, request_body
from ..http.multipart import parse_mime_type
from ..pipeline import admission
from . import direct
from .registry import ToolContext

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
VALUES_MAX = 2000  # of a message: the SDK tries each against some ten models, on the event loop
OF_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}


def register(app: web.Application, service: Service) -> None:
    """Add the tool server to an application; it ends with it."""
    endpoint = Endpoint(service)
    app.router.add_post(PATH, endpoint.answer)
    app.on_cleanup.append(endpoint.close)


class Endpoint:
    """The tool server of one application."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._loaded: asyncio.Future[StreamableHTTPSessionManager] | None = None
        self._running: asyncio.Task[None] | None = None

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one message of the protocol; who has no key, or comes by another name, gets no further than here."""
        judge_names(request, self._service.settings)
        key = await self._service.callers.identify(request.headers, API_KEY)
        assert isinstance(key, Key)
        request[REQUEST_CONTEXT].caller_id = key.id
        if (kind := parse_mime_type(request.headers.get("Content-Type", ""))) != JSON:
            raise UnsupportedMediaType(None, f"The tool server takes {JSON}, not {kind[:100]}.")
        admission.count(self._service, key, request, request_body.get_max_size(request))
        body = await request_body.read_body(request)
        json_body.check_value_count(body, VALUES_MAX)
        key = await self._service.callers.identify(request.headers, API_KEY)  # it may have ended meanwhile
        assert isinstance(key, Key)
        ctx = self._visit(request, key)
        answer = await direct.answer(request, body, ctx) or await _through(
            await self._manager(), request, body, {"ctx": ctx}
        )
        assert isinstance(answer.body, bytes)
        admission.count(self._service, key, request, len(answer.body))  # an image: tools that write answer little
        return answer

    def _visit(self, request: web.Request, key: Key) -> ToolContext:
        # Only these: what others say, Idempotency-Key say, is about a request of its own.
        heard = {name: request.headers[name] for name in ("Authorization", "X-Agent-Id") if name in request.headers}
        return ToolContext(self._service, key, heard, request[REQUEST_CONTEXT])

    async def _manager(self) -> "StreamableHTTPSessionManager":
        if self._loaded is None:
            self._loaded = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._loaded))
        return await asyncio.shield(self._loaded)

    async def _run(self, loaded: "asyncio.Future[StreamableHTTPSessionManager]") -> None:
        try:
            manager = await asyncio.to_thread(_load)
        except Exception as error:
            self._loaded = None  # the next request tries again
            loaded.set_exception(error)
            return
        async with manager.run():
            loaded.set_result(manager)
            await asyncio.Event().wait()

    async def close(self, app: web.Application) -> None:
        """End the tool server, if it ever began."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running


def _load() -> "StreamableHTTPSessionManager":
    from .server import manager

    return manager()


async def _through(
    manager: "StreamableHTTPSessionManager", request: web.Request, body: bytes, state: dict[str, Any]
) -> web.Response:
    """Carry a request to an ASGI application and its answer back."""
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    answer = web.Response()
    parts: list[bytes] = []

    async def receive() -> Any:
        return incoming.pop() if incoming else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.set_status(message["status"])
            answer.headers.update(_headers(message["headers"]))
        else:
            parts.append(message.get("body", b""))

    await manager.handle_request(_scope(request, state), receive, send)
    answer.body = b"".join(parts)
    return answer


def _headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in raw)
    return {name: value for name, value in pairs if name != "content-length"}


def _scope(request: web.Request, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": PATH,
        "raw_path": PATH.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower(), value) for name, value in request.raw_headers],
        "client": None,
        "server": None,
        "state": state,
    }


def judge_names(request: web.Request, settings: Settings) -> None:
    """Refuse a request that a web page may have sent here by a name of its own (DNS rebinding).

    An address as host is what a name is bound to, never the name, so it is as good as a known name.
    """
    host, public = _parts(f"//{request.headers.get('Host', '')}"), _parts(settings.public_url or "")
    is_named = host.hostname and host.hostname in OF_THIS_MACHINE | {settings.host, public.hostname}
    if not is_named and not _is_address(host.hostname):
        message = "The service does not know that host name; set public_url to the address that clients use."
        raise Misdirected(None, message)
    origin = _parts(request.headers.get("Origin", ""))
    is_known = origin.netloc and origin.netloc in (host.netloc, public.netloc)
    if "Origin" in request.headers and not is_known and origin.hostname not in OF_THIS_MACHINE:
        raise Forbidden("origin_not_allowed", "Web pages of other origins may not use the tool server.")


def _parts(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:  # half a bracket
        return urlsplit("")


def _is_address(name: str | None) -> bool:
    try:
        return bool(name and ipaddress.ip_address(name))
    except ValueError:
        return False
