"""Invalid rows: each is named by its path, and nothing is written."""

from typing import Any

import pytest

from ...snapshots import ACTOR, card, nothing_is_left, send, small, snapshot_of
from ...world import World

FILE = {"id": "a", "cardId": "c1", "fieldId": "f1", "name": "n", "mimeType": "a/b", "sizeBytes": 1}
ENTRY = {"id": "h", "cardId": "c1", "action": "updated", "actor": ACTOR}


def changed(**changes: Any) -> dict[str, Any]:
    """Make a snapshot's second row of history, with these changes."""
    return {"history": [{**ENTRY, "id": "h0"}, {**ENTRY, "changes": changes}]}


def valued(kind: str, value: Any) -> dict[str, Any]:
    """Make a field of a kind, and a card and a preset with a value of it."""
    field = {"id": "f1", "cardTypeId": "t1", "name": "n", "label": "N", "kind": kind}
    preset = {"id": "p", "cardTypeId": "t1", "presetName": "P", "fieldId": "f1", "value": value}
    return {"fields": [field], "presets": [preset], "cards": [card(fieldValues=[{"fieldId": "f1", "value": value}])]}


ROWS: list[tuple[dict[str, Any], str]] = [
    ({"organization": []}, "organization"),
    ({"organization": {"id": "../x", "title": "T"}}, "organization.id"),
    ({"organization": {"id": "a..b", "title": "T"}}, "organization.id"),
    ({"projects": {}}, "projects"),
    ({"projects": None}, "projects"),
    ({"projects": [None]}, "projects.0"),
    ({"projects": [{"id": 5, "title": "T"}]}, "projects.0.id"),
    ({"projects": [{"id": "p1", "title": ""}]}, "projects.0.title"),
    ({"projects": [{"id": "p1", "title": "T", "color": "red"}]}, "projects.0.color"),
    ({"projects": [{"id": "p1", "title": "T", "createdAt": "now"}]}, "projects.0.createdAt"),
    ({"projects": [{"id": "p1", "title": "T", "archivedBy": "me"}]}, "projects.0.archivedBy"),
    ({"columns": [{"id": "l1", "projectId": "nope", "title": "L"}]}, "columns.0.projectId"),
    ({"columns": [{"id": "l1", "projectId": "p1", "title": "L", "wipLimit": 0}]}, "columns.0.wipLimit"),
    ({"columns": [{"id": "l1", "projectId": "p1", "title": "L", "order": "first"}]}, "columns.0.order"),
    ({"fields": [{"id": "f1", "cardTypeId": "t1", "name": "n", "label": "N", "kind": "magic"}]}, "fields.0.kind"),
    (
        {"fields": [{"id": "f", "cardTypeId": "t1", "name": "n", "label": "N", "kind": "text", "validation": "(?=x)"}]},
        "fields.0.validation",
    ),
    ({"transitions": [{"id": "r", "fromColumnId": "l1", "toColumnId": "l1"}]}, "transitions.0"),
    ({"transitions": [{"id": "r", "fromColumnId": "l1", "toColumnId": "l9"}]}, "transitions.0.toColumnId"),
    ({"cards": [card(id="/etc/passwd")]}, "cards.0.id"),
    ({"cards": [card(id="c" * 129)]}, "cards.0.id"),
    ({"cards": [card(columnId="nope")]}, "cards.0.columnId"),
    ({"cards": [card(cardTypeId="nope")]}, "cards.0.cardTypeId"),
    ({"cards": [card(projectId="nope")]}, "cards.0.columnId"),
    ({"cards": [card(priority="extreme")]}, "cards.0.priority"),
    ({"cards": [card(title="x" * 501)]}, "cards.0.title"),
    ({"cards": [card(title="nul \0 nul")]}, "cards.0"),
    ({"cards": [card(version=True)]}, "cards.0.version"),
    ({"cards": [card(fieldValues=[{"fieldId": "f9", "value": "v"}])]}, "cards.0.fieldValues.0.fieldId"),
    ({"cards": [card(fieldValues=[{"fieldId": "f1", "value": ["v"]}])]}, "cards.0.fieldValues.0.value"),
    ({"cards": [card(fieldValues=[{"fieldId": "f1", "value": {"a": 1}}])]}, "cards.0.fieldValues.0.value"),
    ({"cards": [card(), card(id="c2", createdBy={"type": "Root", "id": "x"})]}, "cards.1.createdBy.type"),
    ({"relationships": [{"id": "r", "fromCardId": "c1", "toCardId": "c1", "kind": "blocks"}]}, "relationships.0"),
    ({"comments": [{"id": "m", "cardId": "c1", "content": "x", "actor": None}]}, "comments.0.actor"),
    (
        {"comments": [{"id": "m", "cardId": "c1", "parentId": "z", "content": "x", "actor": ACTOR}]},
        "comments.0.parentId",
    ),
    ({"history": [{"id": "h", "cardId": "c9", "action": "moved", "actor": ACTOR}]}, "history.0.cardId"),
    (changed(title="New"), "history.1.changes.title"),
    (changed(title=None), "history.1.changes.title"),
    (changed(title=["Old", "New"]), "history.1.changes.title"),
    (changed(title={"to": "New"}), "history.1.changes.title.from"),
    (changed(title={"from": "Old"}), "history.1.changes.title.to"),
    (changed(title={"from": "Old", "to": "New", "by": "me"}), "history.1.changes.title.by"),
    (changed(title={"from": "Old", "to": 5}), "history.1.changes.title.to"),
    (changed(columnId={"from": ["l1"], "to": "l1"}), "history.1.changes.columnId.from"),
    (changed(archivedAt={"from": True, "to": None}), "history.1.changes.archivedAt.from"),
    (changed(**{"fieldValues.notes": {"from": {}, "to": None}}), "history.1.changes.fieldValues.notes.from"),
    (changed(**{"fieldValues.notes": {"from": None, "to": [["a"]]}}), "history.1.changes.fieldValues.notes.to"),
    (changed(**{"fieldValues.notes": {"from": None, "to": False}}), "history.1.changes.fieldValues.notes.to"),
    (changed(model_dump="x"), "history.1.changes.model_dump"),
    ({"history": [{**ENTRY, "changes": [1]}]}, "history.0.changes"),
    ({"history": [{**ENTRY, "changes": None}]}, "history.0.changes"),
    (valued("number", "many"), "cards.0.fieldValues.0.value"),
    (valued("checkbox", "yes"), "cards.0.fieldValues.0.value"),
    (valued("date", "tomorrow"), "cards.0.fieldValues.0.value"),
    (valued("url", "javascript:alert(1)"), "cards.0.fieldValues.0.value"),
    (valued("multiselect", "one"), "cards.0.fieldValues.0.value"),
    ({**valued("url", "javascript:alert(1)"), "cards": [card(fieldValues=[])]}, "presets.0.value"),
    ({**valued("text", ["a"]), "cards": [card(fieldValues=[])]}, "presets.0.value"),
    ({"files": [{**FILE, "name": ".."}]}, "files.0.name"),
    ({"files": [FILE]}, "files.0.fieldId"),
    (
        {"files": [{**FILE, "mimeType": "a/b\r\nX: y"}]},
        "files.0.mimeType",
    ),
    ({"agents": [{"id": "a/b", "title": "A"}]}, "agents.0.id"),
    ({"toolServers": [{"id": "s", "name": "S", "transport": "pigeon"}]}, "toolServers.0.transport"),
    ({"toolServers": [{"id": "s", "name": "S", "transport": "http"}]}, "toolServers.0"),
    ({"toolServers": [{"id": "s", "name": "S", "transport": "stdio", "url": "http://x.test"}]}, "toolServers.0"),
    (
        {"toolServers": [{"id": "s", "name": "S", "transport": "http", "url": "javascript:alert(1)"}]},
        "toolServers.0.url",
    ),
    ({"files": [{**FILE, "sizeBytes": (1 << 40) + 1}]}, "files.0.sizeBytes"),
]


@pytest.mark.parametrize(("groups", "path"), ROWS, ids=[path for _, path in ROWS])
async def test_a_row_that_does_not_hold_is_named_and_nothing_is_written(
    world: World, groups: dict[str, Any], path: str
) -> None:
    assert (await send(world.sa, small(**groups))).refused(400, "InvalidSnapshotShape")["path"] == path
    await nothing_is_left(world)


async def test_control_characters_that_titles_once_could_have_are_removed(world: World) -> None:
    columns = [{"id": "l1", "projectId": "p1", "title": "To\x7f\x80do\x9f"}]
    (await send(world.sa, small(columns=columns, cards=[card(title="Read\x85 me")]))).ok()
    assert (await world.sa.get("/cards/c1")).ok()["title"] == "Read me"
    found = (await world.sa.get("/organizations/org_small/columns", params={"projectId": "p1"})).ok()
    assert [column["title"] for column in found] == ["Todo"]


async def test_control_characters_in_options_and_tags_are_removed_too(world: World) -> None:
    field = {"id": "f1", "cardTypeId": "t1", "name": "tags", "label": "T", "kind": "multiselect", "options": ["a\x7f"]}
    tags = [{"fieldId": "f1", "value": ["a\x85", "b\n"]}]
    (await send(world.sa, small(fields=[field], cards=[card(fieldValues=tags)]))).ok()
    assert (await world.sa.get("/cards/c1")).ok()["fieldValues"] == [{"fieldId": "f1", "value": ["a", "b"]}]
    (found,) = (await world.sa.get("/organizations/org_small/card-types/t1/fields")).ok()
    assert found["options"] == ["a"]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text", "x" * 10_001),
        ("richtext", "x" * 100_001),
        ("multiselect", ["x" * 201]),
        ("multiselect", [" "]),
        ("multiselect", [str(number) for number in range(201)]),
    ],
)
async def test_a_value_that_an_edit_would_refuse_for_its_size_is_refused(world: World, kind: str, value: Any) -> None:
    field = {"id": "f1", "cardTypeId": "t1", "name": "notes", "label": "N", "kind": kind}
    cards = [card(fieldValues=[{"fieldId": "f1", "value": value}])]
    details = (await send(world.sa, small(fields=[field], cards=cards))).refused(400, "InvalidSnapshotShape")
    assert details["path"] == "cards.0.fieldValues.0.value"
    await nothing_is_left(world)


async def test_the_name_of_a_file_stays_as_an_upload_keeps_it(world: World) -> None:
    name = "\u5831\u544a\u3000\u66f8 \U0001f469\u200d\U0001f4bb.pdf"
    field = {"id": "f1", "cardTypeId": "t1", "name": "files", "label": "F", "kind": "file"}
    file = {"id": "x1", "cardId": "c1", "fieldId": "f1", "name": f"../\x7f{name}", "mimeType": "a/b", "sizeBytes": 1}
    (await send(world.sa, small(fields=[field], cards=[card(fieldValues=[])], files=[file]))).ok()
    assert [row["name"] for row in (await world.sa.get("/files/card/c1")).ok()] == [name]


async def test_a_snapshot_leads_no_agent_with_the_token_of_a_server_to_another_address(world: World) -> None:
    agent, auth = await world.agent(), {"kind": "bearer", "token": "a token"}
    body = {"name": "S", "transport": "http", "url": "https://tools.test/mcp", "auth": auth}
    server = (await world.sa.post("/mcp-servers", body)).ok()
    snapshot = await snapshot_of(world.sa)
    (await send(world.sa, snapshot)).ok()
    (shown,) = (await agent.get("/mcp-servers/mcp")).ok()
    assert (shown["url"], shown["auth"]["token"]) == ("https://tools.test/mcp", "a token")
    snapshot["toolServers"][0]["url"] = "https://elsewhere.test/mcp"
    (await send(world.sa, snapshot)).ok()
    assert (await agent.get("/mcp-servers/mcp")).ok() == []
    found = (await world.sa.get(f"/mcp-servers/{server['id']}")).ok()
    assert (found["enabled"], found["url"]) == (False, "https://elsewhere.test/mcp")
    snapshot["toolServers"][0] |= {"transport": "stdio", "command": "sh", "url": None}
    assert (await send(world.sa, snapshot)).refused(409, "id_conflict")["path"] == "toolServers.0"


async def test_history_keeps_every_kind_of_change_that_the_service_records(world: World) -> None:
    changes = {
        "title": {"from": "Old", "to": "New"},
        "columnId": {"from": None, "to": "l1"},
        "fieldValues.notes": {"from": ["a", "b"], "to": "text"},
        "rankKey": {"from": 1024, "to": 2048},
        "assigned_agent_id": {"from": "one", "to": "two"},
    }
    (await send(world.sa, small(**changed(**changes)))).ok()
    assert (await world.sa.get("/cards/c1/history")).ok()[0]["changes"] == changes


async def test_history_that_names_a_column_of_another_organization_is_refused(world: World) -> None:
    board = await world.board(world.outsider)
    for end in ("from", "to"):
        change = {"from": None, "to": None, end: board.columns["Done"]}
        details = (await send(world.sa, small(**changed(columnId=change)))).refused(409, "id_conflict")
        assert details["path"] == "history.1"
    await nothing_is_left(world)
    (await send(world.sa, small(**changed(columnId={"from": "col_gone", "to": "l1"})))).ok()


async def test_an_empty_id_is_a_person_who_is_no_member(world: World) -> None:
    (await send(world.sa, small(cards=[card(assignedUserId="")]))).ok()
    assert (await world.sa.get("/cards/c1")).ok()["assignedUserId"] is None
