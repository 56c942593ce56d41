"""The runaway guard: an agent that makes, comments or moves without end is stopped until an SA resumes it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from service import config

from ..direct_db import rows
from ..running import running
from ..snapshots import META, send
from ..world import Answer, Board, Client, World

LIMITS = {"guard_cards_per_hour": 3, "guard_comments_per_hour": 3, "guard_returns": 2}
HOUR = 3600


@pytest.fixture
async def world(settings: config.Settings) -> AsyncIterator[World]:
    async with running(settings.model_copy(update=LIMITS)) as world:
        yield world


async def make(world: World, board: Board, who: Client) -> Answer:
    body = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
    path = who.org("/cards/mcp" if "ApiKey" in who.headers["Authorization"] else "/cards")
    return await who.post(path, {**body, "title": "One more"})


async def say(card: Any, who: Client) -> Answer:
    path = f"/cards/{card['id']}/comments"
    return await who.post(path + "/mcp" * ("ApiKey" in who.headers["Authorization"]), {"content": "And another thing"})


async def shuttle(board: Board, card: Any, who: Client, title: str) -> Answer:
    middle = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    return await who.patch(f"/cards/{card['id']}{middle}/status", {"toColumnId": board.columns[title]})


async def agent_row(world: World, agent_id: str = "bot") -> dict[str, Any]:
    (row,) = await rows(world, "SELECT status, stop_reason FROM agents WHERE id = :id", id=agent_id)
    return row


async def test_an_agent_that_makes_cards_without_end_is_stopped_and_resumed(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for _ in range(3):
        (await make(world, board, agent)).ok()
    refusal = await make(world, board, agent)
    assert "3 cards within an hour" in refusal.refused(429, "circuit_open")["reason"]
    assert refusal.headers["Retry-After"] == "3600"
    (await make(world, board, agent)).refused(403, "agent_stopped")
    assert await agent_row(world) == {"status": "stopped", "stop_reason": "it has made 3 cards within an hour"}
    cards = (await world.sa.get(world.sa.org("/cards"))).ok()
    assert cards["total"] == 3

    (await world.sa.patch("/agents/bot/resume")).ok()
    assert await agent_row(world) == {"status": "approved", "stop_reason": None}
    (await make(world, board, agent)).ok()


async def test_the_hour_passes(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for _ in range(3):
        (await make(world, board, agent)).ok()
    world.clock.forward(HOUR + 1)
    (await make(world, board, agent)).ok()
    assert (await agent_row(world))["status"] == "approved"


async def test_an_agent_that_comments_on_a_card_without_end_is_stopped(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, other = await world.card(board), await world.card(board)
    first = (await say(card, agent)).ok()
    (await agent.post(f"/cards/{card['id']}/comments/{first['id']}/replies/mcp", {"content": "Yes"})).ok()
    (await say(other, agent)).ok()
    (await say(card, agent)).ok()
    reason = (await say(card, agent)).refused(429, "circuit_open")["reason"]
    assert card["id"] in reason
    (await say(other, agent)).refused(403, "agent_stopped")
    comments = (await world.sa.get(f"/cards/{card['id']}/comments")).ok()
    assert comments["total"] == 2  # and one reply


async def test_replies_count_like_comments(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    first = (await say(card, agent)).ok()
    path = f"/cards/{card['id']}/comments/{first['id']}/replies/mcp"
    for _ in range(2):
        (await agent.post(path, {"content": "Yes"})).ok()
    (await agent.post(path, {"content": "Yes"})).refused(429, "circuit_open")


async def test_a_card_that_agents_send_back_and_forth_stops_the_one_that_goes_on(world: World) -> None:
    board, one, two = await world.board(), await world.agent("one"), await world.agent("two")
    card = await world.card(board, by=one)
    for _ in range(2):
        (await shuttle(board, card, one, "In Progress")).ok()
        (await shuttle(board, card, two, "Todo")).ok()
    reason = (await shuttle(board, card, one, "In Progress")).refused(429, "circuit_open")["reason"]
    assert card["id"] in reason
    assert (await agent_row(world, "one"))["status"] == "stopped"
    assert (await agent_row(world, "two"))["status"] == "approved"
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["columnId"] == board.columns["Todo"]
    assert [row["action"] for row in await world.history(card["id"])] == ["created", *["moved"] * 4]


async def test_a_change_by_a_person_resets_the_guard_for_the_card(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, by=agent)
    for _ in range(2):
        (await shuttle(board, card, agent, "In Progress")).ok()
        (await shuttle(board, card, agent, "Todo")).ok()
    (await say(card, world.member)).ok()
    (await shuttle(board, card, agent, "In Progress")).ok()


async def test_a_refused_move_does_not_count_for_the_guard(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, by=agent)
    for _ in range(5):
        (await shuttle(board, card, agent, "Done")).refused(400, "transition_not_allowed")
    (await shuttle(board, card, agent, "In Progress")).ok()


async def test_people_are_never_stopped(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    for _ in range(5):
        (await make(world, board, world.member)).ok()
        (await say(card, world.member)).ok()
        (await shuttle(board, card, world.member, "In Progress")).ok()
        (await shuttle(board, card, world.member, "Todo")).ok()


async def test_a_key_that_is_no_agent_has_to_wait(world: World) -> None:
    board, key = await world.board(), await world.script()
    for _ in range(3):
        (await make(world, board, key)).ok()
    for _ in range(2):
        (await make(world, board, key)).refused(429, "circuit_open")
    world.clock.forward(HOUR + 1)
    (await make(world, board, key)).ok()


async def test_a_stop_ends_the_claims_of_the_agent_in_the_name_of_the_service(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await agent.post(f"/cards/{card['id']}/claim/mcp")).ok()
    for _ in range(3):
        (await make(world, board, agent)).ok()
    (await make(world, board, agent)).refused(429, "circuit_open")
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"] is None
    last = (await world.history(card["id"]))[-1]
    assert (last["action"], last["actor"]["type"]) == ("released", "System")


async def test_what_was_refused_is_not_kept_for_a_retry(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    body = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
    for _ in range(3):
        (await make(world, board, agent)).ok()
    again = {"headers": {"Idempotency-Key": "once"}, "json": {**body, "title": "One more"}}
    (await agent.post(agent.org("/cards/mcp"), **again)).refused(429, "circuit_open")
    (await world.sa.patch("/agents/bot/resume")).ok()
    (await agent.post(agent.org("/cards/mcp"), **again)).ok()


async def test_each_limit_of_the_guard_can_be_disabled(settings: config.Settings) -> None:
    off = dict.fromkeys(LIMITS, 0)
    async with running(settings.model_copy(update=off)) as world:
        board, agent = await world.board(), await world.agent()
        card = await world.card(board, by=agent)
        for _ in range(30):
            (await make(world, board, agent)).ok()
            (await say(card, agent)).ok()
            (await shuttle(board, card, agent, "In Progress")).ok()
            (await shuttle(board, card, agent, "Todo")).ok()


async def test_the_default_limits_of_the_guard(settings: config.Settings) -> None:
    assert {key: getattr(settings, key) for key in LIMITS} == {
        "guard_cards_per_hour": 500,
        "guard_comments_per_hour": 200,
        "guard_returns": 20,
    }


async def bring_in(world: World, card: Any, action: str, actor: dict[str, str], changes: dict[str, Any]) -> None:
    """Import three rows of history that say that somebody did something to a card just now."""
    row = {"cardId": card["id"], "actor": actor, "action": action, "changes": changes, "createdAt": world.clock()}
    groups = {"history": [{**row, "id": f"{action}{number}"} for number in range(3)]}
    organization = {"id": world.sa.org_id, "title": "Home"}
    (await send(world.sa, {"meta": META, "organization": organization, **groups})).ok()


async def test_what_an_import_says_of_an_agent_counts_for_nothing(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, bot = await world.card(board), {"type": "Agent", "id": "bot"}
    place = {"from": board.columns["Todo"], "to": board.columns["In Progress"]}
    for action in ("created", "moved", "commented"):
        await bring_in(world, card, action, bot, {"columnId": place} if action == "moved" else {})
    (await make(world, board, agent)).ok()
    (await say(card, agent)).ok()
    (await shuttle(board, card, agent, "In Progress")).ok()


async def test_imported_changes_by_people_do_not_reset_the_guard(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, by=agent)
    for _ in range(2):
        (await shuttle(board, card, agent, "In Progress")).ok()
        (await shuttle(board, card, agent, "Todo")).ok()
    await bring_in(world, card, "updated", {"type": "User", "id": "somebody"}, {})
    (await shuttle(board, card, agent, "In Progress")).refused(429, "circuit_open")
