"""Agents as architects handle them: approved, stopped, resumed, removed; and what an agent may know."""

import pytest

from ..world import Client, World


async def status(world: World, agent_id: str = "bot") -> str:
    rows = (await world.sa.get(world.sa.org("/agents"))).ok()
    return str(next(row["status"] for row in rows if row["id"] == agent_id))


async def bring_agent_to(world: World, state: str) -> Client:
    """Return an agent in a state."""
    agent = await world.agent(approve=state == "approved")
    if state == "stopped":
        (await world.sa.patch("/agents/bot/stop")).ok()
    return agent


TURNS = [
    ("pending", "approve", "approved"),
    ("approved", "approve", "approved"),
    ("pending", "stop", "stopped"),
    ("approved", "stop", "stopped"),
    ("stopped", "stop", "stopped"),
    ("stopped", "resume", "approved"),
]


@pytest.mark.parametrize(("before", "verb", "after"), TURNS)
async def test_an_architect_approves_stops_and_resumes_an_agent(
    world: World, before: str, verb: str, after: str
) -> None:
    agent = await bring_agent_to(world, before)
    turned = (await world.sa.patch(f"/agents/bot/{verb}")).ok()
    assert (turned["id"], turned["status"]) == ("bot", after)
    assert (await agent.get("/agents/bot/status")).ok()["status"] == after


@pytest.mark.parametrize(("before", "verb"), [("pending", "resume"), ("approved", "resume"), ("stopped", "approve")])
async def test_other_transitions_of_an_agents_state_are_refused(world: World, before: str, verb: str) -> None:
    await bring_agent_to(world, before)
    details = (await world.sa.patch(f"/agents/bot/{verb}")).refused(409, "conflict")
    assert details == {"state": before}
    assert await status(world) == before


@pytest.mark.parametrize("verb", ["approve", "stop", "resume"])
async def test_members_and_strangers_cannot_change_the_state_of_an_agent(world: World, verb: str) -> None:
    await bring_agent_to(world, "stopped" if verb == "resume" else "pending")
    before = await status(world)
    (await world.member.patch(f"/agents/bot/{verb}")).refused(403, "sa_required")
    (await world.outsider.patch(f"/agents/bot/{verb}")).refused(404, "not_found")
    (await world.sa.patch(f"/agents/nobody/{verb}")).refused(404, "not_found")
    assert await status(world) == before


async def test_an_approved_agent_comes_online_and_goes(world: World) -> None:
    agent = await world.agent()
    online = (await agent.post("/agents/bot/online")).ok()
    assert online["isOnline"] is True
    assert online["lastSeenAt"]
    assert (await agent.get("/agents/bot/status")).ok()["isOnline"] is True
    offline = (await agent.post("/agents/bot/offline")).ok()
    assert offline["isOnline"] is False
    assert offline["lastSeenAt"] >= online["lastSeenAt"]


@pytest.mark.parametrize("state", ["pending", "stopped"])
async def test_only_an_approved_agent_comes_online(world: World, state: str) -> None:
    agent = await bring_agent_to(world, state)
    code = "agent_not_approved" if state == "pending" else "agent_stopped"
    (await agent.post("/agents/bot/online")).refused(403, code)
    assert (await agent.post("/agents/bot/offline")).ok()["isOnline"] is False


async def test_a_stopped_agent_is_offline_and_stays_so_when_it_is_resumed(world: World) -> None:
    agent = await world.agent()
    (await agent.post("/agents/bot/online")).ok()
    assert (await world.sa.patch("/agents/bot/stop")).ok()["isOnline"] is False
    (await agent.get(agent.org("/agents/mcp"))).refused(403, "agent_stopped")
    assert (await world.sa.patch("/agents/bot/resume")).ok()["isOnline"] is False
    (await agent.get(agent.org("/agents/mcp"))).ok()


async def test_a_removed_agent_leaves_its_cards_unassigned_and_its_id_in_history(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, assignedAgentId="bot", by=agent)
    answer = await world.sa.delete("/agents/bot")
    assert (answer.status, answer.body) == (204, None)
    shown = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert (shown["assignedAgentId"], shown["createdBy"]["id"]) == (None, "bot")
    first, last = await world.history(card["id"])
    assert first["actor"] == {"type": "Agent", "id": "bot", "label": None}
    assert (last["action"], last["actor"]["id"]) == ("updated", world.sa.id)
    assert last["changes"] == {"assignedAgentId": {"from": "bot", "to": None}}
    assert (await world.sa.get(world.sa.org("/agents"))).ok() == []
    (await agent.get("/agents/bot/status")).refused(404, "not_found")
    (await world.sa.delete("/agents/bot")).refused(404, "not_found")


async def test_a_removed_agent_that_registers_again_has_to_be_approved_again(world: World) -> None:
    agent = await world.agent()
    (team,) = (await world.sa.get(world.sa.org("/teams"))).ok()
    (await world.sa.delete("/agents/bot")).ok()
    assert (await world.register(agent, team["id"], "bot"))["status"] == "pending"


async def test_only_an_architect_removes_an_agent(world: World) -> None:
    await world.agent()
    (await world.member.delete("/agents/bot")).refused(403, "sa_required")
    (await world.outsider.delete("/agents/bot")).refused(404, "not_found")
    assert await status(world) == "approved"


async def test_members_and_agents_see_all_agents_oldest_first(world: World) -> None:
    agent, other = await world.agent("b"), await world.agent("a", approve=False)
    assert other.secret != agent.secret
    rows = (await world.member.get(world.sa.org("/agents"))).ok()
    assert [row["id"] for row in rows] == ["b", "a"]
    assert (await agent.get(agent.org("/agents/mcp"))).ok() == rows
    assert (await world.outsider.get(world.outsider.org("/agents"))).ok() == []


async def test_the_list_can_be_narrowed_to_a_team_or_a_state(world: World) -> None:
    await world.agent("one")
    await world.agent("two", approve=False)
    path = world.sa.org("/agents")
    rows = (await world.sa.get(path)).ok()
    for row in rows:
        assert (await world.sa.get(path, params={"teamId": row["teamId"]})).ok() == [row]
        assert (await world.sa.get(path, params={"status": row["status"]})).ok() == [row]
    assert (await world.sa.get(path, params={"teamId": "nothing"})).invalid() == ["teamId"]
    (await world.sa.get(path, params={"status": "asleep"})).refused(400, "validation_failed")


async def test_an_agent_learns_what_the_columns_let_it_do(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.board(world.outsider)
    may = (await agent.get("/agents/bot/permissions")).ok()
    ids = board.columns
    assert sorted(may["canRead"]) == sorted(ids.values())
    assert sorted(may["canModerate"]) == sorted([ids["Todo"], ids["In Progress"]])
    edges = [("Todo", "In Progress"), ("In Progress", "Todo"), ("In Progress", "Review")]
    assert sorted(may["canTransition"]) == sorted(f"{ids[start]}->{ids[end]}" for start, end in edges)
    (await world.sa.patch(world.sa.org(f"/columns/{ids['Todo']}"), {"agentCanModerate": False})).ok()
    may = (await agent.get("/agents/bot/permissions")).ok()
    assert may["canModerate"] == [ids["In Progress"]]
    assert len(may["canRead"]) == 5
    assert f"{ids['Todo']}->{ids['In Progress']}" not in may["canTransition"]


@pytest.mark.parametrize("gone", ["column", "project"])
async def test_columns_that_are_gone_let_an_agent_do_nothing(world: World, gone: str) -> None:
    board, agent = await world.board(), await world.agent()
    if gone == "column":
        (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Todo']}"))).ok()
    else:
        (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    may = (await agent.get("/agents/bot/permissions")).ok()
    left = {"column": {*board.columns.values()} - {board.columns["Todo"]}, "project": set()}[gone]
    assert {*may["canRead"]} == left
    assert {*may["canModerate"]} == left & {board.columns["In Progress"]}
    edge = f"{board.columns['In Progress']}->{board.columns['Review']}"
    assert may["canTransition"] == ([edge] if gone == "column" else [])
    assert (await agent.get("/agents/bot/status")).ok()["agentPickupEnabled"] is (gone == "column")


async def test_an_agent_sees_its_organization(world: World) -> None:
    agent = await world.agent()
    home = (await world.sa.get(world.sa.org())).ok()
    expected = {key: home[key] for key in ("id", "title", "color")}
    assert (await agent.get("/agent/orgs")).ok() == [expected]
