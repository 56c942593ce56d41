"""Teams: made, listed, changed, archived and removed by architects."""

from typing import Any

import pytest

from ..bodies import LONG_TITLE, NO_LINE, NO_TEXT, get_refused_keys
from ..world import Client, World


async def create_team(world: World, architect: Client | None = None, **wishes: Any) -> dict[str, Any]:
    architect = architect or world.sa
    team: dict[str, Any] = (await architect.post(architect.org("/teams"), {"name": "Team", **wishes})).ok()
    return team


def path(world: World, team: dict[str, Any], rest: str = "") -> str:
    return world.sa.org(f"/teams/{team['id']}{rest}")


async def test_a_team_is_made_and_shown(world: World) -> None:
    team = await create_team(world, name="Night shift", onboardingDoc="# Welcome")
    assert team["id"].startswith("team_")
    shown = {key: team[key] for key in ("name", "onboardingDoc", "memberCount", "agentCount", "members", "agents")}
    assert shown == {
        "name": "Night shift",
        "onboardingDoc": "# Welcome",
        "memberCount": 0,
        "agentCount": 0,
        "members": [],
        "agents": [],
    }
    assert (await world.sa.get(path(world, team))).ok() == team


async def test_the_onboarding_document_is_optional(world: World) -> None:
    assert (await create_team(world))["onboardingDoc"] is None
    assert (await create_team(world, onboardingDoc=None))["onboardingDoc"] is None
    assert (await create_team(world, onboardingDoc=""))["onboardingDoc"] == ""


async def test_the_list_counts_members_and_agents_oldest_first(world: World) -> None:
    first, second = await create_team(world, name="First"), await create_team(world, name="Second")
    (await world.sa.post(path(world, first, "/members"), {"userId": world.member.id})).ok()
    key = await world.key()
    for agent_id in ("one", "two"):
        await world.register(key, second["id"], agent_id)
    rows = (await world.sa.get(world.sa.org("/teams"))).ok()
    counts = [(row["id"], row["name"], row["memberCount"], row["agentCount"]) for row in rows]
    assert counts == [(first["id"], "First", 1, 0), (second["id"], "Second", 0, 2)]
    assert (await world.outsider.get(world.outsider.org("/teams"))).ok() == []


async def test_a_team_shows_its_members_and_agents(world: World) -> None:
    team = await create_team(world)
    for user_id in (world.member.id, world.sa.id):
        (await world.sa.post(path(world, team, "/members"), {"userId": user_id})).ok()
    await world.register(await world.key(), team["id"], "bot")
    shown = (await world.sa.get(path(world, team))).ok()
    assert sorted(shown["members"], key=lambda row: row["email"]) == [
        {"id": world.member.id, "email": "member@example.test", "fullName": "Mo Member", "role": "Member"},
        {"id": world.sa.id, "email": "sa@example.test", "fullName": "Ada Architect", "role": "SolutionArchitect"},
    ]
    assert shown["agents"] == (await world.sa.get(world.sa.org("/agents"))).ok()
    assert (shown["memberCount"], shown["agentCount"]) == (2, 1)


@pytest.mark.parametrize("name", [*NO_LINE, LONG_TITLE])
async def test_a_name_is_one_line_of_text(world: World, name: Any) -> None:
    team = await create_team(world)
    assert get_refused_keys(await world.sa.post(world.sa.org("/teams"), {"name": name})) <= {"name", ""}
    assert get_refused_keys(await world.sa.patch(path(world, team), {"name": name})) <= {"name", ""}
    assert (await world.sa.get(world.sa.org("/teams"))).ok() == [
        {key: team[key] for key in team if key not in ("members", "agents")}
    ]


@pytest.mark.parametrize("document", [*NO_TEXT[1:], "x" * 100_001, "a\0b"])
async def test_an_onboarding_document_is_text_of_some_length(world: World, document: Any) -> None:
    team = await create_team(world, onboardingDoc="Stays")
    body = {"name": "T", "onboardingDoc": document}
    assert get_refused_keys(await world.sa.post(world.sa.org("/teams"), body)) <= {"onboardingDoc", ""}
    assert get_refused_keys(await world.sa.patch(path(world, team), {"onboardingDoc": document})) <= {
        "onboardingDoc",
        "",
    }
    assert get_refused_keys(await world.sa.patch(path(world, team, "/onboarding"), {"content": document})) <= {
        "content",
        "",
    }
    assert (await world.sa.get(path(world, team))).ok() == team


async def test_a_change_changes_what_it_names(world: World) -> None:
    team = await create_team(world, onboardingDoc="Old")
    assert (await world.sa.patch(path(world, team), {})).ok() == team
    renamed = (await world.sa.patch(path(world, team), {"name": "New"})).ok()
    assert renamed == team | {"name": "New"}
    cleared = (await world.sa.patch(path(world, team), {"onboardingDoc": None})).ok()
    assert cleared == team | {"name": "New", "onboardingDoc": None}
    assert (await world.sa.get(path(world, team))).ok() == cleared


async def test_the_document_alone_can_be_replaced(world: World) -> None:
    team = await create_team(world, onboardingDoc="Old")
    text = "Line\nline\t" + "é" * 50_000
    assert (await world.sa.patch(path(world, team, "/onboarding"), {"content": text})).ok() == team | {
        "onboardingDoc": text
    }
    assert get_refused_keys(await world.sa.patch(path(world, team, "/onboarding"), {"content": None})) == {"content"}
    assert get_refused_keys(await world.sa.patch(path(world, team, "/onboarding"), {"content": "x", "name": "y"})) == {
        "name"
    }
    assert (await world.sa.get(path(world, team))).ok()["onboardingDoc"] == text


async def test_a_member_joins_a_team_once(world: World) -> None:
    team = await create_team(world)
    for _ in range(2):
        shown = (await world.sa.post(path(world, team, "/members"), {"userId": world.member.id})).ok()
        assert [row["id"] for row in shown["members"]] == [world.member.id]
        assert shown["memberCount"] == 1


async def test_only_members_of_the_organization_join(world: World) -> None:
    team = await create_team(world)
    for user_id in (world.outsider.id, "nobody", *NO_TEXT, ""):
        assert get_refused_keys(await world.sa.post(path(world, team, "/members"), {"userId": user_id})) == {"userId"}
    assert (await world.sa.get(path(world, team))).ok() == team


async def test_a_member_leaves_a_team(world: World) -> None:
    team = await create_team(world)
    (await world.sa.post(path(world, team, "/members"), {"userId": world.member.id})).ok()
    leave = path(world, team, f"/members/{world.member.id}")
    assert (await world.sa.delete(leave)).status == 204
    assert (await world.sa.get(path(world, team))).ok() == team
    (await world.sa.delete(leave)).refused(404, "not_found")
    (await world.member.get(world.sa.org())).ok()


@pytest.mark.parametrize("query", ["", "?mode=archive"])
async def test_an_archived_team_is_gone_from_the_list_and_its_agents_work_on(world: World, query: str) -> None:
    team = await create_team(world)
    key = await world.key()
    await world.register(key, team["id"], "bot")
    (await world.sa.patch("/agents/bot/approve")).ok()
    assert (await world.sa.delete(path(world, team, query))).ok() == {"success": True}
    assert (await world.sa.get(world.sa.org("/teams"))).ok() == []
    (await world.sa.get(path(world, team))).refused(404, "not_found")
    (await world.sa.delete(path(world, team))).refused(404, "not_found")
    assert (await key.get("/agents/bot/status")).ok()["status"] == "approved"
    (await world.sa.get(world.sa.org())).ok()


async def test_removing_a_team_stops_its_agents_and_no_others(world: World) -> None:
    team, other, key = await create_team(world), await create_team(world, name="Other"), await world.key()
    for agent_id, home in (("one", team), ("two", team), ("three", other)):
        await world.register(key, home["id"], agent_id)
        (await world.sa.patch(f"/agents/{agent_id}/approve")).ok()
        (await key.post(f"/agents/{agent_id}/online")).ok()
    assert (await world.sa.delete(path(world, team, "?mode=permanent"))).ok() == {"success": True}
    agents = {row["id"]: row for row in (await world.sa.get(world.sa.org("/agents"))).ok()}
    for agent_id in ("one", "two"):
        row = agents[agent_id]
        assert (row["status"], row["isOnline"], row["teamId"]) == ("stopped", False, None)
        (await key.get(key.org("/agents/mcp"), headers={"X-Agent-Id": agent_id})).refused(403, "agent_stopped")
    assert (agents["three"]["status"], agents["three"]["isOnline"]) == ("approved", True)
    (await world.sa.get(path(world, team))).refused(404, "not_found")
    assert [row["id"] for row in (await world.sa.get(world.sa.org("/teams"))).ok()] == [other["id"]]


@pytest.mark.parametrize("query", ["?mode=", "?mode=gone", "?permanent=1"])
async def test_an_unknown_deletion_mode_removes_nothing(world: World, query: str) -> None:
    team = await create_team(world)
    get_refused_keys(await world.sa.delete(path(world, team, query)))
    assert (await world.sa.get(path(world, team))).ok() == team


async def test_a_team_of_another_organization_is_not_there(world: World) -> None:
    foreign = await create_team(world, world.outsider)
    assert (await world.sa.get(path(world, foreign))).refused(404, "not_found") == {"resource": "team"}
    (await world.sa.delete(path(world, foreign, "?mode=permanent"))).refused(404, "not_found")
    assert len((await world.outsider.get(world.outsider.org("/teams"))).ok()) == 1
