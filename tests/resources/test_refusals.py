"""GET /organizations/{orgId}/refusals: what agents were refused, by which rule, how often."""

from typing import Any

import pytest

from service.auth.denied_requests import DeniedRequest
from service.ids import new_id
from service.resources import refusals

from ..builders import database, permit
from ..process import ServiceProcess
from ..streams import position
from ..tools.talk import talking
from ..world import Board, Client, World


async def list_denials(world: World, who: Client | None = None, **params: str) -> list[dict[str, Any]]:
    assert world.service is not None
    await refusals.store_refusals(world.service)
    who = who or world.member
    found = (await who.get(who.org("/refusals"), params=params)).ok()
    assert found["total"] == len(found["items"])
    items: list[dict[str, Any]] = found["items"]
    return items


async def events(world: World, before: str) -> list[dict[str, Any]]:
    items = (await world.sa.get(world.sa.org(f"/changes?since={before}"))).ok()["items"]
    return [item for item in items if item["type"] == "agent.refused"]


def to(board: Board, title: str) -> dict[str, str]:
    return {"toColumnId": board.columns[title]}


async def test_a_refused_move_is_one_row_however_often_it_is_tried(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, before = await world.card(board, "Todo", title="Stubborn"), await position(world.sa)
    for title in ("Review", "Done", "Done"):
        (await agent.patch(f"/cards/{card['id']}/mcp/status", to(board, title))).refused(400, "transition_not_allowed")
    (row,) = await list_denials(world)
    assert row == {
        "id": row["id"],
        "agentId": "bot",
        "cardId": card["id"],
        "cardKey": card["key"],
        "title": "Stubborn",
        "toColumnId": board.columns["Done"],
        "code": "transition_not_allowed",
        "message": "The board has no transition between these columns; use one of the allowed ones.",
        "blockers": row["blockers"],
        "count": 3,
        "firstAt": row["firstAt"],
        "lastAt": row["lastAt"],
    }
    assert [blocker["code"] for blocker in row["blockers"]] == ["transition_not_allowed"]
    assert row["firstAt"] < row["lastAt"]
    (event,) = await events(world, before)
    assert (event["agentId"], event["cardId"], event["projectId"]) == ("bot", card["id"], board.id)


async def test_gates_claims_freezes_and_rules_are_told_apart(world: World) -> None:
    board, agent, rival = await world.board(), await world.agent(), await world.agent("rival")
    card = (await world.card(board))["id"]
    (await rival.post(f"/cards/{card}/claim/mcp")).ok()
    (await agent.patch(f"/cards/{card}/mcp", {"title": "Mine"})).refused(409, "already_claimed")
    backlog = (await world.card(board, "Backlog"))["id"]
    (await agent.post(f"/cards/{backlog}/comments/mcp", {"content": "Hi"})).refused(403, "agent_pickup_disabled")
    free = (await world.card(board))["id"]
    old = {"If-Match": '"7"'}
    (await agent.patch(f"/cards/{free}/mcp", {"title": "x"}, headers=old)).refused(412, "precondition_failed")
    (await world.sa.post(world.sa.org("/freeze"), {"reason": "Look"})).ok()
    (await agent.post(agent.org("/cards/claim/mcp"))).refused(423, "frozen")
    found = {row["code"]: (row["agentId"], row["cardId"]) for row in await list_denials(world)}
    assert found == {
        "already_claimed": ("bot", card),
        "agent_pickup_disabled": ("bot", backlog),
        "precondition_failed": ("bot", free),
        "frozen": ("bot", None),
    }


async def test_a_refused_tool_counts_like_its_route(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = (await world.card(board))["id"]
    (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    async with talking(agent) as talk:
        await talk.raw("move_card", card=card, to="Done")
    (row,) = await list_denials(world)
    assert row["count"] == 2


async def test_mistakes_reads_people_and_who_may_not_work_yet_are_not_counted(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = (await world.card(board))["id"]
    pending = await world.agent("newcomer", approve=False)
    (await agent.patch(f"/cards/{card}/mcp", {"titel": "x"})).refused(400, "validation_failed")
    (await agent.patch(f"/cards/{card}/mcp", {"assignedAgentId": "nobody"})).refused(400, "validation_failed")
    (await agent.get("/cards/nothing/mcp")).refused(404, "not_found")
    (await agent.patch("/cards/nothing/mcp", {})).refused(404, "not_found")
    (await world.member.patch(f"/cards/{card}/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    (await pending.patch(f"/cards/{card}/mcp", {"title": "x"})).refused(403, "agent_not_approved")
    (await world.sa.patch("/agents/bot/stop")).ok()
    (await agent.patch(f"/cards/{card}/mcp", {"title": "x"})).refused(403, "agent_stopped")
    assert await list_denials(world) == []


async def test_denied_requests_are_filtered_by_card_id_and_card_key(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second = await world.card(board), await world.card(board)
    for card in (first, second):
        (await agent.patch(f"/cards/{card['id']}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    for name in (second["id"], second["key"], second["key"].lower()):
        assert [row["cardKey"] for row in await list_denials(world, cardId=name)] == [second["key"]]
    assert (await world.sa.get(world.sa.org("/refusals"), params={"cardId": "NO-1"})).invalid() == ["cardId"]


async def test_each_hour_has_its_row_and_old_ones_are_forgotten(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = (await world.card(board))["id"]
    assert world.clock is not None
    for hours in (0, 1, 24 * 3):
        world.clock.forward(3600 * hours)
        (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    rows = await list_denials(world)
    assert [row["count"] for row in rows] == [1, 1, 1]
    assert [row["lastAt"] for row in rows] == sorted([row["lastAt"] for row in rows], reverse=True)
    assert await list_denials(world, since=rows[0]["lastAt"]) == rows[:1]
    assert await list_denials(world, since="1h") == rows[:1]
    assert await list_denials(world, since="80h") == rows
    path = world.sa.org("/refusals?since=")
    for since in ("yesterday", "7", "1w"):
        assert (await world.sa.get(path + since)).invalid() == ["since"]
    world.clock.forward(3600 * 24 * 5)
    (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Review"))).refused(400, "transition_not_allowed")
    assert len(await list_denials(world)) == 2


async def test_an_event_tells_of_a_row_once_a_minute_at_the_most(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card, before = (await world.card(board))["id"], await position(world.sa)
    assert world.clock is not None
    for seconds in (0, 10, 70):
        world.clock.forward(seconds)
        (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
        await list_denials(world)
    told = await events(world, before)
    assert len(told) in (2, 3)  # a new hour may have begun, and has a row of its own
    assert sum(row["count"] for row in await list_denials(world)) == 3


async def test_the_stored_denials_of_an_agent_have_a_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    board, agent = await world.board(), await world.agent()
    monkeypatch.setattr(refusals, "CARDS_PER_AGENT_MAX", 3)
    for _ in range(6):
        card = (await world.card(board))["id"]
        (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    rows = await list_denials(world)
    assert sorted((row["cardId"] is None, row["count"]) for row in rows) == [(False, 1)] * 3 + [(True, 3)]


async def test_many_are_written_and_forgotten_a_few_at_a_time(world: World) -> None:
    assert world.service is not None
    agent, store = await world.agent(), world.service.store
    old = "2020-01-01T00:00:00.000Z"
    with database(world) as connection:
        connection.executemany(
            "INSERT INTO refusals (id, org_id, agent_id, card_id, code, hour, message, blockers, count, first_at,"
            " last_at) VALUES (?, ?, 'bot', ?, 'frozen', '2020-01-01T00', '', '[]', 1, ?, ?)",
            [(new_id("rfs"), agent.org_id, str(number), old, old) for number in range(500)],
        )
    for number in range(250):
        about = agent.org_id, "bot", str(number), None, "frozen", "No.", []
        world.service.denied_requests.append(DeniedRequest(*about, world.service.clock()))
    before = store.units_accepted
    await refusals.store_refusals(world.service)
    assert 3 <= store.units_accepted - before <= 5  # besides what the service writes once a second
    with database(world) as connection:
        (count,) = connection.execute("SELECT count(*) FROM refusals").fetchone()
    assert count == 250


async def test_denials_are_filtered_paged_and_visible_to_permitted_people(world: World) -> None:
    board, agent, rival = await world.board(), await world.agent(), await world.agent("rival")
    cards = [(await world.card(board))["id"] for _ in range(2)]
    for who, card in ((agent, cards[0]), (agent, cards[1]), (rival, cards[0])):
        (await who.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    assert [row["agentId"] for row in await list_denials(world, agentId="rival")] == ["rival"]
    assert {row["agentId"] for row in await list_denials(world, cardId=cards[0])} == {"bot", "rival"}
    page = (await world.sa.get(world.sa.org("/refusals?page=2&pageSize=2"))).ok()
    assert (page["total"], len(page["items"]), page["page"], page["pageSize"]) == (3, 1, 2, 2)
    assert (await world.outsider.get(world.outsider.org("/refusals"))).ok()["items"] == []
    (await world.outsider.get(world.sa.org("/refusals"))).refused(404, "not_found")
    (await agent.get(world.sa.org("/refusals"))).refused(401, "unauthorized")
    await permit(world, "Member", "Card", "create")
    (await world.member.get(world.member.org("/refusals"))).refused(403, "permission_denied")


async def test_a_card_or_an_agent_that_is_gone_leaves_what_it_was_refused(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    card = (await world.card(board))["id"]
    (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
    await list_denials(world)
    (await world.sa.delete(f"/cards/{card}?mode=permanent")).ok()
    (await world.sa.delete("/agents/bot")).ok()
    (row,) = await list_denials(world)
    assert (row["agentId"], row["cardId"], row["title"]) == ("bot", card, None)


async def test_what_was_refused_just_before_a_stop_is_there_after_it(service_process: ServiceProcess) -> None:
    world = World(service_process.url)
    async with world:
        board, agent = await world.board(), await world.agent()
        card = (await world.card(board))["id"]
        (await agent.patch(f"/cards/{card}/mcp/status", to(board, "Done"))).refused(400, "transition_not_allowed")
        assert service_process.stop() == 0
    service_process.start()
    async with World(service_process.url) as again:
        assert len((await again.sa.get(again.sa.org("/refusals"))).ok()["items"]) == 1
