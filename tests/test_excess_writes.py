"""Writes beyond the bound of the queue are refused at once and change nothing; another organization has room."""

import asyncio
import contextlib
import json
import resource
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from service.database.writer import QUEUE_MAX

from . import raw_http
from .process import ServiceProcess
from .world import OUTSIDER, SA, SECRET, Client, World

WRITES = QUEUE_MAX + 150  # those that share a COMMIT no longer wait
REFUSAL_SECONDS, ANSWER_SECONDS = 8, 60  # the first less than a write waits for the lock of another program
COMMENT = {"content": "One of many"}
SETTINGS = {"SERVICE_JWT_SECRET": SECRET, "SERVICE_RATE_LIMITS": "disabled"}


@pytest.fixture
def service(template: Path, tmp_path: Path) -> Iterator[ServiceProcess]:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "service.db").write_bytes(template.read_bytes())
    with ServiceProcess(tmp_path, SETTINGS) as process:
        yield process


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process open a socket for each write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < 2 * WRITES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 * WRITES, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextlib.asynccontextmanager
async def connection(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Open a connection to the service."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield reader, writer
    writer.close()


def comment(who: Client, card_id: str) -> bytes:
    """Return the bytes of a request that adds a comment."""
    body = json.dumps(COMMENT).encode()
    lines = [f"POST /api/v1/cards/{card_id}/comments HTTP/1.1", "Host: tandem", "Content-Type: application/json"]
    lines += [f"Authorization: {who.headers['Authorization']}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def test_excess_writes_of_a_caller(service: ServiceProcess, many_files: None) -> None:
    path = service.folder / "data" / "service.db"
    async with World(service.url).ctx() as world, contextlib.AsyncExitStack() as stack:
        world.sa, other = await world.login(SA), await world.login(OUTSIDER)
        card, other_card = await world.card(await world.board()), await world.card(await world.board(other), by=other)
        streams = [await stack.enter_async_context(connection(service.port)) for _ in range(WRITES)]
        request = comment(world.sa, card["id"])
        with closing(sqlite3.connect(path, isolation_level=None)) as blocker:
            blocker.execute("BEGIN IMMEDIATE")  # no write can begin, so all of them wait
            for _, writer in streams:
                writer.write(request)
            writes = [asyncio.create_task(raw_http.read_answer(reader, ANSWER_SECONDS)) for reader, _ in streams]
            refused, _ = await asyncio.wait(writes, timeout=REFUSAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            others = asyncio.create_task(other.post(f"/cards/{other_card['id']}/comments", COMMENT))
            (await other.get(f"/cards/{other_card['id']}")).ok()
            blocker.execute("ROLLBACK")
        (await others).ok()
        answers = await asyncio.gather(*writes)
    assert refused, "none was refused while none could be stored"
    statuses = Counter(answer.status for answer in answers)
    assert statuses.keys() == {200, 503}
    assert statuses[200] >= QUEUE_MAX - 1  # one has made room for that of the other organization
    for answer in answers:
        if answer.status == 503:
            answer.refused(503, "overloaded")
            assert int(answer.headers["Retry-After"]) > 0
    with closing(sqlite3.connect(path)) as database:
        stored = dict(database.execute("SELECT card_id, count(*) FROM comments GROUP BY card_id").fetchall())
    assert stored == {card["id"]: statuses[200], other_card["id"]: 1}
