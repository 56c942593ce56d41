"""Attention that can be acted on: what a list needs, what an agent handed over, how many of each kind."""

from typing import Any

from ..builders import permit
from ..world import Board, Client, World

NOTHING = {
    "pending_agent": 0,
    "stopped_agent": 0,
    "agent_creates": 0,
    "move_request": 0,
    "question": 0,
    "handed_over": 0,
    "expired_claim": 0,
    "overdue_card": 0,
}


async def waiting(who: Client, **params: str) -> Any:
    return (await who.get(who.org("/attention"), params=params)).ok()


async def asked(world: World, board: Board, agent: Client) -> Any:
    """Give a card of which an agent asks that it may be done."""
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await world.card(board, "Review")
    path = f"/cards/{card['id']}/move-requests/mcp"
    (await agent.post(path, {"toColumnId": board.columns["Done"]})).ok()
    return card


async def handed_over(world: World, board: Board, agent: Client) -> Any:
    """Give a card that an agent moved to where only people move it on."""
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
    assert await waiting(world.sa, counts="true") == {"counts": NOTHING}
    for day in range(1, 4):
        await world.card(board, dueDate=f"2026-01-0{day}T00:00:00Z")
    await asked(world, board, agent)
    await world.agent("newcomer", approve=False)
    counts = {**NOTHING, "overdue_card": 3, "move_request": 1, "pending_agent": 1}
    assert await waiting(world.member, counts="true") == {"counts": counts}
    found = await waiting(world.member, limit="2")
    assert found["counts"] == counts
    kinds = [item["kind"] for item in found["items"]]
    assert kinds == ["overdue_card", "overdue_card", "move_request", "pending_agent"]
    assert [item["since"] for item in found["items"]] == sorted(item["since"] for item in found["items"])
    assert len(await waiting(world.member)) == 5
    for limit in ("0", "101", "x"):
        assert (await world.sa.get(world.sa.org(f"/attention?limit={limit}"))).invalid() == ["limit"]
    assert (await world.sa.get(world.sa.org("/attention?counts=maybe"))).invalid() == ["counts"]
