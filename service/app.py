"""Puts the parts together: the application, its server and its stop."""

import asyncio
import contextlib
import gc
import logging
import resource
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from . import errors, first_start, log, pages, resources, supervisor
from .blobs import Blobs
from .clock import now
from .config import Settings, forget_previous
from .credentials.tokens import Tokens
from .credentials.vault import Vault
from .database import migrate
from .database.store import Store
from .delivery.listeners import Listeners
from .delivery.outbound import Outbound
from .delivery.senders import Senders
from .journey import others, resealing, route
from .journey.call import Service
from .journey.caller import Callers
from .journey.paths import Paths
from .journey.table import PREFIX
from .monitoring import health, metrics
from .reference import page
from .resources import events, files
from .resources.search import texts
from .tools import endpoint

SERVICE = web.AppKey("service", Service)
BODY_LIMIT = 1 << 20  # bytes
SLICE = 0.0005  # seconds that a thread at work, an import say, keeps the interpreter from the event loop
FILES = 1 << 16  # open files, sockets among them, that one process may want
PATIENCE = 6.0  # seconds that requests in flight have to finish after a signal
assert resources  # importing them fills the route table


class _Protocol(RequestHandler):
    """Answers requests that are no valid HTTP with the envelope as well, and takes bodies to their end."""

    def data_received(self, data: bytes) -> None:
        """Take bytes; during a stop too, if they are the body of a request in flight."""
        if self._current_request is None or not (self._close or self._force_close):
            return super().data_received(data)
        closing = self._close, self._force_close
        # aiohttp drops what arrives once it closes, and the request would wait for its body in vain.
        self._close = self._force_close = False
        try:
            super().data_received(data)
        finally:
            self._close, self._force_close = closing
        return None

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
        """Answer a request that never reached a handler."""
        if request.writer is not None and request.writer.output_size > 0:
            raise ConnectionError("the answer has begun already")
        request_id = errors.request_id_of(request.headers)
        error = errors.from_http(status) if status < 500 else errors.from_exception(exc or Exception(), request_id)
        answer = errors.response(error, request_id)
        answer.force_close()
        return answer


class _Runner(web.AppRunner):
    async def _make_server(self) -> Any:
        server = await super()._make_server()
        # Around the application, not inside: what its router refuses goes into the envelope too.
        others: Any = server.request_handler
        known = frozenset(resource.canonical for resource in self.app.router.resources())
        answer: Any = errors.enveloped(partial(_answer, self.app[SERVICE], Paths(), others, known))
        server.request_handler = answer
        server.__class__ = type("Server", (server.__class__,), {"__call__": _protocol})
        return server


def _protocol(server: Any) -> _Protocol:
    return _Protocol(server, loop=server._loop, **server._kwargs)


def _answer(
    service: Service, paths: Paths, others: errors.Handler, known: frozenset[str], request: web.Request
) -> Awaitable[web.StreamResponse]:
    """Answer on a route of the table, or else on one of the few others that the application has."""
    found = paths.find(request.method, request.rel_url.raw_path)
    if found is None:
        request[errors.JOURNEY].route = request.path if request.path in known else None
        return others(request)
    request[errors.JOURNEY].route = PREFIX + found[0].path
    return route.serve(service, *found, request)


def application(service: Service) -> web.Application:
    """Make the web application around the parts of a service."""
    app = web.Application(client_max_size=BODY_LIMIT)
    app[SERVICE] = service
    page.register(app.router)
    endpoint.register(app, service)
    looks = health.Health(service)
    health.register(app.router, looks)
    metrics.register(app.router, metrics.Metrics(service, looks))
    pages.register(app.router)
    app.on_shutdown.append(_end_streams)
    return app


async def _end_streams(app: web.Application) -> None:
    app[SERVICE].listeners.stop()


def runner(app: web.Application) -> web.AppRunner:
    """Make the runner of an application."""
    tally = {"tally": app[SERVICE].tally}
    return _Runner(
        app,
        access_log_class=type("RequestLog", (log.RequestLog,), tally),
        access_log=logging.getLogger("service"),
        shutdown_timeout=PATIENCE,
        keepalive_timeout=75,
        max_line_size=16384,
        max_field_size=16384,
    )


@contextlib.asynccontextmanager
async def opened(settings: Settings, clock: Callable[[], str] = now) -> AsyncIterator[Service]:
    """Migrate and open the database, reseal its secrets after a rotation, and close it whatever happens in between."""
    migrate.migrate(settings.database)  # right here, since nothing else runs yet: a thread would keep half a MB
    store, blobs = Store(settings.database), Blobs(settings.files)
    await store.open()
    tasks: list[asyncio.Task[None]] = []
    try:
        await blobs.sweep(*await store.read(files.expected))
        tokens = Tokens(settings.secret, settings.jwt_lifetime)
        vault = Vault(settings.secret, settings.jwt_secret_previous)
        if settings.jwt_secret_previous:
            await resealing.reseal(store, vault)
            forget_previous(settings)
        tasks += [asyncio.create_task(work) for work in _aside(store, settings)]
        listeners, outbound = Listeners(), Outbound(settings.webhooks_allow_private)
        async with Senders(store, vault, listeners, outbound, clock) as senders:
            parts = tokens, Callers(store, tokens), vault, blobs, listeners, senders
            service = Service(settings, store, *parts, clock=clock)
            tasks.append(asyncio.create_task(others.keep_watch(service)))
            yield service
    finally:
        for task in tasks:
            task.cancel()
        await store.close()
        await blobs.settled()


def _aside(store: Store, settings: Settings) -> list[Coroutine[Any, Any, None]]:
    """Give what is done beside the requests, for as long as the service runs."""
    keep_short = events.keep_short(store, settings.events_kept)
    return [texts.keep_up(store), keep_short]


def _allow_many_connections() -> None:
    """Open as many files as the system lets us: many start a service with 1,024, and each listener is a socket."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def serve(settings: Settings) -> None:
    """Run the service until SIGTERM or SIGINT; a second signal changes nothing."""
    _allow_many_connections()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    lines = log.start(settings.log_level)
    log.RequestLog.lines = lines
    try:
        async with opened(settings) as service:
            welcome = await first_start.bootstrap(service.store, settings)
            await _run(service, settings, stop, welcome)
    finally:
        lines.close()


async def _run(service: Service, settings: Settings, stop: asyncio.Event, welcome: first_start.Welcome | None) -> None:
    server = runner(application(service))
    await server.setup()
    gc.collect()
    gc.freeze()  # what is there by now stays: no collection need look at it again
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(SLICE)
    try:
        site = web.TCPSite(server, settings.host, settings.port, reuse_address=True, backlog=1024)
        await site.start()
        host, port = server.addresses[0][:2]
        _announce(settings.public_url or f"http://{host}:{port}", welcome)
        supervisor.tell("READY=1")
        alive = asyncio.create_task(supervisor.keep_alive())
        await stop.wait()
        supervisor.tell("STOPPING=1")
        alive.cancel()
    finally:
        await server.cleanup()


def _announce(address: str, welcome: first_start.Welcome | None) -> None:
    if welcome is not None:
        print(f"First start: open {address} in a browser and sign in as {welcome.email}", flush=True)
        if welcome.password:
            print(f"Password (shown this once): {welcome.password}", flush=True)
    print(f"Tandem is ready at {address} (stop with Ctrl-C)", flush=True)
