"""The inbox of an agent: what others did that concerns it, one item a card, from where it last looked."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from .. import refusals
from ..streams import position
from ..world import Board, Client, World
from .test_claims import take


async def inbox(agent: Client, **query: Any) -> Any:
    return (await agent.get(agent.org("/inbox/mcp"), params=query)).ok()


async def titles(agent: Client, **query: Any) -> list[str]:
    return [item["title"] for item in (await inbox(agent, **query))["items"]]


async def say(who: Client, card: Any, content: str = "Look") -> Any:
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    return (await who.post(f"/cards/{card['id']}/comments{suffix}", {"content": content})).ok()


async def scene(world: World) -> tuple[Board, Client]:
    return await world.board(), await world.agent()


async def test_what_others_did_on_a_card_is_one_item(world: World) -> None:
    board, agent = await scene(world)
    card = await world.card(board, title="Mine", assignedAgentId="bot")
    assert await titles(agent) == ["Mine"]
    (await world.member.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()
    await say(world.member, card)
    (await world.sa.patch(f"/cards/{card['id']}", {"priority": "high"})).ok()
    await say(agent, card, "My own word")
    (item,) = (await inbox(agent))["items"]
    history = await world.history(card["id"])
    assert item == {
        "cardId": card["id"],
        "cardKey": card["key"],
        "title": "Mine",
        "projectId": board.id,
        "columnId": board.columns["In Progress"],
        "column": "In Progress",
        "fromColumn": "Todo",
        "what": {"moved": 1, "commented": 1, "updated": 1},
        "by": [
            {"type": "User", "id": world.member.id, "label": "Mo Member"},
            {"type": "User", "id": world.sa.id, "label": "Ada Architect"},
        ],
        "lastAt": history[-2]["createdAt"],
    }
    assert await inbox(agent) == {"items": [], "next": await position(world.sa), "hasMore": False}


async def test_decisions_and_answers_come_with_their_words(world: World) -> None:
    board, agent = await scene(world)
    card, other = await world.card(board, "Review"), await world.card(board, "Review")
    move = {"toColumnId": board.columns["Done"]}
    request = (await agent.post(f"/cards/{card['id']}/move-requests/mcp", move)).ok()
    path = f"/cards/{other['id']}/comments"
    question = (await agent.post(f"{path}/mcp", {"content": "Which?", "asks": True})).ok()
    await inbox(agent)
    back = {"note": "Tests are missing", "toColumnId": board.columns["In Progress"]}
    (await world.member.post(f"/move-requests/{request['id']}/reject", back)).ok()
    (await world.member.post(f"{path}/{question['id']}/replies", {"content": "Blue"})).ok()
    decided, answered = (await inbox(agent))["items"]
    by = {"type": "User", "id": world.member.id, "label": "Mo Member"}
    step = "Take the card with claim, do what the note says (ask if it is unclear), then request_move again."
    assert decided["decision"] == {"state": "rejected", "note": "Tests are missing", "decidedBy": by, "next": step}
    assert (decided["fromColumn"], decided["column"]) == ("Review", "In Progress")
    assert "answer" not in decided
    step = "You cannot change the card in Review: comment there, or take another one with claim_next."
    assert answered["answer"] == {"content": "Blue", "answeredBy": by, "next": step}
    assert answered["what"] == {"commented": 1}


Concern = Callable[[World, Client, Any], Awaitable[Any]]


async def assign_card(world: World, agent: Client, card: Any) -> None:
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedAgentId": "bot"})).ok()


async def claim_card(world: World, agent: Client, card: Any) -> None:
    (await take(agent, card)).ok()


async def claimed_last(world: World, agent: Client, card: Any) -> None:
    (await take(agent, card)).ok()
    (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()


async def comment_as_agent(world: World, agent: Client, card: Any) -> None:
    await say(agent, card)


async def request_card_move(world: World, agent: Client, card: Any) -> None:
    column_id = next(one["id"] for one in (await world.sa.get(world.sa.org("/columns"))).ok() if one["title"] == "Done")
    body = {"toColumnId": column_id}
    (await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()


async def mention_agent(world: World, agent: Client, card: Any) -> None:
    await say(world.sa, card, "Please have a look, @bot.")


@pytest.mark.parametrize("concern", [assign_card, claim_card, claimed_last, comment_as_agent, mention_agent])
async def test_only_cards_that_concern_the_agent_are_told(world: World, concern: Concern) -> None:
    board, agent = await scene(world)
    card, foreign = await world.card(board, title="Mine"), await world.card(board, title="Foreign")
    await world.agent("bot2")
    assert await titles(agent) == []
    await concern(world, agent, card)
    await say(world.sa, card)
    await say(world.sa, foreign, "For @bot2 and mail@bot.test and @botany")
    assert await titles(agent) == ["Mine"]


@pytest.mark.parametrize(
    "concern", [assign_card, claim_card, claimed_last, comment_as_agent, request_card_move, mention_agent]
)
async def test_the_inbox_begins_when_the_card_first_concerned_the_agent(world: World, concern: Concern) -> None:
    board, agent = await scene(world)
    card = await world.card(board, "Review" if concern is request_card_move else "Todo")
    await say(world.sa, card, "Before")
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "Earlier"})).ok()
    world.clock.forward(60)
    await concern(world, agent, card)
    world.clock.forward(60)
    await say(world.sa, card, "After")
    (item,) = (await inbox(agent))["items"]
    before = {assign_card: {"commented": 1, "updated": 1}, mention_agent: {"commented": 2}}
    assert item["what"] == before.get(concern, {"commented": 1})


async def test_a_card_that_is_assigned_at_its_creation_counts_from_then(world: World) -> None:
    board, agent = await scene(world)
    card = await world.card(board, assignedAgentId="bot")
    world.clock.forward(60)
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedAgentId": None})).ok()
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedAgentId": "bot"})).ok()
    (item,) = (await inbox(agent))["items"]
    assert item["what"] == {"created": 1, "updated": 2}


async def test_a_card_that_another_agent_has_claimed_leaves_the_inbox(world: World) -> None:
    board, agent = await scene(world)
    card, other = await world.card(board), await world.agent("other")
    await claimed_last(world, agent, card)
    (await take(other, card)).ok()
    await say(world.sa, card)
    assert await titles(agent) == []
    assert await titles(other) == ["Card"]


async def test_the_remembered_place_moves_only_over_what_was_shown(world: World) -> None:
    board, agent = await scene(world)
    for number in range(5):
        await world.card(board, title=f"Card {number}", assignedAgentId="bot")
    first = await inbox(agent, limit=2)
    assert ([item["title"] for item in first["items"]], first["hasMore"]) == (["Card 0", "Card 1"], True)
    assert await titles(agent, since=first["next"]) == ["Card 2", "Card 3", "Card 4"]  # which moves nothing
    assert await titles(agent, limit=2) == ["Card 2", "Card 3"]
    last = await inbox(agent, limit=2)
    assert ([item["title"] for item in last["items"]], last["hasMore"]) == (["Card 4"], False)
    assert await titles(agent) == []


async def test_an_answer_ends_where_there_is_no_room_but_not_before_the_first_card(world: World) -> None:
    board, agent = await scene(world)
    for number in range(5):
        await world.card(board, title=f"Card {number} {'x' * 400}", assignedAgentId="bot")
    shown = []
    for tokens in (500, 500, 100_000):
        found = await inbox(agent, maxTokens=tokens)
        shown.append([item["title"][:6] for item in found["items"]])
    assert shown == [["Card 0", "Card 1", "Card 2"], ["Card 3", "Card 4"], []]
    card = await world.card(board, title="Long", assignedAgentId="bot")
    asked = (await agent.post(f"/cards/{card['id']}/comments/mcp", {"content": "Which?", "asks": True})).ok()
    (await world.sa.post(f"/cards/{card['id']}/comments/{asked['id']}/replies", {"content": "x" * 9000})).ok()
    assert await titles(agent, maxTokens=500) == ["Long"]
    assert (await agent.get(agent.org("/inbox/mcp"), params={"maxTokens": "499"})).invalid() == ["maxTokens"]


async def test_the_first_look_begins_at_registration(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Before")
    (await world.sa.post("/settings/api-keys", {"name": "other"})).ok()
    card = await world.card(board, title="Long ago")
    await say(world.sa, card, "Soon there is @late")
    agent = await world.agent("late")
    await world.card(board, title="After", assignedAgentId="late")
    assert await titles(agent) == ["After"]


async def test_since_is_an_event_a_moment_or_an_age(world: World) -> None:
    board, agent = await scene(world)
    await world.card(board, title="Old", assignedAgentId="bot")
    world.clock.forward(7200)
    moment, place = world.clock(), await position(world.sa)
    await world.card(board, title="New", assignedAgentId="bot")
    for since in (place, moment, "1h", "3599s"):
        assert await titles(agent, since=since) == ["New"], since
    for since in ("0", "1d", "2000-01-01T00:00:00Z"):
        assert await titles(agent, since=since) == ["Old", "New"], since
    for since in ("yesterday", "-1", "1w", "9" * 30):
        assert (await agent.get(agent.org("/inbox/mcp"), params={"since": since})).invalid() == ["since"]


async def test_the_inbox_leaves_out_deleted_and_archived_cards(world: World) -> None:
    board, agent = await scene(world)
    card = await world.card(board, assignedAgentId="bot")
    gone = await world.board(title="Gone")
    await world.card(gone, assignedAgentId="bot")
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{gone.id}"))).ok()
    assert await titles(agent) == []


async def test_the_inbox_summarizes_many_events_per_card(world: World) -> None:
    board, agent = await scene(world)
    cards = [await world.card(board, assignedAgentId="bot") for _ in range(3)]
    for number in range(60):
        await say(world.sa, cards[number % 3], f"Word {number}")
    items = (await inbox(agent))["items"]
    assert [item["what"] for item in items] == [{"created": 1, "commented": 20}] * 3


async def test_the_inbox_is_for_agents_of_the_organization(world: World) -> None:
    path = world.sa.org("/inbox/mcp")
    await refusals.agents_only(world, "GET", path)
    (await (await world.script(world.outsider)).get(path)).refused(403, "cross_organization")
    (await (await world.agent("new", approve=False)).get(path)).refused(403, "agent_not_approved")


async def test_a_waiting_request_returns_what_concerns_the_agent_and_nothing_else(world: World) -> None:
    board, agent = await scene(world)
    mine, foreign = await world.card(board, title="Mine", assignedAgentId="bot"), await world.card(board)
    assert await titles(agent) == ["Mine"]
    for has_since in (False, True):
        query = {"since": await position(world.sa)} if has_since else {}
        waiting = asyncio.create_task(titles(agent, wait=50, **query))
        await say(world.sa, foreign)
        await asyncio.sleep(0.5)
        assert not waiting.done()
        await say(world.sa, mine)
        assert await asyncio.wait_for(waiting, 30) == ["Mine"]
    assert await titles(agent) == ["Mine"]  # the request with `since` has not marked it as read
    assert await titles(agent) == []


async def test_a_request_that_waited_in_vain_marks_what_it_has_read(world: World) -> None:
    board, agent = await scene(world)
    waiting = asyncio.create_task(inbox(agent, wait=1))
    await world.card(board)
    last = await position(world.sa)
    assert await waiting == {"items": [], "next": last, "hasMore": False}
    assert (await inbox(agent))["next"] == last


@pytest.mark.parametrize("wait", ["-1", "51", "1.5", "x"])
async def test_the_time_to_wait_is_limited(world: World, wait: str) -> None:
    agent = await world.agent()
    answer = await agent.get(agent.org("/inbox/mcp"), params={"wait": wait})
    assert answer.refused(400, "validation_failed")["fields"][0]["path"] == "wait"
