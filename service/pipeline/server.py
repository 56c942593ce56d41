"""The HTTP server: dispatches requests to the routes of the route table."""

import logging
from collections.abc import Awaitable
from functools import partial

from aiohttp import web

from .. import errors
from ..auth.context import Service
from ..errors import UnsupportedMediaType
from ..http.connection import Runner
from ..runtime import log
from . import pipeline
from .paths import Paths
from .routing import PREFIX

SERVICE = web.AppKey("service", Service)
KEEPALIVE_SECONDS = 75.0  # before an idle connection is closed
SHUTDOWN_SECONDS = 5.0  # for requests in flight to finish during a shutdown


def _dispatch(
    service: Service, paths: Paths, others: errors.Handler, known: frozenset[str], request: web.Request
) -> Awaitable[web.StreamResponse]:
    """Handle a request with its route of the route table, or else with `others`, the handlers of the application."""
    if "Content-Encoding" in request.headers and request.body_exists:
        raise _encoded_body()
    found = paths.find(request.method, request.rel_url.raw_path)
    if found is None:
        request[errors.REQUEST_CONTEXT].route = request.path if request.path in known else None
        return others(request)
    request[errors.REQUEST_CONTEXT].route = PREFIX + found[0].path
    return pipeline.handle_request(service, *found, request)


def _encoded_body() -> UnsupportedMediaType:
    """Return the error for a compressed body, which could expand without limit."""
    message = "Send the body uncompressed, without a Content-Encoding."
    return UnsupportedMediaType(None, message, {"Accept-Encoding": "identity"})


def create_runner(app: web.Application) -> web.AppRunner:
    """Return the runner of an application."""
    counters = {"counters": app[SERVICE].counters}
    known = frozenset(resource.canonical for resource in app.router.resources())
    return Runner(
        app,
        # Wraps the application, so that errors of its router get the envelope too.
        lambda others: errors.with_error_envelope(partial(_dispatch, app[SERVICE], Paths(), others, known)),
        base_path=app[SERVICE].settings.base_path,
        access_log_class=type("RequestLog", (log.RequestLog,), counters),
        access_log=logging.getLogger("service"),
        shutdown_timeout=SHUTDOWN_SECONDS,
        keepalive_timeout=KEEPALIVE_SECONDS,
        lingering_time=0,  # see Connection.finish_response
        auto_decompress=False,
        max_line_size=16384,
        max_field_size=16384,
    )
