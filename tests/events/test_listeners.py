"""Very many listeners at once, none of which delays anybody else."""

import asyncio
import contextlib
import resource
import signal
import socket
import sqlite3
import time
from typing import Any

import pytest

from service.events import listeners
from service.resources import events

from ..direct_db import execute
from ..idle_listeners import ROOM, listen, measure_memory
from ..process import ServiceProcess
from ..streams import listening, position, types
from ..world import World

MANY, FEW_FILES = 400, 200
EACH = 25 << 10  # bytes; the goal is 20 KB, a busy machine may show a little more
FLOOD = """
    INSERT INTO events (org_id, type, actor_type, actor_id, actor_label, created_at)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 50000)
    SELECT :org_id, 'test.happened', 'System', 'system', printf('%0500d', n), :now FROM numbers
"""


def start_with_few_files(service: ServiceProcess) -> None:
    """Start the service again as many systems do, with a low limit of open files that it may raise."""
    service.stop()
    service.environment |= ROOM
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW_FILES, hard))
    try:
        service.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_hundreds_of_idle_listeners_take_little_memory_each(service_process: ServiceProcess) -> None:
    start_with_few_files(service_process)
    async with World(service_process.url) as world:
        assert await measure_memory(service_process, world.sa, MANY) < EACH


async def test_a_listener_that_is_told_to_check_its_access_while_it_reads_does_not_wait_afterwards() -> None:
    crowd = listeners.Listeners()
    with crowd.register("org", "me", 10, 10) as presence, crowd.register("org", "other", 10, 10) as other:
        crowd.check_access("me")
        async with asyncio.timeout(5):
            await crowd.wait("org", 60, presence)
        began = time.monotonic()
        await crowd.wait("org", 0.2, presence)  # once only
        await crowd.wait("org", 0.2, other)
        assert time.monotonic() - began >= 0.4


async def test_what_happens_in_a_row_wakes_listeners_once_and_soon() -> None:
    crowd, rounds = listeners.Listeners(), 0
    waiting = [asyncio.create_task(crowd.wait("org", 60)) for _ in range(30)]
    await asyncio.sleep(0)
    rounds, began = crowd.round_number, time.monotonic()
    for _ in range(100):
        crowd.wake("org")
    assert not any(task.done() for task in waiting)
    async with asyncio.timeout(20):
        await asyncio.gather(*waiting)
    assert time.monotonic() - began < 1
    assert crowd.round_number == rounds + 1


async def test_what_happens_while_others_are_woken_is_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listeners, "DEBOUNCE_SECONDS", 0.002)
    crowd, happened, seen = listeners.Listeners(), 0, [0] * 5

    async def follow(number: int) -> None:
        while seen[number] < 40:
            if seen[number] == happened:  # looked, and then waits without a pause
                await crowd.wait("org", 60)
            seen[number] = happened

    tasks = [asyncio.create_task(follow(number)) for number in range(5)]
    while happened < 40:
        happened += 1
        crowd.wake("org")
        await asyncio.sleep(0.002 * (happened % 3))
    async with asyncio.timeout(20):
        await asyncio.gather(*tasks)
    assert seen == [40] * 5


async def test_what_happens_while_a_listener_is_sent_something_is_not_missed() -> None:
    crowd = listeners.Listeners()
    async with asyncio.timeout(20):
        looked = crowd.round_number
        crowd.wake("org")  # nobody waits at the moment
        await crowd.wait("org", 60, round_number=looked)
        looked, other = crowd.round_number, asyncio.create_task(crowd.wait("org", 60))
        await asyncio.sleep(0)
        crowd.wake("org")  # somebody else is woken
        await other
        await crowd.wait("org", 60, round_number=looked)
        looked = crowd.round_number
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(crowd.wait("org", 60, round_number=looked), 0.1)


async def test_what_a_listener_has_read_serves_those_of_the_same_round_only() -> None:
    crowd, first, second = (
        listeners.Listeners(),
        listeners.NewEvents(1, 5, b"first"),
        listeners.NewEvents(1, 6, b"second"),
    )
    crowd.share("org", 4, first, crowd.round_number)
    assert crowd.get_shared("org", 4) is None  # no round is under way
    before = crowd.round_number
    waiting = asyncio.create_task(crowd.wait("org", 60))
    await asyncio.sleep(0)
    crowd.wake("org")
    await waiting
    crowd.share("org", 4, first, before)
    assert crowd.get_shared("org", 4) is None  # begun before the round: it may lack what the round is about
    crowd.share("org", 4, second, crowd.round_number)
    assert (crowd.get_shared("org", 4), crowd.get_shared("org", 5), crowd.get_shared("other", 4)) == (
        second,
        None,
        None,
    )
    for since in range(100, 200):
        crowd.share("org", since, first, crowd.round_number)
    assert sum(crowd.get_shared("org", since) is not None for since in range(100, 200)) < listeners.SHARED_MAX
    crowd.wake("org")
    async with asyncio.timeout(20):
        while crowd.get_shared("org", 4):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_the_log_is_read_once_for_all_who_hear_of_a_change(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    card, reads = await world.card(await world.board()), 0
    async with contextlib.AsyncExitStack() as stack:
        crowd = [await stack.enter_async_context(listening(world.sa)) for _ in range(40)]
        await asyncio.sleep(0.5)  # until all of them wait
        read = events._read_after

        def counted(last_id: int, call: Any) -> listeners.NewEvents:
            nonlocal reads
            reads += 1
            return read(last_id, call)

        monkeypatch.setattr(events, "_read_after", counted)
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "Told to all"})).ok()
        assert {(await listener.event())["type"] for listener in crowd} == {"card.updated"}
    assert 1 <= reads <= 3


async def stalled(world: World) -> socket.socket:
    """Listen with a small window, and then take nothing."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.setblocking(False)
    host, _, port = world.url.removeprefix("http://").partition(":")
    await asyncio.get_running_loop().sock_connect(line, (host, int(port)))
    head = f"GET /api/v1{world.sa.org('/events')} HTTP/1.1\r\nHost: tandem\r\n"
    head += f"Authorization: {world.sa.headers['Authorization']}\r\n\r\n"
    await asyncio.get_running_loop().sock_sendall(line, head.encode())
    assert (await asyncio.get_running_loop().sock_recv(line, 12)).startswith(b"HTTP/1.1 200")
    return line


async def flood(world: World) -> None:
    """Let very much happen at once."""
    await execute(world, FLOOD, org_id=world.sa.org_id, now="2026-11-21T00:00:00.000Z")
    assert world.service is not None
    world.service.notify_change(world.sa.org_id)


async def read_to_the_end(line: socket.socket) -> bytes:
    """Read what is left of a connection, however it ended."""
    data = bytearray()
    with contextlib.suppress(ConnectionResetError):
        while piece := await asyncio.wait_for(asyncio.get_running_loop().sock_recv(line, 1 << 16), 20):
            data += piece
    return bytes(data)


async def test_a_listener_that_takes_nothing_is_cut_off_while_others_hear_everything(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listeners, "SEND_TIMEOUT_SECONDS", 0.5)
    card = await world.card(await world.board())
    line = await stalled(world)
    async with listening(world.sa) as listener:
        await flood(world)
        heard = await listener.events(50_000)
        assert [int(event["actor"]["label"]) for event in heard] == list(range(1, 50_001))
        started = time.monotonic()
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "No wait"})).ok()
        assert time.monotonic() - started < 2
        assert (await listener.event())["type"] == "card.updated"
    assert world.service is not None
    async with asyncio.timeout(20):
        while world.service.listeners._sending:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    taken = await read_to_the_end(line)
    assert len(taken) < 10_000_000  # of some 35 MB
    assert not taken.endswith(b"0\r\n\r\n")  # cut, not ended
    line.close()


@pytest.mark.slow
async def test_streams_end_at_once_on_a_stop(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        before = await position(world.sa)
        idle = [await listen(service_process, world.sa) for _ in range(20)]
        async with listening(world.sa) as listener:
            await world.card(board, by=world.member)  # nothing personal follows
            assert (await listener.event())["type"] == "card.created"
            started = time.monotonic()
            service_process.signal(signal.SIGTERM)
            assert await listener.message() is None
        for reader, writer in idle:
            assert (await asyncio.wait_for(reader.read(), 5)).endswith(b"\r\n0\r\n\r\n")
            writer.close()
        assert await asyncio.to_thread(service_process.wait) == 0
        assert time.monotonic() - started < 3
    service_process.start()
    async with World(service_process.url) as world:
        assert await types(world.sa, before) == ["card.created"]


@pytest.mark.slow
async def test_a_listener_that_takes_nothing_does_not_hold_the_stop(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        line = await stalled(world)
        async with listening(world.sa) as listener:
            values = {"org_id": world.sa.org_id, "now": "2026-11-21T00:00:00.000Z"}
            with contextlib.closing(sqlite3.connect(service_process.folder / "data" / "service.db")) as connection:
                connection.execute(FLOOD, values)
                connection.commit()
            await world.card(board)
            assert (await listener.events(50_001))[-1]["type"] == "card.created"
        started = time.monotonic()
        service_process.signal(signal.SIGTERM)
        assert await asyncio.to_thread(service_process.wait) == 0
        assert time.monotonic() - started < 3
        line.close()
