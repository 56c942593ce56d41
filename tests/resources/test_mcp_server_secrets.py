"""Secrets of tool servers: encrypted at rest, and still there after the secret of the service was rotated."""

import base64
import contextlib
import sqlite3
from typing import Any

import pytest

from service.config import Settings

from ..running import running
from ..world import SECRET, World
from .test_mcp_servers import HTTP, PATH, STDIO

TOKEN, VALUE = "token-that-nobody-may-read", "value-that-nobody-may-read"
FRESH, LATER = "fresh-secret-of-at-least-thirty-two-bytes", "later-secret-of-at-least-thirty-two-bytes"
BODIES: list[dict[str, Any]] = [
    {**HTTP, "name": "marker-http", "auth": {"kind": "bearer", "token": TOKEN}},
    {**STDIO, "name": "marker-stdio", "env": {"KEY": VALUE, "EMPTY": ""}},
]


def _rotated(settings: Settings, secret: str, previous: str | None = None) -> Settings:
    return settings.model_copy(update={"jwt_secret": secret, "jwt_secret_previous": previous})


async def _register(world: World) -> None:
    for body in BODIES:
        (await world.sa.post(PATH, body)).ok()


async def _secrets(world: World) -> tuple[Any, Any]:
    """Return token and environment as an agent gets them."""
    key = await world.script()
    http, stdio = (await key.get(f"{PATH}/mcp")).ok()
    return http["auth"]["token"], stdio["env"]


def _at_rest(settings: Settings) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(settings.data_path.rglob("*")) if path.is_file())


def _forms(secret: str) -> list[bytes]:
    """Return the secret as it is, and what base64 makes of it wherever it begins in a longer text."""
    encoded = [base64.b64encode(b"." * shift + secret.encode())[4:-4] for shift in range(3)]
    return [secret.encode(), secret.encode().hex().encode(), *encoded]


def _is_safe(stored: bytes) -> None:
    assert b"marker-http" in stored  # what is not secret can be found this way
    assert b"marker-stdio" in stored
    assert not [form for secret in (TOKEN, VALUE) for form in _forms(secret) if form in stored]


async def test_neither_tokens_nor_values_of_the_environment_are_readable_at_rest(settings: Settings) -> None:
    async with running(settings) as world:
        await _register(world)
        servers = (await world.sa.get(PATH)).ok()
        for server, change in zip(servers, ({"auth": BODIES[0]["auth"]}, {"env": BODIES[1]["env"]}), strict=True):
            (await world.sa.patch(f"{PATH}/{server['id']}", change)).ok()
        assert await _secrets(world) == (TOKEN, {"KEY": VALUE, "EMPTY": ""})
        live = _at_rest(settings)
    for stored in (live, _at_rest(settings)):
        _is_safe(stored)


async def test_two_servers_with_the_same_token_do_not_look_alike_at_rest(settings: Settings) -> None:
    async with running(settings) as world:
        for name in ("one", "two"):
            (await world.sa.post(PATH, {**BODIES[0], "name": name})).ok()
    with contextlib.closing(sqlite3.connect(settings.database)) as database:
        rows = database.execute("SELECT auth_token FROM mcp_servers").fetchall()
    assert len(rows) == len(set(rows)) == 2


async def test_the_previous_secret_still_decrypts_stored_secrets(settings: Settings) -> None:
    async with running(settings) as world:
        await _register(world)
    async with running(_rotated(settings, FRESH, SECRET)) as world:
        assert await _secrets(world) == (TOKEN, {"KEY": VALUE, "EMPTY": ""})


async def test_after_one_start_with_the_previous_secret_it_can_be_thrown_away(settings: Settings) -> None:
    async with running(settings) as world:
        await _register(world)
    async with running(_rotated(settings, FRESH, SECRET)):
        pass
    async with running(_rotated(settings, FRESH)) as world:
        assert await _secrets(world) == (TOKEN, {"KEY": VALUE, "EMPTY": ""})
    async with running(_rotated(settings, LATER, FRESH)) as world:
        assert await _secrets(world) == (TOKEN, {"KEY": VALUE, "EMPTY": ""})


async def test_a_rotation_leaves_no_readable_secret_behind(settings: Settings) -> None:
    async with running(settings) as world:
        await _register(world)
    async with running(_rotated(settings, FRESH, SECRET)):
        live = _at_rest(settings)
    for stored in (live, _at_rest(settings)):
        _is_safe(stored)


@pytest.mark.parametrize("previous", [None, LATER])
async def test_secrets_that_nothing_opens_any_more_are_null_and_can_be_set_again(
    settings: Settings, previous: str | None
) -> None:
    async with running(settings) as world:
        await _register(world)
    async with running(_rotated(settings, FRESH, previous)) as world:
        assert await _secrets(world) == (None, {"KEY": None, "EMPTY": None})
        http = (await world.sa.get(PATH)).ok()[0]["id"]
        (await world.sa.patch(f"{PATH}/{http}", {"auth": BODIES[0]["auth"]})).ok()
        assert (await _secrets(world))[0] == TOKEN


async def test_a_token_of_the_old_secret_signs_nobody_in_after_a_rotation(settings: Settings) -> None:
    async with running(settings) as world:
        token = world.sa.headers["Authorization"]
    async with running(_rotated(settings, FRESH, SECRET)) as world:
        stale = world.client({"Authorization": token})
        (await stale.get("/auth/me")).refused(401, "unauthorized")
        (await world.sa.get("/auth/me")).ok()
