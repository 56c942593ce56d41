"""The quota for the files of an organization; uploads without permission leave nothing on the disk."""

import pytest

from service.config import Settings
from service.runtime.file_store import IncomingFile

from ..forms import blob, on_disk, send, target, text, upload
from ..snapshots import snapshot_of
from ..world import Client, World

QUOTA_BYTES = 1000


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Provide settings of a service with little room for files."""
    return settings.model_copy(update={"files_quota_bytes": QUOTA_BYTES})


async def test_the_files_of_an_organization_have_a_quota(world: World) -> None:
    board = await world.board()
    card, field_id = await world.card(board), board.field("attachments")
    file = await upload(world, card, field_id, b"x" * 600)
    for parts in ([target(card, field_id), blob(b"y" * 401)], [blob(b"y" * 401), target(card, field_id)]):
        details = (await send(world.sa, *parts)).refused(409, "quota_exceeded")
        assert details == {"quotaBytes": QUOTA_BYTES}
    assert {path.rpartition("/")[2] for path in await on_disk(world) if "file_" in path} == {file["id"]}
    await upload(world, card, field_id, b"y" * 400)
    for parts in ([target(card, field_id), blob(b"z")], [blob(b"z"), target(card, field_id)]):
        (await send(world.sa, *parts)).refused(409, "quota_exceeded")
    (await world.sa.delete(f"/files/{file['id']}")).ok()
    await upload(world, card, field_id, b"z" * 600)


async def test_each_organization_has_a_quota_of_its_own(world: World) -> None:
    for architect in (world.sa, world.outsider):
        board = await world.board(architect)
        card = await world.card(board, by=architect)
        parts = [target(card, board.field("attachments")), blob(b"x" * QUOTA_BYTES)]
        (await send(architect, *parts)).ok()


async def test_an_import_keeps_to_the_quota(world: World) -> None:
    board = await world.board()
    await upload(world, await world.card(board), board.field("attachments"), b"x" * 600)
    snapshot = await snapshot_of(world.sa, includeFiles="true")
    (await world.sa.post("/admin/import", snapshot)).ok()
    file = snapshot["files"][0]
    snapshot["files"].append({**file, "id": "file_second"})
    (await world.sa.post("/admin/import", snapshot)).refused(409, "quota_exceeded")
    assert [row["id"] for row in (await snapshot_of(world.sa))["files"]] == [file["id"]]


async def _contents_first(world: World, who: Client) -> int:
    """Send contents before the ids, and then ids that nobody has."""
    answer = await send(who, blob(b"x" * 100), text("cardId", "card_x"), text("fieldId", "fld_x"))
    return answer.status


async def test_contents_that_come_first_are_stored_for_nobody_before_their_card_is_known(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    write = IncomingFile.write

    async def noted(incoming: IncomingFile, chunk: bytes) -> None:
        taken.append(len(chunk))
        await write(incoming, chunk)

    monkeypatch.setattr("service.runtime.file_store.IncomingFile.write", noted)
    assert await _contents_first(world, world.member) == 404
    pending = await world.agent("pending", approve=False)
    nobody = await world.key()
    assert await _contents_first(world, pending) == 403
    assert await _contents_first(world, nobody) == 403
    bot = await world.agent()
    (await world.sa.patch("/agents/bot/stop")).ok()
    assert await _contents_first(world, bot) == 403
    elsewhere = {**world.member.headers, "X-Organization-Id": world.outsider.org_id}
    assert await _contents_first(world, world.client(elsewhere)) == 404
    late = await world.agent("late")
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Holiday"})).ok()
    assert await _contents_first(world, late) == 423
    assert taken == []
