"""A service on a socket of its own, for as long as a test needs it."""

import contextlib
from collections.abc import AsyncIterator

from service import app, config

from .clock import Clock
from .world import World


@contextlib.asynccontextmanager
async def running(settings: config.Settings) -> AsyncIterator[World]:
    """Start a service with these settings, sign the people of the tests in, and stop the service at the end."""
    async with started(settings) as world, world:
        yield world


@contextlib.asynccontextmanager
async def started(settings: config.Settings) -> AsyncIterator[World]:
    """Start a service with these settings without signing anybody in, and stop it at the end."""
    clock = Clock()
    async with app.open_service(settings, clock) as service:
        server = app.create_runner(app.create_application(service))
        await server.setup()
        site = app.web.TCPSite(server, "127.0.0.1", 0)
        await site.start()
        host, port = server.addresses[0][:2]
        try:
            yield World(f"http://{host}:{port}", service, clock)
        finally:
            await server.cleanup()
