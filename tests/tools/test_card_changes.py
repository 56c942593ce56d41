"""The tools that make, change, move and request: the same rules as the routes, the same history."""

import asyncio
import json
from typing import Any

from ..world import World
from .talk import DEFAULT, size, talking

RECEIPT = {"id", "columnId", "version", "updatedAt"}


async def test_a_card_is_made_changed_and_moved_with_short_receipts_and_the_agent_in_history(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    fields = [{"fieldId": board.field("description"), "value": "x" * 5000}]
    async with talking(agent) as talk:
        place = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
        made = await talk.ok("create_card", title="Made by a tool", fieldValues=fields, **place)
        assert made.keys() == RECEIPT
        changed = await talk.ok("update_card", cardId=made["id"], title="Changed", assignedAgentId="bot")
        assert changed["version"] == made["version"] + 1
        again = await talk.ok("update_card", cardId=made["id"], title="Changed", assignedAgentId="bot")
        assert again["version"] == changed["version"]
        result = await talk.raw("move_card", cardId=made["id"], toColumnId=board.columns["In Progress"])
        assert result.structured_content["columnId"] == board.columns["In Progress"]
        assert size(result) < 800
        await talk.ok("update_card", cardId=made["id"], assignedAgentId=None)
    rows = await world.history(made["id"])
    assert [row["action"] for row in rows] == ["created", "updated", "moved", "updated"]
    assert {(row["actor"]["type"], row["actor"]["id"]) for row in rows} == {("Agent", "bot")}
    card = (await world.sa.get(f"/cards/{made['id']}")).ok()
    assert (card["title"], card["assignedAgentId"]) == ("Changed", None)


async def test_a_refused_move_lists_everything_in_its_way(world: World) -> None:
    board = await world.board()
    await world.column(board, "In Progress", requiredFieldIds=[board.field("description")], wipLimit=1)
    await world.card(board, "In Progress")
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        to = {"cardId": card["id"], "toColumnId": board.columns["In Progress"]}
        details = await talk.refused("move_card", "required_fields_missing", **to)
        assert [blocker["code"] for blocker in details["blockers"]] == ["required_fields_missing", "wip_limit_reached"]
    assert len(await world.history(card["id"])) == 1


async def test_column_gates_and_field_rules_hold_for_tools(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    closed, half = await world.card(board, "Backlog"), await world.card(board)
    async with talking(agent) as talk:
        for name, arguments in [
            ("update_card", {"title": "No"}),
            ("move_card", {"toColumnId": board.columns["Todo"]}),
            ("comment", {"content": "No"}),
        ]:
            await talk.refused(name, "agent_pickup_disabled", cardId=closed["id"], **arguments)
        await world.column(board, "Todo", agentCanModerate=False)
        await talk.refused("update_card", "agent_cannot_moderate", cardId=half["id"], title="No")
        await talk.ok("comment", cardId=half["id"], content="Yes")
        await talk.refused("update_card", "validation_failed", cardId=half["id"], title="")


async def test_where_approval_is_required_the_agent_asks_and_learns_the_decision(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await world.card(board, "Review")
    to = {"cardId": card["id"], "toColumnId": board.columns["Done"]}
    async with talking(agent) as talk:
        await talk.refused("move_card", "approval_required", **to)
        asked = await talk.ok("request_move", note="It is done", **to)
        assert asked["state"] == "open"
        await talk.refused("request_move", "request_exists", **to)
        (await world.sa.post(f"/move-requests/{asked['id']}/reject", {"note": "Not yet"})).ok()
        shown = await talk.ok("get_card", cardId=card["id"])
        assert shown["moveRequest"]["state"] == "rejected"
        assert shown["moveRequest"]["decisionNote"]["data"] == "Not yet"


async def test_claims_are_taken_renewed_shown_and_given_back(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    other = await world.agent("other")
    card = await world.card(board, title="Claim me", priority="urgent")
    async with talking(agent) as talk, talking(other) as rival:
        taken = await talk.ok("claim_next", projectId=board.id, leaseSeconds=60)
        assert (taken["cardId"], taken["title"]["data"]) == (card["id"], "Claim me")
        assert (await talk.ok("claim_next"))["note"]
        details = await rival.refused("claim", "already_claimed", cardId=card["id"])
        assert details["claim"]["agentId"] == "bot"
        await rival.refused("update_card", "already_claimed", cardId=card["id"], title="Mine")
        shown = await rival.ok("get_card", cardId=card["id"])
        assert shown["claim"] == {"agentId": "bot", "expiresAt": taken["expiresAt"]}
        renewed = await talk.ok("renew", cardId=card["id"], leaseSeconds=3600)
        assert renewed["expiresAt"] > taken["expiresAt"]
        await talk.refused("update_card", "already_claimed", cardId=card["id"], title="Old", claimToken="stale")
        await talk.ok("comment", cardId=card["id"], content="Done", claimToken=renewed["token"])
        for _ in range(2):
            assert await talk.ok("release", cardId=card["id"]) == {"cardId": card["id"], "released": True}
        assert (await rival.ok("claim", cardId=card["id"]))["cardId"] == card["id"]


async def test_fifty_callers_never_claim_one_card_twice(world: World) -> None:
    board = await world.board()
    for _ in range(20):
        await world.card(board)
    agents = [await world.agent(f"bot-{number}") for number in range(10)]

    async def claim(number: int) -> Any:
        async with talking(agents[number % 10]) as talk:
            return (await talk.ok("claim_next")).get("cardId")

    taken = await asyncio.gather(*(claim(number) for number in range(50)))
    cards = [card_id for card_id in taken if card_id]
    assert len(cards) == len(set(cards)) == 20


async def test_cards_of_another_organization_are_not_there_for_any_tool(world: World) -> None:
    foreign = await world.board(world.outsider)
    card = await world.card(foreign, by=world.outsider)
    before = (await world.outsider.get(f"/cards/{card['id']}")).ok()
    async with talking(await world.agent()) as talk:
        for name, arguments in [
            ("update_card", {"title": "No"}),
            ("move_card", {"toColumnId": foreign.columns["In Progress"]}),
            ("comment", {"content": "No"}),
            ("reply", {"content": "No", "commentId": "cmt_1"}),
            ("claim", {}),
            ("renew", {}),
            ("release", {}),
            ("request_move", {"toColumnId": foreign.columns["In Progress"]}),
            ("attach_file", {"fieldId": foreign.field("attachments"), "name": "a", "text": "b"}),
        ]:
            await talk.refused(name, "not_found", cardId=card["id"], **arguments)
        place = {"projectId": foreign.id, "cardTypeId": foreign.card_type["id"]}
        await talk.refused("create_card", "validation_failed", title="No", **place)
    assert (await world.outsider.get(f"/cards/{card['id']}")).ok() == before
    assert len((await world.outsider.get(f"/cards/{card['id']}/history")).ok()) == 1


async def test_a_freeze_holds_the_tools_that_write_and_lets_others_look(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    async with talking(await world.agent()) as talk:
        (await world.sa.post(world.sa.org("/freeze"), {"reason": "Release day"})).ok()
        for name, arguments in [
            ("update_card", {"title": "No"}),
            ("comment", {"content": "No"}),
            ("claim", {}),
            ("attach_file", {"fieldId": board.field("attachments"), "name": "a", "text": "b"}),
        ]:
            await talk.refused(name, "frozen", cardId=card["id"], **arguments)
        await talk.refused("claim_next", "frozen")
        assert (await talk.ok("get_card", cardId=card["id"]))["version"] == 1


async def test_the_longest_refusal_stays_within_the_bounds_of_an_answer(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "In Progress", rejectsBlocked=True)
    card = await world.card(board)
    for _ in range(200):
        other = await world.card(board, "Backlog")
        relation = {"fromCardId": other["id"], "toCardId": card["id"], "kind": "blocks"}
        (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    move = {"cardId": card["id"], "toColumnId": board.columns["In Progress"]}
    odd = {"x" * 500 + str(number): 1 for number in range(1500)}
    async with talking(agent) as talk:
        for result in (await talk.raw("move_card", **move), await talk.raw("whoami", **odd)):
            assert size(result) <= DEFAULT
        refusal = json.loads((await talk.raw("move_card", **move)).content[0].text)
    assert refusal["code"] == "card_blocked"
    assert 20 < len(refusal["details"]["blockedBy"]) < 200
    assert str(len(refusal["details"]["blockedBy"])) in refusal["leftOut"][0]
