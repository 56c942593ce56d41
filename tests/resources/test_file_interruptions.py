"""Files: aborted, oversized and failed uploads leave nothing, and slow clients hold nobody up."""

import asyncio
from typing import Any

import pytest

from service import config
from service.domain import field_values
from service.runtime.file_store import FileStore

from ..forms import END, FORM, begin_upload, blob, find_contents, head, on_disk, send, target, upload, values
from ..world import World

LIMIT = 2_000_000


@pytest.fixture
def settings(settings: config.Settings) -> config.Settings:
    """Provide settings with a small limit."""
    return settings.model_copy(update={"files_max_bytes": LIMIT})


async def _until(world: World, wanted: int) -> None:
    """Wait until a number of entries are in the files folder."""
    for _ in range(1000):
        if len(await on_disk(world)) == wanted:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(await on_disk(world))


async def _card(world: World) -> tuple[Any, bytes]:
    board = await world.board()
    card = await world.card(board)
    return card, target(card, board.field("attachments"))


async def test_an_upload_that_the_client_breaks_off_leaves_nothing(world: World) -> None:
    card, where = await _card(world)
    for before, length in ((where, LIMIT), (b"", LIMIT), (where, None)):
        _, writer = await begin_upload(world.sa, before + head("file", "a") + b"x" * 1_500_000, length)
        await _until(world, 1)
        writer.transport.abort()
        await _until(world, 0)
    assert await values(world, card) == {}
    assert len(await world.history(card["id"])) == 1


async def test_an_upload_that_ends_too_early_is_refused_and_leaves_nothing(world: World) -> None:
    _, where = await _card(world)
    half = where + head("file", "a") + b"half of it\r\n--a-bound"
    answer = await world.sa.call("POST", "/files", data=half, headers={"Content-Type": FORM})
    assert "it ends before its last boundary" in answer.refused(400, "validation_failed")["fields"][0]["message"]
    assert await on_disk(world) == set()


async def test_a_file_of_just_the_limit_fits_and_one_byte_more_does_not(world: World) -> None:
    _, where = await _card(world)
    file = (await send(world.sa, where, blob(b"x" * LIMIT))).ok()
    assert file["sizeBytes"] == LIMIT
    (await world.sa.delete(f"/files/{file['id']}")).ok()
    answer = await send(world.sa, where, blob(b"x" * (LIMIT + 1)))
    assert answer.refused(413, "payload_too_large") == {"limitBytes": LIMIT}
    assert await on_disk(world) == set()


async def test_an_upload_that_says_it_is_too_large_is_refused_unread(world: World) -> None:
    reader, writer = await begin_upload(world.sa, b"", LIMIT + 100_000)
    async with asyncio.timeout(5):
        assert b" 413 " in await reader.readline()
    writer.close()
    assert await on_disk(world) == set()


async def test_an_upload_of_unknown_length_is_cut_off_at_the_limit(world: World) -> None:
    _, where = await _card(world)
    body = where + head("file", "a") + b"x" * (LIMIT + 100_000)
    reader, writer = await begin_upload(world.sa, body, None)
    async with asyncio.timeout(5):
        assert b" 413 " in await reader.readline()
    writer.close()
    await _until(world, 0)


async def test_what_is_wrong_with_the_ids_is_said_before_the_file_is_taken(world: World) -> None:
    card, _ = await _card(world)
    reader, writer = await begin_upload(world.sa, target(card, "fld_x") + head("file", "a"), LIMIT)
    async with asyncio.timeout(5):
        assert b" 400 " in await reader.readline()
    writer.close()
    await _until(world, 0)


async def test_a_card_that_is_removed_during_an_upload_gets_no_file(world: World) -> None:
    card, where = await _card(world)
    before, after = where + head("file", "a"), b"\r\n" + END
    reader, writer = await begin_upload(world.sa, before + b"x", len(before) + 1 + len(after))
    await _until(world, 1)
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    writer.write(after)
    async with asyncio.timeout(5):
        assert b" 404 " in await reader.readline()
    writer.close()
    await _until(world, 0)


async def test_a_row_that_cannot_be_written_takes_the_contents_along(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    kept = await upload(world, card, field_id)

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(field_values, "write_values", fail)
        (await send(world.sa, target(card, field_id), blob())).refused(500, "internal_error")
    assert await values(world, card) == {field_id: [kept["id"]]}
    folder = f"{world.sa.org_id}/{card['id']}"
    assert await on_disk(world) == {world.sa.org_id, folder, f"{folder}/{kept['id']}"}


async def test_a_disk_that_takes_no_more_is_said_so_and_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, where = await _card(world)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(FileStore, "_move_to", fail)
        (await send(world.sa, where, blob())).refused(503, "unavailable")
    assert await on_disk(world) == set()
    (await send(world.sa, where, blob())).ok()


async def test_a_replaced_file_stays_if_the_replacement_fails(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    board = await world.board()
    card = await world.card(board)
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields")
    field_id = (await world.sa.post(path, {"name": "logo", "kind": "file"})).ok()["id"]
    kept = await upload(world, card, field_id)

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(field_values, "write_values", fail)
        (await send(world.sa, target(card, field_id), blob())).refused(500, "internal_error")
        (await world.sa.delete(f"/files/{kept['id']}")).refused(500, "internal_error")
    await world.service.file_store.wait_for_removals()
    assert find_contents(world, kept).read_bytes() == b"content"
    assert (await world.sa.get(f"/files/card/{card['id']}/field/{field_id}")).ok() == [kept]


async def test_stalled_uploads_and_downloads_hold_nobody_up(world: World) -> None:
    card, where = await _card(world)
    file = (await send(world.sa, where, blob(b"x" * LIMIT))).ok()
    uploads = [await begin_upload(world.sa, where + head("file", "a") + b"x" * 1_200_000, LIMIT) for _ in range(40)]
    downloads = []
    for _ in range(40):
        response = await world._http.get(  # type: ignore[union-attr]
            f"{world.url}/api/v1/files/{file['id']}/content", headers=world.sa.headers
        )
        downloads.append(response)
    async with asyncio.timeout(5):
        for number in range(20):
            (await world.sa.patch(f"/cards/{card['id']}", {"title": f"Title {number}"})).ok()
        (await send(world.sa, where, blob())).ok()
        assert len((await world.sa.get(f"/files/{file['id']}/content")).body) == LIMIT
    for _, writer in uploads:
        writer.transport.abort()
    for response in downloads:
        response.close()


async def test_many_uploads_at_once_all_arrive(world: World) -> None:
    card, where = await _card(world)
    contents = [bytes([number]) * 200_000 for number in range(30)]
    answers = await asyncio.gather(*[send(world.sa, where, blob(content)) for content in contents])
    files = [answer.ok() for answer in answers]
    for file, content in zip(files, contents, strict=True):
        assert find_contents(world, file).read_bytes() == content
    (value,) = (await values(world, card)).values()
    assert sorted(value) == sorted(file["id"] for file in files)


async def test_uploads_into_a_folder_that_removals_empty_all_arrive(world: World) -> None:
    _, where = await _card(world)

    async def come_and_go() -> None:
        for _ in range(10):
            file = (await send(world.sa, where, blob())).ok()
            (await world.sa.delete(f"/files/{file['id']}")).ok()

    await asyncio.gather(*[come_and_go() for _ in range(8)])
    assert await on_disk(world) == set()
