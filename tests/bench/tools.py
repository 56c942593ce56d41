"""What a call of a tool costs the service: CPU time in µs, and in answers of a bare aiohttp "hello" in the same run.

    python -m tests.bench.tools [--seconds N] [--turns N]            (needs wrk)

Eight agents call at a time, so that the core has work all the time, and another card each time; shown is the median of
the turns. The goals were set on a machine on which to read one card, again and again, takes 58 µs: beside each stands
what it is here, by what that takes here.
"""

import argparse
import asyncio
import json
import statistics
from typing import Any

from ..process import ServiceProcess
from ..world import SA, Client, World
from . import scene, wrk, yardstick

CARDS, CONNECTIONS = 2000, 8
GET_MICROSECONDS = 58.0  # for one card, on the machine on which the goals were set
HEADERS = {"Accept": "application/json, text/event-stream"}
GET = "GET one card"
GOALS = {"whoami": 350, "get_card": 600, "comment": 400, "move_card": 400, "claim_next": 900}
# Every second call claims a card, every other gives back what an answer showed to be claimed.
CLAIMS = """
local claimed = {}
wrk.headers["Content-Type"] = "application/json"
local function call(name, arguments)
  local body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":{%s}}}'
  return wrk.format("POST", "/mcp", nil, string.format(body, name, arguments))
end
function request()
  local card = table.remove(claimed)
  if card then return call("release", '"card":"' .. card .. '"') end
  return call("claim_next", "")
end
function response(status, _, body)
  local card = string.match(body, '"card\\\\*":{\\\\*"key\\\\*":\\\\*"([^"\\\\]+)')
  if card then table.insert(claimed, card) end
end
"""


def called(name: str, **arguments: Any) -> wrk.Request:
    """Call a tool as plainly as a client does."""
    params = {"name": name, "arguments": arguments}
    return "POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


class Callers:
    """A person who reads a card, an agent who calls tools, and the keys of its cards."""

    def __init__(self, person: Client, agent: Client, card_id: str, keys: list[str]) -> None:
        self.person, self.agent, self.keys = person.headers, agent.headers | HEADERS, keys
        self.get = wrk.script([("GET", f"/api/v1/cards/{card_id}", "")])

    def scripts(self) -> dict[str, tuple[dict[str, str], str]]:
        """Name what is measured: who asks, and what wrk asks for."""
        keys, calls = self.keys, {"whoami": [called("whoami")]}
        calls |= {name: [called(name, card=key) for key in keys] for name in ("get_card", "release")}
        calls["comment"] = [called("comment", card=key, content="It is done, and tried.") for key in keys]
        calls["move_card"] = [called("move_card", card=key, to=to) for to in ("In Progress", "Todo") for key in keys]
        tools = {name: (self.agent, wrk.script(requests)) for name, requests in calls.items()}
        return {GET: (self.person, self.get), **tools, "claim_next": (self.agent, CLAIMS)}


async def furnished(service: ServiceProcess) -> Callers:
    """Make a board with cards, and an agent."""
    async with World(service.url).ctx() as world:
        world.sa = await world.login(SA)
        board, agent = await world.board(), await world.agent()
        cards = await asyncio.to_thread(scene.fill, service, world.sa, [(board, "Todo")] * CARDS)
        project = (await world.sa.get(world.sa.org("/projects"))).ok()[0]["key"]
        return Callers(world.sa, agent, cards[0], [f"{project}-{number + 1}" for number in range(CARDS)])


def costs(pid: int, url: str, seconds: int, headers: dict[str, str], lua: str = "") -> float:
    """Return what an answer costs a process, in µs of CPU."""
    before = yardstick.cpu(pid)
    load = wrk.drive(url, seconds, headers, lua, CONNECTIONS)
    assert not load.failed, load
    return (yardstick.cpu(pid) - before) / load.requests


def measured(service: ServiceProcess, hello: yardstick.Hello, options: Any) -> dict[str, list[tuple[float, float]]]:
    """Return what each tool costs in each turn, in µs and in hellos; a claim is what a release leaves of both."""
    callers, found = asyncio.run(furnished(service)), dict[str, list[tuple[float, float]]]()
    for _ in range(options.turns):
        for name, (headers, lua) in callers.scripts().items():
            one = costs(hello.pid, hello.url, max(1, options.seconds // 2), {})
            own = costs(service.process.pid, service.url, options.seconds, headers, lua)
            if name == "claim_next":
                own = 2 * own - found["release"][-1][0]
            found.setdefault(name, []).append((own, own / one))
    return found


def show(found: dict[str, list[tuple[float, float]]]) -> None:
    """Print the table."""
    here = statistics.median(own for own, _ in found[GET]) / GET_MICROSECONDS
    print(f"{'tool':<14}{'CPU, µs':>24}{'in hellos':>24}{'goal, µs':>10}{'goal here':>11}")
    for name, pairs in found.items():
        own, ratios = zip(*pairs, strict=True)
        goal = f"{GOALS[name]:>10}{GOALS[name] * here:>11,.0f}" if name in GOALS else ""
        print(f"{name:<14}{yardstick.spread(own):>24}{yardstick.spread(ratios, '.1f'):>24}{goal}", flush=True)


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2, help="of one measurement")
    parser.add_argument("--turns", type=int, default=3, help="the median of so many is shown")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service() as service, yardstick.hello() as hello:
        show(measured(service, hello, options))


if __name__ == "__main__":
    main()
