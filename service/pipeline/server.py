"""The server: from connections to the request_context of a request."""

import logging
from collections.abc import Awaitable
from functools import partial

from aiohttp import web

from .. import errors, log
from ..auth.context import Service
from ..errors import UnsupportedMediaType
from ..http.connection import Runner
from . import pipeline
from .paths import Paths
from .routing import PREFIX

SERVICE = web.AppKey("service", Service)
KEEPALIVE_SECONDS = 75.0  # that a connection may be kept without a request
SHUTDOWN_SECONDS = 6.0  # that requests in flight have to finish after a signal


def _answer(
    service: Service, paths: Paths, others: errors.Handler, known: frozenset[str], request: web.Request
) -> Awaitable[web.StreamResponse]:
    """Answer on a route of the table, or else on one of the few others that the application has."""
    if "Content-Encoding" in request.headers and request.body_exists:
        raise _packed()
    found = paths.find(request.method, request.rel_url.raw_path)
    if found is None:
        request[errors.REQUEST_CONTEXT].route = request.path if request.path in known else None
        return others(request)
    request[errors.REQUEST_CONTEXT].route = PREFIX + found[0].path
    return pipeline.serve(service, *found, request)


def _packed() -> UnsupportedMediaType:
    """Refuse a body that would have to be unpacked: a few bytes could become very many."""
    message = "Send the body as it is, without a Content-Encoding."
    return UnsupportedMediaType(None, message, {"Accept-Encoding": "identity"})


def runner(app: web.Application) -> web.AppRunner:
    """Make the runner of an application."""
    counters = {"counters": app[SERVICE].counters}
    known = frozenset(resource.canonical for resource in app.router.resources())
    return Runner(
        app,
        # Around the application, not inside: what its router refuses goes into the envelope too.
        lambda others: errors.enveloped(partial(_answer, app[SERVICE], Paths(), others, known)),
        access_log_class=type("RequestLog", (log.RequestLog,), counters),
        access_log=logging.getLogger("service"),
        shutdown_timeout=SHUTDOWN_SECONDS,
        keepalive_timeout=KEEPALIVE_SECONDS,
        lingering_time=0,  # see Connection.finish_response
        auto_decompress=False,
        max_line_size=16384,
        max_field_size=16384,
    )
