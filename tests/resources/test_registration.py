"""Registration: how an agent makes itself known, under which id, and how many may wait."""

from typing import Any

import pytest

from ..bodies import LONG_TITLE, NO_LINE, NO_TEXT, get_refused_keys
from ..world import Client, World

TELEMETRY = {
    "machineName": "worker-1",
    "machineIp": "192.0.2.1",
    "llmVersion": "large 4",
    "email": "bot@example.test",
    "osName": "Linux",
    "osVersion": "6.1",
    "ramBytes": 64 << 30,
    "storageBytes": 0,
    "storageType": "SSD",
}
WRONG_IDS = [*NO_TEXT, "", "a b", "../etc", "a..b", "-x", ".x", "x" * 129, "é", "a/b", "a\0b", "a\n"]


async def team(world: World, architect: Client | None = None) -> str:
    architect = architect or world.sa
    return str((await architect.post(architect.org("/teams"), {"name": "Team"})).ok()["id"])


def register(team_id: str) -> str:
    return f"/teams/{team_id}/agents/register"


async def list_agents(world: World, **filters: str) -> list[Any]:
    rows: list[Any] = (await world.sa.get(world.sa.org("/agents"), params=filters)).ok()
    return rows


async def test_a_new_agent_waits_for_approval_with_all_it_said(world: World) -> None:
    team_id, key = await team(world), await world.key()
    made = (await key.post(register(team_id), {"id": "bot", "title": "Bot", **TELEMETRY})).ok()
    assert {name: made[name] for name in TELEMETRY} == TELEMETRY
    assert (made["id"], made["title"], made["teamId"]) == ("bot", "Bot", team_id)
    assert (made["status"], made["isOnline"]) == ("pending", False)
    assert set(made) == {"id", "title", "teamId", "status", "isOnline", "lastSeenAt", "createdAt"} | set(TELEMETRY)
    assert await list_agents(world) == [made]


async def test_telemetry_is_optional(world: World) -> None:
    team_id, key = await team(world), await world.key()
    made = (await key.post(register(team_id), {"id": "bot", "title": "Bot"})).ok()
    assert [made[name] for name in TELEMETRY] == [None] * len(TELEMETRY)
    nothing = dict.fromkeys(TELEMETRY)
    assert (await key.post(register(team_id), {"id": "two", "title": "Two", **nothing})).ok()["machineName"] is None


@pytest.mark.parametrize("status", ["pending", "approved", "stopped"])
async def test_registering_again_refreshes_the_telemetry_and_keeps_the_state(world: World, status: str) -> None:
    team_id, key = await team(world), await world.key()
    first = (await key.post(register(team_id), {"id": "bot", "title": "Bot", **TELEMETRY})).ok()
    if status != "pending":
        (await world.sa.patch(f"/agents/bot/{'approve' if status == 'approved' else 'stop'}")).ok()
    wanted = await team(world)
    again = (await key.post(register(wanted), {"id": "bot", "title": "New", "llmVersion": "large 5"})).ok()
    title, kept = ("New", wanted) if status == "pending" else ("Bot", team_id)  # people know an agent by both
    assert (again["status"], again["title"], again["llmVersion"]) == (status, title, "large 5")
    assert (again["teamId"], again["isOnline"]) == (kept, status == "approved")
    assert [(row["title"], row["teamId"]) for row in await list_agents(world)] == [(title, kept)]
    assert again["createdAt"] == first["createdAt"]
    assert len(await list_agents(world)) == 1


async def test_an_agent_whose_team_was_removed_joins_another_by_registering_again(world: World) -> None:
    team_id, key = await team(world), await world.key()
    (await key.post(register(team_id), {"id": "bot", "title": "Bot"})).ok()
    (await world.sa.patch("/agents/bot/approve")).ok()
    (await world.sa.delete(world.sa.org(f"/teams/{team_id}?mode=permanent"))).ok()
    (await world.sa.patch("/agents/bot/resume")).ok()
    other = await team(world)
    assert (await key.post(register(other), {"id": "bot", "title": "Bot"})).ok()["teamId"] == other


async def test_an_id_that_another_key_registered_is_taken(world: World) -> None:
    team_id, key = await team(world), await world.key()
    (await key.post(register(team_id), {"id": "bot", "title": "Bot"})).ok()
    (await world.sa.patch("/agents/bot/approve")).ok()
    other = await world.key()
    (await other.post(register(team_id), {"id": "bot", "title": "Thief"})).refused(409, "conflict")
    assert [(row["title"], row["status"]) for row in await list_agents(world)] == [("Bot", "approved")]


async def test_an_id_whose_key_is_gone_has_to_be_approved_again(world: World) -> None:
    team_id, key = await team(world), await world.key()
    (await key.post(register(team_id), {"id": "bot", "title": "Bot"})).ok()
    (await world.sa.patch("/agents/bot/approve")).ok()
    (await world.sa.delete(f"/settings/api-keys/{key.id}")).ok()
    again = (await (await world.key()).post(register(team_id), {"id": "bot", "title": "Bot"})).ok()
    assert again["status"] == "pending"


async def test_ids_are_unique_in_one_organization_only(world: World) -> None:
    for architect in (world.sa, world.outsider):
        key = await world.key(architect)
        (await key.post(register(await team(world, architect)), {"id": "bot", "title": architect.id})).ok()
    assert [row["title"] for row in await list_agents(world)] == [world.sa.id]
    (await world.sa.patch("/agents/bot/approve")).ok()
    (other,) = (await world.outsider.get(world.outsider.org("/agents"))).ok()
    assert (other["title"], other["status"]) == (world.outsider.id, "pending")


@pytest.mark.parametrize("agent_id", WRONG_IDS)
async def test_an_id_can_be_part_of_a_path(world: World, agent_id: Any) -> None:
    team_id, key = await team(world), await world.key()
    assert get_refused_keys(await key.post(register(team_id), {"id": agent_id, "title": "Bot"})) <= {"id", ""}
    assert await list_agents(world) == []


@pytest.mark.parametrize("agent_id", ["a", "0", "A-b_c.d:e@f", "x" * 128])
async def test_an_agent_chooses_its_id(world: World, agent_id: str) -> None:
    team_id, key = await team(world), await world.key()
    assert (await key.post(register(team_id), {"id": agent_id, "title": "Bot"})).ok()["id"] == agent_id
    assert (await key.get(f"/agents/{agent_id}/status")).ok()["status"] == "pending"


@pytest.mark.parametrize("title", [*NO_LINE, LONG_TITLE])
async def test_a_title_is_one_line_of_text(world: World, title: Any) -> None:
    team_id, key = await team(world), await world.key()
    assert get_refused_keys(await key.post(register(team_id), {"id": "bot", "title": title})) <= {"title", ""}


@pytest.mark.parametrize(
    ("name", "value"),
    [*((name, 7) for name in TELEMETRY if "Bytes" not in name), ("machineName", "x" * 501)]
    + [("ramBytes", value) for value in ("64", -1, 1.5, True, 2**63, 10**30)],
)
async def test_telemetry_has_its_kinds(world: World, name: str, value: Any) -> None:
    team_id, key = await team(world), await world.key()
    assert get_refused_keys(await key.post(register(team_id), {"id": "bot", "title": "Bot", name: value})) == {name}


async def test_a_key_of_one_team_registers_nobody_with_another(world: World) -> None:
    near, far = await team(world), await team(world)
    key = await world.key(teamId=near)
    (await key.post(register(far), {"id": "bot", "title": "Bot"})).refused(404, "not_found")
    (await key.post(register(near), {"id": "bot", "title": "Bot"})).ok()
    foreign = await team(world, world.outsider)
    (await (await world.key()).post(register(foreign), {"id": "spy", "title": "Spy"})).refused(404, "not_found")


async def test_a_key_of_one_agent_registers_no_other(world: World) -> None:
    team_id, key = await team(world), await world.key(agentId="bot")
    (await key.post(register(team_id), {"id": "other", "title": "Other"})).refused(403, "agent_unknown")
    (await key.post(register(team_id), {"id": "bot", "title": "Bot"})).ok()
    assert [row["id"] for row in await list_agents(world)] == ["bot"]


async def test_twenty_agents_of_a_key_may_wait_for_approval(world: World) -> None:
    team_id, key = await team(world), await world.key()
    for number in range(20):
        await world.register(key, team_id, f"bot-{number}")
    one_more = {"id": "one-more", "title": "One more"}
    answer = await key.post(register(team_id), one_more)
    assert answer.refused(409, "too_many_pending_agents") == {"limit": 20}
    assert len(await list_agents(world)) == 20
    await world.register(key, team_id, "bot-7")  # again, which makes no more of them
    await world.register(await world.key(), team_id, "of-another-key")
    (await world.sa.patch("/agents/bot-3/approve")).ok()
    (await key.post(register(team_id), one_more)).ok()
    (await key.post(register(team_id), {"id": "yet-another", "title": "T"})).refused(409, "too_many_pending_agents")
    (await world.sa.delete("/agents/bot-4")).ok()
    (await key.post(register(team_id), {"id": "yet-another", "title": "T"})).ok()
