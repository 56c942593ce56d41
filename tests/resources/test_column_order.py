"""The order of columns: dense and 0-based, whatever is put in, moved or taken out."""

from typing import Any

import pytest

from ..world import Board, World

TITLES = ["Backlog", "Todo", "In Progress", "Review", "Done"]


async def _titles(world: World, board: Board) -> list[str]:
    """Give the titles by position, after a look at the positions."""
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
