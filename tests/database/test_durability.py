"""Whatever the service acknowledged survives a crash, and the history says the same as the cards."""

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

from ..crashing import list_all_pages
from ..process import ServiceProcess
from ..world import Answer, Board, World

WRITERS = 16


@dataclass
class Journal:
    """What the service acknowledged to one writer, in order."""

    card_id: str
    titles: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


async def write_until_cut(world: World, journal: Journal, acknowledged: asyncio.Semaphore) -> None:
    """Change a card and comment on it in turn until the service is gone; write down each success."""
    path = f"/cards/{journal.card_id}"
    while True:
        title = f"Title {len(journal.titles) + 1}"
        try:
            (await world.sa.patch(path, {"title": title})).ok()
            journal.titles.append(title)
            journal.comments.append((await world.sa.post(path + "/comments", {"content": title})).ok()["id"])
        except (aiohttp.ClientError, ConnectionError):
            return
        acknowledged.release()


async def crash_while_writing(service: ServiceProcess, journals: list[Journal]) -> None:
    """Let all write at once and kill the service while they do."""
    acknowledged = asyncio.Semaphore(0)
    async with World(service.url) as world, asyncio.timeout(30):
        tasks = [asyncio.create_task(write_until_cut(world, journal, acknowledged)) for journal in journals]
        for _ in range(300):
            await acknowledged.acquire()
        service.kill()
        await asyncio.gather(*tasks)


def commented(history: list[dict[str, Any]]) -> list[str]:
    return [row["changes"]["commentId"]["to"] for row in history if row["action"] == "commented"]


async def check(world: World, journal: Journal) -> None:
    """Compare a card with what was acknowledged; the one change in flight may be there or not."""
    card = (await world.sa.get(f"/cards/{journal.card_id}")).ok()
    history = await world.history(journal.card_id)
    changes = [row["changes"]["title"] for row in history if row["action"] == "updated"]
    titles = [change["to"] for change in changes]
    assert titles[: len(journal.titles)] == journal.titles
    assert len(titles) - len(journal.titles) in (0, 1)
    assert card["title"] == (titles or ["Card"])[-1]
    assert card["version"] == 1 + len(titles)
    assert [change["from"] for change in changes] == ["Card", *titles][: len(titles)]
    kept = commented(history)
    assert kept[: len(journal.comments)] == journal.comments
    assert len(kept) - len(journal.comments) in (0, 1)
    page = (await world.sa.get(f"/cards/{journal.card_id}/comments", params={"pageSize": 1})).ok()
    assert page["total"] == len(kept)


@pytest.mark.parametrize("attempt", range(3))
async def test_everything_acknowledged_before_a_crash_is_there_after_it(
    service_process: ServiceProcess, attempt: int
) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        journals = [Journal((await world.card(board))["id"]) for _ in range(WRITERS)]
    await crash_while_writing(service_process, journals)
    assert sum(len(journal.comments) for journal in journals) >= 300
    service_process.start()
    async with World(service_process.url) as world:
        for journal in journals:
            await check(world, journal)


async def test_a_card_made_right_before_a_crash_is_there_after_it(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        card = await world.card(await world.board(), title="The last one")
        service_process.kill()
    service_process.start()
    async with World(service_process.url) as world:
        assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
        (row,) = await world.history(card["id"])
        assert row["action"] == "created"


class Everyday:
    """Numbered writes of one kind to one card, and how many the service has acknowledged."""

    def __init__(self, kind: str, card: Any, boards: list[Board]) -> None:
        self.kind, self.card, self.boards = kind, card, boards
        self.path, self.done = f"/cards/{card['id']}", 0

    def send(self, world: World) -> Awaitable[Answer]:
        """Send the next write."""
        number = self.done
        match self.kind:
            case "tick":
                field_id = self.card["fieldValues"][0]["fieldId"]
                body = {"fieldId": field_id, "item": number, "text": str(number), "done": True}
                return world.sa.patch(f"{self.path}/checklist", body)
            case "transfer":
                return world.sa.post(f"{self.path}/transfer", {"projectId": self.boards[(number + 1) % 2].id})
            case "watch":
                return world.member.call("DELETE" if number % 2 else "PUT", f"{self.path}/watch")
            case "mention":
                return world.sa.post(f"{self.path}/comments", {"content": f"{number} @ada-architect"})
        return world.member.patch("/settings/profile", {"handle": f"mo-{number}"})

    async def count(self, world: World) -> int:
        """Return how many writes are there; fail the test if one of them is not whole."""
        card = (await world.member.get(self.path)).ok()
        match self.kind:
            case "tick":
                marks = card["fieldValues"][0]["value"].split("\n")
                done = card["checklist"]["done"]
                assert [mark.startswith("- [x]") for mark in marks] == [place < done for place in range(len(marks))]
                return int(done)
            case "transfer":
                history = await list_all_pages(world.sa, f"{self.path}/history")
                rows = [row["changes"]["key"] for row in history if row["action"] == "transferred"]
                assert (card["key"], card["projectId"]) == (rows[-1]["to"], self.boards[len(rows) % 2].id)
                for key in (rows[-1]["from"], rows[-1]["to"]):
                    assert (await world.sa.get(f"/cards/{key}")).ok()["id"] == card["id"]
                return len(rows)
            case "watch":
                return self.done + ((self.done % 2 == 1) != card["watching"])
            case "mention":
                comments = await list_all_pages(world.sa, f"{self.path}/comments")
                assert {mention["id"] for comment in comments for mention in comment["mentions"]} == {world.sa.id}
                return sum(len(comment["mentions"]) for comment in comments)
        handle = (await world.member.get("/auth/me")).ok()["handle"]
        return int(handle.removeprefix("mo-")) + 1

    async def go_on_until_cut(self, world: World, acknowledged: asyncio.Semaphore) -> None:
        """Write until the service is gone."""
        with contextlib.suppress(aiohttp.ClientError, ConnectionError):
            while True:
                (await self.send(world)).ok()
                self.done += 1
                acknowledged.release()


@pytest.mark.slow
async def test_ticks_transfers_watching_mentions_and_handles_survive_crashes(service_process: ServiceProcess) -> None:
    text = "\n".join(f"- [ ] {number}" for number in range(2_000))
    async with World(service_process.url) as world:
        boards = [await world.board(title="Release"), await world.board(title="Operations")]
        values = [{"fieldId": boards[0].field("description"), "value": text}]
        kinds = ("tick", "transfer", "watch", "mention", "handle")
        work = [Everyday(kind, await world.card(boards[0], fieldValues=values), boards) for kind in kinds]
    for _ in range(2):
        acknowledged = asyncio.Semaphore(0)
        async with World(service_process.url) as world, asyncio.timeout(30):
            tasks = [asyncio.create_task(each.go_on_until_cut(world, acknowledged)) for each in work]
            for _ in range(100):
                await acknowledged.acquire()
            service_process.kill()
            await asyncio.gather(*tasks)
        service_process.start()
        async with World(service_process.url) as world:
            for each in work:
                found = await each.count(world)
                assert found - each.done in (0, 1), each.kind  # the one under way may be there or not
                each.done = found
    assert min(each.done for each in work) >= 5
