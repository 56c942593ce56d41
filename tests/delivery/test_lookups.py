"""Name lookups: few threads for any number of webhooks, and names that hang do not delay other names."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from service.config import Settings
from service.delivery import lookups
from service.delivery.lookups import LOOKUPS_MAX, ORGANIZATION_LOOKUPS_MAX, Lookups

from ..receivers import create_webhook, list_deliveries, receiving, sending, wait_for_deliveries
from ..world import Client, World

HOOKS, HOOKS_OF_AN_ORGANIZATION = 300, 20
FOUND = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))]


class Resolver:
    """A name server of which some names hang until they are released."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.asked: list[str] = []
        self.real = socket.getaddrinfo

    def __call__(self, host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        """Resolve names that end in .test, and leave all others to the system."""
        name = host.decode() if isinstance(host, bytes) else str(host)
        if not name.endswith(".test"):
            return self.real(host, port, *arguments, **options)
        self.asked.append(name)
        if name.endswith(".hang.test"):
            self.released.wait(60)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Resolver]:
    """Provide the resolver of the system, replaced for names that end in .test."""
    resolver = Resolver()
    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    yield resolver
    resolver.released.set()


def _threads() -> int:
    return sum(1 for thread in threading.enumerate() if thread.name.startswith("lookup"))


async def _organization(world: World) -> Client:
    org_id = (await world.outsider.post("/organizations", {"title": "Many"})).ok()["id"]
    token = (await world.outsider.post("/auth/switch", {"orgId": org_id})).ok()["token"]
    return world.client({"Authorization": f"Bearer {token}"}, org_id=org_id)


async def _hang(world: World) -> None:
    """Make very many webhooks whose names hang, in several organizations, each with something to send."""
    for number in range(HOOKS // HOOKS_OF_AN_ORGANIZATION):
        who = await _organization(world)
        for index in range(HOOKS_OF_AN_ORGANIZATION):
            await create_webhook(who, f"http://h{number}-{index}.hang.test/", "*")


async def test_hundreds_of_webhooks_whose_names_hang_take_few_threads_and_hold_up_nobody(
    settings: Settings, resolver: Resolver
) -> None:
    async with receiving() as named, receiving() as numbered, sending(settings, 1.0, 1.0) as world:
        sound = await create_webhook(world.sa, named.url.replace("127.0.0.1", "sound.test"), "project.*")
        await create_webhook(world.sa, numbered.url, "project.*")
        await world.board()
        await wait_for_deliveries(world.sa, sound, 1)
        before = threading.active_count()
        await _hang(world)
        began = time.monotonic()
        await world.board()
        await numbered.received(2)
        await named.received(2)
        assert time.monotonic() - began < 5
        assert 0 < _threads() <= 2 * LOOKUPS_MAX
        assert threading.active_count() <= before + 2 * LOOKUPS_MAX + 8  # others come and go, readers say
        resolver.released.set()


async def test_an_organization_whose_names_hang_holds_up_no_name_of_another(
    settings: Settings, resolver: Resolver
) -> None:
    async with receiving() as receiver, sending(settings, 1.0, 1.0) as world:
        for number in range(3 * ORGANIZATION_LOOKUPS_MAX):
            await create_webhook(world.sa, f"http://h{number}.hang.test/", "*")
        url = receiver.url.replace("127.0.0.1", "new.test")
        await create_webhook(world.sa, url, "*")
        await asyncio.sleep(0.5)  # by then the organization waits for the same name
        await create_webhook(world.outsider, url, "project.*")
        began = time.monotonic()
        await world.board(world.outsider)
        (received,) = await receiver.received(1)
        assert received.body["organizationId"] == world.outsider.org_id
        assert time.monotonic() - began < 5
        async with asyncio.timeout(5):
            while _threads() > ORGANIZATION_LOOKUPS_MAX:  # noqa: ASYNC110  # a thread that has found ends soon
                await asyncio.sleep(0.01)
        assert _threads() == ORGANIZATION_LOOKUPS_MAX
        resolver.released.set()


async def test_a_webhook_that_waits_for_a_lookup_in_vain_is_tried_again(settings: Settings, resolver: Resolver) -> None:
    async with receiving() as receiver, sending(settings, 0.1, 0.1, 60.0) as world:
        assert world.service is not None
        world.service.webhook_dispatcher.outbound.timeout_seconds = 0.3
        for number in range(ORGANIZATION_LOOKUPS_MAX):
            await create_webhook(world.sa, f"http://h{number}.hang.test/", "*")
        late = await create_webhook(world.sa, receiver.url.replace("127.0.0.1", "late.test"), "webhook.created")
        async with asyncio.timeout(20):
            while not [one for one in await list_deliveries(world.sa, late) if one["attempts"]]:
                pass
        (delivery,) = await list_deliveries(world.sa, late)
        assert (delivery["state"], delivery["error"]) == ("pending", "no answer within 0.3 seconds")
        assert "late.test" not in resolver.asked
        resolver.released.set()
        await wait_for_deliveries(world.sa, late, 1)
        assert len(receiver.requests) == 1


@contextlib.asynccontextmanager
async def _looking(names: Lookups, org_id: str, *hosts: str) -> AsyncIterator[None]:
    """Look names up meanwhile."""
    tasks = [asyncio.create_task(names.get_addresses(org_id, host, 80)) for host in hosts]
    await asyncio.sleep(0.1)
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_requests_that_give_up_take_no_place_from_others(resolver: Resolver) -> None:
    names = Lookups(resolver)
    hosts = [f"h{number}.hang.test" for number in range(2 * ORGANIZATION_LOOKUPS_MAX)]
    async with _looking(names, "org", *hosts):
        assert len(resolver.asked) == ORGANIZATION_LOOKUPS_MAX
    async with asyncio.timeout(5):
        assert await names.get_addresses("another", "quick.test", 80) == FOUND
        assert await names.get_addresses("org", "quick.test", 80) == FOUND  # found quickly before
    waiting = {asyncio.create_task(names.get_addresses("org", "unknown.test", 80)) for _ in range(3)}
    assert not (await asyncio.wait(waiting, timeout=0.2))[0]
    resolver.released.set()
    async with asyncio.timeout(5):
        assert await asyncio.gather(*waiting) == [FOUND] * 3
    assert resolver.asked.count("unknown.test") == 1
    assert set(resolver.asked) == {*hosts[:ORGANIZATION_LOOKUPS_MAX], "quick.test", "unknown.test"}


async def test_a_name_that_hangs_counts_as_quick_no_longer(resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "CACHE_SECONDS", 0.0)
    monkeypatch.setattr(lookups, "QUICK_SECONDS", 0.05)
    is_slow = threading.Event()

    def turning(host: str, port: int) -> Any:
        if is_slow.is_set():
            time.sleep(0.1)
        return resolver(host, port)

    names = Lookups(turning)
    await names.get_addresses("org", "turning.test", 80)
    is_slow.set()
    await asyncio.sleep(0.05)
    await names.get_addresses("org", "turning.test", 80)
    await asyncio.sleep(0.05)
    is_slow.clear()
    async with _looking(names, "org", *[f"h{number}.hang.test" for number in range(ORGANIZATION_LOOKUPS_MAX)]):
        task = asyncio.create_task(names.get_addresses("org", "turning.test", 80))
        assert not (await asyncio.wait({task}, timeout=0.2))[0]
        resolver.released.set()
        assert await task == FOUND


async def test_very_many_names_are_not_all_remembered(resolver: Resolver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "QUICK_NAMES_MAX", 2)
    names = Lookups(resolver)
    for number in range(3):
        await names.get_addresses("org", f"{number}.test", 80)
    async with _looking(names, "org", *[f"h{number}.hang.test" for number in range(ORGANIZATION_LOOKUPS_MAX)]):
        async with asyncio.timeout(5):
            await names.get_addresses("org", "2.test", 81)
        task = asyncio.create_task(names.get_addresses("org", "0.test", 81))
        assert not (await asyncio.wait({task}, timeout=0.2))[0]
        task.cancel()
