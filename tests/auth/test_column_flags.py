"""The column policy: what agents may do in the column of a card; it never restricts people."""

from typing import Any

import pytest

from service.pipeline.routing import ROUTES

from .. import walk
from ..policies import POLICIES
from ..world import Answer, Board, Client, World

ROUTES_BY_NAME = {walk.name(route): route for route in ROUTES}
PICKUP, MODERATE = "agentPickupEnabled", "agentCanModerate"


async def rules(world: World, board: Board, column: str, pickup: bool, moderate: bool) -> None:
    path = world.sa.org(f"/columns/{board.columns[column]}")
    (await world.sa.patch(path, {PICKUP: pickup, MODERATE: moderate})).ok()


async def writes(who: Client, board: Board, card: dict[str, Any], comment_id: str) -> dict[str, Answer]:
    """Try every write that an agent has on a card, moves last."""
    path = f"/cards/{card['id']}"
    return {
        "comment": await who.post(f"{path}/comments/mcp", {"content": "Done"}),
        "reply": await who.post(f"{path}/comments/{comment_id}/replies/mcp", {"content": "Done"}),
        "edit": await who.patch(f"{path}/mcp", {"title": "New"}),
        "claim": await who.post(f"{path}/claim/mcp"),
        "move": await who.patch(f"{path}/mcp/status", {"toColumnId": board.columns["In Progress"]}),
    }


async def scene(world: World) -> tuple[Board, dict[str, Any], str, Client]:
    board = await world.board()
    card = await world.card(board)
    comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Please"})).ok()
    return board, card, comment["id"], await world.agent()


async def test_where_both_flags_are_on_an_agent_writes(world: World) -> None:
    board, card, comment_id, agent = await scene(world)
    for answer in (await writes(agent, board, card, comment_id)).values():
        answer.ok()
    made = [(row["action"], row["actor"]) for row in (await world.history(card["id"]))[2:]]
    actor = {"type": "Agent", "id": "bot", "label": None}
    assert made == [(action, actor) for action in ("commented", "replied", "updated", "claimed", "moved")]


@pytest.mark.parametrize("moderate", [True, False])
async def test_without_pickup_every_write_of_an_agent_is_refused(world: World, moderate: bool) -> None:
    board, card, comment_id, agent = await scene(world)
    await rules(world, board, "Todo", pickup=False, moderate=moderate)
    history = await world.history(card["id"])
    for answer in (await writes(agent, board, card, comment_id)).values():
        answer.refused(403, "agent_pickup_disabled")
    assert await world.history(card["id"]) == history
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_without_moderation_an_agent_only_comments(world: World) -> None:
    board, card, comment_id, agent = await scene(world)
    await rules(world, board, "Todo", pickup=True, moderate=False)
    answers = await writes(agent, board, card, comment_id)
    for word in ("comment", "reply"):
        answers[word].ok()
    for word in ("edit", "claim"):
        answers[word].refused(403, "agent_cannot_moderate")
    answers["move"].refused(403, "approval_required")  # a person may move it, and the agent may ask for that
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["title"] == "Card"


async def test_every_route_that_writes_to_a_card_asks_the_column_what_it_is_to_ask(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    policies = {name: policy for policy, names in POLICIES.items() if "column:" in policy for name in names}
    assert len(policies) >= 8
    path = world.sa.org(f"/columns/{ids['column_id']}")
    for flag, word in ((PICKUP, "pickup_enabled"), (MODERATE, "can_moderate")):
        (await world.sa.patch(path, {PICKUP: True, MODERATE: True, flag: False})).ok()
        for name, policy in policies.items():
            answer = await walk.call(agent, ROUTES_BY_NAME[name], ids)
            refused = answer.status == 403 and answer.body["error"]["code"].startswith("agent_")
            assert refused == (word in policy), (name, flag, answer.body)


@pytest.mark.parametrize(
    ("pickup", "moderate", "code"),
    [
        (False, False, "agent_pickup_disabled"),
        (False, True, "agent_pickup_disabled"),
        (True, False, "agent_cannot_moderate"),
    ],
)
async def test_an_agent_makes_a_card_only_where_both_flags_are_on(
    world: World, pickup: bool, moderate: bool, code: str
) -> None:
    board, agent = await world.board(), await world.agent()
    body = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"], "title": "A"}
    (await agent.post(agent.org("/cards/mcp"), body)).ok()
    await rules(world, board, "Todo", pickup, moderate)
    (await agent.post(agent.org("/cards/mcp"), body)).refused(403, code)
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 1


async def test_reading_is_open_whatever_the_column_says(world: World) -> None:
    board, card, _, agent = await scene(world)
    await rules(world, board, "Todo", pickup=False, moderate=False)
    assert (await agent.get(f"/cards/{card['id']}/mcp")).ok() == card | {"watching": False}
    assert len((await agent.get(f"/cards/{card['id']}/history/mcp")).ok()) == 2
    assert (await agent.get(f"/cards/{card['id']}/comments/mcp")).ok()["total"] == 1
    assert (await agent.get(agent.org("/cards/mcp"))).ok()["total"] == 1
    (await agent.get(agent.org(f"/board-flow/mcp?projectId={board.id}"))).ok()


async def test_an_agent_hands_a_card_to_a_column_where_it_may_do_nothing(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "In Progress")
    await rules(world, board, "Review", pickup=False, moderate=False)
    path = f"/cards/{card['id']}/mcp/status"
    moved = (await agent.patch(path, {"toColumnId": board.columns["Review"]})).ok()
    assert moved["columnId"] == board.columns["Review"]
    (await agent.patch(path, {"toColumnId": board.columns["In Progress"]})).refused(403, "agent_pickup_disabled")


async def test_the_gate_comes_before_what_stands_in_the_way_of_a_move(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board, "Review")
    for column in ("Backlog", "Review"):  # has no transition, is where it stands
        move = {"toColumnId": board.columns[column]}
        (await agent.patch(f"/cards/{card['id']}/mcp/status", move)).refused(403, "agent_cannot_moderate")
    await rules(world, board, "Review", pickup=False, moderate=False)
    for column in ("Done", "In Progress"):
        move = {"toColumnId": board.columns[column]}
        (await agent.patch(f"/cards/{card['id']}/mcp/status", move)).refused(403, "agent_pickup_disabled")


@pytest.mark.parametrize("column", ["Done", "In Progress"])
async def test_where_all_that_is_missing_is_that_a_person_moves_it_an_agent_that_may_ask_hears_that(
    world: World, column: str
) -> None:
    board, agent = await world.board(), await world.agent()
    card, move = await world.card(board, "Review"), {"toColumnId": board.columns[column]}
    answer = await agent.patch(f"/cards/{card['id']}/mcp/status", move)
    codes = [blocker["code"] for blocker in answer.refused(403, "approval_required")["blockers"]]
    assert codes == ["approval_required", "agent_cannot_moderate"]
    assert "move request" in answer.body["error"]["message"]
    moves = (await agent.get(f"/cards/{card['id']}/moves/mcp")).ok()
    (edge,) = [edge for edge in moves if edge["toColumnId"] == board.columns[column]]
    assert [blocker["code"] for blocker in edge["blockers"]] == codes
    request = (await agent.post(f"/cards/{card['id']}/move-requests/mcp", move)).ok()
    (await world.member.post(f"/move-requests/{request['id']}/approve", {})).ok()
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["columnId"] == board.columns[column]


async def test_people_work_in_columns_that_are_closed_to_agents(world: World) -> None:
    board, card, comment_id, _ = await scene(world)
    await rules(world, board, "Todo", pickup=False, moderate=False)
    path = f"/cards/{card['id']}"
    for who in (world.member, world.sa):
        (await who.post(f"{path}/comments", {"content": "Mine"})).ok()
        (await who.post(f"{path}/comments/{comment_id}/replies", {"content": "Mine"})).ok()
        (await who.patch(path, {"title": f"By {who.id}"})).ok()
    (await world.member.patch(f"{path}/status", {"toColumnId": board.columns["In Progress"]})).ok()


@pytest.mark.parametrize(("pickup", "moderate"), [(True, True), (True, False), (False, True), (False, False)])
async def test_where_a_type_takes_no_comments_everybody_hears_that_first(
    world: World, pickup: bool, moderate: bool
) -> None:
    board, card, comment_id, agent = await scene(world)
    (await world.sa.patch(world.sa.org(f"/card-types/{board.card_type['id']}"), {"commentsEnabled": False})).ok()
    await rules(world, board, "Todo", pickup, moderate)
    answers = await writes(agent, board, card, comment_id)
    for word in ("comment", "reply"):
        answers[word].refused(400, "comments_disabled")
    for who in (world.sa, world.member):
        (await who.post(f"/cards/{card['id']}/comments", {"content": "No"})).refused(400, "comments_disabled")
        path = f"/cards/{card['id']}/comments/{comment_id}/replies"
        (await who.post(path, {"content": "No"})).refused(400, "comments_disabled")
    assert (await world.sa.get(f"/cards/{card['id']}/comments")).ok()["items"][0]["replies"] == []
