"""Ranks: where a card stands in its column."""

from typing import Any

import pytest

from ..builders import permit
from ..many_cards import Many
from ..world import Board, World


async def _order(world: World, board: Board, cards: list[Any]) -> list[int]:
    """Return the column as numbers of the cards that were made, after a look at their places."""
    query = {"columnId": board.columns["Todo"], "pageSize": "100"}
    items = (await world.sa.get(world.sa.org("/cards"), params=query)).ok()["items"]
    assert [await world.above(card) for card in items] == [None, *(card["id"] for card in items[:-1])]
    numbers = {card["id"]: number for number, card in enumerate(cards)}
    return [numbers[card["id"]] for card in items]


@pytest.mark.parametrize(
    ("card", "after", "order"),
    [
        (3, None, [3, 0, 1, 2, 4]),
        (0, 4, [1, 2, 3, 4, 0]),
        (0, 2, [1, 2, 0, 3, 4]),
        (4, 0, [0, 4, 1, 2, 3]),
        (2, 3, [0, 1, 3, 2, 4]),
        (3, 1, [0, 1, 3, 2, 4]),
    ],
)
async def test_a_card_is_put_behind_another(world: World, card: int, after: int | None, order: list[int]) -> None:
    board = await world.board()
    cards = [await world.card(board) for _ in range(5)]
    body = {"afterCardId": None if after is None else cards[after]["id"]}
    moved = (await world.member.patch(f"/cards/{cards[card]['id']}/rank", body)).ok()
    assert await _order(world, board, cards) == order
    assert (moved["columnId"], moved["version"]) == (board.columns["Todo"], 2)
    row = (await world.history(moved["id"]))[-1]
    assert (row["action"], row["actor"]["id"]) == ("ranked", world.member.id)
    assert row["changes"] == {
        "afterCardId": {"from": cards[card - 1]["id"] if card else None, "to": body["afterCardId"]}
    }
    for number, other in enumerate(cards):
        assert len(await world.history(other["id"])) == (2 if number == card else 1)


async def test_ranking_a_card_at_its_own_place_changes_nothing(world: World) -> None:
    board = await world.board()
    first, second = await world.card(board), await world.card(board)
    for card, after in ((first, None), (second, first["id"])):
        assert (await world.sa.patch(f"/cards/{card['id']}/rank", {"afterCardId": after})).ok() == card
        assert len(await world.history(card["id"])) == 1


async def test_a_column_can_be_shuffled_for_long(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board) for _ in range(4)]
    expected = [0, 1, 2, 3]
    for turn in range(120):  # more often than a gap can be halved
        moved = (2, 3)[turn % 2]
        (await world.sa.patch(f"/cards/{cards[moved]['id']}/rank", {"afterCardId": cards[0]["id"]})).ok()
        expected.remove(moved)
        expected.insert(1, moved)
    assert await _order(world, board, cards) == expected == [0, 3, 2, 1]


async def test_room_is_made_for_a_card_without_placing_the_whole_column_anew(world: World) -> None:
    board = await world.board()
    many = Many(world, board)
    many.fill(1000)
    expected = [f"card_many_{number}" for number in range(1, 1001)]
    for number in range(900, 1000):  # far more than fit between two neighbours at first
        card_id = f"card_many_{number}"
        (await world.sa.patch(f"/cards/{card_id}/rank", {"afterCardId": "card_many_1"})).ok()
        expected.remove(card_id)
        expected.insert(1, card_id)
    assert many.ids("rank_key, id") == expected
    assert many.count("version > 1") == 100
    assert many.count("rank_key = (number - 1000000) << 32") > 500  # most stand where they stood


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "afterCardId"),
        ({"afterCardId": 1}, "afterCardId"),
        ({"afterCardId": ""}, "afterCardId"),
        ({"afterCardId": "card_x"}, "afterCardId"),
        ({"afterCardId": "\0"}, "afterCardId"),
        ({"afterCardId": None, "rank": 1}, "rank"),
    ],
)
async def test_a_wrong_rank_is_refused(world: World, body: Any, path: str) -> None:
    card = await world.card(await world.board())
    assert (await world.sa.patch(f"/cards/{card['id']}/rank", body)).invalid() == [path]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_a_card_stands_only_behind_another_active_card_of_its_column(world: World) -> None:
    board, foreign = await world.board(), await world.board(world.outsider)
    card, archived = await world.card(board), await world.card(board)
    elsewhere = await world.card(board, "Review")
    stranger = await world.card(foreign, by=world.outsider)
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    for other in (card, archived, elsewhere, stranger):
        answer = await world.sa.patch(f"/cards/{card['id']}/rank", {"afterCardId": other["id"]})
        assert answer.invalid() == ["afterCardId"]
    assert (await world.sa.get(f"/cards/{card['id']}")).ok() == card


async def test_ranking_needs_the_permission_to_update(world: World) -> None:
    board = await world.board()
    card, _ = await world.card(board), await world.card(board)
    await permit(world, "Member", "Card", "read", "transition")
    answer = await world.member.patch(f"/cards/{card['id']}/rank", {"afterCardId": None})
    assert answer.refused(403, "permission_denied") == {"resource": "Card", "action": "update"}
    key = await world.key()
    (await key.patch(f"/cards/{card['id']}/rank", {"afterCardId": None})).refused(401, "unauthorized")
