"""What callers leave lying of their answers is bounded for all of them together, however many callers there are."""

import asyncio
import gc
from contextlib import ExitStack
from typing import Any

import pytest
from aiohttp import web

from service.http.connection import Connection
from service.http.large_responses import CHUNK_BYTES
from service.runtime import memory_budget

from .. import memory
from ..http.test_connection import deaf, head, large_card, until
from ..process import ServiceProcess
from ..world import Answer, Client, World

CALLERS = 240
TEXT = "\N{SNOWMAN}\N{VARIATION SELECTOR-16}" * 50_000  # 300,000 bytes
CARD_BYTES = 2_000_000  # of one answer
MIB_MAX = 340  # 128 MiB are counted; buffers of the encoder, the system's allocator and pages of SQLite come on top


async def test_unread_answers_of_many_callers_have_a_bound(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        path = await _large_card(world)
        keys = await asyncio.gather(*(world.script() for _ in range(CALLERS)))
        with ExitStack() as senders, memory.growth(service_process) as grown:
            for key in keys:
                sender = await deaf(world, head("GET", f"{path}/mcp", key) * 20)  # the system takes the first ones
                senders.callback(sender.close)
            answer = await _answer(keys[0], f"{path}/mcp", 503)
            assert int(answer.headers["Retry-After"]) > 0
            (await world.sa.get("/auth/me")).ok()
        assert grown.mib <= MIB_MAX, grown
        assert grown.mib > 64  # many answers were under way indeed
        await _answer(keys[0], f"{path}/mcp", 200)


async def _answer(who: Client, path: str, status: int) -> Answer:
    """Ask until the answer has a status."""
    for _ in range(200):
        if (answer := await who.get(path)).status == status:
            return answer
        await asyncio.sleep(0.05)
    raise TimeoutError


async def _large_card(world: World) -> str:
    """Make a card whose answer is large, and give its path."""
    board = await world.board()
    card: Any = await world.card(board)
    path = f"/cards/{card['id']}"
    for number in range(CARD_BYTES // len(TEXT.encode())):
        field_id = await world.field(board, f"text{number}", "richtext")
        (await world.sa.patch(path, {"fieldValues": [{"fieldId": field_id, "value": TEXT}]})).ok()
    return path


async def test_bodies_with_many_values_count_by_what_they_become(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget, "TOTAL_BYTES_MAX", 4_000_000)
    many, few = {"title": "T", "x": [1] * 60_000}, {"title": "T", "x": "1" * 120_000}
    (await world.sa.post("/organizations", many)).refused(503, "overloaded")
    (await world.sa.post("/organizations", few)).refused(400, "validation_failed")
    assert world.service.in_flight_bytes.total == 0


async def test_a_connection_keeps_nothing_of_the_answer_that_it_had(world: World) -> None:
    path = f"/cards/{(await large_card(world))['id']}"
    (await world.sa.get(path)).ok()
    assert [found for found in gc.get_objects() if isinstance(found, web.Response) and found.body] == []


async def test_of_a_large_answer_only_a_piece_is_handed_to_the_system_at_a_time(world: World) -> None:
    sender = await deaf(world, head("GET", await _large_card(world), world.sa) * 5)
    await until(lambda: world.service.in_flight_bytes.total > 0)
    await asyncio.sleep(0.5)
    pipes = [found._live_transport for found in gc.get_objects() if isinstance(found, Connection)]
    waiting = [pipe.get_write_buffer_size() for pipe in pipes if pipe is not None]
    assert 0 < max(waiting) <= 3 * CHUNK_BYTES
    sender.close()
    await until(lambda: world.service.in_flight_bytes.total == 0)
