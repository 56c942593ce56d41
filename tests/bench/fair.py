"""What each expensive thing that one organization does costs another: its p50 and p99, beside those when all is quiet.

    python -m tests.bench.fair [--seconds N] [--turns N] [--connections N] [ONLY ...]            (needs wrk)

One organization has 10,000 cards and does one thing in a loop, on four connections or one. Another reads a card of its
own and comments on one, a request every few milliseconds. The factor is that of the p99; none should be over 2.
The service has the first core to itself, and all who ask the second, of which they leave three quarters idle: so the
figures are the service's, and the system's that shares its core out among its threads. Other work spoils them.
"""

import argparse
import asyncio
import contextlib
import http.client
import itertools
import json
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..process import ServiceProcess
from ..world import OUTSIDER, SA, Board, Client, World
from . import claiming, listeners, scene, tools, wrk, yardstick

CARDS, OWN_CARDS, LISTENERS = 10_000, 500, 200
REST_SECONDS = 0.003  # between two requests of the other organization
WARM_SECONDS = 1
SAID = json.dumps({"content": "A comment of ordinary length, as people write them on cards."})
# wrk reads what is imported from a file; the key of the snapshot's organization is its own.
IMPORT = """
local file = io.open("%s")
local body = file:read("*a")
file:close()
wrk.headers["Content-Type"] = "application/json"
function request() return wrk.format("POST", "/api/v1/admin/import", nil, body) end
"""


@dataclass
class Taken:
    """The ms that reads and writes took."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)


class Large:
    """The organization that does much: who asks in it, and what for."""

    def __init__(self, service: ServiceProcess, sa: Client, agent: Client, boards: list[Board]) -> None:
        self.service, self.sa, self.agent, self.boards = service, sa, agent, boards
        places = [(board, "Todo") for board in boards] * (CARDS // len(boards))
        self.cards = scene.fill(service, sa, places, is_searchable=True)
        scene.Line(service).ask(sa, "GET", sa.org("/search?q=anything"))  # makes the index

    def path(self, path: str) -> str:
        """Give the whole path of a route of the organization."""
        return "/api/v1" + self.sa.org(path)

    def gets(self, *paths: str) -> list[wrk.Request]:
        """Ask for these, one after the other."""
        return [("GET", path, "") for path in paths]

    def things(self, folder: Path) -> dict[str, tuple[Client, str, int | None]]:
        """Name what it does: who asks for it, the script for wrk, and the connections if they are other than usual."""
        sa, board = self.sa, self.boards[0]
        deep = [self.path(f"/cards?sort=-updatedAt&pageSize=100&page={page}") for page in range(100, 200)]
        renamed = [
            ("PATCH", f"/api/v1/cards/{card}", json.dumps({"title": f"Card {n}"})) for n, card in enumerate(self.cards)
        ]
        boards = self.gets(self.path(f"/board-flow?projectId={board.id}"))
        said = [("POST", f"/api/v1/cards/{card}/comments", SAID) for card in self.cards]
        words = ["card", "number", "board", *map(str, range(100))]
        # Of nobody's: those of the tests are hashed at a lower cost than the service's own.
        wrong = [{"email": f"nobody-{n}@example.test", "password": "correct horse"} for n in range(100)]
        signed = [("POST", "/api/v1/auth/login", json.dumps(body)) for body in wrong]
        keys = [("POST", "/mcp", tools.called("get_card", card=card)[2]) for card in self.cards]
        return {
            "lists, deep pages of 100": (sa, wrk.script(self.gets(*deep)), None),
            "board of 5,000, changing": (sa, wrk.script(boards, renamed), None),
            "search": (sa, wrk.script(self.gets(*(self.path(f"/search?q={word}") for word in words))), None),
            "analytics": (sa, wrk.script(self.gets(self.path("/analytics"))), None),
            "export": (sa, wrk.script(self.gets("/api/v1/admin/export")), 1),
            "import": (sa, IMPORT % self.snapshot(folder), 1),
            "claims, one agent": (self.agent, claiming.claims(self.agent), 1),
            "comments": (sa, wrk.script(said), None),
            "passwords, all wrong": (sa, wrk.script(signed), None),
            "tools, get_card": (self.agent, wrk.script(keys), None),
            f"comments to {LISTENERS} listeners": (sa, wrk.script(said), 1),
        }

    def snapshot(self, folder: Path) -> Path:
        """Write the organization's own export to a file."""
        line = http.client.HTTPConnection("127.0.0.1", self.service.port)
        line.request("GET", "/api/v1/admin/export", headers=self.sa.headers)
        (file := folder / "snapshot.json").write_bytes(line.getresponse().read())
        return file


class Small:
    """The organization that should not notice."""

    def __init__(self, service: ServiceProcess, sa: Client, board: Board) -> None:
        self._lines = [http.client.HTTPConnection("127.0.0.1", service.port) for _ in range(2)]
        self._cards = itertools.cycle(scene.fill(service, sa, [(board, "Todo")] * OWN_CARDS))
        self._headers = {**sa.headers, "Content-Type": "application/json"}

    def ask(self, taken: Taken, seconds: float) -> None:
        """Read and write in turn for so long, and note what that took."""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            taken.reads.append(self._once(self._lines[0], "GET", f"/api/v1/cards/{next(self._cards)}"))
            path = f"/api/v1/cards/{next(self._cards)}/comments"
            taken.writes.append(self._once(self._lines[1], "POST", path, SAID))

    def _once(self, line: http.client.HTTPConnection, method: str, path: str, body: str | None = None) -> float:
        time.sleep(REST_SECONDS)
        began = time.perf_counter()
        line.request(method, path, body, self._headers)
        answer = line.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        return (time.perf_counter() - began) * 1000


async def furnished(service: ServiceProcess) -> tuple[Large, Small]:
    """Make both organizations."""
    async with World(service.url).visit() as world:
        world.sa, other = await world.login(SA), await world.login(OUTSIDER)
        boards = [await world.board(title=f"Board {n}") for n in range(CARDS // scene.CARDS_PER_BOARD)]
        agent, theirs = await world.agent(), await world.board(other)
        large = await asyncio.to_thread(Large, service, world.sa, agent, boards)
        return large, await asyncio.to_thread(Small, service, other, theirs)


@contextlib.asynccontextmanager
async def listening(large: Large, count: int) -> Any:
    """Have so many listen to the large organization, and take what they are told."""
    streams = [await listeners.listen(large.service, large.sa) for _ in range(count)]
    with listeners.drained(streams):
        yield
    for _, writer in streams:
        writer.close()


async def measure(service: ServiceProcess, options: Any) -> None:
    """Measure each thing in turns with quiet times, and print it."""
    large, small = await furnished(service)
    head = ("thing", "a second", "read p50", "p99", "quiet", "factor", "write p50", "p99", "quiet", "factor", "failed")
    print("".join(name.ljust(28) if name == "thing" else name.rjust(10) for name in head), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (who, lua, connections) in (await asyncio.to_thread(large.things, Path(folder))).items():
            if options.only and not any(word in name for word in options.only):
                continue
            quiet, beside, loads = Taken(), Taken(), []
            for _ in range(options.turns):  # in turns: what else happens on the machine befalls both
                await asyncio.sleep(WARM_SECONDS)  # until what was begun for nobody any more is done too
                await asyncio.to_thread(small.ask, quiet, options.seconds)
                async with listening(large, LISTENERS if "listeners" in name else 0):
                    seconds, number = options.seconds + WARM_SECONDS, connections or options.connections
                    with wrk.Driver(service.url, seconds, who.headers | tools.HEADERS, lua, number) as driver:
                        await asyncio.sleep(WARM_SECONDS)
                        await asyncio.to_thread(small.ask, beside, options.seconds - 0.5)
                        loads.append(driver.load())
            show(name, loads, quiet, beside)


def show(name: str, loads: list[wrk.Load], quiet: Taken, beside: Taken) -> None:
    """Print what a thing did to reads and writes of others."""
    cells = []
    for alone, along in ((quiet.reads, beside.reads), (quiet.writes, beside.writes)):
        calm, p99 = yardstick.quantile(alone, 0.99), yardstick.quantile(along, 0.99)
        figures = (yardstick.quantile(along, 0.5), p99, calm)
        cells += [f"{figure:>10.2f}" for figure in figures] + [f"{p99 / calm:>9.1f}{'!' if p99 > 2 * calm else ' '}"]
    rate, failed = statistics.mean(load.rate for load in loads), sum(load.failed + load.lost for load in loads)
    print(f"{name:<28}{rate:>10,.1f}{''.join(cells)}{failed:>10}", flush=True)


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="words of the things to measure")
    parser.add_argument("--seconds", type=int, default=3, help="of one measurement")
    parser.add_argument("--turns", type=int, default=4, help="of quiet and not quiet, taken together")
    parser.add_argument("--connections", type=int, default=4, help="on which the large organization asks")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service(**listeners.ROOM) as service:
        asyncio.run(measure(service, options))


if __name__ == "__main__":
    main()
