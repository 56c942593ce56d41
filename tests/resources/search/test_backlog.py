"""What comes in great numbers is indexed in the background, and no search waits for it or is refused because of it."""

import asyncio
import time

import pytest

from service import config
from service.database import transaction
from service.resources.search import texts

from ...beside import database
from ...running import running
from ...snapshots import card, send, small
from ...world import World

CARDS = 1500  # that an import writes in portions
HOURS = 3600.0


async def found(world: World, words: str) -> int:
    answer = await world.sa.get("/organizations/org_small/search", params={"q": words})
    return int(answer.ok()["total"])


async def all_indexed(world: World) -> None:
    """Wait until no card is noted any more."""
    with database(world) as connection:
        while connection.execute("SELECT count(*) FROM search_pending").fetchone() > (0,):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.fixture
def resting(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Keep the tasks that index from doing so."""
    monkeypatch.setattr(texts, "INTERVAL_SECONDS", HOURS)
    return monkeypatch


async def test_after_a_large_import_a_search_finds_what_is_new_at_once_and_the_rest_little_by_little(
    settings: config.Settings, resting: pytest.MonkeyPatch
) -> None:
    async with running(settings) as world:
        cards = [card(id=f"c{number}", title="Imported") for number in range(CARDS)]
        (await send(world.sa, small(cards=cards))).ok()
        (await world.sa.patch("/cards/c7", {"title": "Fresh"})).ok()
        assert await found(world, "Fresh") == 1
        assert await found(world, "Imported") == 0
        resting.setattr(texts, "INTERVAL_SECONDS", 0.01)
        work = asyncio.create_task(texts.work_off(world.service.store))
        while await found(world, "Imported") < CARDS - 1:  # noqa: ASYNC110  # nothing would tell
            await asyncio.sleep(0.01)
        work.cancel()
        with database(world) as connection:
            assert connection.execute("SELECT count(*) FROM search_backlog").fetchone() == (0,)
        assert await found(world, "Fresh") == 1


async def test_a_search_answers_however_many_cards_are_noted(
    settings: config.Settings, resting: pytest.MonkeyPatch
) -> None:
    resting.setattr(texts, "CARDS_PER_SEARCH", 100)
    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}", title="Noted") for number in range(700)]))).ok()
        resting.setattr(transaction, "ROWS_MAX", 500)  # that a read may give
        with database(world) as connection:
            connection.execute(
                "INSERT INTO search_pending SELECT org_id, id FROM cards WHERE true ON CONFLICT DO NOTHING"
            )
        counts = [await found(world, "Noted") for _ in range(8)]
        assert counts == [100, 200, 300, 400, 500, 600, 700, 700]


async def test_others_write_between_any_two_cards_that_take_long_to_index(
    settings: config.Settings, resting: pytest.MonkeyPatch
) -> None:
    resting.setattr(texts, "TURN_SECONDS", 0.0)  # as if each card took longer than others may wait
    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}", title="Slow") for number in range(5)]))).ok()
        before = world.service.store.taken
        assert await found(world, "Slow") == 5
        assert world.service.store.taken >= before + 5


async def test_others_write_between_cards_that_are_indexed_though_nobody_searches(
    settings: config.Settings, resting: pytest.MonkeyPatch
) -> None:
    resting.setattr(texts, "LOOK_SECONDS", 0.0)  # as if each card took longer than others may wait
    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}", title="Slow") for number in range(5)]))).ok()
        before = world.service.store.taken
        resting.setattr(texts, "INTERVAL_SECONDS", 0.01)
        work = asyncio.create_task(texts.keep_up(world.service.store))
        await all_indexed(world)
        work.cancel()
        assert world.service.store.taken >= before + 5
        assert await found(world, "Slow") == 5


async def test_the_index_follows_soon_again_after_it_had_much_to_do_while_nobody_wrote(
    settings: config.Settings, resting: pytest.MonkeyPatch
) -> None:
    resting.setattr(texts, "LOOK_SECONDS", 0.0)
    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}") for number in range(100)]))).ok()
        with database(world) as connection:
            connection.execute(
                "INSERT INTO search_pending SELECT org_id, id FROM cards WHERE true ON CONFLICT DO NOTHING"
            )
        resting.setattr(texts, "INTERVAL_SECONDS", 0.01)
        began = time.monotonic()
        work = asyncio.create_task(texts.keep_up(world.service.store))
        await all_indexed(world)
        took = time.monotonic() - began
        (await world.sa.patch("/cards/c7", {"title": "Fresh"})).ok()
        await all_indexed(world)
        work.cancel()
        assert time.monotonic() - began < took * texts.PAUSE_PER_WORK / 2


async def test_a_card_that_is_removed_leaves_what_waits_to_be_indexed(
    settings: config.Settings, resting: pytest.MonkeyPatch
) -> None:
    async with running(settings) as world:
        (await send(world.sa, small(cards=[card(id=f"c{number}") for number in range(CARDS)]))).ok()
        with database(world) as connection:
            before = connection.execute("SELECT count(*) FROM search_backlog").fetchone()
            connection.execute("DELETE FROM cards WHERE id = 'c7'")
            after = connection.execute("SELECT count(*) FROM search_backlog").fetchone()
        assert (before, after) == ((CARDS,), (CARDS - 1,))
