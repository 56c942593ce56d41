"""Cards that are made: with everything they can say, and what is refused."""

from typing import Any

import pytest

from ..builders import permit
from ..world import Board, Client, World

KEYS = {
    "id",
    "orgId",
    "projectId",
    "columnId",
    "cardTypeId",
    "title",
    "assignedAgentId",
    "assignedUserId",
    "priority",
    "dueDate",
    "fieldValues",
    "version",
    "createdBy",
    "createdAt",
    "updatedAt",
    "archivedAt",
}


def _body(board: Board, **wishes: Any) -> dict[str, Any]:
    return {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "T", **wishes}


async def _callers(world: World) -> list[tuple[Client, str]]:
    """Return a person and an agent, each with the path that makes cards for them."""
    return [(world.member, world.member.org("/cards")), (await world.agent(), world.sa.org("/cards/mcp"))]


async def test_a_card_is_made_with_everything_it_can_say(world: World) -> None:
    board = await world.board()
    for caller, path in await _callers(world):
        body = _body(
            board,
            columnId=board.columns["In Progress"],
            assignedAgentId="bot",
            assignedUserId=world.member.id,
            priority="urgent",
            dueDate="2026-12-01T10:00:00+02:00",
            fieldValues=[{"fieldId": board.field("tags"), "value": ["a"]}],
        )
        card = (await caller.post(path, body)).ok()
        expected = {**body, "dueDate": "2026-12-01T08:00:00.000Z", "version": 1, "archivedAt": None}
        assert set(card) >= KEYS
        assert {key: card[key] for key in expected} == expected
        assert card["orgId"] == world.sa.org_id
        assert card["id"].startswith("card_")
        assert card["createdAt"] == card["updatedAt"]
        assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card | {"watching": caller is world.sa}


async def test_the_maker_of_a_card_stands_in_the_card_and_in_its_history(world: World) -> None:
    board = await world.board()
    for caller, path in await _callers(world):
        card = (await caller.post(path, _body(board, columnId=board.columns["Todo"]))).ok()
        is_person = caller is world.member
        maker = {
            "type": "User" if is_person else "Agent",
            "id": caller.id,
            "label": "Mo Member" if is_person else None,
        }
        (row,) = await world.history(card["id"])
        assert card["createdBy"] == row["actor"] == maker
        assert row["changes"]["columnId"] == {"from": None, "to": board.columns["Todo"]}


async def test_new_cards_line_up_at_the_end_of_their_column(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board) for _ in range(3)]
    assert [await world.above(card) for card in cards] == [None, cards[0]["id"], cards[1]["id"]]
    assert await world.above(await world.card(board, "Review")) is None


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"title": None}, "title"),
        ({"title": ""}, "title"),
        ({"title": "  "}, "title"),
        ({"title": 7}, "title"),
        ({"title": "x" * 501}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"projectId": None}, "projectId"),
        ({"projectId": "proj_x"}, "projectId"),
        ({"projectId": 1}, "projectId"),
        ({"columnId": "col_x"}, "columnId"),
        ({"columnId": 1}, "columnId"),
        ({"cardTypeId": "ctype_x"}, "cardTypeId"),
        ({"cardTypeId": None}, "cardTypeId"),
        ({"assignedAgentId": "nobody"}, "assignedAgentId"),
        ({"assignedAgentId": ""}, "assignedAgentId"),
        ({"assignedAgentId": 1}, "assignedAgentId"),
        ({"assignedUserId": "usr_x"}, "assignedUserId"),
        ({"assignedUserId": True}, "assignedUserId"),
        ({"priority": "High"}, "priority"),
        ({"priority": 1}, "priority"),
        ({"dueDate": "soon"}, "dueDate"),
        ({"dueDate": 1795000000}, "dueDate"),
        ({"dueDate": "2026-13-01"}, "dueDate"),
        ({"fieldValues": {}}, "fieldValues"),
        ({"rank": 0}, "rank"),
        ({"id": "card_x"}, "id"),
    ],
)
async def test_a_wrong_card_is_refused_to_people_and_agents(world: World, wrong: Any, path: str) -> None:
    board = await world.board()
    for caller, route in await _callers(world):
        body = _body(board, columnId=board.columns["Todo"])
        assert (await caller.post(route, {**body, **wrong})).invalid() == [path]
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["total"] == 0


async def test_a_card_needs_a_project_a_type_and_a_title(world: World) -> None:
    for caller, route in await _callers(world):
        assert sorted((await caller.post(route, {})).invalid()) == ["cardTypeId", "projectId", "title"]


async def test_a_title_of_500_characters_fits(world: World) -> None:
    board = await world.board()
    assert (await world.card(board, title="ä" * 500))["title"] == "ä" * 500


async def test_a_card_names_nothing_of_another_organization_or_project(world: World) -> None:
    board, other, foreign = await world.board(), await world.board(title="O"), await world.board(world.outsider)
    await world.agent("stranger", world.outsider)
    own = {"title": "Own", "projectId": other.id}
    other_type = (await world.sa.post(world.sa.org("/card-types"), own)).ok()["id"]
    for wishes, path in (
        ({"projectId": foreign.id}, "projectId"),
        ({"columnId": foreign.columns["Todo"]}, "columnId"),
        ({"columnId": other.columns["Todo"]}, "columnId"),
        ({"cardTypeId": foreign.card_type["id"]}, "cardTypeId"),
        ({"cardTypeId": other_type}, "cardTypeId"),
        ({"assignedAgentId": "stranger"}, "assignedAgentId"),
        ({"assignedUserId": world.outsider.id}, "assignedUserId"),
    ):
        assert (await world.sa.post(world.sa.org("/cards"), _body(board, **wishes))).invalid() == [path]


async def test_a_card_without_a_column_needs_a_project_that_has_one(world: World) -> None:
    board = await world.board()
    blank = (await world.sa.post(world.sa.org("/projects"), {"title": "B", "template": "blank"})).ok()
    answer = await world.sa.post(world.sa.org("/cards"), _body(board, projectId=blank["id"]))
    assert answer.invalid() == ["columnId"]


async def test_an_agent_makes_cards_only_where_both_flags_are_on(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    path = agent.org("/cards/mcp")
    await world.column(board, "In Progress", agentCanModerate=False)
    await world.column(board, "Review", agentPickupEnabled=False, agentCanModerate=True)
    for column, code in (
        ("Backlog", "agent_pickup_disabled"),
        ("Review", "agent_pickup_disabled"),
        ("In Progress", "agent_cannot_moderate"),
    ):
        (await agent.post(path, _body(board, columnId=board.columns[column]))).refused(403, code)
    (await agent.post(path, _body(board, columnId=board.columns["Todo"]))).ok()


async def test_an_agent_that_names_no_column_makes_the_card_in_the_first_where_it_may(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    path = agent.org("/cards/mcp")
    assert (await agent.post(path, _body(board))).ok()["columnId"] == board.columns["Todo"]
    await world.column(board, "Todo", agentCanModerate=False)
    assert (await agent.post(path, _body(board))).ok()["columnId"] == board.columns["In Progress"]
    await world.column(board, "In Progress", agentPickupEnabled=False)
    (await agent.post(path, _body(board))).refused(403, "agent_pickup_disabled")
    blank = (await world.sa.post(world.sa.org("/projects"), {"title": "Blank", "template": "blank"})).ok()
    for who, suffix in ((agent, "/mcp"), (world.sa, "")):
        body = {"projectId": blank["id"], "cardTypeId": board.card_type["id"], "title": "T"}
        assert (await who.post(who.org(f"/cards{suffix}"), body)).invalid() == ["columnId"]


async def test_making_cards_needs_the_permission_and_the_organization(world: World) -> None:
    board, stranger = await world.board(), await world.key(world.outsider)
    path, body = world.sa.org("/cards"), _body(board)
    (await world.outsider.post(path, body)).refused(404, "not_found")
    (await stranger.post(path + "/mcp", body)).refused(403, "cross_organization")
    (await world.sa.post(path + "/mcp", body)).refused(401, "unauthorized")
    (await stranger.post(path, body)).refused(401, "unauthorized")
    await permit(world, "Member", "Card", "read", "update")
    details = (await world.member.post(path, body)).refused(403, "permission_denied")
    assert details == {"resource": "Card", "action": "create"}
    assert (await world.sa.get(path)).ok()["total"] == 0


async def test_the_agent_named_in_the_body_is_the_one_who_makes_the_card(world: World) -> None:
    board = await world.board()
    first = await world.agent("first")
    key = world.client(first.headers, id="second", org_id=first.org_id)
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Second"})).ok()
    await world.register(key, team["id"], "second")
    body = _body(board, columnId=board.columns["Todo"])
    path = first.org("/cards/mcp")
    assert (await key.post(path, {**body, "agentId": "first"})).ok()["createdBy"]["id"] == "first"
    (await key.post(path, {**body, "agentId": "second"})).refused(403, "agent_not_approved")
    (await key.post(path, {**body, "agentId": "third"})).refused(403, "agent_unknown")
    assert (await key.post(path, {**body, "agentId": 5})).invalid() == ["agentId"]
    (await world.sa.patch("/agents/second/approve")).ok()
    assert (await key.post(path, body, headers={"X-Agent-Id": "second"})).ok()["createdBy"]["id"] == "second"
    (await world.sa.patch("/agents/second/stop")).ok()
    (await key.post(path, {**body, "agentId": "second"})).refused(403, "agent_stopped")


async def test_a_full_column_takes_no_new_card(world: World) -> None:
    board = await world.board()
    await world.column(board, "Todo", wipLimit=1)
    for caller, path in await _callers(world):
        body = _body(board, columnId=board.columns["Todo"])
        if caller is world.member:
            (await caller.post(path, body)).ok()
        (await caller.post(path, body)).refused(400, "wip_limit_reached")


async def test_priority_null_is_none(world: World) -> None:
    board = await world.board()
    for caller, path in await _callers(world):
        body = _body(board, priority=None)
        assert (await caller.post(path, body)).ok()["priority"] == "none"
        assert (await caller.post(path, {"items": [body]})).ok()["items"][0]["priority"] == "none"
    card = await world.card(board, priority="high")
    split = (await world.sa.post(f"/cards/{card['id']}/split", {"parts": [{"title": "P", "priority": None}]})).ok()
    assert split["items"][0]["priority"] == "none"
    assert (await world.sa.patch(f"/cards/{card['id']}", {"priority": None})).ok()["priority"] == "none"
