"""/healthz and /readyz: whether the process answers, and whether it can do its work."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from service import config
from service.monitoring import health
from service.operations import first_start

from ..builders import database
from ..operations.test_first_start import GIVEN
from ..running import running, started
from ..world import SECRET, World

CHECKS = {"database", "commits", "files", "disk", "account"}


async def asked(world: World, path: str) -> tuple[int, dict[str, object]]:
    async with aiohttp.ClientSession() as http, http.get(world.url + path) as answer:
        return answer.status, await answer.json()


@pytest.fixture(autouse=True)
def _look_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "RESULT_VALID_SECONDS", 0.0)


async def test_a_service_that_runs_is_alive_and_ready(world: World) -> None:
    assert await asked(world, "/healthz") == (200, {"status": "ok"})
    assert await asked(world, "/readyz") == (200, {"status": "ready", "checks": dict.fromkeys(CHECKS, "ok")})


async def test_a_files_folder_that_is_gone_is_told_and_so_is_its_return(world: World) -> None:
    files = world.service.settings.files
    aside = files.with_name("aside")
    files.rename(aside)
    status, body = await asked(world, "/readyz")
    assert status == 503
    error = body["error"]
    assert isinstance(error, dict)
    assert error["code"] == "unavailable"
    assert error["details"]["checks"]["files"] != "ok"
    assert error["details"]["checks"]["database"] == "ok"
    assert str(files) not in str(body)
    assert (await asked(world, "/healthz"))[0] == 200
    aside.rename(files)
    assert (await asked(world, "/readyz"))[0] == 200


async def test_a_disk_with_less_than_the_set_space_is_told(settings: config.Settings) -> None:
    much = settings.model_copy(update={"disk_free_min_bytes": 1 << 50})
    async with running(much) as world:
        status, body = await asked(world, "/readyz")
    assert status == 503
    assert "disk_free_min_bytes" in str(body)


async def test_a_database_that_takes_no_writes_is_told_while_the_process_is_alive(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "CHECK_TIMEOUT_SECONDS", 0.3)
    with database(world) as other:
        other.execute("BEGIN IMMEDIATE")
        status, body = await asked(world, "/readyz")
        assert status == 503
        assert "database" in str(body["error"])
        assert (await asked(world, "/healthz"))[0] == 200
        other.execute("ROLLBACK")
    for _ in range(100):
        if (await asked(world, "/readyz"))[0] == 200:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the service never was ready again")


async def test_looks_within_a_second_are_one_look(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "RESULT_VALID_SECONDS", 60.0)
    await asked(world, "/readyz")
    before = world.service.store.stats.units
    for _ in range(20):
        assert (await asked(world, "/readyz"))[0] == 200
    assert world.service.store.stats.units <= before + 2  # others write a little by themselves


async def test_a_service_is_not_ready_and_takes_no_sign_in_before_its_first_account(tmp_path: Path) -> None:
    data = tmp_path / "data"
    environment = {"SERVICE_DATA_PATH": str(data), "SERVICE_JWT_SECRET": SECRET, **GIVEN}
    settings = config.prepare(config.load(environment=environment))
    credentials = {"email": GIVEN["SA_BOOTSTRAP_EMAIL"], "password": GIVEN["SA_BOOTSTRAP_PASSWORD"]}
    async with started(settings) as world, world.ctx():
        status, body = await asked(world, "/readyz")
        assert status == 503
        assert "account" in str(body["error"])
        refused = await world.nobody.post("/auth/login", credentials)
        refused.refused(503, "unavailable")
        assert int(refused.headers["Retry-After"]) > 0
        await first_start.create_first_user(world.service.store, settings)
        assert (await asked(world, "/readyz"))[0] == 200
        (await world.nobody.post("/auth/login", credentials)).ok()
        wrong = {**credentials, "email": "nobody@example.test"}
        (await world.nobody.post("/auth/login", wrong)).refused(401, "invalid_credentials")


async def test_a_task_that_commits_and_has_ended_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(world.service.store), "is_committing", property(lambda store: False))
    status, body = await asked(world, "/readyz")
    assert status == 503
    assert "commits" in str(body["error"])


async def test_readiness_leaves_nothing_behind(world: World) -> None:
    await asked(world, "/readyz")
    assert list((world.service.settings.files / ".temporary").iterdir()) == []


async def test_other_methods_are_refused_in_the_envelope(world: World) -> None:
    async with aiohttp.ClientSession() as http, http.post(world.url + "/healthz") as answer:
        assert answer.status == 405
        assert (await answer.json())["error"]["code"] == "method_not_allowed"
