"""Duplicates of cards (contract, section 8.2)."""

import contextlib

from ..auth.context import CardCall
from ..auth.policies import CARD, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import due_dates, field_values
from ..errors import BadRequest, invalid
from ..pipeline.routing import routes
from ..schemas import TITLE_CHARACTERS_MAX, Id, Input, Title, stored_json
from . import card_lifecycle, cards, columns, parts, relationships

SUFFIX = " (copy)"
PARTS_MAX = 50


class Duplicate(Input):
    title: Title | None = None
    column_id: Id | None = None
    with_parts: bool = False


@routes.post("/cards/{card_id}/duplicate", may("create", "Card", CARD, whole=True))
def duplicate_card(call: CardCall, card_id: str, body: Duplicate) -> cards.Card:
    """Create a copy of a card, with its type, field values, priority, assignees and due date, but without its files.

    Its title is that of the card with ` (copy)`, unless `title` is given. It is created at the end of the given column
    of the board, else of the card's own column. With `withParts`, copies of the card's active parts on the same board,
    at most 50, are created in the same column as parts of the copy. Values that are no longer valid are left out.
    Raises the errors of card creation; all cards are created or none.
    """
    copied = _list_parts(call, card_id) if body.with_parts else []
    column = card_lifecycle.require_destination_near(call, call.card, body.column_id)
    columns.check_wip_limit(call, column, 1 + len(copied))
    copy_id = _copy_card(call, call.card, column, body.title or _create_title(call.card["title"]))
    for part in copied:
        part_id = _copy_card(call, part, column, part["title"])
        relationships.insert_relationship(call, "partOf", None, from_card_id=part_id, to_card_id=copy_id)
    return cards.get_card(call, copy_id)


def _create_title(title: str) -> str:
    return title[: TITLE_CHARACTERS_MAX - len(SUFFIX)] + SUFFIX


def _list_parts(call: CardCall, card_id: str) -> list[Row]:
    parts.require_relationship_permission(call)
    ids = call.tx.all(sql.relationships.list_part_ids, card_id=card_id, project_id=call.card["project_id"])
    if len(ids) > PARTS_MAX:
        raise invalid("withParts", f"copies at most {PARTS_MAX} parts, and this card has {len(ids)}; leave it out")
    rows = [call.tx.one(sql.cards.get_full, card_id=row["card_id"]) for row in ids]
    return [row for row in rows if row is not None]


def _copy_card(call: CardCall, original: Row, column: Row, title: str) -> str:
    body = card_lifecycle.NewCard(
        projectId=original["project_id"],
        cardTypeId=original["card_type_id"],
        title=title,
        priority=original["priority"],
        dueDate=due_dates.get_text(original),
        assignedAgentId=_find_valid_assignee(call, original, "assigned_agent_id"),
        assignedUserId=_find_valid_assignee(call, original, "assigned_user_id"),
    )
    return card_lifecycle.insert_card(call, body, column["id"], _find_valid_values(call, original))


def _find_valid_assignee(call: CardCall, original: Row, key: str) -> str | None:
    """Return an assignee of a card; None if there is none, or if the card is about to be unassigned."""
    try:
        cards.check_assignees(call, {key: original[key]})
    except BadRequest:
        return None
    return str(original[key]) if original[key] else None


def _find_valid_values(call: CardCall, original: Row) -> dict[str, tuple[Row, field_values.Value]]:
    """Return the values of a card that its type still accepts, by field id."""
    fields = {row["id"]: row for row in call.tx.all(sql.fields.list, card_type_id=original["card_type_id"])}
    values: dict[str, tuple[Row, field_values.Value]] = {}
    for item in stored_json(original["field_values"]):
        field = fields[item["fieldId"]]
        with contextlib.suppress(ValueError):  # a file, or something removed
            values[field["id"]] = (field, field_values.normalize_value(call, field, item["value"]))
    return values
