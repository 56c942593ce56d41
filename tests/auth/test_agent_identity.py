"""Which agent is calling: the five rules that turn a key into an actor."""

from typing import Any

import pytest

from .. import walk
from ..direct_db import execute
from ..world import Client, World


async def team(world: World, name: str = "Team") -> str:
    return str((await world.sa.post(world.sa.org("/teams"), {"name": name})).ok()["id"])


async def register_agents(world: World, key: Client, team_id: str, *agent_ids: str) -> None:
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
        label = "key" if comment["actor"]["id"] == key.id else None
        assert comment["actor"] == {"type": "Agent", "id": comment["actor"]["id"], "label": label}
        return str(comment["actor"]["id"])


@pytest.fixture
async def commenting(world: World) -> Commenting:
    return Commenting((await world.card(await world.board()))["id"])


async def test_the_body_names_the_agent(world: World, commenting: Commenting) -> None:
    key = await world.key()
    await register_agents(world, key, await team(world), "one", "two")
    assert await commenting.actor(key, "one") == "one"
    assert await commenting.actor(key, "two") == "two"


async def test_the_header_names_the_agent_on_any_route(world: World, commenting: Commenting) -> None:
    key = await world.key()
    await register_agents(world, key, await team(world), "one", "two")
    assert await commenting.actor(key, headers={"X-Agent-Id": "two"}) == "two"
    (await key.get("/agent/orgs", headers={"X-Agent-Id": "two"})).ok()
    for path in ("/agent/orgs", "/agent/mcp", key.org("/agents/mcp")):
        (await key.get(path, headers={"X-Agent-Id": "three"})).refused(403, "agent_unknown")


async def test_the_named_agent_is_the_actor_of_history_too(world: World) -> None:
    board, key = await world.board(), await world.key()
    await register_agents(world, key, await team(world), "one", "two")
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
    await register_agents(world, key, await team(world), "one")
    await world.agent("spy", world.outsider)
    (await commenting.by(key, strange)).refused(403, "agent_unknown")
    (await commenting.by(key, headers={"X-Agent-Id": strange})).refused(403, "agent_unknown")


@pytest.mark.parametrize("wrong", [1, True, ["one"], {"id": "one"}])
async def test_the_name_of_an_agent_is_a_string(world: World, commenting: Commenting, wrong: Any) -> None:
    key = await world.key()
    (field,) = (await commenting.by(key, wrong)).refused(400, "validation_failed")["fields"]
    assert field["path"] == "agentId"


@pytest.mark.parametrize("state", ["pending", "approved", "stopped"])
async def test_nobody_speaks_in_the_name_of_an_agent_of_another_key(
    world: World, commenting: Commenting, state: str
) -> None:
    key, others = await world.key(), await world.key()
    team_id = await team(world)
    await register_agents(world, key, team_id, "mine")
    await world.register(others, team_id, "other")
    if state != "pending":
        (await world.sa.patch(f"/agents/other/{'approve' if state == 'approved' else 'stop'}")).ok()
    for who in (key, await world.key(), await world.script()):
        (await commenting.by(who, "other")).refused(403, "agent_unknown")
        (await commenting.by(who, headers={"X-Agent-Id": "other"})).refused(403, "agent_unknown")
        for name in ("other", "nobody"):  # alike, so that ids leak nothing
            (await who.get(f"/agents/{name}/status")).refused(404, "not_found")
    for name in ("other", "nobody"):
        for method, path in (("GET", "permissions"), ("POST", "online"), ("POST", "offline")):
            (await key.call(method, f"/agents/{name}/{path}")).refused(404, "not_found")


async def test_a_stopped_agent_cannot_continue_under_another_id(world: World) -> None:
    board, key, other = await world.board(), await world.key(), await world.agent("other")
    card = await world.card(board)
    (await other.post(f"/cards/{card['id']}/claim/mcp", {})).ok()
    await register_agents(world, key, await team(world), "runaway")
    (await world.sa.patch("/agents/runaway/stop")).ok()
    path = f"/cards/{card['id']}/mcp"
    (await key.get(path)).refused(403, "agent_stopped")
    (await key.get(path, headers={"X-Agent-Id": "other"})).refused(403, "agent_unknown")
    (await key.delete(f"/cards/{card['id']}/claim/mcp", json={"agentId": "other"})).refused(403, "agent_unknown")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"]["agentId"] == "other"


async def test_a_stopped_agent_that_is_removed_leaves_its_key_no_power(world: World, commenting: Commenting) -> None:
    key, team_id = await world.key(), await team(world)
    await register_agents(world, key, team_id, "bot")
    (await world.sa.patch("/agents/bot/stop")).ok()
    (await commenting.by(key)).refused(403, "agent_stopped")
    (await world.sa.delete("/agents/bot")).ok()
    (await commenting.by(key)).refused(403, "agent_not_registered")
    (await commenting.by(key, "bot")).refused(403, "agent_unknown")
    await world.register(key, team_id, "again")
    (await commenting.by(key)).refused(403, "agent_not_approved")


async def test_a_key_of_a_team_acts_only_for_agents_of_that_team(world: World, commenting: Commenting) -> None:
    home, away = await team(world, "Home"), await team(world, "Away")
    key = await world.key(teamId=home)
    await register_agents(world, key, home, "near")
    assert await commenting.actor(key, "near") == "near"
    await execute(world, "UPDATE agents SET team_id = :team_id WHERE id = 'near'", team_id=away)
    (await commenting.by(key, "near")).refused(403, "agent_unknown")
    (await commenting.by(key)).refused(403, "agent_not_registered")


async def test_a_key_bound_to_an_agent_is_that_agent(world: World, commenting: Commenting) -> None:
    team_id, key = await team(world), await world.key(agentId="one")
    await register_agents(world, key, team_id, "one")
    await register_agents(world, await world.key(), team_id, "two")
    assert await commenting.actor(key) == "one"
    assert await commenting.actor(key, "one") == "one"


async def test_a_key_bound_to_an_agent_cannot_be_another(world: World, commenting: Commenting) -> None:
    team_id, key = await team(world), await world.key(agentId="one")
    await register_agents(world, key, team_id, "one")
    await register_agents(world, await world.key(), team_id, "two")
    (await commenting.by(key, "two")).refused(403, "agent_unknown")
    (await commenting.by(key, headers={"X-Agent-Id": "two"})).refused(403, "agent_unknown")
    for path in ("status", "permissions"):
        (await key.get(f"/agents/two/{path}")).refused(403, "agent_unknown")
    (await key.post("/agents/two/offline")).refused(403, "agent_unknown")


async def test_the_agent_in_the_path_must_be_the_one_that_is_calling(world: World) -> None:
    team_id, key = await team(world), await world.key()
    await register_agents(world, key, team_id, "one")
    await register_agents(world, key, team_id, "two")
    routes = (("GET", "status"), ("GET", "permissions"), ("POST", "online"), ("POST", "offline"))
    for method, path in routes:
        (await key.call(method, f"/agents/one/{path}")).ok()
        (await key.call(method, f"/agents/one/{path}", headers={"X-Agent-Id": "one"})).ok()
        for name in ("two", "nobody"):
            headers = {"X-Agent-Id": name}
            (await key.call(method, f"/agents/one/{path}", headers=headers)).refused(403, "agent_unknown")
    (await key.post("/agents/one/online", {"agentId": "two"})).refused(403, "agent_unknown")


async def test_a_key_bound_to_an_agent_acts_for_it_whichever_key_registered_it(
    world: World, commenting: Commenting
) -> None:
    team_id, first = await team(world), await world.key()
    await register_agents(world, first, team_id, "one")
    bound = await world.key(agentId="one")
    assert await commenting.actor(bound) == "one"
    assert (await bound.post(f"/teams/{team_id}/agents/register", {"id": "one", "title": "One"})).ok()[
        "status"
    ] == "approved"
    assert await commenting.actor(first) == "one"
    (await world.sa.delete(f"/settings/api-keys/{first.id}")).ok()
    assert (await world.register(bound, team_id, "one"))["status"] == "approved"
    assert await commenting.actor(bound) == "one"


@pytest.mark.parametrize("acts_as_itself", [False, True])
async def test_a_key_bound_to_an_agent_that_never_registered_is_nobody(
    world: World, commenting: Commenting, acts_as_itself: bool
) -> None:
    key = await world.key(agentId="later", actsAsItself=acts_as_itself)
    (await commenting.by(key)).refused(403, "agent_not_registered")
    (await commenting.by(key, "later")).refused(403, "agent_not_registered")
    (await commenting.by(key, "other")).refused(403, "agent_unknown")
    (await key.get("/agents/later/status")).refused(404, "not_found")
    (await key.post("/agents/later/offline")).refused(403, "agent_not_registered")
    assert (await key.get("/agent/mcp")).ok()["agent"] is None
    await register_agents(world, key, await team(world), "later")
    assert await commenting.actor(key) == "later"


async def test_a_key_bound_to_an_id_is_that_agent_in_its_own_organization_only(
    world: World, commenting: Commenting
) -> None:
    here = await world.agent("one")
    bound = await world.key(world.outsider, agentId="one")  # of another organization, without such an agent
    (await bound.get("/agents/one/status")).refused(404, "not_found")
    (await bound.post("/agents/one/online")).refused(403, "agent_not_registered")
    assert (await bound.get("/agent/mcp")).ok()["agent"] is None
    (await commenting.by(bound)).refused(403, "agent_not_registered")
    (await commenting.by(bound, "one")).refused(403, "agent_not_registered")
    assert [row["id"] for row in (await bound.get("/agent/orgs")).ok()] == [world.outsider.org_id]
    teams = (await world.outsider.post(world.outsider.org("/teams"), {"name": "Team"})).ok()
    assert (await world.register(bound, teams["id"], "one"))["status"] == "pending"  # an agent of its own
    (await commenting.by(bound)).refused(403, "agent_not_approved")
    (await world.outsider.patch("/agents/one/approve")).ok()
    (await commenting.by(bound)).refused(404, "not_found")
    (await world.outsider.patch("/agents/one/stop")).ok()
    assert (await commenting.by(here)).ok()["actor"]["id"] == "one"
    assert (await here.get("/agents/one/status")).ok()["status"] == "approved"
    rows = (await world.sa.get(world.sa.org("/agents"))).ok()
    assert [(row["id"], row["status"], row["title"]) for row in rows] == [("one", "approved", "one")]


async def test_the_only_agent_that_registered_with_a_key_is_calling(world: World, commenting: Commenting) -> None:
    key = await world.key()
    await register_agents(world, key, await team(world), "only")
    assert await commenting.actor(key) == "only"


async def test_a_key_with_several_agents_has_to_say_which(world: World, commenting: Commenting) -> None:
    for key in (await world.key(), await world.script()):
        team_id = await team(world)
        one, two = f"{key.id[-5:]}-1", f"{key.id[-5:]}-2"
        await register_agents(world, key, team_id, one, two)
        (await commenting.by(key)).refused(403, "agent_unknown")
        assert (await key.get("/agent/mcp")).ok()["agent"] is None
        assert (await key.get("/agent/mcp", headers={"X-Agent-Id": two})).ok()["agent"]["id"] == two
        (await world.sa.delete(f"/agents/{two}")).ok()
        assert await commenting.actor(key) == one


async def test_a_key_acts_as_itself_only_if_an_architect_said_so(world: World, commenting: Commenting) -> None:
    key, script = await world.key(), await world.script()
    (await commenting.by(key)).refused(403, "agent_not_registered")
    assert await commenting.actor(script) == script.id
    assert await commenting.actor(script, headers={"X-Agent-Id": ""}) == script.id
    (await commenting.by(script, script.id)).refused(403, "agent_unknown")
    for who, acts in ((key, True), (script, False)):
        path = f"/settings/api-keys/{who.id}"
        assert (await world.sa.patch(path, {"actsAsItself": acts})).ok()["actsAsItself"] is acts
    assert await commenting.actor(key) == key.id
    (await commenting.by(script)).refused(403, "agent_not_registered")


async def test_a_key_whose_agent_registered_acts_as_that_agent_and_not_as_itself(
    world: World, commenting: Commenting
) -> None:
    script, team_id = await world.script(), await team(world)
    assert await commenting.actor(script) == script.id
    await world.register(script, team_id, "bot")
    (await commenting.by(script)).refused(403, "agent_not_approved")
    (await world.sa.patch("/agents/bot/approve")).ok()
    assert await commenting.actor(script) == "bot"


async def test_a_key_without_an_agent_may_register_poll_and_read_who_it_is(world: World) -> None:
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    key = await world.key()
    (await key.get("/agents/bot/status")).refused(404, "not_found")
    (await key.get(f"/teams/{ids['team_id']}/onboarding")).ok()
    assert [row["id"] for row in (await key.get("/agent/orgs")).ok()] == [world.sa.org_id]
    assert (await key.get("/agent/mcp")).ok() == {
        "keyId": key.id,
        "orgId": world.sa.org_id,
        "agent": None,
        "claims": [],
        "otherClaims": [],
        "openRequests": [],
        "openQuestions": [],
    }
    assert (await world.register(key, ids["team_id"], "new"))["status"] == "pending"


async def test_no_agent_takes_an_id_that_looks_like_that_of_a_key(world: World) -> None:
    key, team_id = await world.key(), await team(world)
    body = {"id": (await world.script()).id, "title": "Script"}
    assert (await key.post(f"/teams/{team_id}/agents/register", body)).invalid() == ["id"]
    wish = {"name": "key", "agentId": "key_x"}
    assert (await world.sa.post("/settings/api-keys", wish)).invalid() == ["agentId"]


@pytest.mark.parametrize("agent_id", ["me", "none", "system", "None", "usr_x", "key_x", "CARD_1", "ses_", "idn_01"])
async def test_no_new_agent_takes_a_word_of_filters_or_an_id_that_looks_like_one_of_the_service(
    world: World, agent_id: str
) -> None:
    key, team_id = await world.key(), await team(world)
    body, wish = {"id": agent_id, "title": "New"}, {"name": "key", "agentId": agent_id}
    assert (await key.post(f"/teams/{team_id}/agents/register", body)).invalid() == ["id"]
    assert (await world.sa.post("/settings/api-keys", wish)).invalid() == ["agentId"]
    assert (await world.sa.get(world.sa.org("/agents"))).ok() == []


@pytest.mark.parametrize("agent_id", ["men", "me-1", "card", "cards_1", "hook_1", "nobody"])
async def test_an_id_that_only_resembles_those_is_free(world: World, agent_id: str) -> None:
    key, team_id = await world.key(agentId=agent_id), await team(world)
    assert (await world.register(key, team_id, agent_id))["id"] == agent_id


async def test_an_agent_that_has_such_an_id_keeps_it(world: World) -> None:
    key, team_id = await world.key(), await team(world)
    await world.register(key, team_id, "old")
    await execute(world, "UPDATE agents SET id = 'me'")
    assert (await world.register(key, team_id, "me"))["status"] == "pending"
    assert (await world.key(agentId="me")).id


async def test_a_named_agent_that_waits_or_was_stopped_is_refused(world: World, commenting: Commenting) -> None:
    team_id, key = await team(world), await world.key()
    await register_agents(world, key, team_id, "good", "stopped")
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


async def test_a_misspelt_key_is_told_that_the_agent_may_be_named(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    answer = await agent.post(f"/cards/{card['id']}/claim/mcp", {"agentid": "bot"})
    assert answer.invalid() == ["agentid"]
    message = answer.body["error"]["details"]["fields"][0]["message"]
    assert message == "unknown key; allowed here: leaseSeconds, takeOver, agentId"
