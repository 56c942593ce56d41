"""Whatever one caller sends on 64 connections, the requests of another organization are answered in time.

The promise is 0.1 s for 99 of 100 requests and 1.5 s for all, on a quiet machine (`python -m tests.bench.fair`). Other
programs use this machine too, so nine of ten have 1 s here, and every request has to succeed.
"""

import asyncio
import itertools
import shutil
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from .many_people import STRANGERS, add_organizations
from .process import ServiceProcess
from .world import OUTSIDER, PASSWORD, SA, SECRET, Answer, Board, Client, World

CONNECTIONS, CARDS, CARDS_AT_ONCE, ROUNDS = 64, 400, 40, 6
BEGINNINGS = "+".join(f"{first}{second}" for first in "tewnmo" for second in "etxohirum")
LONG_TEXT = "A text with the word number and many others. " * 300  # makes a search take some ten milliseconds
P90_SECONDS, MAXIMUM_SECONDS = 1.0, 10.0
SETTINGS = {
    "SERVICE_JWT_SECRET": SECRET,
    "SERVICE_RATE_LIMITS": "disabled",
    "SERVICE_TRUSTED_PROXIES": "127.0.0.1",
    "SERVICE_AGENT_CREATES_PER_HOUR": "0",
    "SERVICE_AGENT_CLAIMS_MAX": "0",
}
Send = Callable[[], Awaitable[int]]  # returns the status


@dataclass
class Load:
    """The answers that one caller got: how many of each status, and the seconds that each took."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)


class Caller:
    """The caller of the load, and an agent of the same organization."""

    def __init__(self, sa: Client, agent: Client, known: dict[str, Any]) -> None:
        self.sa, self.agent, self.board = sa, agent, known["board"]
        self.cards, self.numbers = itertools.cycle(known["cards"]), itertools.count()
        self.searchers = itertools.cycle(known["searchers"])

    async def _send(self, method: str, path: str, body: Any = None, **headers: str) -> int:
        """Send a request and return its status; large answers are not parsed, which would keep this process busy."""
        path, headers = self.sa.base + "/api/v1" + path, {**self.sa.headers, **headers}
        async with self.sa.http.request(method, path, json=body, headers=headers) as response:
            await response.read()
            return response.status

    async def comment(self) -> int:
        return await self._send("POST", f"/cards/{next(self.cards)}/comments", {"content": "A comment"})

    async def read_board(self) -> int:
        """Read the whole board; every fifth time rename a card, so that the board has to be built again."""
        if (number := next(self.numbers)) % 5 == 0:
            return await self._send("PATCH", f"/cards/{next(self.cards)}", {"title": f"Renamed {number}"})
        return await self._send("GET", self.sa.org(f"/board-flow?projectId={self.board.id}"))

    async def list_cards(self) -> int:
        query = f"sort=-updatedAt&pageSize=100&page={next(self.numbers) % 9 + 1}&q=card"
        return await self._send("GET", self.sa.org(f"/cards?{query}"))

    async def search_for_many_words(self) -> int:
        """Search as the next of 16 accounts in 8 organizations, for words that many others begin with."""
        searcher = next(self.searchers)
        return await self._send("GET", searcher["path"] + "/search?pageSize=100&q=" + BEGINNINGS, **searcher["headers"])

    async def search(self) -> int:
        return await self._send("GET", self.sa.org("/search?pageSize=100&q=number"))

    async def edit_batch(self) -> int:
        """Rename 100 cards in one request."""
        number = next(self.numbers)
        edits = [{"cardId": next(self.cards), "edit": {"title": f"Renamed {number}"}} for _ in range(100)]
        return await self._send("POST", self.sa.org("/cards/batch"), {"operations": edits})

    async def edit_large_value(self) -> int:
        """Write 0.2 MB of text into a card."""
        text = f"{next(self.numbers)} " + "word " * 19_000
        names = ("description", "acceptance_criteria")
        values = [{"fieldId": self.board.field(name), "value": text} for name in names]
        return await self._send("PATCH", f"/cards/{next(self.cards)}", {"fieldValues": values})

    async def claim(self) -> int:
        """Claim the next card and release it."""
        claimed = (await self.agent.post(self.agent.org("/cards/claim/mcp"), {})).ok()
        return (await self.agent.delete(f"/cards/{claimed['id']}/claim/mcp")).status

    async def sign_in(self) -> int:
        body = {"email": f"nobody-{next(self.numbers)}@example.test", "password": "wrong password"}
        return await self._send("POST", "/auth/login", body, **{"X-Forwarded-For": "10.0.0.1"})


class Other:
    """A member of another organization."""

    def __init__(self, member: Client, card: str) -> None:
        self.member, self.card = member, card
        self.seconds: dict[str, list[float]] = {"read": [], "search": [], "comment": [], "sign in": []}

    async def ask(self, rounds: int, *more: str) -> None:
        """Send one request of each kind in each round; every one has to succeed."""
        requests = {
            "read": lambda: self.member.get(f"/cards/{self.card}"),
            "search": lambda: self.member.get(self.member.org("/search?q=theirs")),
            "comment": lambda: self.member.post(f"/cards/{self.card}/comments", {"content": "Another comment"}),
            "sign in": self._sign_in,
        }
        for _ in range(rounds):
            for kind in ("read", "search", "comment", *more):
                began = time.monotonic()
                (await requests[kind]()).ok()
                self.seconds[kind].append(time.monotonic() - began)

    async def _sign_in(self) -> Answer:
        body, address = {"email": OUTSIDER, "password": PASSWORD}, {"X-Forwarded-For": "10.9.9.9"}
        return await self.member.post("/auth/login", body, headers=address)

    def expect_answers_in_time(self) -> None:
        """Fail the test if the answers took longer than promised."""
        taken = sorted(self.seconds["read"] + self.seconds["search"] + self.seconds["comment"])
        assert taken[len(taken) * 9 // 10] < P90_SECONDS, self.seconds
        # A sign-in waits for the two hashes of each thread before it, a second of CPU together.
        assert max(taken + self.seconds["sign in"]) < MAXIMUM_SECONDS, self.seconds


@dataclass
class Scene:
    """A running service with two organizations."""

    service: ServiceProcess
    known: dict[str, Any]  # of fill()

    @asynccontextmanager
    async def ctx(self) -> AsyncIterator[tuple[Caller, Other]]:
        """Open connections as the caller of the load and as the other organization."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            clients = {name: Client(http, self.service.url, **who) for name, who in self.known["clients"].items()}
            caller = Caller(clients["sa"], clients["agent"], self.known)
            yield caller, Other(clients["other"], self.known["other_card"])

    def count(self, table: str, org_id: str) -> int:
        """Count the rows of an organization in a table."""
        with closing(sqlite3.connect(self.path)) as connection:
            row = connection.execute(f"SELECT count(*) FROM {table} WHERE org_id = ?", (org_id,)).fetchone()
        return int(row[0])

    @property
    def path(self) -> Path:
        """The database of the service."""
        return self.service.folder / "data" / "service.db"


async def fill(url: str) -> dict[str, Any]:
    """Create the cards of all organizations, by the routes; return who and what there is."""
    async with World(url).ctx() as world:
        world.sa, other = await world.login(SA), await world.login(OUTSIDER)
        board, agent, searchers = await world.board(), await world.agent(), []
        cards = await fill_board(world.sa, board, CARDS)
        for emails in STRANGERS:
            accounts = [await world.login(email) for email in emails]
            await fill_board(accounts[0], await world.board(accounts[0]), CARDS_AT_ONCE)
            searchers += [{"path": account.org(), "headers": account.headers} for account in accounts]
        other_card = await world.card(await world.board(other), by=other, title="One of theirs")
        people = {"sa": world.sa, "agent": agent, "other": other}
        clients = {name: {"headers": who.headers, "org_id": who.org_id} for name, who in people.items()}
        known = {"clients": clients, "board": board, "cards": cards, "other_card": other_card["id"]}
        return known | {"searchers": searchers}


async def fill_board(who: Client, board: Board, count: int) -> list[str]:
    """Create cards with a long text; return their ids."""
    place = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
    place["fieldValues"] = [{"fieldId": board.field("description"), "value": LONG_TEXT}]
    cards: list[str] = []
    for start in range(0, count, CARDS_AT_ONCE):
        items = [{**place, "title": f"Card {start + number}"} for number in range(CARDS_AT_ONCE)]
        made = (await who.post(who.org("/cards"), {"items": items})).ok()
        cards += [card["id"] for card in made["items"]]
    return cards


@pytest.fixture(scope="module")
def scene(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("load")
    (folder / "data").mkdir(mode=0o700)
    path = Path(shutil.copy(template, folder / "data" / "service.db"))
    asyncio.run(add_organizations(path, STRANGERS))
    with ServiceProcess(folder, SETTINGS) as process:
        yield Scene(process, asyncio.run(fill(process.url)))


async def load_while(send: Send, others: Awaitable[None]) -> Load:
    """Send requests in a loop on 64 connections until the others are done; every one that was sent is answered."""
    load, is_over = Load(), asyncio.Event()

    async def loop() -> None:
        while not is_over.is_set():
            began = time.monotonic()
            status = await send()
            load.seconds.append(time.monotonic() - began)
            load.statuses[status] += 1

    tasks = [asyncio.create_task(loop()) for _ in range(CONNECTIONS)]
    try:
        await asyncio.sleep(0.2)
        await others
    finally:
        is_over.set()
        await asyncio.gather(*tasks)
    return load


@pytest.mark.slow
async def test_comments(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        before = [scene.count("comments", one.org_id) for one in (caller.sa, other.member)]
        load = await load_while(caller.comment, other.ask(ROUNDS))
        after = [scene.count("comments", one.org_id) for one in (caller.sa, other.member)]
    other.expect_answers_in_time()
    assert load.statuses.keys() <= {200, 503}
    assert load.statuses[200] >= CONNECTIONS
    assert [after[0] - before[0], after[1] - before[1]] == [load.statuses[200], ROUNDS]


async def test_a_large_board_that_changes(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(caller.read_board, other.ask(ROUNDS))
    other.expect_answers_in_time()
    assert load.statuses.keys() == {200}


async def test_lists(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(caller.list_cards, other.ask(ROUNDS))
    other.expect_answers_in_time()
    assert load.statuses.keys() == {200}


@pytest.mark.parametrize("kind", [pytest.param("edit_batch", marks=pytest.mark.slow), "edit_large_value"])
async def test_large_writes(scene: Scene, kind: str) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(getattr(caller, kind), other.ask(ROUNDS))
    other.expect_answers_in_time()
    assert load.statuses.keys() <= {200, 503}
    assert load.statuses[200] > 0


@pytest.mark.slow
async def test_search(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(caller.search, other.ask(ROUNDS))
    other.expect_answers_in_time()
    assert load.statuses.keys() <= {200, 503}  # two at a time have a second by the clock, too little on a busy machine
    assert load.statuses[200] > 0
    # The searches of the caller wait for each other; those of the other organization do not wait for all of them.
    assert statistics.median(other.seconds["search"]) < statistics.median(load.seconds) / 2


@pytest.mark.slow
async def test_a_lone_caller_at_full_speed_is_never_refused(scene: Scene) -> None:
    """Send short and long writes on all connections, for ten times as long as a debt takes to reach its limit."""
    async with scene.ctx() as (caller, _):
        sends = itertools.cycle([caller.comment] * 20 + [caller.edit_batch, caller.edit_large_value])

        async def send() -> int:
            return await next(sends)()

        load = await load_while(send, asyncio.sleep(20))
    assert load.statuses.keys() == {200}, load.statuses
    assert load.statuses[200] > CONNECTIONS


async def test_searches_of_many_accounts_in_many_organizations(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(caller.search_for_many_words, other.ask(ROUNDS))
    other.expect_answers_in_time()
    assert load.statuses.keys() <= {200, 503}
    assert load.statuses[200] > 0


async def test_claims_in_a_loop(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(caller.claim, other.ask(ROUNDS))
    other.expect_answers_in_time()
    assert load.statuses.keys() == {204}
    assert scene.count("claims", caller.sa.org_id) == 0


@pytest.mark.slow
async def test_wrong_passwords(scene: Scene) -> None:
    async with scene.ctx() as (caller, other):
        load = await load_while(caller.sign_in, other.ask(ROUNDS // 3, "sign in"))
    other.expect_answers_in_time()
    assert load.statuses.keys() == {401, 503}
