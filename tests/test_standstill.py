"""While nothing can be written, reads are answered: the disk is full, or another program holds the lock."""

import asyncio
import io
import json
import resource
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import pytest

from service.database import connections

from .forms import blob, send, target
from .process import ServiceProcess
from .snapshots import small
from .world import PASSWORD, SA, World

PATIENCE_SECONDS = 5  # for one read: less than a statement waits for a lock
Standstill = AbstractContextManager[None]


@contextmanager
def full_disk(service: ServiceProcess) -> Iterator[None]:
    """Let no file of the service grow beyond what its log has by now."""
    log = service.folder / "data" / "service.db-wal"
    limits = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (log.stat().st_size, limits[1]))
    try:
        yield
    finally:
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, limits)


@contextmanager
def foreign_lock(service: ServiceProcess) -> Iterator[None]:
    """Hold the lock on writes, as another program may."""
    with closing(sqlite3.connect(service.folder / "data" / "service.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


async def reads(world: World, card: Any, bot: Any) -> None:
    """Ask for everything that only reads, as people and agents do."""
    home, path = world.sa.org(), f"/cards/{card['id']}"
    mine = [
        path,
        f"{path}/history",
        f"{path}/comments",
        f"{home}/cards",
        f"{home}/board-flow",
        f"{home}/board",
        f"{home}/changes?since=1h",
        f"{home}/attention",
        f"{home}/search?q=standstill",
        "/auth/me",
        "/admin/export",
        "/admin/export?includeFiles=true",
    ]
    asked = [(world.sa, route) for route in mine] + [(bot, f"{home}/search/mcp?q=card"), (bot, f"{path}/mcp")]
    for who, route in asked:
        params = {"projectId": card["projectId"]} if "board" in route else {}
        began = time.monotonic()
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await who.get(route, params=params)
        assert answer.status == 200, (route, answer.body)
        assert time.monotonic() - began < PATIENCE_SECONDS, route
    async with asyncio.timeout(4 * PATIENCE_SECONDS):  # it waits for the lock, and then goes on without a session
        signed_in = await world.login(SA, PASSWORD)
    assert (await signed_in.get("/auth/me")).ok()["email"] == SA


@pytest.mark.slow
@pytest.mark.parametrize("standstill", [full_disk, foreign_lock])
async def test_while_nothing_can_be_written_reads_searches_and_exports_are_answered(
    service_process: ServiceProcess, standstill: Any
) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        card, bot = await world.card(board), await world.agent()
        (await send(world.sa, target(card, board.field("attachments")), blob(b"kept"))).ok()
        (await bot.get(f"/cards/{card['id']}/mcp")).ok()
        path = f"/cards/{card['id']}/comments"
        (await world.sa.post(path, {"content": "before the standstill"})).ok()
        (await bot.post("/agents/bot/offline")).ok()
        with standstill(service_process):
            # Waits for the lock, because the agent comes online; its next requests do not.
            (await bot.get(f"/cards/{card['id']}/mcp")).ok()
            lost = asyncio.create_task(world.sa.post(path, {"content": "x" * 19_000}))
            await reads(world, card, bot)
            for _ in range(40):  # more than the pages of the log that are there can take
                if lost.done():
                    break
                await asyncio.sleep(0.5)
            (await lost).refused(503, "unavailable")
        (await world.sa.post(path, {"content": "after it"})).ok()
        for _ in range(100):
            if (found := (await world.sa.get(world.sa.org("/search?q=standstill"))).ok()["total"]) == 1:
                break
            await asyncio.sleep(0.1)
        assert found == 1
        contents = [comment["content"] for comment in (await world.sa.get(path)).ok()["items"]]
        assert contents == ["before the standstill", "after it"]
    assert service_process.stop() == 0


async def test_uploads_and_imports_that_a_full_disk_does_not_take_are_503_and_leave_nothing(
    service_process: ServiceProcess,
) -> None:
    def on_disk() -> list[str]:
        folder = service_process.folder / "data" / "files"
        return [str(path) for path in folder.rglob("*") if path != folder / ".temporary"]

    async with World(service_process.url) as world:
        board = await world.board()
        card = await world.card(board)
        where, large = target(card, board.field("attachments")), b"x" * 8_000_000
        snapshot = json.dumps(small(cards=[]) | {"unknown": " " * 8_000_000}).encode()
        headers = {"Content-Type": "application/json"}
        with full_disk(service_process):
            (await send(world.sa, where, blob(large))).refused(503, "unavailable")
            answer = await world.sa.call("POST", "/admin/import", data=io.BytesIO(snapshot), headers=headers)
            answer.refused(503, "unavailable")
        assert on_disk() == []
        file = (await send(world.sa, where, blob(large))).ok()
        assert (await world.sa.get(f"/files/{file['id']}/content")).body == large


def test_a_search_gives_up_sooner_than_a_statement_that_waits_for_a_lock() -> None:
    assert PATIENCE_SECONDS * 1000 < connections.BUSY_TIMEOUT_MILLISECONDS
