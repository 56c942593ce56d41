"""A receiver of webhooks on a real socket, and words for what tests of webhooks do all the time."""

import asyncio
import contextlib
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from service.config import Settings

from .running import running
from .world import Client, World

REQUEST_TIMEOUT_SECONDS = 60  # until a test gives up on a request
SECRET = "a secret between the two of us"


@dataclass
class Received:
    """One request that came in."""

    headers: Any
    raw: bytes
    body: Any


@dataclass
class Receiver:
    """A server that takes what is sent to it; while `hangs` it answers nothing."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False
    requests: list[Received] = field(default_factory=list)
    arrived: asyncio.Condition = field(default_factory=asyncio.Condition)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.Request) -> web.Response:
        """Note a request and answer it."""
        raw = await request.read()
        async with self.arrived:
            self.requests.append(Received(request.headers, raw, json.loads(raw)))
            self.arrived.notify_all()
        if self.hangs:
            await self.released.wait()
        return web.Response(status=self.status, headers=self.headers, text="taken")

    async def received(self, count: int) -> list[Received]:
        """Wait for a number of requests in all, and return those there are."""
        async with self.arrived, asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
            await self.arrived.wait_for(lambda: len(self.requests) >= count)
        return self.requests

    def types(self) -> list[str]:
        """Name what the receiver was told, once for each delivery, in the order of events."""
        told = {int(one.body["event"]["id"]): one.body["type"] for one in self.requests}
        return [told[number] for number in sorted(told)]


@contextlib.asynccontextmanager
async def receiving(**wishes: Any) -> AsyncIterator[Receiver]:
    """Run a receiver for as long as a test needs it."""
    receiver, app = Receiver(**wishes), web.Application()
    app.router.add_route("*", "/{tail:.*}", receiver.take)
    runner = web.AppRunner(app, shutdown_timeout=0, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    try:
        yield receiver
    finally:
        receiver.released.set()
        await runner.cleanup()


@contextlib.asynccontextmanager
async def sending(settings: Settings, *pauses: float) -> AsyncIterator[World]:
    """Run a service that may send to this machine, with pauses between attempts that a test can wait for."""
    async with running(settings.model_copy(update={"webhooks_allow_private": True})) as world:
        assert world.service is not None
        world.service.webhook_dispatcher.pauses = pauses
        yield world


async def create_webhook(who: Client, url: str, *patterns: str, **wishes: Any) -> Any:
    """Make a webhook that is told of what fits the patterns."""
    body = {"url": url, "events": list(patterns) or ["card.*"], "secret": SECRET, **wishes}
    return (await who.post("/webhooks", body)).ok()


async def list_deliveries(who: Client, webhook: Any, **query: Any) -> list[Any]:
    """List the deliveries of a webhook, newest first; whoever asks again and again leaves the service some air."""
    await asyncio.sleep(0.01)
    page = (await who.get(f"/webhooks/{webhook['id']}/deliveries", params={"pageSize": 100, **query})).ok()
    items: list[Any] = page["items"]
    return items


async def wait_for_deliveries(who: Client, webhook: Any, count: int, state: str = "delivered") -> list[Any]:
    """Wait until a number of deliveries of a webhook are in a state, and return them."""
    async with asyncio.timeout(REQUEST_TIMEOUT_SECONDS):
        while len(found := await list_deliveries(who, webhook, state=state)) < count:
            pass
    return found


def is_signed(received: Received, secret: str = SECRET) -> bool:
    """Tell whether a request carries the signature of a secret, as its receiver would find out."""
    text = received.headers["X-Tandem-Timestamp"].encode() + b"." + received.raw
    expected = "sha256=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, received.headers["X-Tandem-Signature"])
