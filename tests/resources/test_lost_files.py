"""Files whose contents are missing or damaged: found, told to Solution Architects, restored or removed."""

import hashlib
from typing import Any

import pytest

from service.errors import Unavailable
from service.resources.lost_files import check_files
from service.runtime import copy_ages

from ..direct_db import execute
from ..forms import find_contents, upload
from ..monitoring.test_metrics import value
from ..world import World


async def lost(world: World) -> list[Any]:
    """Let the service look for lost files, and return their list."""
    await check_files(world.service)
    page = (await world.sa.get("/admin/lost-files")).ok()
    assert page["total"] == len(page["items"])
    return list(page["items"])


async def attention(world: World, client: Any) -> list[Any]:
    items = (await client.get(client.org("/attention"))).ok()
    return [item for item in items if item["kind"] == "backup"]


async def uploaded(world: World, content: bytes = b"content") -> tuple[Any, Any]:
    board = await world.board()
    card = await world.card(board)
    return card, await upload(world, card, board.field("attachments"), content)


async def test_lost_contents_are_listed_until_they_are_restored(world: World) -> None:
    card, file = await uploaded(world)
    assert await lost(world) == []
    find_contents(world, file).unlink()
    assert await lost(world) == [{"id": file["id"], "cardId": card["id"], "cardKey": card["key"], "name": file["name"]}]
    assert await value(world, "tandem_lost_files") == 1
    (item,) = await attention(world, world.sa)
    assert item["message"] == "The contents of a file are lost."
    assert await attention(world, world.member) == []
    assert (await world.outsider.get("/admin/lost-files")).ok()["items"] == []
    path = f"/files/{file['id']}/content"
    assert (await world.sa.call("POST", path, data=b"another")).invalid() == [""]
    (await world.sa.call("POST", path, data=b"content")).ok()
    assert (await world.sa.get("/admin/lost-files")).ok()["total"] == 0
    assert await lost(world) == await attention(world, world.sa) == []
    assert await value(world, "tandem_lost_files") == 0


async def test_a_removed_file_is_lost_no_longer(world: World) -> None:
    _, file = await uploaded(world)
    find_contents(world, file).write_bytes(b"short")
    assert len(await lost(world)) == 1
    (await world.sa.delete(f"/files/{file['id']}")).ok()
    assert await lost(world) == []


async def test_contents_that_come_back_are_lost_no_longer(world: World) -> None:
    _, file = await uploaded(world)
    path = find_contents(world, file)
    path.rename(path.with_name("aside"))
    assert len(await lost(world)) == 1
    path.with_name("aside").rename(path)
    assert await lost(world) == []


async def test_a_missing_folder_makes_no_file_a_lost_one(world: World) -> None:
    await uploaded(world)
    folder = world.service.settings.files
    folder.rename(folder.with_name("unmounted"))
    with pytest.raises(Unavailable):
        await check_files(world.service)
    assert (await world.sa.get("/admin/lost-files")).ok()["total"] == 0
    folder.with_name("unmounted").rename(folder)


async def test_older_files_get_the_hash_of_their_contents(world: World) -> None:
    card, file = await uploaded(world)
    await execute(world, "UPDATE files SET sha256 = NULL")
    assert (await world.sa.get(f"/files/card/{card['id']}")).ok()[0]["sha256"] is None
    assert await lost(world) == []
    assert (await world.sa.get(f"/files/card/{card['id']}")).ok()[0]["sha256"] == file["sha256"]
    assert file["sha256"] == hashlib.sha256(b"content").hexdigest()


async def test_damage_that_a_backup_has_found_is_listed_and_can_be_repaired(world: World) -> None:
    _, file = await uploaded(world)
    find_contents(world, file).write_bytes(b"c0ntent")
    assert await lost(world) == []
    missing = [(f"{world.sa.org_id}/{file['cardId']}/{file['id']}", True)]
    copy_ages.record_backup(world.service.settings.data_path, world.service.settings.data_path / "copy", missing)
    assert [row["id"] for row in await lost(world)] == [file["id"]]
    (await world.sa.call("POST", f"/files/{file['id']}/content", data=b"content")).ok()
    assert find_contents(world, file).read_bytes() == b"content"
    assert await lost(world) == []


async def test_an_export_tells_which_contents_are_lost(world: World) -> None:
    card, file = await uploaded(world)
    assert (await world.sa.get("/admin/export")).ok()["meta"]["missingFiles"] == []
    find_contents(world, file).unlink()
    for query in ("", "?includeFiles=true"):
        meta = (await world.sa.get(f"/admin/export{query}")).ok()["meta"]
        assert meta["missingFiles"] == [{"id": file["id"], "cardId": card["id"], "name": file["name"]}]


async def test_only_architects_see_lost_files(world: World) -> None:
    (await world.member.get("/admin/lost-files")).refused(403, "sa_required")
    (await (await world.agent()).get("/admin/lost-files")).refused(401, "unauthorized")
