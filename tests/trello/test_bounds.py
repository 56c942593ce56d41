"""Limits of Trello imports: each id counts once, and the result cannot be much larger than the file."""

from typing import Any

import pytest

from service.trello import export
from service.trello.board import TrelloBoard, read_board
from service.trello.custom_fields import FreeNames
from service.trello.description import describe_with_comments
from service.trello.lists import CONNECTED_MAX, list_moves
from service.trello.summary import summarize

from ..trello_boards import RICH

LISTS = [{"id": "a", "name": "A"}]


def comment(card: str, **more: Any) -> dict[str, Any]:
    return {"type": "commentCard", "data": {"text": "Hello", "card": {"id": card}}, **more}


def count(board: TrelloBoard) -> tuple[int, int, int]:
    """Count lists, cards, and texts that are on cards."""
    cards = list(board.cards)
    return len(board.lists), len(cards), sum(len(card.comments) + len(card.checklists) for card in cards)


def left(board: TrelloBoard) -> dict[str, int]:
    return {row.what: row.count for row in summarize(board).left}


def test_an_id_counts_once_within_each_list_of_the_file() -> None:
    board = read_board(
        {
            "lists": LISTS * 3,
            "cards": [{"id": "c", "name": "First", "idList": "a"}, {"id": "c", "name": "Second", "idList": "a"}],
            "checklists": [{"id": "k", "idCard": "c"}] * 4,
            "labels": [{"id": "l", "name": "One"}, {"id": "l", "name": "Other"}],
            "members": [{"id": "m", "fullName": "Mo"}] * 5,
            "customFields": [{"id": "f", "name": "Notes", "type": "text"}] * 6,
            "actions": [comment("c", id="t")] * 7 + [{"id": "t", "type": "updateCard"}] * 2,
        }
    )
    assert count(board) == (1, 1, 2)
    assert [card.title for card in board.cards] == ["First"]
    assert (len(board.members), len(board.fields)) == (1, 1)
    assert left(board) == {
        "members as users": 1,
        "repeated lists": 2,
        "repeated cards": 1,
        "repeated checklists": 3,
        "repeated labels": 1,
        "repeated members": 4,
        "repeated custom fields": 5,
        "repeated comments": 6,
        "actions: updateCard": 2,
    }


def test_equal_ids_in_different_lists_of_the_file_are_different_rows() -> None:
    same = [{"id": "x", "name": "X", "idList": "x", "idCard": "x", "type": "text"}]
    board = read_board({"lists": same, "cards": same, "checklists": same, "labels": same, "customFields": same})
    assert count(board) == (1, 1, 1)
    assert left(board) == {}


def test_rows_without_an_id_count_each_and_are_not_multiplied() -> None:
    board = read_board(
        {
            "lists": [{"name": "A"}, {"name": "B"}, {"name": "C"}],
            "cards": [{"name": str(number)} for number in range(4)],
            "checklists": [{}] * 5,
            "members": [{}] * 2,
            "customFields": [{"name": "X", "type": "text"}] * 3,
            "actions": [{**comment(""), "data": {"text": "Hello"}}] * 6,
        }
    )
    assert count(board) == (3, 4, 0)
    assert [len(row.cards) for row in board.lists] == [4, 0, 0]
    assert [field.name for field in board.fields] == ["x", "x_2", "x_3"]
    assert left(board) == {"members as users": 2, "checklists": 5, "comments": 6}


@pytest.mark.parametrize(
    ("key", "row", "limit", "words"),
    [
        ("labels", {"name": "L"}, 2000, "2,001 labels; at most 2,000 can be imported"),
        ("customFields", {"type": "text"}, 200, "201 custom fields; at most 200 can be imported"),
        ("lists", {"name": "L"}, 200, "201 open lists; at most 200 can become columns"),
    ],
)
def test_labels_custom_fields_and_open_lists_have_bounds(key: str, row: dict[str, Any], limit: int, words: str) -> None:
    def board(number: int) -> Any:
        return {"lists": LISTS, "cards": [], key: [{"id": str(at), **row} for at in range(number)]}

    read_board(board(limit))
    with pytest.raises(export.NotATrelloExport, match=words):
        read_board(board(limit + 1))


def test_custom_fields_of_unknown_types_do_not_count() -> None:
    board = read_board({"lists": LISTS, "cards": [], "customFields": [{"type": "rating"}] * 300})
    assert left(board) == {"custom fields": 300}


def test_moves_lead_between_all_of_the_first_lists_and_from_the_others_to_their_neighbors() -> None:
    assert set(list_moves(3)) == {(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)}
    assert list(list_moves(1)) == []
    for number in (CONNECTED_MAX, 200):
        moves = list(list_moves(number))
        assert len(moves) == len(set(moves)) == 9_900 + 2 * (number - 100)
        assert {place for move in moves for place in move} == set(range(number))
    assert {move for move in list_moves(200) if max(move) == 100} == {(99, 100), (100, 99)}
    assert {move for move in list_moves(200) if 150 in move} == {(149, 150), (150, 149), (150, 151), (151, 150)}


def test_the_summary_says_which_moves_there_are() -> None:
    def transitions(number: int) -> tuple[int, str]:
        board = read_board({"lists": [{"id": str(at)} for at in range(number)], "cards": []})
        return next((row.count, row.note) for row in summarize(board).taken if row.what == "transitions")

    assert transitions(100) == (9_900, "every move between columns, as in Trello")
    assert transitions(101)[0] == 9_902
    assert "the first 100 columns" in transitions(101)[1]


class CountingSet(set[str]):
    """A set that counts how often it is asked."""

    asked = 0

    def __contains__(self, item: object) -> bool:
        self.asked += 1
        return super().__contains__(item)


def test_equal_names_of_fields_are_numbered_without_trying_all_numbers() -> None:
    taken = CountingSet({"x_3"})
    names = FreeNames(taken)
    found = [names.take("X!") for _ in range(1000)]
    assert found[:4] == ["x", "x_2", "x_4", "x_5"]
    assert len(set(found)) == 1000
    assert taken.asked < 2100


def test_types_of_actions_are_named_up_to_a_bound() -> None:
    actions = [{"type": f"{number}{'x' * 1000}"} for number in range(60)]
    board = read_board({"lists": LISTS, "cards": [], "actions": actions})
    found = left(board)
    assert (len(found), found["other actions"], sum(found.values())) == (51, 10, 60)
    assert max(map(len, found)) < 200


def test_a_card_with_a_very_long_description_keeps_all_of_it() -> None:
    checklists = [
        {"id": str(number), "idCard": "c", "checkItems": [{"name": "word " * 20_000}]} for number in range(30)
    ]
    (card,) = read_board({"lists": LISTS, "cards": [{"id": "c", "idList": "a"}], "checklists": checklists}).cards
    description, comments = describe_with_comments(card)
    assert " ".join([description, *comments]).count("word") == 600_000


class Left(Exception):
    """Raised by a check of these tests."""


@pytest.mark.parametrize("key", ["lists", "cards", "checklists", "labels", "members", "customFields", "actions"])
def test_a_check_ends_the_reading_in_each_list_of_the_file(key: str) -> None:
    rows = [{"id": str(number), "type": "text", "name": "X"} for number in range(150)]
    source = {"lists": LISTS, "cards": [], key: rows}
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 100:
            raise Left

    with pytest.raises(Left):
        read_board(source, check=check)
    assert calls == 100


def test_each_card_that_is_read_later_is_checked() -> None:
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1

    board = read_board(RICH, check=check)
    before = calls
    assert calls - before == 0
    assert len(list(board.cards)) == calls - before == 2
