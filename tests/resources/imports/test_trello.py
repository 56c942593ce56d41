"""Boards from Trello through the route that the page and the command use: all of a board, or nothing of it."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from service.resources.imports.snapshot import rows as rows_of
from service.trello import export
from service.trello.board import read_board

from ...direct_db import execute, rows
from ...snapshots import small
from ...trello_boards import RICH, describe_board
from ...world import Answer, Client, World

SMALL = Path(__file__).parents[2] / "data" / "trello-small.json"
ROUTE = "/admin/import/trello"
LISTS = [{"id": "a", "name": "A"}]


async def send(client: Client, board: Any, **options: Any) -> Answer:
    """Import a board, or any bytes."""
    content = board if isinstance(board, bytes) else json.dumps(board).encode()
    headers = {"Content-Type": "application/json", **options.pop("headers", {})}
    return await client.call("POST", ROUTE, data=io.BytesIO(content), headers=headers, **options)


async def count(world: World) -> list[int]:
    """Count what boards are made of, in all organizations, the archive included."""
    tables = ("projects", "columns", "card_types", "fields", "cards", "comments", "transitions", "history")
    return [(await rows(world, f"SELECT count(*) AS n FROM {table}"))[0]["n"] for table in tables]


async def overdue(world: World) -> list[str]:
    items = (await world.sa.get(world.sa.org("/attention"))).ok()
    return [item["cardId"] for item in items if item["kind"] == "overdue_card"]


async def test_a_board_comes_whole_with_what_came_and_what_could_not(world: World) -> None:
    sa, before = world.sa, (await world.sa.get("/organizations")).ok()
    report = (await send(sa, SMALL.read_bytes(), params={"title": "Garden"})).ok()
    assert report["project"]["title"] == "Garden"
    assert report["sourceMeta"]["product"] == "Trello"
    assert report["taken"][:2] == [
        {"what": "columns", "count": 3, "note": ""},
        {"what": "done columns", "count": 1, "note": "DONE"},
    ]
    assert {"what": "members as users", "count": 2, "note": "their names stay on the cards"} in report["left"]
    assert report["summary"]["imported"]["cards"] == 7
    project = (await sa.get(sa.org(f"/projects/{report['project']['id']}"))).ok()
    assert (project["title"], project["key"]) == ("Garden", "GAR")
    assert (await sa.get("/organizations")).ok() == before  # title and color stay


async def test_its_cards_are_of_the_one_who_brought_them_and_say_so_in_their_history(world: World) -> None:
    sa = world.sa
    project = (await send(sa, SMALL.read_bytes())).ok()["project"]["id"]
    cards = (await sa.get(sa.org("/cards"), params={"projectId": project})).ok()["items"]
    well = next(card for card in cards if card["title"] == "Dig a well")
    assert [row["action"] for row in await world.history(well["id"])] == ["imported"]
    assert well["createdBy"]["id"] == sa.id
    comments = (await sa.get(f"/cards/{well['id']}/comments")).ok()["items"]
    assert {comment["actor"]["id"] for comment in comments} == {sa.id}
    (await sa.post(f"/cards/{well['id']}/comments", {"content": "Goes on here."})).ok()


async def test_a_board_sent_again_with_its_key_is_made_once(world: World) -> None:
    once = {"Idempotency-Key": "once"}
    first = (await send(world.sa, SMALL.read_bytes(), headers=once)).ok()
    after = await count(world)
    assert (await send(world.sa, SMALL.read_bytes(), headers=once)).ok() == first
    assert await count(world) == after
    assert (await send(world.sa, SMALL.read_bytes())).ok()["project"] != first["project"]


async def test_only_an_architect_imports_and_only_into_an_organization_of_theirs(world: World) -> None:
    before, board = await count(world), SMALL.read_bytes()
    (await send(world.member, board)).refused(403, "sa_required")
    (await send(world.nobody, board)).refused(401, "unauthorized")
    (await send(await world.key(), board)).refused(401, "unauthorized")
    theirs = {"X-Organization-Id": world.outsider.org_id}
    (await send(world.sa, board, headers=theirs)).refused(404, "not_found")
    (await world.outsider.delete(f"/organizations/{world.outsider.org_id}")).ok()
    assert (await send(world.outsider, board)).status in (403, 404)
    assert await count(world) == before


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", "UnknownExceptionDuringParse", "is empty"),
        (b'{"lists": [', "UnknownExceptionDuringParse", "The file ends too early"),
        (b'{"lists": [,]}', "UnknownExceptionDuringParse", "The file is damaged"),
        (b"<html>", "UnknownExceptionDuringParse", "The file is a web page"),
        (b"Card ID,Card Name,Card URL\n", "UnknownExceptionDuringParse", "The file is a table (CSV)"),
        ('{"lists": []}'.encode("utf-16"), "UnknownExceptionDuringParse", "The file is not text in UTF-8"),
        (b'{"lists": ["\xff"]}', "UnknownExceptionDuringParse", "The file is damaged"),
        (b"[]", "InvalidSnapshotShape", "not the export of a Trello board"),
        (b"7", "InvalidSnapshotShape", "not the export of a Trello board"),
        (b"{}", "InvalidSnapshotShape", "not the export of a Trello board"),
        (b'{"lists": [], "cards": []}', "InvalidSnapshotShape", "not the export of a Trello board"),
        (b'{"lists": {"a": 1}, "cards": []}', "InvalidSnapshotShape", "not the export of a Trello board"),
        (json.dumps(small()).encode(), "InvalidSnapshotShape", "not the export of a Trello board"),
        ({"lists": [{"id": str(n)} for n in range(201)]}, "InvalidSnapshotShape", "201 open lists"),
        ({"lists": [{"id": str(n), "closed": True} for n in range(201)]}, "InvalidSnapshotShape", "201 open lists"),
        (b'{"lists": [' + b"[" * 10_000, "InvalidSnapshotShape", "nested"),
        ({"lists": LISTS, "cards": [[{"a": {}}] * 9_000] * 28}, "InvalidSnapshotShape", "too large to import at once"),
        ({"lists": LISTS, "cards": [{"idList": "a", "desc": "x" * (3 << 20)}]}, "InvalidSnapshotShape", "2 MiB"),
    ],
)
async def test_what_is_no_board_is_refused_in_words_and_leaves_nothing(
    world: World, body: Any, code: str, words: str
) -> None:
    before = await count(world)
    answer = await send(world.sa, body)
    answer.refused(400, code)
    message = answer.body["error"]["message"]
    assert words in message
    assert not [word for word in ("snapshot", "lexical", "parse error", "EOF") if word in message]
    assert message.endswith(".")
    assert await count(world) == before


async def test_a_wrong_query_or_content_type_is_refused(world: World) -> None:
    before = await count(world)
    (await send(world.sa, {}, params={"titel": "A"})).refused(400, "validation_failed")
    (await send(world.sa, {}, params={"title": "x" * 501})).refused(400, "validation_failed")
    (await send(world.sa, {}, params={"dryRun": "perhaps"})).refused(400, "validation_failed")
    many = [("doneLists", str(number)) for number in range(1001)]
    (await send(world.sa, {}, params=many)).refused(400, "validation_failed")
    (await send(world.sa, {}, headers={"Content-Type": "text/plain"})).refused(415, "unsupported_media_type")
    assert await count(world) == before


async def test_hostile_texts_and_odd_values_become_texts(world: World) -> None:
    odd = {
        "name": "a\0\x07\ud83d",
        "idList": "a",
        "desc": 5,
        "due": "never",
        "pos": None,
        "labels": [None, {"name": ""}],
    }
    cards = [odd, {"name": "<b>x</b>", "idList": "a", "desc": "[x](javascript:alert(1))"}, 7, {"idList": "gone"}]
    report = (
        await send(world.sa, {"name": "\u202e", "lists": [*LISTS, {"id": "b", "name": "\t"}], "cards": cards})
    ).ok()
    where = {"projectId": report["project"]["id"]}
    found = (await world.sa.get(world.sa.org("/cards"), params=where)).ok()["items"]
    assert [card["title"] for card in found] == ["a?", "<b>x</b>"]


def test_the_route_reads_what_the_command_shows() -> None:
    with SMALL.open("rb") as stream:
        board = read_board(export.collect(rows_of(stream, without_nul=True)))
    assert describe_board(board) == describe_board(read_board(export.read(SMALL)))


async def test_labels_custom_fields_dates_limits_and_members_come_along(world: World) -> None:
    sa = world.sa
    report = (await send(sa, RICH)).ok()
    where = {"projectId": report["project"]["id"]}
    board = (await sa.get(sa.org("/board"), params=where)).ok()
    (card_type,) = (one for one in board["cardTypes"] if one["title"] == "Card")
    fields = {field["name"]: field for field in card_type["fields"]}
    assert {name: (field["kind"], field["showOnCard"]) for name, field in fields.items()} == {
        "description": ("richtext", False),
        "labels": ("multiselect", True),
        "members": ("multiselect", False),
        "start": ("date", False),
        "due_complete": ("checkbox", False),
        "notes": ("text", False),
        "cost": ("number", True),
        "cost_2": ("number", False),
        "start_2": ("date", False),
        "field": ("checkbox", False),
        "stage": ("select", False),
    }
    assert fields["labels"]["optionColors"] == {"Bug": "#c9372c", "sky light": "#c6edfb"}
    assert (fields["labels"]["options"], fields["stage"]["options"]) == ([], ["Early", "Late", "(untitled)"])
    assert [(column["wipLimit"], column["columnType"]) for column in board["columns"]] == [
        (3, "standard"),
        (None, "standard"),
    ]
    card = (await sa.get(f"/cards/{board['cards'][0]['id']}")).ok()
    names = {field["id"]: name for name, field in fields.items()}
    assert {names[row["fieldId"]]: row["value"] for row in card["fieldValues"]} == {
        "labels": ["Bug", "sky light", "(unnamed label)"],
        "members": ["Stranger", "Somebody"],
        "start": "2026-01-02T03:04:00.000Z",
        "due_complete": "true",
        "notes": "two\nlines",
        "cost": "100000",
        "start_2": "2026-02-01T10:00:00.000Z",
        "field": "true",
        "stage": "Early",
    }
    assert (card["assignedUserId"], card["dueDate"]) == (world.member.id, "2020-01-01T10:30:00.000Z")
    assert board["cards"][0]["values"] == {
        fields["labels"]["id"]: ["Bug", "sky light", "(unnamed label)"],
        fields["cost"]["id"]: "100000",
    }
    taken = {row["what"]: row["count"] for row in report["taken"]}
    assert (taken["assigned cards"], taken["member names"], taken["custom field values"]) == (1, 2, 5)
    assert {row["what"]: row["count"] for row in report["left"]}["members as users"] == 1
    # The values are valid here: sending them back is accepted.
    (await sa.patch(f"/cards/{card['id']}", {"fieldValues": card["fieldValues"]})).ok()
    # It is due since 2020, but complete, and so never overdue until the mark goes.
    assert await overdue(world) == []
    assert board["cards"][0]["dueComplete"] is True
    assert "dueComplete" not in board["cards"][1]
    unmarked = [{"fieldId": fields["due_complete"]["id"], "value": "false"}]
    (await sa.patch(f"/cards/{card['id']}", {"fieldValues": unmarked})).ok()
    assert await overdue(world) == [card["id"]]


async def test_a_name_that_two_members_have_assigns_nobody(world: World) -> None:
    await execute(world, "UPDATE users SET full_name = 'Mo Member' WHERE id = :id", id=world.sa.id)
    cards = [{"name": "A", "idList": "a", "idMembers": ["m"]}]
    board = {"lists": LISTS, "cards": cards, "members": [{"id": "m", "fullName": "Mo Member"}]}
    project = (await send(world.sa, board)).ok()["project"]["id"]
    (card,) = (await world.sa.get(world.sa.org("/cards"), params={"projectId": project})).ok()["items"]
    assert card["assignedUserId"] is None


async def test_done_lists_are_shown_first_and_then_those_that_are_named(world: World) -> None:
    sa, before = world.sa, await count(world)
    board = {"name": "B", "lists": [{"id": "a", "name": "✅ Done!"}, {"id": "b", "name": "Shipped"}], "cards": []}
    board["lists"].append({"id": "c", "name": "Old", "closed": True})
    preview = (await send(sa, b"\xef\xbb\xbf" + json.dumps(board).encode(), params={"dryRun": "true"})).ok()
    assert (preview["title"], preview["lists"]) == (
        "B",
        [{"title": "✅ Done!", "cards": 0, "done": True}, {"title": "Shipped", "cards": 0, "done": False}],
    )
    assert preview["taken"][0]["count"] == 2
    refused = await send(sa, board, params={"doneLists": "Gone"})
    assert refused.invalid() == ["doneLists"]
    assert "Name one of its lists: ✅ Done!, Shipped, Old." in refused.body["error"]["message"]
    assert await count(world) == before
    for params, done in (
        ([], ["✅ Done!"]),
        ([("doneLists", "")], []),
        ([("doneLists", "shipped"), ("doneLists", "✅ Done!")], ["✅ Done!", "Shipped"]),
    ):
        project = (await send(sa, board, params=params)).ok()["project"]["id"]
        columns = (await sa.get(sa.org("/columns"), params={"projectId": project})).ok()
        assert [column["title"] for column in columns if column["columnType"] == "done"] == done
