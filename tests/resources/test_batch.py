"""Batches: each change as if alone, in one transaction; several new cards all or none."""

from typing import Any

import pytest

from service.resources import batch, card_lifecycle

from ..streams import position, types
from ..world import Board, Client, World


async def change(who: Client, *operations: dict[str, Any]) -> list[Any]:
    """Send changes; return the results."""
    answer = await who.post(who.org("/cards/batch"), {"operations": list(operations)})
    results: list[Any] = answer.ok()["results"]
    assert len(results) == len(operations)
    return results


def refused(result: Any, status: int, code: str) -> Any:
    """Return the details of a refusal of one change."""
    error = result["error"]
    assert (error["status"], error["code"]) == (status, code), error
    assert error["message"]
    return error["details"]


async def read(world: World, card: Any) -> Any:
    return (await world.sa.get(f"/cards/{card['id']}")).ok()


async def test_cards_are_moved_edited_and_archived_at_once(world: World) -> None:
    board = await world.board()
    one, two, three = [await world.card(board, title=title) for title in ("one", "two", "three")]
    place = await position(world.sa)
    moved, edited, archived, again = await change(
        world.sa,
        {"cardId": one["id"], "move": {"toColumnId": board.columns["In Progress"]}},
        {"cardId": two["key"].lower(), "edit": {"title": "Two", "priority": "high"}},
        {"cardId": three["id"], "archive": True},
        {"cardId": one["id"], "move": {"toColumnId": board.columns["Review"], "afterCardId": None}},
    )
    assert await types(world.sa, place) == ["card.moved", "card.updated", "card.archived", "card.moved"]
    assert moved["card"]["columnId"] == board.columns["In Progress"]  # each as it was then
    assert again["card"] == await read(world, one)
    assert edited == {"cardId": two["id"], "card": await read(world, two)}
    assert (edited["card"]["title"], edited["card"]["priority"]) == ("Two", "high")
    assert archived["card"]["archivedAt"]
    assert [row["action"] for row in await world.history(one["id"])] == ["created", "moved", "moved"]


async def test_a_refused_change_does_not_affect_the_others_of_a_batch(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board, title=f"{number}") for number in range(4)]
    gone = await world.card(board)
    (await world.sa.delete(f"/cards/{gone['id']}")).ok()
    theirs = await world.card(await world.board(world.outsider), by=world.outsider)
    results = await change(
        world.sa,
        {"cardId": cards[0]["id"], "edit": {"title": "New"}},
        {"cardId": cards[1]["id"], "move": {"toColumnId": board.columns["Done"]}},
        {"cardId": cards[2]["id"], "edit": {"title": "Never", "assignedAgentId": "nobody"}},
        {"cardId": gone["id"], "edit": {"title": "Never"}},
        {"cardId": theirs["id"], "archive": True},
        {"cardId": "card_none", "archive": True},
        {"cardId": cards[3]["id"], "edit": {"title": "New"}},
    )
    assert refused(results[1], 400, "transition_not_allowed")["allowed"]
    assert refused(results[2], 400, "validation_failed")["fields"][0]["path"] == "assignedAgentId"
    refused(results[3], 409, "archived_parent")
    for result in results[4:6]:
        assert refused(result, 404, "not_found") == {"resource": "card"}
    assert [(await read(world, card))["title"] for card in cards] == ["New", "1", "2", "New"]


async def test_what_a_refused_change_wrote_is_taken_back_and_only_that(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await world.board()
    cards = [await world.card(board, title="Before") for _ in range(3)]
    edit = batch.cards.update_card

    def late(call: Any, card_id: str, body: Any) -> Any:
        made = edit(call, card_id, body)
        if card_id == cards[1]["id"]:
            raise batch.NotFound("luck")
        return made

    monkeypatch.setattr(batch.cards, "update_card", late)
    place = await position(world.sa)
    results = await change(world.sa, *[{"cardId": card["id"], "edit": {"title": "After"}} for card in cards])
    assert ["error" in result for result in results] == [False, True, False]
    assert [(await read(world, card))["title"] for card in cards] == ["After", "Before", "After"]
    assert len(await world.history(cards[1]["id"])) == 1
    assert await types(world.sa, place) == ["card.updated"] * 2


async def test_each_change_is_for_a_version_if_it_says_so(world: World) -> None:
    board = await world.board()
    card = await world.card(board, title="0")
    tag = (await world.sa.get(f"/cards/{card['id']}")).headers["ETag"]
    first, second, any_version = await change(
        world.sa,
        {"cardId": card["id"], "ifMatch": tag, "edit": {"title": "1"}},
        {"cardId": card["id"], "ifMatch": tag, "edit": {"title": "2"}},
        {"cardId": card["id"], "ifMatch": "*", "edit": {"title": "3"}},
    )
    assert first["card"]["title"] == "1"
    assert refused(second, 412, "precondition_failed") == {"version": first["card"]["version"]}
    assert any_version["card"]["title"] == "3"


async def test_each_change_asks_for_the_right_of_its_own_route(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == ("Member", "Card"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read", "update"]})).ok()
    results = await change(
        world.member,
        {"cardId": card["id"], "edit": {"title": "New"}},
        {"cardId": card["id"], "move": {"toColumnId": board.columns["In Progress"]}},
        {"cardId": card["id"], "archive": True},
    )
    assert results[0]["card"]["title"] == "New"
    assert refused(results[1], 403, "permission_denied")["action"] == "transition"
    assert refused(results[2], 403, "permission_denied")["action"] == "delete"


async def test_patterns_are_heeded(world: World) -> None:
    board = await world.board()
    field_id = await world.field(board, "code", validation="^[A-Z]+$")
    card = await world.card(board)
    edits = [{"fieldValues": [{"fieldId": field_id, "value": value}]} for value in ("abc", "ABC")]
    wrong, right = await change(world.sa, *[{"cardId": card["id"], "edit": edit} for edit in edits])
    assert refused(wrong, 400, "field_validation_failed")["fieldId"] == field_id
    assert {"fieldId": field_id, "value": "ABC"} in right["card"]["fieldValues"]


async def test_cards_come_without_their_values_once_these_have_4_mib(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "VALUES_BYTES_MAX", 2500)
    board = await world.board()
    values = [{"fieldId": board.field("description"), "value": "x" * 1000}]
    cards = [await world.card(board, fieldValues=values) for _ in range(3)]
    results = await change(world.sa, *[{"cardId": card["id"], "edit": {"title": "New"}} for card in cards])
    assert ["fieldValues" in result["card"] for result in results] == [True, False, False]
    assert {result["card"]["title"] for result in results} == {"New"}


async def test_a_batch_is_answered_again_and_done_once(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    body = {"operations": [{"cardId": card["id"], "edit": {"title": "New"}}]}
    answers = [
        await world.sa.post(world.sa.org("/cards/batch"), body, headers={"Idempotency-Key": "one"}) for _ in range(2)
    ]
    assert answers[0].ok() == answers[1].ok()
    assert answers[1].headers["Idempotent-Replayed"] == "true"
    assert len(await world.history(card["id"])) == 2


@pytest.mark.parametrize(
    ("operations", "path"),
    [
        ([], "operations"),
        ([{"cardId": "x", "archive": True}] * 101, "operations"),
        ([{"cardId": "x"}], "operations.0"),
        ([{"cardId": "x", "archive": True, "edit": {}}], "operations.0"),
        ([{"cardId": "x", "archive": False}], "operations.0.archive"),
        ([{"archive": True}], "operations.0.cardId"),
        ([{"cardId": "x", "undo": {}}], "operations.0.undo.at"),
        ([{"cardId": "x", "move": {}}], "operations.0.move.toColumnId"),
        ([{"cardId": "x", "edit": {"titel": "x"}}], "operations.0.edit.titel"),
        ([{"cardId": "x", "ifMatch": "3", "archive": True}], "operations.0"),
    ],
)
async def test_a_wrong_body_is_refused_as_a_whole(world: World, operations: Any, path: str) -> None:
    answer = await world.sa.post(world.sa.org("/cards/batch"), {"operations": operations})
    assert answer.invalid() == [path]


async def test_only_members_send_batches(world: World) -> None:
    card = await world.card(await world.board())
    body, agent = {"operations": [{"cardId": card["id"], "archive": True}]}, await world.agent()
    (await world.outsider.post(world.sa.org("/cards/batch"), body)).refused(404, "not_found")
    (await world.nobody.post(world.sa.org("/cards/batch"), body)).refused(401, "unauthorized")
    (await agent.post(world.sa.org("/cards/batch"), body)).refused(401, "unauthorized")
    assert (await read(world, card))["archivedAt"] is None


async def test_a_card_of_another_organization_of_the_caller_is_not_there(world: World) -> None:
    card = await world.card(await world.board())
    other = (await world.sa.post("/organizations", {"title": "Other", "color": "#123456"})).ok()
    path = f"/organizations/{other['id']}/cards/batch"
    answer = await world.sa.post(path, {"operations": [{"cardId": card["id"], "edit": {"title": "New"}}]})
    refused(answer.ok()["results"][0], 404, "not_found")


def new(board: Board, title: str, **wishes: Any) -> dict[str, Any]:
    return {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": title, **wishes}


@pytest.mark.parametrize("is_agent", [False, True])
async def test_several_cards_are_made_at_once_in_their_order(world: World, is_agent: bool) -> None:
    board = await world.board()
    who = await world.agent() if is_agent else world.member
    path = who.org("/cards/mcp" if is_agent else "/cards")
    items = [new(board, f"{number}", columnId=board.columns["Todo"]) for number in range(5)]
    made = (await who.post(path, {"items": items})).ok()["items"]
    assert [card["title"] for card in made] == ["0", "1", "2", "3", "4"]
    assert made[0] | {"watching": False} == await read(world, made[0])
    listed = (await world.sa.get(world.sa.org(f"/cards?columnId={board.columns['Todo']}"))).ok()["items"]
    assert [card["id"] for card in listed] == [card["id"] for card in made]


async def test_several_cards_are_made_all_or_none(world: World) -> None:
    board = await world.board()
    await world.column(board, "Todo", wipLimit=1)
    items = [new(board, "fits", columnId=board.columns["Todo"]) for _ in range(2)]
    details = (await world.sa.post(world.sa.org("/cards"), {"items": items})).refused(400, "wip_limit_reached")
    assert details["item"] == 1
    wrong = [new(board, "fits"), {**new(board, "not"), "cardTypeId": "ctype_none"}]
    assert (await world.sa.post(world.sa.org("/cards"), {"items": wrong})).invalid() == ["items.1.cardTypeId"]
    for body, path in (
        ({"items": []}, "items"),
        ({"items": [new(board, "x")] * 101}, "items"),
        ({"items": [new(board, "x")], "title": "x"}, "title"),
        ({"items": [{**new(board, "x"), "titel": "x"}]}, "items.0.titel"),
        ({"projectId": board.id, "cardTypeId": board.card_type["id"]}, "title"),
    ):
        assert (await world.sa.post(world.sa.org("/cards"), body)).invalid() == [path]
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 0


async def test_patterns_and_the_guard_look_at_all_new_cards(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    board = await world.board()
    field_id = await world.field(board, "code", validation="^[A-Z]+$")
    items = [new(board, value, fieldValues=[{"fieldId": field_id, "value": value}]) for value in ("ABC", "abc")]
    answer = await world.sa.post(world.sa.org("/cards"), {"items": items})
    assert answer.refused(400, "field_validation_failed")["item"] == 1
    settings = world.service.settings.model_copy(update={"guard_cards_per_hour": 3})
    monkeypatch.setattr(world.service, "settings", settings)
    agent = await world.agent()
    many = [new(board, f"{number}") for number in range(4)]
    (await agent.post(agent.org("/cards/mcp"), {"items": many})).refused(429, "circuit_open")
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 0
    assert card_lifecycle.ITEMS_MAX == 100


def at(result: Any) -> dict[str, Any]:
    """Return what takes a change back that a batch has made."""
    return {"cardId": result["card"]["id"], "undo": {"at": result["card"]["updatedAt"]}}


async def test_changes_are_taken_back_by_their_moment_without_a_way_and_where_they_stood(world: World) -> None:
    board = await world.board()
    await world.column(board, "Done", agentCanModerate=False)
    _, two, one = [await world.card(board, "Review", title=title) for title in ("top", "two", "one")]
    three = await world.card(board)
    archived = await change(world.sa, {"cardId": three["id"], "archive": True})
    made = await change(
        world.member,
        {"cardId": one["id"], "move": {"toColumnId": board.columns["Done"]}},  # there is no way back
        {"cardId": two["id"], "edit": {"title": "New", "assignedUserId": world.sa.id}},
    )
    back = [at(result) for result in [*made, *archived]]
    back[0]["undo"]["afterCardId"] = two["id"]
    results = await change(world.member, *back)
    assert [result["card"]["archivedAt"] for result in results] == [None] * 3
    assert results[0]["card"]["columnId"] == board.columns["Review"]
    assert await world.above(await read(world, one)) == two["id"]
    assert (results[1]["card"]["title"], results[1]["card"]["assignedUserId"]) == ("two", None)
    last = (await world.history(one["id"]))[-1]
    assert (last["action"], last["actor"]["id"]) == ("undone", world.member.id)
    assert last["changes"]["columnId"] == {"from": board.columns["Done"], "to": board.columns["Review"]}
    again = await change(world.member, back[0])
    assert refused(again[0], 409, "conflict") == {"state": "nothing_to_undo", "kept": []}
    theirs = await world.card(await world.board(world.outsider), by=world.outsider)
    for elsewhere in (theirs["id"], "card_none"):  # neither is told from the other: the card stands at the end
        redone = await change(world.member, at(results[0]))
        assert redone[0]["card"]["columnId"] == board.columns["Done"]
        back[0] = at(redone[0])
        back[0]["undo"]["afterCardId"] = elsewhere
        results = await change(world.member, back[0])
        assert await world.above(await read(world, one)) == two["id"]


async def test_what_somebody_else_changed_since_is_left_and_told(world: World) -> None:
    card = await world.card(await world.board(), title="Before")
    (made,) = await change(world.sa, {"cardId": card["id"], "edit": {"title": "Mine", "priority": "high"}})
    (await world.member.patch(f"/cards/{card['id']}", {"title": "Theirs"})).ok()
    (left,) = await change(world.sa, at(made))
    details = refused(left, 409, "conflict")
    (kept,) = details["kept"]
    assert details["state"] == kept["reason"] == "changed_since"
    assert (kept["name"], kept["reason"], kept["by"]["id"]) == ("title", "changed_since", world.member.id)
    assert [(await read(world, card))[name] for name in ("title", "priority")] == ["Theirs", "high"]
    (unknown,) = await change(world.sa, {"cardId": card["id"], "undo": {"at": "2001-01-01T00:00:00Z"}})
    assert refused(unknown, 400, "validation_failed")["fields"][0]["path"] == "at"


async def test_undo_passes_no_right_no_limit_and_no_way_of_others(world: World) -> None:
    board = await world.board()
    card = await world.card(board, "Review")
    (made,) = await change(world.sa, {"cardId": card["id"], "move": {"toColumnId": board.columns["Done"]}})
    (not_mine,) = await change(world.member, at(made))
    assert refused(not_mine, 400, "transition_not_allowed")["toColumnId"] == board.columns["Review"]
    await world.column(board, "Review", wipLimit=1)
    await world.card(board, "Review")
    (full,) = await change(world.sa, at(made))
    refused(full, 400, "wip_limit_reached")
    (edited,) = await change(world.member, {"cardId": card["id"], "edit": {"title": "New"}})
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == ("Member", "Card"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read", "transition", "delete"]})).ok()
    assert refused((await change(world.member, at(edited)))[0], 403, "permission_denied")["action"] == "update"
    await world.column(board, "Review", wipLimit=None)
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read", "update"]})).ok()
    assert refused((await change(world.member, at(made)))[0], 403, "permission_denied")["action"] == "transition"
    assert (await change(world.sa, at(made)))[0]["card"]["columnId"] == board.columns["Review"]
