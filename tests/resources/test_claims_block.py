"""While a claim lives it keeps other agents off the card, and a holder that is late as well; people never."""

from typing import Any

import pytest

from .. import forms
from ..world import Answer, Board, Client, World
from .test_claims import lease, take, take_next


async def writes(who: Client, board: Board, card: Any, comment_id: str, **headers: str) -> dict[str, Answer]:
    """Try every write that an agent has on a card, moves last; comments are none, since talking is not writing over."""
    path, options = f"/cards/{card['id']}", {"headers": headers}
    parts = forms.target(card, board.field("attachments")), forms.blob()
    return {
        "edit": await who.patch(f"{path}/mcp", {"title": "New"}, **options),
        "upload": await forms.send(who, *parts, **headers),
        "renew": await who.post(f"{path}/claim/renew/mcp", **options),
        "move": await who.patch(f"{path}/mcp/status", {"toColumnId": board.columns["In Progress"]}, **options),
    }


async def scene(world: World) -> tuple[Board, Any, str, Client, dict[str, Any]]:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Please"})).ok()
    claim = (await take(agent, card)).ok()["claim"]
    return board, card, comment["id"], agent, claim


async def test_other_agents_may_not_write_and_hear_who_holds_the_card_until_when(world: World) -> None:
    board, card, comment_id, _, claim = await scene(world)
    other = await world.agent("other")
    before, history = (await world.sa.get(f"/cards/{card['id']}")).ok(), await world.history(card["id"])
    token = claim.pop("token")
    for headers in ({}, {"X-Claim-Token": token}, {"X-Claim-Token": "é"}):
        answers = await writes(other, board, card, comment_id, **headers)
        answers["claim"] = await other.post(f"/cards/{card['id']}/claim/mcp", headers=headers)
        answers["release"] = await other.delete(f"/cards/{card['id']}/claim/mcp", headers=headers)
        for answer in answers.values():
            assert answer.refused(409, "already_claimed")["claim"] == claim
            assert token not in str(answer.body)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == before
    assert await world.history(card["id"]) == history
    assert (await other.get(f"/cards/{card['id']}/mcp")).ok() == before | {"watching": False}


async def test_all_agents_talk_on_a_card_whoever_holds_it_and_whatever_token_they_send(world: World) -> None:
    _, card, comment_id, agent, claim = await scene(world)
    for who in (await world.agent("other"), agent):
        for headers in ({}, {"X-Claim-Token": "stale"}):
            path = f"/cards/{card['id']}/comments"
            (await who.post(f"{path}/mcp", {"content": "Seen"}, headers=headers)).ok()
            (await who.post(f"{path}/{comment_id}/replies/mcp", {"content": "Seen"}, headers=headers)).ok()
    assert (await agent.get(f"/cards/{card['id']}/mcp")).ok()["claim"]["token"] == claim["token"]


async def test_the_holder_writes_with_the_token_or_without(world: World) -> None:
    board, card, comment_id, agent, claim = await scene(world)
    for headers in ({"X-Claim-Token": claim["token"]}, {}):
        answers = await writes(agent, board, card, comment_id, **headers)
        for answer in answers.values():
            answer.ok()
        assert answers["move"].body["claim"]["token"] == claim["token"]
        (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Todo"]})).ok()


async def test_people_are_never_held_up(world: World) -> None:
    board, card, comment_id, _, claim = await scene(world)
    path = f"/cards/{card['id']}"
    for who in (world.member, world.sa):
        (await who.patch(path, {"title": f"By {who.id}"})).ok()
        (await who.post(f"{path}/comments", {"content": "Mine"})).ok()
        (await who.post(f"{path}/comments/{comment_id}/replies", {"content": "Mine"})).ok()
        (await forms.send(who, forms.target(card, board.field("attachments")), forms.blob())).ok()
    (await world.sa.patch(f"{path}/rank", {"afterCardId": None})).ok()
    moved = (await world.member.patch(f"{path}/status", {"toColumnId": board.columns["In Progress"]})).ok()
    assert moved["claim"] == {key: value for key, value in claim.items() if key != "token"}


async def test_the_column_policy_is_checked_before_the_claim(world: World) -> None:
    board, card, comment_id, _, _ = await scene(world)
    other = await world.agent("other")
    await world.column(board, "Todo", agentPickupEnabled=False)
    answers = await writes(other, board, card, comment_id)
    answers.pop("renew").refused(409, "already_claimed")  # which no column is asked about
    for answer in answers.values():
        answer.refused(403, "agent_pickup_disabled")


async def test_an_outdated_claim_token_is_refused_even_to_the_holder(world: World) -> None:
    board, card, comment_id, agent, claim = await scene(world)
    fresh = (await take(agent, card)).ok()["claim"]
    assert fresh["token"] != claim["token"]
    for stale in (claim["token"], "nonsense", "", "é", fresh["token"][:-1]):
        answers = await writes(agent, board, card, comment_id, **{"X-Claim-Token": stale})
        for answer in answers.values():
            details = answer.refused(409, "already_claimed")
            assert details["claim"] == {key: value for key, value in fresh.items() if key != "token"} | {
                "sameAgent": True
            }
    for answer in (await writes(agent, board, card, comment_id, **{"X-Claim-Token": fresh["token"]})).values():
        answer.ok()


async def test_claiming_again_gives_a_new_token_and_lease_and_no_second_row(world: World) -> None:
    _, card, _, agent, claim = await scene(world)
    history = await world.history(card["id"])
    again = (await take(agent, card, leaseSeconds=60)).ok()["claim"]
    assert (again["agentId"], lease(again)) == ("bot", 60)
    assert again["token"] != claim["token"]
    assert await world.history(card["id"]) == history


async def test_after_the_lease_the_card_is_anybodys_and_the_late_holder_is_refused(world: World) -> None:
    board, card, comment_id, agent, claim = await scene(world)
    other, late = await world.agent("other"), {"X-Claim-Token": claim["token"]}
    world.clock.forward(300)
    for answer in (await writes(agent, board, card, comment_id, **late)).values():
        answer.refused(409, "claim_expired")
    taken = (await take_next(other)).ok()
    assert (taken["id"], taken["claim"]["agentId"]) == (card["id"], "other")
    seen = {key: value for key, value in taken["claim"].items() if key != "token"}
    for headers in (late, {}):
        for answer in (await writes(agent, board, card, comment_id, **headers)).values():
            assert answer.refused(409, "already_claimed")["claim"] == seen
        (await agent.delete(f"/cards/{card['id']}/claim/mcp", headers=headers)).refused(409, "already_claimed")
    told = [
        (row["action"], row["actor"]["id"], row["changes"]["claim"]) for row in (await world.history(card["id"]))[2:]
    ]
    assert told == [
        ("claimed", "bot", {"from": None, "to": "bot"}),
        ("claimed", "other", {"from": None, "to": "other"}),
    ]


async def test_after_the_lease_everybody_writes_who_sends_no_token(world: World) -> None:
    board, card, comment_id, agent, _ = await scene(world)
    other = await world.agent("other")
    world.clock.forward(300)
    for who in (other, agent):
        answers = await writes(who, board, card, comment_id)
        answers.pop("renew").refused(409, "claim_expired")
        for answer in answers.values():
            answer.ok()
        (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Todo"]})).ok()


async def test_a_claim_token_for_an_unclaimed_card_is_refused(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Please"})).ok()
    answers = await writes(agent, board, card, comment["id"], **{"X-Claim-Token": "anything"})
    for answer in answers.values():
        answer.refused(409, "claim_expired")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["version"] == 1


async def test_a_claim_on_a_card_by_name_does_not_ask_whether_it_is_blocked_or_assigned(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.agent("other")
    card = await world.card(board, assignedAgentId="other")
    assert (await take(agent, card)).ok()["claim"]["agentId"] == "bot"


@pytest.mark.parametrize("column", ["Backlog", "Review"])
async def test_a_card_is_not_claimed_where_agents_may_not_work(world: World, column: str) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, column)
    await world.column(board, column, agentPickupEnabled=False)
    (await take(agent, card)).refused(403, "agent_pickup_disabled")
    await world.column(board, column, agentPickupEnabled=True)
    (await take(agent, card)).refused(403, "agent_cannot_moderate")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"] is None
