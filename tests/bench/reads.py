"""How long a search waits while four deep pages of another organization are read, again and again.

python -m tests.bench.reads [--cards N]
"""

import argparse
import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from ..world import Client, World
from . import yardstick
from .search import RARE, _furnished

BOUND_SECONDS, SECONDS = 2.0, 20.0
DEEP = {"page": 200, "pageSize": 100, "sort": "-updatedAt", "include": "fieldValues"}


async def _turn_pages(client: Client, until: float, answers: list[int]) -> None:
    while time.monotonic() < until:
        answers.append((await client.get(client.org("/cards"), params=DEEP)).status)


async def _search(client: Client, count: int) -> list[float]:
    taken = []
    for _ in range(count):
        start = time.perf_counter()
        (await client.get(client.org("/search"), params={"q": RARE})).ok()
        taken.append(time.perf_counter() - start)
        await asyncio.sleep(0.05)
    return taken


async def _measured(world: World) -> bool:
    alone = statistics.median(await _search(world.sa, 9))
    answers: list[int] = []
    until = time.monotonic() + SECONDS
    pages = [asyncio.create_task(_turn_pages(world.outsider, until, answers)) for _ in range(4)]
    await asyncio.sleep(0.5)
    taken: list[float] = []
    while time.monotonic() < until - 1:
        taken += await _search(world.sa, 1)
    await asyncio.gather(*pages)
    print(f"search for '{RARE}' alone: median {alone * 1000:.0f} ms")
    print(f"beside four deep pages at a time: {len(taken)} searches, median {statistics.median(taken) * 1000:.0f} ms,")
    print(f"    worst {max(taken) * 1000:.0f} ms; {len(answers)} pages, answered {sorted(set(answers))}")
    return max(taken) < BOUND_SECONDS


async def main(number: int, folder: Path) -> bool:
    """Fill two organizations, read both at once, and tell whether the search keeps the bound."""
    async with yardstick.world(folder) as world:
        await _furnished(world, folder / "service.db", number)
        return await _measured(world)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    with tempfile.TemporaryDirectory() as folder:
        raise SystemExit(0 if asyncio.run(main(parser.parse_args().cards, Path(folder))) else 1)
