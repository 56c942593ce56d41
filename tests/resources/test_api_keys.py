"""Agent keys as architects handle them; as credentials they are tested in tests/test_caller_keys.py."""

import re
from typing import Any

import pytest

from ..bodies import LONG_TITLE, NO_LINE, NO_TEXT, get_refused_keys
from ..world import World

PATH = "/settings/api-keys"
SHOWN = {"id", "name", "prefix", "teamId", "agentId", "actsAsItself", "enabled", "expiresAt", "lastUsedAt", "createdAt"}


async def create_key(world: World, **wishes: Any) -> dict[str, Any]:
    key: dict[str, Any] = (await world.sa.post(PATH, {"name": "Key", **wishes})).ok()
    return key


async def test_the_secret_is_in_the_answer_that_made_it_and_nowhere_else(world: World) -> None:
    key = await create_key(world)
    assert set(key) == SHOWN | {"secret"}
    assert re.fullmatch(rf"tdm_{key['id']}_[A-Za-z0-9_-]{{43}}", key["secret"])
    secret = key.pop("secret")
    assert (await world.sa.get(PATH)).ok() == [key]
    changed = (await world.sa.patch(f"{PATH}/{key['id']}", {"name": "New"})).ok()
    assert set(changed) == SHOWN
    assert secret.startswith(key["prefix"])
    assert len(key["prefix"]) < len(secret) - 32


async def test_a_key_starts_enabled_unbound_and_without_an_end(world: World) -> None:
    key = await create_key(world)
    assert (key["name"], key["enabled"]) == ("Key", True)
    assert [key[name] for name in ("teamId", "agentId", "expiresAt", "lastUsedAt")] == [None] * 4


async def test_no_two_keys_share_a_secret(world: World) -> None:
    secrets = {(await create_key(world))["secret"][-43:] for _ in range(5)}
    assert len(secrets) == 5


async def test_a_key_can_be_bound_to_a_team_and_an_agent(world: World) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    key = await create_key(world, teamId=team["id"], agentId="bot")
    assert (key["teamId"], key["agentId"]) == (team["id"], "bot")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2099-01-01T00:00:00Z", "2099-01-01T00:00:00.000Z"),
        ("2099-01-01T02:30:00.1234+02:30", "2099-01-01T00:00:00.123Z"),
        ("2099-01-01T00:00:00", "2099-01-01T00:00:00.000Z"),
        (None, None),
    ],
)
async def test_an_end_is_kept_in_utc(world: World, given: str | None, kept: str | None) -> None:
    assert (await create_key(world, expiresAt=given))["expiresAt"] == kept


@pytest.mark.parametrize("ends", [*NO_TEXT[1:], "", "tomorrow", "2020-01-01T00:00:00Z", "2099-13-01T00:00:00Z"])
async def test_an_end_is_a_moment_to_come(world: World, ends: Any) -> None:
    assert get_refused_keys(await world.sa.post(PATH, {"name": "Key", "expiresAt": ends})) == {"expiresAt"}
    assert (await world.sa.get(PATH)).ok() == []


@pytest.mark.parametrize("name", [*NO_LINE, LONG_TITLE])
async def test_a_name_is_one_line_of_text(world: World, name: Any) -> None:
    key = await create_key(world)
    assert get_refused_keys(await world.sa.post(PATH, {"name": name})) <= {"name", ""}
    assert get_refused_keys(await world.sa.patch(f"{PATH}/{key['id']}", {"name": name})) <= {"name", ""}
    assert [row["name"] for row in (await world.sa.get(PATH)).ok()] == ["Key"]


async def test_a_key_is_bound_only_to_a_team_that_is_there(world: World) -> None:
    foreign = (await world.outsider.post(world.outsider.org("/teams"), {"name": "Team"})).ok()
    gone = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    (await world.sa.delete(world.sa.org(f"/teams/{gone['id']}"))).ok()
    for team_id in (foreign["id"], gone["id"], "nothing", "", *NO_TEXT[1:]):
        assert get_refused_keys(await world.sa.post(PATH, {"name": "Key", "teamId": team_id})) == {"teamId"}


@pytest.mark.parametrize("agent_id", [*NO_TEXT[1:], "", "a b", "../x", "a..b", "-x", "x" * 129, "é", "a/b"])
async def test_a_key_is_bound_only_to_what_can_be_an_agents_id(world: World, agent_id: Any) -> None:
    assert get_refused_keys(await world.sa.post(PATH, {"name": "Key", "agentId": agent_id})) == {"agentId"}


async def test_the_list_shows_the_keys_of_the_current_organization_oldest_first(world: World) -> None:
    for name in ("B", "A"):
        await create_key(world, name=name)
    await world.key(world.outsider)
    assert [row["name"] for row in (await world.sa.get(PATH)).ok()] == ["B", "A"]
    assert [row["name"] for row in (await world.outsider.get(PATH)).ok()] == ["key"]


async def test_a_change_changes_what_it_names(world: World) -> None:
    key = await create_key(world)
    key.pop("secret")
    path = f"{PATH}/{key['id']}"
    assert (await world.sa.patch(path, {})).ok() == key
    assert (await world.sa.patch(path, {"enabled": False})).ok() == key | {"enabled": False}
    assert (await world.sa.patch(path, {"name": "New"})).ok() == key | {"enabled": False, "name": "New"}
    assert (await world.sa.get(PATH)).ok() == [key | {"enabled": False, "name": "New"}]


@pytest.mark.parametrize("enabled", [None, 0, 1, "true", "false", []])
async def test_a_key_is_enabled_or_not(world: World, enabled: Any) -> None:
    key = await create_key(world)
    assert get_refused_keys(await world.sa.patch(f"{PATH}/{key['id']}", {"enabled": enabled})) == {"enabled"}
    assert (await world.sa.get(PATH)).ok()[0]["enabled"] is True


@pytest.mark.parametrize("key", ["id", "secret", "hash", "teamId", "agentId", "expiresAt", "prefix"])
async def test_name_and_state_are_all_that_changes(world: World, key: str) -> None:
    one = await create_key(world)
    assert get_refused_keys(await world.sa.patch(f"{PATH}/{one['id']}", {key: "x"})) == {key}


async def test_a_rotated_key_stays_what_it_was_but_for_its_secret(world: World) -> None:
    old = await create_key(world, agentId="bot", expiresAt="2099-01-01T00:00:00Z")
    (await world.sa.patch(f"{PATH}/{old['id']}", {"enabled": False})).ok()
    fresh = (await world.sa.post(f"{PATH}/{old['id']}/rotate")).ok()
    assert fresh["secret"] != old["secret"]
    assert fresh["secret"].startswith(fresh["prefix"])
    same = SHOWN - {"prefix", "enabled"}
    assert {name: fresh[name] for name in same} == {name: old[name] for name in same}
    assert fresh["enabled"] is False


async def test_a_removed_key_is_gone(world: World) -> None:
    key = await create_key(world)
    answer = await world.sa.delete(f"{PATH}/{key['id']}")
    assert (answer.status, answer.body) == (204, None)
    assert (await world.sa.get(PATH)).ok() == []
    for answer in (
        await world.sa.delete(f"{PATH}/{key['id']}"),
        await world.sa.patch(f"{PATH}/{key['id']}", {"name": "New"}),
        await world.sa.post(f"{PATH}/{key['id']}/rotate"),
    ):
        answer.refused(404, "not_found")


async def test_a_key_of_another_organization_is_not_there(world: World) -> None:
    foreign = await world.key(world.outsider)
    (await world.sa.patch(f"{PATH}/{foreign.id}", {"enabled": False})).refused(404, "not_found")
    (await world.sa.post(f"{PATH}/{foreign.id}/rotate")).refused(404, "not_found")
    (await world.sa.delete(f"{PATH}/{foreign.id}")).refused(404, "not_found")
    (await foreign.get("/agent/orgs")).ok()


async def test_a_member_handles_no_keys(world: World) -> None:
    key = await create_key(world)
    for answer in (
        await world.member.get(PATH),
        await world.member.post(PATH, {"name": "Mine"}),
        await world.member.patch(f"{PATH}/{key['id']}", {"enabled": False}),
        await world.member.post(f"{PATH}/{key['id']}/rotate"),
        await world.member.delete(f"{PATH}/{key['id']}"),
    ):
        answer.refused(403, "sa_required")
    assert len((await world.sa.get(PATH)).ok()) == 1
