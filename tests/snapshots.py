"""Snapshots of the tests: a full organization to export, and small snapshots to import."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

from service.database.queries import sql
from service.database.store import Tx

from .world import Answer, Board, Client, World

META = {"product": "Tandem", "version": "0.1.0", "exportedAt": "2026-11-20T09:05:00.000Z"}
ACTOR = {"type": "User", "id": "u"}
NOW = "2026-11-20T09:05:00.000Z"
CONTENT = bytes(range(256)) * 300  # 76,800 bytes: several base64 groups, any byte
# Keys that say when a snapshot was made, or that are never taken over.
PASSING = ("meta", "exportedAt", "users", "permissions", "apiKeys")


def small(**groups: Any) -> dict[str, Any]:
    """Make a snapshot of one project with a column, a card type with a field, and a card."""
    return {
        "meta": META,
        "organization": {"id": "org_small", "title": "Small", "color": "#123456"},
        "projects": [{"id": "p1", "title": "P"}],
        "columns": [{"id": "l1", "projectId": "p1", "title": "L", "order": 0}],
        "cardTypes": [{"id": "t1", "title": "T"}],
        "fields": [{"id": "f1", "cardTypeId": "t1", "name": "notes", "label": "Notes", "kind": "text"}],
        "cards": [card()],
        **groups,
    }


def card(**wishes: Any) -> dict[str, Any]:
    """Make a card row that fits into the small snapshot."""
    values = [{"fieldId": "f1", "value": "a value"}]
    return {"id": "c1", "columnId": "l1", "cardTypeId": "t1", "title": "C", "fieldValues": values, **wishes}


async def send(client: Client, snapshot: Any, **options: Any) -> Answer:
    """Import a snapshot, or any bytes, as a raw body."""
    data = io.BytesIO(snapshot if isinstance(snapshot, bytes) else json.dumps(snapshot).encode())
    headers = {"Content-Type": "application/json", **options.pop("headers", {})}
    return await client.call("POST", "/admin/import", data=data, headers=headers, **options)


async def snapshot_of(client: Client, **query: Any) -> Any:
    """Export the client's current organization."""
    return (await client.get("/admin/export", params=query)).ok()


def remove_volatile_parts(snapshot: Any) -> dict[str, Any]:
    """Leave out of a snapshot what differs from one export to the next, and from one before an import."""
    rows = {key: [{**row, "imported": True} for row in snapshot[key]] for key in ("comments", "history")}
    return {key: value for key, value in {**snapshot, **rows}.items() if key not in PASSING}


async def fill_organization(world: World) -> Board:
    """Fill the SA's organization with something of every kind."""
    board = await world.board()
    await world.agent("bot")
    first = await world.card(
        board, assignedAgentId="bot", fieldValues=[{"fieldId": board.field("tags"), "value": ["a"]}]
    )
    second = await world.card(board, "Done", assignedUserId=world.member.id, dueDate=NOW, title='Quote " \\ é 漢')
    gone = await world.card(board, title="Gone")
    (await world.sa.delete(f"/cards/{gone['id']}")).ok()
    comment = (await world.member.post(f"/cards/{first['id']}/comments", {"content": "Hello"})).ok()
    (await world.sa.post(f"/cards/{first['id']}/comments/{comment['id']}/replies", {"content": "Yes"})).ok()
    other = (await world.sa.post(world.sa.org("/projects"), {"title": "Archived"})).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{other['id']}"))).ok()
    await world.service.store.write(lambda tx: _rows(tx, world, board, first["id"], second["id"]))
    _blob(world, first["id"], "fil1").write_bytes(CONTENT)
    return board


def blob(world: World, org_id: str, card_id: str, file_id: str) -> Path:
    """Return where the content of a file is."""
    assert world.service.settings.files_path is not None
    return world.service.settings.files_path / org_id / card_id / file_id


def _blob(world: World, card_id: str, file_id: str) -> Path:
    path = blob(world, world.sa.org_id, card_id, file_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _rows(tx: Tx, world: World, board: Board, first: str, second: str) -> None:
    """Write rows of the kinds for which these tests need no route."""
    org = {"org_id": world.sa.org_id, "created_at": NOW}
    imports = sql.imports
    link = {"from_card_id": first, "to_card_id": second, "kind": "blocks", "comment": "since"}
    tx.run(imports.write_relationships, id="rel1", **link, **org)
    tx.run(imports.write_prompt_categories, id="cat1", name="Category", color="#abcdef", **org)
    prompt = {"category_id": "cat1", "current_version_id": "ver2", "updated_at": NOW, "archived_at": None}
    tx.run(imports.write_prompts, id="prm1", name="Prompt", **prompt, **org)
    for label in ("1", "2"):
        version = {"prompt_id": "prm1", "label": f"v{label}", "body": f"Body {label}", "active": label == "2"}
        tx.run(imports.write_prompt_versions, id=f"ver{label}", created_at=NOW, **version)
    server = {"transport": "stdio", "command": "tool", "args": '["-v"]', "url": None, "auth_kind": None}
    tx.run(imports.write_tool_servers, id="srv1", name="Server", enabled=True, **server, **org)
    tags, type_id = board.field("tags"), board.card_type["id"]
    preset = {"card_type_id": type_id, "preset_name": "Bug", "field_id": tags, "value": '["bug"]'}
    tx.run(imports.write_presets, id="pre1", org_id=world.sa.org_id, **preset)
    where = {"org_id": world.sa.org_id, "field_id": board.field("attachments"), "uploaded_at": NOW}
    file = {
        "name": "a.bin",
        "mime_type": "application/octet-stream",
        "size_bytes": len(CONTENT),
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
    }
    tx.run(imports.write_files, id="fil1", card_id=first, **file, **where)
    tx.run(imports.write_files, id="fil2", card_id=second, **{**file, "name": "lost.bin"}, **where)


async def nothing_is_left(world: World) -> None:
    """See that no row and no content of the small snapshot is there."""
    shown = await world.service.store.read(lambda tx: tx.one(sql.imports.get_organization, id="org_small"))
    assert shown is None
    files = world.service.settings.files_path
    assert files is not None
    left = [path for path in files.rglob("*") if path.is_file() or path.name.startswith(".")]
    assert left == [files / ".temporary"]  # where uploads would be on their way
