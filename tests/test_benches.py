"""Every bench can be called, says what it measures, and is named where people look for it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SHARED = {"__init__", "heavy", "scene", "wrk", "yardstick"}  # what they stand on
BENCHES = sorted({file.stem for file in (ROOT / "tests" / "bench").glob("*.py")} - SHARED)
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize("bench", BENCHES)
def test_a_bench_says_what_it_measures_and_is_listed(bench: str) -> None:
    command = [sys.executable, "-m", f"tests.bench.{bench}", "--help"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"python -m tests.bench.{bench}" in told
    assert f"`{bench}`" in CONTRIBUTING


def test_no_more_is_listed_than_there_is() -> None:
    section = CONTRIBUTING.partition("## Benchmarks")[2]
    assert [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")] == BENCHES
