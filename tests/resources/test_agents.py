"""Agents: how they ask for their state, and look around."""

from service.journey.limits import Buckets

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
    for column in ("Todo", "In Progress"):
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
