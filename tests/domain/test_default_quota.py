"""The default quota: it applies to all organizations except those that had more files before it existed."""

from typing import Any

import pytest

from service.config import Settings

from ..direct_db import execute
from ..forms import blob, send, target, upload
from ..snapshots import snapshot_of
from ..world import Answer, World

GIB = 1 << 30
DEFAULT = {"quotaBytes": 10 * GIB}


async def _holding(world: World, size: int) -> bytes:
    """Give the home organization a file of this size, and return where another one goes."""
    board = await world.board()
    card, field_id = await world.card(board), board.field("attachments")
    file = await upload(world, card, field_id)
    await execute(world, "UPDATE files SET size_bytes = :size WHERE id = :id", size=size, id=file["id"])
    return target(card, field_id)


async def _import_one_more(world: World) -> Answer:
    snapshot = await snapshot_of(world.sa)
    snapshot["files"].append({**snapshot["files"][0], "id": "file_more", "sizeBytes": 1})
    return await world.sa.post("/admin/import", snapshot)


async def test_files_of_an_organization_have_ten_gibibytes_together(world: World) -> None:
    where = await _holding(world, 10 * GIB - 1)
    (await send(world.sa, where, blob(b"xy"))).refused(409, "quota_exceeded")
    (await send(world.sa, where, blob(b"x"))).ok()
    assert (await send(world.sa, where, blob(b"x"))).refused(409, "quota_exceeded") == DEFAULT
    assert (await _import_one_more(world)).refused(409, "quota_exceeded") == DEFAULT


async def test_an_organization_that_holds_more_keeps_uploading_until_a_quota_is_set(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = await _holding(world, 10 * GIB + 1)
    (await send(world.sa, where, blob())).ok()
    (await _import_one_more(world)).ok()
    assert not world.service.settings.is_files_quota_set
    settings: Settings = world.service.settings.model_copy(update={"files_quota_bytes": 10 * GIB})
    monkeypatch.setattr(world.service, "settings", settings)
    assert (await send(world.sa, where, blob())).refused(409, "quota_exceeded") == DEFAULT
    without: Any = (await snapshot_of(world.sa))["files"]
    (await world.sa.delete(f"/files/{max(without, key=lambda file: file['sizeBytes'])['id']}")).ok()
    (await send(world.sa, where, blob())).ok()
