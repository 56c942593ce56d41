"""After a restore no client misses an event silently: older positions get `reset`, and ids are never used again."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service import config

from ..monitoring.test_metrics import value
from ..process import ServiceProcess, run
from ..streams import changes, listening, position, types
from ..world import Board, Client, World

MULTIPLE = 1_000_000


@dataclass
class Lost:
    """What clients know of a service that is lost after its backup."""

    saved: str  # the last position in the backup
    known: str  # the last position of all
    board: Board
    card: Any
    agent: Client


@pytest.fixture
def service(settings: config.Settings, tmp_path: Path) -> Any:
    with ServiceProcess(tmp_path, {"SERVICE_RATE_LIMIT_LOGIN": "1000"}) as process:
        yield process


async def _lose(service: ServiceProcess, folder: Path) -> Lost:
    """Back up, go on writing, lose everything and restore."""
    async with World(service.url) as world:
        card = await world.card(board := await world.board())
        agent = await world.agent()
        await comment(world, card, "kept", by=agent)
        saved = await position(world.sa)
        (await world.sa.call("PUT", world.sa.org("/seen"), {"eventId": saved})).ok()
        assert (await asyncio.to_thread(run, "backup", "backup", folder=folder)).returncode == 0
        for number in range(5):
            await comment(world, card, f"lost {number}")
        known = await position(world.sa)
    service.stop()
    shutil.rmtree(folder / "data")
    assert run("restore", "backup", folder=folder).returncode == 0
    return Lost(saved, known, board, card, agent)


async def comment(world: World, card: Any, text: str, by: Client | None = None) -> None:
    (await (by or world.sa).post(f"/cards/{card['id']}/comments{'/mcp' if by else ''}", {"content": text})).ok()


@asynccontextmanager
async def restored(service: ServiceProcess, folder: Path) -> AsyncIterator[tuple[World, Lost]]:
    lost = await _lose(service, folder)
    service.start()
    async with World(service.url) as world:
        yield world, lost


async def test_an_older_position_gets_reset_and_the_next_ones_miss_nothing(
    service: ServiceProcess, tmp_path: Path
) -> None:
    async with restored(service, tmp_path) as (world, lost):
        assert await position(world.sa) == await position(world.outsider) == str(MULTIPLE)
        for _ in range(10):  # more than were lost, so that their ids would be used again
            await comment(world, lost.card, "new")
        current = str(MULTIPLE + 10)
        answer = {"items": [], "next": current, "hasMore": False, "reset": True}
        agent = world.client(lost.agent.headers, id=lost.agent.id, org_id=lost.agent.org_id)
        for since in ("0", lost.saved, lost.known, str(MULTIPLE - 1), "1d"):
            assert await changes(world.sa, since=since, wait=10) == answer
            assert await changes(agent, since=since) == answer
            async with listening(world.sa, since=since, first="reset") as listener:
                assert listener.opening.id == current
        async with listening(world.sa, last_id=lost.known, first="reset"):
            pass
        assert await types(world.sa, str(MULTIPLE)) == ["comment.created"] * 10
        delta = (
            await world.sa.get(world.sa.org("/board"), params={"projectId": lost.board.id, "since": lost.known})
        ).ok()
        assert (delta["at"], "columns" in delta) == (current, True)
        assert await changes(world.outsider, since=str(MULTIPLE)) == {
            "items": [], "next": str(MULTIPLE), "hasMore": False, "reset": False,
        }  # fmt: skip


async def test_what_people_and_agents_have_seen_stays_seen(service: ServiceProcess, tmp_path: Path) -> None:
    async with restored(service, tmp_path) as (world, lost):
        agent = world.client(lost.agent.headers, id=lost.agent.id, org_id=lost.agent.org_id)
        caught_up = (await world.sa.get(world.sa.org("/catch-up"))).ok()
        assert (caught_up["items"], caught_up["at"], caught_up["next"]) == ([], str(MULTIPLE), str(MULTIPLE))
        assert (await agent.get(agent.org("/inbox/mcp"))).ok()["items"] == []
        await comment(world, lost.card, "new")
        await comment(world, lost.card, "of another", by=agent)
        (item,) = (await world.sa.get(world.sa.org("/catch-up"))).ok()["items"]
        assert item["what"] == {"commented": 1}
        (item,) = (await agent.get(agent.org("/inbox/mcp"))).ok()["items"]
        assert item["what"] == {"commented": 1}
        assert (await agent.get(agent.org("/inbox/mcp"))).ok()["items"] == []
        (everything,) = (await world.sa.get(world.sa.org("/catch-up"), params={"since": "1d"})).ok()["items"]
        assert everything["what"]["commented"] == 2  # the one from before the backup, too


async def test_changes_from_before_the_restore_that_nobody_has_seen_are_still_unread(
    service: ServiceProcess, tmp_path: Path
) -> None:
    async with restored(service, tmp_path) as (world, lost):
        shown = (await world.member.get(world.sa.org("/board"), params={"projectId": lost.board.id})).ok()
        assert shown["cards"][0]["unread"] == 2  # the card and the agent's comment
        shown = (await world.sa.get(world.sa.org("/board"), params={"projectId": lost.board.id})).ok()
        assert "unread" not in shown["cards"][0]


async def test_positions_that_catch_up_names_can_be_followed(service: ServiceProcess, tmp_path: Path) -> None:
    async with restored(service, tmp_path) as (world, lost):
        await comment(world, lost.card, "new")
        since = (await world.sa.get(world.sa.org("/catch-up"), params={"since": "1d"})).ok()["since"]
        assert await types(world.sa, since) == ["comment.created"]
        assert await value(world, "tandem_events_total") == 1


async def test_a_restored_database_of_more_events_and_a_second_restore_continue_higher(
    service: ServiceProcess, tmp_path: Path
) -> None:
    async with restored(service, tmp_path) as (world, lost):
        await comment(world, lost.card, "new")
        assert run("backup", "again", folder=tmp_path).returncode == 0
    service.stop()
    shutil.rmtree(tmp_path / "data")
    assert run("restore", "again", folder=tmp_path).returncode == 0
    assert not list((tmp_path / "data").glob("service.db.restoring*"))
    service.start()
    async with World(service.url) as world:
        assert await position(world.sa) == str(2 * MULTIPLE)
        assert (await changes(world.sa, since=str(MULTIPLE + 1)))["reset"] is True


async def test_what_an_interrupted_restore_left_is_not_taken_for_a_part_of_the_next(
    service: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service.url) as world:
        await world.board()
    assert run("backup", "backup", folder=tmp_path).returncode == 0
    service.stop()
    data = tmp_path / "data"
    for path in data.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    interrupted = data / "service.db.restoring"
    shutil.copy(tmp_path / "backup" / "service.db", interrupted)
    with closing(sqlite3.connect(interrupted)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("DELETE FROM events")
        connection.commit()
        shutil.copy(f"{interrupted}-wal", data / "log")  # closing would remove it
    (data / "log").rename(f"{interrupted}-wal")
    assert run("restore", "backup", folder=tmp_path).returncode == 0
    assert not list(data.glob("service.db.restoring*"))
    with closing(sqlite3.connect(data / "service.db")) as connection:
        assert connection.execute("SELECT min(id), max(id) FROM events").fetchone() == (1, MULTIPLE)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
