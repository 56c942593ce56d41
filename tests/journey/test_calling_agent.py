"""Which agent is calling: the four rules that turn a key into an actor."""

from typing import Any

import pytest

from ..world import Client, World


async def team(world: World, name: str = "Team") -> str:
    return str((await world.sa.post(world.sa.org("/teams"), {"name": name})).ok()["id"])


async def joined(world: World, key: Client, team_id: str, *agent_ids: str) -> None:
    """Register agents with a key and approve them."""
    for agent_id in agent_ids:
        await world.register(key, team_id, agent_id)
        (await world.sa.patch(f"/agents/{agent_id}/approve")).ok()


class Commenting:
    """A card to comment on; each comment says who the service took the caller for."""

    def __init__(self, card_id: str) -> None:
        self.path = f"/cards/{card_id}/comments/mcp"

    async def by(self, key: Client, agent_id: Any = None, **options: Any) -> Any:
        body = {"content": "Hello"} | ({} if agent_id is None else {"agentId": agent_id})
        return await key.post(self.path, body, **options)

    async def actor(self, key: Client, agent_id: Any = None, **options: Any) -> str:
        comment = (await self.by(key, agent_id, **options)).ok()
        assert comment["actor"] == {"type": "Agent", "id": comment["actor"]["id"], "label": None}
        return str(comment["actor"]["id"])


@pytest.fixture
async def commenting(world: World) -> Commenting:
    return Commenting((await world.card(await world.board()))["id"])


async def test_the_body_names_the_agent(world: World, commenting: Commenting) -> None:
    key = await world.key()
    await joined(world, key, await team(world), "one", "two")
    assert await commenting.actor(key, "one") == "one"
    assert await commenting.actor(key, "two") == "two"


async def test_the_header_names_the_agent_on_any_route(world: World, commenting: Commenting) -> None:
    key = await world.key()
    await joined(world, key, await team(world), "one", "two")
    assert await commenting.actor(key, headers={"X-Agent-Id": "two"}) == "two"
    (await key.get("/agent/orgs", headers={"X-Agent-Id": "two"})).ok()
    (await key.get("/agent/orgs", headers={"X-Agent-Id": "three"})).refused(403, "agent_unknown")


async def test_the_named_agent_is_the_actor_of_history_too(world: World) -> None:
    board, key = await world.board(), await world.key()
    await joined(world, key, await team(world), "one", "two")
    card = await world.card(board, by=key, agentId="one")
    path = f"/cards/{card['id']}/mcp"
    (await key.patch(path, {"title": "New", "agentId": "two"})).ok()
    (await key.patch(f"{path}/status", {"toColumnId": board.columns["In Progress"], "agentId": "one"})).ok()
    rows = await world.history(card["id"])
    assert [(row["action"], row["actor"]["id"]) for row in rows] == [
        ("created", "one"),
        ("updated", "two"),
        ("moved", "one"),
    ]
    assert card["createdBy"] == {"type": "Agent", "id": "one", "label": None}


@pytest.mark.parametrize("strange", ["nobody", "spy", "é", "x" * 500])
async def test_an_agent_that_is_not_of_the_organization_cannot_be_named(
    world: World, commenting: Commenting, strange: str
) -> None:
    key = await world.key()
    await joined(world, key, await team(world), "one")
    await world.agent("spy", world.outsider)
    (await commenting.by(key, strange)).refused(403, "agent_unknown")
    (await commenting.by(key, headers={"X-Agent-Id": strange})).refused(403, "agent_unknown")


@pytest.mark.parametrize("wrong", [1, True, ["one"], {"id": "one"}])
async def test_the_name_of_an_agent_is_a_string(world: World, commenting: Commenting, wrong: Any) -> None:
    key = await world.key()
    (field,) = (await commenting.by(key, wrong)).refused(400, "validation_failed")["fields"]
    assert field["path"] == "agentId"


async def test_a_key_of_a_team_names_only_agents_of_that_team(world: World, commenting: Commenting) -> None:
    home, away = await team(world, "Home"), await team(world, "Away")
    key = await world.key(teamId=home)
    await joined(world, key, home, "near")
    await joined(world, await world.key(), away, "far")
    assert await commenting.actor(key, "near") == "near"
    (await commenting.by(key, "far")).refused(403, "agent_unknown")
    (await key.get("/agents/far/status")).refused(404, "not_found")
    assert await commenting.actor(await world.key(), "far") == "far"


async def test_a_key_bound_to_an_agent_is_that_agent(world: World, commenting: Commenting) -> None:
    team_id, key = await team(world), await world.key(agentId="one")
    await joined(world, key, team_id, "one")
    await joined(world, await world.key(), team_id, "two")
    assert await commenting.actor(key) == "one"
    assert await commenting.actor(key, "one") == "one"


async def test_a_key_bound_to_an_agent_cannot_be_another(world: World, commenting: Commenting) -> None:
    team_id, key = await team(world), await world.key(agentId="one")
    await joined(world, key, team_id, "one")
    await joined(world, await world.key(), team_id, "two")
    (await commenting.by(key, "two")).refused(403, "agent_unknown")
    (await commenting.by(key, headers={"X-Agent-Id": "two"})).refused(403, "agent_unknown")
    for path in ("status", "permissions"):
        (await key.get(f"/agents/two/{path}")).refused(403, "agent_unknown")
    (await key.post("/agents/two/offline")).refused(403, "agent_unknown")


async def test_a_key_bound_to_an_agent_that_never_registered_is_nobody(world: World, commenting: Commenting) -> None:
    key = await world.key(agentId="later")
    (await commenting.by(key)).refused(403, "agent_unknown")
    await joined(world, key, await team(world), "later")
    assert await commenting.actor(key) == "later"


async def test_the_only_agent_that_registered_with_a_key_is_calling(world: World, commenting: Commenting) -> None:
    key = await world.key()
    await joined(world, key, await team(world), "only")
    assert await commenting.actor(key) == "only"


async def test_a_key_with_no_agent_or_with_several_acts_as_itself(world: World, commenting: Commenting) -> None:
    key = await world.key()
    assert await commenting.actor(key) == key.id
    await joined(world, key, await team(world), "one", "two")
    assert await commenting.actor(key) == key.id
    (await world.sa.delete("/agents/two")).ok()
    assert await commenting.actor(key) == "one"


async def test_a_named_agent_that_waits_or_was_stopped_is_refused(world: World, commenting: Commenting) -> None:
    team_id, key = await team(world), await world.key()
    await joined(world, key, team_id, "good", "stopped")
    await world.register(key, team_id, "waiting")
    (await world.sa.patch("/agents/stopped/stop")).ok()
    (await commenting.by(key, "waiting")).refused(403, "agent_not_approved")
    (await commenting.by(key, "stopped")).refused(403, "agent_stopped")
    (await commenting.by(key, headers={"X-Agent-Id": "stopped"})).refused(403, "agent_stopped")
    assert await commenting.actor(key, "good") == "good"


async def test_people_cannot_act_as_an_agent(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    await world.agent("bot")
    (field,) = (await world.sa.patch(f"/cards/{card['id']}", {"agentId": "bot"})).refused(400, "validation_failed")[
        "fields"
    ]
    assert field["path"] == "agentId"
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"}, headers={"X-Agent-Id": "bot"})).ok()
    assert (await world.history(card["id"]))[-1]["actor"]["id"] == world.sa.id


async def test_agents_of_which_none_may_work_do_not_get_by_without_a_name(world: World, commenting: Commenting) -> None:
    key, team_id = await world.key(), await team(world)
    await joined(world, key, team_id, "runaway")
    (await world.sa.patch("/agents/runaway/stop")).ok()
    (await commenting.by(key)).refused(403, "agent_stopped")
    await world.register(key, team_id, "alias")
    (await commenting.by(key)).refused(403, "agent_not_approved")
    (await world.sa.patch("/agents/alias/stop")).ok()
    (await commenting.by(key)).refused(403, "agent_stopped")
    (await world.sa.patch("/agents/alias/resume")).ok()
    assert await commenting.actor(key) == key.id


async def test_a_misspelt_key_is_told_that_the_agent_may_be_named(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    answer = await agent.post(f"/cards/{card['id']}/claim/mcp", {"agentid": "bot"})
    assert answer.invalid() == ["agentid"]
    message = answer.body["error"]["details"]["fields"][0]["message"]
    assert message == "unknown key; allowed here: leaseSeconds, agentId"
