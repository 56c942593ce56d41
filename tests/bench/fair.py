"""How long another organization waits while one caller sends as much as it can: milliseconds beside what is promised.

    python -m tests.bench.fair [--seconds N] [--connections N] [LOAD ...]            (needs wrk)

One caller of an organization with 10,000 cards sends one kind of request in a loop on 64 connections. Meanwhile a
member of another organization reads a card, searches and comments, one request at a time with short pauses. Shown are
median, 99th percentile and maximum of these, without the load (quiet) and beside it, and which share of the load was
refused with 503 overloaded. The last loads are as dear as a request can be, of one caller or of 16; beside them only
the maximum is promised. `!` marks what exceeds the promise. Use an otherwise idle machine with two cores: the service
has one, wrk and the other organization share the second.
"""

import argparse
import asyncio
import http.client
import itertools
import json
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import forms, idle_listeners, many_people
from ..process import ServiceProcess
from ..world import OUTSIDER, SA, Board, Client, World
from . import heavy, scene, wrk, yardstick

P99_PROMISED, MAXIMUM_PROMISED = 100, 1500  # milliseconds; the first beside units of up to 50 ms
CARDS, OWN_CARDS, LISTENERS, BATCH, UPLOADS, UPLOAD_BYTES = 10_000, 500, 200, 100, 50, 64 << 10
PAUSE_SECONDS = 0.003  # between two requests of the other organization
WARM_UP_SECONDS, PATIENCE_SECONDS = 1, 60
QUIET_SECONDS, IDLE_POLL_SECONDS = 3, 0.2
COMMENT = json.dumps({"content": "A comment of ordinary length, as people write them on cards."})
# wrk reads the snapshot from a file; its key is that of the organization itself.
IMPORT = """
local file = io.open("%s")
local body = file:read("*a")
file:close()
wrk.headers["Content-Type"] = "application/json"
function request() return wrk.format("POST", "/api/v1/admin/import", nil, body) end
"""
FORM = f'\nwrk.headers["Content-Type"] = "{forms.FORM}"\n'
Measured = dict[str, list[float]]  # milliseconds of each answer, by kind of request


@dataclass
class Load:
    """What one caller sends in a loop: a script of wrk, and the number of listeners in its organization."""

    caller: Client
    lua: str
    listeners: int = 0
    is_heavy: bool = False  # a unit of it may take longer than 50 ms


class Busy:
    """The organization whose caller sends the load."""

    def __init__(self, service: ServiceProcess, clients: dict[str, Any], boards: list[Board]) -> None:
        self.service, self.sa, self.agent, self.boards = service, clients["sa"], clients["agent"], boards
        self.colleagues, self.accounts = clients["colleagues"], clients["accounts"]
        places = [(board, "Todo") for board in boards] * (CARDS // len(boards))
        self.cards = scene.fill(service, self.sa, places)

    def path(self, path: str) -> str:
        """Return the whole path of a route of the organization."""
        return "/api/v1" + self.sa.org(path)

    def gets(self, *paths: str) -> list[wrk.Request]:
        """Return a GET request for each path."""
        return [("GET", path, "") for path in paths]

    def loads(self, folder: Path) -> dict[str, Load]:
        """Return every load by its name."""
        sa, agent = self.sa, self.agent
        board = self.gets(self.path(f"/board-flow?projectId={self.boards[0].id}"))
        comments = [("POST", f"/api/v1/cards/{card}/comments", COMMENT) for card in self.cards]
        pages = [self.path(f"/cards?sort=-updatedAt&pageSize=100&page={page}") for page in range(1, 100)]
        words = ["card", "number", "board", *map(str, range(100))]
        calls = [wrk.call_tool("get_card", card=card) for card in self.cards]
        return {
            "GET card": Load(sa, wrk.script(self.gets(*(f"/api/v1/cards/{card}" for card in self.cards)))),
            "comments": Load(sa, wrk.script(comments)),
            f"comments, {LISTENERS} listeners": Load(sa, wrk.script(comments), LISTENERS),
            "lists, pages of 100": Load(sa, wrk.script(self.gets(*pages))),
            "board of 5,000, 1 write in 5": Load(sa, wrk.script(board, board, board, board, self._renames())),
            "search": Load(sa, wrk.script(self.gets(*(self.path(f"/search?q={word}") for word in words)))),
            "analytics": Load(sa, wrk.script(self.gets(self.path("/analytics")))),
            "claims in a loop": Load(agent, wrk.write_claims(agent)),
            "tools, get_card": Load(agent, wrk.script(calls)),
            f"batches of {BATCH} edits": Load(sa, wrk.script(self._batches()), is_heavy=True),
            "wrong passwords": Load(sa, wrk.script(self._sign_ins())),
            "uploads of 64 KiB": Load(sa, wrk.script(self._uploads()) + FORM),
            "exports": Load(sa, wrk.script(self.gets("/api/v1/admin/export"))),
            "imports": Load(sa, IMPORT % self._snapshot(folder)),
            **self._heavy_loads(),
        }

    def _heavy_loads(self) -> dict[str, Load]:
        """Return the loads whose single requests are as dear as they can be."""
        sa, several = self.sa, heavy.callers(self.colleagues)
        cards = heavy.Heavy(sa, scene.Line(self.service), self.boards[0], self.boards[1])
        loads = {name: Load(sa, wrk.script(found), is_heavy=True) for name, found in cards.requests().items()}
        searches = wrk.script(heavy.searches(self.accounts)) + heavy.callers(self.accounts)
        return loads | {
            f"batches of {len(self.colleagues)} members": Load(
                sa, wrk.script(self._batches()) + several, is_heavy=True
            ),
            f"{len(self.accounts)} accounts search": Load(sa, searches, is_heavy=True),
        }

    def _renames(self) -> list[wrk.Request]:
        renamed = enumerate(self.cards)
        return [("PATCH", f"/api/v1/cards/{card}", json.dumps({"title": f"Card {n}"})) for n, card in renamed]

    def _batches(self) -> list[wrk.Request]:
        found = []
        for number, start in enumerate(range(0, len(self.cards), BATCH)):
            edit = {"title": f"Card of batch {number}"}
            operations = [{"cardId": card, "edit": edit} for card in self.cards[start : start + BATCH]]
            found.append(("POST", self.path("/cards/batch"), json.dumps({"operations": operations})))
        return found

    def _sign_ins(self) -> list[wrk.Request]:
        # The e-mails are unknown: the passwords of the test accounts are hashed at a lower cost than those of others.
        bodies = [{"email": f"nobody-{n}@example.test", "password": "correct horse"} for n in range(100)]
        return [("POST", "/api/v1/auth/login", json.dumps(body)) for body in bodies]

    def _uploads(self) -> list[wrk.Request]:
        field_id, content = self.boards[0].field("attachments"), forms.blob(b"x" * UPLOAD_BYTES) + forms.END
        bodies = [forms.target({"id": card}, field_id) + content for card in self.cards[:UPLOADS]]
        return [("POST", "/api/v1/files", body.decode()) for body in bodies]

    def _snapshot(self, folder: Path) -> Path:
        """Write the organization's own export to a file."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port)
        connection.request("GET", "/api/v1/admin/export", headers=self.sa.headers)
        (file := folder / "snapshot.json").write_bytes(connection.getresponse().read())
        return file


@dataclass
class Other:
    """A member of another organization, whose requests are measured."""

    service: ServiceProcess
    member: Client
    cards: itertools.cycle  # type: ignore[type-arg]
    refused: int = field(default=0, init=False)

    def measure(self, seconds: float) -> Measured:
        """Read, search and comment in turn for some seconds; return the milliseconds of each."""
        self.refused = 0
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=PATIENCE_SECONDS)
        found: Measured = {"GET card": [], "search": [], "comment": []}
        until, search = time.perf_counter() + seconds, "/api/v1" + self.member.org("/search?q=number")
        while time.perf_counter() < until:
            card = f"/api/v1/cards/{next(self.cards)}"
            found["GET card"].append(self._request(connection, "GET", card))
            found["search"].append(self._request(connection, "GET", search))
            found["comment"].append(self._request(connection, "POST", card + "/comments", COMMENT))
        connection.close()
        return found

    def _request(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: str | None = None
    ) -> float:
        time.sleep(PAUSE_SECONDS)
        began = time.perf_counter()
        connection.request(method, path, body, {**self.member.headers, "Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        self.refused += answer.status != 200
        return (time.perf_counter() - began) * 1000


def add_people(path: Path) -> None:
    """Add the callers of the loads that several callers send."""
    asyncio.run(many_people.add_architects(path, many_people.COLLEAGUES))
    asyncio.run(many_people.add_organizations(path, many_people.STRANGERS))


async def furnish(service: ServiceProcess) -> tuple[Busy, Other]:
    """Create both organizations."""
    async with World(service.url).ctx() as world:
        world.sa, outsider = await world.login(SA), await world.login(OUTSIDER)
        boards = [await world.board(title=f"Board {n}") for n in range(CARDS // scene.CARDS_PER_BOARD)]
        agent, board = await world.agent(), await world.board(outsider)
        clients: dict[str, Any] = {"sa": world.sa, "agent": agent}
        clients["colleagues"] = [await world.login(email) for email in many_people.COLLEAGUES]
        clients["accounts"] = [await world.login(email) for emails in many_people.STRANGERS for email in emails]
        busy = await asyncio.to_thread(Busy, service, clients, boards)
        cards = await asyncio.to_thread(scene.fill, service, outsider, [(board, "Todo")] * OWN_CARDS)
        return busy, Other(service, outsider, itertools.cycle(cards))


@asynccontextmanager
async def listening(busy: Busy, count: int) -> AsyncIterator[None]:
    """Let clients listen to the events of the busy organization and drain what they receive."""
    streams = [await idle_listeners.listen(busy.service, busy.sa) for _ in range(count)]
    with idle_listeners.drained(streams):
        yield
    for _, writer in streams:
        writer.close()


async def measure(busy: Busy, other: Other, name: str, load: Load, options: argparse.Namespace) -> None:
    """Measure the other organization without and beside a load, and print both."""
    quiet = await asyncio.to_thread(other.measure, QUIET_SECONDS)
    seconds, headers = options.seconds + WARM_UP_SECONDS, load.caller.headers | wrk.TOOL_HEADERS
    lua = load.lua + wrk.REFUSALS
    async with listening(busy, load.listeners):
        with wrk.Driver(busy.service.url, seconds, headers, lua, options.connections) as driver:
            await asyncio.sleep(WARM_UP_SECONDS)
            beside = await asyncio.to_thread(other.measure, options.seconds - 0.5)
            show(name, driver.load(), quiet, beside, other.refused, load.is_heavy)
    await asyncio.to_thread(wait_until_idle, busy.service)


def wait_until_idle(service: ServiceProcess) -> None:
    """Wait until the writes and the jobs of a load that still waited are done."""
    query = "SELECT count(*) FROM jobs"
    with closing(sqlite3.connect(scene.database(service))) as connection:
        while count_waiting_writes(service) or connection.execute(query).fetchone()[0]:
            time.sleep(IDLE_POLL_SECONDS)
    time.sleep(IDLE_POLL_SECONDS)  # for the last one


def count_waiting_writes(service: ServiceProcess) -> int:
    """Return how many writes wait for the writer."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    connection.request("GET", "/metrics")
    found = re.search(r"^tandem_writer_queue (\d+)", connection.getresponse().read().decode(), re.MULTILINE)
    connection.close()
    assert found is not None
    return int(found[1])


def show(name: str, load: wrk.Load, quiet: Measured, beside: Measured, refused: int, is_heavy: bool) -> None:
    """Print a row for each kind of request that was measured beside a load."""
    share = load.overloaded / max(1, load.requests)
    head = f"{name:<30}{load.rate:>10,.0f}{share:>7.0%}{load.failed - load.overloaded + load.lost:>7}"
    for kind in quiet:
        mark = "!" if is_over(beside[kind], is_heavy) else " "
        print(f"{head:<54}  {kind:<9}{cells(quiet[kind])}   {cells(beside[kind])} {mark}", flush=True)
        head = ""
    if refused:
        print(f"{'':<54}  {refused} requests of the other organization failed !", flush=True)


def cells(taken: list[float]) -> str:
    """Return median, 99th percentile and maximum as cells of the table."""
    return f"{statistics.median(taken):>8.1f}{yardstick.quantile(taken, 0.99):>8.1f}{max(taken):>8.1f}"


def is_over(taken: list[float], is_heavy: bool) -> bool:
    """Return whether these milliseconds exceed what is promised."""
    is_often_late = yardstick.quantile(taken, 0.99) > P99_PROMISED and not is_heavy
    return is_often_late or max(taken) > MAXIMUM_PROMISED


async def run(service: ServiceProcess, options: argparse.Namespace) -> None:
    """Measure beside each load that was asked for, and print a table."""
    busy, other = await furnish(service)
    print(f"{'':<63}{'quiet, ms':>24}   {f'beside it, ms (p99 {P99_PROMISED}, max {MAXIMUM_PROMISED:,})':>24}")
    figures = f"{'p50':>8}{'p99':>8}{'max':>8}"
    print(f"{'load':<30}{'a second':>10}{'503':>7}{'errors':>7}  {'request':<9}{figures}   {figures}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, load in (await asyncio.to_thread(busy.loads, Path(folder))).items():
            if not options.load or any(word in name for word in options.load):
                await measure(busy, other, name, load, options)


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("load", nargs="*", help="measure only loads whose name has one of these words")
    parser.add_argument("--seconds", type=int, default=10, help="of one measurement")
    parser.add_argument("--connections", type=int, default=64, help="on which the load is sent")
    options = parser.parse_args()
    yardstick.describe()
    with yardstick.service(add_people, **idle_listeners.ROOM) as service:
        asyncio.run(run(service, options))


if __name__ == "__main__":
    main()
