"""Stale move requests: what makes one pointless closes it, and it can be read all the same."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from ..snapshots import send, snapshot_of
from ..world import Board, Client, World

Change = Callable[[World, Board, Any], Awaitable[Any]]


async def _asked(world: World) -> tuple[Board, Any, Client, Any]:
    """Return a card in Review with an open request to move it to Done."""
    board, agent = await world.board(), await world.agent()
    await world.column(board, "Review", agentPickupEnabled=True, agentCanModerate=True)
    card = await world.card(board, "Review")
    return board, card, agent, await _ask(agent, board, card)


async def _ask(agent: Client, board: Board, card: Any) -> Any:
    body = {"toColumnId": board.columns["Done"]}
    return (await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()


async def _read(world: World, request: Any) -> Any:
    items = (await world.sa.get(world.sa.org("/move-requests"))).ok()["items"]
    (row,) = [row for row in items if row["id"] == request["id"]]
    return row


async def _is_stale(world: World, agent: Client, request: Any) -> None:
    """Fail unless a request is stale, says since when, and takes no decision any more."""
    row = await _read(world, request)
    assert row == {**request, "state": "stale", "decidedAt": row["decidedAt"]}
    assert row["decidedAt"] >= request["createdAt"]
    assert len(row["decidedAt"]) == len(request["createdAt"])
    path = f"/move-requests/{request['id']}"
    for answer in (
        await world.member.post(f"{path}/approve", {}),
        await world.member.post(f"{path}/reject", {}),
        await agent.delete(f"{path}/mcp"),
    ):
        assert answer.refused(409, "stale_request")["state"] == "stale"
    assert await _read(world, request) == row


async def _moved(world: World, board: Board, card: Any) -> None:
    (await world.member.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["In Progress"]})).ok()


async def _moved_away_and_back(world: World, board: Board, card: Any) -> None:
    await _moved(world, board, card)
    (await world.member.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Review"]})).ok()


async def _moved_as_asked(world: World, board: Board, card: Any) -> None:
    (await world.member.patch(f"/cards/{card['id']}/status", {"toColumnId": board.columns["Done"]})).ok()


async def _archived(world: World, board: Board, card: Any) -> None:
    (await world.sa.delete(f"/cards/{card['id']}")).ok()


async def _archived_and_restored(world: World, board: Board, card: Any) -> None:
    await _archived(world, board, card)
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()


async def _project_archived_and_restored(world: World, board: Board, card: Any) -> None:
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()


def _transition(world: World, board: Board) -> str:
    return world.sa.org(f"/transitions/{board.transitions['Review', 'Done']}")


async def _transition_deleted(world: World, board: Board, card: Any) -> None:
    (await world.sa.delete(_transition(world, board))).ok()


async def _transition_turned(world: World, board: Board, card: Any) -> None:
    (await world.sa.patch(_transition(world, board), {"toColumnId": board.columns["Backlog"]})).ok()


async def _destination_deleted(world: World, board: Board, card: Any) -> None:
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Done']}"))).ok()


async def _column_emptied_and_deleted(world: World, board: Board, card: Any) -> None:
    query = {"moveTo": board.columns["In Progress"]}
    (await world.sa.delete(world.sa.org(f"/columns/{board.columns['Review']}"), params=query)).ok()


@pytest.mark.parametrize(
    "change",
    [
        _moved,
        _moved_away_and_back,
        _moved_as_asked,
        _archived,
        _archived_and_restored,
        _project_archived_and_restored,
        _transition_deleted,
        _transition_turned,
        _destination_deleted,
        _column_emptied_and_deleted,
    ],
)
async def test_a_request_goes_stale_with_what_makes_it_pointless(world: World, change: Change) -> None:
    board, card, agent, request = await _asked(world)
    other = await world.card(board, "Review")
    kept = await _ask(agent, board, other)
    await change(world, board, card)
    history = await world.history(card["id"])
    await _is_stale(world, agent, request)
    assert await world.history(card["id"]) == history
    if change in (_moved, _moved_away_and_back, _moved_as_asked, _archived, _archived_and_restored):
        assert await _read(world, kept) == kept


async def test_after_a_stale_request_the_agent_can_ask_anew(world: World) -> None:
    board, card, agent, request = await _asked(world)
    await _moved_away_and_back(world, board, card)
    again = await _ask(agent, board, card)
    assert again["id"] != request["id"]
    (await world.member.post(f"/move-requests/{again['id']}/approve", {})).ok()
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["columnId"] == board.columns["Done"]


async def test_what_leaves_the_card_where_it_is_leaves_the_request_open(world: World) -> None:
    board, card, _, request = await _asked(world)
    await world.card(board, "Review")
    path, edge = f"/cards/{card['id']}", _transition(world, board)
    (await world.sa.patch(path, {"title": "New", "priority": "high"})).ok()
    (await world.sa.patch(f"{path}/rank", {"afterCardId": None})).ok()
    (await world.sa.post(f"{path}/comments", {"content": "Hm"})).ok()
    (await world.sa.patch(edge, {"requiresApproval": False})).ok()
    (await world.sa.patch(edge, {"requiresApproval": True})).ok()
    (await world.sa.delete(world.sa.org(f"/transitions/{board.transitions['Review', 'In Progress']}"))).ok()
    (await world.sa.delete("/agents/bot")).ok()
    assert await _read(world, request) == request
    (await world.member.post(f"/move-requests/{request['id']}/approve", {})).ok()
    assert (await world.history(card["id"]))[-1]["changes"]["requestedBy"] == {"from": None, "to": "bot"}


async def test_a_request_of_an_archived_project_is_not_to_be_found(world: World) -> None:
    board, _, agent, request = await _asked(world)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    path = f"/move-requests/{request['id']}"
    (await world.sa.post(f"{path}/approve", {})).refused(404, "not_found")
    (await world.sa.post(f"{path}/reject", {})).refused(404, "not_found")
    (await agent.delete(f"{path}/mcp")).refused(404, "not_found")


async def test_a_request_leaves_with_its_card(world: World) -> None:
    board, card, agent, request = await _asked(world)
    (await world.sa.delete(f"/cards/{card['id']}?mode=permanent")).ok()
    assert (await world.sa.get(world.sa.org("/move-requests"))).ok()["items"] == []
    (await world.sa.post(f"/move-requests/{request['id']}/approve", {})).refused(404, "not_found")
    await _ask(agent, board, await world.card(board, "Review"))
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}?mode=permanent"))).ok()
    assert (await world.sa.get(world.sa.org("/move-requests"))).ok()["total"] == 0


async def test_an_import_leaves_requests_alone_unless_it_moves_the_card(world: World) -> None:
    board, card, agent, request = await _asked(world)
    snapshot = await snapshot_of(world.sa)
    assert not [key for key in snapshot if "request" in key.lower()]
    (await send(world.sa, snapshot)).ok()
    assert await _read(world, request) == request
    (row,) = [row for row in snapshot["cards"] if row["id"] == card["id"]]
    row["columnId"] = board.columns["Todo"]
    (await send(world.sa, snapshot)).ok()
    await _is_stale(world, agent, request)
