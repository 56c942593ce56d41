"""axe-core from npm, run inside a page: it finds what keeps people with assistive technology out; and pictures."""

import fcntl
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from ..conformance.npm import install

PACKAGE = "axe-core@4.11.0"
PICTURES = Path(__file__).parents[2] / ".pytest_cache" / "pictures"  # of each screen and state, for people to look at
ALL: dict[str, Any] = {}  # options of axe-core: all rules
OF_COLORS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
RUN = "(options) => axe.run(document, {resultTypes: ['violations'], preload: false, elementRef: false, ...options})"
taken: Counter[str] = Counter()  # by test


def source(temporary: pytest.TempPathFactory) -> str:
    """Return the program, installed once for all workers; without it, skip the test with the reason."""
    shared = temporary.getbasetemp().parent / "axe"
    shared.mkdir(exist_ok=True)
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        program = shared / "axe.min.js"
        if not program.exists():
            (installed := install(PACKAGE, shared)) / "axe.min.js"
            (installed / "axe.min.js").rename(program)
    return program.read_text("utf-8")


async def list_findings(page: Page, program: str, options: dict[str, Any]) -> list[str]:
    """Return what axe-core finds on a page as it stands, of any severity."""
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(program)
    found: dict[str, Any] = await page.evaluate(RUN, options)
    return [
        f"{rule['id']}: {node['html'][:200]} ({node.get('failureSummary', '')[:300]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


async def findings_in_both_themes(page: Page, program: str) -> list[str]:
    """Look at a page in light and in dark, where only colours differ, and keep a picture of both."""
    found, name = [], _picture()
    for theme, options in (("light", ALL), ("dark", OF_COLORS)):
        await page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found += [f"{theme} {finding}" for finding in await list_findings(page, program, options)]
        await page.screenshot(path=PICTURES / f"{name}-{theme}.png")
    return found


def _picture() -> str:
    """Name the next pictures of the test that runs: its name, and how many there are already."""
    test = re.sub(r"\W+", "-", os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2].removesuffix(" (call)")).strip("-")
    taken[test] += 1
    return f"{test}-{taken[test]}"
