"""A service that is killed again and again while all kinds of writes go on, and what must be there afterwards."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from service.database import copies

from .forms import blob, send, target
from .process import ServiceProcess
from .world import Answer, Board, Client, World

COLUMNS = ("Todo", "In Progress")  # a card goes to and fro
WRITES_BEFORE_KILL = 60  # that are acknowledged before a kill may come
KILL_SECONDS_MAX = 0.5  # after these
KINDS = ("title", "title", "comment", "comment", "retried", "reply", "upload", "remove", "move")
_numbers = itertools.count(1)
_chance = random.Random()  # noqa: S311  # each run another one


@dataclass
class Journal:
    """What the service has acknowledged to one writer about one card, in order."""

    card_id: str
    done: list[tuple[str, str]] = field(default_factory=list)  # kind of write, and a text that no other one has
    pending: tuple[str, str] | None = None  # was under way when the service was killed: it may be there or not

    def texts(self, *kinds: str) -> list[str]:
        return [text for kind, text in self.done if kind in kinds]

    def maybe(self, *kinds: str) -> list[str]:
        return [self.pending[1]] if self.pending and self.pending[0] in kinds else []


def content_of(name: str) -> bytes:
    """Return the contents of a file by its name: some larger than what is written at a time."""
    return (name.encode() + b"\n") * (200_000 if name.endswith("7") else 100)


class Load:
    """Writers of all kinds on the cards of a board, each with a card and a journal of its own."""

    def __init__(self, world: World, board: Board, bot: Client) -> None:
        self.world, self.board, self.bot = world, board, bot
        self.attachments = board.field("attachments")
        self.acknowledged = asyncio.Semaphore(0)
        self.files: dict[str, str] = {}  # name -> id
        self.comments: dict[str, list[str]] = {}  # card -> ids

    async def write_until_cut(self, journal: Journal) -> None:
        """Write whatever comes to mind until the service is gone."""
        while True:
            kind = _chance.choice(KINDS)
            step = getattr(self, f"_{kind}")(journal, f"{kind} {next(_numbers)}")
            if step is None:
                continue
            (kind, text), request = step
            journal.pending = kind, text
            try:
                answer = await request()
            except (aiohttp.ClientError, ConnectionError):
                return
            self._note(journal, kind, text, answer.ok())

    async def claim_until_cut(self, journal: Journal) -> None:
        """Claim a card, comment on it and give it back in turn, as an agent."""
        path = f"/cards/{journal.card_id}"
        while True:
            text = f"agent {next(_numbers)}"
            for kind, method, route, body in (
                ("claim", "POST", "/claim/mcp", {}),
                ("comment", "POST", "/comments/mcp", {"content": text}),
                ("release", "DELETE", "/claim/mcp", None),
            ):
                journal.pending = kind, text
                try:
                    answer = await self.bot.call(method, path + route, body)
                except (aiohttp.ClientError, ConnectionError):
                    return
                self._note(journal, kind, text, answer.ok())

    def _note(self, journal: Journal, kind: str, text: str, body: Any) -> None:
        journal.done.append((kind, text))
        journal.pending = None
        if kind == "upload":
            self.files[text] = body["id"]
        if kind == "comment":
            self.comments.setdefault(journal.card_id, []).append(body["id"])
        self.acknowledged.release()

    def _title(self, journal: Journal, text: str) -> "Step":
        return ("title", text), lambda: self.world.sa.patch(f"/cards/{journal.card_id}", {"title": text})

    def _comment(self, journal: Journal, text: str) -> "Step":
        path = f"/cards/{journal.card_id}/comments"
        return ("comment", text), lambda: self.world.member.post(path, {"content": text})

    def _retried(self, journal: Journal, text: str) -> "Step":
        return ("retried", text), lambda: self.send_once(journal, text)

    def send_once(self, journal: Journal, text: str) -> Awaitable[Answer]:
        """Comment under a key by which it is done once however often it is sent."""
        path, headers = f"/cards/{journal.card_id}/comments", {"Idempotency-Key": text}
        return self.world.sa.post(path, {"content": text}, headers=headers)

    def _reply(self, journal: Journal, text: str) -> "Step | None":
        found = self.comments.get(journal.card_id)
        if not found:
            return None
        path = f"/cards/{journal.card_id}/comments/{_chance.choice(found)}/replies"
        return ("reply", text), lambda: self.world.sa.post(path, {"content": text})

    def _upload(self, journal: Journal, text: str) -> "Step":
        where = target({"id": journal.card_id}, self.attachments)
        return ("upload", text), lambda: send(self.world.sa, where, blob(content_of(text), file_name=text))

    def _remove(self, journal: Journal, text: str) -> "Step | None":
        there = sorted(set(journal.texts("upload")) - set(journal.texts("remove")))
        if len(there) < 3:
            return None
        return ("remove", there[0]), lambda: self.world.sa.delete(f"/files/{self.files[there[0]]}")

    def _move(self, journal: Journal, text: str) -> "Step":
        moves = len(journal.texts("move"))
        to = self.board.columns[COLUMNS[(moves + 1) % 2]]
        path = f"/cards/{journal.card_id}/status"
        return ("move", f"{moves} {to}"), lambda: self.world.member.patch(path, {"toColumnId": to})


Step = tuple[tuple[str, str], Callable[[], Awaitable[Answer]]]


@dataclass
class Tally:
    """What was counted over all kills."""

    kills: int = 0
    acknowledged: Counter[str] = field(default_factory=Counter)
    pending: Counter[str] = field(default_factory=Counter)  # "stored" or "not stored"
    history_rows: int = 0
    files: int = 0
    lost: list[str] = field(default_factory=list)

    def told(self) -> list[str]:
        """Say in lines what was counted."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.acknowledged.items()))
        total = sum(self.acknowledged.values())
        return [
            f"kills                  {self.kills}",
            f"writes acknowledged    {total} ({kinds})",
            f"of them found again    {total - len(self.lost)}",
            f"comments under way      {self.pending['stored']} stored, {self.pending['not stored']} not",
            f"files read byte by byte {self.files}",
            f"history rows followed  {self.history_rows}",
            *(f"LOST: {line}" for line in self.lost),
        ]


async def crash(service: ServiceProcess, writers: int, tally: Tally, round_number: int) -> list[Journal]:
    """Let many write at once, kill the service while they do, and start it again."""
    async with World(service.url) as world:
        board = await world.board(title=f"Round {round_number}")
        bot = await world.agent(f"bot-{round_number}")
        load = Load(world, board, bot)
        journals = [Journal((await world.card(board))["id"]) for _ in range(writers)]
        tasks = [asyncio.create_task(load.write_until_cut(journal)) for journal in journals[1:]]
        tasks.append(asyncio.create_task(load.claim_until_cut(journals[0])))
        async with asyncio.timeout(60):
            for _ in range(WRITES_BEFORE_KILL):
                await load.acknowledged.acquire()
        await asyncio.sleep(_chance.random() * KILL_SECONDS_MAX)
        await asyncio.to_thread(service.kill)
        await asyncio.gather(*tasks)
    await asyncio.to_thread(service.start)
    tally.kills += 1
    return journals


async def list_all_pages(client: Client, path: str) -> list[Any]:
    """Return all pages of a list."""
    rows: list[Any] = []
    for page in itertools.count(1):
        body = (await client.get(path, params={"page": page, "pageSize": 100})).ok()
        items = body if isinstance(body, list) else body["items"]
        rows += items
        if len(items) < 100:
            break
    return rows


async def check_card(world: World, journal: Journal, tally: Tally, field_id: str) -> None:
    """Compare a card with what was acknowledged; count, and name what is lost."""
    lost = tally.lost
    card = (await world.sa.get(f"/cards/{journal.card_id}")).ok()
    history = await list_all_pages(world.sa, f"/cards/{journal.card_id}/history")
    tally.history_rows += len(history)
    for name, kind, first in (("title", "title", "Card"), ("columnId", "move", card["columnId"])):
        chain = [row["changes"][name] for row in history if name in row["changes"] and row["action"] != "created"]
        told = [change["to"] for change in chain]
        expected = [text.split()[-1] if kind == "move" else text for text in journal.texts(kind)]
        extra = told[len(expected) :]
        if told[: len(expected)] != expected or len(extra) > len(journal.maybe(kind)):
            lost.append(f"{journal.card_id}: {name} went {told}, acknowledged {expected}")
        if any(change["from"] != before["to"] for before, change in itertools.pairwise(chain)):
            lost.append(f"{journal.card_id}: the history of its {name} has a gap")
        if card[name] != (told or [first])[-1]:
            lost.append(f"{journal.card_id}: its {name} is not what its history says")
    await _judge_comments(world, journal, history, tally)
    await _judge_files(world, journal, field_id, tally)
    if journal.maybe("claim", "release") == [] and journal.texts("claim", "release"):
        is_claimed = [kind for kind, _ in journal.done if kind in ("claim", "release")][-1] == "claim"
        if (card["claim"] is not None) != is_claimed:
            lost.append(f"{journal.card_id}: its claim is {card['claim']}")
    tally.acknowledged.update(kind for kind, _ in journal.done)


async def _judge_comments(world: World, journal: Journal, history: list[Any], tally: Tally) -> None:
    kinds = ("comment", "retried", "reply")
    comments = await list_all_pages(world.sa, f"/cards/{journal.card_id}/comments")
    found = Counter(text["content"] for comment in comments for text in (comment, *comment["replies"]))
    expected = Counter(journal.texts(*kinds))
    tally.lost += [f"{journal.card_id}: {kind}" for kind in expected - found]
    if (found - expected) - Counter(journal.maybe(*kinds)):
        tally.lost.append(f"{journal.card_id}: has what nobody wrote: {found - expected}")
    noted = sum(1 for row in history if row["action"] in ("commented", "replied"))
    if noted != found.total():
        tally.lost.append(f"{journal.card_id}: {found.total()} comments, {noted} rows of history")
    if journal.pending and journal.pending[0] in kinds:
        tally.pending["stored" if journal.pending[1] in found else "not stored"] += 1


async def _judge_files(world: World, journal: Journal, field_id: str, tally: Tally) -> None:
    rows = (await world.sa.get(f"/files/card/{journal.card_id}/field/{field_id}")).ok()
    there = {row["name"]: row["id"] for row in rows}
    expected = set(journal.texts("upload")) - set(journal.texts("remove"))
    tally.lost += [f"{journal.card_id}: {name}" for name in expected - there.keys() - set(journal.maybe("remove"))]
    if there.keys() - expected - set(journal.maybe("upload")):
        tally.lost.append(f"{journal.card_id}: has files that were removed: {there.keys() - expected}")
    for name, file_id in there.items():
        if (await world.sa.get(f"/files/{file_id}/content")).body != content_of(name):
            tally.lost.append(f"{journal.card_id}: the contents of {name}")
        tally.files += 1


async def send_again(world: World, journal: Journal) -> None:
    """Send again, under its key, what was under way: it must be there once, whether it was stored or not."""
    if journal.maybe("retried"):
        (text,) = journal.maybe("retried")
        path, headers = f"/cards/{journal.card_id}/comments", {"Idempotency-Key": text}
        (await world.sa.post(path, {"content": text}, headers=headers)).ok()
        journal.done.append(("retried", text))
        journal.pending = None


async def check_cards(service: ServiceProcess, journals: list[Journal], tally: Tally) -> None:
    """Look at the cards of all these journals."""
    async with World(service.url) as world:
        (card_type,) = (await world.sa.get(world.sa.org("/card-types"))).ok()
        field_id = next(row["id"] for row in card_type["fields"] if row["name"] == "attachments")
        for journal in journals:
            await send_again(world, journal)
            await check_card(world, journal, tally, field_id)


async def loop(service: ServiceProcess, kills: int, writers: int = 12) -> Tally:
    """Kill a service so many times under mixed load; look after each start what is there, and last at everything."""
    during, after, journals = Tally(), Tally(), list[Journal]()
    for number in range(1, kills + 1):
        journals += (newest := await crash(service, writers, during, number))
        await check_cards(service, newest, during)
    await check_cards(service, journals, after)
    after.kills, after.lost = during.kills, [*during.lost, *after.lost]
    assert await asyncio.to_thread(service.stop) == 0
    data = service.folder / "data"
    after.lost += [f"database: {line}" for line in copies.find_problems(data / "service.db")]
    return after
