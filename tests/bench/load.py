"""How the service bears load: from 1 to 256 connections, and then more than it can take.

    python -m tests.bench.load [--seconds N]            (needs wrk)

Of ten requests seven read a card, two comment, one asks for a page of a board; always another one of 10,000 cards.
Beside what wrk sees stands where a request waits on average, in ms, as /metrics tells: `loop` for the event loop, which
has other connections in hand; a comment in `queue`, before its group of writes begins, then for the `commit` of that; a
page for its `turn` at a reader. Each step stands beside a bare aiohttp hello on as many connections.

Overload is 256 connections that ask for pages of one organization, and 3,000 that comment: what is too much is refused
(503 overloaded with Retry-After), the rest is answered.
"""

import argparse
import asyncio
import json
import random
import re
import urllib.request
from collections import Counter

from ..process import ServiceProcess
from ..world import SA, Client, World
from . import scene, wrk, yardstick

CARDS, STEPS, CROWD = 10_000, (1, 2, 4, 8, 16, 32, 64, 128, 256), 3000
SAID = json.dumps({"content": "A comment of ordinary length, as people write them on cards."})
SAMPLE = re.compile(r"^tandem_(\w+?)(\{.*\})? ([0-9.e+-]+)$", re.MULTILINE)
Lists = dict[str, list[wrk.Request]]


async def furnished(service: ServiceProcess) -> tuple[Client, Lists]:
    """Make two boards with cards, and name what can be asked of them."""
    async with World(service.url).ctx() as world:
        world.sa = await world.login(SA)
        boards = [await world.board(title=f"Board {n}") for n in range(CARDS // scene.CARDS_PER_BOARD)]
        places = [(board, "Todo") for board in boards] * scene.CARDS_PER_BOARD
        cards = await asyncio.to_thread(scene.fill, service, world.sa, places)
        random.Random(1).shuffle(cards)  # noqa: S311
        page = f"/api/v1{world.sa.org('/cards')}?projectId={boards[0].id}&page="
        return world.sa, {
            "card": [("GET", f"/api/v1/cards/{card}", "") for card in cards],
            "comment": [("POST", f"/api/v1/cards/{card}/comments", SAID) for card in reversed(cards)],
            "page": [("GET", f"{page}{number}", "") for number in range(1, 200)],
        }


class Figures:
    """The sums of /metrics at a moment; one moment less another is what happened in between."""

    def __init__(self, service: ServiceProcess) -> None:
        self.sums: Counter[str] = Counter()
        with urllib.request.urlopen(service.url + "/metrics") as answer:
            for name, labels, value in SAMPLE.findall(answer.read().decode()):
                self.sums[name] += float(value)  # type: ignore[assignment]
                if "/comments" in labels:
                    self.sums[f"{name} of comments"] += float(value)  # type: ignore[assignment]

    def mean(self, before: "Figures", seconds: str, count: str) -> float:
        """Return how many ms each took since."""
        times = self.sums[count] - before.sums[count]
        return (self.sums[seconds] - before.sums[seconds]) / times * 1000 if times else 0.0


def step(service: ServiceProcess, hello: yardstick.Hello, lua: str, sa: Client, connections: int, seconds: int) -> None:
    """Measure on so many connections, and print it."""
    before = Figures(service)
    load = wrk.drive(service.url, seconds, sa.headers, lua, connections)
    after = Figures(service)
    ratio = load.rate / wrk.drive(hello.url, seconds, connections=connections).rate
    handled = after.mean(before, "request_seconds_sum", "request_seconds_count")
    comment = after.mean(before, "request_seconds_sum of comments", "request_seconds_count of comments")
    commit = after.mean(before, "writer_busy_seconds_total", "writer_groups_total")
    turn = after.mean(before, "reader_wait_seconds_total", "reader_reads_total")
    waits = (max(0.0, load.mean - handled), max(0.0, comment - commit), commit, turn)
    print(
        f"{connections:>11}{load.rate:>10,.0f}{ratio:>10.3f}{load.p50:>9.1f}{load.p99:>9.1f}{load.worst:>9.0f}"
        + "".join(f"{wait:>9.2f}" for wait in waits)
        + f"{load.failed + load.lost:>8}",
        flush=True,
    )


def overload(service: ServiceProcess, sa: Client, name: str, lists: Lists, connections: int, seconds: int) -> None:
    """Ask for more than can be done, and print what became of it."""
    load = wrk.drive(service.url, seconds, sa.headers, wrk.script(lists[name]) + wrk.REFUSALS, connections)
    good = (load.requests - load.failed) / load.requests * load.rate
    print(
        f"{connections:,} connections, {name}s: {good:,.0f}/s answered, {load.overloaded:,} refused with 503 and"
        f" Retry-After, {load.failed - load.overloaded} otherwise, {load.lost} lost; p50 {load.p50:.0f}, p99"
        f" {load.p99:.0f}, worst {load.worst:.0f} ms",
        flush=True,
    )


def main() -> None:
    """Measure each step, then overload."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=3, help="of one measurement")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service() as service, yardstick.hello() as hello:
        sa, lists = asyncio.run(furnished(service))
        reads = [lists["card"]] * 3
        lua = wrk.script(*reads, lists["comment"], *reads, lists["page"], lists["card"], lists["comment"])
        head = ("a second", "of hello", "p50, ms", "p99", "worst", "loop", "queue", "commit", "turn", "failed")
        widths = (10, 10, 9, 9, 9, 9, 9, 9, 9, 8)
        print("connections" + "".join(name.rjust(width) for name, width in zip(head, widths, strict=True)))
        for connections in STEPS:
            step(service, hello, lua, sa, connections, options.seconds)
        overload(service, sa, "page", lists, STEPS[-1], options.seconds)
        overload(service, sa, "comment", lists, CROWD, options.seconds)
        began = wrk.drive(service.url, 1, sa.headers, wrk.script(lists["card"]), 1)
        print(f"afterwards a card is read in {began.p50:.2f} ms, {began.failed + began.lost} failed")


if __name__ == "__main__":
    main()
