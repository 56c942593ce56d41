"""Undo gives a card no value that an edit would not take, whatever its history says."""

from typing import Any

import pytest

from ...direct_db import execute
from ...world import Board, Client, World
from .test_undo import LONG_AGO, edit_card, move_card, read, undone

AT = "2026-11-20T09:05:00.000Z"
INSERT = """
    INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)
    SELECT 'his_' || hex(randomblob(8)), org_id, id, 'Agent', 'bot', 'updated', :changes, :at
    FROM cards WHERE id = :card
"""
JOB = """
    INSERT INTO jobs (id, org_id, kind, resource_type, resource_id, state, actor, parameters)
    VALUES ('job_1', :org, 'none', :type, :id, :state, '{}', '{}')
"""


@pytest.fixture
async def board(world: World) -> Board:
    return await world.board()


@pytest.fixture
async def agent(world: World, board: Board) -> Client:
    for column in board.columns:
        await world.column(board, column, agentPickupEnabled=True, agentCanModerate=True)
    return await world.agent()


async def write_history(world: World, card: Any, changes: str) -> None:
    """Write a row of history as no route writes it."""
    await execute(world, INSERT, card=card["id"], changes=changes, at=AT)


async def undo_one(client: Client, card: Any, at: str = AT) -> Any:
    """Undo a single change; return the result of the batch."""
    body = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    return (await client.post(client.org("/cards/batch"), body)).ok()["results"][0]


async def refused_everywhere(world: World, card: Any, name: str, reason: str) -> None:
    """See that both kinds of undo leave a change alone and say why, and that nothing has changed."""
    before = await read(world, card), await world.history(card["id"])
    for is_dry in (True, False):
        (item,) = (await undone(world, "bot", dryRun=is_dry))["items"]
        assert item["changes"] == {}
        assert [(kept["name"], kept["reason"]) for kept in item["kept"]] == [(name, reason)]
        assert item["kept"][0]["message"].endswith(".")
    error = (await undo_one(world.sa, card))["error"]
    assert (error["status"], error["code"], error["message"]) == (409, "conflict", item["kept"][0]["message"])
    assert [kept["reason"] for kept in error["details"]["kept"]] == [reason]
    assert (await read(world, card), await world.history(card["id"])) == before


@pytest.mark.parametrize(
    ("name", "current", "former", "reason"),
    [
        ("title", '"Card"', "null", "value_invalid"),
        ("title", '"Card"', '""', "value_invalid"),
        ("title", '"Card"', '"two\\nlines"', "value_invalid"),
        ("title", '"Card"', f'"{"x" * 501}"', "value_invalid"),
        ("priority", '"none"', '"extreme"', "value_invalid"),
        ("dueDate", "null", '"tomorrow"', "value_invalid"),
        ("archivedAt", "null", '"yesterday"', "value_invalid"),
        ("assignedUserId", "null", '"nobody"', "value_gone"),
        ("assignedUserId", "null", '""', "value_invalid"),
        ("assignedAgentId", "null", '"nobody"', "value_gone"),
        ("columnId", None, '"col_none"', "column_gone"),
        ("columnId", None, '""', "value_invalid"),
        ("columnId", None, "null", "value_invalid"),
        ("fieldValues.due", "null", '"tomorrow"', "value_invalid"),
        ("fieldValues.size", "null", '"XL"', "value_gone"),
        ("fieldValues.size", "null", '["S"]', "value_gone"),
        ("fieldValues.tags", "null", '"a"', "value_gone"),
        ("fieldValues.count", "null", "[1]", "imported"),
        ("fieldValues.count", "null", '"many"', "value_invalid"),
        ("fieldValues.description", "null", f'"{"x" * 100_001}"', "value_invalid"),
        ("fieldValues.attachments", "null", '["fil_x"]', "files"),
        ("fieldValues.unknown", "null", '"x"', "field_gone"),
        ("title", '"Card"', "5", "imported"),
        ("title", '"Card"', '{"a": 1}', "imported"),
        ("title", '"Card"', '["a"]', "imported"),
        ("columnId", None, '["a"]', "imported"),
    ],
)
async def test_a_former_value_that_an_edit_would_not_take_is_refused(
    world: World, board: Board, agent: Client, name: str, current: str | None, former: str, reason: str
) -> None:
    await world.field(board, "due", "date")
    await world.field(board, "count", "number")
    await world.field(board, "size", "select", options=["S", "M"])
    card = await world.card(board)
    current = current or f'"{card["columnId"]}"'
    await write_history(world, card, f'{{"{name}":{{"from":{former},"to":{current}}}}}')
    await refused_everywhere(world, card, name, reason)


async def test_a_column_of_another_board_or_organization_is_no_former_column(
    world: World, board: Board, agent: Client
) -> None:
    boards = await world.board(title="Another"), await world.board(world.outsider)
    for other in boards:
        card = await world.card(board)
        await write_history(
            world, card, f'{{"columnId":{{"from":"{other.columns["Todo"]}","to":"{card["columnId"]}"}}}}'
        )
        await refused_everywhere(world, card, "columnId", "column_gone")
        (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()


async def test_a_person_of_another_organization_is_no_former_assignee(
    world: World, board: Board, agent: Client
) -> None:
    card = await world.card(board)
    await write_history(world, card, f'{{"assignedUserId":{{"from":"{world.outsider.id}","to":null}}}}')
    await refused_everywhere(world, card, "assignedUserId", "value_gone")


@pytest.mark.parametrize(
    "changes",
    ['"text"', "5", "null", "[]", "[[1]]", '{"title":null}', '{"title":"New"}', '{"title":{}}', '{"title":{"to":"C"}}'],
)
async def test_changes_of_another_form_are_nothing_to_undo(
    world: World, board: Board, agent: Client, changes: str
) -> None:
    card = await world.card(board)
    await write_history(world, card, changes)
    assert (await undone(world, agent))["cards"] == 0
    assert (await undo_one(world.sa, card))["error"]["code"] == "conflict"
    shown = (await world.sa.get(f"/cards/{card['id']}/history")).ok()
    assert shown[0]["createdAt"] == AT
    assert (await read(world, card)) == card


async def test_a_value_comes_back_as_an_edit_would_write_it(world: World, board: Board, agent: Client) -> None:
    card = await world.card(board)
    changes = '{"dueDate":{"from":"2027-01-01T01:00:00+01:00","to":null},"priority":{"from":null,"to":"none"}}'
    await write_history(world, card, changes)
    assert (await undone(world, agent))["cards"] == 1
    assert (await read(world, card))["dueDate"] == "2027-01-01T00:00:00.000Z"
    assert (await world.history(card["id"]))[-1]["changes"]["dueDate"]["to"] == "2027-01-01T00:00:00.000Z"


async def test_the_pattern_of_a_field_holds_for_the_value_that_comes_back(
    world: World, board: Board, agent: Client
) -> None:
    field = await world.field(board, "code", validation="^[A-Z]$")
    cards = [await world.card(board, fieldValues=[{"fieldId": field, "value": "A"}]) for _ in range(2)]
    for card in cards:
        card["at"] = (await edit_card(agent, card, fieldValues=[{"fieldId": field, "value": "B"}]))["updatedAt"]
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields/{field}")
    (await world.sa.patch(path, {"validation": "^[B-Z]$"})).ok()
    for is_dry in (True, False):
        answer = await undone(world, agent, dryRun=is_dry)
        assert [kept["reason"] for item in answer["items"] for kept in item["kept"]] == ["value_invalid"] * 2
    (kept,) = (await undo_one(world.sa, cards[0], cards[0]["at"]))["error"]["details"]["kept"]
    assert kept["reason"] == "value_invalid"
    (await world.sa.patch(path, {"validation": "^[A-Z]$"})).ok()
    undo = await undo_one(world.sa, cards[0], cards[0]["at"])
    assert [value["value"] for value in undo["card"]["fieldValues"]] == ["A"]
    assert (await undone(world, agent))["cards"] == 1
    assert (await read(world, cards[1]))["fieldValues"] == [{"fieldId": field, "value": "A"}]


async def test_required_fields_count_with_the_values_that_come_back(world: World, board: Board, agent: Client) -> None:
    tags = board.field("tags")
    card = await world.card(board, fieldValues=[{"fieldId": tags, "value": ["a"]}])
    await move_card(agent, board, card, "In Progress")
    at = (await world.history(card["id"]))[-1]["createdAt"]
    await edit_card(agent, card, fieldValues=[{"fieldId": tags, "value": None}])
    await world.column(board, "Todo", requiredFieldIds=[tags])
    error = (await undo_one(world.sa, card, at))["error"]
    assert (error["status"], error["code"]) == (400, "required_fields_missing")
    assert (await undone(world, agent))["cards"] == 1
    assert (await read(world, card))["columnId"] == board.columns["Todo"]
    await move_card(world.sa, board, card, "In Progress")


async def test_undo_needs_the_permission_for_each_change(world: World, board: Board, agent: Client) -> None:
    card = await world.card(board, title="Before")
    await edit_card(agent, card, title="After")
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == ("SolutionArchitect", "Card"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read", "transition", "delete"]})).ok()
    body = {"agentId": "bot", "from": LONG_AGO}
    for is_dry in (True, False):
        answer = await world.sa.post(world.sa.org("/undo"), {**body, "dryRun": is_dry})
        assert answer.refused(403, "permission_denied")["action"] == "update"
    assert (await read(world, card))["title"] == "After"


@pytest.mark.parametrize(
    ("kind", "state"),
    [("column", "removing"), ("field", "removing"), ("project", "archiving"), ("project", "removing")],
)
async def test_while_a_job_changes_what_undo_writes_to_it_is_refused_and_changes_nothing(
    world: World, board: Board, agent: Client, kind: str, state: str
) -> None:
    value = {"fieldId": board.field("description"), "value": "During"}
    card, other = await world.card(board, title="Before"), await world.card(board, title="Before")
    await edit_card(agent, other, title="During")
    await move_card(agent, board, card, "In Progress")
    changed = await edit_card(agent, card, fieldValues=[value])
    ids = {"column": board.columns["Todo"], "field": value["fieldId"], "project": board.id}
    await execute(world, JOB, org=world.sa.org_id, type=kind, id=ids[kind], state=state)
    before = [(await read(world, one), await world.history(one["id"])) for one in (card, other)]
    answer = await world.sa.post(world.sa.org("/undo"), {"agentId": "bot", "from": LONG_AGO})
    assert answer.refused(409, "conflict")["state"] == state
    assert [(await read(world, one), await world.history(one["id"])) for one in (card, other)] == before
    if kind == "field":
        error = (await undo_one(world.sa, card, changed["updatedAt"]))["error"]
        assert (error["code"], error["details"]["state"]) == ("conflict", state)
    await execute(world, "DELETE FROM jobs")
    assert (await undone(world, agent))["cards"] == 2


async def test_cards_of_a_column_that_is_being_removed_can_be_undone_as_they_can_be_edited(
    world: World, board: Board, agent: Client
) -> None:
    leaving = board.columns["Todo"]
    card, other = await world.card(board, title="Before"), await world.card(board, title="Before")
    changed = await edit_card(agent, other, title="During")
    await edit_card(agent, card, title="During")
    arrived = await world.card(board, "In Progress")
    await move_card(agent, board, arrived, "Todo")
    created = await world.card(board, by=agent)
    await execute(world, JOB, org=world.sa.org_id, type="column", id=leaving, state="removing")
    await edit_card(world.sa, other, priority="high")
    assert (await undo_one(world.sa, other, changed["updatedAt"]))["card"]["title"] == "Before"
    assert (await undone(world, agent))["cards"] == 3
    now = [await read(world, item) for item in (card, other, arrived, created)]
    assert [item["title"] for item in now[:2]] == ["Before", "Before"]
    assert [item["columnId"] for item in now[:3]] == [leaving, leaving, board.columns["In Progress"]]
    assert now[3]["archivedAt"]
    await execute(world, "DELETE FROM jobs")
