"""Attention that can be acted on: what a list needs, what an agent handed over, how many of each kind."""

from typing import Any

from ..builders import permit
from ..direct_db import execute
from ..many_cards import Many
from ..world import Board, Client, World

NOTHING = {
    "pending_agent": 0,
    "stopped_agent": 0,
    "agent_creates": 0,
    "backup": 0,
    "move_request": 0,
    "question": 0,
    "handed_over": 0,
    "expired_claim": 0,
    "overdue_card": 0,
}


async def waiting(who: Client, **params: str) -> Any:
    return (await who.get(who.org("/attention"), params=params)).ok()


async def asked(world: World, board: Board, agent: Client) -> Any:
    """Return a card of which an agent asks that it may be done."""
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await world.card(board, "Review")
    path = f"/cards/{card['id']}/move-requests/mcp"
    (await agent.post(path, {"toColumnId": board.columns["Done"]})).ok()
    return card


async def handed_over(world: World, board: Board, agent: Client) -> Any:
    """Return a card that an agent moved to where only people move it on."""
    card = await world.card(board, "In Progress")
    (await agent.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["Review"]})).ok()
    return card


async def test_a_request_tells_what_its_approval_would_meet(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await asked(world, board, agent)
    await world.column(board, "Done", wipLimit=1)
    await world.card(board, "Done")
    (item,) = await waiting(world.member)
    assert item["allowed"] is False
    assert [blocker["code"] for blocker in item["blockers"]] == ["wip_limit_reached"]
    (await world.member.post(f"/move-requests/{item['requestId']}/approve", {})).refused(400, "wip_limit_reached")


async def test_who_may_not_decide_is_told_so(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await asked(world, board, agent)
    await permit(world, "Member", "Card", "read")
    (item,) = await waiting(world.member)
    assert item["allowed"] is False
    assert [blocker["code"] for blocker in item["blockers"]] == ["permission_denied"]
    assert (await waiting(world.sa))[0]["allowed"] is True


async def test_what_an_agent_hands_over_waits_until_a_person_touches_it(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await handed_over(world, board, agent)
    (item,) = await waiting(world.member)
    moved = (await world.history(card["id"]))[-1]
    assert item == {
        "kind": "handed_over",
        "since": moved["createdAt"],
        "cardId": card["id"],
        "cardKey": card["key"],
        "agentId": "bot",
        "message": "The agent bot has handed Card over in Review.",
        "card": {key: card[key] for key in ("id", "key", "title", "projectId")} | {"columnId": board.columns["Review"]},
        "agent": {"id": "bot", "title": "bot"},
        "fromColumnId": board.columns["In Progress"],
    }
    (await world.member.post(f"/cards/{card['id']}/comments", {"content": "I look at it"})).ok()
    assert await waiting(world.member) == []


async def test_what_agents_may_move_on_or_have_asked_for_is_not_handed_over(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await handed_over(world, board, agent)
    assert await waiting(world.sa) == [], "back to In Progress an agent may go"
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Review', 'In Progress']}"))).ok()
    assert [item["kind"] for item in await waiting(world.sa)] == ["handed_over"], "the only way out needs a person"
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    assert [item["kind"] for item in await waiting(world.sa)] == ["move_request"]


async def test_what_is_done_archived_or_moved_on_is_not_handed_over(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.edge(board, "In Progress", "Done")
    card = await world.card(board, "In Progress")
    (await agent.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["Done"]})).ok()
    assert await waiting(world.sa) == []
    other = await handed_over(world, board, agent)
    (await world.sa.delete(f"/cards/{other['id']}")).ok()
    assert await waiting(world.sa) == []
    third = await handed_over(world, board, agent)
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    assert await waiting(world.sa) == []
    (await agent.patch(f"/cards/{third['id']}/mcp/status", {"toColumnId": board.columns["In Progress"]})).ok()
    await world.column(board, "Review", agentPickupEnabled=False)
    assert await waiting(world.sa) == [], "it went on by the agent itself"


async def test_limits_count_each_kind_and_counts_need_no_items(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    nothing = {"pending_agent": 0, "move_request": 0, "question": 0}
    assert await waiting(world.sa, counts="true") == {"counts": NOTHING, "waiting": nothing, "overdueBoards": {}}
    for day in range(1, 4):
        await world.card(board, dueDate=f"2026-01-0{day}T00:00:00Z")
    await asked(world, board, agent)
    await world.agent("newcomer", approve=False)
    counts = {**NOTHING, "overdue_card": 3, "move_request": 1, "pending_agent": 1}
    numbers = {"counts": counts, "waiting": {"move_request": 1, "question": 0}, "overdueBoards": {board.id: 3}}
    assert await waiting(world.member, counts="true") == numbers
    found = await waiting(world.member, limit="2")
    assert {key: found[key] for key in numbers} == numbers
    kinds = [item["kind"] for item in found["items"]]
    assert kinds == ["overdue_card", "overdue_card", "move_request", "pending_agent"]
    assert [item["since"] for item in found["items"]] == sorted(item["since"] for item in found["items"])
    assert len(await waiting(world.member)) == 5
    for limit in ("0", "101", "x"):
        assert (await world.sa.get(world.sa.org(f"/attention?limit={limit}"))).invalid() == ["limit"]
    assert (await world.sa.get(world.sa.org("/attention?counts=maybe"))).invalid() == ["counts"]


async def decidable(who: Client) -> dict[str, int]:
    """Return the kinds of which something waits for a person's own decision, with the numbers."""
    found: dict[str, int] = (await waiting(who, counts="true"))["waiting"]
    return {kind: number for kind, number in found.items() if number}


async def question(world: World, board: Board, agent: Client) -> Any:
    card = await world.card(board)
    asks = {"content": "Which?", "asks": True}
    return (await agent.post(f"/cards/{card['id']}/comments/mcp", asks)).ok() | {"card": card}


async def test_what_waits_for_somebody_is_what_they_may_decide_or_answer_and_ends_with_it(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await asked(world, board, agent)
    open_question = await question(world, board, agent)
    await handed_over(world, await world.board(title="Another"), agent)
    await world.agent("newcomer", approve=False)
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Look first"})).ok()
    assert await decidable(world.sa) == {"pending_agent": 1, "move_request": 1, "question": 1}
    assert await decidable(world.member) == {"move_request": 1, "question": 1}
    await permit(world, "Member", "Card", "read", "transition")
    assert await decidable(world.member) == {"move_request": 1}
    reply = f"/cards/{open_question['card']['id']}/comments/{open_question['id']}/replies"
    (await world.member.post(reply, {"content": "This one"})).refused(403, "permission_denied")
    await permit(world, "Member", "Card", "read", "comment")
    assert await decidable(world.member) == {"question": 1}
    (await world.member.post(reply, {"content": "This one"})).ok()
    request = next(item for item in await waiting(world.sa) if item["kind"] == "move_request")
    (await world.sa.post(f"/move-requests/{request['requestId']}/approve", {})).ok()
    (await world.sa.patch("/agents/newcomer/approve")).ok()
    assert await decidable(world.sa) == await decidable(world.member) == {}
    assert [item["kind"] for item in await waiting(world.sa)] == ["handed_over"]


async def test_what_can_no_longer_be_decided_waits_for_nobody(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    gone, archived = await world.board(title="Gone"), await asked(world, board, agent)
    await asked(world, gone, agent)
    await question(world, gone, agent)
    removed, muted = await question(world, board, agent), await question(world, board, agent)
    assert await decidable(world.sa) == {"move_request": 2, "question": 3}
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    (await world.sa.delete(f"/cards/{removed['card']['id']}", params={"mode": "permanent"})).ok()
    assert await decidable(world.sa) == {"question": 1}
    card_type = world.sa.org(f"/card-types/{board.card_type['id']}")
    (await world.sa.patch(card_type, {"commentsEnabled": False})).ok()
    reply = f"/cards/{muted['card']['id']}/comments/{muted['id']}/replies"
    (await world.sa.post(reply, {"content": "This one"})).refused(400, "comments_disabled")
    assert await decidable(world.sa) == {}
    await asked(world, board, agent)
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Review', 'Done']}"))).ok()
    assert (await decidable(world.sa), await waiting(world.sa)) == ({}, [])


async def test_a_request_of_a_removed_agent_waits_and_can_be_decided(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await asked(world, board, agent)
    await question(world, board, agent)
    (await world.sa.delete("/agents/bot")).ok()
    assert await decidable(world.sa) == {"move_request": 1}
    (item,) = await waiting(world.sa)
    (await world.sa.post(f"/move-requests/{item['requestId']}/reject", {})).ok()
    assert await decidable(world.sa) == {}


async def test_a_list_of_more_than_500_of_a_kind_says_that_it_is_cut_and_boards_are_counted(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    Many(world, board).fill(501)
    await execute(world, "UPDATE cards SET due_date = '2026-01-01T00:00:00.000Z'")
    late = await world.card(other, dueDate="2026-01-02T00:00:00Z")
    await world.card(other, "Done", dueDate="2026-01-02T00:00:00Z")
    answer = await world.sa.get(world.sa.org("/attention"))
    assert (len(answer.ok()), answer.headers["X-Truncated"]) == (500, "true")
    for query in ({"limit": "1"}, {"counts": "true"}):
        found = await waiting(world.sa, **query)
        assert (found["counts"]["overdue_card"], found["overdueBoards"]) == (502, {board.id: 501, other.id: 1})
    (await world.sa.delete(f"/cards/{late['id']}")).ok()
    assert (await waiting(world.sa, counts="true"))["overdueBoards"] == {board.id: 501}
