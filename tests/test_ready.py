"""doctor --ready: the health check of containers, which must cost little."""

import subprocess
import sys
from pathlib import Path

import pytest

from .process import RUN, ServiceProcess, bare_environment, run

PROBE = """
import sys
from service import cli
status = cli.main(sys.argv[1:])
print(status, sorted({"pydantic", "aiohttp", "sqlite3", "argparse"} & sys.modules.keys() - {"argparse"}))
"""


def check(folder: Path, *arguments: str, **environment: str) -> str:
    """Run the health check in a process of its own; return what it printed, with its status and what it loaded."""
    command = [sys.executable, "-c", PROBE, *arguments]
    known = {**bare_environment(), "PYTHONPATH": str(RUN.parent), **environment}
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize("place", ["environment", "config.toml", "--config", "SERVICE_CONFIG"])
def test_it_asks_the_service_that_the_settings_name_and_loads_nothing_else(
    service_process: ServiceProcess, tmp_path: Path, place: str
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file = folder / ("config.toml" if place == "config.toml" else "other.toml")
    file.write_text(f'host = "0.0.0.0"\nport = {service_process.port}\n')
    arguments = ("doctor", "--ready", *(("--config", "other.toml") if place == "--config" else ()))
    environment = {
        "environment": {"SERVICE_PORT": str(service_process.port)},
        "SERVICE_CONFIG": {"SERVICE_CONFIG": "other.toml"},
    }.get(place, {})
    assert check(folder, *arguments, **environment).splitlines() == ["well    readiness", "no problems", "0 []"]


def test_a_service_that_does_not_answer_is_a_problem_with_advice(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    port = str(service_process.port)
    service_process.stop()
    done = run("doctor", "--ready", folder=tmp_path, environment={"SERVICE_PORT": port})
    assert done.returncode == 1
    assert "no service responds" in done.stdout
    wrong = run("doctor", "--ready", folder=tmp_path, environment={"SERVICE_PORT": "port"})
    assert wrong.returncode == 2
    assert "SERVICE_PORT" in wrong.stderr
