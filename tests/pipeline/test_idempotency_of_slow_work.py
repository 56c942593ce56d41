"""Idempotency-Key where a handler opens its own transactions: passwords, uploads, imports."""

import asyncio
import re

import pytest

from service.resources import members
from service.resources.imports import imports

from ..forms import blob, on_disk, send, target
from ..repeated import KEY, get_first_answer, get_replay
from ..snapshots import send as send_snapshot
from ..snapshots import small
from ..world import PASSWORD, Answer, Client, World


async def test_a_member_is_added_once_with_one_password(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    path, body = world.sa.org("/members"), {"email": "new@example.test", "role": "Member"}
    first = get_first_answer(await world.sa.post(path, body, **KEY))
    hashed = members.hash_password
    hashes: list[str] = []

    async def counting(password: str) -> str:
        hashes.append(password)
        return await hashed(password)

    monkeypatch.setattr(members, "hash_password", counting)
    assert get_replay(await world.sa.post(path, body, **KEY)) == first
    assert hashes == []
    await world.login("new@example.test", first["initialPassword"])
    (await world.sa.post(path, body)).refused(409, "email_exists")


async def test_members_added_at_once_with_one_key_are_one(world: World) -> None:
    path, body = world.sa.org("/members"), {"email": "new@example.test", "role": "Member"}
    answers = await asyncio.gather(*[world.sa.post(path, body, **KEY) for _ in range(4)])
    assert len({answer.ok()["initialPassword"] for answer in answers}) == 1
    assert sum("Idempotent-Replayed" in answer.headers for answer in answers) == 3


async def test_a_password_change_is_replayed_to_who_signs_in_again(world: World) -> None:
    body = {"currentPassword": PASSWORD, "newPassword": "quite another"}
    get_first_answer(await world.sa.post("/settings/password", body, **KEY))
    (await world.sa.post("/settings/password", body, **KEY)).refused(401, "unauthorized")
    again = await world.login("sa@example.test", "quite another")
    assert get_replay(await again.post("/settings/password", body, **KEY)) == {"success": True}
    (await again.post("/settings/password", body)).refused(400, "wrong_password")


async def test_an_upload_sent_again_is_one_file_and_one_blob_though_its_boundary_differs(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    place, key = target(card, board.field("attachments")), {"Idempotency-Key": "once"}
    for number, who in enumerate((world.sa, agent), 1):
        first = get_first_answer(await send(who, place, blob(), **key))
        before = await on_disk(world)
        assert get_replay(await send(who, blob(), place, **key)) == first
        assert get_replay(await _with_boundary(who, place + blob(), "another")) == first
        assert await on_disk(world) == before
        for other in (blob(b"CONTENT"), blob(file_name="b.txt"), blob(mime_type="text/html")):
            (await send(who, place, other, **key)).refused(422, "idempotency_key_reused")
        assert await on_disk(world) == before
        assert len((await world.sa.get(f"/files/card/{card['id']}/field/{board.field('attachments')}")).ok()) == number


async def _with_boundary(who: Client, body: bytes, boundary: str) -> Answer:
    content = (body + b"--a-boundary--\r\n").replace(b"a-boundary", boundary.encode())
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Idempotency-Key": "once"}
    path = "/files/mcp" if "ApiKey" in who.headers["Authorization"] else "/files"
    return await who.call("POST", path, data=content, headers=headers)


async def test_uploads_at_once_with_one_key_leave_one_blob(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    place = target(card, board.field("attachments"))
    answers = await asyncio.gather(*[send(world.sa, place, blob(), **{"Idempotency-Key": "once"}) for _ in range(20)])
    (file_id,) = {answer.ok()["id"] for answer in answers}
    files = {path for path in await on_disk(world) if re.search(r"/file?_\w+$", path)}
    assert {path.rpartition("/")[2] for path in files} == {file_id}
    assert len(await world.history(card["id"])) == 2


async def test_an_import_sent_again_is_not_done_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, sender = small(), world.client({**world.sa.headers, "Idempotency-Key": "once"})
    first = get_first_answer(await send_snapshot(sender, snapshot))
    there = {"X-Organization-Id": snapshot["organization"]["id"]}
    path = f"/organizations/{snapshot['organization']['id']}"
    (await world.sa.patch(path, {"title": "Changed since"}, headers=there)).ok()
    monkeypatch.setattr(imports, "stage", None)  # a replay does not even look into the snapshot
    assert get_replay(await send_snapshot(sender, snapshot)) == first
    assert (await world.sa.get(path)).ok()["title"] == "Changed since"
    snapshot["organization"]["title"] = "Another"
    (await send_snapshot(sender, snapshot)).refused(422, "idempotency_key_reused")
    assert (await world.sa.get(path)).ok()["title"] == "Changed since"
