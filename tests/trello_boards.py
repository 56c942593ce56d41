"""A small board from Trello with everything that a card of it can have."""

from dataclasses import replace
from typing import Any

from service.trello.board import TrelloBoard


def _item(field: str, value: Any = None, option: str | None = None) -> dict[str, Any]:
    return {"idCustomField": field, "value": value, "idValue": option}


RICH: dict[str, Any] = {
    "name": "Rich",
    "lists": [
        {"id": "now", "name": "Now", "pos": 1, "softLimit": 3},
        {"id": "shipped", "name": "Shipped", "pos": 2, "softLimit": "many"},
    ],
    "labels": [
        {"id": "l1", "name": "Bug", "color": "red_dark"},
        {"id": "l2", "name": "", "color": "sky_light"},
        {"id": "l3", "name": "", "color": None},
        {"id": "l4", "name": "Bug", "color": "lime"},
    ],
    "members": [
        {"id": "m1", "fullName": "MO  MEMBER"},
        {"id": "m2", "fullName": "Somebody", "email": "SA@Example.Test"},
        {"id": "m3", "fullName": "Stranger"},
    ],
    "customFields": [
        {"id": "f1", "name": "Notes", "type": "text", "pos": 1},
        {"id": "f2", "name": "Cost (€)", "type": "number", "pos": 2, "display": {"cardFront": True}},
        {"id": "f3", "name": "cost!", "type": "number", "pos": 3},
        {"id": "f4", "name": "Start", "type": "date", "pos": 4},
        {"id": "f5", "name": "見積", "type": "checkbox", "pos": 5},
        {
            "id": "f6",
            "name": "Stage",
            "type": "list",
            "pos": 6,
            "options": [
                {"id": "o2", "value": {"text": "Late"}, "color": "none", "pos": 2},
                {"id": "o1", "value": {"text": "Early"}, "color": "green_light", "pos": 1},
                {"id": "o3", "value": None, "pos": 3},
            ],
        },
        {"id": "f7", "name": "Other", "type": "rating", "pos": 7},
    ],
    "cards": [
        {
            "id": "c1",
            "name": "All of it",
            "idList": "now",
            "pos": 1,
            "idLabels": ["l1", "l2", "l3", "l4"],
            "idMembers": ["m3", "m1", "m2"],
            "start": "2026-01-02T03:04:00Z",
            "due": "2020-01-01T10:30:00.000Z",
            "dueComplete": True,
            "customFieldItems": [
                _item("f1", {"text": "two\nlines"}),
                _item("f2", {"number": "1e5"}),
                _item("f3", {"number": "none"}),
                _item("f4", {"date": "2026-02-01T10:00:00.000Z"}),
                _item("f5", {"checked": "true"}),
                _item("f6", option="o1"),
            ],
        },
        {
            "id": "c2",
            "name": "Nothing",
            "idList": "now",
            "pos": 2,
            "start": "soon",
            "dueComplete": True,
            "customFieldItems": [
                _item("f6", option="removed"),
                _item("f1"),
                _item("f7", {"number": "5"}),
                _item("gone", {"text": "x"}),
            ],
        },
    ],
}


def describe_board(board: TrelloBoard) -> Any:
    """Return all of a board in a form that can be compared: its cards are read only when they are asked for."""
    lists = [(replace(row, cards=()), list(row.cards)) for row in board.lists]
    return replace(board, lists=()), lists
