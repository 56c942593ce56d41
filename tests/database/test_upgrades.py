"""Upgrades: today's program on the databases of every earlier version, and what an upgrade that fails leaves."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from service import config
from service.database import copies
from service.database.migrate import migrations, schema_version

from ..old_schemas import ROWS, settings_of
from ..process import COMMAND_TIMEOUT_SECONDS, RUN, ServiceProcess, bare_environment
from ..running import running
from ..snapshots import remove_volatile_parts, snapshot_of
from ..world import World

ROOT = RUN.parent
# Those in which something is written for the first time, so that each later migration meets it, and the last ones.
EARLIER = sorted({*ROWS, *range(schema_version() - 3, schema_version() + 1)})
SINCE_THE_SECOND = {"relationships", "prompts", "promptVersions", "files", "presets"}


async def exported(settings: config.Settings) -> dict[str, Any]:
    async with running(settings) as world:
        found = remove_volatile_parts(await snapshot_of(world.sa, includeFiles="true"))
    for file in found["files"]:
        del file["sha256"]  # which the service fills in some time after the start
    return found


@pytest.fixture(scope="module")
def todays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Provide the export of the same data written into today's schema."""
    return asyncio.run(exported(settings_of(tmp_path_factory.mktemp("today") / "data", schema_version())))


@pytest.mark.slow
@pytest.mark.parametrize("schema", EARLIER)
async def test_todays_program_exports_from_the_database_of_an_earlier_schema_what_was_in_it(
    tmp_path: Path, todays: Mapping[str, Any], schema: int
) -> None:
    settings = settings_of(tmp_path / "data", schema)
    found = await exported(settings)
    for key in todays:
        if schema > 1 or key not in SINCE_THE_SECOND:
            assert found[key] == todays[key], key
    assert copies.find_problems(settings.database) == []
    assert copies.get_schema_version(settings.database) == schema_version()
    assert found["cards"]
    assert found["history"]


@pytest.mark.slow
@pytest.mark.parametrize("schema", EARLIER)
async def test_the_work_goes_on_in_a_database_of_an_earlier_schema(tmp_path: Path, schema: int) -> None:
    async with running(settings_of(tmp_path / "data", schema)) as world:
        for card_id, members in (("card_1", [True, True]), ("card_2", [True, False])):
            cards = [(await who.get(f"/cards/{card_id}")).ok() for who in (world.sa, world.member)]
            assert [card["watching"] for card in cards] == members
            assert [card["mentions"] for card in cards] == [[], []]
        (await world.sa.patch("/cards/card_1", {"title": "Changed"})).ok()
        said = (
            await world.member.post("/cards/card_1/comments", {"content": "@ada-architect: after the upgrade"})
        ).ok()
        assert [mention["id"] for mention in said["mentions"]] == ["usr_sa"]
        assert [row["action"] for row in await world.history("card_1")] == [
            "created",
            "updated",
            "updated",
            "commented",
        ]
        found = (await world.sa.get(world.sa.org("/search"), params={"q": "upgrade"})).ok()
        assert found["total"] == 1
        key = (await world.sa.get("/cards/card_1")).ok()["key"]
        there = {"projectId": (await world.board(title="Elsewhere")).id}
        card_type = {"cardTypeId": (await world.sa.get(world.sa.org("/card-types"))).ok()[0]["id"]}
        assert (await world.sa.post("/cards/card_1/transfer", there | card_type)).ok()["key"] != key
        assert (await world.sa.get(f"/cards/{key}")).ok()["id"] == "card_1"


def checkout(folder: Path) -> Path:
    """Copy the program, as it is installed beside another version."""
    for name in ("service", "sql"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(RUN, folder / "run.py")
    return folder


class OtherVersion(ServiceProcess):
    """A service that another checkout runs."""

    def __init__(self, program: Path, folder: Path) -> None:
        super().__init__(folder, {"SERVICE_RATE_LIMIT_LOGIN": "1000"})
        self.run = program / "run.py"


def command(program: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(program / "run.py"), *arguments],
        cwd=folder,
        env=bare_environment() | {"SERVICE_PORT": "0"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_SECONDS,
        check=False,
    )


@pytest.mark.slow
async def test_after_an_upgrade_that_fails_the_old_version_runs_with_all_it_had(tmp_path: Path) -> None:
    before, after = checkout(tmp_path / "before"), checkout(tmp_path / "after")
    following = schema_version() + 1
    good, bad = (after / "sql" / "migrations" / f"{following + more:04}_next.sql" for more in (0, 1))
    good.write_text(f"BEGIN; CREATE TABLE more (id TEXT) STRICT; PRAGMA user_version = {following}; COMMIT;")
    bad.write_text(
        f"BEGIN; DROP TABLE comments; CREATE TABLE more (id TEXT); PRAGMA user_version = {following + 1}; COMMIT;"
    )
    folder = tmp_path / "work"
    folder.mkdir()
    settings_of(folder / "data", schema_version())
    with OtherVersion(before, folder) as service:
        async with World(service.url) as world:
            (await world.member.post("/cards/card_1/comments", {"content": "Kept"})).ok()
        assert service.stop() == 0
        failed = command(after, folder, "serve")
        assert failed.returncode == 2
        assert bad.name in failed.stderr
        assert "Traceback" not in failed.stderr
        assert copies.get_schema_version(folder / "data" / "service.db") == schema_version()
        service.start()
        async with World(service.url) as world:
            comments = (await world.sa.get("/cards/card_1/comments")).ok()
            assert [comment["content"] for comment in comments["items"]] == ["Hello", "Kept"]
        assert service.stop() == 0
    with closing(sqlite3.connect(folder / "data" / "service.db")) as database:
        assert database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'more'").fetchone() == (0,)


def test_migrations_are_numbered_without_gaps() -> None:
    assert [int(file.name[:4]) for file in migrations()] == list(range(1, schema_version() + 1))
