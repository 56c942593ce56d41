"""Claims of a session go on while it calls anything, and end with it."""

import asyncio
from typing import Any

import pytest

from service.clock import parse_timestamp

from ..tools.talk import talking
from ..world import Client, World
from .test_agent_sessions import in_session
from .test_claims import take


async def scene(world: World, seconds: int = 900) -> tuple[Client, list[Any]]:
    """Return a session of an agent with two claims of the same length."""
    board, agent = await world.board(), in_session(world, await world.agent(), "first")
    cards = [await world.card(board, "In Progress") for _ in range(2)]
    for card in cards:
        (await take(agent, card, leaseSeconds=seconds)).ok()
    return agent, cards


async def claims_of(world: World, cards: list[Any]) -> list[Any]:
    return [(await world.sa.get(f"/cards/{card['id']}")).ok()["claim"] for card in cards]


def age(world: World, claim: Any) -> float:
    """Return the seconds since a claim was renewed."""
    return (parse_timestamp(world.clock()) - parse_timestamp(claim["renewedAt"])).total_seconds()


CALLS = ["/agent/mcp", "/agents/bot/status", "/cards/nothing/mcp"]


@pytest.mark.parametrize("path", CALLS)
async def test_any_call_renews_all_claims_of_the_session_to_their_full_length(world: World, path: str) -> None:
    agent, cards = await scene(world)
    world.clock.forward(800)
    await agent.get(path)
    for claim in await claims_of(world, cards):
        assert age(world, claim) < 60
        length = parse_timestamp(claim["expiresAt"]) - parse_timestamp(claim["renewedAt"])
        assert length.total_seconds() == 900
    assert [row["action"] for row in await world.history(cards[0]["id"])] == ["created", "claimed"]


async def test_a_denied_write_and_a_tool_renew_too(world: World) -> None:
    agent, cards = await scene(world)
    world.clock.forward(800)
    (await agent.patch("/cards/nothing/mcp", {"title": "New"})).refused(404, "not_found")
    assert [age(world, claim) < 60 for claim in await claims_of(world, cards)] == [True, True]
    async with talking(agent) as talk:
        for tool, arguments in (("whoami", {"show": "prompts"}), ("list_cards", {})):  # the first one calls no route
            world.clock.forward(800)
            await talk.ok(tool, **arguments)
            assert [age(world, claim) < 60 for claim in await claims_of(world, cards)] == [True, True]


async def test_without_its_session_nothing_renews_but_a_write_to_the_card(world: World) -> None:
    agent, cards = await scene(world)
    without = world.client({"Authorization": agent.headers["Authorization"]}, org_id=agent.org_id)
    second, other = in_session(world, agent, "second"), in_session(world, await world.agent("other"), "first")
    before = await claims_of(world, cards)
    world.clock.forward(120)
    for who in (without, second, other, world.sa):
        path = f"/cards/{cards[0]['id']}" + ("" if who is world.sa else "/mcp")
        (await who.get(path)).ok()
    assert await claims_of(world, cards) == before
    (await without.patch(f"/cards/{cards[0]['id']}/mcp", {"title": "New"})).ok()
    first, last = await claims_of(world, cards)
    assert (age(world, first) < 60, last) == (True, before[1])


@pytest.mark.parametrize(("seconds", "interval"), [(3600, 60), (180, 60), (90, 30), (30, 10)])
async def test_claims_are_renewed_once_a_minute_and_short_leases_at_each_third(
    world: World, seconds: int, interval: int
) -> None:
    agent, cards = await scene(world, seconds)
    begun = (await claims_of(world, cards))[0]["renewedAt"]  # the older one
    world.clock.stop(begun, (interval * 1000) - 1)
    (await agent.get("/agent/mcp")).ok()
    assert (await claims_of(world, cards))[0]["renewedAt"] == begun
    world.clock.stop(begun, interval * 1000)
    (await agent.get("/agent/mcp")).ok()
    for claim in await claims_of(world, cards):
        assert claim["renewedAt"] == world.clock()


async def test_an_expired_claim_is_not_renewed(world: World) -> None:
    agent, cards = await scene(world)
    world.clock.forward(901)
    (await agent.get("/agent/mcp")).ok()
    assert await claims_of(world, cards) == [None, None]
    (await take(await world.agent("other"), cards[0])).ok()


async def test_a_page_of_cards_that_was_cached_shows_the_renewed_claim(world: World) -> None:
    agent, cards = await scene(world)
    listed = [(await world.sa.get(world.sa.org("/cards"))).ok()["items"] for _ in range(2)][1]
    world.clock.forward(100)
    (await agent.get("/agent/mcp")).ok()
    again = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    assert again[0]["claim"]["renewedAt"] > listed[0]["claim"]["renewedAt"]
    assert len(cards) == len(again)


async def test_during_a_freeze_renewing_takes_nothing_of_what_the_freeze_gives(world: World) -> None:
    agent, cards = await scene(world)
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Audit"})).ok()
    frozen = await claims_of(world, cards)
    world.clock.forward(5000)
    (await agent.get("/agent/mcp")).ok()
    assert [claim["expiresAt"] for claim in await claims_of(world, cards)] == [claim["expiresAt"] for claim in frozen]
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    for claim in await claims_of(world, cards):
        left = parse_timestamp(claim["expiresAt"]) - parse_timestamp(world.clock())
        assert 800 < left.total_seconds() <= 901


async def test_a_stopped_agent_keeps_no_claim_alive(world: World) -> None:
    agent, cards = await scene(world)
    (await world.sa.patch("/agents/bot/stop", {"reason": "Test"})).ok()
    world.clock.forward(100)
    (await agent.get("/agents/bot/status")).ok()
    assert await claims_of(world, cards) == [None, None]


async def test_a_long_poll_renews_before_it_waits(world: World) -> None:
    agent, cards = await scene(world)
    path = agent.org("/changes/mcp")
    position = (await agent.get(path)).ok()["next"]
    world.clock.forward(500)  # the agent is online for 600
    waiting = asyncio.create_task(agent.get(path, params={"since": position, "wait": "50"}))
    async with asyncio.timeout(40):
        while any([age(world, claim) >= 60 for claim in await claims_of(world, cards)]):  # noqa: ASYNC110, C419  # no event tells
            await asyncio.sleep(0.05)
    assert not waiting.done()
    (await world.sa.post(f"/cards/{cards[0]['id']}/comments", {"content": "Now"})).ok()
    assert [item["type"] for item in (await waiting).ok()["items"]] == ["comment.created"]
