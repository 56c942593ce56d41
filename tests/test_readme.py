"""The README: its commands work as written, and it names every command."""

import json
import re
import subprocess
import sys
from pathlib import Path

from .process import ServiceProcess, bare_environment, run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PASSWORD = "a password for the readme"


def test_the_commands_under_first_board_create_a_board_and_move_a_card(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
    with ServiceProcess(tmp_path, {"SA_BOOTSTRAP_PASSWORD": PASSWORD}) as service:
        script = "set -euo pipefail\n" + lines.replace("http://127.0.0.1:8080", service.url)
        environment = {**bare_environment(), "PASSWORD": PASSWORD}
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"title":"Say hello"' in done.stdout
    assert '"version":2' in done.stdout


def test_the_configurations_for_mcp_clients_are_valid_json_and_run_the_bridge() -> None:
    configurations = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", README, re.DOTALL)]
    assert configurations
    for configuration in configurations:
        (servers,) = configuration.values()
        server = servers["tandem"]
        assert server["args"][-2:] == ["/srv/tandem/run.py", "mcp"]
        assert set(server["env"]) == {"SERVICE_API_URL", "SERVICE_API_KEY"}


def test_the_readme_names_every_command(tmp_path: Path) -> None:
    shown = run("--help", folder=tmp_path).stdout
    commands = re.findall(r"^    ([a-z][a-z-]+)\s", shown, re.MULTILINE)
    assert len(commands) >= 3
    for command in commands:
        assert f"run.py {command}" in README


def test_ci_runs_the_test_command_of_the_readme_and_then_the_slow_tests() -> None:
    (command,) = re.findall(r"^python3 -m venv .* -m pytest .*$", README, re.MULTILINE)
    lines = [
        line.partition(" </dev/null")[0].strip() for line in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    ]
    assert command in lines
    assert ".venv/bin/python -m pytest -n auto -m slow" in lines


def test_pytest_reports_that_it_skips_slow_tests_and_how_to_run_them() -> None:
    def collected(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "--collect-only", "tests/test_fuzz.py", *options]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    assert "Left out: tests marked slow" in (short := collected())
    assert ".venv/bin/python -m pytest -n auto -m slow" in short
    assert "4 deselected" in short
    assert "Left out" not in (whole := collected("-m", "slow"))
    assert "4 tests collected" in whole
