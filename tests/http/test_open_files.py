"""Open files run out: what can be answered is answered, the log says so once, and the service recovers by itself."""

import asyncio
import os
import resource
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from ..process import RUN, ServiceProcess
from ..raw_http import send
from ..world import World

LIMIT = 160  # open files, of which 96 may be connections
LAUNCHER = f"""
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({LIMIT}, {LIMIT}))
sys.path.insert(0, {str(RUN.parent)!r})
runpy.run_path({str(RUN)!r}, run_name="__main__")
"""
needs_prlimit = pytest.mark.skipif(sys.platform != "linux", reason="prlimit is a call of Linux")


@pytest.fixture
def small_process(settings: object, tmp_path: Path) -> ServiceProcess:
    """Provide a service that may open few files; not started."""
    process = ServiceProcess(tmp_path)
    process.run = tmp_path / "launcher.py"
    process.run.write_text(LAUNCHER)
    return process


@asynccontextmanager
async def connected(process: ServiceProcess, count: int) -> AsyncIterator[None]:
    """Hold connections that send nothing."""
    streams = [await asyncio.open_connection("127.0.0.1", process.port) for _ in range(count)]
    yield
    for _, writer in streams:
        writer.close()


async def ready(process: ServiceProcess) -> bool:
    """Return whether a new connection is served."""
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as http,
            http.get(process.url + "/healthz") as answer,
        ):
            return answer.status == 200
    except aiohttp.ClientError:
        return False


async def test_clients_beyond_the_limit_of_open_files_are_answered_and_others_go_on(
    small_process: ServiceProcess,
) -> None:
    with small_process as process:
        async with World(process.url) as world, connected(process, 100):
            request = b"GET /api/v1/auth/me HTTP/1.1\r\nHost: tandem\r\n\r\n"
            for _ in range(20):
                answer = await send(process.url, request)
                answer.refused(503, "overloaded")
                assert int(answer.headers["Retry-After"]) > 0
                assert answer.headers["Connection"] == "close"
            board = await world.board()  # reads and writes of those who are connected
            (await world.sa.get("/admin/export")).ok()
        for _ in range(100):  # the closed connections are noticed within a moment
            if await ready(process):
                break
            await asyncio.sleep(0.1)
        async with World(process.url) as world:
            await world.card(board)
        assert process.stop() == 0
    log = process.log.read_text()
    assert log.count("the most that 160 open files allow; others get 503") == 1
    assert log.count("the limit of open files is 160, so at most 96 clients can be connected; raise it") == 1


@needs_prlimit
async def test_files_that_cannot_be_opened_are_answered_and_logged_once(service_process: ServiceProcess) -> None:
    pid = service_process.process.pid
    async with World(service_process.url) as world:
        usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = 1 + max(int(number) for number in os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, usual[1]))
        for _ in range(30):
            details = (await world.sa.get("/admin/export")).refused(503, "unavailable")
            assert details == {}
        assert not await ready(service_process)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        assert await ready(service_process)
        (await world.sa.get("/admin/export")).ok()
    assert service_process.stop() == 0
    log = service_process.log.read_text()
    assert log.count("failed, since a resource is exhausted") == 1
    assert "Traceback" not in log
    assert "open files is" not in log  # the limit of this process is high enough
