"""Export: everything but secrets, in the order of the specification, consistent while writes go on."""

import asyncio
import base64
import json
import re
import sqlite3
import sys
from urllib.parse import urlsplit

import pytest
from aiohttp import ClientResponse

from service.database.migrate import schema_version
from service.resources import exports

from ..forms import upload
from ..snapshots import CONTENT, NOW, fill_organization, snapshot_of
from ..threads import assert_lower_priority
from ..world import Client, World

KEYS = [
    "meta",
    "organization",
    "projects",
    "columns",
    "cardTypes",
    "fields",
    "presets",
    "transitions",
    "cards",
    "comments",
    "history",
    "agents",
    "files",
    "exportedAt",
    "teams",
    "relationships",
    "promptCategories",
    "prompts",
    "promptVersions",
    "toolServers",
    "permissions",
    "users",
    "apiKeys",
]


async def test_a_snapshot_has_the_keys_of_the_specification_in_its_order(world: World) -> None:
    await fill_organization(world)
    answer = await world.sa.get("/admin/export")
    snapshot = answer.ok()
    assert list(snapshot) == KEYS
    assert snapshot["meta"] == {
        "product": "Tandem", "version": "0.2.0", "schemaVersion": schema_version(),
        "exportedAt": snapshot["exportedAt"],
        "missingFiles": [{"id": "fil2", "cardId": snapshot["files"][-1]["cardId"], "name": "lost.bin"}],
    }  # fmt: skip
    assert set(snapshot["organization"]) == {"id", "title", "color", "timezone", "createdAt"}
    assert all(snapshot[key] for key in KEYS)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Request-Id"]
    name = rf'attachment; filename="tandem-{world.sa.org_id}-\d{{8}}T\d{{6}}Z.json"'
    assert re.fullmatch(name, answer.headers["Content-Disposition"])


async def test_each_row_comes_once_however_long_they_are_together(world: World) -> None:
    card = await world.card(await world.board())
    said = [f"{number} " + "word " * 3900 for number in range(8)]
    assert sum(map(len, said)) > 2 * exports.JOINED_CHARACTERS
    for text in said:
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": text})).ok()
    rows = (await world.sa.get("/admin/export")).ok()["comments"]
    assert sorted(row["content"] for row in rows) == said


async def test_archived_rows_are_exported_with_archived_at_and_archive_id(world: World) -> None:
    await fill_organization(world)
    snapshot = await snapshot_of(world.sa)
    for group in ("projects", "columns", "transitions", "cards"):
        marked = [row for row in snapshot[group] if row["archivedAt"]]
        assert marked, group
        assert all(row["archiveId"] for row in marked), group
    gone = next(card for card in snapshot["cards"] if card["title"] == "Gone")
    assert gone["archivedBy"] == {"type": "User", "id": world.sa.id, "label": "Ada Architect"}


async def test_no_secret_is_exported(world: World) -> None:
    await fill_organization(world)
    with sqlite3.connect(world.service.settings.database) as database:
        env = json.dumps({"TOKEN": "cipher-of-env"})
        server = ("srv2", world.sa.org_id, "Secret", "http", "[]", env, "bearer", "cipher-of-token", 1, NOW)
        database.execute(
            "INSERT INTO mcp_servers (id, org_id, name, transport, args, env, auth_kind, auth_token, enabled,"
            " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            server,
        )
        hashes = [row[0] for row in database.execute("SELECT hash FROM api_keys UNION SELECT password_hash FROM users")]
    snapshot = await snapshot_of(world.sa, includeFiles="true")
    text = json.dumps(snapshot)
    assert len(hashes) == 2
    assert not any(secret in text for secret in (*hashes, "cipher-of-env", "cipher-of-token"))
    assert "password" not in text.lower()
    assert "keyId" not in text
    servers = {row["id"]: row for row in snapshot["toolServers"]}
    assert servers["srv2"]["env"] == {"TOKEN": None}
    assert servers["srv2"]["auth"] == {"kind": "bearer", "token": None, "tokenSet": True}
    assert servers["srv1"]["auth"] is None


async def test_files_are_inlined_if_asked_for_and_history_left_out_if_asked_for(world: World) -> None:
    await fill_organization(world)
    snapshot = await snapshot_of(world.sa)
    assert all("contentBase64" not in row for row in snapshot["files"])
    assert len(snapshot["history"]) == 6
    snapshot = await snapshot_of(world.sa, includeFiles="true", includeHistory="false")
    contents = {row["id"]: row["contentBase64"] for row in snapshot["files"]}
    assert base64.b64decode(contents["fil1"]) == CONTENT
    assert contents["fil2"] is None  # the row is there, its content is not
    assert snapshot["history"] == []


async def test_users_are_the_members_and_those_that_history_names(world: World) -> None:
    board = await fill_organization(world)
    await world.card(board, by=world.member)
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    users = {user["id"]: user for user in (await snapshot_of(world.sa))["users"]}
    assert users[world.sa.id]["role"] == "SolutionArchitect"
    assert users[world.sa.id]["email"] == "sa@example.test"
    assert users[world.member.id] == {"id": world.member.id, "email": None, "fullName": "Mo Member", "role": None}
    assert world.outsider.id not in users


async def test_only_a_solution_architect_exports_and_only_the_current_organization(world: World) -> None:
    await fill_organization(world)
    (await world.member.get("/admin/export")).refused(403, "sa_required")
    (await world.nobody.get("/admin/export")).refused(401, "unauthorized")
    (await (await world.key()).get("/admin/export")).refused(401, "unauthorized")
    header = {"headers": {"X-Organization-Id": world.outsider.org_id}}
    (await world.sa.get("/admin/export", **header)).refused(404, "not_found")
    (await world.sa.get("/admin/export", params={"files": "true"})).refused(400, "validation_failed")
    other = await snapshot_of(world.outsider)
    assert other["organization"]["title"] == "Other"
    assert other["cards"] == other["history"] == []


async def test_a_snapshot_is_consistent_while_cards_are_made(world: World) -> None:
    board = await world.board()
    stop = asyncio.Event()

    async def write() -> None:
        while not stop.is_set():
            await world.card(board)

    writer = asyncio.create_task(write())
    for _ in range(10):
        snapshot = await snapshot_of(world.sa)
        cards = {card["id"] for card in snapshot["cards"]}
        assert {row["cardId"] for row in snapshot["history"]} == cards
        await asyncio.sleep(0.02)
    stop.set()
    await writer
    assert cards


async def test_a_client_that_takes_nothing_keeps_no_transaction_open(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    await fill_organization(world)
    closed: list[str] = []
    close = exports.Snapshot.close
    monkeypatch.setattr(exports.Snapshot, "close", lambda view: (close(view), closed.append("closed")))
    assert world.sa.http
    async with world.sa.http.get(world.url + "/api/v1/admin/export", headers=world.sa.headers) as response:
        await response.content.read(1)
        assert closed == ["closed"]  # the first byte comes after the last row was read
        response.close()


async def _slow(world: World, who: Client) -> ClientResponse:
    """Ask for an export that is too large for the buffers on the way, and take nothing of it."""
    assert world.sa.http
    path = world.url + "/api/v1/admin/export?includeFiles=true"
    response = await world.sa.http.get(path, headers=who.headers)
    assert response.status == 200
    return response


async def _large(world: World) -> None:
    board = await world.board()
    await upload(world, await world.card(board), board.field("attachments"), b"x" * (20 << 20))


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities of their own on Linux only")
async def test_an_export_leaves_the_core_to_what_answers_requests(world: World) -> None:
    await _large(world)
    answer = await _slow(world, world.sa)
    assert_lower_priority("export")
    answer.close()


async def test_a_person_an_organization_and_the_service_have_so_many_exports_under_way(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _large(world)
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()
    monkeypatch.setattr(exports, "ORGANIZATION_EXPORTS_MAX", 3)
    slow = [await _slow(world, world.sa) for _ in range(2)]
    refused = await world.sa.get("/admin/export")
    assert refused.refused(503, "overloaded") == {"limit": 2}
    assert int(refused.headers["Retry-After"]) > 0
    slow.append(await _slow(world, world.member))
    assert (await world.member.get("/admin/export")).refused(503, "overloaded") == {"limit": 3}
    (await world.outsider.get("/admin/export")).ok()
    monkeypatch.setattr(exports, "EXPORTS_MAX", 3)
    assert (await world.outsider.get("/admin/export")).refused(503, "overloaded") == {"limit": 3}
    for response in slow:
        response.close()
    for _ in range(100):
        if (again := await world.sa.get("/admin/export")).status == 200:
            break
        await asyncio.sleep(0.05)
    again.ok()


async def test_a_failure_on_the_way_cuts_the_answer_short(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise OSError("the disk is gone")

    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    monkeypatch.setattr(exports, "_read_base64", broken)
    await fill_organization(world)
    with pytest.raises(Exception, match=r"payload|closed|reset|disconnect"):
        await world.sa.get("/admin/export", params={"includeFiles": "true"})


async def test_who_asks_for_the_head_alone_gets_no_body(world: World) -> None:
    address, token = urlsplit(world.url), world.sa.headers["Authorization"]
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    request = f"HEAD /api/v1/admin/export HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n"
    writer.write(request.encode())
    async with asyncio.timeout(10):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    assert head.startswith(b"HTTP/1.1 200")
    assert b'filename="tandem-' in head
    assert body == b""
