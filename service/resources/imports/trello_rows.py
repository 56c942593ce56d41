"""Conversion of a Trello board to the rows of a snapshot."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import BadRequest
from ...ids import new_id
from ...schemas import Actor
from ...trello.board import TrelloBoard, TrelloCard, TrelloList, TrelloMember
from ...trello.custom_fields import DESCRIPTION, DUE_COMPLETE, LABELS, MEMBERS, START, TrelloField
from ...trello.description import describe_with_comments, shorten
from ...trello.export import to_text
from ...trello.lists import list_moves
from .trello_members import Members

CARD_TYPE_COLOR = "#2563eb"
ROWS_MAX = 500_000  # of one board, with the values of its cards
TEXT_BYTES_MAX = 1 << 30  # in these rows
TOO_MUCH = (
    f"The board would become more than {ROWS_MAX:,} rows (cards, values, comments and so on) or {TEXT_BYTES_MAX >> 30}"
    " GiB of texts. Split it in Trello first."
)
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
        self._commented: list[tuple[str, TrelloList, int]] = []  # ids of cards with comments, with list and place

    def list_rows(self) -> Iterator[tuple[str, int, Row]]:
        """Return all rows in the form of a snapshot: (group, index, row); raise InvalidSnapshotShape for too many."""
        groups: dict[str, Iterable[Row]] = {
            "projects": [{"id": self.project, "title": self.title}],
            "cardTypes": [self._card_type_row()],
            "fields": self._fields.values(),
            "columns": (self._column(order, *pair) for order, pair in enumerate(self._lists)),
            "transitions": self._transitions(),
            "cards": self._card_rows(),
            "comments": self._comment_rows(),
        }
        return _limit((group, index, row) for group, rows in groups.items() for index, row in enumerate(rows))

    def _card_type_row(self) -> Row:
        return {"id": self._card_type, "projectId": self.project, "title": "Card", "color": CARD_TYPE_COLOR}

    def _field_rows(self) -> Iterator[Row]:
        """Yield the fields of the card type: those that every card of Trello has, then the custom ones of the board."""
        rows: list[Row] = [
            {"name": DESCRIPTION, "label": "Description", "kind": "richtext"},
            {
                "name": LABELS,
                "label": "Labels",
                "kind": "multiselect",
                "showOnCard": True,
                "optionColors": dict(self._board.label_colors),
            },
            {"name": MEMBERS, "label": "Members", "kind": "multiselect"},
        ]
        if any(card.start for card in self._board.cards):
            rows.append({"name": START, "label": "Start", "kind": "date"})
        if any(card.due_complete for card in self._board.cards):
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
        open_ids = [column_id for column_id, card_list in self._lists if not card_list.closed]
        for origin, target in list_moves(len(open_ids)):
            ends = {"fromColumnId": open_ids[origin], "toColumnId": open_ids[target]}
            yield {"id": new_id("tr"), "projectId": self.project, **ends}

    def _card_rows(self) -> Iterator[Row]:
        for column_id, card_list in self._lists:
            for place, card in enumerate(card_list.cards):
                card_id = new_id("card")
                description, comments = describe_with_comments(card)
                if next(comments, None) is not None:
                    self._commented.append((card_id, card_list, place))
                yield self._card(card_id, column_id, card, description)

    def _comment_rows(self) -> Iterator[Row]:
        """Yield the comments, which come after all cards; their texts are generated again, since they may be large."""
        for card_id, card_list, place in self._commented:
            for content in describe_with_comments(card_list.cards[place])[1]:
                yield {"id": new_id("cmt"), "cardId": card_id, "actor": self._actor, "content": content}

    def _card(self, card_id: str, column_id: str, card: TrelloCard, description: str) -> Row:
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


def _limit(found: Iterable[tuple[str, int, Row]]) -> Iterator[tuple[str, int, Row]]:
    count = size = 0
    for group, index, row in found:
        count += 1 + len(row.get("fieldValues", ()))
        size += _count_text_bytes(row)
        if count > ROWS_MAX or size > TEXT_BYTES_MAX:
            raise BadRequest("InvalidSnapshotShape", TOO_MUCH, path="")
        yield group, index, row


def _count_text_bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, dict):
        return sum(map(_count_text_bytes, value.values()))
    return sum(map(_count_text_bytes, value)) if isinstance(value, list) else 0


def _values(card: TrelloCard, description: str, assignee: TrelloMember | None) -> dict[str, Any]:
    """Return the values of a card by the names of their fields, without the member to whom it is assigned."""
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
