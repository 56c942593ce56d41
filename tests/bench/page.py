"""Measure the page on a board of 5,000 cards in a real Chromium, beside what it may cost.

    python -m tests.bench.page [runs]

Medians of the runs (else 5); a burst is 600 moves by somebody else.
"""

import asyncio
import tempfile
from pathlib import Path

from ..web.browser import launch_browser
from ..web.measures import all_measures
from ..web.test_budgets import BUDGETS
from . import yardstick


async def main(runs: int) -> None:
    """Measure everything, and print a table."""
    with tempfile.TemporaryDirectory() as name:
        async with yardstick.world(Path(name)) as world, launch_browser() as browser:
            found = await all_measures(browser, world, runs)
    for what, value in found.items():
        budget = BUDGETS.get(what)
        print(f"{what:36} {value:10.1f}" + (f"   budget {budget}" if budget else ""))


if __name__ == "__main__":
    asyncio.run(main(*yardstick.numbers(__doc__, runs=5)))
