"""Moves along transitions: the move itself, and each thing that stands in its way."""

from typing import Any

import pytest

from ..builders import permit
from ..world import Answer, Board, Client, World


async def _move(caller: Client, board: Board, card: Any, column: str, **wishes: Any) -> Answer:
    suffix = "/mcp/status" if "ApiKey" in caller.headers["Authorization"] else "/status"
    return await caller.patch(f"/cards/{card['id']}{suffix}", {"toColumnId": board.columns[column], **wishes})


async def _unmoved(world: World, card: Any) -> None:
    """Fail unless a refusal has left the card and its history as they were."""
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card
    assert len(await world.history(card["id"])) == card["version"]


async def test_a_move_along_a_transition_writes_one_version_and_one_row(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for caller in (world.member, agent):
        card, _ = await world.card(board), await world.card(board, "In Progress")
        moved = (await _move(caller, board, card, "In Progress")).ok()
        there = {"columnId": board.columns["In Progress"], "version": 2}
        assert moved == {**card, **there, "updatedAt": moved["updatedAt"], "watching": False}
        assert (await world.sa.get(f"/cards/{card['id']}")).ok() == moved | {"watching": True}
        row = (await world.history(card["id"]))[-1]
        assert (row["action"], row["actor"]["type"], row["actor"]["id"]) == (
            "moved",
            "Agent" if caller is agent else "User",
            caller.id,
        )
        assert row["changes"]["columnId"] == {"from": board.columns["Todo"], "to": board.columns["In Progress"]}
        assert len(await world.history(card["id"])) == 2


async def test_a_moved_card_comes_last_in_its_new_column(world: World) -> None:
    board = await world.board()
    card, below = await world.card(board), await world.card(board)
    there = [await world.card(board, "In Progress") for _ in range(2)]
    (await _move(world.sa, board, card, "In Progress")).ok()
    assert await world.above(card) == there[1]["id"]
    assert await world.above(below) is None


async def test_a_moved_card_is_placed_behind_the_card_that_is_named(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    there = [await world.card(board, "In Progress") for _ in range(3)]
    first, second = await world.card(board), await world.card(board)
    assert (await _move(world.sa, board, first, "In Progress", afterCardId=None)).ok()["version"] == 2
    assert (await _move(agent, board, second, "In Progress", afterCardId=there[1]["id"])).ok()["version"] == 2
    page = (await world.sa.get(world.sa.org("/cards"), params={"columnId": board.columns["In Progress"]})).ok()
    expected = [first, there[0], there[1], second, there[2]]
    assert [card["id"] for card in page["items"]] == [card["id"] for card in expected]


async def test_a_card_is_placed_only_behind_an_active_card_of_the_new_column(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    card, same, archived = await world.card(board), await world.card(board), await world.card(board, "In Progress")
    stranger = await world.card(foreign, "In Progress", by=world.outsider)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    for after in (same["id"], card["id"], archived["id"], stranger["id"], "card_x"):
        assert (await _move(world.sa, board, card, "In Progress", afterCardId=after)).invalid() == ["afterCardId"]
    await _unmoved(world, card)


async def test_there_is_no_move_without_a_transition(world: World) -> None:
    board, other, agent = await world.board(), await world.board(title="Other"), await world.agent()
    card = await world.card(board)
    for target in (board.columns["Done"], board.columns["Backlog"], other.columns["Todo"]):
        for caller, suffix in ((world.sa, "/status"), (agent, "/mcp/status")):
            answer = await caller.patch(f"/cards/{card['id']}{suffix}", {"toColumnId": target})
            details = answer.refused(400, "transition_not_allowed")
            assert (details["fromColumnId"], details["toColumnId"]) == (card["columnId"], target)
    await _unmoved(world, card)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "toColumnId"),
        ({"toColumnId": None}, "toColumnId"),
        ({"toColumnId": 1}, "toColumnId"),
        ({"toColumnId": "col_x"}, "toColumnId"),
        ({"toColumnId": "\0"}, "toColumnId"),
        ({"toColumnId": "col_x", "columnId": "col_x"}, "columnId"),
        ({"toColumnId": "col_x", "afterCardId": 1}, "afterCardId"),
    ],
)
async def test_a_wrong_move_is_refused(world: World, body: Any, path: str) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    for caller, suffix in ((world.sa, "/status"), (agent, "/mcp/status")):
        assert (await caller.patch(f"/cards/{card['id']}{suffix}", body)).invalid() == [path]
    await _unmoved(world, card)


async def test_a_column_of_another_organization_cannot_be_told_from_none(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    card = await world.card(board)
    body = {"toColumnId": foreign.columns["In Progress"]}
    assert (await world.sa.patch(f"/cards/{card['id']}/status", body)).invalid() == ["toColumnId"]
    await _unmoved(world, card)


async def test_a_transition_with_approval_is_for_people(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await world.card(board, "Review")
    details = (await _move(agent, board, card, "Done")).refused(403, "approval_required")
    assert [blocker["code"] for blocker in details["blockers"]] == ["approval_required"]
    await _unmoved(world, card)
    assert (await _move(world.member, board, card, "Done")).ok()["columnId"] == board.columns["Done"]


async def test_required_fields_are_filled_before_a_card_leaves_the_first_column(world: World) -> None:
    board = await world.board()
    needed = await world.field(board, "needed", required=True)
    second = await world.field(board, "second", "multiselect", required=True)
    card = await world.card(board, "Backlog")
    details = (await _move(world.sa, board, card, "Todo")).refused(400, "required_fields_missing")
    assert details["fieldIds"] == [needed, second]
    for values in ([""], [None], [[]]):
        patch = {"fieldValues": [{"fieldId": second, "value": value} for value in values]}
        (await world.sa.patch(f"/cards/{card['id']}", patch)).ok()
        (await _move(world.sa, board, card, "Todo")).refused(400, "required_fields_missing")
    await _unmoved(world, card)
    values = [{"fieldId": needed, "value": "a"}, {"fieldId": second, "value": ["b"]}]
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
    assert (await _move(world.sa, board, card, "Todo")).ok()["columnId"] == board.columns["Todo"]


async def test_the_first_column_asks_only_for_the_fields_that_it_names(world: World) -> None:
    board = await world.board()
    await world.edge(board, "Todo", "Backlog")
    needed = await world.field(board, "needed", required=True)
    await world.column(board, "Backlog", requiredFieldIds=[board.field("tags")])
    card = await world.card(board)
    details = (await _move(world.sa, board, card, "Backlog")).refused(400, "required_fields_missing")
    assert details["fieldIds"] == [board.field("tags")]
    await world.column(board, "Backlog", requiredFieldIds=[])
    (await _move(world.sa, board, card, "Backlog")).ok()
    await world.column(board, "Backlog", order=4)
    (await _move(world.sa, board, card, "Todo")).ok()
    details = (await _move(world.sa, board, card, "Backlog")).refused(400, "required_fields_missing")
    assert details["fieldIds"] == [needed]


async def test_a_column_asks_for_the_fields_that_it_names(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    text, tags = board.field("description"), board.field("tags")
    await world.column(board, "In Progress", requiredFieldIds=[tags, text])
    for caller in (world.member, agent):
        card = await world.card(board)
        details = (await _move(caller, board, card, "In Progress")).refused(400, "required_fields_missing")
        assert sorted(details["fieldIds"]) == sorted([text, tags])
        values = [{"fieldId": text, "value": "a"}, {"fieldId": tags, "value": ["b"]}]
        (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": values})).ok()
        (await _move(caller, board, card, "In Progress")).ok()


async def test_a_full_column_takes_no_card_until_one_leaves(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "In Progress", wipLimit=1)
    inside, card = await world.card(board, "In Progress"), await world.card(board)
    for caller in (world.sa, agent):
        details = (await _move(caller, board, card, "In Progress")).refused(400, "wip_limit_reached")
        assert [blocker["code"] for blocker in details["blockers"]] == ["wip_limit_reached"]
    await _unmoved(world, card)
    (await world.sa.delete(f"/cards/{inside['id']}")).ok()
    (await _move(agent, board, card, "In Progress")).ok()


async def test_a_move_needs_the_permission(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    await permit(world, "Member", "Card", "read", "create", "update", "comment")
    details = (await _move(world.member, board, card, "In Progress")).refused(403, "permission_denied")
    assert (details["resource"], details["action"]) == ("Card", "transition")
    await permit(world, "Member", "Card", "transition")
    (await _move(world.member, board, card, "In Progress")).ok()
    for path, caller in ((f"/cards/{card['id']}/mcp/status", world.sa), (f"/cards/{card['id']}/status", world.nobody)):
        (await caller.patch(path, {"toColumnId": "c"})).refused(401, "unauthorized")
