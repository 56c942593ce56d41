"""How the cost of requests grows with what lies on a card and in an organization: CPU time of the server.

    python -m tests.bench.growth [--rounds N] [--scale N] [--only WORDS] [--beside WORDS]

Each request is measured on a fresh card, and on a card or in an organization where very much of one kind lies, in
turns, so other programs on the machine disturb little. What is shown is the median of several rounds: the µs of CPU of
all threads of a server on one core that the request takes on the fresh card, and how many times that on each full one
(! where it is over 1.25). At the end, what grows is listed with its slope. Before each request something else in the
organization changes, which is not counted, so that no response of before is valid any more.
"""

import argparse
import asyncio
import http.client
import json
import sqlite3
import statistics
from collections.abc import Callable
from contextlib import closing
from typing import Any

from .. import everyday_requests, forms, full_cards
from ..everyday_requests import READS, WRITES, Exchange, Request, Scene
from ..process import ServiceProcess
from ..world import SA, World
from . import scene, yardstick

REQUESTS_PER_ROUND = 20
FLAT_FACTOR = 1.25  # that a request may cost on a full card, of what it costs on a fresh one
FRESH = "fresh"
# How much of each kind lies there.
COUNTS = {
    "comments": 16_000,
    "replies": 16_000,
    "history": 16_000,
    "parts": 3000,
    "relations": 3000,
    "dependents": 3000,
    "former blockers": 3000,
    "files": 500,
    "values": 200,
    "labels": 200,
    "text": 99_000,
    "requests": 3000,
    "watchers": 1000,
    "cards": 10_000,
    "fields": 5000,
    "agents": 2000,
    "members": 2000,
    "claims": 2000,
    "unread events": 50_000,
    "stored files": 20_000,
}
LIMITS = {  # that count, but stop nobody
    "SERVICE_GUARD_COMMENTS_PER_HOUR": "1000000",
    "SERVICE_GUARD_RETURNS": "1000000",
    "SERVICE_AGENT_CLAIMS_MAX": "100",
}
Costs = dict[str, list[float]]  # µs of each round, by place
Slope = tuple[str, str, float]


class Line:
    """One connection, on which one request follows the other."""

    def __init__(self, service: ServiceProcess) -> None:
        self._line, self._pid = http.client.HTTPConnection("127.0.0.1", service.port), service.process.pid

    def send(self, exchange: Exchange) -> None:
        """Send the requests of an exchange, one after the other."""
        try:
            request = next(exchange)
            while True:
                request = exchange.send(self._answer(request))
        except StopIteration:
            pass

    def _answer(self, request: Request) -> Any:
        body, kind = request.form, forms.FORM
        if body is None:
            body, kind = None if request.json is None else json.dumps(request.json).encode(), "application/json"
        headers = {**request.who.headers, "Content-Type": kind}
        self._line.request(request.method, "/api/v1" + request.path, body, headers)
        response = self._line.getresponse()
        raw = response.read()
        assert response.status in (200, 204), (request, response.status, raw)
        return json.loads(raw) if raw else None

    def cost(self, scenery: Scene, exchange: Callable[[Scene], Exchange]) -> float:
        """Return the µs of CPU that an exchange takes, the mean of some."""
        total = 0.0
        for _ in range(REQUESTS_PER_ROUND):
            self.send(everyday_requests.change_beside(scenery))
            before = yardstick.cpu(self._pid)
            self.send(exchange(scenery))
            total += yardstick.cpu(self._pid) - before
        return total / REQUESTS_PER_ROUND


async def furnish(service: ServiceProcess, counts: dict[str, int]) -> dict[str, Scene]:
    """Make a fresh card, and for each kind one in an organization of its own on which, or in which, much lies."""
    async with World(service.url).ctx() as world:
        world.sa = await world.login(SA)
        scenes = {FRESH: await everyday_requests.prepare(world, world.sa, await world.agent(), FRESH)}
        for name in counts:
            home = await everyday_requests.found_organization(world, name)
            scenes[name] = await everyday_requests.prepare(world, *home, name)
    await asyncio.to_thread(_fill, service, scenes, counts)
    return scenes


def _fill(service: ServiceProcess, scenes: dict[str, Scene], counts: dict[str, int]) -> None:
    path, fills = scene.database(service), full_cards.OF_A_CARD | full_cards.OF_AN_ORGANIZATION
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        for name, count in counts.items():
            fills[name](connection, scenes[name].rows, count)
        scene.defer_indexing(connection)
    scene.wait_until_indexed(path)


def measure(line: Line, scenes: dict[str, Scene], exchange: Callable[[Scene], Exchange], rounds: int) -> Costs:
    """Return what an exchange costs in each scene, in each round."""
    costs: Costs = {name: [] for name in scenes}
    for scenery in scenes.values():
        for _ in range(2):  # what is prepared or cached on first use
            line.send(exchange(scenery))
    for _ in range(rounds):
        for name, scenery in scenes.items():
            costs[name].append(line.cost(scenery, exchange))
    return costs


def factor(costs: Costs, name: str) -> float:
    """Return how many times the cost on a fresh card something costs, the median of the rounds."""
    return statistics.median(cost / fresh for cost, fresh in zip(costs[name], costs[FRESH], strict=True))


def show(title: str, costs: Costs) -> None:
    """Print a row of the table."""
    cells = ""
    for name in costs:
        if name != FRESH:
            found = factor(costs, name)
            cells += f"{found:>7.2f}{'!' if found > FLAT_FACTOR else ' '}"
    print(f"{title:<23}{statistics.median(costs[FRESH]):>8,.0f}{cells}", flush=True)


def find_slopes(title: str, costs: Costs, counts: dict[str, int]) -> list[Slope]:
    """Return what grows, with the µs that 1,000 more of its kind cost."""
    growing = [name for name in counts if factor(costs, name) > FLAT_FACTOR]
    median = {name: statistics.median(costs[name]) for name in costs}
    return [(title, name, (median[name] - median[FRESH]) / counts[name] * 1000) for name in growing]


def main() -> None:
    """Measure all requests on all cards in turns, and print a table and what grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="the median of so many is shown")
    parser.add_argument("--scale", type=float, default=1.0, help="times as much of each kind")
    parser.add_argument("--only", default="", help="words of the requests to measure")
    parser.add_argument("--beside", default="", help="words of the kinds to measure")
    options = parser.parse_args()
    yardstick.describe()
    counts = {name: int(count * options.scale) for name, count in COUNTS.items() if options.beside in name}
    slopes: list[Slope] = []
    with yardstick.service(**LIMITS) as service:
        scenes = asyncio.run(furnish(service, counts))
        line = Line(service)
        print(", ".join(f"{name} {count:,}" for name, count in counts.items()))
        print(f"{'CPU µs a request':<23}{FRESH:>8}" + "".join(f"{name[:7]:>8}" for name in counts))
        for title, exchange in {**READS, **WRITES}.items():
            if options.only in title:
                costs = measure(line, scenes, exchange, options.rounds)
                show(title, costs)
                slopes += find_slopes(title, costs, counts)
    for title, name, slope in slopes:
        print(f"grows: {title} with {name}, {slope:,.1f} µs for each 1,000")


if __name__ == "__main__":
    main()
