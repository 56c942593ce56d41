"""After a rotation of the secret, every encrypted value in every table is encrypted again."""

import asyncio
import contextlib
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from service.auth import reencryption
from service.auth.encryption import ENCRYPTED_COLUMNS, Encryptor
from service.config import Settings

from ..running import running
from ..world import SECRET, World

FRESH = "fresh-secret-of-at-least-thirty-two-bytes"
SERVER = {"name": "S", "transport": "stdio", "command": "run", "env": {"KEY": "value", "OTHER": "value"}}
TOKEN = {"name": "T", "transport": "http", "url": "https://tools.test", "auth": {"kind": "bearer", "token": "t"}}


def _rotated(settings: Settings, previous: str | None = None) -> Settings:
    return settings.model_copy(update={"jwt_secret": FRESH, "jwt_secret_previous": previous})


async def _with_secrets(world: World) -> None:
    """Have something of every kind sealed."""
    for body in (SERVER, TOKEN):
        server = (await world.sa.post("/mcp-servers", body)).ok()
        secret = {key: body[key] for key in ("env", "auth") if key in body}
        (await world.sa.patch(f"/mcp-servers/{server['id']}", secret)).ok()
    hook = (await world.sa.post("/webhooks", {"url": "https://hooks.test", "enabled": False})).ok()
    (await world.sa.patch(f"/webhooks/{hook['id']}", {"secret": "a-secret-that-is-long-enough"})).ok()
    (await world.sa.post("/organizations", {"title": "O"}, headers={"Idempotency-Key": "once"})).ok()


def _values(path: Path) -> dict[str, list[str]]:
    """Return all texts in a database by `table.column`."""
    found: dict[str, list[str]] = defaultdict(list)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            for row in database.execute(f"SELECT * FROM {table}"):
                for column in row.keys():  # noqa: SIM118
                    found[f"{table}.{column}"].append(str(row[column]))
    return found


async def test_a_text_lies_in_the_column_for_which_it_was_sealed_and_no_column_is_left_out(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, str]] = []
    seal = Encryptor.encrypt

    def noted(encryptor: Encryptor, column: str, *about: str) -> str:
        made.append((column, seal(encryptor, column, *about)))
        return made[-1][1]

    monkeypatch.setattr(Encryptor, "encrypt", noted)
    async with running(settings) as world:
        await _with_secrets(world)
    assert {column for column, _ in made} == ENCRYPTED_COLUMNS
    for column, values in _values(settings.database).items():
        here = {sealed for _, sealed in made if any(sealed in value for value in values)}
        assert here <= {sealed for name, sealed in made if name == column}, column
        assert bool(here) == (column in ENCRYPTED_COLUMNS), column


async def test_every_column_that_is_sealed_is_sealed_anew(settings: Settings) -> None:
    async with running(settings) as world:
        await _with_secrets(world)
    before = _values(settings.database)
    async with running(_rotated(settings, SECRET)):
        pass
    after = _values(settings.database)
    for column in ENCRYPTED_COLUMNS:
        assert not set(before[column]) & set(after[column]) - {"{}", "None"}, column


async def test_reencryption_uses_several_transactions(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reencryption, "SECONDS_PER_WRITE", 0)
    async with running(settings) as world:
        made = [world.sa.post("/mcp-servers", {**SERVER, "name": f"S{number}"}) for number in range(5)]
        await asyncio.gather(*made)
    async with running(_rotated(settings, SECRET)) as world:
        assert world.service is not None
        assert world.service.store.units_accepted > 5
    async with running(_rotated(settings)) as world:
        servers: list[dict[str, Any]] = (await (await world.script()).get("/mcp-servers/mcp")).ok()
        assert [server["env"] for server in servers] == [SERVER["env"]] * 5


def test_nothing_is_sealed_for_a_column_that_no_rotation_would_reach() -> None:
    with pytest.raises(ValueError, match=r"webhooks\.url"):
        Encryptor(SECRET).encrypt("webhooks.url", "text", "owner")
