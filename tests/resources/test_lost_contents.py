"""Contents that are brought back: within the bounds of an upload, whatever the row of the file says."""

import asyncio
import contextlib
import hashlib
import io
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.config import Settings
from service.http import request_body

from ..forms import find_contents, on_disk, upload
from ..repeated import KEY, get_first_answer, get_replay
from ..snapshots import snapshot_of
from ..world import Answer, World

LIMIT = 1 << 20
RAW = {"headers": {"Content-Type": "application/octet-stream"}}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Provide settings with a small limit."""
    return settings.model_copy(update={"files_max_bytes": LIMIT})


async def _lost(world: World, content: bytes = b"precious") -> tuple[Any, Path]:
    """Upload a file, and lose its contents."""
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), content)
    path = find_contents(world, file)
    path.unlink()
    return file, path


async def _bring_back(world: World, file: Any, content: Any) -> Answer:
    data = io.BytesIO(content) if isinstance(content, bytes) else content
    return await world.sa.call("POST", f"/files/{file['id']}/content", data=data, **RAW)


async def test_contents_sent_again_with_a_key_are_answered_again(world: World) -> None:
    file, path = await _lost(world)
    call = partial(world.sa.call, "POST", f"/files/{file['id']}/content")
    key = {"headers": RAW["headers"] | KEY["headers"]}
    assert get_first_answer(await call(data=b"precious", **key)) == {"success": True}
    assert get_replay(await call(data=b"precious", **key)) == {"success": True}
    (await call(data=b"pretious", **key)).refused(422, "idempotency_key_reused")
    assert path.read_bytes() == b"precious"
    for other in (RAW, {"headers": {**RAW["headers"], "Idempotency-Key": "another"}}):
        for content in (b"precious", b"longer than it"):
            assert (await call(data=content, **other)).refused(409, "conflict") == {"state": "present"}


async def test_contents_on_an_archived_board_are_brought_back_by_architects_only(world: World) -> None:
    file, path = await _lost(world)
    (board,) = (await world.sa.get(world.sa.org("/projects"))).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board['id']}"))).ok()
    call = partial(world.member.call, "POST", f"/files/{file['id']}/content", data=b"precious", **RAW)
    (await call()).refused(404, "not_found")
    assert not path.exists()
    (await _bring_back(world, file, b"precious")).ok()
    assert path.read_bytes() == b"precious"


async def test_a_size_that_a_snapshot_claims_does_not_lift_the_limit(world: World) -> None:
    file, path = await _lost(world)
    snapshot = await snapshot_of(world.sa)
    snapshot["files"][0]["sizeBytes"] = LIMIT + 1
    (await world.sa.post("/admin/import", snapshot)).ok()
    answer = await _bring_back(world, file, b"x" * (LIMIT + 1))
    assert answer.refused(413, "payload_too_large") == {"limitBytes": LIMIT}
    assert not path.exists()
    snapshot["files"][0] |= {"sizeBytes": LIMIT, "sha256": hashlib.sha256(b"x" * LIMIT).hexdigest()}
    (await world.sa.post("/admin/import", snapshot)).ok()
    (await _bring_back(world, file, b"x" * LIMIT)).ok()
    assert path.stat().st_size == LIMIT


async def test_a_content_upload_without_progress_times_out(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "IDLE_TIMEOUT_SECONDS", 0.2)
    file, path = await _lost(world)
    is_over = asyncio.Event()

    async def halting() -> Any:
        yield b"prec"
        await is_over.wait()

    async with asyncio.timeout(10):
        answer = await _bring_back(world, file, halting())
    is_over.set()
    answer.refused(408, "request_timeout")
    assert not path.exists()


async def test_an_organization_over_its_quota_brings_nothing_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, path = await _lost(world)
    small, large = (world.service.settings.model_copy(update={"files_quota_bytes": quota}) for quota in (7, 8))
    monkeypatch.setattr(world.service, "settings", small)
    assert (await _bring_back(world, file, b"precious")).refused(409, "quota_exceeded") == {"quotaBytes": 7}
    assert not path.exists()
    monkeypatch.setattr(world.service, "settings", large)
    (await _bring_back(world, file, b"precious")).ok()


async def test_a_body_of_another_length_than_the_file_is_refused_unread(world: World) -> None:
    file, path = await _lost(world)
    address, token = urlsplit(world.url), world.sa.headers["Authorization"]
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    lines = (f"POST /api/v1/files/{file['id']}/content HTTP/1.1", "Host: x", f"Authorization: {token}")
    writer.write("\r\n".join([*lines, f"Content-Length: {LIMIT}", "", ""]).encode())
    async with asyncio.timeout(10):
        assert b" 400 " in await reader.readline()
    writer.close()
    assert not path.exists()


async def test_of_a_body_without_a_length_no_more_is_stored_than_the_file_has(world: World) -> None:
    file, path = await _lost(world)
    sent = 0

    async def long() -> Any:
        nonlocal sent
        for _ in range(1024):
            sent += 1 << 16
            yield b"x" * (1 << 16)

    with contextlib.suppress(ConnectionError):  # the service answers and closes before the end of the body
        (await _bring_back(world, file, long())).invalid()
    assert sent < 64 << 20
    assert not path.exists()
    assert not [name for name in await on_disk(world) if name.startswith(".temporary")]
