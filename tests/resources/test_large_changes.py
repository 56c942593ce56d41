"""Batch and undo over large changes end within a second and 64 MiB: whole or not at all, and others go on writing."""

import asyncio
import json
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from service.clock import next_millisecond
from service.database import transaction
from service.ids import new_id

from ..process import ServiceProcess
from ..world import Answer, Board, World

VALUE_CHARACTERS, VALUES = 100_000, 6  # of a card: 0.6 MB
OTHERS_SECONDS_MAX = 2.0  # that a write of another organization takes, on a busy machine
MEMORY_BYTES_MAX = 256 << 20  # that an undo may add to a process: it was 1.5 GB
AGENT_SINCE = "2030-01-01T00:00:00.000Z"


@asynccontextmanager
async def others_writing(world: World) -> AsyncIterator[None]:
    """Have another organization write meanwhile, and fail the test if a write of it is refused or waits."""
    card = await world.card(await world.board(world.outsider), by=world.outsider)
    seconds: list[float] = []

    async def write() -> None:
        while True:
            began = time.monotonic()
            (await world.outsider.post(f"/cards/{card['id']}/comments", {"content": "Here"})).ok()
            seconds.append(time.monotonic() - began)
            await asyncio.sleep(0.02)

    writing = asyncio.create_task(write())
    try:
        await asyncio.sleep(0.1)
        yield
        await asyncio.sleep(0.1)
        assert not writing.done(), writing.exception()
    finally:
        writing.cancel()
    assert max(seconds) < OTHERS_SECONDS_MAX


async def state_of(world: World, card: Any) -> tuple[Any, str]:
    """Return a card and how many rows its history has."""
    path = f"/cards/{card['id']}"
    history = await world.sa.get(f"{path}/history", params={"pageSize": 1})
    return (await world.sa.get(path)).ok(), history.headers["X-Total-Count"]


def expect_too_expensive(answer: Answer) -> None:
    assert answer.status == 503  # the answer itself can be megabytes
    answer.refused(503, "too_expensive")
    assert int(answer.headers["Retry-After"]) > 0
    message = answer.body["error"]["message"]
    assert "nothing was changed" in message
    assert "fewer changes" in message


async def large_card(world: World, board: Board) -> tuple[Any, list[str]]:
    """Make a card with fields for 0.6 MB."""
    fields = [await world.field(board, f"long{number}", "richtext") for number in range(VALUES)]
    return await world.card(board), fields


async def edit(world: World, card: Any, fields: list[str], letter: str) -> Any:
    """Give all of the fields another value; return the card."""
    values = [{"fieldId": each, "value": letter * VALUE_CHARACTERS} for each in fields]
    return (await world.member.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()


async def batch(world: World, operations: list[Any]) -> Answer:
    return await world.member.post(world.member.org("/cards/batch"), {"operations": operations})


@pytest.mark.slow
async def test_a_batch_of_undo_over_large_changes_is_whole_or_nothing(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        card, fields = await large_card(world, await world.board())
        edited = [await edit(world, card, fields, "abcdefgh"[number % 8]) for number in range(100)]
        before = await state_of(world, card)
        undo = [{"cardId": card["id"], "undo": {"at": one["updatedAt"]}} for one in edited]
        async with others_writing(world):
            expect_too_expensive(await batch(world, undo))
            expect_too_expensive(await batch(world, undo[::-1]))
        assert await state_of(world, card) == before
        (result,) = (await batch(world, undo[-1:])).ok()["results"]
        assert result["card"]["version"] == before[0]["version"] + 1
        shown = {item["value"][0] for item in result["card"]["fieldValues"] if item["fieldId"] in fields}
        assert shown == {"abcdefgh"[98 % 8]}


async def test_a_batch_of_edits_of_a_large_card_keeps_nobody_waiting(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        card, fields = await large_card(world, await world.board())
        await edit(world, card, fields, "a")
        before = await state_of(world, card)
        edits = [{"cardId": card["id"], "edit": {"title": f"Title {number}"}} for number in range(100)]
        async with others_writing(world):
            answer = await batch(world, edits)
        if answer.status != 503:  # on a fast machine
            assert [result["card"]["title"] for result in answer.ok()["results"]] == [f"Title {n}" for n in range(100)]
            return
        expect_too_expensive(answer)
        assert await state_of(world, card) == before


@pytest.mark.slow
async def test_a_change_too_many_refuses_the_whole_batch(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        card, fields = await large_card(world, board)
        other = await world.card(board)
        edited = [await edit(world, card, fields, "ab"[number % 2]) for number in range(60)]  # 72 MB of changes
        before = await state_of(world, other)
        title = {"cardId": other["id"], "edit": {"title": "Changed"}}
        expect_too_expensive(
            await batch(world, [title, {"cardId": card["id"], "undo": {"at": edited[0]["updatedAt"]}}])
        )
        assert await state_of(world, other) == before
        (await batch(world, [title])).ok()


async def test_what_is_written_counts_and_the_values_of_cards_that_are_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await world.board()
    field = await world.field(board, "long", "richtext")
    card = await world.card(board, fieldValues=[{"fieldId": field, "value": "a" * 30_000}])
    renamed = (await world.member.patch(f"/cards/{card['id']}", {"title": "Renamed"})).ok()
    undo = {"cardId": card["id"], "undo": {"at": renamed["updatedAt"]}}
    transfer = {"projectId": (await world.board(title="Elsewhere")).id}
    before = await state_of(world, card)
    with monkeypatch.context() as patch:
        patch.setattr(transaction, "CHANGES_BYTES_MAX", 20_000)
        for way, body in (("transfer", transfer), ("duplicate", {})):  # with parts, these can be very many values
            expect_too_expensive(await world.sa.post(f"/cards/{card['id']}/{way}", body))
        expect_too_expensive(await batch(world, [undo]))
        clear = {"cardId": card["id"], "edit": {"fieldValues": [{"fieldId": field, "value": None}]}}
        expect_too_expensive(await batch(world, [clear]))
    assert await state_of(world, card) == before
    assert "card" in (await batch(world, [undo])).ok()["results"][0]


def add_agent_changes(folder: Path, org_id: str, card_id: str, field: str, count: int) -> list[str]:
    """Write changes of an agent into the history of a card, each of 1.2 MB; return when each was."""
    path, at, times = folder / "data" / "service.db", AGENT_SINCE, []
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as connection:
        for number in range(count):
            at = next_millisecond(at)
            change = {"from": str(number), "to": str(number + 1)}
            padding = {"from": "x" * 600_000, "to": "y" * 600_000}
            changes = json.dumps({f"fieldValues.{field}": change, "fieldValues.gone": padding})
            connection.execute(
                "INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)"
                " VALUES (?, ?, ?, 'Agent', 'bot', 'updated', ?, ?)",
                (new_id("his"), org_id, card_id, changes, at),
            )
            times.append(at)
    return times


def peak_of(process: ServiceProcess) -> int:
    """Return the most memory that the process has had since the last look, in bytes."""
    status = Path(f"/proc/{process.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    Path(f"/proc/{process.process.pid}/clear_refs").write_text("5")
    return int(line.split()[1]) * 1024


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak is read from /proc")
async def test_undo_of_an_agent_over_large_changes_is_bounded(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        await world.agent()
        field = await world.field(board, "step")
        card = await world.card(board, fieldValues=[{"fieldId": field, "value": "300"}])
        times = add_agent_changes(service_process.folder, world.sa.org_id, card["id"], "step", 300)
        before = await state_of(world, card)
        peak_of(service_process)
        idle = peak_of(service_process)
        path, body = world.sa.org("/undo"), {"agentId": "bot", "from": AGENT_SINCE}
        async with others_writing(world):
            for dry_run in (True, False):
                expect_too_expensive(await world.sa.post(path, {**body, "dryRun": dry_run}))
        assert peak_of(service_process) - idle < MEMORY_BYTES_MAX
        assert await state_of(world, card) == before
        # Less at a time works: the last ten.
        for dry_run in (True, False):
            undone = (await world.sa.post(path, {**body, "from": times[-10], "dryRun": dry_run})).ok()
            assert undone["items"][0]["changes"]["fieldValues.step"] == {"from": "300", "to": "290"}
        assert undone["items"][0]["kept"][0]["reason"] == "field_gone"
        assert peak_of(service_process) - idle < MEMORY_BYTES_MAX
        shown = await state_of(world, card)
        assert [item["value"] for item in shown[0]["fieldValues"] if item["fieldId"] == field] == ["290"]
        assert (shown[0]["version"], int(shown[1])) == (before[0]["version"] + 1, int(before[1]) + 1)
