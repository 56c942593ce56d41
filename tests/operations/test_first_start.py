"""The first start: a fresh folder and no configuration are enough to sign in."""

import os
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from ..process import ServiceProcess, run_process
from ..world import World

SHOWN = re.compile(r"sign in as (\S+)\nPassword \(shown this once\): (\S+)\n")
GIVEN = {
    "SA_BOOTSTRAP_EMAIL": "Ada@Example.test",
    "SA_BOOTSTRAP_PASSWORD": "a given password",
    "SA_BOOTSTRAP_NAME": "Ada Lovelace",
    "SA_BOOTSTRAP_ORGANIZATION": "Analytical Engines",
}


async def signed_in(url: str, email: str, password: str) -> Any:
    """Sign in and return what the service says of the caller."""
    world = World(url)
    async with world.ctx():
        return (await (await world.login(email, password)).get("/auth/me")).ok()


async def test_a_fresh_folder_without_configuration_starts_and_its_printed_password_signs_in(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path) as service:
        shown = SHOWN.search(service.said)
        assert shown
        assert shown[1] == "admin@localhost"
        me = await signed_in(service.url, *shown.groups())
        assert me["role"] == "SolutionArchitect"
        assert [membership["title"] for membership in me["organizations"]] == ["My organization"]
        assert service.stop() == 0
        assert shown[2] not in service.log.read_text()


def test_what_a_start_makes_is_for_its_owner_only_whatever_the_umask(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        with ServiceProcess(tmp_path):
            data = tmp_path / "data"
            modes = {path.name: oct(path.stat().st_mode & 0o777) for path in data.iterdir()}
    finally:
        os.umask(umask)
    assert modes.pop("files") == oct(0o700)
    modes.pop("service.lock")  # empty
    assert modes == dict.fromkeys(["service.db", "service.db-wal", "service.db-shm", "jwt-secret"], oct(0o600))


async def test_the_second_start_prints_no_password_and_the_first_one_still_signs_in(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path) as service:
        shown = SHOWN.search(service.said)
        assert shown
        service.stop()
        service.start()
        assert service.said.count("\n") == 1
        assert "assword" not in service.said
        assert (await signed_in(service.url, *shown.groups()))["email"] == "admin@localhost"


async def test_a_port_that_is_taken_swallows_no_password(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = run_process("serve", folder=tmp_path, environment={"SERVICE_PORT": str(port)})
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"cannot listen on 127.0.0.1:{port}" in refused.stderr
    with ServiceProcess(tmp_path) as service:
        shown = SHOWN.search(service.said)
        assert shown
        assert (await signed_in(service.url, *shown.groups()))["role"] == "SolutionArchitect"


async def test_a_start_that_is_killed_right_away_leaves_a_folder_that_starts_again(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path) as service:
        shown = SHOWN.search(service.said)
        assert shown
        service.kill()
        service.start()
        assert (await signed_in(service.url, *shown.groups()))["fullName"] == "Administrator"


async def test_what_the_settings_name_is_made_and_no_password_is_printed(tmp_path: Path) -> None:
    with ServiceProcess(tmp_path, GIVEN) as service:
        assert "assword" not in service.said
        me = await signed_in(service.url, "ada@example.test", "a given password")
        assert (me["email"], me["fullName"]) == ("Ada@Example.test", "Ada Lovelace")
        assert [membership["title"] for membership in me["organizations"]] == ["Analytical Engines"]


@pytest.mark.parametrize("changed", ["SA_BOOTSTRAP_PASSWORD", "SA_BOOTSTRAP_EMAIL"])
async def test_the_settings_of_the_first_start_change_nothing_later(tmp_path: Path, changed: str) -> None:
    with ServiceProcess(tmp_path, GIVEN) as service:
        service.stop()
        service.environment[changed] = "another@password.test"
        service.start()
        me = await signed_in(service.url, "ada@example.test", "a given password")
        assert len(me["organizations"]) == 1
