"""How fast the service is, told as a ratio to a bare aiohttp "hello" measured in the same run.

    python -m tests.bench.speed [--seconds N] [--turns N]            (needs wrk: apt-get install wrk)

Another one of 10,000 cards is asked for each time; where it says so one request in five is a write, and boards have to
be made anew after each. Service and hello share one core and are driven in turns from another, with fsync on: each
figure is the median of the turns, the ratio with the least and the most. `CPU` is the time of the core that an answer
takes, in answers of hello: disk and other programs change it little. Nothing here is asserted: read the table.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..process import ServiceProcess
from ..world import SA, Board, Client, World
from . import scene, wrk, yardstick

LARGE, SMALL = 5000, 200  # cards of a board
WRITES_MAX = 10_000  # of a turn
SAID = json.dumps({"content": "A comment of ordinary length, as people write them on cards."})
TURN_ROUND = {"Todo": "In Progress", "In Progress": "Todo"}
Lists = list[list[wrk.Request]]  # that take turns


@dataclass
class Row:
    """What is measured: how fast it should be, on how many connections, and what is asked in a turn."""

    goal: str
    lists: Callable[[int], Lists]
    connections: int = 64


class Organization:
    """An organization with two large boards, a small one, and one for cards to be made on."""

    def __init__(self, service: ServiceProcess, sa: Client, boards: list[Board]) -> None:
        self.sa, self.line, self.boards = sa, scene.Line(service), boards
        columns = ["Todo", "In Progress"]
        places = [(board, column) for board in boards[:2] for column in columns for _ in range(LARGE // 2)]
        places += [(boards[2], "Todo")] * SMALL
        self.placed = list(zip(scene.fill(service, sa, places), places, strict=True))
        random.Random(1).shuffle(self.placed)  # noqa: S311

    def path(self, path: str) -> str:
        """Return the whole path of a route of the organization."""
        return "/api/v1" + self.sa.org(path)

    def on(self, board: Board) -> list[str]:
        """Name the cards of a board."""
        return [card for card, (place, _) in self.placed if place is board]

    def moves(self, turn: int, turns: int) -> list[wrk.Request]:
        """Move cards that no other turn moves, to and fro."""
        own = self.placed[turn * len(self.placed) // turns : (turn + 1) * len(self.placed) // turns]
        there = [_moved(card, board, TURN_ROUND[column]) for card, (board, column) in own]
        return there + [_moved(card, board, column) for card, (board, column) in own]

    def rows(self, turns: int) -> dict[str, Row]:
        """Name what is measured."""
        large, _, small, empty = self.boards
        cards = [card for card, _ in self.placed]
        gets = [("GET", f"/api/v1/cards/{card}", "") for card in cards]
        comments = [("POST", f"/api/v1/cards/{card}/comments", SAID) for card in reversed(cards)]
        pages = [("GET", self.path(f"/cards?projectId={large.id}&pageSize=100&page={n}"), "") for n in range(1, 51)]
        searches = [("GET", self.path(f"/search?q={number}"), "") for number in range(LARGE)]
        new = {"projectId": empty.id, "columnId": empty.columns["Todo"], "cardTypeId": empty.card_type["id"]}
        creates = [("POST", self.path("/cards"), json.dumps({**new, "title": f"Card {n}"})) for n in range(100)]
        return {
            "GET card": Row("0.45", lambda _: [gets]),
            "GET card, 1 write in 5": Row("", lambda _: [gets] * 4 + [comments]),
            "move": Row("0.22", lambda turn: [self.moves(turn, turns)]),
            "comment": Row("0.25", lambda _: [comments]),
            "board of 200, at rest": Row("0.05", lambda _: [self._board(small)]),
            "board of 200, 1 write in 5": Row("", lambda _: self._changing(small)),
            "board of 5,000, at rest": Row("100/s", lambda _: [self._board(large)], 4),
            "board of 5,000, 1 write in 5": Row("", lambda _: self._changing(large), 4),
            "page of 100 of 5,000": Row("2,000/s", lambda _: [pages]),
            "page of 100, 1 write in 5": Row("", lambda _: [pages] * 4 + [comments]),
            "search of 10,000": Row("1,500/s", lambda _: [searches]),
            "create": Row("", lambda _: [creates]),
        }

    def _board(self, board: Board) -> list[wrk.Request]:
        return [("GET", self.path(f"/board-flow?projectId={board.id}"), "")]

    def _changing(self, board: Board) -> Lists:
        # A title that stands there already changes nothing.
        titles, cards = itertools.count(time.time_ns()), self.on(board)
        again = cards * (WRITES_MAX // len(cards))
        renames = [("PATCH", f"/api/v1/cards/{card}", json.dumps({"title": f"Card {next(titles)}"})) for card in again]
        return [self._board(board)] * 4 + [renames]


def _moved(card: str, board: Board, column: str) -> wrk.Request:
    return "PATCH", f"/api/v1/cards/{card}/status", json.dumps({"toColumnId": board.columns[column]})


async def furnished(service: ServiceProcess) -> Organization:
    """Make the organization."""
    async with World(service.url).ctx() as world:
        world.sa = await world.login(SA)
        boards = [await world.board(title=title) for title in ("Large", "Other", "Small", "Empty")]
        return await asyncio.to_thread(Organization, service, world.sa, boards)


@dataclass
class Turn:
    """What was measured in a turn: the load, and its rate and CPU time beside hello."""

    load: wrk.Load
    ratio: float
    hellos: float


def turned(
    service: ServiceProcess, hello: yardstick.Hello, scenery: Organization, row: Row, number: int, seconds: int
) -> Turn:
    """Measure a row once, and then hello."""
    lua, pids = wrk.script(*row.lists(number)), (service.process.pid, hello.pid)
    before = [yardstick.cpu(pid) for pid in pids]
    load = wrk.drive(service.url, seconds, scenery.sa.headers, lua, row.connections)
    own = (yardstick.cpu(pids[0]) - before[0]) / load.requests
    bare = wrk.drive(hello.url, seconds)
    one = (yardstick.cpu(pids[1]) - before[1]) / bare.requests
    return Turn(load, load.rate / bare.rate, own / one)


def measure(service: ServiceProcess, hello: yardstick.Hello, scenery: Organization, options: Any) -> None:
    """Measure each row in turns with hello, and print it."""
    head = (
        f"{'request':<30}{'a second':>10}   {'of hello':<22}{'goal':>8}{'CPU, hellos':>13}{'p50, ms':>9}{'p99, ms':>9}"
    )
    print(f"{head}{'failed':>8}", flush=True)
    for name, row in scenery.rows(options.turns).items():
        turns = [turned(service, hello, scenery, row, number, options.seconds) for number in range(options.turns)]
        rate, p50, p99 = (
            statistics.median(getattr(turn.load, key) for turn in turns) for key in ("rate", "p50", "p99")
        )
        ratios, hellos = yardstick.spread([turn.ratio for turn in turns], ".3f"), [turn.hellos for turn in turns]
        failed = sum(turn.load.failed + turn.load.lost for turn in turns)
        cells = f"{rate:>10,.0f}   {ratios:<22}{row.goal:>8}{statistics.median(hellos):>13.1f}{p50:>9.1f}{p99:>9.1f}"
        print(f"{name:<30}{cells}{failed:>8}", flush=True)


def started_again(service: ServiceProcess, scenery: Organization) -> float:
    """Start the service on what is there by now, and return the seconds until its first answer."""
    service.stop()
    os.sched_setaffinity(0, {yardstick.SERVICE_CORE, yardstick.DRIVER_CORE})  # the service inherits it
    began = time.perf_counter()
    service.start()
    scene.Line(service).ask(scenery.sa, "GET", f"/cards/{scenery.placed[0][0]}")
    return time.perf_counter() - began


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=2, help="of one measurement")
    parser.add_argument("--turns", type=int, default=3, help="the median of so many is shown")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service() as service, yardstick.hello() as hello:
        print(f"idle memory: {yardstick.resident(service.process.pid) / (1 << 20):.1f} MB (goal: under 60)")
        scenery = asyncio.run(furnished(service))
        measure(service, hello, scenery, options)
        print(f"first answer after a start: {started_again(service, scenery):.2f} s (goal: 0.8)")


if __name__ == "__main__":
    main()
