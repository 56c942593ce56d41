"""A signal stops the service in good order: requests are answered, nothing acknowledged is lost, nobody holds it up."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from service.runtime import shutdown

from ..forms import begin_upload, blob, head, send, target
from ..process import ServiceProcess
from ..streams import listening
from ..world import PASSWORD, SA, World

LIMIT = 10  # seconds
DOWNLOAD_BYTES = 20_000_000
LOGIN = json.dumps({"email": SA, "password": PASSWORD}).encode()
HEAD = (
    "POST /api/v1/auth/login HTTP/1.1\r\nHost: tandem\r\nContent-Type: application/json\r\n"
    f"Content-Length: {len(LOGIN)}\r\nExpect: 100-continue\r\n\r\n"
).encode()

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def request_in_flight(service: ServiceProcess) -> Streams:
    """Open a request that the service has taken (100 Continue says so) and that still lacks its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
    writer.write(HEAD)
    assert b" 100 " in await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def no_longer_listening(service: ServiceProcess) -> None:
    """Wait until the service takes no more connections: it has begun to stop."""
    async with asyncio.timeout(LIMIT):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", service.port)
            except ConnectionError:
                return
            writer.close()


async def exit_code(service: ServiceProcess) -> int:
    return await asyncio.to_thread(service.wait)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_an_idle_service_stops_at_once_with_exit_code_0(service_process: ServiceProcess, number: int) -> None:
    started = time.monotonic()
    service_process.signal(number)
    assert await exit_code(service_process) == 0
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("signals", [1, 2])
async def test_a_request_in_flight_is_answered_before_the_service_stops(
    service_process: ServiceProcess, signals: int
) -> None:
    reader, writer = await request_in_flight(service_process)
    started = time.monotonic()
    for _ in range(signals):
        service_process.signal()
        await no_longer_listening(service_process)
    writer.write(LOGIN)
    answer = await asyncio.wait_for(reader.read(), LIMIT)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"token"' in answer
    assert await exit_code(service_process) == 0
    assert time.monotonic() - started < LIMIT
    writer.close()


async def test_sign_ins_that_wait_for_a_hash_do_not_hold_the_stop(settings: object, tmp_path: Path) -> None:
    with ServiceProcess(tmp_path, {"SERVICE_TRUSTED_PROXIES": "127.0.0.1"}) as process:
        async with World(process.url).ctx() as world:
            body = {"email": "nobody@example.test", "password": "wrong"}
            addresses = [{"X-Forwarded-For": f"10.0.0.{number // 4}"} for number in range(32)]
            attempts = [world.nobody.post("/auth/login", body, headers=address) for address in addresses]
            tasks = [asyncio.create_task(attempt) for attempt in attempts]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            process.signal()
            answers = await asyncio.gather(*tasks)
            assert await exit_code(process) == 0
    statuses = Counter(answer.status for answer in answers)
    assert set(statuses) == {401, 503}
    assert statuses[503] >= 20  # these were not hashed, which would have taken four seconds
    for answer in answers:
        if answer.status == 503:
            answer.refused(503, "unavailable")


@pytest.mark.slow
async def test_a_half_sent_body_does_not_hold_the_stop(service_process: ServiceProcess) -> None:
    _, writer = await request_in_flight(service_process)
    writer.write(LOGIN[:10])
    started = time.monotonic()
    service_process.signal()
    assert await exit_code(service_process) == 0
    assert time.monotonic() - started < LIMIT
    writer.close()


async def test_a_half_sent_head_does_not_hold_the_stop(service_process: ServiceProcess) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", service_process.port)
    writer.write(HEAD[:40])
    await writer.drain()
    await (await request_in_flight(service_process))[1].drain()  # the head above has arrived before this one
    started = time.monotonic()
    service_process.signal()
    assert await exit_code(service_process) == 0
    assert time.monotonic() - started < LIMIT
    writer.close()


async def test_an_open_keep_alive_connection_does_not_hold_the_stop(service_process: ServiceProcess) -> None:
    async with aiohttp.ClientSession() as http:
        async with http.get(service_process.url + "/api/v1/nowhere") as answer:
            assert answer.status == 404
            await answer.read()
        started = time.monotonic()
        service_process.signal()
        assert await exit_code(service_process) == 0
        assert time.monotonic() - started < LIMIT


@pytest.mark.slow
async def test_a_second_signal_during_the_stop_changes_nothing(service_process: ServiceProcess) -> None:
    _, writer = await request_in_flight(service_process)
    started = time.monotonic()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
        service_process.signal(number)
        await no_longer_listening(service_process)
    assert await exit_code(service_process) == 0
    assert time.monotonic() - started < LIMIT
    writer.close()


@pytest.mark.slow
async def test_a_stuck_read_an_open_stream_and_a_hanging_upload_do_not_hold_the_stop(
    service_process: ServiceProcess,
) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        card = await world.card(board)
        where = target(card, board.field("attachments"))
        file = (await send(world.sa, where, blob(b""))).ok()
        content = service_process.folder / "data" / "files" / world.sa.org_id / card["id"] / file["id"]
        content.unlink()
        os.mkfifo(content)  # nobody writes into it: whoever opens it hangs, as at a disk that has gone
        stuck = asyncio.create_task(world.sa.get(f"/files/{file['id']}/content"))
        _, upload = await begin_upload(world.sa, where + head("file", "a") + b"x" * 1_000_000, 5_000_000)
        async with listening(world.sa):
            await asyncio.sleep(0.5)
            assert not stuck.done()
            started = time.monotonic()
            service_process.signal()
            code = await exit_code(service_process)
            assert time.monotonic() - started < LIMIT
        await asyncio.gather(stuck, return_exceptions=True)
        upload.close()
    assert code == 1
    assert shutdown.LATE in service_process.log.read_text()
    content.unlink()
    service_process.start()
    assert service_process.stop() == 0


@pytest.mark.slow
@pytest.mark.parametrize("what", ["stream", "upload"])
async def test_what_a_client_keeps_open_ends_with_the_stop_in_good_order(
    service_process: ServiceProcess, what: str
) -> None:
    async with World(service_process.url) as world, contextlib.AsyncExitStack() as stack:
        board = await world.board()
        if what == "stream":
            await stack.enter_async_context(listening(world.sa))
        else:
            where = target(await world.card(board), board.field("attachments"))
            _, upload = await begin_upload(world.sa, where + head("file", "a") + b"x" * 1_000_000, 5_000_000)
            stack.callback(upload.close)
        await asyncio.sleep(0.2)
        started = time.monotonic()
        service_process.signal()
        assert await exit_code(service_process) == 0
        assert time.monotonic() - started < LIMIT


@pytest.mark.slow
def test_an_event_loop_that_hangs_does_not_hold_the_stop() -> None:
    code = "import time; from service.runtime import shutdown; "
    code += "shutdown.install_signal_handlers(print); print('ready', flush=True); time.sleep(99)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        started = time.monotonic()
        for number in (signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
        assert process.wait(LIMIT) == 1
        assert time.monotonic() - started < LIMIT


async def test_every_write_acknowledged_during_the_stop_is_there_after_a_restart(
    service_process: ServiceProcess,
) -> None:
    acknowledged: list[str] = []
    enough = asyncio.Event()

    async def write_on(world: World, path: str) -> None:
        while True:
            try:
                answer = await world.sa.post(path, {"content": "kept"})
            except (aiohttp.ClientError, ConnectionError):
                return  # the service has closed the connection
            if answer.status != 200:
                answer.refused(503, "unavailable")
                return
            acknowledged.append(answer.body["id"])
            if len(acknowledged) == 100:
                enough.set()

    async with World(service_process.url) as world:
        card = await world.card(await world.board())
        writers = [asyncio.create_task(write_on(world, f"/cards/{card['id']}/comments")) for _ in range(16)]
        async with asyncio.timeout(30):
            await enough.wait()
            service_process.signal()
            await asyncio.gather(*writers)
        assert await exit_code(service_process) == 0

    service_process.start()
    async with World(service_process.url) as world:
        kept = {row["changes"]["commentId"]["to"] for row in (await world.history(card["id"]))[1:]}
    assert set(acknowledged) <= kept


@contextlib.asynccontextmanager
async def slow_downloads(world: World, count: int) -> AsyncIterator[None]:
    """Start downloads of a file of which the clients read nothing."""
    board = await world.board()
    where = target(await world.card(board), board.field("attachments"))
    file = (await send(world.sa, where, blob(b"x" * DOWNLOAD_BYTES))).ok()
    head = f"GET /api/v1/files/{file['id']}/content HTTP/1.1\r\nHost: tandem\r\n"
    head += f"Authorization: {world.sa.headers['Authorization']}\r\n\r\n"
    address = world.url.removeprefix("http://").split(":")
    streams = [await asyncio.open_connection(address[0], int(address[1]), limit=1024) for _ in range(count)]
    for reader, writer in streams:
        writer.write(head.encode())
        assert b" 200 " in await reader.readuntil(b"\r\n")
    yield
    for _, writer in streams:
        writer.close()


@pytest.mark.slow
async def test_slow_downloads_do_not_hold_the_stop_and_are_logged(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world, slow_downloads(world, 8):
        started = time.monotonic()
        service_process.signal()
        assert await exit_code(service_process) == 0
        assert time.monotonic() - started < 8
    log = service_process.log.read_text()
    assert log.count("interrupted") == 8
    assert shutdown.LATE not in log
