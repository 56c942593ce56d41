"""A mention must mean one: no new handle is the id of an agent, and no new agent has the handle of a member."""

import pytest

from service.operations import accounts

from ..direct_db import execute
from ..world import MEMBER, OUTSIDER, Client, World

HANDLE = "mo-member"


async def team(world: World, architect: Client | None = None) -> str:
    """Make a team, and return the path at which its agents register."""
    architect = architect or world.sa
    made = (await architect.post(architect.org("/teams"), {"name": "Team"})).ok()
    return f"/teams/{made['id']}/agents/register"


@pytest.mark.parametrize("agent_id", ["builder", "Builder", "BUILDER"])
async def test_no_handle_is_the_id_of_an_agent_of_ones_organization(world: World, agent_id: str) -> None:
    await world.agent(agent_id)
    refused = await world.member.patch("/settings/profile", {"handle": "builder", "fullName": "X"})
    assert refused.refused(409, "handle_taken") == {}
    assert "agent" in refused.body["error"]["message"]
    me = (await world.member.get("/auth/me")).ok()
    assert (me["handle"], me["fullName"]) == (HANDLE, "Mo Member")
    (await world.member.patch("/settings/profile", {"handle": "builder-2"})).ok()


async def test_every_organization_of_the_person_counts_and_no_other(world: World) -> None:
    await world.agent("builder", world.outsider)
    (await world.sa.patch("/settings/profile", {"handle": "builder"})).ok()  # not an organization of theirs
    await world.agent("helper", world.outsider)
    await world.join(world.outsider, world.member, MEMBER)
    (await world.member.patch("/settings/profile", {"handle": "helper"})).refused(409, "handle_taken")


@pytest.mark.parametrize("agent_id", [HANDLE, "Mo-Member", "MO-MEMBER"])
async def test_no_new_agent_has_the_handle_of_a_member(world: World, agent_id: str) -> None:
    path, key = await team(world), await world.key()
    refused = await key.post(path, {"id": agent_id, "title": "Bot"})
    assert refused.refused(409, "handle_taken") == {}
    (await key.post(path, {"id": f"{agent_id}.bot", "title": "Bot"})).ok()
    bound = await world.sa.post("/settings/api-keys", {"name": "key", "agentId": agent_id})
    bound.refused(409, "handle_taken")
    assert [row["id"] for row in (await world.sa.get(world.sa.org("/agents"))).ok()] == [f"{agent_id}.bot"]


async def test_an_agent_may_have_the_handle_of_somebody_elsewhere(world: World) -> None:
    path, key = await team(world, world.outsider), await world.key(world.outsider)
    (await key.post(path, {"id": HANDLE, "title": "Bot"})).ok()


async def test_a_handle_equal_to_an_agent_id_does_not_prevent_joining(world: World) -> None:
    outsider = (await world.outsider.get("/auth/me")).ok()["handle"]
    agent = await world.agent(outsider)
    await world.join(world.sa, world.outsider, OUTSIDER)
    mine = await world.login(OUTSIDER)
    (await mine.patch("/settings/profile", {"handle": outsider, "fullName": "Oz"})).ok()  # unchanged
    teams = (await world.sa.get(world.sa.org("/teams"))).ok()
    again = {"id": outsider, "title": "Bot", "llmVersion": "2"}
    (await agent.post(f"/teams/{teams[0]['id']}/agents/register", again)).ok()
    (await world.sa.post("/settings/api-keys", {"name": "key", "agentId": outsider})).ok()


async def test_an_agent_whose_key_was_removed_keeps_its_id_under_a_new_key(world: World) -> None:
    agent = await world.agent("builder")
    await execute(world, "UPDATE users SET handle = 'builder' WHERE id = :id", id=world.member.id)  # from before
    keys = (await world.sa.get("/settings/api-keys")).ok()
    (await world.sa.delete(f"/settings/api-keys/{keys[0]['id']}")).ok()
    (await agent.get("/agent/mcp")).refused(401, "unauthorized")
    path, key = await team(world), await world.key()
    (await key.post(path, {"id": "builder", "title": "Bot"})).ok()


async def test_a_handle_that_the_service_makes_is_the_id_of_no_agent(world: World) -> None:
    for agent_id in ("zoe", "Zoe-2"):
        await world.agent(agent_id)
    body = {"email": "zoe@example.test", "fullName": "Zoë", "role": "Member", "password": "a password"}
    assert (await world.sa.post(world.sa.org("/members"), body)).ok()["handle"] == "zoe-3"
    assert world.service is not None
    accounts.create_admin(world.service.settings, "ZOE-2@example.test", world.sa.org_id, "a password")
    handles = [row["handle"] for row in (await world.sa.get(world.sa.org("/members"))).ok()]
    assert sorted(handles) == ["ada-architect", HANDLE, "zoe-2-2", "zoe-3"]
