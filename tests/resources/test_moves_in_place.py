"""Moves to the column where the card is already: they change nothing, or only place the card."""

from typing import Any

import pytest

from ..builders import permit
from ..streams import position, types
from ..tools.talk import talking
from ..world import Answer, Board, Client, World


async def _stay(caller: Client, card: Any, **more: Any) -> Answer:
    headers = more.pop("headers", {})
    suffix = "/mcp/status" if "ApiKey" in caller.headers["Authorization"] else "/status"
    body = {"toColumnId": card["columnId"], **more}
    return await caller.patch(f"/cards/{card['id']}{suffix}", body, headers=headers)


async def _read(world: World, card: Any) -> Any:
    return (await world.sa.get(f"/cards/{card['id']}")).ok()


async def _order(world: World, board: Board) -> list[str]:
    page = (await world.sa.get(world.sa.org("/cards"), params={"columnId": board.columns["Todo"]})).ok()
    return [card["id"] for card in page["items"]]


async def test_a_move_within_the_column_changes_nothing_and_has_no_blockers(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, below = await world.card(board), await world.card(board)
    requirements = {"requiredFieldIds": [board.field("tags")], "wipLimit": 1, "rejectsBlocked": True}
    relation = {"fromCardId": below["id"], "toCardId": card["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    await world.column(board, "Todo", **requirements)
    card, place = await _read(world, card), await position(world.sa)
    for caller in (world.sa, world.member, agent):
        answer = await _stay(caller, card)
        assert answer.ok() == card | {"watching": caller is world.sa}
        assert answer.headers["ETag"] == f'"{card["version"]}"'
    batch = {"operations": [{"cardId": card["id"], "move": {"toColumnId": card["columnId"]}}]}
    assert (await world.sa.post(world.sa.org("/cards/batch"), batch)).ok()["results"][0]["card"] == card
    assert await _read(world, card) == card
    assert await types(world.sa, place) == []
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "related"]
    assert await _order(world, board) == [card["id"], below["id"]]


async def test_with_a_card_to_place_it_behind_it_is_only_placed(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second, third = [await world.card(board) for _ in range(3)]
    await world.column(board, "Todo", wipLimit=1)
    for caller, after, order in (
        (world.member, third["key"].lower(), [second, third, first]),
        (agent, None, [first, second, third]),
    ):
        before, place = await _read(world, first), await position(world.sa)
        placed = (await _stay(caller, first, afterCardId=after)).ok()
        own = {"updatedAt": placed["updatedAt"], "watching": False}
        assert placed == {**before, "version": before["version"] + 1, **own}
        assert placed | {"watching": True} == await _read(world, first)
        assert await _order(world, board) == [card["id"] for card in order]
        assert await types(world.sa, place) == ["card.ranked"]
        assert (await _stay(caller, first, afterCardId=after)).ok() == placed  # it is there already
    rows = (await world.history(first["id"]))[1:]
    assert [row["action"] for row in rows] == ["ranked", "ranked"]
    assert rows[0]["changes"] == {"afterCardId": {"from": None, "to": third["id"]}}


async def test_a_move_within_the_column_places_only_behind_its_active_cards(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board), await world.card(board, "In Progress")
    for after in (other["id"], card["id"], "card_x"):
        assert (await _stay(world.sa, card, afterCardId=after)).invalid() == ["afterCardId"]
    assert await _read(world, card) == card


async def test_a_rank_by_card_key_is_recorded_by_id_and_only_if_it_differs(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    body = {"afterCardId": first["key"]}
    assert (await world.sa.patch(f"/cards/{second['id']}/rank", body)).ok() == second
    ranked = (await world.sa.patch(f"/cards/{first['id']}/rank", {"afterCardId": second["key"]})).ok()
    assert ranked == {**first, "version": 2, "updatedAt": ranked["updatedAt"]}
    (row,) = (await world.history(first["id"]))[1:]
    assert row["changes"] == {"afterCardId": {"from": None, "to": second["id"]}}


async def test_visibility_gates_and_versions_come_first(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    card, archived = await world.card(board), await world.card(board)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    (await _stay(world.outsider, card)).refused(404, "not_found")
    (await _stay(world.sa, archived)).refused(409, "archived_parent")
    (await _stay(world.sa, card, headers={"If-Match": '"7"'})).refused(412, "precondition_failed")
    assert (await _stay(world.sa, card, headers={"If-Match": '"1"'})).ok() == card
    await permit(world, "Member", "Card", "read", "update")
    details = (await _stay(world.member, card)).refused(403, "permission_denied")
    assert [blocker["code"] for blocker in details["blockers"]] == ["permission_denied"]
    (await other.post(f"/cards/{card['id']}/claim/mcp", {})).ok()
    (await _stay(agent, card)).refused(409, "already_claimed")
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Stop"})).ok()
    (await _stay(other, card)).refused(423, "frozen")


@pytest.mark.parametrize("column", ["Review", "Done"])
async def test_an_agent_may_stay_only_where_it_may_move(world: World, column: str) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, column)
    code = "agent_cannot_moderate" if column == "Review" else "agent_pickup_disabled"
    details = (await _stay(agent, card)).refused(403, code)
    assert details["blockers"][0]["code"] == code
    assert {blocker["code"] for blocker in details["blockers"]} <= {"agent_pickup_disabled", "agent_cannot_moderate"}


async def test_tools_do_the_same(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second = await world.card(board), await world.card(board)
    async with talking(agent) as talk:
        assert (await talk.ok("move_card", card=first["key"], to="todo"))["version"] == 1
        assert (await talk.ok("move_card", card=first["key"], to="Todo", after=second["key"]))["version"] == 2
        error = await talk.error("request_move", "validation_failed", card=first["key"], to="Todo")
        assert error["details"]["fields"][0]["path"] == "to"
        assert "already" in error["message"]
    assert await _order(world, board) == [second["id"], first["id"]]
