"""What it costs to read a card by its key instead of its id: CPU time of the service, in µs a call, turn by turn.

    python -m tests.bench.keys [calls]

Bound: 15 % more. As a person of the organization, as an agent, and by a former key of the project.
"""

import asyncio
import statistics
from collections.abc import Iterable

from ..world import Client, World
from . import yardstick

CALLS, TURNS, CARDS, BOUND = 500, 9, 500, 1.15


async def _cost(pid: int, who: Client, names: list[str], suffix: str, calls: int) -> float:
    """Read cards that many times, one after the other, and give what one cost."""
    before = yardstick.cpu(pid)
    for number in range(calls):
        (await who.get(f"/cards/{names[number * 37 % len(names)]}{suffix}")).ok()
    return (yardstick.cpu(pid) - before) / calls


async def _compare(pid: int, what: str, who: Client, ids: list[str], keys: list[str], suffix: str, calls: int) -> bool:
    pairs = []
    for _ in range(TURNS):
        by_id = await _cost(pid, who, ids, suffix, calls)
        pairs.append((by_id, await _cost(pid, who, keys, suffix, calls)))
    ratio = statistics.median(key / one for one, key in pairs)
    one, key = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{what:24}by id {one:5.0f} µs, by key {key:5.0f} µs, ratio {ratio:.3f} (bound {BOUND})", flush=True)
    return ratio <= BOUND


async def measure(pid: int, url: str, calls: int) -> Iterable[bool]:
    """Fill a board, and read its cards both ways."""
    async with World(url) as world:
        board, agent = await world.board(title="Release"), await world.agent()
        cards = [await world.card(board) for _ in range(CARDS)]
        ids, keys = [card["id"] for card in cards], [card["key"] for card in cards]
        found = [await _compare(pid, "a person", world.sa, ids, keys, "", calls)]
        found.append(await _compare(pid, "an agent", agent, ids, keys, "/mcp", calls))
        (await world.sa.patch(world.sa.org(f"/projects/{board.id}"), {"key": "NEW"})).ok()
        found.append(await _compare(pid, "a former key", world.sa, ids, keys, "", calls))
        return found


def main() -> bool:
    """Measure a service of its own, and tell whether the bound is kept."""
    (calls,) = yardstick.numbers(__doc__, calls=CALLS)
    yardstick.describe()
    with yardstick.service() as service:
        return all(asyncio.run(measure(service.process.pid, service.url, calls)))


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
