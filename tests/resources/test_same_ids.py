"""A person and an agent with the same id: each has its own news, positions and changes."""

from typing import Any

import pytest

from ..direct_db import execute
from ..world import Board, Client, World
from .test_batch import change, refused
from .test_catch_up import catch_up, seen


@pytest.fixture
async def board(world: World) -> Board:
    return await world.board()


@pytest.fixture
async def twin(world: World, board: Board) -> Client:
    """Provide an agent that has the id of the member, as earlier versions let it register."""
    for column in board.columns:
        await world.column(board, column, agentPickupEnabled=True, agentCanModerate=True)
    agent = await world.agent("twin")
    await execute(world, "UPDATE agents SET id = :id WHERE id = 'twin'", id=world.member.id)
    await execute(world, "UPDATE seen SET reader_id = :id WHERE reader_id = 'twin'", id=world.member.id)
    return world.client(agent.headers, id=world.member.id, org_id=agent.org_id)


async def inbox(agent: Client) -> list[str]:
    answer = (await agent.get(agent.org("/inbox/mcp"))).ok()
    return [item["title"] for item in answer["items"]]


async def unread(who: Client, board: Board) -> dict[str, int | None]:
    found = (await who.get(who.org("/board"), params={"projectId": board.id})).ok()["cards"]
    return {card["title"]: card.get("unread") for card in found}


async def undo_move(world: World, board: Board, mover: Client) -> Any:
    """Let the member undo a move of a new card to Done, from where there is no way back."""
    card = await world.card(board, "Review")
    path = f"/cards/{card['id']}/status" if mover is world.member else f"/cards/{card['id']}/mcp/status"
    moved = (await mover.patch(path, {"toColumnId": board.columns["Done"]})).ok()
    (result,) = await change(world.member, {"cardId": card["id"], "undo": {"at": moved["updatedAt"]}})
    return result


async def test_the_agents_work_is_news_to_the_person(world: World, board: Board, twin: Client) -> None:
    await world.card(board, title="Work", by=twin)
    assert [item["title"] for item in (await catch_up(world.member))["items"]] == ["Work"]
    assert await unread(world.member, board) == {"Work": 1}


async def test_the_persons_work_is_news_to_the_agent(world: World, board: Board, twin: Client) -> None:
    await world.card(board, title="Yours", by=world.member, assignedAgentId=twin.id)
    assert await inbox(twin) == ["Yours"]


async def test_reading_the_inbox_moves_no_position_of_the_person(world: World, board: Board, twin: Client) -> None:
    await world.card(board, title="Both", assignedAgentId=twin.id)
    assert await inbox(twin) == ["Both"]
    assert (await catch_up(world.member))["total"] == 1
    assert await unread(world.member, board) == {"Both": 1}


async def test_what_the_person_has_seen_stays_in_the_inbox(world: World, board: Board, twin: Client) -> None:
    await world.card(board, title="Both", assignedAgentId=twin.id)
    (await seen(world.member, (await catch_up(world.member))["at"])).ok()
    assert (await catch_up(world.member))["total"] == 0
    assert await inbox(twin) == ["Both"]


async def test_a_position_of_the_agent_on_a_card_hides_nothing_from_the_person(
    world: World, board: Board, twin: Client
) -> None:
    card = await world.card(board, title="Card")
    insert = "INSERT INTO seen (org_id, reader_type, reader_id, card_id, event_id)"
    values = {"org_id": twin.org_id, "id": twin.id, "card_id": card["id"]}
    await execute(world, f"{insert} VALUES (:org_id, 'Agent', :id, :card_id, 1000000)", **values)
    assert (await catch_up(world.member))["total"] == 1
    assert await unread(world.member, board) == {"Card": 1}


async def test_an_imported_claim_of_the_person_makes_a_card_no_concern_of_the_agent(
    world: World, board: Board, twin: Client
) -> None:
    card = await world.card(board)
    insert = "INSERT INTO history (id, org_id, card_id, actor_type, actor_id, action, changes, created_at)"
    values = {"org_id": twin.org_id, "id": twin.id, "card_id": card["id"], "at": "2026-01-01T00:00:00.000Z"}
    await execute(world, f"{insert} VALUES ('his_1', :org_id, :card_id, 'User', :id, 'claimed', '{{}}', :at)", **values)
    assert await inbox(twin) == []


async def test_the_person_undoes_no_move_of_the_agent_as_an_own_one(world: World, board: Board, twin: Client) -> None:
    path = world.sa.org(f"/transitions/{board.transitions['Review', 'Done']}")
    (await world.sa.patch(path, {"requiresApproval": False})).ok()
    assert (await undo_move(world, board, world.member))["card"]["columnId"] == board.columns["Review"]
    refused(await undo_move(world, board, twin), 400, "transition_not_allowed")


async def test_undo_of_the_agent_keeps_what_the_person_changed(world: World, board: Board, twin: Client) -> None:
    card = await world.card(board, title="Before")
    (await world.member.patch(f"/cards/{card['id']}", {"title": "Mine"})).ok()
    (await twin.patch(f"/cards/{card['id']}/mcp", {"priority": "high"})).ok()
    wishes = {"agentId": twin.id, "from": "2026-01-01T00:00:00.000Z"}
    (await world.sa.post(world.sa.org("/undo"), wishes)).ok()
    after = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert (after["title"], after["priority"]) == ("Mine", "none")
