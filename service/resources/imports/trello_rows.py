"""Conversion of a Trello board to the rows of a snapshot."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from ...ids import new_id
from ...schemas import Actor
from ...trello.board import TrelloBoard, TrelloCard, TrelloList, TrelloMember
from ...trello.custom_fields import DESCRIPTION, DUE_COMPLETE, LABELS, MEMBERS, START, TrelloField
from ...trello.description import describe_with_comments, shorten
from ...trello.export import to_text
from .trello_members import Members

CARD_TYPE_COLOR = "#2563eb"
Row = dict[str, Any]


@dataclass(frozen=True)
class Importer:
    """The person who imports a board, the organization and the time."""

    org_id: str
    actor: Actor
    now: str
    members: Members


class Rows:
    """The rows of one board, which becomes one project; generated lazily."""

    def __init__(self, board: TrelloBoard, title: str, importer: Importer) -> None:
        self._board, self._importer, self.title = board, importer, title
        self._actor = {"type": importer.actor.type, "id": importer.actor.id, "label": importer.actor.label}
        self.project, self._card_type = new_id("proj"), new_id("ctype")
        self._fields = {row["name"]: row for row in self._field_rows()}
        self._lists = [(new_id("col"), card_list) for card_list in board.lists]
        self._comments: list[tuple[str, str]] = []  # ids of cards and contents, which follow after all cards

    def list_rows(self) -> Iterator[tuple[str, int, Row]]:
        """Return all rows in the form of a snapshot: (group, index, row)."""
        groups: dict[str, Iterable[Row]] = {
            "projects": [{"id": self.project, "title": self.title}],
            "cardTypes": [self._card_type_row()],
            "fields": self._fields.values(),
            "columns": (self._column(order, *pair) for order, pair in enumerate(self._lists)),
            "transitions": self._transitions(),
            "cards": (self._card(column, card) for column, card_list in self._lists for card in card_list.cards),
            "comments": (self._comment(card_id, text) for card_id, text in self._comments),
        }
        return ((group, index, row) for group, rows in groups.items() for index, row in enumerate(rows))

    def _card_type_row(self) -> Row:
        return {"id": self._card_type, "projectId": self.project, "title": "Card", "color": CARD_TYPE_COLOR}

    def _field_rows(self) -> Iterator[Row]:
        """Yield the fields of the card type: those that every card of Trello has, then the custom ones of the board."""
        cards, colors = self._board.cards, dict(self._board.label_colors)
        rows: list[Row] = [
            {"name": DESCRIPTION, "label": "Description", "kind": "richtext"},
            {"name": LABELS, "label": "Labels", "kind": "multiselect", "showOnCard": True, "optionColors": colors},
            {"name": MEMBERS, "label": "Members", "kind": "multiselect"},
        ]
        if any(card.start for card in cards):
            rows.append({"name": START, "label": "Start", "kind": "date"})
        if any(card.due_complete for card in cards):
            rows.append({"name": DUE_COMPLETE, "label": "Due complete", "kind": "checkbox"})
        for order, row in enumerate([*rows, *map(_custom_field, self._board.fields)]):
            defaults: Row = {"showOnCard": False, "optionColors": {}}
            yield {"id": new_id("fld"), "cardTypeId": self._card_type, "order": order, **defaults, **row}

    def _column(self, order: int, column_id: str, card_list: TrelloList) -> Row:
        is_open_to_agents = not card_list.done and not card_list.closed
        return {
            "id": column_id,
            "projectId": self.project,
            "title": shorten(card_list.title),
            "order": order,
            "columnType": "done" if card_list.done else "standard",
            "wipLimit": card_list.limit,
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
        card_id = new_id("card")
        description, comments = describe_with_comments(card)
        self._comments += [(card_id, content) for content in comments]
        assignee, user_id = self._importer.members.find_assignee(card.members) or (None, None)
        row = {
            "id": card_id,
            "projectId": self.project,
            "columnId": column_id,
            "cardTypeId": self._card_type,
            "title": shorten(card.title),
            "assignedUserId": user_id,
            "dueDate": card.due.isoformat() if card.due else None,
            "dueAllDay": False,
            "createdBy": self._actor,
            "fieldValues": [
                {"fieldId": self._fields[name]["id"], "value": value}
                for name, value in _values(card, description, assignee).items()
                if value
            ],
        }
        archived = {"archivedAt": self._importer.now, "archivedBy": self._actor, "archiveId": new_id("op")}
        return row | (archived if card.archived else {})

    def _comment(self, card_id: str, content: str) -> Row:
        return {"id": new_id("cmt"), "cardId": card_id, "actor": self._actor, "content": content}


def _values(card: TrelloCard, description: str, assignee: TrelloMember | None) -> dict[str, Any]:
    """Return the values of a card by the names of their fields; who is assigned is not named again."""
    return {
        DESCRIPTION: description,
        LABELS: list(card.labels),
        MEMBERS: list(dict.fromkeys(member.name for member in card.members if member != assignee)),
        START: to_text(card.start) if card.start else None,
        DUE_COMPLETE: "true" if card.due_complete else None,
        **card.values,
    }


def _custom_field(field: TrelloField) -> Row:
    options, colors = list(dict.fromkeys(field.options.values())), dict(field.option_colors)
    values = {"options": options, "showOnCard": field.is_shown, "optionColors": colors}
    return {"name": field.name, "label": field.label, "kind": field.kind, **values}
