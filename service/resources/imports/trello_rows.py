"""A Trello board as the rows of a snapshot."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from ...ids import new_id
from ...schemas import Actor
from ...trello.board import Board, Card, CardList
from ...trello.comment import contents
from ...trello.description import describe, shorten

CARD_TYPE_COLOR = "#2563eb"
KINDS = {"description": "richtext", "tags": "multiselect", "members": "multiselect"}  # of fields, by name
Row = dict[str, Any]


@dataclass(frozen=True)
class By:
    """Who takes a board over, where and when."""

    org_id: str
    actor: Actor
    now: str


class Rows:
    """The rows of one board that becomes one project, each made when it is asked for."""

    def __init__(self, board: Board, title: str, by: By) -> None:
        self._board, self._by, self.title = board, by, title
        self._actor = {"type": by.actor.type, "id": by.actor.id, "label": by.actor.label}
        self.project, self._card_type = new_id("proj"), new_id("ctype")
        self._fields = {name: new_id("fld") for name in KINDS}
        self._lists = [(new_id("col"), card_list) for card_list in board.lists]
        self._cards: list[tuple[str, Card]] = []  # once they are made: their comments follow behind them all

    def of_all(self) -> Iterator[tuple[str, int, Row]]:
        """Give all rows as they would stand in a snapshot: (group, index, row)."""
        groups: dict[str, Iterable[Row]] = {
            "projects": [{"id": self.project, "title": self.title}],
            "cardTypes": [self._type()],
            "fields": [self._field(order, name) for order, name in enumerate(KINDS)],
            "columns": (self._column(order, *one) for order, one in enumerate(self._lists)),
            "transitions": self._transitions(),
            "cards": (self._card(column, card) for column, one in self._lists for card in one.cards),
            "comments": (self._comment(card_id, said) for card_id, card in self._cards for said in _said(card)),
        }
        return ((group, index, row) for group, rows in groups.items() for index, row in enumerate(rows))

    def _type(self) -> Row:
        return {"id": self._card_type, "projectId": self.project, "title": "Card", "color": CARD_TYPE_COLOR}

    def _field(self, order: int, name: str) -> Row:
        about = {"name": name, "label": name.capitalize(), "kind": KINDS[name], "order": order}
        return {"id": self._fields[name], "cardTypeId": self._card_type, **about}

    def _column(self, order: int, column_id: str, card_list: CardList) -> Row:
        is_open_to_agents = not card_list.done and not card_list.closed
        return {
            "id": column_id,
            "projectId": self.project,
            "title": shorten(card_list.title),
            "order": order,
            "columnType": "done" if card_list.done else "standard",
            "agentPickupEnabled": is_open_to_agents,
            "agentCanModerate": is_open_to_agents,
            "archivedAt": self._by.now if card_list.closed else None,
        }

    def _transitions(self) -> Iterator[Row]:
        """Let cards move as freely as in Trello."""
        opened = [column_id for column_id, card_list in self._lists if not card_list.closed]
        for origin, target in permutations(opened, 2):
            yield {"id": new_id("tr"), "projectId": self.project, "fromColumnId": origin, "toColumnId": target}

    def _card(self, column_id: str, card: Card) -> Row:
        values = {"description": describe(card), "tags": list(card.tags), "members": list(card.members)}
        card_id = new_id("card")
        self._cards.append((card_id, card))
        row = {
            "id": card_id,
            "projectId": self.project,
            "columnId": column_id,
            "cardTypeId": self._card_type,
            "title": shorten(card.title),
            "dueDate": card.due.isoformat() if card.due else None,
            "createdBy": self._actor,
            "fieldValues": [{"fieldId": self._fields[name], "value": value} for name, value in values.items() if value],
        }
        archived = {"archivedAt": self._by.now, "archivedBy": self._actor, "archiveId": new_id("op")}
        return row | (archived if card.archived else {})

    def _comment(self, card_id: str, content: str) -> Row:
        return {"id": new_id("cmt"), "cardId": card_id, "actor": self._actor, "content": content}


def _said(card: Card) -> Iterator[str]:
    return (content for comment in card.comments for content in contents(comment))
