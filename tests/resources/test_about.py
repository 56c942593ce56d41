"""About: what is running here."""

import re
import subprocess
from pathlib import Path

from service.resources.about import format_duration
from service.runtime import build_info

from ..world import World


async def test_about_tells_what_is_running(world: World) -> None:
    about = (await world.sa.get("/admin/about")).ok()
    assert set(about) == {
        "product", "version", "gitSha", "buildTime", "dotnetVersion", "pythonVersion", "schemaVersion", "host",
        "uptime", "database",
    }  # fmt: skip
    assert about["product"] == "Tandem"
    assert about["dotnetVersion"] is None
    assert about["schemaVersion"] >= 2
    assert about["database"]["engine"] == "SQLite"
    assert about["database"]["version"].startswith("3.")
    assert re.fullmatch(r"P(\d+D)?T\d+H\d+M\d+S", about["uptime"])
    assert about["buildTime"] is None or about["buildTime"].endswith("Z")


async def test_only_a_solution_architect_sees_it(world: World) -> None:
    (await world.member.get("/admin/about")).refused(403, "sa_required")
    (await (await world.key()).get("/admin/about")).refused(401, "unauthorized")


def test_durations_are_iso_8601() -> None:
    assert format_duration(0.9) == "PT0H0M0S"
    assert format_duration(2 * 86400 + 3 * 3600 + 4 * 60 + 5) == "P2DT3H4M5S"


def test_the_commit_of_a_checkout_is_found_and_that_of_no_checkout_is_null(tmp_path: Path) -> None:
    assert build_info.read_git_sha(tmp_path) is None
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.test"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "First"], check=True)
    sha = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert build_info.read_git_sha(tmp_path) == sha
    subprocess.run([*git, "pack-refs", "--all"], check=True)
    assert build_info.read_git_sha(tmp_path) == sha
    subprocess.run([*git, "checkout", "-q", "--detach"], check=True)
    assert build_info.read_git_sha(tmp_path) == sha
