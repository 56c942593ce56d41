"""The files folder: while it is gone nothing is taken or given, and an older database over it loses nothing."""

import io
import json
import shutil

from service.config import Settings

from ..forms import blob, send, target, upload
from ..running import running
from ..snapshots import snapshot_of
from ..world import World


async def test_while_the_files_folder_is_gone_it_is_503_and_works_again_once_it_is_back(
    world: World, settings: Settings
) -> None:
    board = await world.board()
    card, bot = await world.card(board, column="Todo"), await world.agent()
    file = await upload(world, card, board.field("attachments"), b"kept")
    snapshot = await snapshot_of(world.sa, includeFiles="true")
    small = json.dumps(snapshot).encode()
    headers = {"Content-Type": "application/json"}
    aside = settings.files.with_name("aside")
    settings.files.rename(aside)

    for who, path in ((world.sa, f"/files/{file['id']}/content"), (bot, f"/files/{file['id']}/content/mcp")):
        (await who.get(path)).refused(503, "unavailable")
    (await world.sa.get("/admin/export", params={"includeFiles": "true"})).refused(503, "unavailable")
    (await world.sa.call("POST", "/admin/import", data=io.BytesIO(small), headers=headers)).refused(503, "unavailable")
    for who in (world.sa, bot):
        answer = await send(who, target(card, board.field("attachments")), blob())
        answer.refused(503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0
    (await world.sa.get(f"/files/card/{card['id']}/field/{board.field('attachments')}")).ok()
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "still served"})).ok()
    assert (await world.sa.get("/admin/export")).ok()["files"][0]["id"] == file["id"]
    assert not settings.files.exists()

    aside.rename(settings.files)
    assert (await world.sa.get(f"/files/{file['id']}/content")).ok() == b"kept"
    more = await upload(world, card, board.field("attachments"), b"more")
    assert (await world.sa.get(f"/files/{more['id']}/content")).ok() == b"more"
    again = await snapshot_of(world.sa, includeFiles="true")
    assert {row["contentBase64"] for row in again["files"]} == {"a2VwdA==", "bW9yZQ=="}
    (await world.sa.call("POST", "/admin/import", data=io.BytesIO(small), headers=headers)).ok()


async def test_an_older_database_over_newer_files_loses_no_contents(settings: Settings) -> None:
    older, newer = settings.database.with_name("older.db"), settings.database.with_name("newer.db")
    async with running(settings) as world:
        board = await world.board()
        card = await world.card(board)
        first = await upload(world, card, board.field("attachments"), b"first")
    shutil.copy(settings.database, older)
    async with running(settings) as world:
        second = await upload(world, card, board.field("attachments"), b"second")
    settings.database.rename(newer)
    older.rename(settings.database)
    async with running(settings) as world:
        assert (await world.sa.get(f"/files/{first['id']}/content")).ok() == b"first"
        (await world.sa.get(f"/files/{second['id']}/content")).refused(404, "not_found")
    newer.replace(settings.database)
    async with running(settings) as world:
        for file, content in ((first, b"first"), (second, b"second")):
            assert (await world.sa.get(f"/files/{file['id']}/content")).ok() == content
