"""Uploads: nobody's bytes are stored before it is known that they may be."""

import asyncio
from pathlib import Path

import pytest

from service.resources import uploads

from ..forms import begin_upload, blob, head, send, target, text, values
from ..world import Client, World

EARLY = uploads.EARLY_BYTES_MAX


def stored(world: World) -> int:
    """Count the bytes of all that is on its way in."""
    folder: Path = world.service.settings.files
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def _card(world: World, column: str = "Todo") -> tuple[dict[str, str], bytes]:
    board = await world.board()
    card = await world.card(board, column)
    return card, target(card, board.field("attachments"))


async def _crew(world: World) -> Client:
    """Return a key with which two agents registered, one of them approved: which one calls is to be said."""
    key = await world.agent("bot")
    (team,) = (await world.sa.get(world.sa.org("/teams"))).ok()
    await world.register(key, team["id"], "waiting")
    return key


async def _beginning(world: World, client: Client, *parts: bytes) -> None:
    """Send the beginning of an upload, and wait until the service has received it."""
    client.base = world.url
    _, writer = await begin_upload(client, b"".join(parts), 4 * EARLY)
    await asyncio.sleep(0.3)
    assert stored(world) == 0
    writer.transport.abort()


async def test_contents_that_come_before_their_card_are_not_stored_until_it_is_judged(world: World) -> None:
    _, where = await _card(world)
    await _beginning(world, world.sa, head("file", "a") + b"x" * (3 << 20))
    content = b"y" * (3 << 20)
    file = (await send(world.sa, blob(content), where)).ok()
    assert file["sizeBytes"] == len(content)
    assert (await world.sa.get(f"/files/{file['id']}/content")).body == content


async def test_a_large_file_that_comes_before_its_card_is_told_to_come_after(world: World) -> None:
    card, where = await _card(world)
    answer = await send(world.sa, blob(b"x" * (EARLY + 1)), where)
    assert answer.invalid() == ["file"]
    assert "after cardId, fieldId" in answer.body["error"]["message"]
    assert stored(world) == 0
    assert await values(world, card) == {}
    (await send(world.sa, where, blob(b"x" * (EARLY + 1)))).ok()


@pytest.mark.parametrize("is_placed", [True, False])
async def test_contents_are_not_stored_before_it_is_known_which_agent_sends_them(world: World, is_placed: bool) -> None:
    card, where = await _card(world)
    key = await _crew(world)
    content, one = blob(b"x" * (3 << 20)), text("agentId", "bot")
    answer = await send(key, where, blob(b"x" * (EARLY + 1)), one)
    assert answer.invalid() == ["file"]
    assert "agentId" in answer.body["error"]["message"]
    parts = (where, content) if is_placed else (content, where)
    (await send(key, *parts)).refused(403, "agent_unknown")
    (await send(key, *parts, text("agentId", "waiting"))).refused(403, "agent_not_approved")
    assert stored(world) == 0
    (await send(key, *parts, one)).ok()
    assert (await world.history(card["id"]))[-1]["actor"]["id"] == "bot"


async def test_the_gate_of_a_card_that_is_named_last_keeps_its_contents_off_the_disk(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, where = await _card(world, "Backlog")
    agent = await world.agent()
    kept: list[int] = []

    async def write(incoming: object, chunk: bytes) -> None:
        kept.append(len(chunk))

    monkeypatch.setattr("service.runtime.file_store.IncomingFile.write", write)
    (await send(agent, blob(b"x" * (3 << 20)), where)).refused(403, "agent_pickup_disabled")
    assert kept == []


async def test_what_is_held_in_memory_for_a_caller_is_counted(world: World) -> None:
    _, where = await _card(world)
    early = head("file", "a") + b"x" * (2 << 20)
    lines = [await begin_upload(world.sa, early, 4 * EARLY) for _ in range(5)]
    await asyncio.sleep(0.3)
    (await send(world.sa, blob(b"x" * (1 << 20)), where)).refused(503, "overloaded")
    (await send(world.member, blob(b"x" * (1 << 20)), where)).ok()
    (await send(world.sa, where, blob(b"x" * (1 << 20)))).ok()
    for _, writer in lines:
        writer.transport.abort()


async def test_a_file_that_is_too_large_is_so_wherever_it_stands(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    _, where = await _card(world)
    settings = world.service.settings.model_copy(update={"files_max_bytes": 1000})
    monkeypatch.setattr(world.service, "settings", settings)
    for parts in ((where, blob(b"x" * 1001)), (blob(b"x" * 1001), where)):
        (await send(world.sa, *parts)).refused(413, "payload_too_large")
    (await send(world.sa, blob(b"x" * 1000), where)).ok()


async def test_who_may_upload_nothing_is_told_before_the_contents_have_come(world: World) -> None:
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == ("Member", "File"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read"]})).ok()
    reader, writer = await begin_upload(world.member, head("file", "a") + b"x" * 1000, EARLY)
    async with asyncio.timeout(5):
        assert b" 403 " in await reader.readline()
    writer.transport.abort()
