"""Start and shutdown of the service: opens its parts, runs background tasks and serves HTTP."""

import asyncio
import contextlib
import gc
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any

from aiohttp import web

from . import resources
from .auth import reencryption, sessions
from .auth.authentication import Authenticator
from .auth.context import Service
from .auth.encryption import Encryptor
from .auth.tokens import Tokens
from .clock import Clock, ClockTrust, now
from .config import DEFAULT_DATABASE_QUOTA_BYTES, Settings, forget_previous, format_address
from .database import migrate
from .database.store import Store, Tx
from .database.usage import DatabaseUsage
from .delivery.dispatcher import WebhookDispatcher
from .delivery.outbound import Outbound
from .errors import Unavailable
from .events.listeners import Listeners
from .http import static_files
from .monitoring import health, metrics
from .operations import first_start
from .pipeline import external_writes, jobs
from .pipeline.server import SERVICE, create_runner
from .reference import routes as reference_routes
from .resources import events, files, lost_files, refusals
from .resources.imports import execution
from .resources.search import texts
from .runtime import allocator, garbage_collection, log, open_files, os_errors, shutdown, systemd
from .runtime.cpu_scheduling import use_one_core
from .runtime.disk_space import DiskSpace
from .runtime.file_store import FileStore
from .runtime.scheduled_backups import ScheduledBackups
from .runtime.thread_pool import BoundedThreadPool
from .tools import endpoint

SWITCH_INTERVAL_SECONDS = 0.0005  # how long a busy thread, such as an import, may hold the GIL against the event loop
BACKGROUND_TASKS = (
    external_writes.watch_external_writes,
    refusals.keep_storing_refusals,
    execution.retry_interrupted_imports,
    jobs.run_jobs,
    lost_files.keep_checking_files,
)  # run until the service stops
assert resources  # the import fills the route table


class ListenError(Exception):
    """The service cannot listen on its address; the message says why in one line."""


def create_application(service: Service) -> web.Application:
    """Return the web application with every route that is not part of the API pipeline."""
    app = web.Application()
    app[SERVICE] = service
    reference_routes.register(app.router, service.settings.base_path)
    endpoint.register(app, service)
    checks = health.Health(service)
    health.register(app.router, checks)
    metrics.register(app.router, metrics.Metrics(service, checks))
    static_files.register(app.router, service.settings.base_path)
    app.on_shutdown.append(_end_waiting)
    return app


async def _end_waiting(app: web.Application) -> None:
    """End what would outlast a shutdown: streams, and work that still waits for a thread."""
    app[SERVICE].listeners.stop()
    BoundedThreadPool.cancel_waiting()


@contextlib.asynccontextmanager
async def open_service(settings: Settings, wall_clock: Callable[[], str] = now) -> AsyncIterator[Service]:
    """Open the database and all parts of the service, run its background tasks, and close everything at the end."""
    migrate.migrate(settings.database)  # not in a thread, which would keep 0.5 MB: nothing else runs yet
    disk_space = DiskSpace(settings.disk_free_min_bytes, settings.data_path, settings.files)
    usage, file_store = DatabaseUsage(DEFAULT_DATABASE_QUOTA_BYTES), FileStore(settings.files, disk_space)
    store = Store(settings.database, partial(_complete_unit, usage))
    await store.open()
    tasks: list[asyncio.Task[None]] = []
    try:
        latest = await _recover(store, usage, file_store, settings, Clock(wall_clock))
        clock_trust, clock = ClockTrust(latest), Clock(wall_clock, latest)
        encryptor = Encryptor(settings.secret, settings.jwt_secret_previous)
        await _complete_rotation(settings, store, encryptor)
        tasks += [asyncio.create_task(task) for task in _maintenance_tasks(store, settings, clock_trust, usage)]
        async with _create_service(settings, store, usage, file_store, encryptor, clock) as service:
            tasks += [asyncio.create_task(run(service)) for run in BACKGROUND_TASKS]
            tasks.append(asyncio.create_task(service.scheduled_backups.run()))
            yield service
            await _store_rest(service)
    finally:
        for task in tasks:
            task.cancel()
        await store.close()
        await file_store.wait_for_removals()


@contextlib.asynccontextmanager
async def _create_service(
    settings: Settings, store: Store, usage: DatabaseUsage, file_store: FileStore, encryptor: Encryptor, clock: Clock
) -> AsyncIterator[Service]:
    """Create the service of an open database, with a dispatcher of webhooks that ends with the block."""
    tokens = Tokens(settings.secret, settings.jwt_lifetime, clock.monotonic_seconds)
    listeners, outbound = Listeners(), Outbound(settings.webhooks_allow_private)
    async with WebhookDispatcher(store, encryptor.decrypt, listeners, outbound, clock) as webhook_dispatcher:
        yield Service(
            settings=settings,
            store=store,
            tokens=tokens,
            authenticator=Authenticator(store, tokens),
            encryptor=encryptor,
            disk_space=file_store.disk_space,
            file_store=file_store,
            listeners=listeners,
            webhook_dispatcher=webhook_dispatcher,
            scheduled_backups=ScheduledBackups(settings, clock),
            database_usage=usage,
            clock=clock,
        )


def _complete_unit(usage: DatabaseUsage, tx: Tx) -> None:
    """Complete a unit that has written, before its COMMIT."""
    texts.index_changes(tx)
    usage.count_growth(tx)


async def _store_rest(service: Service) -> None:
    """Write the data that is stored only every few seconds."""
    await refusals.store_refusals(service)
    with contextlib.suppress(Unavailable):  # an estimate may be lost
        await service.database_usage.store_changes(service.store)


async def _recover(
    store: Store, usage: DatabaseUsage, file_store: FileStore, settings: Settings, clock: Clock
) -> str | None:
    """Complete imports, delete unreferenced files, and return the latest stored timestamp (None if damaged)."""
    await usage.load(store)
    await execution.recover(store, clock)  # before garbage collection: the imported rows reference files
    await file_store.create_folder()
    if store.is_damaged:  # rows may be missing, and then their files would be deleted
        return None
    await garbage_collection.collect_garbage(settings.files, *await store.read(files.list_expected_contents))
    return await store.read(events.get_latest_timestamp)


async def _complete_rotation(settings: Settings, store: Store, encryptor: Encryptor) -> None:
    if settings.jwt_secret_previous:
        await reencryption.reencrypt_all(store, encryptor)
        forget_previous(settings)


def _maintenance_tasks(
    store: Store, settings: Settings, clock_trust: ClockTrust, usage: DatabaseUsage
) -> list[Coroutine[Any, Any, None]]:
    """Return the background tasks that need no `Service`; they run until the service stops."""
    return [
        texts.index_backlog(store),
        events.delete_old_events(store, settings.events_kept, clock_trust),
        sessions.delete_expired_sessions(store, clock_trust),
        garbage_collection.remove_expired_files(settings.files, clock_trust),
        usage.keep_storing(store),
        allocator.return_free_memory(),
    ]


async def serve(settings: Settings) -> None:
    """Run the service until SIGTERM, SIGINT or SIGHUP; a second signal has no effect."""
    os.environ.setdefault("SQLITE_TMPDIR", str(settings.data_path))  # /tmp may be small, or not writable
    allocator.configure()  # before the first thread starts, as the next line
    core = use_one_core(settings.cpu_affinity)
    open_files.raise_limit()
    stop = asyncio.Event()
    shutdown.install_signal_handlers(partial(asyncio.get_running_loop().call_soon_threadsafe, stop.set))
    lines = log.start(settings.log_level)
    log.RequestLog.lines = lines
    try:
        async with open_service(settings) as service:
            await _run(service, settings, stop, core)
    finally:
        lines.close()


async def _run(service: Service, settings: Settings, stop: asyncio.Event, core: str) -> None:
    server = create_runner(create_application(service))
    await server.setup()
    gc.collect()
    gc.freeze()  # exempt the objects of the start from later collections
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    try:
        await _listen(server, settings)
        host, port = server.addresses[0][:2]
        # Not earlier: if the port is in use, the password would be lost, since it is shown only once.
        welcome = await first_start.create_first_user(service.store, settings)
        logging.getLogger("service").info("CPU core: %s (cpu_affinity = %s)", core, settings.cpu_affinity)
        open_files.warn_if_low()
        _announce(settings.public_url or format_address(host, port), welcome)
        systemd.notify("READY=1")
        watchdog = asyncio.create_task(systemd.notify_watchdog())
        await stop.wait()
        systemd.notify("STOPPING=1")
        watchdog.cancel()
    finally:
        await server.cleanup()


async def _listen(server: web.AppRunner, settings: Settings) -> None:
    try:
        await web.TCPSite(server, settings.host, settings.port, reuse_address=True, backlog=1024).start()
    except OSError as error:
        raise ListenError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}") from None


def _announce(address: str, welcome: first_start.FirstUser | None) -> None:
    """Print the address and the first account; if that fails, log how to get a password, and serve nevertheless."""
    try:
        _print_welcome(address, welcome)
    except OSError as error:  # what read the output has ended, or the disk of a log file is full
        os_errors.discard_output()
        advice = f"; set a password: tandem reset-password {welcome.email}" if welcome and welcome.password else ""
        logging.getLogger("service").warning("the address could not be printed: %s%s", error.strerror, advice)


def _print_welcome(address: str, welcome: first_start.FirstUser | None) -> None:
    if welcome is not None:
        print(f"First start: open {address} in a browser and sign in as {welcome.email}", flush=True)
        if welcome.password:
            print(f"Password (shown this once): {welcome.password}", flush=True)
    print(f"Tandem is ready at {address} (stop with Ctrl-C)", flush=True)
