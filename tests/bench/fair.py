"""What each expensive thing that one organization does costs another: its p50 and p99, beside those when all is quiet.

    python -m tests.bench.fair [--seconds N] [--turns N] [--connections N] [ONLY ...]            (needs wrk)

One organization has 10,000 cards and does one thing in a loop, on four connections or one. Another reads a card of its
own and comments on one, a request every few milliseconds, and asks a bare aiohttp "hello" likewise when all is quiet.
Shown are ms, the median of the turns, p50 also in hellos; the factor is that of the p99 to the quiet one of the same
turn (median, least and most): none should be over 2.
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
from urllib.parse import urlsplit

from ..process import ServiceProcess
from ..world import OUTSIDER, SA, Board, Client, World
from . import claiming, listeners, scene, tools, wrk, yardstick

CARDS, OWN_CARDS, LISTENERS, HELLOS = 10_000, 500, 200, 200
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


@dataclass
class Turn:
    """What hellos took, and reads and writes when all was quiet and beside a thing, and how often that was done."""

    hellos: list[float]
    quiet: Taken
    beside: Taken
    load: wrk.Load


@dataclass
class Thing:
    """Something expensive: who asks for it, by which script of wrk, on how many connections if not as usual."""

    who: Client
    lua: str
    connections: int | None = None
    listeners: int = 0


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

    def things(self, folder: Path) -> dict[str, Thing]:
        """Name what it does."""
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
        searched = self.gets(*(self.path(f"/search?q={word}") for word in words))
        return {
            "lists, deep pages of 100": Thing(sa, wrk.script(self.gets(*deep))),
            "board of 5,000, changing": Thing(sa, wrk.script(boards, renamed)),
            "search": Thing(sa, wrk.script(searched)),
            "analytics": Thing(sa, wrk.script(self.gets(self.path("/analytics")))),
            "export": Thing(sa, wrk.script(self.gets("/api/v1/admin/export")), connections=1),
            "import": Thing(sa, IMPORT % self.snapshot(folder), connections=1),
            "claims, one agent": Thing(self.agent, claiming.claims(self.agent), connections=1),
            "comments": Thing(sa, wrk.script(said)),
            "passwords, all wrong": Thing(sa, wrk.script(signed)),
            "tools, get_card": Thing(self.agent, wrk.script(keys)),
            f"comments, {LISTENERS} listeners": Thing(sa, wrk.script(said), connections=1, listeners=LISTENERS),
        }

    def snapshot(self, folder: Path) -> Path:
        """Write the organization's own export to a file."""
        line = http.client.HTTPConnection("127.0.0.1", self.service.port)
        line.request("GET", "/api/v1/admin/export", headers=self.sa.headers)
        (file := folder / "snapshot.json").write_bytes(line.getresponse().read())
        return file


class Small:
    """The organization that should not notice."""

    def __init__(self, service: ServiceProcess, hello: yardstick.Hello, sa: Client, board: Board) -> None:
        self._lines = [http.client.HTTPConnection("127.0.0.1", service.port) for _ in range(2)]
        self._hello = http.client.HTTPConnection(urlsplit(hello.url).netloc)
        self._cards = itertools.cycle(scene.fill(service, sa, [(board, "Todo")] * OWN_CARDS))
        self._headers = {**sa.headers, "Content-Type": "application/json"}

    def ask(self, seconds: float) -> Taken:
        """Read and write in turn for so long, and note what that took."""
        taken, until = Taken(), time.perf_counter() + seconds
        while time.perf_counter() < until:
            taken.reads.append(self._once(self._lines[0], "GET", f"/api/v1/cards/{next(self._cards)}"))
            path = f"/api/v1/cards/{next(self._cards)}/comments"
            taken.writes.append(self._once(self._lines[1], "POST", path, SAID))
        return taken

    def greet(self) -> list[float]:
        """Ask hello some times, and note what that took."""
        return [self._once(self._hello, "GET", "/") for _ in range(HELLOS)]

    def _once(self, line: http.client.HTTPConnection, method: str, path: str, body: str | None = None) -> float:
        time.sleep(REST_SECONDS)
        began = time.perf_counter()
        line.request(method, path, body, self._headers)
        answer = line.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        return (time.perf_counter() - began) * 1000


async def furnished(service: ServiceProcess, hello: yardstick.Hello) -> tuple[Large, Small]:
    """Make both organizations."""
    async with World(service.url).visit() as world:
        world.sa, other = await world.login(SA), await world.login(OUTSIDER)
        boards = [await world.board(title=f"Board {n}") for n in range(CARDS // scene.CARDS_PER_BOARD)]
        agent, theirs = await world.agent(), await world.board(other)
        large = await asyncio.to_thread(Large, service, world.sa, agent, boards)
        return large, await asyncio.to_thread(Small, service, hello, other, theirs)


@contextlib.asynccontextmanager
async def listening(large: Large, count: int) -> Any:
    """Have so many listen to the large organization, and take what they are told."""
    streams = [await listeners.listen(large.service, large.sa) for _ in range(count)]
    with listeners.drained(streams):
        yield
    for _, writer in streams:
        writer.close()


async def turned(large: Large, small: Small, thing: Thing, options: argparse.Namespace) -> Turn:
    """Measure once when all is quiet, and once beside a thing."""
    await asyncio.sleep(WARM_SECONDS)  # the last turn's may have begun what is not done yet
    hellos = await asyncio.to_thread(small.greet)
    quiet = await asyncio.to_thread(small.ask, options.seconds)
    async with listening(large, thing.listeners):
        seconds, number = options.seconds + WARM_SECONDS, thing.connections or options.connections
        with wrk.Driver(large.service.url, seconds, thing.who.headers | tools.HEADERS, thing.lua, number) as driver:
            await asyncio.sleep(WARM_SECONDS)
            beside = await asyncio.to_thread(small.ask, options.seconds - 0.5)
            return Turn(hellos, quiet, beside, driver.load())


async def measure(service: ServiceProcess, hello: yardstick.Hello, options: argparse.Namespace) -> None:
    """Measure each thing in turns with quiet times, and print it."""
    large, small = await furnished(service, hello)
    head = "".join(name.rjust(9) for name in ("p50", "hellos", "p99", "quiet"))
    print(f"{'thing':<27}{'a second':>10}{'failed':>8}        {head}   factor of p99", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, thing in (await asyncio.to_thread(large.things, Path(folder))).items():
            if not options.only or any(word in name for word in options.only):
                show(name, [await turned(large, small, thing, options) for _ in range(options.turns)])


def show(name: str, turns: list[Turn]) -> None:
    """Print what a thing did to reads and writes of others."""
    rate, failed = statistics.mean(turn.load.rate for turn in turns), sum(turn.load.failed for turn in turns)
    reads = cells([(turn.quiet.reads, turn.beside.reads, turn.hellos) for turn in turns])
    writes = cells([(turn.quiet.writes, turn.beside.writes, turn.hellos) for turn in turns])
    print(f"{name:<27}{rate:>10,.1f}{failed:>8}  reads {reads}\n{'':<45}  writes{writes}", flush=True)


def cells(turns: list[tuple[list[float], list[float], list[float]]]) -> str:
    """Tell the medians over the turns, each of what was taken in quiet, beside the thing, and by hello."""
    p50s = [yardstick.quantile(beside, 0.5) for _, beside, _ in turns]
    hellos = [p50 / yardstick.quantile(hello, 0.5) for p50, (_, _, hello) in zip(p50s, turns, strict=True)]
    p99s = [yardstick.quantile(beside, 0.99) for _, beside, _ in turns]
    calm = [yardstick.quantile(quiet, 0.99) for quiet, _, _ in turns]
    factors = [p99 / one for p99, one in zip(p99s, calm, strict=True)]
    figures = [
        f"{statistics.median(one):>9.{digits}f}" for one, digits in ((p50s, 2), (hellos, 1), (p99s, 2), (calm, 2))
    ]
    return f"{''.join(figures)}   {yardstick.spread(factors, '.1f')}{'!' if statistics.median(factors) > 2 else ''}"


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="words of the things to measure")
    parser.add_argument("--seconds", type=int, default=3, help="of one measurement")
    parser.add_argument("--turns", type=int, default=5, help="of quiet and not quiet, taken together")
    parser.add_argument("--connections", type=int, default=4, help="on which the large organization asks")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service(**listeners.ROOM) as service, yardstick.hello() as hello:
        asyncio.run(measure(service, hello, options))


if __name__ == "__main__":
    main()
