"""The secret of the service at the start: one that is lost is not replaced in silence."""

import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from ..process import ServiceProcess, run, run_process
from ..world import PASSWORD, SA, SECRET, World

FRESH = "fresh-secret-of-at-least-thirty-two-bytes"
HOOK = {"url": "https://hooks.test", "enabled": False}
SERVER = {"name": "S", "transport": "stdio", "command": "run", "env": {"KEY": "value"}}
ANY_PORT = {"SERVICE_PORT": "0"}


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[ServiceProcess]:
    """Provide a service that has made its secret by itself."""
    with ServiceProcess(tmp_path, {"SA_BOOTSTRAP_EMAIL": SA, "SA_BOOTSTRAP_PASSWORD": PASSWORD}) as process:
        yield process


async def as_architect(service: ServiceProcess, work: Callable[[World], Awaitable[None]]) -> None:
    world = World(service.url)
    async with world.ctx():
        world.sa = await world.login(SA)
        await work(world)


async def create_secrets(world: World) -> None:
    (await world.sa.post("/webhooks", HOOK)).ok()
    (await world.sa.post("/mcp-servers", SERVER)).ok()


async def lists_both_as_lost(world: World) -> None:
    lost = (await world.sa.get("/admin/lost-secrets")).ok()
    assert [row["type"] for row in lost] == ["webhook", "toolServer"]


async def lists_none_as_lost(world: World) -> None:
    assert (await world.sa.get("/admin/lost-secrets")).ok() == []


def start_refused(folder: Path, *arguments: str, **environment: str) -> str:
    """Return the line with which a start is refused."""
    ended = run_process("serve", *arguments, folder=folder, environment={**ANY_PORT, **environment})
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    return line


async def test_a_start_without_the_secret_of_stored_values_is_refused(
    installation: ServiceProcess, tmp_path: Path
) -> None:
    path = tmp_path / "data" / "jwt-secret"
    await as_architect(installation, create_secrets)
    installation.stop()
    kept = path.read_text()
    path.unlink()
    examined = run("doctor", folder=tmp_path, environment=ANY_PORT)
    assert examined.returncode == 1
    assert "jwt-secret: is missing" in examined.stdout
    line = start_refused(tmp_path)
    assert "data/jwt-secret: is missing" in line
    assert "--new-secret" in line
    assert not path.exists()
    path.write_text(kept)
    installation.start()
    await as_architect(installation, lists_none_as_lost)


@pytest.mark.parametrize("content", [None, FRESH.encode(), b"short", b"\xff" * 40])
async def test_a_new_secret_empties_what_nothing_decrypts(
    installation: ServiceProcess, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "data" / "jwt-secret"
    await as_architect(installation, create_secrets)
    installation.stop()
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    line = start_refused(tmp_path)
    assert str(Path("data/jwt-secret")) in line
    assert "--new-secret" in line
    installation.arguments = ("serve", "--new-secret")
    installation.start()
    assert "emptied the secrets of 2 webhooks and tool servers" in installation.log.read_text()
    assert (path.read_bytes() == content) == (content == FRESH.encode())  # one that could be right is kept
    await as_architect(installation, lists_both_as_lost)
    installation.stop()
    installation.arguments = ()
    installation.start()  # what was emptied stops no start
    await as_architect(installation, lists_both_as_lost)


async def test_a_new_secret_replaces_none_that_decrypts_something(installation: ServiceProcess, tmp_path: Path) -> None:
    path = tmp_path / "data" / "jwt-secret"
    await as_architect(installation, create_secrets)
    installation.stop()
    kept = path.read_text()
    installation.arguments = ("serve", "--new-secret")
    installation.start()
    assert path.read_text() == kept
    await as_architect(installation, lists_none_as_lost)


async def test_dead_values_beside_live_ones_stop_no_start(installation: ServiceProcess, tmp_path: Path) -> None:
    await as_architect(installation, create_secrets)
    installation.stop()
    kept = (tmp_path / "data" / "jwt-secret").read_text()
    installation.environment |= {"SERVICE_JWT_SECRET": FRESH, "SERVICE_JWT_SECRET_PREVIOUS": SECRET}
    line = start_refused(tmp_path, SERVICE_JWT_SECRET=FRESH, SERVICE_JWT_SECRET_PREVIOUS=SECRET)
    assert line.startswith("tandem: SERVICE_JWT_SECRET (jwt_secret): is another one")
    (tmp_path / "data" / "jwt-secret").unlink()
    installation.environment |= {"SERVICE_JWT_SECRET": kept}
    installation.start()
    installation.stop()
    installation.environment |= {"SERVICE_JWT_SECRET": FRESH}
    installation.arguments = ("serve", "--new-secret")
    installation.start()
    await as_architect(installation, create_more)
    installation.stop()
    installation.arguments = ()
    installation.start()
    await as_architect(installation, lists_both_as_lost)
    installation.stop()
    examined = run("doctor", folder=tmp_path, environment={**ANY_PORT, "SERVICE_JWT_SECRET": FRESH})
    assert "Traceback" not in examined.stderr


async def create_more(world: World) -> None:
    (await world.sa.post("/webhooks", {**HOOK, "url": "https://more.test"})).ok()


def test_a_start_that_makes_a_new_secret_beside_a_database_says_so(
    installation: ServiceProcess, tmp_path: Path
) -> None:
    installation.stop()
    (tmp_path / "data" / "jwt-secret").unlink()
    assert "everybody signs in again" not in installation.log.read_text()
    installation.start()
    assert "everybody signs in again" in installation.log.read_text()


@pytest.mark.parametrize("name", ["jwt-secret", "jwt-secret-previous"])
def test_a_secret_that_is_no_text_is_named_by_its_file(installation: ServiceProcess, tmp_path: Path, name: str) -> None:
    installation.stop()
    (tmp_path / "data" / name).write_bytes(os.urandom(8) + b"\xff\xfe" + os.urandom(40))
    assert f"{name}: is not text in UTF-8" in start_refused(tmp_path)
    for command in ("doctor", "rotate-secret") if name == "jwt-secret" else ("doctor",):
        done = run(command, folder=tmp_path, environment=ANY_PORT)
        assert done.returncode != 0
        assert f"{name}: is not text in UTF-8" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
