"""What it costs to claim the next card and give it back, and what an agent that does so in a loop takes from others.

    python -m tests.bench.claiming [--cards N] [--seconds N] [--turns N]            (needs wrk)

First every second request claims the best free card, every other gives one back; the ratio is to a bare aiohttp in the
same run. Then others comment on their cards, alone and beside one agent that claims in a loop, which should take 10 %
at the most, and beside one more who comments.
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
OTHERS = (1, 8, 64)  # connections of those who comment


def claims(agent: Client) -> str:
    """Write the script of an agent that claims cards and gives them back."""
    return LUA % agent.org()


async def furnished(service: ServiceProcess, count: int) -> tuple[Client, Client, list[str]]:
    """Make an organization whose agent has so many cards to claim, and another with cards to comment on."""
    async with World(service.url).visit() as world:
        world.sa = await world.login(SA)
        boards = [await world.board(title=f"Board {n}") for n in range(max(1, count // scene.CARDS_PER_BOARD))]
        agent, other = await world.agent(), await world.login("outsider@example.test")
        theirs = await world.board(other)
        places = zip(itertools.cycle(boards), ["Todo"] * count)
        await asyncio.to_thread(scene.fill, service, world.sa, places)
        return agent, other, await asyncio.to_thread(scene.fill, service, other, [(theirs, "Todo")] * 1000)


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


def taken(service: ServiceProcess, people: tuple[Client, Client, list[str]], options: Any) -> None:
    """Print what others can comment beside an agent that claims in a loop, and beside one more who comments."""
    agent, other, cards = people
    said = '{"content":"A comment of ordinary length, as people write them on cards."}'
    lua = wrk.script([("POST", f"/api/v1/cards/{card}/comments", said) for card in cards])
    beside = {"an agent that claims": (agent, claims(agent)), "one more who comments": (other, lua)}
    for connections in OTHERS:
        rates: dict[str, list[float]] = {name: [] for name in ("alone", *beside)}
        for _ in range(options.turns):
            rates["alone"].append(wrk.drive(service.url, options.seconds, other.headers, lua, connections).rate)
            for name, (who, script) in beside.items():
                with wrk.Driver(service.url, options.seconds + 1, who.headers, script, 1):
                    load = wrk.drive(service.url, options.seconds, other.headers, lua, connections)
                rates[name].append(load.rate)
        losses = {
            name: yardstick.spread([1 - rate / alone for rate, alone in zip(rates[name], rates["alone"])], ".0%")
            for name in beside
        }
        told = "; ".join(f"{name} takes {loss}" for name, loss in losses.items())
        print(
            f"comments on {connections} connections: {statistics.median(rates['alone']):,.0f}/s alone; {told}",
            flush=True,
        )


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=10_000, help="that are free")
    parser.add_argument("--seconds", type=int, default=3, help="of one measurement")
    parser.add_argument("--turns", type=int, default=3, help="the median of so many is shown")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service() as service, yardstick.hello() as hello:
        people = asyncio.run(furnished(service, options.cards))
        ratio(service, hello, people[0], options)
        taken(service, people, options)


if __name__ == "__main__":
    main()
