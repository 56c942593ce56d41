"""Several people and an agent at once on one card or board: nothing of anybody is lost, and nothing is half done."""

import itertools
import random
from typing import Any

from .resources.test_card_type_change import change_type, new_field, new_type
from .test_races import _refusals, _together
from .world import World

ITEMS = "abc"


def apply(text: str, name: str, change: dict[str, Any]) -> str:
    """Return a checklist after a change of its history, which must begin with the checklist as it was."""
    if name == "fieldValues.description":
        assert change["from"] == text
        return str(change["to"])
    lines, number = text.split("\n"), int(name.rpartition(".")[2])
    assert lines[number] == "- " + change["from"]
    assert change["from"][4:] == ITEMS[number]  # the item that was meant
    lines[number] = "- " + change["to"]
    return "\n".join(lines)


async def test_ticks_and_edits_of_one_text_follow_each_other(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    field_id, text = board.field("description"), "- [ ] a\n- [ ] b\n- [ ] c"
    card = await world.card(board, fieldValues=[{"fieldId": field_id, "value": text}])
    path, calls = f"/cards/{card['id']}", []
    for number in range(12):
        tick = {"fieldId": field_id, "item": number % 3, "text": ITEMS[number % 3], "done": number % 4 > 1}
        order = ITEMS[number % 4 :] + ITEMS[: number % 4]  # every other time as it was, but for the marks
        items = [
            f"- [{' x'[(number + place) % 2]}] {item}" for place, item in enumerate(ITEMS if number % 2 else order)
        ]
        value = "\n".join(items[: number % 3 + 1])
        edit = {"fieldValues": [{"fieldId": field_id, "value": value}]}
        calls.append(world.member.patch(f"{path}/checklist", tick))
        calls.append(agent.patch(f"{path}/checklist/mcp", tick))
        calls.append(world.sa.patch(path, edit))
    answers = await _together(calls)
    assert _refusals(answers).keys() <= {(409, "conflict")}
    for row in (await world.history(card["id"]))[1:]:
        ((name, change),) = row["changes"].items()
        text = apply(text, name, change)
    last = (await world.sa.get(path)).ok()
    assert last["fieldValues"] == [{"fieldId": field_id, "value": text}]
    assert last["checklist"] == {"done": text.count("[x]"), "total": text.count("- [")}
    assert last["version"] == len(await world.history(card["id"]))


async def test_a_card_that_is_transferred_claimed_moved_and_archived_is_in_one_place(world: World) -> None:
    board, other, agent = await world.board(title="Release"), await world.board(title="Operations"), await world.agent()
    await world.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=True)
    there = {"projectId": other.id, "columnId": other.columns["Backlog"]}  # where agents may not work
    move = {"toColumnId": board.columns["In Progress"]}
    expected = {(400, "validation_failed"), (400, "transition_not_allowed"), (409, "archived_parent")}
    expected |= {(403, "agent_pickup_disabled"), (403, "agent_cannot_moderate")}
    for seed in range(4):
        card = await world.card(board)
        path = f"/cards/{card['id']}"
        calls = [agent.post(f"{path}/claim/mcp"), agent.patch(f"{path}/mcp", {"title": "By the agent"})]
        calls += [world.sa.post(f"{path}/transfer", there), world.sa.post(f"{path}/transfer", there)]
        calls += [world.member.patch(f"{path}/status", move), world.sa.delete(path)]
        random.Random(seed).shuffle(calls)  # noqa: S311
        answers = await _together(calls)
        assert {(status, code) for status, code in _refusals(answers) if status != 204} <= expected
        found, history = (await world.sa.get(path)).ok(), await world.history(card["id"])
        assert (found["archivedAt"] is None, found["claim"]) == (False, None)
        actions = [row["action"] for row in history]
        assert actions.count("archived") == 1
        assert actions.count("transferred") <= 1
        keys = [row["changes"]["key"]["to"] for row in history if row["action"] == "transferred"]
        assert found["key"] == (keys or [card["key"]])[-1]
        assert (found["projectId"], found["columnId"]) == _last_place(history, board.id)
        for key in (card["key"], found["key"]):
            assert (await world.sa.get(f"/cards/{key}")).ok()["id"] == card["id"]


def _last_place(history: list[dict[str, Any]], project_id: str) -> tuple[str, str]:
    """Return the board and the column that the history of a card ends with."""
    column_id = ""
    for row in history:
        project_id = row["changes"].get("projectId", {"to": project_id})["to"]
        column_id = row["changes"].get("columnId", {"to": column_id})["to"]
    return project_id, column_id


async def test_the_values_of_a_card_are_those_of_its_type_whatever_is_written_meanwhile(world: World) -> None:
    board = await world.board()
    bug = await new_type(world)
    plain, own = await world.field(board, "notes"), await world.field(board, "area")
    notes, steps = await new_field(world, bug, "notes"), await new_field(world, bug, "steps")
    fields = {board.card_type["id"]: {plain, own}, bug: {notes, steps}}
    card = await world.card(board)
    calls = []
    for number in range(30):
        type_id = list(fields)[number // 3 % 2]
        field_id = (plain, notes, own, steps)[number % 4]
        write = {"fieldValues": [{"fieldId": field_id, "value": str(number)}]}
        calls.append(
            change_type(world.member, card, type_id) if number % 3 else world.sa.patch(f"/cards/{card['id']}", write)
        )
    answers = await _together(calls)
    assert _refusals(answers).keys() <= {(400, "validation_failed"), (409, "conflict")}
    found = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert {value["fieldId"] for value in found["fieldValues"]} <= fields[found["cardTypeId"]]
    history = await world.history(card["id"])
    assert found["version"] == len(history)
    values: dict[str, Any] = {}
    for row in history[1:]:
        for name, change in row["changes"].items():
            assert values.get(name, card["cardTypeId"] if name == "cardTypeId" else None) == change["from"], row
            values[name] = change["to"]
    names = {plain: "notes", notes: "notes", own: "area", steps: "steps"}
    shown = {f"fieldValues.{names[value['fieldId']]}": value["value"] for value in found["fieldValues"]}
    assert shown == {name: value for name, value in values.items() if name != "cardTypeId" and value is not None}


async def test_a_handle_is_of_one_person_and_people_of_one_name_get_different_ones(world: World) -> None:
    everybody = (world.sa, world.member, world.outsider)
    answers = await _together([who.patch("/settings/profile", {"handle": "first"}) for who in everybody * 3])
    taken = [answer.body["handle"] for answer in answers if answer.status == 200]
    assert taken == ["first"] * 3  # one person, three times
    assert _refusals(answers) == {(409, "handle_taken"): 6}
    handles = [(await who.get("/auth/me")).ok()["handle"] for who in everybody]
    assert sorted(handles).count("first") == 1
    bodies = [{"email": f"sam{n}@example.test", "fullName": "Sam", "role": "Member"} for n in range(2)]
    for answer in await _together([world.sa.post(world.sa.org("/members"), body) for body in bodies]):
        answer.ok()
    members = (await world.sa.get(world.sa.org("/members"))).ok()
    assert sorted(row["handle"] for row in members if row["fullName"] == "Sam") == ["sam", "sam-2"]


async def test_columns_added_at_once_between_the_same_neighbors_are_a_chain(world: World) -> None:
    board = await world.board()
    before = (await world.sa.get(world.sa.org("/transitions"))).ok()
    body = {"projectId": board.id, "order": 2, "connectToNeighbors": True}
    titles = [f"New {number}" for number in range(8)]
    for answer in await _together(
        [world.sa.post(world.sa.org("/columns"), {**body, "title": title}) for title in titles]
    ):
        answer.ok()
    columns = (await world.sa.get(world.sa.org("/columns"))).ok()
    assert [column["order"] for column in columns] == list(range(13))
    assert sorted(column["title"] for column in columns[2:10]) == titles
    ids = [column["id"] for column in columns]
    # Each was put in right behind Todo, before the one that came last before it.
    between = [(ids[1], new) for new in ids[2:10]] + list(itertools.pairwise(ids[2:11]))
    expected = {edge for one, two in between for edge in ((one, two), (two, one))}
    edges = [
        (edge["fromColumnId"], edge["toColumnId"]) for edge in (await world.sa.get(world.sa.org("/transitions"))).ok()
    ]
    assert len(edges) == len(set(edges))
    assert set(edges) == expected | {(edge["fromColumnId"], edge["toColumnId"]) for edge in before}


async def test_labels_created_at_once_are_all_there_and_colors_are_those_of_one_person(world: World) -> None:
    board = await world.board()
    tags, labels = board.field("tags"), [f"label {number}" for number in range(6)]
    path = world.sa.org(f"/card-types/{board.card_type['id']}/fields/{tags}")
    colors = [{label: f"#00000{number}"} for number, label in enumerate(labels)]
    cards = [await world.card(board) for _ in labels]
    calls = [world.sa.patch(path, {"optionColors": color}) for color in colors]
    for card, label in zip(cards, labels, strict=True):
        value = {"fieldValues": [{"fieldId": tags, "value": [label]}]}
        calls.append(world.member.patch(f"/cards/{card['id']}", value))
    for answer in await _together(calls):
        answer.ok()
    shown = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()
    assert [card["values"][tags] for card in shown["cards"]] == [[label] for label in labels]
    fields = (await world.sa.get(path.rpartition("/")[0])).ok()
    assert next(field["optionColors"] for field in fields if field["id"] == tags) in colors
