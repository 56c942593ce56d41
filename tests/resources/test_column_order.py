"""The order of columns: dense and 0-based, whatever is put in, moved or taken out."""

from typing import Any

import pytest

from ..builders import permit
from ..world import Board, World

TITLES = ["Backlog", "Todo", "In Progress", "Review", "Done"]


async def _titles(world: World, board: Board) -> list[str]:
    """Return the titles by position, after a look at the positions."""
    columns = (await world.sa.get(world.sa.org("/columns"), params={"projectId": board.id})).ok()
    assert [column["order"] for column in columns] == list(range(len(columns)))
    return [column["title"] for column in columns]


@pytest.mark.parametrize(("order", "place"), [(0, 0), (2, 2), (5, 5), (99, 5), (None, 5)])
async def test_a_column_put_in_shifts_those_behind_it(world: World, order: Any, place: int) -> None:
    board, other = await world.board(), await world.board(title="Other")
    body = {"projectId": board.id, "title": "New", "order": order}
    column = (await world.sa.post(world.sa.org("/columns"), body)).ok()
    assert column["order"] == place
    assert await _titles(world, board) == [*TITLES[:place], "New", *TITLES[place:]]
    assert await _titles(world, other) == TITLES


@pytest.mark.parametrize("start", range(5))
@pytest.mark.parametrize("end", [0, 1, 3, 4, 99])
async def test_a_column_moved_shifts_the_others(world: World, start: int, end: int) -> None:
    board = await world.board()
    moved = await world.column(board, TITLES[start], order=end)
    expected = [title for title in TITLES if title != TITLES[start]]
    expected.insert(end, TITLES[start])
    assert await _titles(world, board) == expected
    assert moved["order"] == min(end, 4)


@pytest.mark.parametrize("gone", TITLES)
async def test_a_column_taken_out_closes_its_gap(world: World, gone: str) -> None:
    board = await world.board()
    assert (await world.sa.delete(world.sa.org(f"/columns/{board.columns[gone]}"))).status == 204
    assert await _titles(world, board) == [title for title in TITLES if title != gone]


async def test_a_column_cannot_lose_its_order(world: World) -> None:
    board = await world.board()
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    assert (await world.sa.patch(path, {"order": None})).invalid() == ["order"]
    assert await _titles(world, board) == TITLES


async def test_a_refused_change_moves_no_column(world: World) -> None:
    board = await world.board()
    path = world.sa.org(f"/columns/{board.columns['Todo']}")
    (await world.sa.patch(path, {"order": 4, "requiredFieldIds": ["fld_x"]})).invalid()
    assert await _titles(world, board) == TITLES


async def _edges(world: World, board: Board) -> set[tuple[str, str, bool]]:
    """Return the transitions of a board as (from, to, needs approval), by title."""
    query = {"params": {"projectId": board.id}}
    titles = {row["id"]: row["title"] for row in (await world.sa.get(world.sa.org("/columns"), **query)).ok()}
    rows = (await world.sa.get(world.sa.org("/transitions"), **query)).ok()
    return {(titles[row["fromColumnId"]], titles[row["toColumnId"]], row["requiresApproval"]) for row in rows}


async def _insert(world: World, board: Board, **wishes: Any) -> Any:
    body = {"projectId": board.id, "title": "New", "connectToNeighbors": True, **wishes}
    return (await world.sa.post(world.sa.org("/columns"), body)).ok()


def _between(*neighbors: str) -> set[tuple[str, str, bool]]:
    """Return the transitions of a column New with its neighbors."""
    return {edge for title in neighbors for edge in ((title, "New", False), ("New", title, False))}


async def test_a_connected_column_comes_before_done_with_the_flags_of_its_left_neighbor(world: World) -> None:
    board = await world.board()
    before = await _edges(world, board)
    seen = (await world.sa.get(world.sa.org("/changes"))).ok()["next"]
    column = await _insert(world, board)
    assert (column["order"], column["columnType"]) == (4, "standard")
    assert (column["agentPickupEnabled"], column["agentCanModerate"]) == (True, False)  # as in Review
    assert await _titles(world, board) == ["Backlog", "Todo", "In Progress", "Review", "New", "Done"]
    assert await _edges(world, board) == before | _between("Review", "Done")
    query = {"params": {"since": seen, "projectId": board.id}}
    events = (await world.sa.get(world.sa.org("/changes"), **query)).ok()["items"]
    assert [event["type"] for event in events] == ["column.created", *["transition.created"] * 4]
    assert (await world.sa.delete(world.sa.org(f"/columns/{column['id']}"))).status == 204
    assert (await _titles(world, board), await _edges(world, board)) == (TITLES, before)


@pytest.mark.parametrize(
    ("wishes", "order", "flags", "neighbors"),
    [
        ({"order": 0}, 0, (False, False), ["Backlog"]),
        ({"order": 2}, 2, (True, True), ["Todo", "In Progress"]),
        ({"order": 2, "agentCanModerate": False}, 2, (True, False), ["Todo", "In Progress"]),
        ({"order": 99}, 5, (False, False), ["Done"]),
        ({"columnType": "done"}, 5, (False, False), ["Done"]),
    ],
)
async def test_a_connected_column_obeys_what_the_request_says(
    world: World, wishes: Any, order: int, flags: tuple[bool, bool], neighbors: list[str]
) -> None:
    board = await world.board()
    await world.column(board, "Backlog", agentPickupEnabled=True)  # no left neighbor of a first column
    before = await _edges(world, board)
    column = await _insert(world, board, **wishes)
    assert column["order"] == order
    assert (column["agentPickupEnabled"], column["agentCanModerate"]) == flags
    assert await _edges(world, board) == before | _between(*neighbors)


async def test_the_first_column_of_a_board_connects_to_nothing(world: World) -> None:
    blank = (await world.sa.post(world.sa.org("/projects"), {"title": "Blank", "template": "blank"})).ok()
    board = Board(blank["id"], {}, {}, {})
    assert (await _insert(world, board))["order"] == 0
    assert await _edges(world, board) == set()


async def test_a_column_that_cannot_be_connected_is_not_created(world: World) -> None:
    board = await world.board()
    await permit(world, "SolutionArchitect", "Transition", "read", "update", "delete")
    body = {"projectId": board.id, "title": "New", "connectToNeighbors": True}
    (await world.sa.post(world.sa.org("/columns"), body)).refused(403, "permission_denied")
    (await world.member.post(world.member.org("/columns"), body)).refused(403, "sa_required")
    assert await _titles(world, board) == TITLES
    (await world.sa.post(world.sa.org("/columns"), {"projectId": board.id, "title": "New"})).ok()
