"""The server: from connections to the journey of a request."""

import asyncio
import logging
from collections.abc import Awaitable
from functools import partial
from typing import Any

from aiohttp import web

from . import errors, log
from .connection import Connection, Watch
from .errors import UnsupportedMediaType
from .journey import route
from .journey.call import Service
from .journey.paths import Paths
from .journey.table import PREFIX

SERVICE = web.AppKey("service", Service)
KEEPALIVE_SECONDS = 75.0  # that a connection may be kept without a request
SHUTDOWN_SECONDS = 6.0  # that requests in flight have to finish after a signal


class _Runner(web.AppRunner):
    async def _make_server(self) -> Any:
        server: Any = await super()._make_server()
        # Around the application, not inside: what its router refuses goes into the envelope too.
        others: Any = server.request_handler
        known = frozenset(resource.canonical for resource in self.app.router.resources())
        answer: Any = errors.enveloped(partial(_answer, self.app[SERVICE], Paths(), others, known))
        server.request_handler = answer
        self._watch = Watch(asyncio.get_running_loop())
        server.watch = self._watch
        server.__class__ = type("Server", (server.__class__,), {"__call__": _connection})
        return server

    async def cleanup(self) -> None:
        """Stop taking requests, finish those in flight, and end all connections."""
        await super().cleanup()
        self._watch.stop()


def _connection(server: Any) -> Connection:
    return Connection(server.watch, server, loop=server._loop, **server._kwargs)


def _answer(
    service: Service, paths: Paths, others: errors.Handler, known: frozenset[str], request: web.Request
) -> Awaitable[web.StreamResponse]:
    """Answer on a route of the table, or else on one of the few others that the application has."""
    if "Content-Encoding" in request.headers and request.body_exists:
        raise _packed()
    found = paths.find(request.method, request.rel_url.raw_path)
    if found is None:
        request[errors.JOURNEY].route = request.path if request.path in known else None
        return others(request)
    request[errors.JOURNEY].route = PREFIX + found[0].path
    return route.serve(service, *found, request)


def _packed() -> UnsupportedMediaType:
    """Refuse a body that would have to be unpacked: a few bytes could become very many."""
    message = "Send the body as it is, without a Content-Encoding."
    return UnsupportedMediaType(None, message, {"Accept-Encoding": "identity"})


def runner(app: web.Application) -> web.AppRunner:
    """Make the runner of an application."""
    tally = {"tally": app[SERVICE].tally}
    return _Runner(
        app,
        access_log_class=type("RequestLog", (log.RequestLog,), tally),
        access_log=logging.getLogger("service"),
        shutdown_timeout=SHUTDOWN_SECONDS,
        keepalive_timeout=KEEPALIVE_SECONDS,
        lingering_time=0,  # see Connection.finish_response
        auto_decompress=False,
        max_line_size=16384,
        max_field_size=16384,
    )
