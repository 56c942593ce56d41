"""Which service a command calls: never one that neither option, variable nor settings of the service name."""

import argparse
import asyncio
import os
from pathlib import Path

import pytest

from service.clients.address import BadUsage, add_address_options, find_address

from ..process import run
from ..world import PASSWORD, SA, World

COMMANDS = {
    "export": ("home.json",),
    "import": ("home.json",),
    "import-trello": (str(Path(__file__).parents[1] / "data" / "trello-small.json"),),
    "agent-demo": (),
    "connect": ("claude",),
    "mcp": (),
}
CREDENTIALS = {"SERVICE_EMAIL": SA, "SERVICE_PASSWORD": PASSWORD, "SERVICE_API_KEY": "tdm_any"}
OTHER_MACHINE = 'host = "192.0.2.7"\nport = 9000\n'


def address(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str, **environment: str) -> str:
    """Return the address that a command uses in a folder, without the path of the API."""
    monkeypatch.chdir(folder)
    for name in [name for name in os.environ if name.startswith("SERVICE_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    parser = argparse.ArgumentParser()
    add_address_options(parser)
    return find_address(parser.parse_args(arguments)).removesuffix("/api/v1")


@pytest.mark.parametrize(("command", "arguments"), COMMANDS.items())
@pytest.mark.parametrize("text", [None, OTHER_MACHINE])
async def test_without_an_address_a_command_ends_with_2_and_names_the_option(
    tmp_path: Path, command: str, arguments: tuple[str, ...], text: str | None
) -> None:
    if text:
        (tmp_path / "config.toml").write_text(text)
    done = await asyncio.to_thread(run, command, *arguments, folder=tmp_path, environment=CREDENTIALS)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "--url" in done.stderr


@pytest.mark.parametrize("given", ["SERVICE_PORT", "config.toml", "SERVICE_CONFIG", "before", "after"])
async def test_the_port_of_the_settings_is_used(world: World, tmp_path: Path, given: str) -> None:
    port = world.url.rpartition(":")[2]
    file = tmp_path / ("config.toml" if given == "config.toml" else "other.toml")
    file.write_text(f'host = "0.0.0.0"\nport = {port}\n')
    variables = {"SERVICE_PORT": {"SERVICE_PORT": port}, "SERVICE_CONFIG": {"SERVICE_CONFIG": str(file)}}
    option = ("--config", str(file))
    command = [*(option if given == "before" else ()), "export", "home.json", *(option if given == "after" else ())]
    known = CREDENTIALS | variables.get(given, {})
    done = await asyncio.to_thread(run, *command, folder=tmp_path, environment=known)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "home.json").stat().st_size > 100


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("port = 9000", "http://127.0.0.1:9000"),
        ('data_path = "data"', "http://127.0.0.1:8080"),
        ('host = "::"', "http://[::1]:8080"),
        ('host = "localhost"', "http://localhost:8080"),
        ('host = "127.0.0.2"\nport = 1', "http://127.0.0.2:1"),
    ],
)
def test_a_settings_file_in_the_working_folder_names_a_service_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: str
) -> None:
    (tmp_path / "config.toml").write_text(text)
    assert address(tmp_path, monkeypatch) == expected


@pytest.mark.parametrize("text", ['host = "192.0.2.7"', 'host = "localhost.evil.example"', "port = 0", "baseURL = 1"])
def test_a_settings_file_in_the_working_folder_names_no_other_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "config.toml").write_text(text)
    with pytest.raises(BadUsage, match="--url"):
        address(tmp_path, monkeypatch)
    with pytest.raises(BadUsage, match="--url"):  # the port alone does not make the host of the file a named one
        address(tmp_path, monkeypatch, SERVICE_PORT="0" if "port" in text else "9000")


def test_options_win_over_variables_and_named_settings_may_name_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "named.toml"
    file.write_text(OTHER_MACHINE)
    (tmp_path / "config.toml").write_text("port = 9001")
    url = {"SERVICE_API_URL": "https://board.example.com/tandem"}
    assert address(tmp_path, monkeypatch, "--url", "http://a.example", **url) == "http://a.example"
    assert address(tmp_path, monkeypatch, "--config", str(file), **url) == "https://board.example.com/tandem"
    assert address(tmp_path, monkeypatch, "--config", str(file)) == "http://192.0.2.7:9000"
    assert address(tmp_path, monkeypatch, SERVICE_CONFIG=str(file)) == "http://192.0.2.7:9000"
    assert address(tmp_path, monkeypatch, SERVICE_HOST="192.0.2.8", SERVICE_PORT="5") == "http://192.0.2.8:5"
    assert address(tmp_path, monkeypatch, SERVICE_PORT="5") == "http://127.0.0.1:5"
    with pytest.raises(BadUsage, match="is not a service address"):
        address(tmp_path, monkeypatch, "--url", "nonsense")
    with pytest.raises(BadUsage, match="cannot be read"):
        address(tmp_path, monkeypatch, "--config", str(tmp_path / "missing.toml"))
