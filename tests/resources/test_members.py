"""Members: who belongs to an organization, and in which role."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from .. import old_schemas
from ..bodies import LONG_TITLE, NO_LINE, NO_TEXT, get_refused_keys
from ..direct_db import execute
from ..running import running
from ..world import MEMBER, OUTSIDER, PASSWORD, SA, World

NEW = {"email": "New.Person@example.test", "role": "Member"}


def path(world: World, user_id: str = "") -> str:
    return world.sa.org("/members" + (f"/{user_id}" if user_id else ""))


async def emails(world: World) -> list[str]:
    return [row["email"] for row in (await world.sa.get(path(world))).ok()]


async def test_every_member_sees_the_members_oldest_first(world: World) -> None:
    (await world.sa.post(path(world), NEW | {"password": "a password"})).ok()
    rows = (await world.member.get(path(world))).ok()
    assert (await world.sa.get(path(world))).ok() == rows
    assert [row["email"] for row in rows] == [SA, MEMBER, NEW["email"]]
    assert {**rows[0], "createdAt": ""} == {
        "userId": world.sa.id,
        "email": SA,
        "fullName": "Ada Architect",
        "handle": "ada-architect",
        "role": "SolutionArchitect",
        "state": "active",
        "createdAt": "",
    }


async def test_somebody_new_signs_in_with_the_password_that_was_set(world: World) -> None:
    body = NEW | {"fullName": "New Person", "password": "a password"}
    made = (await world.sa.post(path(world), body)).ok()
    assert set(made) == {"userId", "email", "fullName", "handle", "role", "state", "createdAt"}
    assert (made["email"], made["fullName"], made["role"]) == (NEW["email"], "New Person", "Member")
    newcomer = await world.login(NEW["email"], "a password")
    assert (newcomer.id, newcomer.org_id) == (made["userId"], world.sa.org_id)


MANY_HANDLES = """
    INSERT INTO users (id, email, email_key, full_name, handle, password_hash, tokens_valid_from, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50002)
    SELECT 'usr_' || i, i || '@x', i || '@x', 'Sam', 'sam' || CASE i WHEN 1 THEN '' ELSE '-' || i END, '', '', '' FROM n
"""


async def test_the_first_free_number_of_a_handle_is_found_among_very_many(world: World) -> None:
    await execute(world, MANY_HANDLES)
    await execute(world, "DELETE FROM users WHERE handle = 'sam-41234'")
    handles = []
    for number in range(2):
        body = {"email": f"sam{number}@example.test", "fullName": "Sam", "role": "Member"}
        handles.append((await world.sa.post(path(world), body)).ok()["handle"])
    assert handles == ["sam-41234", "sam-50003"]


async def test_somebody_new_gets_a_handle_from_the_name_or_the_e_mail_address(world: World) -> None:
    people = [
        ("zoe@example.test", "Zoë  Ångström-Łuk.", "zoe-angstrom-luk"),
        ("zoe2@example.test", "ZOE ANGSTROM LUK", "zoe-angstrom-luk-2"),
        ("zoe3@example.test", "Zoe Angstrom_Luk", "zoe-angstrom-luk-3"),
        ("Hana.Kim+x@example.test", "김하나", "hana-kim-x"),
        ("日本@example.test", "日本", "user"),
        ("x@example.test", "X", "user-2"),  # too short
        ("all@example.test", "Me", "user-3"),  # reserved
        ("long@example.test", "Wolfeschlegelsteinhausenbergerdorff", "wolfeschlegelsteinhausen"),
        ("many@example.test", "a " * 250, "a-a-a-a-a-a-a-a-a-a-a-a"),
    ]
    for email, name, handle in people:
        body = {"email": email, "fullName": name, "role": "Member", "password": "a password"}
        assert (await world.sa.post(path(world), body)).ok()["handle"] == handle


async def test_without_a_password_one_is_made_and_shown_once(world: World) -> None:
    made = (await world.sa.post(path(world), NEW)).ok()
    password = made.pop("initialPassword")
    assert len(password) >= 12
    assert (await world.sa.get(path(world))).ok()[-1] == made
    newcomer = await world.login(NEW["email"], password)
    (await newcomer.get(world.sa.org())).ok()
    other = (await world.sa.post(path(world), NEW | {"email": "other@example.test"})).ok()
    assert other["initialPassword"] != password


async def test_a_newcomer_without_a_name_has_something_to_be_called_by(world: World) -> None:
    for email, name in (("a@example.test", {}), ("b@example.test", {"fullName": None})):
        made = (await world.sa.post(path(world), NEW | {"email": email, "password": "a password", **name})).ok()
        assert made["fullName"]


@pytest.mark.parametrize("email", [MEMBER, MEMBER.upper(), SA])
async def test_nobody_joins_twice(world: World, email: str) -> None:
    body = {"email": email, "role": "SolutionArchitect", "password": "another password"}
    (await world.sa.post(path(world), body)).refused(409, "email_exists")
    assert await emails(world) == [SA, MEMBER]
    (await world.member.patch(world.sa.org(), {"title": "Mine"})).refused(403, "sa_required")


async def test_of_two_that_add_somebody_at_once_one_is_told(world: World) -> None:
    body = NEW | {"password": "a password"}
    answers = await asyncio.gather(*[world.sa.post(path(world), body) for _ in range(2)])
    assert sorted(answer.status for answer in answers) == [200, 409]
    assert (await emails(world)).count(NEW["email"]) == 1


@pytest.mark.parametrize(
    "email", [*NO_TEXT, "", "no at", "a@b@c", "@example.test", "x@", "a b@c.test", "x@" + "y" * 254]
)
async def test_an_e_mail_has_the_form_of_one(world: World, email: Any) -> None:
    assert get_refused_keys(await world.sa.post(path(world), NEW | {"email": email})) == {"email"}
    assert await emails(world) == [SA, MEMBER]


@pytest.mark.parametrize("role", [*NO_TEXT, "", "SA", "member", "Admin"])
async def test_there_are_two_roles(world: World, role: Any) -> None:
    assert get_refused_keys(await world.sa.post(path(world), NEW | {"role": role})) == {"role"}
    assert get_refused_keys(await world.sa.patch(path(world, world.member.id), {"role": role})) == {"role"}
    (await world.member.patch(world.sa.org(), {"title": "Mine"})).refused(403, "sa_required")


@pytest.mark.parametrize("name", [*NO_LINE[1:], LONG_TITLE])
async def test_a_full_name_is_one_line_of_text(world: World, name: Any) -> None:
    assert get_refused_keys(await world.sa.post(path(world), NEW | {"fullName": name})) <= {"fullName", ""}


@pytest.mark.parametrize("password", [*NO_TEXT[1:], "", "7 bytes", "x" * 73, "é" * 37])
async def test_a_first_password_has_8_to_72_bytes(world: World, password: Any) -> None:
    assert get_refused_keys(await world.sa.post(path(world), NEW | {"password": password})) == {"password"}
    assert await emails(world) == [SA, MEMBER]


async def test_only_an_architect_adds_changes_and_removes_members(world: World) -> None:
    (await world.member.post(path(world), NEW)).refused(403, "sa_required")
    for user_id in (world.member.id, world.sa.id, "nobody"):
        (await world.member.patch(path(world, user_id), {"role": "Member"})).refused(403, "sa_required")
        (await world.member.delete(path(world, user_id))).refused(403, "sa_required")
    assert await emails(world) == [SA, MEMBER]


async def test_a_new_role_counts_from_the_next_request_on(world: World) -> None:
    for who, status in ((world.sa, 200), (world.member, 403)):  # reads, whose judgement is remembered
        assert (await who.get("/settings/api-keys")).status == status
    (await world.member.patch(world.sa.org(), {"title": "Mine"})).refused(403, "sa_required")
    promoted = (await world.sa.patch(path(world, world.member.id), {"role": "SolutionArchitect"})).ok()
    assert (promoted["userId"], promoted["role"]) == (world.member.id, "SolutionArchitect")
    (await world.member.patch(world.sa.org(), {"title": "Ours"})).ok()
    (await world.member.get("/settings/api-keys")).ok()
    (await world.member.patch(path(world, world.sa.id), {"role": "Member"})).ok()
    (await world.sa.get("/settings/api-keys")).refused(403, "sa_required")
    (await world.sa.patch(world.sa.org(), {"title": "Mine"})).refused(403, "sa_required")


async def test_a_role_that_is_not_sent_stays(world: World) -> None:
    for user_id in (world.sa.id, world.member.id):
        before = next(row for row in (await world.sa.get(path(world))).ok() if row["userId"] == user_id)
        assert (await world.sa.patch(path(world, user_id), {})).ok() == before


async def test_the_last_architect_cannot_be_demoted_or_removed(world: World) -> None:
    (await world.sa.patch(path(world, world.sa.id), {"role": "Member"})).refused(409, "last_sa")
    (await world.sa.delete(path(world, world.sa.id))).refused(409, "last_sa")
    (await world.sa.patch(path(world, world.sa.id), {"role": "SolutionArchitect"})).ok()
    (await world.sa.get("/settings/api-keys")).ok()


async def test_one_of_two_architects_can_go(world: World) -> None:
    (await world.sa.patch(path(world, world.member.id), {"role": "SolutionArchitect"})).ok()
    (await world.sa.delete(path(world, world.sa.id))).ok()
    (await world.member.patch(path(world, world.member.id), {"role": "Member"})).refused(409, "last_sa")


async def test_two_architects_who_demote_each_other_at_once_do_not_both_succeed(world: World) -> None:
    (await world.sa.patch(path(world, world.member.id), {"role": "SolutionArchitect"})).ok()
    answers = await asyncio.gather(
        world.sa.patch(path(world, world.member.id), {"role": "Member"}),
        world.member.patch(path(world, world.sa.id), {"role": "Member"}),
    )
    assert sorted(answer.status for answer in answers) in ([200, 403], [200, 409])
    roles = [row["role"] for row in (await world.sa.get(path(world))).ok()]
    assert sorted(roles) == ["Member", "SolutionArchitect"]


async def test_who_is_no_member_cannot_be_changed_or_removed(world: World) -> None:
    for user_id in (world.outsider.id, "nobody"):
        assert (await world.sa.patch(path(world, user_id), {})).refused(404, "not_found") == {"resource": "member"}
        assert (await world.sa.delete(path(world, user_id))).refused(404, "not_found") == {"resource": "member"}


async def sign_in(world: World, password: str) -> Any:
    """Return the answer to a sign-in of the member."""
    return await world.nobody.post("/auth/login", {"email": MEMBER, "password": password})


async def test_a_new_password_ends_all_sessions_and_the_person_sees_who_gave_it(world: World) -> None:
    elsewhere = await world.login(MEMBER)
    assert "passwordReset" not in (await sign_in(world, PASSWORD)).ok()
    answer = (await world.sa.post(path(world, f"{world.member.id}/password"))).ok()
    assert (answer["userId"], answer["email"]) == (world.member.id, MEMBER)
    for client in (world.member, elsewhere):
        (await client.get("/auth/me")).refused(401, "unauthorized")
    (await sign_in(world, PASSWORD)).refused(401, "invalid_credentials")
    told = (await sign_in(world, answer["initialPassword"])).ok()["passwordReset"]
    assert told == {"by": "Ada Architect", "at": told["at"]}
    assert told["at"].endswith("Z")
    (await world.sa.get("/auth/me")).ok()  # nobody else is signed out


async def test_whoever_chooses_a_password_of_their_own_is_no_longer_told_of_the_given_one(world: World) -> None:
    given = (await world.sa.post(path(world, f"{world.member.id}/password"))).ok()["initialPassword"]
    person = await world.login(MEMBER, given)
    body = {"currentPassword": given, "newPassword": "one of my own"}
    (await person.post("/settings/password", body)).ok()
    assert "passwordReset" not in (await sign_in(world, "one of my own")).ok()


async def test_an_architect_gives_no_password_to_oneself_or_to_an_account_of_others(world: World) -> None:
    refused = await world.sa.post(path(world, f"{world.sa.id}/password"))
    assert refused.refused(409, "conflict") == {"state": "self"}
    await world.join(world.sa, world.outsider, OUTSIDER)
    refused = await world.sa.post(path(world, f"{world.outsider.id}/password"))
    assert refused.refused(409, "conflict") == {"state": "shared"}
    (await world.outsider.get("/auth/me")).ok()
    (await world.sa.get("/auth/me")).ok()
    await world.login(OUTSIDER)


async def test_only_an_architect_gives_members_a_new_password(world: World) -> None:
    (await world.member.post(path(world, f"{world.sa.id}/password"))).refused(403, "sa_required")
    (await world.sa.post(path(world, "usr_unknown/password"))).refused(404, "not_found")
    (await world.sa.post(path(world, f"{world.outsider.id}/password"))).refused(404, "not_found")
    (await world.sa.post(path(world), {"email": OUTSIDER, "role": "Member"})).ok()
    (await world.sa.post(path(world, f"{world.outsider.id}/password"))).refused(404, "not_found")  # only invited
    await world.login(OUTSIDER)


async def test_accounts_from_before_the_upgrade_have_passwords_of_their_own(tmp_path: Path) -> None:
    async with running(old_schemas.settings_of(tmp_path / "data", 65)) as world:
        assert "passwordReset" not in (await sign_in(world, PASSWORD)).ok()
        given = (await world.sa.post(path(world, f"{world.member.id}/password"))).ok()["initialPassword"]
        assert (await sign_in(world, given)).ok()["passwordReset"]["by"]
