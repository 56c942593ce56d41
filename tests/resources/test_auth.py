"""Signing in, switching the organization, and who one is."""

import time
from datetime import datetime
from typing import Any

import jwt
import pytest

from ..bodies import NO_TEXT, get_refused_keys
from ..world import MEMBER, OUTSIDER, PASSWORD, SA, SECRET, Client, World

HALF_A_DAY = 12 * 3600


async def second(world: World, title: str = "Second") -> str:
    """Make another organization of the SA's."""
    return str((await world.sa.post("/organizations", {"title": title})).ok()["id"])


def of(world: World, answer: dict[str, Any]) -> Client:
    return world.client({"Authorization": f"Bearer {answer['token']}"})


async def test_signing_in_gives_a_token_its_end_and_the_user(world: World) -> None:
    body = (await world.nobody.post("/auth/login", {"email": MEMBER, "password": PASSWORD})).ok()
    assert body["user"] == {
        "id": world.member.id,
        "email": MEMBER,
        "fullName": "Mo Member",
        "role": "Member",
        "orgId": world.member.org_id,
        "avatarUrl": None,
    }
    assert set(body) == {"token", "expiresAt", "user"}
    assert body["expiresAt"].endswith("Z")
    lasts = datetime.fromisoformat(body["expiresAt"]).timestamp() - time.time()
    assert lasts == pytest.approx(HALF_A_DAY, abs=60)
    assert (await of(world, body).get("/auth/me")).ok()["id"] == world.member.id


async def test_the_token_has_the_claims_of_the_contract(world: World) -> None:
    token = world.sa.headers["Authorization"].removeprefix("Bearer ")
    assert jwt.get_unverified_header(token)["alg"] == "HS256"
    claims = jwt.decode(token, SECRET, algorithms=["HS256"], options={"verify_aud": False})
    assert set(claims) == {"sub", "sid", "email", "role", "org_id", "iat", "exp", "iss", "aud"}
    assert (claims["sub"], claims["email"]) == (world.sa.id, SA)
    assert (claims["role"], claims["org_id"]) == ("SolutionArchitect", world.sa.org_id)
    assert claims["exp"] - claims["iat"] == pytest.approx(HALF_A_DAY)


@pytest.mark.parametrize("email", [SA.upper(), SA.title(), "sA@ExAmPlE.tEsT"])
async def test_the_case_of_an_e_mail_does_not_matter(world: World, email: str) -> None:
    body = (await world.nobody.post("/auth/login", {"email": email, "password": PASSWORD})).ok()
    assert body["user"]["email"] == SA


async def test_a_wrong_password_and_an_unknown_e_mail_are_answered_alike(world: World) -> None:
    errors = []
    for email, password in ((SA, "wrong password"), ("nobody@example.test", PASSWORD), ("no e-mail", "x")):
        answer = await world.nobody.post("/auth/login", {"email": email, "password": password})
        assert answer.refused(401, "invalid_credentials") == {}
        errors.append((answer.body["error"]["message"], answer.headers["WWW-Authenticate"]))
    assert len(set(errors)) == 1


@pytest.mark.parametrize("password", ["", " ", PASSWORD.upper(), PASSWORD + " ", PASSWORD + "x" * 100, "é" * 5000])
async def test_only_the_whole_password_matches(world: World, password: str) -> None:
    answer = await world.nobody.post("/auth/login", {"email": SA, "password": password})
    answer.refused(401, "invalid_credentials")


async def test_a_password_is_not_cut_where_bcrypt_stops_reading(world: World) -> None:
    longest = "p" * 72
    (await world.member.post("/settings/password", {"currentPassword": PASSWORD, "newPassword": longest})).ok()
    (await world.nobody.post("/auth/login", {"email": MEMBER, "password": longest})).ok()
    for wrong in (longest + "p", longest[:-1]):
        answer = await world.nobody.post("/auth/login", {"email": MEMBER, "password": wrong})
        answer.refused(401, "invalid_credentials")


@pytest.mark.parametrize("key", ["email", "password"])
@pytest.mark.parametrize("value", NO_TEXT)
async def test_e_mail_and_password_are_text(world: World, key: str, value: Any) -> None:
    body = {"email": SA, "password": PASSWORD} | {key: value}
    assert get_refused_keys(await world.nobody.post("/auth/login", body)) == {key}


async def test_signing_in_asks_for_no_credential_and_reads_none(world: World) -> None:
    for header in ("Bearer nonsense", "ApiKey nonsense", "é"):
        nobody = world.client({"Authorization": header})
        (await nobody.post("/auth/login", {"email": SA, "password": PASSWORD})).ok()


async def test_one_signs_in_to_the_oldest_organization_that_is_there(world: World) -> None:
    newer = await second(world)
    assert (await world.login(SA)).org_id == world.sa.org_id
    (await world.sa.delete(world.sa.org())).ok()
    assert (await world.login(SA)).org_id == newer


async def test_somebody_without_an_organization_can_sign_in_and_make_one(world: World) -> None:
    (await world.outsider.delete(world.outsider.org())).ok()
    body = (await world.nobody.post("/auth/login", {"email": OUTSIDER, "password": PASSWORD})).ok()
    assert (body["user"]["orgId"], body["user"]["role"]) == (None, None)
    lonely = of(world, body)
    assert (await lonely.get("/auth/me")).ok()["organizations"] == []
    (await lonely.get("/permissions")).refused(404, "not_found")
    made = (await lonely.post("/organizations", {"title": "Fresh"})).ok()
    assert (await world.login(OUTSIDER)).org_id == made["id"]


async def test_me_shows_the_caller_with_settings_and_organizations(world: World) -> None:
    newer = await second(world)
    assert (await world.sa.get("/auth/me")).ok() == {
        "id": world.sa.id,
        "email": SA,
        "fullName": "Ada Architect",
        "role": "SolutionArchitect",
        "orgId": world.sa.org_id,
        "avatarUrl": None,
        "handle": "ada-architect",
        "theme": "system",
        "timezone": "UTC",
        "organizations": [
            {"id": world.sa.org_id, "title": "Home", "role": "SolutionArchitect"},
            {"id": newer, "title": "Second", "role": "SolutionArchitect"},
        ],
    }


async def test_me_shows_the_role_of_now_not_that_of_the_token(world: World) -> None:
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()
    me = (await world.member.get("/auth/me")).ok()
    assert me["role"] == "SolutionArchitect"
    assert me["organizations"][0]["role"] == "SolutionArchitect"


async def test_switching_signs_in_to_another_organization_of_the_caller(world: World) -> None:
    newer = await second(world)
    answer = (await world.sa.post("/auth/switch", {"orgId": newer})).ok()
    assert set(answer) == {"token", "expiresAt", "user"}
    assert (answer["user"]["id"], answer["user"]["orgId"]) == (world.sa.id, newer)
    there = of(world, answer)
    (await there.post("/settings/api-keys", {"name": "There"})).ok()
    assert [key["name"] for key in (await there.get("/settings/api-keys")).ok()] == ["There"]
    assert (await world.sa.get("/settings/api-keys")).ok() == []


async def test_the_role_is_that_of_the_organization_switched_to(world: World) -> None:
    await world.join(world.outsider, world.sa, SA)
    answer = (await world.sa.post("/auth/switch", {"orgId": world.outsider.org_id})).ok()
    assert answer["user"]["role"] == "Member"
    there = of(world, answer)
    (await there.get("/permissions")).ok()
    (await there.get("/settings/api-keys")).refused(403, "sa_required")
    (await world.sa.get("/settings/api-keys")).ok()


async def test_the_header_names_the_organization_for_one_request(world: World) -> None:
    newer = await second(world)
    headers = {"X-Organization-Id": newer}
    (await world.sa.post("/settings/api-keys", {"name": "There"}, headers=headers)).ok()
    assert len((await world.sa.get("/settings/api-keys", headers=headers)).ok()) == 1
    assert (await world.sa.get("/settings/api-keys")).ok() == []


async def test_nobody_switches_to_an_organization_that_is_not_theirs(world: World) -> None:
    gone = await second(world)
    (await world.sa.delete(f"/organizations/{gone}")).ok()
    for org_id in (world.outsider.org_id, "nothing", gone):
        assert get_refused_keys(await world.sa.post("/auth/switch", {"orgId": org_id})) == {"orgId"}


@pytest.mark.parametrize("org_id", [*NO_TEXT, "", "x" * 201])
async def test_an_organization_is_named_by_its_id(world: World, org_id: Any) -> None:
    assert get_refused_keys(await world.sa.post("/auth/switch", {"orgId": org_id})) == {"orgId"}


async def test_signing_out_ends_every_token_of_the_person_and_of_nobody_else(world: World) -> None:
    here, there = await world.login(MEMBER), await world.login(MEMBER)
    answer = await here.post("/auth/logout")
    assert (answer.status, answer.body) == (204, None)
    for session in (here, there, world.member):
        (await session.get("/auth/me")).refused(401, "unauthorized")
    (await world.sa.get("/auth/me")).ok()
    (await (await world.login(MEMBER)).get("/auth/me")).ok()


async def test_signing_out_takes_an_empty_body_or_none(world: World) -> None:
    assert (await world.member.post("/auth/logout", {"everywhere": True})).invalid() == ["everywhere"]
    assert (await world.member.post("/auth/logout", {})).status == 204
    (await world.nobody.post("/auth/logout")).refused(401, "unauthorized")
