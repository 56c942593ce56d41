"""What Solution Architects see of the backups of the service."""

import asyncio
from pathlib import Path
from typing import Any

from ..forms import find_contents, upload
from ..process import run
from ..world import SECRET, World


async def back_up(world: World, tmp_path: Path, *options: str, name: str = "backup") -> int:
    arguments = ["backup", *options, name]
    environment = {"SERVICE_JWT_SECRET": SECRET}
    return (await asyncio.to_thread(run, *arguments, folder=tmp_path, environment=environment)).returncode


async def shown(world: World) -> Any:
    return (await world.sa.get("/admin/backups")).ok()


async def test_architects_see_when_the_last_backup_was_made_and_verified(world: World, tmp_path: Path) -> None:
    assert await shown(world) == {"last": None, "next": None, "problem": None}
    assert await back_up(world, tmp_path) == 0
    first = await shown(world)
    assert first["last"]["verifiedAt"] is None
    assert await back_up(world, tmp_path, "--verify") == 0
    second = await shown(world)
    assert second["last"]["verifiedAt"] >= second["last"]["at"] == first["last"]["at"]
    (tmp_path / "backup" / "service.db").write_bytes(b"damaged")
    assert await back_up(world, tmp_path, "--verify") == 1
    damaged = await shown(world)
    assert (damaged["last"]["verifiedAt"], "damaged" in damaged["problem"]) == (None, True)


async def test_only_the_last_backup_counts_as_verified(world: World, tmp_path: Path) -> None:
    assert await back_up(world, tmp_path, name="first") == await back_up(world, tmp_path, name="second") == 0
    assert await back_up(world, tmp_path, "--verify", name="first") == 0
    assert (await shown(world))["last"]["verifiedAt"] is None


async def test_what_a_backup_lacks_is_counted_for_its_organization(world: World, tmp_path: Path) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"))
    find_contents(world, file).unlink()
    assert await back_up(world, tmp_path) == 3
    assert (await shown(world))["last"]["missing"] == 1
    assert (await world.outsider.get("/admin/backups")).ok()["last"]["missing"] == 0
    (await world.member.get("/admin/backups")).refused(403, "sa_required")
