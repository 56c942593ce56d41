"""When an agent is online: while it calls, until it says that it is offline, or is silent for 10 minutes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ..http.test_connection import until
from ..snapshots import snapshot_of
from ..streams import changes, listening, position
from ..tools.talk import talking
from ..world import Client, World

SILENCE_SECONDS = 600


async def shown(world: World, board_id: str) -> set[bool]:
    """Return what all reads for people show, which has to be the same."""
    agents, board = world.sa.org("/agents"), world.sa.org("/board")
    (plain,) = (await world.sa.get(agents)).ok()
    (busy,) = (await world.sa.get(agents, params={"include": "work"})).ok()
    (on_board,) = (await world.sa.get(board, params={"projectId": board_id})).ok()["agents"]
    team = (await world.sa.get(world.sa.org(f"/teams/{plain['teamId']}"))).ok()
    (exported,) = (await snapshot_of(world.sa))["agents"]
    return {row["isOnline"] for row in (plain, busy, on_board, *team["agents"], exported)}


async def events_of(world: World, since: str) -> list[tuple[str, str]]:
    """Return the types of the agent's events with the agent that they name."""
    items = (await changes(world.sa, since=since))["items"]
    return [(event["type"], event["agentId"]) for event in items if event["type"].startswith("agent.")]


def calls_of(agent: Client) -> dict[str, Callable[[], Awaitable[object]]]:
    async def use_tool() -> None:
        async with talking(agent) as talk:
            await talk.ok("list_cards")

    async def be_denied() -> None:
        (await agent.get("/cards/nothing/mcp")).refused(404, "not_found")

    return {"a route": lambda: agent.get(agent.org("/cards/mcp")), "a tool": use_tool, "a denied call": be_denied}


@pytest.mark.parametrize("call", ["a route", "a tool", "a denied call"])
async def test_any_call_makes_an_agent_online_and_ten_silent_minutes_offline(world: World, call: str) -> None:
    board, agent = await world.board(), await world.agent()
    (await agent.post("/agents/bot/offline")).ok()
    assert await shown(world, board.id) == {False}
    start = await position(world.sa)
    await calls_of(agent)[call]()
    assert await shown(world, board.id) == {True}
    assert await events_of(world, start) == [("agent.online", "bot")]
    world.clock.forward(SILENCE_SECONDS - 10)
    assert await shown(world, board.id) == {True}
    world.clock.forward(11)
    assert await shown(world, board.id) == {False}
    assert await events_of(world, start) == [("agent.online", "bot")]
    (await agent.post("/agents/bot/offline")).ok()  # is offline already
    await calls_of(agent)[call]()
    world.clock.forward(SILENCE_SECONDS - 10)
    await calls_of(agent)[call]()
    world.clock.forward(SILENCE_SECONDS - 10)
    assert await shown(world, board.id) == {True}
    assert await events_of(world, start) == 2 * [("agent.online", "bot")]


async def test_an_agent_that_asks_for_itself_is_online(world: World) -> None:
    agent = await world.agent()
    for path, row in (("/agents/bot/status", None), ("/agent/mcp", "agent")):
        (await agent.post("/agents/bot/offline")).ok()
        found = (await agent.get(path)).ok()
        assert (found[row] if row else found)["isOnline"] is True
    for query in ({}, {"include": "work"}):
        (await agent.post("/agents/bot/offline")).ok()
        (listed,) = (await agent.get(agent.org("/agents/mcp"), params=query)).ok()
        assert listed["isOnline"] is True


async def test_an_offline_agent_stays_so_until_it_calls_again(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    start = await position(world.sa)
    waiting = asyncio.create_task(agent.get(agent.org("/changes/mcp"), params={"since": start, "wait": 20}))
    await until(lambda: bool(world.service and world.service.listeners.count))
    async with talking(agent) as talk:
        assert await talk.ok("set_offline") == {"agentId": "bot", "isOnline": False}
    assert await shown(world, board.id) == {False}
    (await waiting).ok()  # it began before, and ends with the event of the agent
    assert await shown(world, board.id) == {False}
    assert await events_of(world, start) == [("agent.offline", "bot")]
    (await agent.get(agent.org("/cards/mcp"))).ok()
    assert await shown(world, board.id) == {True}
    assert (await agent.post("/agents/bot/offline")).ok()["isOnline"] is False
    assert await shown(world, board.id) == {False}


async def test_an_agent_that_is_offline_stays_so_without_events_when_it_says_so_again(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    key = {"Idempotency-Key": "leaving"}
    for _ in range(2):  # the second is answered from the first
        assert (await agent.post("/agents/bot/offline", headers=key)).ok()["isOnline"] is False
        assert await shown(world, board.id) == {False}
    start = await position(world.sa)
    async with talking(agent) as talk:
        await talk.ok("set_offline")
    assert await shown(world, board.id) == {False}
    assert await events_of(world, start) == []


async def test_the_end_of_an_event_stream_makes_no_agent_online(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    async with listening(agent):
        assert await shown(world, board.id) == {True}
        world.clock.forward(SILENCE_SECONDS + 1)
        assert await shown(world, board.id) == {False}
    start = await position(world.sa)
    await until(lambda: bool(world.service and not world.service.listeners.count))
    await world.card(board)  # is written after what the end of the stream would write
    assert await shown(world, board.id) == {False}
    assert await events_of(world, start) == []


async def test_only_an_approved_agent_is_online_and_is_so_with_its_first_call(world: World) -> None:
    board, agent = await world.board(), await world.agent(approve=False)
    status = "/agents/bot/status"
    assert (await agent.get(status)).ok()["isOnline"] is False
    for verb in ("approve", "stop", "resume"):
        (await world.sa.patch(f"/agents/bot/{verb}")).ok()
        assert await shown(world, board.id) == {False}
        await agent.get(status)
        assert await shown(world, board.id) == {verb != "stop"}
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release"})).ok()
    (await agent.post("/agents/bot/offline")).ok()
    await agent.get(status)  # reads go on
    assert await shown(world, board.id) == {True}


async def test_a_key_that_acts_as_itself_and_an_agent_of_another_key_make_nobody_online(world: World) -> None:
    board, agent, script = await world.board(), await world.agent(), await world.script()
    (await agent.post("/agents/bot/offline")).ok()
    (await script.get(script.org("/cards/mcp"))).ok()
    named = await script.get(script.org("/cards/mcp"), headers={"X-Agent-Id": "bot"})
    named.refused(403, "agent_unknown")
    assert await shown(world, board.id) == {False}
