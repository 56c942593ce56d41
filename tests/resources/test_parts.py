"""Splitting a card: parts are made all or none, hold their card back, and their progress shows on it."""

import asyncio
from typing import Any

import pytest

from ..builders import permit
from ..streams import changes, position
from ..world import Answer, Board, Client, World


async def split(who: Client, card: Any, *titles: str, **wishes: Any) -> Answer:
    suffix = "/mcp" if "ApiKey" in who.headers["Authorization"] else ""
    body = {"parts": [{"title": title} for title in titles], **wishes}
    return await who.post(f"/cards/{card['id']}/split{suffix}", body)


async def shown(world: World, card: Any) -> Any:
    return (await world.sa.get(f"/cards/{card['id']}")).ok()


async def move(world: World, board: Board, card: Any, title: str) -> None:
    (await world.sa.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns[title]})).ok()


async def actions(world: World, card: Any) -> list[str]:
    return [row["action"] for row in await world.history(card["id"])]


async def test_a_card_is_split_into_parts_that_say_whose_they_are(world: World) -> None:
    board = await world.board(title="Release")
    card = await world.card(board, title="Large")
    assert (card["parent"], card["parts"]) == (None, None)
    made = (await split(world.member, card, "One", "Two")).ok()["items"]
    assert [(part["key"], part["title"], part["columnId"]) for part in made] == [
        ("REL-2", "One", board.columns["Todo"]),
        ("REL-3", "Two", board.columns["Todo"]),
    ]
    for part in made:
        assert part["parent"] == {"id": card["id"], "key": "REL-1", "title": "Large"}
        assert (part["cardTypeId"], part["priority"], part["version"]) == (card["cardTypeId"], "none", 1)
        assert part["createdBy"]["id"] == world.member.id
        assert await actions(world, part) == ["created", "related"]
    after = await shown(world, card)
    assert after["parts"] == {"done": 0, "total": 2}
    assert sorted(after["blockedBy"]) == sorted(part["id"] for part in made)
    assert after["version"] == card["version"]
    assert await actions(world, card) == ["created", "related", "related"]
    relations = (await world.sa.get(world.sa.org("/relationships"), params={"cardId": "REL-1"})).ok()
    assert [(row["kind"], row["fromCardKey"], row["toCardKey"]) for row in relations] == [
        ("partOf", "REL-2", "REL-1"),
        ("partOf", "REL-3", "REL-1"),
    ]


async def test_a_split_is_told_as_new_cards_and_relations(world: World) -> None:
    card = await world.card(await world.board())
    start = await position(world.sa)
    made = (await split(world.sa, card, "One", "Two")).ok()["items"]
    heard = (await changes(world.sa, since=start))["items"]
    one, two = [part["id"] for part in made]
    assert [(event["type"], event["cardId"], event.get("fromCardId")) for event in heard] == [
        ("card.created", one, None),
        ("relationship.created", card["id"], one),
        ("card.created", two, None),
        ("relationship.created", card["id"], two),
    ]


async def test_a_part_takes_type_priority_assignee_and_values(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    bug = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()["id"]
    card = await world.card(board)
    value = {"fieldId": board.field("tags"), "value": ["a"]}
    parts = [
        {"title": "One", "priority": "high", "assignedAgentId": "bot", "fieldValues": [value]},
        {"title": "Two", "cardTypeId": bug},
    ]
    body = {"parts": parts, "columnId": board.columns["In Progress"]}
    one, two = (await agent.post(f"/cards/{card['id']}/split/mcp", body)).ok()["items"]
    assert (one["priority"], one["assignedAgentId"], one["fieldValues"]) == ("high", "bot", [value])
    assert {one["columnId"], two["columnId"]} == {board.columns["In Progress"]}
    assert two["cardTypeId"] == bug


async def test_progress_counts_active_parts_and_frees_the_card_with_the_last(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    parts = (await split(world.sa, card, *"abcde")).ok()["items"]
    await world.edge(board, "Todo", "Done")
    for done, part in enumerate(parts[:3], 1):
        await move(world, board, part, "Done")
        assert (await shown(world, card))["parts"] == {"done": done, "total": 5}
    (await world.sa.delete(f"/cards/{parts[3]['id']}")).ok()
    assert (await shown(world, card))["parts"] == {"done": 3, "total": 4}
    assert (await shown(world, card))["blockedBy"] == [parts[4]["id"]]
    await move(world, board, parts[4], "Done")
    after = await shown(world, card)
    assert (after["parts"], after["blockedBy"]) == ({"done": 4, "total": 4}, [])
    for part in (parts[0], parts[1], parts[2], parts[4]):
        (await world.sa.delete(f"/cards/{part['id']}", params={"mode": "permanent"})).ok()
    assert (await shown(world, card))["parts"] is None


async def test_every_answer_with_one_card_tells_parent_and_parts(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (part,) = (await split(agent, card, "One")).ok()["items"]
    doing = {"toColumnId": board.columns["In Progress"]}
    for who, suffix, status in ((world.sa, "", "/status"), (agent, "/mcp", "/mcp/status")):
        answers = [
            await who.get(f"/cards/{card['id']}{suffix}"),
            await who.patch(f"/cards/{card['id']}{suffix}", {"title": f"By {who.id}"}),
            await who.patch(f"/cards/{card['id']}{status}", doing),
        ]
        for answer in answers:
            assert (answer.ok()["parent"], answer.ok()["parts"]) == (None, {"done": 0, "total": 1})
        await move(world, board, card, "Todo")
    claimed = (await agent.post(f"/cards/{part['id']}/claim/mcp")).ok()
    assert claimed["parent"]["id"] == card["id"]
    found = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()["cards"]
    rows = {row["id"]: row for row in found}
    assert (rows[part["id"]]["parentId"], "parts" in rows[part["id"]]) == (card["id"], False)
    assert (rows[card["id"]]["parts"], "parentId" in rows[card["id"]]) == ({"done": 0, "total": 1}, False)


async def test_parts_come_to_the_cards_column_or_the_first_where_the_caller_may_make_cards(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=False)
    for column, who, home in (
        ("Todo", agent, "Todo"),
        ("In Progress", agent, "In Progress"),
        ("Review", agent, "Todo"),
        ("Review", world.member, "Review"),
        ("Backlog", world.member, "Backlog"),
    ):
        card = await world.card(board, column)
        (part,) = (await split(who, card, "One")).ok()["items"]
        assert part["columnId"] == board.columns[home], (column, who.id)
    card = await world.card(board)
    (await split(agent, card, "One", columnId=board.columns["Backlog"])).refused(403, "agent_pickup_disabled")
    (await split(agent, card, "One", columnId=board.columns["Review"])).refused(403, "agent_cannot_moderate")
    other = await world.board(title="Other")
    assert (await split(world.sa, card, "One", columnId=other.columns["Todo"])).invalid() == ["columnId"]
    for column in ("Todo", "In Progress"):
        await world.column(board, column, agentCanModerate=False)
    (await split(agent, card, "One")).refused(403, "agent_pickup_disabled")


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ([], "parts"),
        ([{"title": "T"}] * 51, "parts"),
        ([{"title": ""}], "parts.0.title"),
        ([{}], "parts.0.title"),
        ([{"title": "T", "columnId": "x"}], "parts.0.columnId"),
        ([{"title": "T"}, {"title": "T", "cardTypeId": "none"}], "parts.1.cardTypeId"),
        ([{"title": "T"}, {"title": "T", "assignedAgentId": "none"}], "parts.1.assignedAgentId"),
        ([{"title": "T", "fieldValues": [{"fieldId": "none", "value": "x"}]}], "parts.0.fieldValues.0.fieldId"),
        ("T", "parts"),
    ],
)
async def test_one_wrong_part_and_none_is_made(world: World, parts: Any, path: str) -> None:
    board = await world.board()
    card = await world.card(board)
    start = await position(world.sa)
    refused = await world.sa.post(f"/cards/{card['id']}/split", {"parts": parts})
    assert refused.invalid() == [path]
    assert refused.body["error"]["details"].get("part", int(path[6:7] or 0)) == int(path[6:7] or 0)
    assert (await shown(world, card))["parts"] is None
    assert (await changes(world.sa, since=start))["items"] == []
    assert (await world.card(board))["number"] == card["number"] + 1


async def test_all_parts_must_fit_into_the_column(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    await world.column(board, "Todo", wipLimit=3)
    (await split(world.sa, card, "One", "Two", "Three")).refused(400, "wip_limit_reached")
    assert (await shown(world, card))["parts"] is None
    assert len((await split(world.sa, card, "One", "Two")).ok()["items"]) == 2


async def test_fifty_parts_are_made_and_numbered_while_others_make_cards(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    titles = [f"Part {number}" for number in range(50)]
    splits = [split(world.sa, first, *titles), split(world.member, second, *titles)]
    answers = await asyncio.gather(*splits, *(world.card(board) for _ in range(9)))
    numbers = [row["number"] for answer in answers[:2] for row in answer.ok()["items"]]
    numbers += [card["number"] for card in answers[2:]]
    assert sorted(numbers) == list(range(3, 112))


async def test_who_may_not_make_cards_or_relations_splits_none(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = await world.card(board)
    (await split(world.outsider, card, "One")).refused(404, "not_found")
    (await world.nobody.post(f"/cards/{card['id']}/split", {"parts": [{"title": "T"}]})).refused(401, "unauthorized")
    await permit(world, "Member", "Relationship", "read")
    details = (await split(world.member, card, "One")).refused(403, "permission_denied")
    assert details == {"resource": "Relationship", "action": "create"}
    await permit(world, "Member", "Card", "read", "update")
    (await split(world.member, card, "One")).refused(403, "permission_denied")
    (await split(agent, await world.card(board, "Backlog"), "One")).refused(403, "agent_pickup_disabled")
    other = await world.agent("other")
    (await other.post(f"/cards/{card['id']}/claim/mcp")).ok()
    (await split(agent, card, "One")).refused(409, "already_claimed")
    assert len((await split(other, card, "One")).ok()["items"]) == 1
    assert (await shown(world, card))["claim"]["agentId"] == "other"
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Stop"})).ok()
    (await split(other, card, "Two")).refused(423, "frozen")
    (await world.sa.delete(world.sa.org("/freeze"))).ok()
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await split(world.sa, card, "Two")).refused(409, "archived_parent")


async def test_the_parts_that_an_agent_makes_count_for_the_guard(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    assert world.service is not None
    world.service.settings = world.service.settings.model_copy(update={"guard_cards_per_hour": 5})
    card = await world.card(board)
    (await split(agent, card, "1", "2", "3", "4")).ok()
    (await split(agent, card, "5", "6")).refused(429, "circuit_open")
    assert (await shown(world, card))["parts"]["total"] == 4
    (await agent.get(f"/cards/{card['id']}/mcp")).refused(403, "agent_stopped")


async def relate(who: Client, origin: Any, destination: Any, kind: str = "blocks") -> Answer:
    body = {"fromCardId": origin["id"], "toCardId": destination["id"], "kind": kind}
    return await who.post(who.org("/relationships/mcp"), body)


async def test_an_agent_relates_cards_if_it_may_write_to_one_of_them(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    mine, closed, far = [await world.card(board, column) for column in ("Todo", "Backlog", "Done")]
    made = (await relate(agent, mine, closed)).ok()
    assert (made["fromCardKey"], made["toCardKey"], made["kind"]) == (mine["key"], closed["key"], "blocks")
    assert (await agent.get(agent.org("/relationships/mcp"), params={"cardId": closed["key"]})).ok() == [made]
    (await relate(agent, closed, mine, "relatesTo")).ok()
    (await relate(agent, closed, far)).refused(403, "agent_pickup_disabled")
    (await other.post(f"/cards/{mine['id']}/claim/mcp")).ok()
    (await relate(agent, mine, far)).refused(409, "already_claimed")
    path = agent.org(f"/relationships/{made['id']}/mcp")
    (await agent.delete(path)).refused(409, "already_claimed")
    (await other.delete(path)).ok()
    (await other.delete(path)).refused(404, "not_found")
    assert (await world.history(closed["id"]))[-1]["actor"]["id"] == "other"


async def test_agents_relate_cards_of_their_organization_only(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    mine = await world.card(board)
    foreign = await world.card(await world.board(world.outsider), by=world.outsider)
    assert (await relate(agent, mine, foreign)).invalid() == ["toCardId"]
    elsewhere = f"/organizations/{world.outsider.org_id}/relationships/mcp"
    (await agent.get(elsewhere)).refused(403, "cross_organization")
    body = {"fromCardId": mine["id"], "toCardId": mine["id"], "kind": "blocks"}
    (await agent.post(elsewhere, body)).refused(403, "cross_organization")
    theirs = await world.card(await world.board(world.outsider), by=world.outsider)
    relation = {"fromCardId": foreign["id"], "toCardId": theirs["id"], "kind": "blocks"}
    made = (await world.outsider.post(world.outsider.org("/relationships"), relation)).ok()
    (await agent.delete(agent.org(f"/relationships/{made['id']}/mcp"))).refused(404, "not_found")


async def test_a_snapshot_in_which_a_card_has_two_parents_is_refused(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    (part,) = (await split(world.sa, card, "One")).ok()["items"]
    other = await world.card(board)
    snapshot = (await world.sa.get("/admin/export")).ok()
    (row,) = snapshot["relationships"]
    assert (row["kind"], row["fromCardId"], row["toCardId"]) == ("partOf", part["id"], card["id"])
    (await world.sa.post("/admin/import", snapshot)).ok()
    snapshot["relationships"] = [row | {"id": "rel_two", "toCardId": other["id"]}]
    (await world.sa.post("/admin/import", snapshot)).refused(409, "id_conflict")
    circle = row | {"id": "rel_back", "kind": "dependsOn"}
    snapshot["relationships"] = [circle]
    (await world.sa.post("/admin/import", snapshot)).refused(400, "InvalidSnapshotShape")
