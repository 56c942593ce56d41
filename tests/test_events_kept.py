"""The log of events says what the cards say: after a crash, after a failure, and for as long as it is kept."""

import asyncio
import contextlib
import sqlite3
from collections import Counter

import aiohttp

from service import config

from .direct_db import execute, rows
from .process import ServiceProcess
from .running import running
from .streams import all_changes, changes, listening, position, types
from .world import World

WRITERS = 16
OLD = """
    INSERT INTO events (org_id, type, actor_type, actor_id, created_at)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
    SELECT :org_id, 'test.happened', 'System', 'system', '2020-01-01T00:00:00.000Z' FROM numbers
"""


async def write_until_cut(world: World, card_id: str, acknowledged: list[str], enough: asyncio.Event) -> None:
    """Comment on a card until the service is gone; write down each success."""
    while True:
        try:
            (await world.sa.post(f"/cards/{card_id}/comments", {"content": "kept"})).ok()
        except (aiohttp.ClientError, ConnectionError):
            return
        acknowledged.append(card_id)
        if len(acknowledged) == 300:
            enough.set()


async def test_after_a_crash_nothing_acknowledged_is_missing_and_ids_go_on(service_process: ServiceProcess) -> None:
    acknowledged: list[str] = []
    enough = asyncio.Event()
    async with World(service_process.url) as world:
        board = await world.board()
        cards = [(await world.card(board))["id"] for _ in range(WRITERS)]
        start = await position(world.sa)
        async with listening(world.sa) as listener:
            writers = [asyncio.create_task(write_until_cut(world, card, acknowledged, enough)) for card in cards]
            await asyncio.wait_for(enough.wait(), 30)
            heard = await listener.events(100)
            service_process.kill()
            await asyncio.gather(*writers)
    service_process.start()
    async with World(service_process.url) as world:
        kept = await all_changes(world.sa, start)
        assert kept[:100] == heard
        numbers = [int(event["id"]) for event in kept]
        assert numbers == list(range(int(start) + 1, int(start) + 1 + len(kept)))
        told = Counter(event["cardId"] for event in kept)
        for card in cards:
            written = [row for row in await world.history(card) if row["action"] == "commented"]
            assert acknowledged.count(card) <= told[card] == len(written)
        async with listening(world.sa, last_id=heard[-1]["id"]) as listener:
            assert await listener.events(len(kept) - 100) == kept[100:]
        await world.card(board)
        (event,) = (await changes(world.sa, since=kept[-1]["id"]))["items"]
        assert int(event["id"]) == numbers[-1] + 1


async def test_a_change_that_could_not_be_stored_is_told_to_nobody(world: World, settings: config.Settings) -> None:
    board = await world.board()
    card, below = await world.card(board), await world.card(board)
    start = await position(world.sa)
    trap = """
        CREATE TABLE trap (id TEXT REFERENCES users (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER spring AFTER INSERT ON comments WHEN NEW.content = 'lost'
        BEGIN INSERT INTO trap (id) VALUES (NEW.id); END;
        CREATE TRIGGER late AFTER INSERT ON events WHEN NEW.type = 'card.ranked'
        BEGIN SELECT RAISE(ABORT, 'late'); END;
    """
    with contextlib.closing(sqlite3.connect(settings.database)) as connection:
        connection.executescript(trap)
    path = f"/cards/{card['id']}"
    async with listening(world.sa) as listener:
        (await world.sa.post(path + "/comments", {"content": "lost"})).refused(503, "unavailable")
        (await world.sa.patch(path + "/rank", {"afterCardId": below["id"]})).refused(500, "internal_error")
        (await world.sa.post(path + "/comments", {"content": "kept"})).ok()
        assert (await listener.event())["type"] == "comment.created"
    assert await types(world.sa, start) == ["comment.created"]
    assert await world.above(card) is None


async def test_old_events_are_forgotten_at_the_start_and_young_ones_kept(settings: config.Settings) -> None:
    async with running(settings) as world:
        await execute(world, OLD, org_id=world.sa.org_id)
        await execute(world, OLD, org_id=world.outsider.org_id)
        await world.board()
        await world.board(title="Second")
        last = await position(world.sa)
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while (await rows(world, "SELECT count(*) AS count FROM events"))[0]["count"] > 4:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await types(world.sa, str(int(last) - 2)) == ["project.created", "project.created"]
        assert await types(world.sa, last) == []
        (begin,) = await rows(world, "SELECT min(id) AS id FROM events WHERE org_id = :id", id=world.sa.org_id)
        assert await types(world.sa, str(begin["id"])) == ["project.created", "project.created"]
        assert (await changes(world.sa, since=str(begin["id"] - 2)))["reset"] is True
        assert (await changes(world.sa, since="0"))["reset"] is True
        async with listening(world.sa, last_id="1", first="reset") as listener:
            assert listener.opening.id == last


async def test_the_last_event_is_kept_so_that_a_quiet_service_needs_no_reset(settings: config.Settings) -> None:
    async with running(settings) as world:
        await execute(world, OLD, org_id=world.sa.org_id)
    async with running(settings) as world:
        async with asyncio.timeout(20):
            while (await rows(world, "SELECT count(*) AS count FROM events"))[0]["count"] > 1:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert await changes(world.sa, since="2500") == {"items": [], "next": "2500", "hasMore": False, "reset": False}
        await world.board()
        assert await types(world.sa, "2500") == ["project.created"]


def test_how_long_events_are_kept_can_be_set() -> None:
    assert config.load(environment={}).events_kept == 30 * 86400
    assert config.load(environment={"SERVICE_EVENTS_KEPT": "2h"}).events_kept == 7200
