"""So many may listen to the events of an organization, and so many of one caller; others have their own places."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from service.config import Settings

from ..streams import listening, position
from ..world import Client, World


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Provide settings of a service with few places for listeners."""
    return settings.model_copy(update={"organization_listeners_max": 3, "caller_listeners_max": 2})


async def _refused(who: Client) -> int:
    answer = await who.get(who.org("/events"))
    details = answer.refused(503, "overloaded")
    assert int(answer.headers["Retry-After"]) > 0
    return int(details["limit"])


async def test_a_caller_and_an_organization_have_so_many_listeners(world: World) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(listening(world.sa))
        assert await _refused(world.sa) == 2
        await stack.enter_async_context(listening(world.member))
        assert await _refused(world.member) == 3
        async with listening(world.outsider):
            pass
    await asyncio.sleep(0.1)
    async with listening(world.sa) as listener:  # those who left have made room
        await world.board()
        assert (await listener.event())["type"] == "project.created"


async def test_a_long_poll_counts_as_a_listener(world: World) -> None:
    since = await position(world.sa)
    query = {"params": {"since": since, "wait": "20"}}
    waiting = [asyncio.create_task(world.sa.get(world.sa.org("/changes"), **query)) for _ in range(2)]
    await asyncio.sleep(0.2)
    (await world.sa.get(world.sa.org("/changes"), **query)).refused(503, "overloaded")
    (await world.sa.get(world.sa.org("/changes"), params={"since": since})).ok()
    await world.board()
    assert all([(await answer).ok()["items"] for answer in waiting])


async def test_whoever_may_not_know_of_an_organization_hears_nothing_of_its_listeners(world: World) -> None:
    async with AsyncExitStack() as stack:
        for who in (world.sa, world.sa, world.member):
            await stack.enter_async_context(listening(who))
        (await world.outsider.get(world.sa.org("/events"))).refused(404, "not_found")
