"""How many claims of the next card, each followed by a release, the service takes in a second.

    python -m tests.bench.claiming [--cards N] [--seconds N] [--turns N]            (needs wrk)

Every second request claims the best free card, every other releases one, on 64 connections; the ratio is to a bare
aiohttp "hello" in the same run. What others notice of it, `fair` shows.
"""

import argparse
import asyncio
import itertools
import statistics
from typing import Any

from ..process import ServiceProcess
from ..world import SA, Client, World
from . import scene, wrk, yardstick

# Each answer names the card that was claimed; what was claimed is given back before more is.
LUA = """
local claimed = {}
wrk.headers["Content-Type"] = "application/json"
function request()
  local card = table.remove(claimed)
  if card then return wrk.format("DELETE", "/api/v1/cards/" .. card .. "/claim/mcp", nil) end
  return wrk.format("POST", "/api/v1%s/cards/claim/mcp", nil, "{}")
end
function response(status, _, body)
  local card = status == 200 and string.match(body, '"id":"(card_[^"]+)"')
  if card then table.insert(claimed, card) end
end
"""


def claims(agent: Client) -> str:
    """Write the script of an agent that claims cards and gives them back."""
    return LUA % agent.org()


async def furnished(service: ServiceProcess, count: int) -> Client:
    """Create an organization with cards to claim, and return its agent."""
    async with World(service.url).ctx() as world:
        world.sa = await world.login(SA)
        boards = [await world.board(title=f"Board {n}") for n in range(max(1, count // scene.CARDS_PER_BOARD))]
        places = zip(itertools.cycle(boards), ["Todo"] * count)
        await asyncio.to_thread(scene.fill, service, world.sa, places)
        return await world.agent()


def ratio(service: ServiceProcess, hello: yardstick.Hello, agent: Client, options: Any) -> None:
    """Print how fast agents claim and give back."""
    found = []
    for _ in range(options.turns):
        own = wrk.drive(service.url, options.seconds, agent.headers, claims(agent))
        found.append((own.rate, own.rate / wrk.drive(hello.url, options.seconds).rate, own.failed))
    rates, ratios, failed = zip(*found, strict=True)
    what = f"claim the next of {options.cards:,} cards and give it back, a call"
    told = f"{statistics.median(rates):,.0f}/s, {yardstick.spread(ratios, '.3f')} of hello (goal: 0.10)"
    print(f"{what}: {told}, {sum(failed)} failed", flush=True)


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=10_000, help="that are free")
    parser.add_argument("--seconds", type=int, default=3, help="of one measurement")
    parser.add_argument("--turns", type=int, default=3, help="the median of so many is shown")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service() as service, yardstick.hello() as hello:
        ratio(service, hello, asyncio.run(furnished(service, options.cards)), options)


if __name__ == "__main__":
    main()
