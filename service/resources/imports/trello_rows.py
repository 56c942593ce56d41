"""Conversion of a Trello board to the rows of a snapshot."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from ...ids import new_id
from ...schemas import Actor
from ...trello.board import TrelloBoard, TrelloCard, TrelloList
from ...trello.comment import contents
from ...trello.description import describe, shorten

CARD_TYPE_COLOR = "#2563eb"
KINDS = {"description": "richtext", "tags": "multiselect", "members": "multiselect"}  # of fields, by name
Row = dict[str, Any]


@dataclass(frozen=True)
class Importer:
    """The person who imports a board, the organization and the time."""

    org_id: str
    actor: Actor
    now: str


class Rows:
    """The rows of one board, which becomes one project; generated lazily."""

    def __init__(self, board: TrelloBoard, title: str, importer: Importer) -> None:
        self._board, self._importer, self.title = board, importer, title
        self._actor = {"type": importer.actor.type, "id": importer.actor.id, "label": importer.actor.label}
        self.project, self._card_type = new_id("proj"), new_id("ctype")
        self._fields = {name: new_id("fld") for name in KINDS}
        self._lists = [(new_id("col"), card_list) for card_list in board.lists]
        self._cards: list[tuple[str, TrelloCard]] = []  # with their new ids; their comments follow after all cards

    def list_rows(self) -> Iterator[tuple[str, int, Row]]:
        """Return all rows in the form of a snapshot: (group, index, row)."""
        groups: dict[str, Iterable[Row]] = {
            "projects": [{"id": self.project, "title": self.title}],
            "cardTypes": [self._card_type_row()],
            "fields": [self._field(order, name) for order, name in enumerate(KINDS)],
            "columns": (self._column(order, *pair) for order, pair in enumerate(self._lists)),
            "transitions": self._transitions(),
            "cards": (self._card(column, card) for column, card_list in self._lists for card in card_list.cards),
            "comments": (self._comment(card_id, text) for card_id, card in self._cards for text in _comments(card)),
        }
        return ((group, index, row) for group, rows in groups.items() for index, row in enumerate(rows))

    def _card_type_row(self) -> Row:
        return {"id": self._card_type, "projectId": self.project, "title": "Card", "color": CARD_TYPE_COLOR}

    def _field(self, order: int, name: str) -> Row:
        values = {"name": name, "label": name.capitalize(), "kind": KINDS[name], "order": order}
        return {"id": self._fields[name], "cardTypeId": self._card_type, **values}

    def _column(self, order: int, column_id: str, card_list: TrelloList) -> Row:
        is_open_to_agents = not card_list.done and not card_list.closed
        return {
            "id": column_id,
            "projectId": self.project,
            "title": shorten(card_list.title),
            "order": order,
            "columnType": "done" if card_list.done else "standard",
            "agentPickupEnabled": is_open_to_agents,
            "agentCanModerate": is_open_to_agents,
            "archivedAt": self._importer.now if card_list.closed else None,
        }

    def _transitions(self) -> Iterator[Row]:
        """Yield a transition for each pair of open columns, since Trello does not restrict moves."""
        open_ids = [column_id for column_id, card_list in self._lists if not card_list.closed]
        for origin, target in permutations(open_ids, 2):
            yield {"id": new_id("tr"), "projectId": self.project, "fromColumnId": origin, "toColumnId": target}

    def _card(self, column_id: str, card: TrelloCard) -> Row:
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
            "dueAllDay": False,
            "createdBy": self._actor,
            "fieldValues": [{"fieldId": self._fields[name], "value": value} for name, value in values.items() if value],
        }
        archived = {"archivedAt": self._importer.now, "archivedBy": self._actor, "archiveId": new_id("op")}
        return row | (archived if card.archived else {})

    def _comment(self, card_id: str, content: str) -> Row:
        return {"id": new_id("cmt"), "cardId": card_id, "actor": self._actor, "content": content}


def _comments(card: TrelloCard) -> Iterator[str]:
    return (content for comment in card.comments for content in contents(comment))
