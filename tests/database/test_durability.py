"""Whatever the service acknowledged survives a crash, and the history says the same as the cards."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

from ..process import ServiceProcess
from ..world import World

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
