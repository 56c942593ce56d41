"""Sessions of agents: processes of one agent have claims of their own, which end with them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from .. import forms
from ..direct_db import rows
from ..world import Answer, Board, Client, World
from .test_claims import lease, take, take_next

HEADER = "X-Agent-Session"
Write = Callable[[World, Client, Board, Any], Awaitable[Answer]]


def in_session(world: World, agent: Client, session: str) -> Client:
    """Return the agent as one of its processes."""
    return world.client({**agent.headers, HEADER: session}, id=agent.id, org_id=agent.org_id, secret=agent.secret)


async def scene(world: World, column: str = "In Progress") -> tuple[Board, Any, Client, Client, Any]:
    """Return a board, a card that the first of two sessions has claimed, both sessions, and the claim."""
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, column)
    first, second = (in_session(world, agent, name) for name in ("first", "second"))
    return board, card, first, second, (await take(first, card, leaseSeconds=100)).ok()["claim"]


async def claim_of(who: Client, card: Any) -> Any:
    return (await who.get(f"/cards/{card['id']}/mcp")).ok()["claim"]


def public(claim: Any) -> Any:
    return {key: value for key, value in claim.items() if key != "token"}


def owned_elsewhere(answer: Answer, claim: Any) -> None:
    """Expect a refusal that says that another session of the agent has the claim, without its token."""
    details = answer.refused(409, "already_claimed")
    assert details["claim"] == public(claim) | {"sameAgent": True}
    assert "takeOver" in answer.body["error"]["message"]


async def edit(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.patch(f"/cards/{card['id']}/mcp", {"title": "New"})


async def move(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.patch(f"/cards/{card['id']}/mcp/status", {"toColumnId": board.columns["Review"]})


async def upload(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await forms.send(who, forms.target(card, board.field("attachments")), forms.blob())


async def split(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/split/mcp", {"parts": [{"title": "Part"}]})


async def relate(world: World, who: Client, board: Board, card: Any) -> Answer:
    other = await world.card(board, "Backlog")
    body = {"fromCardId": card["id"], "toCardId": other["id"], "kind": "relatesTo"}
    await world.column(board, "Backlog", agentPickupEnabled=False)
    return await who.post(who.org("/relationships/mcp"), body)


async def ask(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/comments/mcp", {"content": "Which?", "asks": True})


async def request(world: World, who: Client, board: Board, card: Any) -> Answer:
    await with_approval(world, board)
    return await who.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})


async def with_approval(world: World, board: Board) -> None:
    """Let cards in progress be done after approval, if that was not done before."""
    edge = {"fromColumnId": board.columns["In Progress"], "toColumnId": board.columns["Done"], "requiresApproval": True}
    assert (await world.sa.post(world.sa.org("/transitions"), edge)).status in (200, 409)


async def renew(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.post(f"/cards/{card['id']}/claim/renew/mcp")


async def release(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await who.delete(f"/cards/{card['id']}/claim/mcp")


async def claim(world: World, who: Client, board: Board, card: Any) -> Answer:
    return await take(who, card)


@pytest.mark.parametrize("write", [edit, move, upload, split, relate, ask, request, renew, release, claim])
async def test_another_session_of_the_agent_is_denied_each_write_until_it_sends_the_live_token(
    world: World, write: Write
) -> None:
    board, card, _, second, held = await scene(world)
    owned_elsewhere(await write(world, second, board, card), held)
    assert await rows(world, "-- x\nSELECT session FROM claims") == [{"session": "first"}]
    second.headers["X-Claim-Token"] = held["token"]
    assert (await write(world, second, board, card)).status in (200, 204)


@pytest.mark.parametrize("write", [edit, move, upload, split, relate, ask, request, renew, release, claim])
async def test_the_session_of_the_claim_and_a_call_without_session_write_without_a_token(
    world: World, write: Write
) -> None:
    board, card, first, _, _ = await scene(world)
    if write is claim:
        assert (await write(world, first, board, card)).ok()["claim"]["session"] == "first"
        return
    assert (await write(world, first, board, card)).status in (200, 204)
    later = await world.card(board, "In Progress")
    (await take(first, later)).ok()
    without = world.client({key: value for key, value in first.headers.items() if key != HEADER}, org_id=first.org_id)
    if write in (edit, renew, release):
        assert (await write(world, without, board, later)).status in (200, 204)


async def test_another_session_reads_comments_and_replies_without_token_or_renewal(world: World) -> None:
    _, card, first, second, held = await scene(world)
    assert held["session"] == "first"
    assert await claim_of(first, card) == held
    assert await claim_of(second, card) == public(held)
    world.clock.forward(20)
    comment = (await second.post(f"/cards/{card['id']}/comments/mcp", {"content": "Seen"})).ok()
    (await second.post(f"/cards/{card['id']}/comments/{comment['id']}/replies/mcp", {"content": "Too"})).ok()
    stale = {"headers": {"X-Claim-Token": "stale"}}
    (await second.post(f"/cards/{card['id']}/comments/mcp", {"content": "Late"}, **stale)).ok()
    assert await claim_of(second, card) == public(held)
    context = (await second.get(f"/cards/{card['id']}/context/mcp")).ok()["card"]["claim"]
    assert context == public(held)
    (listed,) = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    assert listed["claim"] == public(held)


async def test_questions_and_requests_of_another_session_cannot_be_withdrawn(world: World) -> None:
    board, card, first, second, _ = await scene(world)
    await world.edge(board, "In Progress", "Done", requiresApproval=True)
    body = {"content": "Which?", "asks": True, "keepClaim": True}
    question = (await first.post(f"/cards/{card['id']}/comments/mcp", body)).ok()
    held = await claim_of(first, card)
    path = f"/cards/{card['id']}/comments/{question['id']}/question/mcp"
    owned_elsewhere(await second.delete(path), held)
    (await first.delete(path)).ok()
    asked = (await first.post(f"/cards/{card['id']}/move-requests/mcp", {"toColumnId": board.columns["Done"]})).ok()
    owned_elsewhere(await second.delete(f"/move-requests/{asked['id']}/mcp"), await claim_of(first, card))
    (await first.delete(f"/move-requests/{asked['id']}/mcp")).ok()


async def test_the_legal_moves_of_another_session_say_that_the_card_is_claimed(world: World) -> None:
    _, card, first, second, held = await scene(world)
    for who, codes in ((first, set()), (second, {"already_claimed"})):
        moves = (await who.get(f"/cards/{card['id']}/moves/mcp")).ok()
        found = {blocker["code"] for move in moves for blocker in move["blockers"]} & {"already_claimed"}
        assert found == codes
    assert held["session"] == "first"


async def test_a_session_takes_a_claim_over_and_the_former_one_is_denied(world: World) -> None:
    board, card, first, second, held = await scene(world)
    taken = (await take(second, card, takeOver=True)).ok()["claim"]
    assert (taken["agentId"], taken["session"], lease(taken)) == ("bot", "second", 300)
    assert taken["token"] != held["token"]
    owned_elsewhere(await edit(world, first, board, card), await claim_of(second, card))
    late = {"headers": {"X-Claim-Token": held["token"]}}
    (await first.patch(f"/cards/{card['id']}/mcp", {"title": "Late"}, **late)).refused(409, "already_claimed")
    (await edit(world, second, board, card)).ok()
    assert [row["action"] for row in await world.history(card["id"])] == ["created", "claimed", "updated"]


async def test_take_over_works_with_an_outdated_token(world: World) -> None:
    _, card, _, second, _ = await scene(world)
    second.headers["X-Claim-Token"] = "stale"
    (await take(second, card)).refused(409, "already_claimed")
    assert (await take(second, card, takeOver=True)).ok()["claim"]["session"] == "second"


async def test_nobody_takes_the_claim_of_another_agent_over(world: World) -> None:
    board, card, _, _, held = await scene(world)
    other = in_session(world, await world.agent("other"), "first")
    details = (await take(other, card, takeOver=True)).refused(409, "already_claimed")
    assert details == {"claim": public(held)}
    assert (await take_next(other, takeOver=True, projectId=board.id)).status == 204
    (await take(other, card, takeOver="yes")).invalid()


async def test_a_claim_made_without_session_belongs_to_every_session(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    held = (await take(agent, card)).ok()["claim"]
    assert "session" not in held
    first, second = (in_session(world, agent, name) for name in ("first", "second"))
    for who in (first, second, agent):
        assert await claim_of(who, card) == held
        (await edit(world, who, board, card)).ok()
        held = await claim_of(who, card)
        assert (await who.get("/agent/mcp")).ok()["otherClaims"] == []
    assert (await take(first, card)).ok()["claim"]["session"] == "first"  # from now on it is its own
    (await edit(world, second, board, card)).refused(409, "already_claimed")


async def test_the_calling_agent_sees_claims_of_other_sessions_without_token(world: World) -> None:
    _, card, first, second, held = await scene(world)
    mine = (await take(second, await world.card(await world.board(title="Other"), "In Progress"))).ok()
    me = (await second.get("/agent/mcp")).ok()
    assert [claim["cardId"] for claim in me["claims"]] == [mine["id"]]
    assert me["claims"][0]["token"] == mine["claim"]["token"]
    assert me["otherClaims"] == [
        {
            "cardId": card["id"],
            "key": card["key"],
            "title": card["title"],
            "session": "first",
            "renewedAt": held["renewedAt"],
            "expiresAt": held["expiresAt"],
        }
    ]
    without = world.client({key: value for key, value in first.headers.items() if key != HEADER}, org_id=first.org_id)
    me = (await without.get("/agent/mcp")).ok()
    assert ([claim["cardId"] for claim in me["claims"]], me["otherClaims"]) == ([card["id"], mine["id"]], [])


async def test_the_next_card_is_taken_over_from_the_session_that_was_silent_for_longest(world: World) -> None:
    board, card, first, second, _ = await scene(world)
    free, later = await world.card(board), await world.card(board, "In Progress")
    world.clock.forward(5)
    (await take(in_session(world, first, "third"), later)).ok()
    wrong = (await take_next(second, takeOver=True, columnId=board.columns["Todo"])).ok()
    assert wrong["id"] == free["id"]
    got = [(await take_next(second, takeOver=True)).ok()["id"] for _ in range(2)]
    assert got == [card["id"], later["id"]]
    assert (await take_next(second, takeOver=True)).status == 204  # no session takes its own claims over


async def test_two_sessions_that_claim_the_next_card_at_once_get_different_ones(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for number in range(4):
        await world.card(board, title=f"Card {number}")
    sessions = [in_session(world, agent, f"session {number}") for number in range(2)]
    column = {"columnId": board.columns["Todo"]}
    got = await asyncio.gather(*(take_next(who, **column) for who in sessions for _ in range(2)))
    assert len({answer.ok()["id"] for answer in got}) == 4
    for answer, who in zip(got, [who for who in sessions for _ in range(2)], strict=True):
        assert answer.body["claim"]["session"] == who.headers[HEADER]


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "\N{LATIN SMALL LETTER E WITH ACUTE}", "a\tb"])
async def test_a_malformed_session_is_refused(world: World, name: str) -> None:
    agent = in_session(world, await world.agent(), name)
    card = await world.card(await world.board())
    assert (await take(agent, card)).invalid() == [HEADER]
    assert (await agent.get("/agent/mcp")).invalid() == [HEADER]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with agent.http.post(agent.base + "/mcp", json=ping, headers=agent.headers) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["data"]["code"] == "validation_failed"


@pytest.mark.parametrize("name", ["x", "~" * 64, "two words"])
async def test_any_printable_name_is_a_session(world: World, name: str) -> None:
    agent, card = in_session(world, await world.agent(), name), await world.card(await world.board())
    assert (await take(agent, card)).ok()["claim"]["session"] == name


async def test_a_repeated_request_is_answered_again_to_its_own_session_only(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    cards = {(await world.card(board))["id"] for _ in range(2)}
    first, second = (in_session(world, agent, name) for name in ("first", "second"))
    once = {"headers": {"Idempotency-Key": "once"}}
    got = [(await who.post(who.org("/cards/claim/mcp"), {}, **once)).ok() for who in (first, second, first, second)]
    assert {card["id"] for card in got} == cards
    assert got[:2] == got[2:]
