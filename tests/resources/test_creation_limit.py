"""How many cards an agent may create within an hour, and what people see of an agent that wants more."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from service import config
from service.resources import refusals

from ..running import running
from ..tools.talk import talking
from ..world import Answer, Board, Client, World
from .test_guard import make

LIMIT = 4


@pytest.fixture
async def world(settings: config.Settings) -> AsyncIterator[World]:
    async with running(settings.model_copy(update={"agent_creates_per_hour": LIMIT})) as world:
        yield world


async def list_items(board: Board, agent: Client, count: int) -> Answer:
    item = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "One of many"}
    return await agent.post(agent.org("/cards/mcp"), {"items": [item] * count})


async def split(card: Any, agent: Client, count: int) -> Answer:
    return await agent.post(f"/cards/{card['id']}/split/mcp", {"parts": [{"title": "Part"}] * count})


async def attention(world: World) -> list[dict[str, Any]]:
    assert world.service is not None
    await refusals.store_refusals(world.service)
    found: list[dict[str, Any]] = (await world.sa.get(world.sa.org("/attention"))).ok()
    return [item for item in found if item["kind"] == "agent_creates"]


async def count_cards(world: World) -> int:
    return int((await world.sa.get(world.sa.org("/cards"))).ok()["total"])


async def test_an_agent_waits_after_its_last_card_of_the_hour_and_then_goes_on(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    (await make(world, board, agent)).ok()
    world.clock.forward(600)
    for _ in range(LIMIT - 1):
        (await make(world, board, agent)).ok()
    world.clock.forward(1200)
    for _ in range(2):
        answer = await make(world, board, agent)
        details = answer.refused(409, "too_many_created_cards")
        assert details.keys() == {"limit", "created", "retryAfter"}
        assert (details["limit"], details["created"]) == (LIMIT, LIMIT)
        assert 1780 < details["retryAfter"] <= 1800
        assert answer.headers["Retry-After"] == str(details["retryAfter"])
        assert f"one more in {details['retryAfter']} seconds" in answer.body["error"]["message"]
    assert await count_cards(world) == LIMIT
    world.clock.forward(details["retryAfter"])
    (await make(world, board, agent)).ok()
    (await make(world, board, agent)).refused(409, "too_many_created_cards")
    assert (await agent.get("/agent/mcp")).ok()["agent"]["status"] == "approved"


async def test_each_card_of_a_list_and_each_part_counts(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    card = await world.card(board)
    assert "Create at most 4 at a time" in (await list_items(board, agent, LIMIT + 1)).body["error"]["message"]
    (await list_items(board, agent, 2)).ok()
    assert (await list_items(board, agent, 3)).refused(409, "too_many_created_cards")["created"] == 2
    assert (await split(card, agent, 3)).refused(409, "too_many_created_cards")["created"] == 2
    (await split(card, agent, 2)).ok()
    (await make(world, board, agent)).refused(409, "too_many_created_cards")
    assert await count_cards(world) == LIMIT + 1
    (await make(world, board, other)).ok()
    for _ in range(LIMIT + 1):
        (await make(world, board, world.member)).ok()


async def test_many_cards_wait_until_as_many_have_left_the_hour(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    for _ in range(LIMIT):
        (await make(world, board, agent)).ok()
        world.clock.forward(100)
    seconds = (await list_items(board, agent, 3)).refused(409, "too_many_created_cards")["retryAfter"]
    assert 3380 < seconds <= 3400
    world.clock.forward(seconds)
    (await list_items(board, agent, 3)).ok()


async def test_people_see_one_item_for_an_hour_unless_the_agent_is_stopped(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    (await list_items(board, agent, LIMIT)).ok()
    assert await attention(world) == []
    for _ in range(2):
        (await make(world, board, agent)).refused(409, "too_many_created_cards")
        (item,) = await attention(world)
        world.clock.forward(1800)
    message = "The agent bot wants to create more cards than it may within an hour."
    since = item.pop("since")
    assert item == {
        "kind": "agent_creates",
        "agentId": "bot",
        "agent": {"id": "bot", "title": "bot"},
        "message": message,
    }
    assert since < world.clock()
    (await world.sa.patch("/agents/bot/stop")).ok()
    assert await attention(world) == []
    (await world.sa.patch("/agents/bot/resume")).ok()
    assert len(await attention(world)) == 1
    world.clock.forward(1801)
    assert await attention(world) == []


async def test_a_tool_says_when_the_agent_may_go_on(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    async with talking(agent) as talk:
        (await list_items(board, agent, LIMIT)).ok()
        error = await talk.error("create_card", "too_many_created_cards", project=board.id, title="More")
        assert f"in {error['details']['retryAfter']} seconds; until then" in error["message"]


async def test_the_limit_is_off_with_0_and_100_by_default(settings: config.Settings) -> None:
    assert config.Settings.model_fields["agent_creates_per_hour"].default == 100
    async with running(settings.model_copy(update={"agent_creates_per_hour": 0})) as world:
        board, agent = await world.board(), await world.agent()
        (await list_items(board, agent, 100)).ok()
        (await list_items(board, agent, 100)).ok()
