"""One connection, and an end for who neither sends nor takes.

Whatever a client does with its connection costs nobody else (contract, section 5, bounds): half a head is kept for
seconds only, an answer of which nothing is taken is ended, and a body that nobody will read is not read.

aiohttp has no public way to any of this, so here, and here alone, its inside is used, which may change with any version
of it (setup.py therefore ends before the next one): `_ErrInfo`; of a request handler `_close`, `_current_request`,
`_force_close`, `_handle_request`, `_messages`, `_reading_paused`, `_request_count`, `_waiter`; of a runner
`_make_server`; of a server `_kwargs`, `_loop`.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from aiohttp.web_protocol import RequestHandler, _ErrInfo

from .. import errors
from ..events.listeners import PRESENCE
from ..runtime import memory_budget
from ..tracebacks import drop_tracebacks
from . import large_responses

HEAD_BYTES_MAX = 1 << 16  # of a request
HEAD_TIMEOUT_SECONDS = 15.0  # from its first byte
SEND_TIMEOUT_SECONDS = 30.0  # for which a client may take nothing of an answer
# Seconds for which what a client still sends is thrown away, so that it reads its answer (RFC 9112, 9.6): at the most,
# and without a byte.
LINGER_SECONDS, LINGER_IDLE_SECONDS = 5.0, 1.0
CHECK_SECONDS = 1.0  # between two looks at connections that owe something


class Watch:
    """Looks after the connections that owe something: the rest of a head, or to take what they asked for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._connections: set[Connection] = set()
        self._timer: asyncio.TimerHandle | None = None

    def over(self, connection: "Connection") -> None:
        """Look after a connection until it owes nothing more."""
        self._connections.add(connection)
        if self._timer is None:
            self._timer = self._loop.call_later(CHECK_SECONDS, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        self._connections = {connection for connection in self._connections if connection.owes(now)}
        self._timer = self._loop.call_later(CHECK_SECONDS, self._look) if self._connections else None

    def stop(self) -> None:
        """Look no more."""
        self._connections.clear()
        if self._timer is not None:
            self._timer.cancel()


class Runner(web.AppRunner):
    """Runs an application on connections that are looked after; `around` wraps what answers requests."""

    def __init__(
        self, app: web.Application, around: Callable[[errors.Handler], errors.Handler], **options: Any
    ) -> None:
        super().__init__(app, **options)
        self._around = around

    async def _make_server(self) -> Any:
        server: Any = await super()._make_server()
        server.request_handler = self._around(server.request_handler)
        self._watch = server.watch = Watch(asyncio.get_running_loop())
        server.__class__ = type("Server", (server.__class__,), {"__call__": _connection})
        return server

    async def cleanup(self) -> None:
        """Stop taking requests, finish those in flight, and end all connections."""
        await super().cleanup()
        self._watch.stop()


def _connection(server: Any) -> "Connection":
    return Connection(server.watch, server, loop=server._loop, **server._kwargs)


class Connection(RequestHandler):
    """One connection: answers what is no valid HTTP with the envelope as well, and takes bodies to their end."""

    __slots__ = ("_body", "_head", "_head_began", "_heard", "_pipe", "_unsent", "_unsent_since", "_watch")

    def __init__(self, watch: Watch, server: web.Server, **options: Any) -> None:
        super().__init__(server, **options)
        self._watch = watch
        self._pipe: asyncio.Transport | None = None  # for as long as there is one, also while it closes
        self._body: StreamReader = EMPTY_PAYLOAD  # of the last request that came
        self._head, self._head_began = 0, 0.0  # bytes of the next head, as long as it has not come to its end
        self._unsent, self._unsent_since = 0, 0.0
        self._heard = False  # something came while the connection lingers

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self._pipe = transport
        super().connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End, and tell whoever listens on behalf of the client."""
        self._pipe = None
        if self._current_request is not None and (presence := self._current_request.get(PRESENCE)) is not None:
            presence.leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; during a stop too, if they are the body of a request in flight."""
        count, closing = self._request_count, (self._close, self._force_close)
        is_head, self._heard = self._body.is_eof(), True
        if self._current_request is None or not any(closing):
            super().data_received(data)
        else:
            # aiohttp drops what arrives once it closes, and the request would wait for its body in vain.
            self._close = self._force_close = False
            try:
                super().data_received(data)
            finally:
                self._close, self._force_close = closing
        if self._request_count != count:
            self._head, self._body = 0, self._messages[-1][1]
        elif data and is_head and not any(closing):
            self._measure_head(len(data))

    def _measure_head(self, size: int) -> None:
        """Count what came of a head; one that is too long is refused, or has the connection closed before its turn."""
        if not self._head:
            self._head_began = self._loop.time()
            self._watch.over(self)
        self._head += size
        if self._head <= HEAD_BYTES_MAX:
            return
        self._head = 0
        if self._waiter is None or self._waiter.done():
            self.close()
        else:
            error = _ErrInfo(400, BadHttpMessage("the head is too long"), "")
            self._messages.append((error, EMPTY_PAYLOAD))
            self._waiter.set_result(None)

    def owes(self, now: float) -> bool:
        """Tell whether a look at the connection is needed again; end it if it has owed for too long."""
        pipe = self._pipe
        if pipe is None:
            return False
        unsent = memory_budget.untaken(pipe)
        if unsent != self._unsent:
            self._unsent, self._unsent_since = unsent, now
        is_late = unsent > 0 and now - self._unsent_since > SEND_TIMEOUT_SECONDS
        is_late |= self._head > 0 and self._current_request is None and now - self._head_began > HEAD_TIMEOUT_SECONDS
        if is_late:
            pipe.abort()
        return not is_late and (unsent > 0 or self._head > 0)

    def pause_writing(self) -> None:
        """Hold back what is written: the client does not keep up."""
        super().pause_writing()
        self._watch.over(self)

    def force_close(self) -> None:
        """Close the connection; what was written may still be taken, for a while."""
        super().force_close()
        if self._pipe is not None and self._pipe.get_write_buffer_size():
            self._watch.over(self)

    async def _handle_request(self, request: web.BaseRequest, *rest: Any) -> tuple[web.StreamResponse, bool]:
        """Answer a request; one whose client has left is over, and nothing of it stays in memory."""
        try:
            return await super()._handle_request(request, *rest)
        except ConnectionError as error:
            # aiohttp's task would keep the error, whose traceback keeps the task and all that the request holds.
            drop_tracebacks(error)
            return web.Response(), True  # nobody is there to take it
        finally:
            memory_budget.landed(request)

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send an answer; if it came before the end of the body, close the connection instead of reading on."""
        is_early = not request.content.is_eof()
        if is_early:
            resp.force_close()
        large_responses.send_in_pieces(resp)
        try:
            return await super().finish_response(request, resp, start_time)
        finally:
            large_responses.forget_body(resp)
            if is_early and not request.content.is_eof():
                self._linger()
            elif self._pipe is not None and self._pipe.get_write_buffer_size():
                self._watch.over(self)

    def _linger(self) -> None:
        """Throw away what the client still sends before the connection is closed: to close at once would cut it off."""
        if self._pipe is None or self._pipe.is_closing():
            return
        self._force_close = True  # nothing is parsed any more, and aiohttp leaves the closing to us
        self._pipe.resume_reading()
        self._await_silence(self._loop.time() + LINGER_SECONDS)

    def _await_silence(self, end: float) -> None:
        self._heard = False
        self._loop.call_later(LINGER_IDLE_SECONDS, self._close_in_silence, end)

    def _close_in_silence(self, end: float) -> None:
        if self._heard and self._pipe is not None and self._loop.time() < end:
            self._await_silence(end)
        else:
            self.force_close()

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Read on if reading was paused; after a body that came in one piece, aiohttp would parse nothing again."""
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer a request that never reached a handler; raise ConnectionError if there is nobody to answer."""
        if isinstance(exc, ConnectionError):  # the client has left, before the end of its body: that is no failure
            raise exc
        if request.writer is not None and request.writer.output_size > 0:
            raise ConnectionError("the answer has begun already")
        request_id = errors.request_id_of(request.headers)
        error = errors.from_http(status) if status < 500 else errors.from_exception(exc or Exception(), request_id)
        answer = errors.response(error, request_id)
        answer.force_close()
        return answer
