"""Client connections with timeouts for slow and idle clients.

A request head that stays incomplete, and a response that the client does not read, are aborted after a timeout. A body
that no handler reads is discarded.

aiohttp has no public API for this, so this module, and no other, uses its private attributes, which may change with any
version (setup.py therefore excludes the next one): `_ErrInfo`; of a request handler `_close`, `_current_request`,
`_force_close`, `_handle_request`, `_messages`, `_reading_paused`, `_request_count`, `_task_handler`, `_waiter`; of a
runner `_make_server`; of a server `_kwargs`, `_loop`; of a message `_replace`.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import HttpVersion10, HttpVersion11, hdrs, web
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.http_parser import RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from aiohttp.web_protocol import RequestHandler, _ErrInfo

from .. import errors
from ..events.listeners import PRESENCE
from ..log_throttle import LogThrottle
from ..runtime import memory_budget, open_files
from ..tracebacks import drop_tracebacks
from . import large_responses

HEAD_BYTES_MAX = 1 << 16  # request line and headers
HEAD_TIMEOUT_SECONDS = 15.0  # from the first byte of a request head to its end
SEND_TIMEOUT_SECONDS = 30.0  # without progress while a response is sent
# After an early response the rest of the request is discarded for a while, so that the client can read the response
# (RFC 9112, 9.6): at most LINGER_SECONDS, and at most LINGER_IDLE_SECONDS without a byte.
LINGER_SECONDS, LINGER_IDLE_SECONDS = 5.0, 1.0
CHECK_SECONDS = 1.0  # interval between two checks of the stalled connections
TOO_MANY = "Too many clients are connected; try again in a few seconds."
log = logging.getLogger("service")


class ConnectionLimit:
    """The number of open connections; the limit leaves files to open for the database and for uploads."""

    def __init__(self) -> None:
        self._max = open_files.get_connections_max()
        self._open = 0
        self._log_throttle = LogThrottle()

    def add(self) -> bool:
        """Count a new connection, and return whether it is within the limit; log if it is not."""
        self._open += 1
        if self._open > self._max and self._log_throttle.is_due():
            message = "%d clients are connected, the most that %d open files allow; others get 503 (LimitNOFILE)"
            log.error(message, self._max, open_files.get_limit())
        return self._open <= self._max

    def remove(self) -> None:
        """Count a closed connection."""
        self._open -= 1


class StallMonitor:
    """A periodic check of the connections with an incomplete request head or an unsent response."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.limit = ConnectionLimit()
        self._loop = loop
        self._connections: set[Connection] = set()
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, connection: "Connection") -> None:
        """Check a connection every second until nothing is outstanding."""
        self._connections.add(connection)
        if self._timer is None:
            self._timer = self._loop.call_later(CHECK_SECONDS, self._check)

    def _check(self) -> None:
        now = self._loop.time()
        self._connections = {connection for connection in self._connections if connection.check_stalled(now)}
        self._timer = self._loop.call_later(CHECK_SECONDS, self._check) if self._connections else None

    def stop(self) -> None:
        """Stop checking connections."""
        self._connections.clear()
        if self._timer is not None:
            self._timer.cancel()


class Runner(web.AppRunner):
    """An application runner with monitored connections.

    `wrap_handler` wraps the request handler of the application. Paths below `base_path` are handled without it.
    """

    def __init__(
        self,
        app: web.Application,
        wrap_handler: Callable[[errors.Handler], errors.Handler],
        base_path: str,
        **options: Any,
    ) -> None:
        super().__init__(app, **options)
        self._wrap_handler = wrap_handler
        self._base_path = base_path

    async def _make_server(self) -> Any:
        server: Any = await super()._make_server()
        server.request_handler = self._wrap_handler(server.request_handler)
        if self._base_path:
            server.request_factory = partial(_create_request, self._base_path, server.request_factory)
        self._monitor = server.monitor = StallMonitor(asyncio.get_running_loop())
        # A call of the server creates a connection; Python looks up `__call__` on the class, not on the instance.
        server.__class__ = type("Server", (server.__class__,), {"__call__": _create_connection})
        return server

    async def cleanup(self) -> None:
        """Stop accepting requests, finish those in flight and close all connections."""
        await super().cleanup()
        self._monitor.stop()


def _create_request(
    base_path: str, create: Callable[..., web.BaseRequest], message: Any, *rest: Any
) -> web.BaseRequest:
    """Return the request of a message, without the base path if it has one; a proxy may have removed it already."""
    path = message.url.raw_path
    if path == base_path or path.startswith(base_path + "/"):
        url = message.url.with_path(path.removeprefix(base_path) or "/", encoded=True, keep_query=True)
        message = message._replace(path=url.raw_path_qs, url=url)
    return create(message, *rest)


def _create_connection(server: Any) -> "Connection":
    return Connection(server.monitor, server, loop=server._loop, **server._kwargs)


def _is_ambiguous(message: RawRequestMessage) -> bool:
    """Return whether a proxy may see another end of this request: request smuggling (RFC 9112, 6.1).

    The parser of aiohttp rejects two lengths, folded lines and the like itself.
    """
    if message.version not in (HttpVersion10, HttpVersion11):
        return True
    codings = message.headers.getall(hdrs.TRANSFER_ENCODING, None)
    if codings is None:
        return False
    is_chunked = [coding.strip().lower() for coding in codings] == ["chunked"]
    return message.version != HttpVersion11 or not is_chunked or hdrs.CONTENT_LENGTH in message.headers


class Connection(RequestHandler):
    """A client connection that also answers malformed HTTP with the error envelope and limits slow clients."""

    __slots__ = (
        "_body",
        "_head_bytes",
        "_head_start",
        "_live_transport",
        "_monitor",
        "_received",
        "_unfinished",
        "_unsent",
        "_unsent_since",
    )

    def __init__(self, monitor: StallMonitor, server: web.Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._monitor = monitor
        self._unfinished: web.BaseRequest | None = None  # until its response is sent, unlike `_current_request`
        self._live_transport: asyncio.Transport | None = None  # stays set while closing, unlike `transport` of aiohttp
        self._body: StreamReader = EMPTY_PAYLOAD  # of the last request received
        self._head_bytes, self._head_start = 0, 0.0  # received bytes of an incomplete request head
        self._unsent, self._unsent_since = 0, 0.0
        self._received = False  # any byte since the last check of a lingering connection

    def connection_made(self, transport: Any) -> None:
        """Store the transport of a new connection."""
        self._live_transport = transport
        super().connection_made(transport)
        if not self._monitor.limit.add():
            self._refuse(transport)

    def _refuse(self, transport: asyncio.Transport) -> None:
        """Answer with 503 before a request is read, and close the connection."""
        request_id = errors.get_request_id({})
        response = errors.create_response(errors.Overloaded(None, TOO_MANY), request_id)
        body = errors.encode_error(errors.Overloaded(None, TOO_MANY), request_id)
        headers = {**response.headers, "Content-Length": str(len(body)), "Connection": "close"}
        lines = ["HTTP/1.1 503 Service Unavailable", *(f"{name}: {value}" for name, value in headers.items())]
        transport.write("\r\n".join([*lines, "\r\n"]).encode() + body)
        self._linger()

    def connection_lost(self, exc: BaseException | None) -> None:
        """Discard the transport and end the event stream that the client was reading, if any."""
        self._live_transport = None
        self._body = EMPTY_PAYLOAD  # refers to this connection, so both would stay in memory until a garbage collection
        self._monitor.limit.remove()
        if self._current_request is not None and (presence := self._current_request.get(PRESENCE)) is not None:
            presence.leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse received bytes; during a shutdown too, if they belong to the body of a request in flight."""
        count, closing = self._request_count, (self._close, self._force_close)
        is_head, self._received = self._body.is_eof(), True
        if self._current_request is None or not any(closing):
            super().data_received(data)
        else:
            # aiohttp drops received bytes once it is closing, so the request would wait for its body in vain.
            self._close = self._force_close = False
            try:
                super().data_received(data)
            finally:
                self._close, self._force_close = closing
        if self._request_count != count:  # a request head is complete
            self._head_bytes, self._body = 0, self._messages[-1][1]
            self._reject_ambiguous(self._request_count - count)
        elif data and is_head and not any(closing):
            self._measure_head(len(data))

    def _reject_ambiguous(self, count: int) -> None:
        """Replace each ambiguous one of the last requests by an error, which closes the connection.

        Its payload stays, so that a body that still arrives is discarded.
        """
        for index in range(len(self._messages) - count, len(self._messages)):
            message, payload = self._messages[index]
            if isinstance(message, RawRequestMessage) and _is_ambiguous(message):
                error = _ErrInfo(400, BadHttpMessage("the length of the body is ambiguous"), "")
                self._messages[index] = error, payload

    def _measure_head(self, size: int) -> None:
        """Count the bytes of a request head and reject one that is too long.

        Answers with 400, or closes the connection if an earlier request of it is still being handled.
        """
        if not self._head_bytes:
            self._head_start = self._loop.time()
            self._monitor.watch(self)
        self._head_bytes += size
        if self._head_bytes <= HEAD_BYTES_MAX:
            return
        self._head_bytes = 0
        if self._waiter is None or self._waiter.done():
            self.close()
        else:
            error = _ErrInfo(400, BadHttpMessage("the head is too long"), "")
            self._messages.append((error, EMPTY_PAYLOAD))
            self._waiter.set_result(None)

    def check_stalled(self, now: float) -> bool:
        """Abort the connection if a timeout has passed; return whether it must be checked again."""
        transport = self._live_transport
        if transport is None:
            return False
        unsent = memory_budget.get_unsent_bytes(transport)
        if unsent != self._unsent:
            self._unsent, self._unsent_since = unsent, now
        is_late = unsent > 0 and now - self._unsent_since > SEND_TIMEOUT_SECONDS
        is_late |= (
            self._head_bytes > 0 and self._current_request is None and now - self._head_start > HEAD_TIMEOUT_SECONDS
        )
        if is_late:
            transport.abort()
        return not is_late and (unsent > 0 or self._head_bytes > 0)

    def pause_writing(self) -> None:
        """Pause the writer of the response: the client reads more slowly than it is sent."""
        super().pause_writing()
        self._monitor.watch(self)

    def force_close(self) -> None:
        """Close the connection; the client can read data that was already written until the send timeout."""
        super().force_close()
        if self._live_transport is not None and self._live_transport.get_write_buffer_size():
            self._monitor.watch(self)

    async def shutdown(self, timeout: float | None = 15.0) -> None:  # noqa: ASYNC109 (the signature of aiohttp)
        """Wait for the request in progress, and interrupt it after the timeout."""
        # aiohttp waits for the timeout twice, the second time for what a slow client does not read.
        interruption = self._loop.call_later(timeout or 0, self._interrupt)
        try:
            await super().shutdown(timeout)
        finally:
            interruption.cancel()

    def _interrupt(self) -> None:
        if self._unfinished is None:
            return
        log.warning("the shutdown interrupted %s %s", self._unfinished.method, self._unfinished.path)
        if self._live_transport is not None:
            self._live_transport.abort()
        if self._task_handler is not None:
            self._task_handler.cancel()

    async def _handle_request(self, request: web.BaseRequest, *rest: Any) -> tuple[web.StreamResponse, bool]:
        """Answer a request and release its memory, also if the client has disconnected."""
        self._unfinished = request
        try:
            return await super()._handle_request(request, *rest)
        except ConnectionError as error:
            # The task of aiohttp keeps the error, whose traceback references the task and all data of the request.
            drop_tracebacks(error)
            return web.Response(), True  # never sent: the client has disconnected
        finally:
            self._unfinished = None
            memory_budget.release(request)

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send a response; if the request body was not read to its end, close the connection afterwards."""
        is_early = not request.content.is_eof()
        if is_early:
            resp.force_close()
        large_responses.send_in_chunks(resp)
        try:
            return await super().finish_response(request, resp, start_time)
        finally:
            large_responses.release_body(resp)
            if is_early and not request.content.is_eof():
                self._linger()
            elif self._live_transport is not None and self._live_transport.get_write_buffer_size():
                self._monitor.watch(self)

    def _linger(self) -> None:
        """Discard what the client still sends before closing: an immediate close would reset the connection."""
        if self._live_transport is None or self._live_transport.is_closing():
            return
        self._force_close = True  # stops parsing, and aiohttp does not close the connection itself
        self._live_transport.resume_reading()
        self._schedule_close(self._loop.time() + LINGER_SECONDS)

    def _schedule_close(self, end: float) -> None:
        self._received = False
        self._loop.call_later(LINGER_IDLE_SECONDS, self._close_if_idle, end)

    def _close_if_idle(self, end: float) -> None:
        if self._received and self._live_transport is not None and self._loop.time() < end:
            self._schedule_close(end)
        else:
            self.force_close()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Resume reading only if it was paused.

        Otherwise aiohttp stops parsing after a body that arrived in one piece.
        """
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer a request that failed outside a handler; raise ConnectionError if the client has disconnected."""
        if isinstance(exc, ConnectionError):  # the client disconnected before the end of its body: not a server error
            raise exc
        if request.writer is not None and request.writer.output_size > 0:
            raise ConnectionError("a part of the response has already been sent")
        request_id = errors.get_request_id(request.headers)
        error = errors.from_http(status) if status < 500 else errors.from_exception(exc or Exception(), request_id)
        response = errors.create_response(error, request_id)
        response.force_close()
        return response
