"""Credentials: which headers and tokens are valid, and when they become invalid."""

import base64
import json
import time
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest

from service.auth import authentication
from service.clock import timestamp

from ..builders import database
from ..world import MEMBER, PASSWORD, SECRET, Client, World

# {} stands for a token, or for a key, that would hold.
MALFORMED = [
    *("", " ", "{}", "Bearer", "Bearer ", "Bearer  ", "Bearer{}", "Bearer,{}", "Bearer {} {}", "Bearer  {}"),
    *("Token {}", "BearerX {}", "Basic {}", "ApiKey {}", "Bearer é{}", "Bearer a.b.c", "Bearer " + "x" * 8000),
]
MALFORMED_KEYS = [
    *("{}", "ApiKey", "ApiKey ", "ApiKeyX {}", "Api-Key {}", "Token {}", "ApiKey {}x", "ApiKey x{}", "ApiKey  {}"),
    *("ApiKey é{}", "ApiKey tdm_", "ApiKey tdm__", "ApiKey tdm_x_" + "A" * 43, "ApiKey " + "x" * 8000, "Bearer x{}"),
]
OTHER_CLAIMS: list[dict[str, Any]] = [
    *({claim: None} for claim in ("exp", "iat", "sub", "iss", "aud")),
    *({"iss": "other"}, {"aud": "other"}, {"sub": "usr_nobody"}, {"sub": ""}, {"iat": 0}),
    *({claim: time.time() + 3600} for claim in ("iat", "nbf")),
]


def claims(world: World, **changes: Any) -> dict[str, Any]:
    """Return the claims of a token that would hold; a change to None leaves a claim out."""
    clock = time.time()
    all_of_them = {
        "sub": world.sa.id,
        "email": "sa@example.test",
        "role": "SolutionArchitect",
        "org_id": world.sa.org_id,
        "iat": clock,
        "exp": clock + 60,
        "iss": "tandem",
        "aud": "tandem",
    } | changes
    return {name: value for name, value in all_of_them.items() if value is not None}


def bearer(world: World, token: str) -> Client:
    return world.client({"Authorization": f"Bearer {token}"})


def signed(world: World, secret: str = SECRET, algorithm: str = "HS256", **changes: Any) -> Client:
    return bearer(world, jwt.encode(claims(world, **changes), secret, algorithm=algorithm))


def unpadded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


async def test_a_token_with_the_claims_of_the_contract_holds(world: World) -> None:
    assert (await signed(world).get("/auth/me")).ok()["id"] == world.sa.id


@pytest.mark.parametrize("header", MALFORMED)
async def test_a_malformed_header_is_refused(world: World, header: str) -> None:
    token = world.sa.headers["Authorization"].removeprefix("Bearer ")
    answer = await world.client({"Authorization": header.replace("{}", token)}).get("/auth/me")
    answer.refused(401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")


@pytest.mark.parametrize("header", MALFORMED_KEYS)
async def test_a_malformed_key_is_refused(world: World, header: str) -> None:
    key = await world.key()
    answer = await world.client({"Authorization": header.replace("{}", key.secret)}).get("/agent/orgs")
    answer.refused(401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("ApiKey ")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_the_word_of_a_scheme_is_read_in_any_case(world: World, scheme: str) -> None:
    token = world.sa.headers["Authorization"].removeprefix("Bearer ")
    (await world.client({"Authorization": f"{scheme} {token}"}).get("/auth/me")).ok()
    key = await world.key()
    (await world.client({"Authorization": f"{scheme} {key.secret}"}).get("/agent/orgs")).ok()
    (await world.client({"Authorization": f"apikey {key.secret}"}).get("/agent/orgs")).ok()


@pytest.mark.parametrize("changes", OTHER_CLAIMS)
async def test_a_token_with_other_claims_is_refused(world: World, changes: dict[str, Any]) -> None:
    answer = await signed(world, **changes).get("/auth/me")
    answer.refused(401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")


async def test_an_expired_token_is_refused_by_name(world: World) -> None:
    clock = time.time()
    answer = await signed(world, iat=clock - 7200, exp=clock - 3600).get("/auth/me")
    answer.refused(401, "token_expired")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")


async def test_an_expired_token_that_is_not_ours_is_just_refused(world: World) -> None:
    (await signed(world, "x" * 40, exp=time.time() - 3600).get("/auth/me")).refused(401, "unauthorized")


async def test_a_token_of_another_secret_or_algorithm_is_refused(world: World) -> None:
    (await signed(world, SECRET + "x").get("/auth/me")).refused(401, "unauthorized")
    for algorithm in ("HS384", "HS512"):
        (await signed(world, SECRET * 3, algorithm).get("/auth/me")).refused(401, "unauthorized")
        (await signed(world, SECRET * 2, algorithm).get("/auth/me")).refused(401, "unauthorized")


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", "HS256"])
async def test_a_token_without_a_signature_is_refused(world: World, algorithm: str) -> None:
    token = f"{unpadded({'alg': algorithm, 'typ': 'JWT'})}.{unpadded(claims(world))}."
    (await bearer(world, token).get("/auth/me")).refused(401, "unauthorized")


async def test_a_tampered_token_is_refused(world: World) -> None:
    header, payload, signature = world.member.headers["Authorization"].removeprefix("Bearer ").split(".")
    forged = unpadded(claims(world))
    other = "A" if signature[0] != "A" else "B"
    swapped, changed = f"{header}.{forged}.{signature}", f"{header}.{payload}.{other}{signature[1:]}"
    for token in (swapped, changed, f"{header}.{payload}"):
        (await bearer(world, token).get("/auth/me")).refused(401, "unauthorized")


async def test_the_role_in_the_token_counts_for_nothing(world: World) -> None:
    forged = signed(world, sub=world.member.id, role="SolutionArchitect")
    (await forged.patch(world.sa.org(), {"title": "Mine"})).refused(403, "sa_required")
    modest = signed(world, role="Member")
    (await modest.patch(world.sa.org(), {"title": "Ours"})).ok()


async def test_the_organization_in_the_token_gives_no_way_in(world: World) -> None:
    forged = signed(world, org_id=world.outsider.org_id)
    (await forged.get("/permissions")).refused(404, "not_found")
    (await signed(world, org_id=None).get("/permissions")).refused(404, "not_found")


async def test_a_password_change_ends_every_earlier_token_at_once(world: World) -> None:
    first, second = await world.login(MEMBER), await world.login(MEMBER)
    for session in (first, second, world.member):
        (await session.get("/auth/me")).ok()
    (await first.post("/settings/password", {"currentPassword": PASSWORD, "newPassword": "another one"})).ok()
    for session in (first, second, world.member):
        (await session.get("/auth/me")).refused(401, "unauthorized")
    fresh = await world.login(MEMBER, "another one")
    (await fresh.get("/auth/me")).ok()
    (await world.sa.get("/auth/me")).ok()


async def test_a_token_of_the_very_instant_of_a_password_change_has_ended_with_it(world: World) -> None:
    issued_at = time.time() - 0.1
    with database(world) as connection:
        moment = timestamp(datetime.fromtimestamp(issued_at, UTC))
        connection.execute("UPDATE users SET tokens_valid_from = ? WHERE id = ?", (moment, world.sa.id))
    await world.board(world.outsider)  # with a commit all is read anew
    (await signed(world, iat=issued_at).get("/auth/me")).refused(401, "unauthorized")
    (await signed(world, iat=issued_at + 0.05).get("/auth/me")).ok()


async def test_the_cache_of_credentials_is_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "CACHED_CREDENTIALS_MAX", 5)
    for life in range(60, 80):
        (await signed(world, exp=time.time() + life).get("/auth/me")).ok()
    assert world.service is not None
    assert len(world.service.authenticator._cache) <= 5


async def test_a_wrong_scheme_is_named_as_such_even_if_the_credential_would_not_hold_either(world: World) -> None:
    stale = signed(world, iat=time.time() - 7200, exp=time.time() - 3600)
    answer = await stale.get("/agent/orgs")
    answer.refused(401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("ApiKey ")
    assert "ApiKey <" in answer.body["error"]["message"]
    answer = await world.client({"Authorization": "ApiKey tdm_x_" + "A" * 43}).get("/auth/me")
    answer.refused(401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    assert "Bearer <" in answer.body["error"]["message"]
