"""A claim goes on by itself as long as its holder works, whatever the column says, and through a freeze."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from service.clock import parse_timestamp, timestamp

from .. import forms
from ..world import Answer, Board, Client, World
from .test_claims import lease, take

Write = Callable[[World, Client, Board, Any], Awaitable[Answer]]


async def comment(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/comments/mcp", {"content": "Here"})


async def reply(world: World, who: Client, board: Board, card: Any) -> Answer:
    made = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "How?"})).ok()
    return await who.post(f"/cards/{card['id']}/comments/{made['id']}/replies/mcp", {"content": "So"})


async def edit(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.patch(f"/cards/{card['id']}/mcp", {"title": "New"})


async def edit_nothing(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.patch(f"/cards/{card['id']}/mcp", {})


async def move(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["Review"]})


async def upload(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await forms.send(who, forms.target(card, board.field("attachments")), forms.blob())


async def split(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/split/mcp", {"parts": [{"title": "Part"}]})


async def relate(world: World, who: Client, board: Board, card: Any) -> Answer:
    other = await world.card(board)
    body = {"fromCardId": other["id"], "toCardId": card["id"], "kind": "relatesTo"}
    return await who.post(who.org("/relationships/mcp"), body)


async def request(world: World, who: Client, board: Board, card: Any) -> Answer:
    await world.edge(board, "In Progress", "Done", requiresApproval=True)
    return await who.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})


async def scene(world: World, **terms: Any) -> tuple[Board, Any, Client, Any]:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    return board, card, agent, (await take(agent, card, **terms)).ok()["claim"]


async def claim_of(agent: Client, card: Any) -> Any:
    return (await agent.get(f"/cards/{card['id']}/mcp")).ok()["claim"]


@pytest.mark.parametrize("write", [comment, reply, edit, edit_nothing, move, upload, split, relate, request])
async def test_every_write_of_the_holder_renews_at_full_length_and_without_history(world: World, write: Write) -> None:
    board, card, agent, before = await scene(world, leaseSeconds=100)
    world.clock.forward(90)
    (await write(world, agent, board, card)).ok()
    claim = await claim_of(agent, card)
    assert (claim["token"], claim["claimedAt"], lease(claim)) == (before["token"], before["claimedAt"], 100)
    assert claim["renewedAt"] > before["renewedAt"]
    world.clock.forward(90)
    assert (await claim_of(agent, card)) == claim
    assert "claimed" not in [row["action"] for row in (await world.history(card["id"]))[2:]]


async def test_nobody_elses_write_renews_and_no_refused_one(world: World) -> None:
    board, card, agent, before = await scene(world)
    world.clock.forward(100)
    (await comment(world, await world.agent("other"), board, card)).ok()
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "By a person"})).ok()
    (await agent.patch(f"/cards/{card['id']}/mcp", {"title": ""})).invalid()
    backlog = {"toColumnId": board.columns["Backlog"]}
    (await agent.patch(f"/cards/{card['id']}/mcp/status", backlog)).refused(400, "transition_not_allowed")
    (await agent.get(f"/cards/{card['id']}/mcp")).ok()
    stale = {"headers": {"X-Claim-Token": "stale"}}
    (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Late"}, **stale)).ok()
    assert await claim_of(agent, card) == before


async def test_renewing_and_releasing_a_claim_do_not_depend_on_the_column(world: World) -> None:
    board, card, agent, _ = await scene(world)
    await world.column(board, "In Progress", agentPickupEnabled=False, agentCanModerate=False)
    (await agent.post(f"/cards/{card['id']}/claim/renew/mcp")).ok()
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    assert await claim_of(agent, card) is None


def left(claim: Any, moment: str) -> float:
    return (parse_timestamp(claim["expiresAt"]) - parse_timestamp(moment)).total_seconds()


async def freeze(world: World, **more: Any) -> Any:
    return (await world.sa.post(world.sa.org("/freeze"), {"reason": "Audit", **more})).ok()


@pytest.mark.parametrize("has_end", [True, False])
async def test_after_a_freeze_a_claim_has_the_time_that_it_had_left(world: World, has_end: bool) -> None:
    board, card, agent, _ = await scene(world)
    late = await world.card(board)
    (await take(agent, late, leaseSeconds=30)).ok()
    world.clock.forward(100)
    end = {"until": "2026-12-24T00:00:00.000Z"} if has_end else {}
    frozen = await freeze(world, **end)
    before = 300 - 100
    world.clock.forward(5000)
    (await comment(world, agent, board, card)).refused(423, "frozen")
    assert await claim_of(agent, card) is not None
    assert await claim_of(agent, late) is None
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    now = world.clock()
    assert before - 20 <= left(await claim_of(agent, card), now) <= before + 1
    assert frozen["frozen"]
    (await comment(world, agent, board, card)).ok()
    assert lease(await claim_of(agent, card)) == 300


async def test_a_freeze_that_the_clock_ends_has_held_the_claims_too(world: World) -> None:
    _, card, agent, before = await scene(world)
    end = timestamp(parse_timestamp(world.clock()) + timedelta(hours=1))
    await freeze(world, until=end)
    world.clock.forward(3600)
    claim = await claim_of(agent, card)
    assert 280 <= left(claim, end) <= left(before, before["renewedAt"])


async def test_a_freeze_that_replaces_another_does_not_count_twice(world: World) -> None:
    _, card, agent, before = await scene(world)
    await freeze(world)
    await freeze(world, until="2999-01-01T00:00:00.000Z")
    await freeze(world)
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    after = await claim_of(agent, card)
    assert left(before, before["renewedAt"]) - 20 <= left(after, world.clock()) <= 301


async def test_during_a_freeze_an_agent_can_renew_release_and_go_offline(world: World) -> None:
    _, card, agent, _ = await scene(world)
    await freeze(world, until="2999-01-01T00:00:00.000Z")
    held = await claim_of(agent, card)
    renewed = (await agent.post(f"/cards/{card['id']}/claim/renew/mcp")).ok()["claim"]
    assert renewed["expiresAt"] == held["expiresAt"]  # to renew takes nothing of what the freeze gives
    (await agent.post("/agents/bot/online")).refused(423, "frozen")
    (await agent.post("/agents/bot/offline")).ok()
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    assert await claim_of(agent, card) is None
