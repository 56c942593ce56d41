"""What callers leave lying of their answers is bounded for all of them together, however many callers there are."""

import asyncio
import gc
from contextlib import ExitStack
from typing import Any

import pytest
from aiohttp import web
from aiohttp.streams import StreamReader

from service import config
from service.http.connection import Connection
from service.http.large_responses import CHUNK_BYTES
from service.runtime import memory_budget

from .. import memory, raw_http
from ..http.test_connection import head, large_card, send_without_reading, until
from ..many_cards import Many
from ..process import ServiceProcess
from ..world import PASSWORD, Answer, Client, World

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
                sender = await send_without_reading(
                    world, head("GET", f"{path}/mcp", key) * 20
                )  # the system takes the first ones
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
    """Make a card whose answer is large, and return its path."""
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
    sender = await send_without_reading(world, head("GET", await _large_card(world), world.sa) * 5)
    await until(lambda: world.service.in_flight_bytes.total > 0)
    await asyncio.sleep(0.5)
    pipes = [found._live_transport for found in gc.get_objects() if isinstance(found, Connection)]
    waiting = [pipe.get_write_buffer_size() for pipe in pipes if pipe is not None]
    assert 0 < max(waiting) <= 3 * CHUNK_BYTES
    sender.close()
    await until(lambda: world.service.in_flight_bytes.total == 0)


async def test_a_closed_connection_keeps_nothing_of_a_body_that_nobody_read(world: World) -> None:
    body = b'{"title": "' + b"x" * 900_000 + b'"}'
    gc.collect()
    gc.disable()  # what is kept until the next collection is kept for long
    try:
        for _ in range(5):
            async with raw_http.sent(
                world.url, head("PATCH", "/cards/none", Content_Length=len(body)) + body
            ) as reader:
                assert (await raw_http.read_answer(reader)).status == 401
        await until(lambda: not _list_buffered_bodies())
    finally:
        gc.enable()


def _list_buffered_bodies() -> list[StreamReader]:
    return [
        found for found in gc.get_objects() if isinstance(found, StreamReader) and found.total_bytes and found._size
    ]


BOARD_CARDS, TITLE = 10_000, "\N{SNOWMAN}" * 500  # 20 MB on one board
UNREAD, UNREAD_MIB_MAX = 24, 150


@pytest.mark.slow
@pytest.mark.parametrize("callers", [1, 6])
async def test_unread_answers_of_20_mb_take_little_memory(
    service_process: ServiceProcess, settings: config.Settings, callers: int
) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        Many(world, board, settings.database).fill(BOARD_CARDS, title=TITLE)
        people = [world.sa, *[await _newcomer(world, number) for number in range(1, callers)]]
        path = world.sa.org(f"/board?projectId={board.id}")
        with ExitStack() as senders, memory.growth(service_process) as grown:
            for number in range(UNREAD):
                sender = await send_without_reading(world, head("GET", path, people[number % callers]))
                senders.callback(sender.close)
            # Answered last, since the reads of a person wait for each other.
            answers = await asyncio.gather(*(person.get(path) for person in people))
            assert {answer.status for answer in answers} <= {200, 503}
        assert grown.mib <= UNREAD_MIB_MAX, grown
        assert grown.mib > 20
        await _answer(world.sa, path, 200)


async def _newcomer(world: World, number: int) -> Client:
    email = f"newcomer{number}@example.test"
    body = {"email": email, "role": "Member", "password": PASSWORD}
    (await world.sa.post(world.sa.org("/members"), body)).ok()
    return await world.login(email)
