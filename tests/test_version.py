"""The version: in one place, told everywhere, and the newest release of the changelog."""

import re
from importlib import metadata
from pathlib import Path

from service import VERSION

from .process import run_process
from .world import World

ROOT = Path(__file__).parent.parent


def test_the_changelog_has_a_section_for_this_version_and_none_that_is_newer() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    releases = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", text, re.MULTILINE)
    assert releases[0] == VERSION
    assert text.index("## [Unreleased]") < text.index(f"## [{VERSION}]")


def test_the_version_stands_in_one_place() -> None:
    sources = [*(ROOT / "service").rglob("*.py"), *(ROOT / "service" / "web").rglob("*.js"), ROOT / "setup.py"]
    assert [path.name for path in sources if f'"{VERSION}"' in path.read_text("utf-8")] == ["__init__.py"]


async def test_package_program_and_service_report_the_version(world: World, tmp_path: Path) -> None:
    assert metadata.version("tandem-board") == VERSION
    assert run_process("--version", folder=tmp_path).stdout == f"Tandem {VERSION}\n"
    assert (await world.sa.get("/admin/about")).ok()["version"] == VERSION
