"""One who starts again finds its work: the calling agent with its claims and requests."""

from ..direct_db import execute
from ..many_cards import Many
from ..world import World
from .test_claims import take

REQUESTS = """
    INSERT INTO move_requests (id, org_id, card_id, from_column_id, to_column_id, requested_by, state, created_at)
    SELECT 'req_' || id, org_id, id, column_id, :done, '{"type":"Agent","id":"bot","label":null}', 'open', created_at
    FROM cards
    WHERE id LIKE 'card_many_%'
"""


async def test_an_agent_that_starts_again_finds_what_it_holds_with_the_tokens(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    first, second, foreign = [await world.card(board, title=f"Card {number}") for number in range(3)]
    (await take(agent, first, leaseSeconds=30)).ok()
    (await take(other, foreign)).ok()
    claim = (await take(agent, second)).ok()["claim"]
    world.clock.forward(31)
    me = (await agent.get("/agent/mcp")).ok()
    assert me["agent"]["id"] == "bot"
    assert me["claims"] == [
        claim
        | {"cardId": second["id"], "cardKey": second["key"], "title": "Card 1"}
        | {"projectId": board.id, "columnId": board.columns["Todo"]}
    ]
    token = {"X-Claim-Token": me["claims"][0]["token"]}
    (await agent.patch(f"/cards/{second['id']}/mcp", {"title": "Went on"}, headers=token)).ok()


async def test_an_agent_finds_the_requests_that_wait_for_a_decision(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, other = await world.card(board, "Review"), await world.card(board, "Review")
    body = {"toColumnId": board.columns["Done"], "note": "Done"}
    request = (await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()
    decided = (await agent.post(f"/cards/{other['id']}/move-requests/mcp", body)).ok()
    (await world.sa.post(f"/move-requests/{decided['id']}/reject", {})).ok()
    assert (await agent.get("/agent/mcp")).ok()["openRequests"] == [request]
    assert (await (await world.agent("other")).get("/agent/mcp")).ok()["openRequests"] == []


async def test_of_more_than_100_requests_the_newest_are_shown(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    Many(world, board).fill(100, "Review")
    await execute(world, REQUESTS, done=board.columns["Done"])
    card = await world.card(board, "Review")
    body = {"toColumnId": board.columns["Done"]}
    newest = (await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()
    found = (await agent.get("/agent/mcp")).ok()["openRequests"]
    assert (len(found), found[-1]) == (100, newest)


async def test_every_call_tells_when_an_agent_was_last_seen_at_most_once_a_minute(world: World) -> None:
    board, agent = await world.board(), await world.agent()

    async def seen() -> str:
        (row,) = (await world.sa.get(world.sa.org("/agents"))).ok()
        moment: str = row["lastSeenAt"]
        return moment

    (await agent.get(agent.org("/cards/mcp"))).ok()
    first = await seen()
    world.clock.forward(30)
    (await agent.get(agent.org("/cards/mcp"))).ok()
    assert await seen() == first
    world.clock.forward(31)
    (await agent.get("/cards/nothing/mcp")).refused(404, "not_found")
    second = await seen()
    assert second > first
    world.clock.forward(61)
    await world.card(board, by=agent)
    assert await seen() > second
