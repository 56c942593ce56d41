"""Board-flow: the whole board in one answer, fresh after every change."""

import asyncio
import time
from typing import Any

from ..builders import permit
from ..world import Board, Client, World

SHAPES = {
    "projects": {"id", "title"},
    "columns": {"id", "title", "order", "agentPickupEnabled"},
    "cardTypes": {"id", "title", "fields"},
    "transitions": {"fromColumnId", "toColumnId", "requiresApproval"},
    "cards": {"id", "title", "columnId"},
}


async def _flow(caller: Client, project_id: str | None = None) -> Any:
    path = caller.org("/board-flow/mcp" if "ApiKey" in caller.headers["Authorization"] else "/board-flow")
    return (await caller.get(path, params={"projectId": project_id} if project_id else {})).ok()


async def test_the_board_of_a_project_shows_all_that_is_on_it(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    own = {"title": "Own", "projectId": other.id}
    (await world.sa.post(world.sa.org("/card-types"), own)).ok()
    cards = [await world.card(board, column) for column in ("Todo", "Todo", "Done")]
    await world.card(other)
    for caller in (world.member, await world.agent()):
        flow = await _flow(caller, board.id)
        for key, shape in SHAPES.items():
            assert flow[key]
            assert all(set(row) >= shape for row in flow[key])
        assert [project["id"] for project in flow["projects"]] == [board.id]
        assert [column["id"] for column in flow["columns"]] == list(board.columns.values())
        assert [column["order"] for column in flow["columns"]] == [0, 1, 2, 3, 4]
        flags = [column["agentPickupEnabled"] for column in flow["columns"]]
        assert flags == [False, True, True, True, False]
        edges = {(edge["fromColumnId"], edge["toColumnId"]): edge["requiresApproval"] for edge in flow["transitions"]}
        assert len(edges) == 7
        assert edges[board.columns["Review"], board.columns["Done"]] is True
        assert edges[board.columns["Backlog"], board.columns["Todo"]] is False
        assert flow["cardTypes"] == [board.card_type]
        shown = [(card["id"], card["columnId"]) for card in flow["cards"]]
        assert shown == [(card["id"], card["columnId"]) for card in cards]


async def test_without_a_project_all_projects_are_listed_and_no_cards(world: World) -> None:
    board, other = await world.board(), await world.board(title="Other")
    await world.card(board)
    for caller in (world.member, await world.agent()):
        flow = await _flow(caller)
        assert set(flow) == {*SHAPES, "presets"}
        assert flow["projects"] == [
            {"id": board.id, "title": "Board", "key": "BOA"},
            {"id": other.id, "title": "Other", "key": "OTH"},
        ]
        assert flow["cards"] == []
    foreign = await _flow(world.outsider)
    assert foreign == {key: [] for key in (*SHAPES, "presets")}


async def test_every_change_shows_at_once(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    project, column = world.sa.org(f"/projects/{board.id}"), world.sa.org(f"/columns/{board.columns['Done']}")
    card_type, edges = world.sa.org(f"/card-types/{board.card_type['id']}"), board.transitions
    seen = [await _flow(world.member, board.id)]
    for method, path, body in (
        ("PATCH", f"/cards/{card['id']}", {"title": "New"}),
        ("PATCH", f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]}),
        ("PATCH", project, {"title": "New"}),
        ("PATCH", column, {"title": "New"}),
        ("PATCH", column, {"order": 0}),
        ("PATCH", column, {"agentPickupEnabled": True}),
        ("PATCH", card_type, {"title": "New"}),
        ("POST", card_type + "/fields", {"name": "extra", "kind": "text"}),
        ("PATCH", f"{card_type}/fields/{board.field('tags')}", {"label": "New"}),
        ("DELETE", f"{card_type}/fields/{board.field('tags')}", None),
        ("PATCH", world.sa.org(f"/transitions/{edges['Done', 'Todo']}"), {"requiresApproval": True}),
        ("DELETE", world.sa.org(f"/transitions/{edges['Done', 'Todo']}"), None),
        ("POST", world.sa.org("/columns"), {"projectId": board.id, "title": "Last"}),
        ("DELETE", column, None),
        ("DELETE", f"/cards/{card['id']}", None),
        ("POST", f"/cards/{card['id']}/restore", None),
        ("DELETE", f"/cards/{card['id']}?mode=permanent", None),
    ):
        (await world.sa.call(method, path, body)).ok()
        flow = await _flow(world.member, board.id)
        assert flow != seen[-1], (method, path, body)
        assert flow == await _flow(world.member, board.id)
        seen.append(flow)
    assert seen[-1]["cards"] == []


async def test_a_board_is_never_older_than_the_last_change_that_was_acknowledged(world: World) -> None:
    board = await world.board()
    done = asyncio.Event()

    async def keep_reading() -> None:
        while not done.is_set():
            await _flow(world.member, board.id)

    readers = [asyncio.create_task(keep_reading()) for _ in range(8)]
    try:
        for number in range(150):
            card = await world.card(board, title=f"Card {number}")
            flow = await _flow(world.sa, board.id)
            assert flow["cards"][-1]["id"] == card["id"], number
    finally:
        done.set()
        await asyncio.gather(*readers)


async def _refusals(world: World, board: Board, caller: Client, suffix: str, status: int, code: str) -> None:
    for query in ({}, {"projectId": board.id}):
        (await caller.get(world.sa.org("/board-flow") + suffix, params=query)).refused(status, code)


async def test_a_board_shows_to_nobody_else(world: World) -> None:
    board, stranger, key = await world.board(), await world.script(world.outsider), await world.script()
    await _refusals(world, board, world.outsider, "", 404, "not_found")
    await _refusals(world, board, stranger, "/mcp", 403, "cross_organization")
    await _refusals(world, board, world.sa, "/mcp", 401, "unauthorized")
    await _refusals(world, board, key, "", 401, "unauthorized")
    for caller, suffix in ((world.outsider, ""), (stranger, "/mcp")):
        for project in (board.id, "proj_x"):
            path = world.outsider.org("/board-flow") + suffix
            (await caller.get(path, params={"projectId": project})).refused(404, "not_found")
    await permit(world, "Member", "Card", "update")
    await _refusals(world, board, world.member, "", 403, "permission_denied")
    wrong = await world.sa.get(world.sa.org("/board-flow"), params={"project": board.id})
    assert wrong.invalid() == ["project"]


async def test_an_agents_key_scans_thirty_times_a_minute(world: World) -> None:
    board, agent, begin = await world.board(), await world.agent(), time.time()
    path = agent.org("/board-flow/mcp")
    answers = [await agent.get(path, params={"projectId": board.id}) for _ in range(33)]
    granted = [answer for answer in answers if answer.status == 200]
    assert 30 <= len(granted) < 33
    remaining = [int(answer.headers["X-RateLimit-Remaining"]) for answer in granted]
    assert remaining[0] == 29
    assert remaining[29] == 0
    for answer in answers:
        assert answer.headers["X-RateLimit-Limit"] == "30"
        assert begin <= int(answer.headers["X-RateLimit-Reset"]) <= time.time() + 61
    for answer in answers:
        if answer.status != 200:
            answer.refused(429, "rate_limited")
            assert 1 <= int(answer.headers["Retry-After"]) <= 2


async def test_the_limit_of_a_key_slows_nobody_else(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.key()
    path = agent.org("/board-flow/mcp")
    answers = [await agent.get(path) for _ in range(33)]
    answers[-1].refused(429, "rate_limited")
    assert (await other.get(path)).headers["X-RateLimit-Remaining"] == "29"
    (await agent.get(agent.org("/cards/mcp"))).ok()
    for _ in range(40):
        await _flow(world.member, board.id)
