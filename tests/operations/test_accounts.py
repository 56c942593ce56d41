"""reset-password, create-admin and rotate-secret: beside a running service if allowed, and which sessions they end."""

import asyncio
import time
from pathlib import Path
from typing import NoReturn

import pytest

from service import config
from service.database.migrate import schema_version

from .. import old_schemas
from ..load import TOKEN, fill_organization, read_everything
from ..process import ServiceProcess, run
from ..streams import listening
from ..world import MEMBER, PASSWORD, SA, World

FRESH = "a fresh password"


async def command(folder: Path, *arguments: str) -> str:
    done = await asyncio.to_thread(run, *arguments, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


async def busy(world: World) -> NoReturn:
    """Ask all the time, so that the service has looked at its database just before whatever else happens."""
    while True:
        (await world.sa.get("/auth/me")).ok()


def password_in(said: str) -> str:
    return said.partition("Password (shown this once): ")[2].strip()


async def test_a_new_password_holds_at_once_and_ends_earlier_sign_ins_of_a_running_service(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        (await world.member.get("/auth/me")).ok()
        said = await command(tmp_path, "reset-password", MEMBER.upper())
        fresh = password_in(said)
        assert len(fresh) >= 12
        for _ in range(100):
            answer = await world.member.get("/auth/me")
            if answer.status == 401:
                break
            await asyncio.sleep(0.1)
        answer.refused(401, "unauthorized")
        old = {"email": MEMBER, "password": PASSWORD}
        (await world.nobody.post("/auth/login", old)).refused(401, "invalid_credentials")
        assert (await world.login(MEMBER, fresh)).id == world.member.id
        (await world.sa.get("/auth/me")).ok()  # nobody else's


async def test_a_new_password_ends_open_streams_and_the_sessions(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world, listening(world.member) as listener:
        await command(tmp_path, "reset-password", MEMBER)
        ended = time.monotonic()
        while await listener.message() is not None:
            pass
        assert time.monotonic() - ended < 3  # a second on a quiet machine; without being told, up to 15
        fresh = password_in(await command(tmp_path, "reset-password", MEMBER))
        renewed = await world.login(MEMBER, fresh)
        assert [row["current"] for row in (await renewed.get("/settings/sessions")).ok()] == [True]


def test_a_password_can_come_from_standard_input_and_is_then_not_shown(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    done = run("reset-password", MEMBER, "--password-stdin", folder=tmp_path, text=FRESH + "\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert FRESH not in done.stdout
    short = run("reset-password", MEMBER, "--password-stdin", folder=tmp_path, text="short\n")
    assert (short.returncode, short.stdout) == (2, "")
    assert "8" in short.stderr


def test_an_unknown_e_mail_and_a_missing_database_are_told(service_process: ServiceProcess, tmp_path: Path) -> None:
    unknown = run("reset-password", "nobody@example.test", folder=tmp_path)
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "nobody@example.test: no account has this e-mail" in unknown.stderr
    (tmp_path / "elsewhere").mkdir()
    missing = run("reset-password", MEMBER, folder=tmp_path / "elsewhere")
    assert missing.returncode == 2
    assert "no database" in missing.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


async def test_a_new_architect_can_sign_in_at_once_and_others_are_told(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        path = world.sa.org("/changes")
        since = (await world.sa.get(path)).ok()["next"]
        others = asyncio.create_task(busy(world))
        said = await command(tmp_path, "create-admin", "new@example.test", "--organization", world.sa.org_id)
        new = await world.login("new@example.test", password_in(said))
        others.cancel()
        members = {row["email"]: row["role"] for row in (await new.get(new.org("/members"))).ok()}
        assert members["new@example.test"] == "SolutionArchitect"
        changes = (await world.sa.get(path, params={"since": since, "wait": "5"})).ok()["items"]
        assert changes[-1]["type"] == "member.added"
        assert changes[-1]["actor"]["type"] == "System"


async def test_a_member_who_is_made_architect_may_act_as_one_in_a_running_service(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        (await world.member.patch(world.sa.org(""), {"title": "Mine"})).refused(403, "sa_required")
        said = await command(tmp_path, "create-admin", MEMBER, "--organization", world.sa.org_id)
        assert "Password" not in said  # theirs stays
        for _ in range(100):
            answer = await world.member.patch(world.sa.org(""), {"title": "Mine"})
            if answer.status == 200:
                break
            await asyncio.sleep(0.1)
        answer.ok()
        (await world.login(MEMBER, PASSWORD)).id  # noqa: B018


def test_without_a_name_the_only_organization_is_meant_and_several_are_listed(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    several = run("create-admin", "new@example.test", folder=tmp_path)
    assert (several.returncode, several.stdout) == (2, "")
    assert "(Home)" in several.stderr
    assert "(Other)" in several.stderr
    wrong = run("create-admin", "new@example.test", "--organization", "org_none", folder=tmp_path)
    assert wrong.returncode == 2
    assert run("create-admin", "no e-mail", folder=tmp_path).returncode == 2


def test_a_database_of_an_older_schema_is_left_alone(tmp_path: Path) -> None:
    old_schemas.settings_of(tmp_path / "data", schema_version() - 1)
    before = (tmp_path / "data" / "service.db").read_bytes()
    refused = run("reset-password", SA, folder=tmp_path)
    assert refused.returncode == 2
    assert "start the service once" in refused.stderr
    assert (tmp_path / "data" / "service.db").read_bytes() == before


@pytest.fixture
def with_a_secret_of_its_own(settings: config.Settings, tmp_path: Path) -> ServiceProcess:
    assert settings.data_path == tmp_path / "data"
    return ServiceProcess(tmp_path, {"SERVICE_RATE_LIMIT_LOGIN": "1000"})


async def test_another_secret_ends_sign_ins_and_loses_nothing_that_was_sealed(
    with_a_secret_of_its_own: ServiceProcess, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with with_a_secret_of_its_own as service:
        async with World(service.url) as world:
            loaded = await fill_organization(world)
            before = await read_everything(world, loaded)
            first = (data / "jwt-secret").read_text()
            said = await asyncio.to_thread(run, "rotate-secret", "--yes", folder=tmp_path)
            assert said.returncode == 0
            assert "Restart" in said.stderr
            again = await asyncio.to_thread(run, "rotate-secret", "--yes", folder=tmp_path)
            assert again.returncode == 2
            assert "the last rotation is not complete" in again.stderr
            (await world.sa.get("/auth/me")).ok()  # until the next start
        assert (data / "jwt-secret-previous").read_text() == first
        assert (data / "jwt-secret").stat().st_mode & 0o777 == 0o600
        service.stop()
        service.start()
        async with World(service.url) as fresh:
            (await fresh.client(world.sa.headers).get("/auth/me")).refused(401, "unauthorized")
            assert await read_everything(fresh, loaded) == before
        assert not (data / "jwt-secret-previous").exists()
        service.stop()
        service.start()
        async with World(service.url) as fresh:
            tools = (await read_everything(fresh, loaded))["tools"]
            assert tools[0]["auth"]["token"] == TOKEN
        assert first != (data / "jwt-secret").read_text()


def test_where_the_secret_is_a_setting_the_two_lines_are_printed(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    old = service_process.environment["SERVICE_JWT_SECRET"]
    said = run("rotate-secret", folder=tmp_path, environment={"SERVICE_JWT_SECRET": old})
    first, second = said.stdout.splitlines()
    name, _, value = first.partition("=")
    assert (name, len(value) >= 32, value != old) == ("SERVICE_JWT_SECRET", True, True)
    assert second == f"SERVICE_JWT_SECRET_PREVIOUS={old}"
    assert not (tmp_path / "data" / "jwt-secret-previous").exists()


def test_a_rotation_asks_before_everybody_is_signed_out(
    service_process: ServiceProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data" / "jwt-secret"
    path.write_text("s" * 40)
    refused = run("rotate-secret", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "everybody must sign in again" in refused.stderr
    assert "--yes" in refused.stderr
    monkeypatch.setattr("service.terminal.is_interactive", lambda: True)
    declined = run("rotate-secret", folder=tmp_path, text="no\n")
    assert declined.returncode == 1
    assert "Nothing was changed." in declined.stdout
    assert path.read_text() == "s" * 40
    assert run("rotate-secret", folder=tmp_path, text="yes\n").returncode == 0
    assert path.read_text() != "s" * 40
