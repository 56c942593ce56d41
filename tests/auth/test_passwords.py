"""Passwords, API keys and tokens: only the right ones are accepted."""

import base64
import json
import time
from typing import Any

import jwt
import pytest
from pydantic import TypeAdapter, ValidationError

from service.auth import passwords, tokens
from service.errors import Unauthorized
from service.schemas import Password

from ..world import SECRET

TOKENS = tokens.Tokens(SECRET, 3600)


def claims(**changes: Any) -> dict[str, Any]:
    """Return the claims of a good token, changed; a claim changed to None is left out."""
    now = time.time()
    good = {"sub": "usr_1", "email": "a@b", "role": None, "org_id": None}
    stamps = {"iat": now, "exp": now + 3600, "iss": tokens.ISSUER, "aud": tokens.ISSUER}
    return {key: value for key, value in (good | stamps | changes).items() if value is not None}


async def test_a_password_matches_its_own_hash_only() -> None:
    stored = await passwords.hash_password("correct horse", "somebody")
    assert stored.startswith("$2b$12$")
    assert stored != await passwords.hash_password("correct horse", "somebody")
    assert await passwords.check_password("correct horse", stored, "somebody")
    for wrong in ("Correct horse", "correct horse ", "", "x" * 5000, "correct\0horse"):
        assert not await passwords.check_password(wrong, stored, "somebody")


async def test_a_missing_account_never_matches_a_password() -> None:
    for password in ("", "password", "correct horse"):
        assert not await passwords.check_password(password, None, "somebody")


async def test_a_longer_password_is_not_cut_to_one_that_matches() -> None:
    stored = await passwords.hash_password("x" * 72, "somebody")
    assert await passwords.check_password("x" * 72, stored, "somebody")
    assert not await passwords.check_password("x" * 73, stored, "somebody")


@pytest.mark.parametrize("password", ["12345678", "x" * 72, "é" * 36, "    spaces    "])
def test_a_password_of_8_to_72_bytes_is_taken(password: str) -> None:
    assert TypeAdapter(Password).validate_python(password) == password


@pytest.mark.parametrize("password", ["", "1234567", "x" * 73, "é" * 37])
def test_a_shorter_or_longer_password_is_refused(password: str) -> None:
    with pytest.raises(ValidationError, match="8 to 72 bytes"):
        TypeAdapter(Password).validate_python(password)


def test_a_made_password_is_one_that_is_taken_and_never_the_same() -> None:
    made = {passwords.new_password() for _ in range(100)}
    assert len(made) == 100
    assert all(TypeAdapter(Password).validate_python(password) for password in made)


def test_a_key_has_the_form_of_the_contract_and_its_id_reads_back() -> None:
    secrets = {passwords.new_key("key_01ABC") for _ in range(100)}
    assert len(secrets) == 100
    for secret in secrets:
        random = secret.removeprefix("tdm_key_01ABC_")
        assert len(random) == 43
        assert len(base64.urlsafe_b64decode(random + "=")) == 32
        assert passwords.parse_key_id(secret) == "key_01ABC"


@pytest.mark.parametrize("secret", ["", "tdm_", "tdm_key_1", "tdm_key_1_short", "sk_key_1_" + "x" * 43, "x" * 200])
def test_a_malformed_key_has_no_id(secret: str) -> None:
    assert not passwords.parse_key_id(secret)


def test_the_hash_of_a_key_is_its_sha_256() -> None:
    assert passwords.hash_key("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert passwords.is_same_secret("a", "a")
    assert not passwords.is_same_secret("a", "b")


async def test_a_token_carries_the_claims_of_the_contract() -> None:
    token, expires = TOKENS.issue("usr_1", "a@b", "Member", "org_1")
    found = await TOKENS.verify(token)
    assert found.keys() == {"sub", "email", "role", "org_id", "iat", "exp", "iss", "aud"}
    assert (found["sub"], found["email"], found["role"], found["org_id"]) == ("usr_1", "a@b", "Member", "org_1")
    assert found["exp"] == expires == pytest.approx(time.time() + 3600, abs=5)
    assert jwt.get_unverified_header(token)["alg"] == "HS256"


def signed(secret: str = SECRET, algorithm: str = "HS256", **changes: Any) -> str:
    return jwt.encode(claims(**changes), secret, algorithm=algorithm)


def unsigned() -> str:
    parts = ({"alg": "none", "typ": "JWT"}, claims())
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."


def tampered() -> str:
    head, _, signature = signed().split(".")
    body = base64.urlsafe_b64encode(json.dumps(claims(sub="usr_2")).encode()).rstrip(b"=").decode()
    return f"{head}.{body}.{signature}"


BAD = {
    "of another secret": signed("another-secret-of-at-least-thirty-two-bytes"),
    "of another algorithm": signed(SECRET * 2, "HS512"),
    "of another algorithm, same secret": signed(SECRET + "-" * 64, "HS384"),
    "unsigned": unsigned(),
    "tampered with": tampered(),
    "of another issuer": signed(iss="another"),
    "for another audience": signed(aud="another"),
    "for nobody": signed(aud=None),
    "without an issuer": signed(iss=None),
    "without an end": signed(exp=None),
    "without a beginning": signed(iat=None),
    "without a user": signed(sub=None),
    "empty": "",
    "no token": "nonsense",
    "three dots": "..",
    "not ASCII": "é.é.é",
}


@pytest.mark.parametrize("kind", BAD)
async def test_a_token_that_does_not_hold_is_refused(kind: str) -> None:
    assert (await TOKENS.verify(signed()))["sub"] == "usr_1"
    with pytest.raises(Unauthorized) as caught:
        await TOKENS.verify(BAD[kind])
    assert caught.value.code == "unauthorized"


async def test_an_expired_token_says_so() -> None:
    with pytest.raises(Unauthorized) as caught:
        await TOKENS.verify(signed(exp=time.time() - 1))
    assert caught.value.code == "token_expired"
