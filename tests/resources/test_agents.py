"""Agents: how they ask for their state, and look around."""

from service.http.rate_limits import Buckets
from service.resources import refusals

from ..world import World


async def test_an_agent_sees_its_state_while_it_waits_works_and_is_stopped(world: World) -> None:
    await world.board()
    agent = await world.agent(approve=False)
    path = "/agents/bot/status"
    status = (await agent.get(path)).ok()
    assert set(status) == {"status", "isOnline", "lastSeenAt", "agentPickupEnabled"}
    assert (status["status"], status["isOnline"], status["agentPickupEnabled"]) == ("pending", False, False)
    (await world.sa.patch("/agents/bot/approve")).ok()
    status = (await agent.get(path)).ok()
    assert (status["status"], status["agentPickupEnabled"]) == ("approved", True)
    (await world.sa.patch("/agents/bot/stop")).ok()
    status = (await agent.get(path)).ok()
    assert (status["status"], status["agentPickupEnabled"]) == ("stopped", False)


async def test_pickup_is_shown_only_if_some_active_column_has_it_on(world: World) -> None:
    agent = await world.agent()
    foreign = await world.board(world.outsider)
    assert (await agent.get("/agents/bot/status")).ok()["agentPickupEnabled"] is False
    board = await world.board()
    for column in ("Todo", "In Progress", "Review"):
        assert (await agent.get("/agents/bot/status")).ok()["agentPickupEnabled"] is True
        path = world.sa.org(f"/columns/{board.columns[column]}")
        (await world.sa.patch(path, {"agentPickupEnabled": False})).ok()
    assert (await agent.get("/agents/bot/status")).ok()["agentPickupEnabled"] is False
    assert foreign.columns


async def test_an_agent_may_ask_sixty_times_a_minute_with_one_key(world: World) -> None:
    agent, other = await world.agent("one"), await world.agent("two")
    now = 1_000_000.0
    assert world.service is not None
    world.service.buckets = Buckets(lambda: now)
    for left in range(59, -1, -1):
        answer = await agent.get("/agents/one/status")
        answer.ok()
        assert answer.headers["X-RateLimit-Limit"] == "60"
        assert answer.headers["X-RateLimit-Remaining"] == str(left)
        assert answer.headers["X-RateLimit-Reset"] == str(1_000_000 + 60 - left)
    refused = await agent.get("/agents/one/status")
    refused.refused(429, "rate_limited")
    assert refused.headers["Retry-After"] == "1"
    (await agent.get("/agents/one/permissions")).ok()
    (await other.get("/agents/two/status")).ok()
    now += 1
    (await agent.get("/agents/one/status")).ok()


async def test_the_list_of_agents_tells_what_each_has_in_hand(world: World) -> None:
    board = await world.board()
    agent, idle = await world.agent(), await world.agent("idle")
    mine = await world.card(board, title="In hand", assignedAgentId="bot")
    done = await world.card(board, "Done", assignedAgentId="bot")
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    asked = await world.card(board, "Review", assignedAgentId="bot")
    (await agent.post(f"/cards/{mine['id']}/claim/mcp", {"leaseSeconds": 60})).ok()
    (await agent.post(f"/cards/{asked['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    for _ in range(3):
        (await agent.patch(f"/cards/{mine['id']}/mcp/status", {"toColumnId": done["columnId"]})).refused(
            400, "transition_not_allowed"
        )
    assert world.service is not None
    await refusals.store_refusals(world.service)
    rows = (await world.member.get(world.sa.org("/agents"), params={"include": "work"})).ok()
    busy, other = rows
    (claim,) = busy["claims"]
    assert (claim["cardKey"], claim["title"], claim["column"]) == (mine["key"], "In hand", "Todo")
    assert (busy["assigned"], busy["openRequests"], busy["refusals24h"], busy["teamName"]) == (2, 1, 3, "Team of bot")
    assert (other["id"], other["claims"], other["assigned"], other["refusals24h"]) == (idle.id, [], 0, 0)
    assert "claims" not in (await world.sa.get(world.sa.org("/agents"))).ok()[0]
    (await world.sa.patch("/agents/bot/stop")).ok()
    busy = (await world.sa.get(world.sa.org("/agents"), params={"include": "work", "status": "stopped"})).ok()[0]
    assert busy["claims"] == []
    assert busy["stoppedAt"] is not None
    (await world.outsider.get(world.sa.org("/agents"), params={"include": "work"})).refused(404, "not_found")
