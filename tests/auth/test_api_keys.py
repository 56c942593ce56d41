"""API keys as credentials: which are valid, and when they become invalid."""

import asyncio
from datetime import UTC, datetime, timedelta

from service.clock import timestamp

from ..direct_db import execute, rows
from ..world import Answer, Client, World


async def ask(key: Client) -> Answer:
    return await key.get("/agent/orgs")


def ended(answer: Answer, code: str) -> None:
    answer.refused(401, code)
    assert answer.headers["WWW-Authenticate"] == 'ApiKey realm="tandem"'


async def test_a_key_opens_the_routes_of_agents_under_both_words(world: World) -> None:
    key = await world.key()
    assert [row["id"] for row in (await ask(key)).ok()] == [world.sa.org_id]
    bearer = world.client({"Authorization": f"Bearer {key.secret}"})
    assert (await ask(bearer)).ok() == (await ask(key)).ok()


async def test_a_key_with_one_character_changed_is_no_key(world: World) -> None:
    key = await world.key()
    (await ask(key)).ok()
    for place in (-1, -20, -43, -44, 6, 0):
        secret = list(key.secret)
        secret[place] = "A" if secret[place] != "A" else "B"
        ended(await ask(world.client({"Authorization": f"ApiKey {''.join(secret)}"})), "unauthorized")


async def test_the_secret_of_one_key_does_not_fit_another(world: World) -> None:
    one, two = await world.key(), await world.key()
    mixed = one.secret[:-43] + two.secret[-43:]
    ended(await ask(world.client({"Authorization": f"ApiKey {mixed}"})), "unauthorized")


async def test_only_a_hash_of_the_key_is_stored(world: World) -> None:
    key = await world.key()
    (row,) = await rows(world, "SELECT * FROM api_keys WHERE id = :id", id=key.id)
    assert key.secret[-43:] not in " ".join(str(value) for value in row.values())


async def test_a_disabled_key_is_refused_at_once_and_works_again_when_enabled(world: World) -> None:
    key = await world.key()
    (await ask(key)).ok()
    (await world.sa.patch(f"/settings/api-keys/{key.id}", {"enabled": False})).ok()
    ended(await ask(key), "api_key_revoked")
    (await world.sa.patch(f"/settings/api-keys/{key.id}", {"enabled": True})).ok()
    (await ask(key)).ok()


async def test_a_removed_key_is_refused_at_once(world: World) -> None:
    key = await world.key()
    (await ask(key)).ok()
    (await world.sa.delete(f"/settings/api-keys/{key.id}")).ok()
    ended(await ask(key), "unauthorized")


async def test_a_rotated_key_is_refused_at_once_and_the_new_one_holds(world: World) -> None:
    key = await world.key()
    (await ask(key)).ok()
    fresh = (await world.sa.post(f"/settings/api-keys/{key.id}/rotate")).ok()
    ended(await ask(key), "unauthorized")
    (await ask(world.client({"Authorization": f"ApiKey {fresh['secret']}"}))).ok()


async def test_an_expired_key_is_refused_by_name(world: World) -> None:
    key = await world.key()
    (await ask(key)).ok()
    await execute(world, "UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = :id", id=key.id)
    ended(await ask(key), "api_key_expired")


async def test_a_key_ends_at_its_time_although_it_was_just_used(world: World) -> None:
    ends = datetime.now(UTC) + timedelta(seconds=0.3)
    key = await world.key(expiresAt=timestamp(ends))
    (await ask(key)).ok()
    await asyncio.sleep((ends - datetime.now(UTC)).total_seconds() + 0.01)
    ended(await ask(key), "api_key_expired")


async def test_a_revoked_key_says_so_even_after_its_time(world: World) -> None:
    key = await world.key()
    await execute(
        world, "UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z', enabled = 0 WHERE id = :id", id=key.id
    )
    ended(await ask(key), "api_key_revoked")


async def test_the_key_of_an_archived_organization_is_refused_at_once(world: World) -> None:
    key, stranger = await world.key(), await world.key(world.outsider)
    (await ask(key)).ok()
    (await world.sa.delete(world.sa.org())).ok()
    ended(await ask(key), "api_key_revoked")
    (await ask(stranger)).ok()


async def test_the_key_of_a_removed_organization_is_no_key(world: World) -> None:
    key = await world.key()
    (await ask(key)).ok()
    (await world.sa.delete(world.sa.org("?mode=permanent"))).ok()
    ended(await ask(key), "unauthorized")


async def test_the_keys_of_a_removed_team_are_revoked(world: World) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    key, other = await world.key(teamId=team["id"]), await world.key()
    (await ask(key)).ok()
    (await world.sa.delete(world.sa.org(f"/teams/{team['id']}?mode=permanent"))).ok()
    ended(await ask(key), "api_key_revoked")
    (await ask(other)).ok()


async def test_when_a_key_was_last_used_is_shown(world: World) -> None:
    key = await world.key()
    path = "/settings/api-keys"
    assert (await world.sa.get(path)).ok()[0]["lastUsedAt"] is None
    (await ask(key)).ok()
    (await world.sa.patch(f"{path}/{key.id}", {"name": "after the note was queued"})).ok()
    assert (await world.sa.get(path)).ok()[0]["lastUsedAt"]
