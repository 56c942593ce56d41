"""Hostile snapshots: every key with a wrong value is refused, or whatever comes in is harmless to read and to undo."""

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from ...snapshots import META, send
from ...world import Client, World

NOW = "2026-11-20T09:05:00.000Z"
LATER = "2026-11-21T09:05:00.000Z"
ACTOR = {"type": "User", "id": "someone", "label": "Someone"}
AGENT = {"type": "Agent", "id": "bot", "label": None}
WRONG: list[Any] = [None, True, -5, 1.5, "", "text", [], [[1]], {}, {"from": {}, "to": [None]}]
ODD = {
    str: "",
    int: -5,
    bool: 1.5,
    list: [[1]],
    dict: {"from": {}, "to": [None]},
    type(None): "text",
}  # by kind of value
CHANGES = {
    "title": {"from": "Old", "to": "C"},
    "columnId": {"from": "@l2", "to": "@l1"},
    "assignedUserId": {"from": "nobody", "to": None},
    "priority": {"from": "low", "to": "none"},
    "dueDate": {"from": NOW, "to": None},
    "fieldValues.notes": {"from": "Old", "to": "a value"},
}


def whole() -> dict[str, Any]:
    """Make a snapshot with a row of every group and a value for every key, in which each id has a mark."""
    return {
        "meta": META,
        "organization": {"id": "@org", "title": "Whole", "color": "#123456", "createdAt": NOW},
        "projects": [
            {"id": "@p", "title": "P", "key": "WHOLE", "formerKeys": ["OLD"], "lastNumber": 5, "color": "#fff"}
        ],
        "teams": [{"id": "@t", "name": "T", "onboardingDoc": "Read", "memberIds": ["nobody"], "createdAt": NOW}],
        "agents": [{"id": "bot", "title": "B", "teamId": "@t", "status": "approved", "lastSeenAt": NOW, "ramBytes": 1}],
        "cardTypes": [{"id": "@y", "projectId": "@p", "title": "T", "color": "#fff", "commentsEnabled": True}],
        "fields": [
            {"id": "@f", "cardTypeId": "@y", "name": "notes", "label": "N", "kind": "text", "options": [], "order": 0},
            {"id": "@g", "cardTypeId": "@y", "name": "files", "label": "F", "kind": "file", "validation": None},
        ],
        "promptCategories": [{"id": "@k", "name": "K", "color": "#fff", "createdAt": NOW}],
        "prompts": [{"id": "@r", "name": "R", "categoryId": "@k", "currentVersionId": "@v", "updatedAt": NOW}],
        "promptVersions": [{"id": "@v", "promptId": "@r", "label": "V", "body": "B", "active": True}],
        "columns": [
            {"id": "@l1", "projectId": "@p", "title": "L", "order": 0, "wipLimit": 9, "requiredFieldIds": ["@f"]},
            {"id": "@l2", "projectId": "@p", "title": "M", "columnType": "done", "promptId": "@r", "archivedBy": ACTOR},
        ],
        "transitions": [{"id": "@e", "fromColumnId": "@l1", "toColumnId": "@l2", "requiresApproval": True}],
        "toolServers": [
            {
                "id": "@s",
                "name": "S",
                "transport": "http",
                "url": "http://x.test",
                "args": ["-v"],
                "env": {"A": "b"},
                "auth": None,
            }
        ],
        "permissions": [{"id": "@m", "role": "Member", "resource": "Card", "actions": ["read"]}],
        "users": [{"id": "someone", "email": "someone@example.test"}],
        "apiKeys": [{"id": "@a"}],
        "cards": [
            {
                "id": "@c",
                "projectId": "@p",
                "number": 3,
                "columnId": "@l1",
                "cardTypeId": "@y",
                "title": "C",
                "assignedAgentId": "bot",
                "assignedUserId": "someone",
                "priority": "none",
                "dueDate": NOW,
                "rankKey": 5,
                "version": 2,
                "createdBy": ACTOR,
                "createdAt": NOW,
                "updatedAt": NOW,
                "archivedAt": None,
                "archivedBy": ACTOR,
                "archiveId": "@o",
                "fieldValues": [{"fieldId": "@f", "value": "a value"}],
            },
            {"id": "@d", "columnId": "@l1", "cardTypeId": "@y", "title": "D"},
        ],
        "relationships": [{"id": "@n", "fromCardId": "@c", "toCardId": "@d", "kind": "blocks", "comment": "x"}],
        "comments": [
            {
                "id": "@q",
                "cardId": "@c",
                "parentId": None,
                "content": "Which?",
                "actor": AGENT,
                "createdAt": NOW,
                "asks": {
                    "state": "answered",
                    "options": ["a", "b"],
                    "answerId": "@w",
                    "answeredBy": ACTOR,
                    "answeredAt": NOW,
                    "takenUp": False,
                },
            },
            {"id": "@w", "cardId": "@c", "parentId": "@q", "content": "a", "actor": ACTOR, "createdAt": LATER},
        ],
        "history": [
            {"id": "@h", "cardId": "@c", "actor": AGENT, "action": "updated", "changes": CHANGES, "createdAt": NOW},
            {"id": "@i", "cardId": "@c", "actor": AGENT, "action": "undone", "changes": CHANGES, "createdAt": LATER},
        ],
        "presets": [{"id": "@u", "cardTypeId": "@y", "presetName": "U", "fieldId": "@f", "value": "x"}],
        "files": [{"id": "@x", "cardId": "@c", "fieldId": "@g", "name": "n", "mimeType": "a/b", "sizeBytes": 1}],
    }


def paths(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value in a snapshot, the values inside another one after it."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield (*path, key)
        yield from paths(value, (*path, key))


def replaced(snapshot: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy of a snapshot with another value at a path."""
    result: Any = json.loads(json.dumps(snapshot))
    part = result
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return dict(result)


def marked(snapshot: dict[str, Any], mark: str) -> bytes:
    """Return a snapshot as JSON, with ids of its own."""
    return json.dumps(snapshot).replace('"@', f'"{mark}.').encode()


async def read_everything(sa: Client, card_id: str) -> None:
    """Read and undo everything that came with a snapshot: nothing may fail on the side of the service."""
    person = sa.org_id
    requests = [
        ("GET", f"/cards/{card_id}", None),
        ("GET", f"/cards/{card_id}/history", None),
        ("GET", f"/cards/{card_id}/comments", None),
        ("GET", f"/cards/{card_id}/context", None),
        ("GET", f"/cards/{card_id}/moves", None),
        ("GET", f"/organizations/{person}/cards?include=fieldValues", None),
        ("GET", f"/organizations/{person}/questions", None),
        ("GET", f"/organizations/{person}/attention", None),
        ("GET", f"/organizations/{person}/catch-up", None),
        ("GET", f"/organizations/{person}/series?from=2026-11-18&to=2026-11-22", None),
        ("GET", "/analytics", None),
        ("GET", "/archive", None),
        ("POST", f"/organizations/{person}/undo", {"agentId": "bot", "from": "2026-01-01T00:00:00Z"}),
        ("POST", f"/organizations/{person}/cards/batch", undo(card_id, NOW, LATER)),
    ]
    for method, path, body in requests:
        answer = await sa.call(method, path, body)
        assert answer.status < 500, (method, path, answer.body)
    exported = (await sa.get("/admin/export")).ok()
    (await sa.post("/admin/import", exported)).ok()


def undo(card_id: str, *times: str) -> Any:
    return {"operations": [{"cardId": card_id, "undo": {"at": time}} for time in times]}


def architect_of(world: World, snapshot: bytes) -> Client:
    """Return the Solution Architect in the organization of a snapshot."""
    org_id = json.loads(snapshot)["organization"]["id"]
    return world.client({**world.sa.headers, "X-Organization-Id": org_id}, org_id=org_id)


async def test_the_snapshot_itself_comes_in(world: World) -> None:
    snapshot = marked(whole(), "m")
    imported = (await send(world.sa, snapshot)).ok()["summary"]["imported"]
    assert {group for group, count in imported.items() if not count} == set()
    await read_everything(architect_of(world, snapshot), "m.c")


def list_wrong_values(group: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield two wrong values for each path of a group: one odd for its kind, and one of WRONG in turn."""
    others = itertools.cycle(WRONG)
    for path in paths(whole()):
        if path[0] == group:
            value: Any = whole()
            for key in path:
                value = value[key]
            yield path, ODD[type(value)]
            yield path, next(others)


async def attack(world: World, wrong_values: Iterable[tuple[tuple[Any, ...], Any]]) -> None:
    """Import a snapshot for each path and wrong value; read what comes in."""
    for number, (path, wrong) in enumerate(wrong_values):
        snapshot = marked(replaced(whole(), path, wrong), f"m{number}")
        answer = await send(world.sa, snapshot)
        assert answer.status in (200, 400, 409), (path, wrong, answer.body)
        if answer.status == 200:
            await read_everything(architect_of(world, snapshot), f"m{number}.c")
        elif answer.body["error"]["code"] == "InvalidSnapshotShape":
            assert answer.body["error"]["details"]["path"], (path, wrong)


async def test_wrong_changes_in_the_history_are_refused_or_harmless(world: World) -> None:
    changes = [path for path in paths(whole()) if path[:3] == ("history", 0, "changes")]
    await attack(world, itertools.product(changes, WRONG[-3:]))


@pytest.mark.slow
@pytest.mark.parametrize("group", whole())
async def test_a_wrong_value_of_any_key_is_refused_or_harmless(world: World, group: str) -> None:
    await attack(world, list_wrong_values(group))
