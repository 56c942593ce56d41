"""Measure the page on a board of 5,000 cards in a real Chromium, beside what it may cost.

    python -m tests.bench.page [runs]

Medians of the runs (else 5); a burst is 600 moves by somebody else.
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from service import config
from service.database.migrate import migrate

from ..conftest import make
from ..running import running
from ..web.browser import launched
from ..web.measures import all_measures
from ..web.test_budgets import BUDGETS
from ..world import SECRET


async def main(runs: int) -> None:
    """Measure everything, and print a table."""
    with tempfile.TemporaryDirectory() as name:
        data, template = Path(name), Path(name, "template.db")
        migrate(template)
        await make(template)
        shutil.copy(template, data / "service.db")
        environment = {"SERVICE_DATA_PATH": str(data), "SERVICE_JWT_SECRET": SECRET, "SERVICE_PORT": "0"}
        async with running(config.load(environment=environment)) as world, launched() as browser:
            found = await all_measures(browser, world, runs)
    for what, value in found.items():
        budget = BUDGETS.get(what)
        print(f"{what:36} {value:10.1f}" + (f"   budget {budget}" if budget else ""))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
