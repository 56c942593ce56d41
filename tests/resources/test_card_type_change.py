"""Changing the type of a card: which values stay, which are dropped, and how they come back."""

from typing import Any

import pytest

from service.domain import patterns

from ..direct_db import execute
from ..forms import upload, values
from ..snapshots import card as snapshot_card
from ..snapshots import send, small
from ..streams import changes, position
from ..tools.talk import talking
from ..world import Answer, Board, Client, World
from .undo.test_undo_values import JOB


async def new_type(world: World, title: str = "Bug", **wishes: Any) -> str:
    """Create a card type without fields."""
    body = {"title": title, **wishes}
    return str((await world.sa.post(world.sa.org("/card-types"), body)).ok()["id"])


async def new_field(world: World, type_id: str, name: str, kind: str = "text", **wishes: Any) -> str:
    path = world.sa.org(f"/card-types/{type_id}/fields")
    return str((await world.sa.post(path, {"name": name, "kind": kind, **wishes})).ok()["id"])


async def change_type(who: Client, card: Any, type_id: Any, **wishes: Any) -> Answer:
    options = {"headers": wishes.pop("headers", {})}
    return await who.patch(f"/cards/{card['id']}", {"cardTypeId": type_id, **wishes}, **options)


async def undo(world: World, card: Any) -> Any:
    """Undo the newest change of a card."""
    body = {"operations": [{"cardId": card["id"], "undo": {"at": (await world.history(card["id"]))[-1]["createdAt"]}}]}
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), body)).ok()["results"]
    return result


async def card_with_values(world: World, board: Board) -> tuple[Any, dict[str, str]]:
    """Create a card with values of many kinds; return it with the ids of its fields."""
    fields = {"notes": await world.field(board, "notes"), "severity": await world.field(board, "severity")}
    fields["area"] = await world.field(board, "area", "select", options=["ui", "api"])
    fields["code"] = await world.field(board, "code")
    fields["effort"] = await world.field(board, "effort", "number")
    given = {"notes": "Look", "severity": "bad", "area": "ui", "code": "AB1", "effort": 3}
    items = [{"fieldId": fields[name], "value": value} for name, value in given.items()]
    return await world.card(board, title="Plan", fieldValues=items), fields


async def test_values_stay_in_fields_of_the_same_name_and_kind_that_accept_them(world: World) -> None:
    board = await world.board()
    card, old = await card_with_values(world, board)
    bug = await new_type(world)
    notes = await new_field(world, bug, "notes")
    await new_field(world, bug, "code", validation="^[A-Z]+$")  # with another pattern
    await new_field(world, bug, "severity", "select", options=["bad"])  # of another kind
    await new_field(world, bug, "area", "select", options=["api"])  # without that option
    effort = await new_field(world, bug, "effort", "number", required=True)
    start = await position(world.sa)
    changed = (await change_type(world.member, card, bug, headers={"If-Match": f'"{card["version"]}"'})).ok()
    assert (changed["cardTypeId"], changed["version"], changed["key"]) == (bug, 2, card["key"])
    assert await values(world, card) == {notes: "Look", effort: "3"}
    row = (await world.history(card["id"]))[-1]
    dropped = {"severity": "bad", "area": "ui", "code": "AB1"}
    assert row["action"] == "updated"
    assert row["changes"] == {
        "cardTypeId": {"from": card["cardTypeId"], "to": bug},
        **{f"fieldValues.{name}": {"from": value, "to": None} for name, value in dropped.items()},
    }
    (event,) = (await changes(world.sa, since=start))["items"]
    assert (event["type"], event["cardId"]) == ("card.updated", card["id"])
    (await change_type(world.member, card, old and card["cardTypeId"], headers={"If-Match": '"1"'})).refused(
        412, "precondition_failed"
    )
    found = (await world.sa.get(world.sa.org("/search"), params={"q": "Look"})).ok()["items"]
    assert [item["cardId"] for item in found] == [card["id"]]
    assert not (await world.sa.get(world.sa.org("/search"), params={"q": "AB1"})).ok()["items"]
    listed = await world.sa.get(world.sa.org("/cards"), params={"cardTypeId": bug})
    assert listed.ok()["total"] == 1
    # Undo brings the type and what was dropped back; undoing that, the other way round.
    back = (await undo(world, card))["card"]
    assert back["cardTypeId"] == card["cardTypeId"]
    given = {"notes": "Look", "severity": "bad", "area": "ui", "code": "AB1", "effort": "3"}
    assert await values(world, card) == {old[name]: value for name, value in given.items()}
    assert (await undo(world, card))["card"]["cardTypeId"] == bug
    assert await values(world, card) == {notes: "Look", effort: "3"}


async def test_values_of_the_same_request_are_those_of_the_new_type(world: World) -> None:
    board = await world.board()
    card, old = await card_with_values(world, board)
    bug = await new_type(world)
    severity = await new_field(world, bug, "severity", "select", options=["low", "high"])
    wrong = [{"fieldId": old["severity"], "value": "worse"}]
    assert (await change_type(world.sa, card, bug, fieldValues=wrong)).invalid() == ["fieldValues.0.fieldId"]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    notes = await new_field(world, bug, "notes")
    await execute(world, JOB, org=world.sa.org_id, type="field", id=notes, state="removing")
    assert (await change_type(world.sa, card, bug)).refused(409, "conflict") == {"state": "removing"}
    await execute(world, "DELETE FROM jobs")
    right = [{"fieldId": severity, "value": "high"}]
    changed = (await change_type(world.sa, card, bug, fieldValues=right, title="Bug")).ok()
    assert (changed["title"], changed["fieldValues"][0]) == ("Bug", right[0])
    row = (await world.history(card["id"]))[-1]["changes"]
    assert row["fieldValues.severity"] == {"from": "bad", "to": "high"}
    assert row["title"] == {"from": "Plan", "to": "Bug"}
    (await world.sa.patch(f"/cards/{card['id']}", {"priority": "high"})).ok()
    at = (await world.history(card["id"]))[-2]["createdAt"]
    change = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), change)).ok()["results"]
    assert (result["card"]["title"], result["card"]["priority"]) == ("Plan", "high")
    assert (await values(world, card))[old["severity"]] == "bad"


async def test_files_stay_with_a_file_field_of_the_same_name_and_else_come_back_with_the_type(world: World) -> None:
    board = await world.board()
    plan, logo = await world.field(board, "plan", "file", multiple=True), await world.field(board, "logo", "file")
    card = await world.card(board)
    kept = [await upload(world, card, plan), await upload(world, card, plan, b"more")]
    dropped = await upload(world, card, logo)
    bug, other = await new_type(world), await new_type(world, "Other")
    plan_of_bug = await new_field(world, bug, "plan", "file", multiple=True)
    await new_field(world, other, "plan", "file")  # takes one file only
    (await change_type(world.sa, card, bug)).ok()
    assert await values(world, card) == {plan_of_bug: [file["id"] for file in kept]}
    files = (await world.sa.get(f"/files/card/{card['id']}")).ok()
    assert {file["id"]: file["fieldId"] for file in files} == {
        **{file["id"]: plan_of_bug for file in kept},
        dropped["id"]: logo,
    }
    (await change_type(world.sa, card, other)).ok()
    assert await values(world, card) == {}
    assert len((await world.sa.get(f"/files/card/{card['id']}")).ok()) == 3
    assert (await undo(world, card))["card"]["cardTypeId"] == bug
    assert await values(world, card) == {plan_of_bug: [file["id"] for file in kept]}
    (await change_type(world.sa, card, card["cardTypeId"])).ok()
    assert await values(world, card) == {plan: [file["id"] for file in kept], logo: [dropped["id"]]}
    row = (await world.history(card["id"]))[-1]["changes"]
    assert row.keys() == {"cardTypeId", "fieldValues.logo"}


async def test_a_pattern_is_for_texts_and_may_change_between_its_check_and_the_change(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await world.board()
    code, tags = await world.field(board, "code"), board.field("tags")
    values_of_both = [{"fieldId": code, "value": "AB1"}, {"fieldId": tags, "value": ["a"]}]
    card = await world.card(board, fieldValues=values_of_both)
    bug = await new_type(world)
    tags_of_bug = await new_field(world, bug, "tags", "multiselect", validation="^[A-Z]+$")
    code_of_bug = await new_field(world, bug, "code", validation="^[A-Z0-9]+$")
    path, match_pairs = world.sa.org(f"/card-types/{bug}/fields/{code_of_bug}"), patterns.match_pairs

    async def match_then_change_the_pattern(*arguments: Any) -> None:
        await match_pairs(*arguments)
        (await world.sa.patch(path, {"validation": "^[A-Z]+[0-9]$"})).ok()

    with monkeypatch.context() as patch:
        patch.setattr(patterns, "match_pairs", match_then_change_the_pattern)
        assert (await change_type(world.sa, card, bug)).refused(409, "conflict") == {"state": "changed"}
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    (await change_type(world.sa, card, bug)).ok()
    assert await values(world, card) == {tags_of_bug: ["a"], code_of_bug: "AB1"}


async def test_only_an_active_type_that_the_board_can_use_is_taken(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    card = await world.card(board)
    mine, theirs = (
        await new_type(world, "Mine", projectId=board.id),
        await new_type(world, "Theirs", projectId=other.id),
    )
    gone = await new_type(world, "Gone")
    (await world.sa.delete(world.sa.org(f"/card-types/{gone}"))).ok()
    foreign = (await world.outsider.get(world.outsider.org("/card-types"))).ok()
    for type_id in (theirs, gone, "nothing", *[row["id"] for row in foreign]):
        answer = await change_type(world.member, card, type_id)
        assert answer.invalid() == ["cardTypeId"]
        assert "Mine" in answer.body["error"]["details"]["options"]
        assert "Theirs" not in answer.body["error"]["details"]["options"]
    for type_id in (None, 1, ""):
        assert (await change_type(world.sa, card, type_id)).invalid() == ["cardTypeId"]
    assert (await change_type(world.sa, card, card["cardTypeId"])).ok()["version"] == 1
    assert (await change_type(world.member, card, mine)).ok()["cardTypeId"] == mine
    # The type can be deleted once no card has it; then undo says what to do instead.
    path = world.sa.org(f"/card-types/{card['cardTypeId']}")
    (await world.sa.delete(path)).ok()
    error = (await undo(world, card))["error"]
    assert (error["status"], error["details"]["state"]) == (409, "former_type_gone")


async def test_a_batch_and_an_agent_change_types_too_and_all_of_an_agents_is_undone(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=True)
    card, old = await card_with_values(world, board)
    bug = await new_type(world)
    code = await new_field(world, bug, "code", validation="^[A-Z0-9]+$")
    operations = [{"cardId": card["key"], "edit": {"cardTypeId": bug}}]
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), {"operations": operations})).ok()["results"]
    assert result["card"]["fieldValues"] == [{"fieldId": code, "value": "AB1"}]
    assert (await undo(world, card))["card"]["cardTypeId"] == card["cardTypeId"]
    async with talking(agent) as talk:
        await talk.ok("update_card", card=card["key"], cardType="bug", fields={"code": "AB1"})
        error = await talk.error("update_card", "validation_failed", card=card["key"], cardType="Chore")
        assert "Bug" in error["message"]
    assert await values(world, card) == {code: "AB1"}
    body = {"agentId": "bot", "from": "2026-01-01T00:00:00.000Z"}
    undone = (await world.sa.post(world.sa.org("/undo"), body)).ok()
    assert (undone["cards"], undone["kept"]) == (1, 0)
    assert (await values(world, card))[old["severity"]] == "bad"


async def test_what_was_set_since_goes_with_the_undo_of_the_type_and_comes_back_with_the_next(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    bug = await new_type(world)
    steps = await new_field(world, bug, "steps")
    (await change_type(world.sa, card, bug)).ok()
    at = (await world.history(card["id"]))[-1]["createdAt"]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": [{"fieldId": steps, "value": "1, 2"}]})).ok()
    change = {"operations": [{"cardId": card["id"], "undo": {"at": at}}]}
    (result,) = (await world.sa.post(world.sa.org("/cards/batch"), change)).ok()["results"]
    assert (result["card"]["cardTypeId"], result["card"]["fieldValues"]) == (card["cardTypeId"], [])
    assert (await world.history(card["id"]))[-1]["changes"]["fieldValues.steps"] == {"from": "1, 2", "to": None}
    await undo(world, card)
    assert await values(world, card) == {steps: "1, 2"}


async def test_an_import_changes_the_type_of_a_card_that_is_there(world: World) -> None:
    types = [{"id": "t1", "title": "T"}, {"id": "t2", "title": "U"}]
    field = {"cardTypeId": "t1", "name": "notes", "label": "Notes", "kind": "text"}
    fields = [{**field, "id": "f1"}, {**field, "id": "f2", "cardTypeId": "t2"}]
    (await send(world.sa, small(cardTypes=types, fields=fields))).ok()
    values = [{"fieldId": "f2", "value": "new"}]
    changed = snapshot_card(cardTypeId="t2", fieldValues=values)
    (await send(world.sa, small(cardTypes=types, fields=fields, cards=[changed]))).ok()
    card = (await world.sa.get("/cards/c1")).ok()
    assert (card["cardTypeId"], card["fieldValues"]) == ("t2", values)
    assert (await world.history("c1"))[-1]["changes"]["cardTypeId"] == {"from": "t1", "to": "t2"}
    changed = snapshot_card(cardTypeId="t1", fieldValues=None)
    (await send(world.sa, small(cardTypes=types, fields=fields, cards=[changed]))).ok()
    assert (await world.sa.get("/cards/c1")).ok()["fieldValues"] == []
