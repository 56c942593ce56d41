"""Sessions at the tool server: a connection is a session by itself, and the bridge of each process is one."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from ..clients.test_stdio import talking as talking_stdio
from ..world import Client, World
from .talk import talking
from .test_jobs import Bridge

HEADER = "Mcp-Session-Id"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


async def post(agent: Client, message: Any, **headers: str) -> Any:
    """Send a message to the tool server and return the response with its JSON."""
    accepts = {"Accept": "application/json, text/event-stream"}
    async with agent.http.post(agent.base + "/mcp", json=message, headers=agent.headers | accepts | headers) as answer:
        return answer, await answer.json()


def whoami() -> Any:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}}


async def test_each_initialization_is_answered_with_a_session_of_its_own_and_nothing_else_is(world: World) -> None:
    agent = await world.agent()
    sessions = [(await post(agent, INITIALIZE))[0].headers[HEADER] for _ in range(2)]
    assert len(set(sessions)) == 2
    for message in (whoami(), {"jsonrpc": "2.0", "id": 1, "method": "ping"}):
        answer, _ = await post(agent, message, **{HEADER: sessions[0]})
        assert (answer.status, HEADER in answer.headers) == (200, False)


@pytest.mark.parametrize("name", ["mine", "x" * 64, "x" * 300])
async def test_any_session_is_taken_and_the_header_of_the_agent_counts_first(world: World, name: str) -> None:
    agent, card = await world.agent(), await world.card(await world.board())
    claim = {"name": "claim", "arguments": {"card": card["key"]}}
    message = whoami() | {"params": claim}
    await post(agent, message, **{HEADER: name})
    (held,) = (await agent.get("/agent/mcp")).ok()["claims"]
    assert held["session"] == name or len(name) > 64
    assert len(held["session"]) <= 64
    await post(agent, message, **{HEADER: name})  # the same session again
    (again,) = (await agent.get("/agent/mcp")).ok()["claims"]
    assert again["session"] == held["session"]
    claim["arguments"]["takeOver"] = True
    await post(agent, message, **{HEADER: name, "X-Agent-Session": "own"})
    (own,) = (await agent.get("/agent/mcp")).ok()["claims"]
    assert own["session"] == "own"


async def test_two_connections_of_one_agent_have_claims_of_their_own(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for number in range(2):
        await world.card(board, title=f"Card {number}")
    async with talking(agent, "legacy") as first, talking(agent, "legacy") as second:
        cards = [(await talk.ok("claim_next"))["card"] for talk in (first, second)]
        assert cards[0]["key"] != cards[1]["key"]
        assert cards[0]["claim"]["session"] != cards[1]["claim"]["session"]
        error = await second.error("move_card", "already_claimed", card=cards[0]["key"], to="In Progress")
        assert error["details"]["claim"]["sameAgent"] is True
        assert "takeOver" in error["message"]
        me = await second.ok("whoami")
        assert [claim["key"] for claim in me["claims"]] == [cards[1]["key"]]
        (other,) = me["otherClaims"]
        assert other.keys() == {"key", "title", "session", "renewedAt", "expiresAt"}
        assert (other["key"], other["session"]) == (cards[0]["key"], cards[0]["claim"]["session"])
        await second.ok("comment", card=cards[0]["key"], content="Seen")
        taken = await second.ok("claim", card=cards[0]["key"], takeOver=True)
        assert taken["card"]["claim"]["session"] == cards[1]["claim"]["session"]
        await second.ok("move_card", card=cards[0]["key"], to="In Progress")
        await first.refused("release", "already_claimed", card=cards[0]["key"])


async def test_a_lease_of_the_tools_is_a_quarter_of_an_hour_within_shown_bounds(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.card(board)
    async with talking(agent) as talk:
        for tool in (await talk.client.list_tools()).tools:
            if "leaseSeconds" in tool.input_schema["properties"]:
                shown = tool.input_schema["properties"]["leaseSeconds"]
                assert (shown["minimum"], shown["maximum"]) == (30, 3600)
                assert shown.get("default", 900) == 900
        await talk.ok("claim_next")
    (claim,) = (await agent.get("/agent/mcp")).ok()["claims"]
    world.clock.forward(890)
    assert (await world.sa.get(f"/cards/{claim['cardId']}")).ok()["claim"] is not None


async def test_two_bridges_of_one_agent_have_claims_of_their_own(world: World, tmp_path: Path) -> None:
    board, agent = await world.board(), await world.agent()
    for number in range(2):
        await world.card(board, title=f"Card {number}")
    async with talking_stdio(agent, tmp_path, "auto") as first, talking_stdio(agent, tmp_path, "auto") as second:
        mine, other = [(await talk.ok("claim_next"))["card"] for talk in (first, second)]
        assert mine["claim"]["session"] != other["claim"]["session"]
        await second.refused("update_card", "already_claimed", card=mine["key"], title="New")
        await second.ok("claim", card=mine["key"], takeOver=True)
        await first.refused("update_card", "already_claimed", card=mine["key"], title="New")  # with its former token
        await second.ok("update_card", card=mine["key"], title="New")


@pytest.mark.slow
async def test_the_claim_of_a_killed_process_ends_and_that_of_another_one_goes_on(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for number in range(2):
        await world.card(board, title=f"Card {number}")
    world.clock.forward(6 - 30)  # so that the bridges see leases of 6 seconds
    bridges = [await Bridge.start(agent) for _ in range(2)]
    dead, alive = [(await bridge.ok("claim_next", leaseSeconds=30))["card"]["key"] for bridge in bridges]
    await bridges[0].kill()
    world.clock.forward(12)  # a call renews a claim after a third of its lease
    await asyncio.sleep(4.5)  # the other one has renewed its claim
    world.clock.forward(16)
    assert (await world.sa.get(f"/cards/{dead}")).ok()["claim"] is None
    assert (await world.sa.get(f"/cards/{alive}")).ok()["claim"] is not None
    assert (await bridges[1].ok("claim_next"))["card"]["key"] == dead
    bridges[1].process.send_signal(signal.SIGTERM)
    await bridges[1].process.wait()
