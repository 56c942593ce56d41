"""Every write is found when it is answered, an import's too; what an older version left follows in the background."""

import asyncio
import time

import pytest

from service import config
from service.database.deadline import UNIT_CPU_SECONDS_MAX
from service.database.store import Tx
from service.resources.search import texts

from ...builders import database
from ...running import running
from ...snapshots import card, send, small
from ...world import World

CARDS = 1500  # that an import writes in portions


async def found(world: World, words: str) -> int:
    answer = await world.sa.get("/organizations/org_small/search", params={"q": words})
    return int(answer.ok()["total"])


async def listed(world: World, part: str) -> int:
    answer = await world.sa.get("/organizations/org_small/cards", params={"q": part})
    return int(answer.ok()["total"])


async def test_all_of_a_large_import_is_found_when_it_is_answered(world: World) -> None:
    cards = [card(id=f"c{number}", title="Imported") for number in range(CARDS)]
    (await send(world.sa, small(cards=cards))).ok()
    assert await found(world, "Imported") == CARDS
    assert await listed(world, "mporte") == CARDS


async def test_writes_at_once_are_all_found_when_they_are_answered(world: World) -> None:
    board = await world.board()

    async def write_and_look(number: int) -> None:
        made = await world.card(board, title=f"Card number{number:02d}")
        (await world.member.post(f"/cards/{made['id']}/comments", {"content": f"said{number:02d}"})).ok()
        (await world.sa.patch(f"/cards/{made['id']}", {"title": f"Renamed new{number:02d}"})).ok()
        for word, total in ((f"new{number:02d}", 1), (f"said{number:02d}", 1), (f"number{number:02d}", 0)):
            assert (await world.sa.get(world.sa.org("/search"), params={"q": word})).ok()["total"] == total

    await asyncio.gather(*[write_and_look(number) for number in range(40)])


async def test_a_write_that_is_refused_leaves_nothing_in_the_index(world: World) -> None:
    made = await world.card(await world.board(), title="Kept")
    changes = [{"cardId": made["id"], "edit": {"title": "Changed"}}, {"cardId": made["id"], "edit": {"title": ""}}]
    (await world.sa.post(world.sa.org("/cards/batch"), {"items": changes})).refused(400, "validation_failed")
    for word, total in (("Kept", 1), ("Changed", 0)):
        assert (await world.sa.get(world.sa.org("/search"), params={"q": word})).ok()["total"] == total


async def test_what_an_older_version_left_is_indexed_in_the_background(settings: config.Settings) -> None:
    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}", title="Left") for number in range(60)]))).ok()
        (await world.sa.delete("/cards/c7")).ok()
        with database(world) as connection:
            connection.execute("DELETE FROM search_texts")
            connection.execute("DELETE FROM search_titles")
            connection.execute("INSERT INTO search_backlog SELECT org_id, id FROM cards WHERE org_id = 'org_small'")
            connection.execute("DELETE FROM cards WHERE id = 'c8'")
            assert connection.execute("SELECT count(*) FROM search_backlog").fetchone() == (59,)
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while await found(world, "Left") < 58:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)
        with database(world) as connection:
            assert connection.execute("SELECT count(*) FROM search_backlog").fetchone() == (0,)
        assert await listed(world, "eft") == 58


@pytest.mark.slow
async def test_a_card_that_takes_too_long_to_index_keeps_no_others_from_it(
    settings: config.Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    index = texts._index

    def slow(tx: Tx, card_id: str) -> None:
        if card_id == "c3":
            ends_at = time.thread_time() + UNIT_CPU_SECONDS_MAX + 0.1
            while time.thread_time() < ends_at:
                pass
        index(tx, card_id)

    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}", title="Left") for number in range(6)]))).ok()
        with database(world) as connection:
            connection.execute("DELETE FROM search_texts")
            connection.execute("DELETE FROM search_titles")
            connection.execute("INSERT INTO search_backlog SELECT org_id, id FROM cards WHERE org_id = 'org_small'")
    monkeypatch.setattr(texts, "_index", slow)
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while await found(world, "Left") < 5 or not caplog.records:  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)
        await asyncio.sleep(0.2)
        with database(world) as connection:
            assert connection.execute("SELECT count(*) FROM search_backlog").fetchone() == (0,)
    (logged,) = [record.getMessage() for record in caplog.records if "index" in record.getMessage()]
    assert "c3" in logged
