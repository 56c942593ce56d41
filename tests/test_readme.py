"""The README: its commands work as written, and it names every command."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .process import ServiceProcess, bare_environment, run

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
FIRST_BOARD = (ROOT / "docs" / "first-board.md").read_text("utf-8")
PASSWORD = "a password for the readme"


def test_the_commands_of_the_first_board_create_a_board_and_move_a_card(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```bash\n(.*?)```", FIRST_BOARD, re.DOTALL)
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
        assert (server["command"], server["args"]) == ("/srv/tandem/.venv/bin/tandem", ["mcp"])
        assert set(server["env"]) == {"SERVICE_API_URL", "SERVICE_API_KEY"}


def test_the_readme_names_every_command(tmp_path: Path) -> None:
    shown = run("--help", folder=tmp_path).stdout
    commands = re.findall(r"^    ([a-z][a-z-]+)\s", shown, re.MULTILINE)
    assert len(commands) >= 3
    for command in commands:
        assert f"tandem {command}" in README


def test_ci_runs_all_tests_by_the_test_command_of_the_readme() -> None:
    (command,) = re.findall(r"^python3 -m venv .* -m pytest .*$", README, re.MULTILINE)
    assert f"    {command} -m ''\n" in (ROOT / ".ci" / "run").read_text("utf-8")


@pytest.mark.slow
def test_pytest_reports_what_it_leaves_out_and_how_to_run_it() -> None:
    def collect(*options: str) -> str:
        folders = ["tests/test_fuzz.py", "tests/test_version.py", "tests/web/test_columns.py"]
        command = [sys.executable, "-m", "pytest", "--collect-only", *folders, *options]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    short, whole = collect(), collect("-m", "")
    assert "Left out: tests of the page in a browser, and slow ones" in short
    assert ".venv/bin/python -m pytest -n auto -m ''" in short
    assert not re.search("^tests/(test_fuzz|web)", short, re.MULTILINE)
    assert "tests/test_version.py" in short
    assert "Left out" not in whole
    assert whole.startswith("tests/test_fuzz.py")  # slow tests are first
    assert "tests/web/test_columns.py" in whole
