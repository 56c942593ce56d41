"""Files: uploaded, listed, replaced, removed, with their rows, values and history."""

import hashlib
import re

from ..forms import blob, file_field, find_contents, on_disk, send, target, text, upload, values
from ..world import World


async def test_an_upload_answers_the_metadata_and_stands_on_disk_under_its_ids(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    file = (await send(world.member, target(card, field_id), blob(b"\x00\xff" * 1000, "a.bin", "image/x-raw"))).ok()
    assert re.fullmatch(r"file_[0-9A-Z]{26}", file["id"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", file["uploadedAt"])
    assert file == {
        "id": file["id"],
        "name": "a.bin",
        "mimeType": "image/x-raw",
        "sizeBytes": 2000,
        "sha256": hashlib.sha256(b"\x00\xff" * 1000).hexdigest(),
        "cardId": card["id"],
        "cardKey": card["key"],
        "fieldId": field_id,
        "uploadedAt": file["uploadedAt"],
    }
    path = world.service.settings.files / world.sa.org_id / card["id"] / file["id"]
    assert path.read_bytes() == b"\x00\xff" * 1000
    assert path == find_contents(world, file)
    assert (await world.member.get(f"/files/card/{card['id']}/field/{field_id}")).ok() == [file]


async def test_only_the_owner_of_the_process_can_look_into_the_files_folder(world: World) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"))
    folders = [world.service.settings.files, *list(find_contents(world, file).parents)[:2]]
    assert [oct(folder.stat().st_mode & 0o777) for folder in folders] == ["0o700"] * 3


async def test_the_parts_come_in_any_order(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    parts = [text("cardId", card["id"]), text("fieldId", board.field("attachments")), blob()]
    for order in ((0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0)):
        file = (await send(world.sa, *[parts[number] for number in order])).ok()
        assert find_contents(world, file).read_bytes() == b"content"


async def test_an_empty_file_is_a_file(world: World) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), b"")
    assert file["sizeBytes"] == 0
    answer = await world.sa.get(f"/files/{file['id']}/content")
    assert (answer.status, answer.body, answer.headers["Content-Length"]) == (200, None, "0")


async def test_contents_that_look_like_boundaries_arrive_as_they_are(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    for content in (b"\r\n--a-boundar", b"--a-boundary", b"\r\n", b"\r\n\r\n--", b"\n--a-boundary--\r", b"-" * 300_000):
        file = await upload(world, card, board.field("attachments"), content)
        assert find_contents(world, file).read_bytes() == content


async def test_a_multiple_field_keeps_all_uploads_oldest_first(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    first, second = [await upload(world, card, field_id, content) for content in (b"1", b"2")]
    assert await values(world, card) == {field_id: [first["id"], second["id"]]}
    assert (await world.sa.get(f"/files/card/{card['id']}/field/{field_id}")).ok() == [first, second]
    assert find_contents(world, first).exists()


async def test_a_single_valued_field_gives_up_the_file_it_had(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = await file_field(world, board)
    first, second = [await upload(world, card, field_id, content) for content in (b"1", b"2")]
    assert await values(world, card) == {field_id: [second["id"]]}
    assert (await world.sa.get(f"/files/card/{card['id']}/field/{field_id}")).ok() == [second]
    (await world.sa.get(f"/files/{first['id']}/content")).refused(404, "not_found")
    organization, folder = world.sa.org_id, f"{world.sa.org_id}/{card['id']}"
    assert await on_disk(world) == {organization, folder, f"{folder}/{second['id']}"}


async def test_every_upload_and_removal_is_one_version_and_one_history_row(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = await file_field(world, board)
    first, second = [await upload(world, card, field_id) for _ in range(2)]
    (await world.sa.delete(f"/files/{second['id']}")).ok()
    now = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert now["version"] == card["version"] + 3
    assert now["updatedAt"] > card["updatedAt"]
    rows = (await world.history(card["id"]))[1:]
    assert [row["action"] for row in rows] == ["fileAdded", "fileAdded", "fileRemoved"]
    ids = [None, first["id"], second["id"], None]
    for row, before, after in zip(rows, ids, ids[1:], strict=False):
        assert row["changes"] == {
            "fieldValues.logo": {"from": before and [before], "to": after and [after]},
            "fileId": {"from": before, "to": after},
        }
        assert row["actor"] == {"type": "User", "id": world.sa.id, "label": "Ada Architect"}


async def test_a_removed_file_is_gone_from_card_list_and_disk(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    first, second = [await upload(world, card, field_id) for _ in range(2)]
    assert (await world.sa.delete(f"/files/{first['id']}")).ok() == {"success": True}
    assert await values(world, card) == {field_id: [second["id"]]}
    assert (await world.sa.delete(f"/files/{second['id']}")).ok() == {"success": True}
    assert await values(world, card) == {}
    assert await on_disk(world) == set()
    (await world.sa.delete(f"/files/{second['id']}")).refused(404, "not_found")


async def test_a_file_fills_a_field_that_a_move_requires(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = await file_field(world, board, required=True)
    move = {"toColumnId": board.columns["In Progress"]}
    details = (await world.sa.patch(f"/cards/{card['id']}/status", move)).refused(400, "required_fields_missing")
    assert details["fieldIds"] == [field_id]
    await upload(world, card, field_id)
    (await world.sa.patch(f"/cards/{card['id']}/status", move)).ok()


async def test_deleting_a_field_removes_the_files_in_it(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = await file_field(world, board)
    kept, gone = await upload(world, card, board.field("attachments")), await upload(world, card, field_id)
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields/{field_id}")
    (await world.sa.delete(path)).ok()
    (await world.sa.get(f"/files/{gone['id']}/content")).refused(404, "not_found")
    await world.service.file_store.wait_for_removals()
    assert not find_contents(world, gone).exists()
    assert find_contents(world, kept).exists()


async def test_what_is_removed_for_good_takes_its_folder_along(world: World) -> None:
    board = await world.board()
    field_id = board.field("attachments")
    first, second, third = [await world.card(board) for _ in range(3)]
    for card in (first, second, third):
        await upload(world, card, field_id)
    (await world.sa.delete(f"/cards/{first['id']}?mode=permanent")).ok()
    (await world.sa.delete(f"/cards/{second['id']}")).ok()
    assert not {path for path in await on_disk(world) if first["id"] in path}
    assert {path for path in await on_disk(world) if second["id"] in path}
    (await world.sa.delete(f"/archive/card/{second['id']}")).ok()
    assert not {path for path in await on_disk(world) if second["id"] in path}
    assert {path for path in await on_disk(world) if third["id"] in path}
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}?mode=permanent"))).ok()
    assert await on_disk(world) == set()


async def test_an_organization_removed_for_good_takes_its_folder_along(world: World) -> None:
    board = await world.board()
    await upload(world, await world.card(board), board.field("attachments"))
    (await world.sa.delete(world.sa.org("?mode=permanent"))).ok()
    assert await on_disk(world) == set()
