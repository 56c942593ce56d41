"""Moves with many things in their way: which comes first, and that all of them are told."""

from typing import Any

from ..world import Answer, Board, Client, World


async def _obstructed(world: World) -> tuple[Board, Any]:
    """Return a card in Todo, and make In Progress full, demanding and behind an approval."""
    board = await world.board()
    card = await world.card(board)
    await world.card(board, "In Progress")
    await world.column(board, "In Progress", wipLimit=1, requiredFieldIds=[board.field("description")])
    path = world.sa.org(f"/transitions/{board.transitions['Todo', 'In Progress']}")
    (await world.sa.patch(path, {"requiresApproval": True})).ok()
    return board, card


async def _move(caller: Client, board: Board, card: Any) -> Answer:
    suffix = "/mcp/status" if "ApiKey" in caller.headers["Authorization"] else "/status"
    return await caller.patch(f"/cards/{card['id']}{suffix}", {"toColumnId": board.columns["In Progress"]})


def _told(answer: Answer, status: int, code: str) -> list[str]:
    """Return the codes of all blockers of a refusal, the first of which must be the refusal itself."""
    details = answer.refused(status, code)
    first = details["blockers"][0]
    assert (first["code"], first["message"]) == (code, answer.body["error"]["message"])
    assert first["details"] == {key: value for key, value in details.items() if key != "blockers"}
    assert all(set(blocker) == {"code", "message", "details"} for blocker in details["blockers"])
    return [blocker["code"] for blocker in details["blockers"]]


async def test_the_errors_of_a_move_have_a_fixed_order(world: World) -> None:
    (board, card), agent = await _obstructed(world), await world.agent()
    todo = board.columns["Todo"]
    wip, fields, approval = "wip_limit_reached", "required_fields_missing", "approval_required"
    await world.column(board, "Todo", agentPickupEnabled=False)
    (await _move(agent, board, card)).refused(403, "agent_pickup_disabled")
    await world.column(board, "Todo", agentPickupEnabled=True, agentCanModerate=False)
    (await _move(agent, board, card)).refused(403, "agent_cannot_moderate")
    await world.column(board, "Todo", agentCanModerate=True)
    assert _told(await _move(agent, board, card), 403, approval) == [approval, fields, wip]
    edge = world.sa.org(f"/transitions/{board.transitions['Todo', 'In Progress']}")
    (await world.sa.patch(edge, {"requiresApproval": False})).ok()
    assert _told(await _move(agent, board, card), 400, fields) == [fields, wip]
    value = {"fieldId": board.field("description"), "value": "a"}
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": [value]})).ok()
    assert _told(await _move(agent, board, card), 400, wip) == [wip]
    await world.column(board, "In Progress", wipLimit=None)
    assert (await _move(agent, board, card)).ok()["columnId"] == board.columns["In Progress"]
    row = (await world.history(card["id"]))[-1]
    assert row["changes"]["columnId"] == {"from": todo, "to": board.columns["In Progress"]}


async def test_a_refusal_names_the_fields_that_are_missing_and_the_ways_that_there_are(world: World) -> None:
    board, card = await _obstructed(world)
    details = (await _move(world.member, board, card)).refused(400, "required_fields_missing")
    description = board.field("description")
    assert details["fieldIds"] == [description]
    assert details["fields"] == [{"id": description, "name": "description", "label": "Description"}]
    answer = await world.member.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Done"]})
    assert answer.refused(400, "transition_not_allowed")["allowed"] == [
        {"toColumnId": board.columns["In Progress"], "title": "In Progress", "requiresApproval": True}
    ]


async def test_a_person_is_not_told_of_approval(world: World) -> None:
    board, card = await _obstructed(world)
    codes = _told(await _move(world.member, board, card), 400, "required_fields_missing")
    assert codes == ["required_fields_missing", "wip_limit_reached"]


async def test_a_missing_transition_comes_before_the_rules_of_the_column(world: World) -> None:
    (board, card), agent = await _obstructed(world), await world.agent()
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Todo', 'In Progress']}"))).ok()
    for caller in (world.member, agent):
        codes = _told(await _move(caller, board, card), 400, "transition_not_allowed")
        assert codes == ["transition_not_allowed", "required_fields_missing", "wip_limit_reached"]


async def test_the_column_that_a_card_leaves_decides_not_the_one_it_enters(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    path = f"/cards/{card['id']}/mcp/status"
    (await agent.patch(path, {"toColumnId": board.columns["Review"]})).ok()
    await world.column(board, "Review", agentPickupEnabled=False)
    answer = await agent.patch(path, {"toColumnId": board.columns["In Progress"]})
    answer.refused(403, "agent_pickup_disabled")


async def test_a_card_that_cannot_be_seen_comes_before_everything(world: World) -> None:
    board, card = await _obstructed(world)
    stranger = await world.script(world.outsider)
    for caller in (world.outsider, stranger):
        (await _move(caller, board, card)).refused(404, "not_found")
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    for caller in (world.sa, await world.agent()):
        (await _move(caller, board, card)).refused(404, "not_found")


async def test_the_agent_that_moves_a_card_must_be_approved(world: World) -> None:
    board = await world.board()
    agent = await world.agent(approve=False)
    card = await world.card(board)
    (await _move(agent, board, card)).refused(403, "agent_not_approved")
    body = {"toColumnId": board.columns["In Progress"], "agentId": "bot"}
    (await agent.patch(f"/cards/{card['id']}/mcp/status", body)).refused(403, "agent_not_approved")
    (await world.sa.patch("/agents/bot/approve")).ok()
    (await agent.patch(f"/cards/{card['id']}/mcp/status", body)).ok()
    assert (await world.history(card["id"]))[-1]["actor"] == {"type": "Agent", "id": "bot", "label": None}
