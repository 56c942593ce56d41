"""Legal moves: every caller is told where a card can go, and what would refuse them; a move says just the same."""

from typing import Any

import pytest

from .. import refusals
from ..builders import permit
from ..direct_db import EVERYTHING
from ..world import Answer, Board, Client, World


def _suffix(caller: Client, plain: str, agents: str) -> str:
    return agents if "ApiKey" in caller.headers["Authorization"] else plain


async def _moves(caller: Client, card: Any) -> list[dict[str, Any]]:
    moves: list[dict[str, Any]] = (await caller.get(f"/cards/{card['id']}/moves{_suffix(caller, '', '/mcp')}")).ok()
    for move in moves:
        assert set(move) == {"toColumnId", "title", "requiresApproval", "allowed", "blockers"}
        assert move["allowed"] is (move["blockers"] == [])
        assert all(set(blocker) == {"code", "message", "details"} for blocker in move["blockers"])
    return moves


async def _codes(caller: Client, card: Any) -> dict[str, list[str]]:
    """Return the codes of what stands in the way, by the title of the column."""
    return {move["title"]: [blocker["code"] for blocker in move["blockers"]] for move in await _moves(caller, card)}


async def _move(caller: Client, card: Any, column_id: str) -> Answer:
    path = f"/cards/{card['id']}{_suffix(caller, '/status', '/mcp/status')}"
    return await caller.patch(path, {"toColumnId": column_id})


async def _demanding(world: World) -> tuple[Board, Any]:
    """Return a card in Todo; In Progress is full, demanding, closed to blocked cards and behind an approval."""
    board = await world.board()
    card, blocker = await world.card(board), await world.card(board, "In Progress")
    field_ids = [board.field("description"), board.field("tags")]
    await world.column(board, "In Progress", wipLimit=1, requiredFieldIds=field_ids, rejectsBlocked=True)
    relation = {"fromCardId": blocker["id"], "toCardId": card["id"], "kind": "blocks"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    path = world.sa.org(f"/transitions/{board.transitions['Todo', 'In Progress']}")
    (await world.sa.patch(path, {"requiresApproval": True})).ok()
    return board, card


async def test_every_way_out_of_the_column_is_listed_in_the_order_of_the_board(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for title in ("Done", "Review", "Backlog"):
        await world.edge(board, "Todo", title)
    card = await world.card(board)
    for caller in (world.sa, world.member, agent):
        moves = await _moves(caller, card)
        assert [move["title"] for move in moves] == ["Backlog", "In Progress", "Review", "Done"]
        assert [move["toColumnId"] for move in moves] == [board.columns[move["title"]] for move in moves]
        assert all(move["allowed"] for move in moves)
    await world.column(board, "Done", order=0)
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"))).ok()
    assert list(await _codes(world.sa, card)) == ["Done", "Backlog", "In Progress"]


async def test_a_column_without_a_way_out_has_no_moves(world: World) -> None:
    board = await world.board()
    card = await world.card(board, "Done")
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Done', 'Todo']}"))).ok()
    assert await _moves(world.sa, card) == []


async def test_the_listed_blockers_equal_the_errors_of_the_move(world: World) -> None:
    (board, card), agent = await _demanding(world), await world.agent()
    rules = ["required_fields_missing", "card_blocked", "wip_limit_reached"]
    for caller, expected in ((world.member, rules), (agent, ["approval_required", *rules])):
        (move,) = await _moves(caller, card)
        assert [blocker["code"] for blocker in move["blockers"]] == expected
        answer = await _move(caller, card, board.columns["In Progress"])
        assert answer.body["error"]["details"]["blockers"] == move["blockers"]
        first = {key: answer.body["error"][key] for key in ("code", "message")}
        assert first == {key: move["blockers"][0][key] for key in first}
    assert "move-requests" in move["blockers"][0]["message"]


async def test_a_move_that_is_allowed_goes_through_and_one_that_is_not_does_not(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.edge(board, "Todo", "Done", requiresApproval=True)
    await world.edge(board, "Todo", "Review")
    await world.column(board, "Review", wipLimit=1)
    await world.card(board, "Review")
    for caller in (world.sa, world.member, agent):
        for move in await _moves(caller, await world.card(board)):
            answer = await _move(caller, await world.card(board), move["toColumnId"])
            assert (answer.status == 200) is move["allowed"], (move, answer.body)
    card = await world.card(board)
    assert await _codes(agent, card) == {
        "In Progress": [],
        "Review": ["wip_limit_reached"],
        "Done": ["approval_required"],
    }
    for caller in (world.member, agent):
        needed = {move["title"]: move["requiresApproval"] for move in await _moves(caller, card)}
        assert needed == {"In Progress": False, "Review": False, "Done": True}


async def test_a_member_whose_role_may_not_move_is_told_so_first(world: World) -> None:
    _, card = await _demanding(world)
    await permit(world, "Member", "Card", "read", "update")
    (move,) = await _moves(world.member, card)
    assert [blocker["code"] for blocker in move["blockers"]][:2] == ["permission_denied", "required_fields_missing"]
    assert move["blockers"][0]["details"] == {"resource": "Card", "action": "transition"}
    assert "permission_denied" not in (await _codes(world.sa, card))["In Progress"]
    await permit(world, "Member", "Card", *EVERYTHING)
    assert "permission_denied" not in (await _codes(world.member, card))["In Progress"]


@pytest.mark.parametrize(
    ("pickup", "moderate", "code"),
    [(False, True, "agent_pickup_disabled"), (True, False, "agent_cannot_moderate")],
)
async def test_an_agent_is_told_what_the_column_does_not_let_it_do(
    world: World, pickup: bool, moderate: bool, code: str
) -> None:
    (board, card), agent = await _demanding(world), await world.agent()
    await world.column(board, "Todo", agentPickupEnabled=pickup, agentCanModerate=moderate)
    (move,) = await _moves(agent, card)
    assert [blocker["code"] for blocker in move["blockers"]][:2] == [code, "approval_required"]
    assert (await _move(agent, card, move["toColumnId"])).refused(403, code) == {"blockers": move["blockers"]}
    assert code not in (await _codes(world.member, card))["In Progress"]


async def test_a_move_refused_at_its_gate_carries_what_the_list_says_too(world: World) -> None:
    board, card = await _demanding(world)
    agent, other = await world.agent(), await world.agent("other")
    (await other.post(f"/cards/{card['id']}/claim/mcp", {})).ok()
    await _same(agent, card, 409, "already_claimed", "approval_required", "required_fields_missing", "card_blocked")
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Audit"})).ok()
    await _same(agent, card, 423, "frozen", "already_claimed", "approval_required")
    await permit(world, "Member", "Card", "read")
    await _same(world.member, card, 403, "permission_denied", "required_fields_missing", "card_blocked")
    await permit(world, "Member", "Card", "update")
    details = (await _move(world.member, card, board.columns["In Progress"])).refused(403, "permission_denied")
    assert details == {"resource": "Card", "action": "transition"}  # the rest is for those who may read
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    await _same(world.sa, card, 409, "archived_parent", "required_fields_missing")
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    await world.column(board, "Todo", agentPickupEnabled=False, agentCanModerate=False)
    await _same(agent, card, 423, "frozen", "agent_pickup_disabled", "agent_cannot_moderate", "approval_required")
    assert "blockers" not in (await _move(world.outsider, card, board.columns["In Progress"])).refused(404, "not_found")
    assert "blockers" not in (await _move(agent, {"id": "card_none"}, "col_none")).refused(404, "not_found")
    unknown = (await _move(agent, card, "col_none")).refused(423, "frozen")
    policy = ["frozen", "agent_pickup_disabled", "agent_cannot_moderate"]
    assert [blocker["code"] for blocker in unknown["blockers"]] == policy


async def _same(caller: Client, card: Any, status: int, *codes: str) -> None:
    (move,) = await _moves(caller, card)
    assert [blocker["code"] for blocker in move["blockers"]][: len(codes)] == list(codes)
    details = (await _move(caller, card, move["toColumnId"])).refused(status, codes[0])
    assert details == {**move["blockers"][0]["details"], "blockers": move["blockers"]}


async def test_an_archived_card_has_its_moves_with_the_archive_in_their_way(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    for caller in (world.member, agent):
        assert await _codes(caller, card) == {"In Progress": ["archived_parent"]}
        (await _move(caller, card, board.columns["In Progress"])).refused(409, "archived_parent")


async def test_only_who_may_read_the_card_is_told(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    path = f"/cards/{card['id']}/moves"
    await refusals.people_only(world, "GET", path)
    await refusals.agents_only(world, "GET", f"{path}/mcp")
    await refusals.expect_hidden(world, "GET", path)
    (await (await world.script(world.outsider)).get(f"{path}/mcp")).refused(404, "not_found")
    (await (await world.agent(approve=False)).get(f"{path}/mcp")).refused(403, "agent_not_approved")
    (await world.sa.get("/cards/card_x/moves")).refused(404, "not_found")
    await permit(world, "Member", "Card", "transition")
    (await world.member.get(path)).refused(403, "permission_denied")


async def test_listing_moves_changes_nothing(world: World) -> None:
    _, card = await _demanding(world)
    before, history = (await world.sa.get(f"/cards/{card['id']}")).ok(), await world.history(card["id"])
    for caller in (world.sa, await world.agent()):
        await _moves(caller, card)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == before
    assert await world.history(card["id"]) == history
