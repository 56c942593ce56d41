"""What the page may cost on a board of 5,000 cards; `python -m tests.bench.page` prints what it does cost."""

import gzip
import re

import pytest
from playwright.async_api import Browser

from service import pages

from ..world import World
from .measures import all_measures

pytestmark = pytest.mark.asyncio(loop_scope="session")
BUDGETS = {
    "first cards, main thread (ms)": 1000,
    "elements": 3000,
    "requests until usable": 4,
    "scrolled frame, main thread (ms)": 8,
    "own move, first frame (ms)": 50,
    "burst, longest task (ms)": 100,
    "burst, requests": 40,
}
PACKED_BYTES_MAX = 60 << 10


async def test_a_board_of_5000_cards_stays_within_its_budgets(browser: Browser, site: World) -> None:
    found = await all_measures(browser, site, runs=3)
    # A busy machine stretches the burst, and what is asked for meanwhile with it.
    stretched = max(1.0, found["burst, seconds"] / 8)
    allowed = {**BUDGETS, "burst, requests": BUDGETS["burst, requests"] * stretched}
    over = {name: found[name] for name, most in allowed.items() if found[name] > most}
    assert not over, found


async def test_the_first_screen_is_light_when_packed() -> None:
    text = (pages.FOLDER / "index.html").read_text("utf-8")
    asked = {"index.html", *(path for path in re.findall(r'(?:href|src)="/([^"]+)"', text))}
    sizes = {path: len(gzip.compress((pages.FOLDER / path).read_bytes())) for path in asked}
    assert sum(sizes.values()) <= PACKED_BYTES_MAX, sizes
