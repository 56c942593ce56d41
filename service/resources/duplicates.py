"""Duplicates of cards."""

import contextlib
from functools import partial

from ..auth import busy_resources
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import due_dates, field_values
from ..errors import BadRequest, Conflict, NotFound, ServiceError, invalid
from ..pipeline import jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import TITLE_CHARACTERS_MAX, Id, Input, Title, stored_json
from . import card_lifecycle, cards, columns, parts, relationships

SUFFIX = " (copy)"
PARTS_MAX = 50


class Duplicate(Input):
    title: Title | None = None
    column_id: Id | None = None
    with_parts: bool = False


@routes.post("/cards/{card_id}/duplicate", may("create", "Card", CARD, loads_whole_card=True))
async def duplicate_card(operation: Operation[CardCall], card_id: str, body: Duplicate) -> cards.Card:
    """Create a copy of a card, with its type, field values, priority, assignees and due date, but without its files.

    Its title is that of the card with ` (copy)`, unless `title` is given. It is created at the end of the given column
    of the board, else of the card's own column. Values that are no longer valid are left out. Raises the errors of card
    creation.

    With `withParts`, copies of the card's active parts on the same board, at most 50, are created in the same column as
    parts of the copy. Many or large parts take several transactions; until the last one, writes to the copy fail with
    409 conflict (`details.state: duplicating`). If a part cannot be created meanwhile (`details.cardId` and `cardKey`
    name the copy), the copy keeps the parts that it has.
    """
    made: dict[str, str] = {}
    start, finish = partial(_start, body=body, made=made), partial(_get_copy, made=made)
    copy = await jobs.run_in_batches(operation, start, finish, is_known_at_start=True)
    assert copy is not None
    return copy


def _start(call: CardCall, body: Duplicate, made: dict[str, str]) -> jobs.Job:
    """Create the copy, and return the job that creates its parts."""
    part_ids = _list_part_ids(call) if body.with_parts else []
    column = card_lifecycle.require_destination_near(call, call.card, body.column_id)
    columns.check_wip_limit(call, column, 1 + len(part_ids))
    made["card_id"] = _copy_card(call, call.card, column, body.title or _create_title(call.card["title"]))
    return jobs.Job("duplicate_parts", "card", made["card_id"], {"part_ids": part_ids, "column_id": column["id"]})


def _get_copy(call: Call, made: dict[str, str]) -> cards.Card:
    if call.tx.one(sql.cards.get, card_id=made["card_id"]) is None:
        raise NotFound("card")  # removed with its board meanwhile
    return cards.get_card(call, made["card_id"])


@jobs.batches("duplicate_parts", "duplicating", ends_with_error=True, grows=True)
def duplicate_next_part(call: Call, job: jobs.Job) -> bool:
    """Create the next part of a copy; return whether it is complete. Parts that have left the board are left out."""
    part_ids, copy_id = job.parameters["part_ids"], job.resource_id
    if not part_ids:
        return True
    try:
        _duplicate_part(call, part_ids.pop(0), copy_id, job.parameters["column_id"])
    except ServiceError as error:
        copy = call.tx.one(sql.cards.get, card_id=copy_id) if job.is_started else None
        if copy is not None:
            error.details |= {"cardId": copy_id, "cardKey": copy["key"]}
        raise
    return not part_ids


def _duplicate_part(call: Call, part_id: str, copy_id: str, column_id: str) -> None:
    copy, part = call.tx.one(sql.cards.get, card_id=copy_id), call.tx.one(sql.cards.get_full, card_id=part_id)
    column = columns.find_column(call, column_id)
    if copy is None or column is None:
        raise Conflict(None, "The column or the board of the copy was removed meanwhile.", state="removed")
    if part is None or part["archived_at"] or part["project_id"] != copy["project_id"]:
        return
    busy_resources.require_idle(call, column_id=column_id)
    columns.check_wip_limit(call, column)
    made_id = _copy_card(call, part, column, part["title"])
    relationships.insert_relationship(call, "partOf", None, from_card_id=made_id, to_card_id=copy_id)


def _create_title(title: str) -> str:
    return title[: TITLE_CHARACTERS_MAX - len(SUFFIX)] + SUFFIX


def _list_part_ids(call: CardCall) -> list[str]:
    parts.require_relationship_permission(call)
    rows = call.tx.all(sql.relationships.list_part_ids, card_id=call.card["id"], project_id=call.card["project_id"])
    if len(rows) > PARTS_MAX:
        raise invalid("withParts", f"copies at most {PARTS_MAX} parts, and this card has {len(rows)}; leave it out")
    return [row["card_id"] for row in rows]


def _copy_card(call: Call, original: Row, column: "sql.columns.GetRow", title: str) -> str:
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


def _find_valid_assignee(call: Call, original: Row, key: str) -> str | None:
    """Return an assignee of a card; None if there is none, or if the card is about to be unassigned."""
    try:
        cards.check_assignees(call, {key: original[key]})
    except BadRequest:
        return None
    return str(original[key]) if original[key] else None


def _find_valid_values(call: Call, original: Row) -> dict[str, tuple[Row, field_values.Value]]:
    """Return the values of a card that its type still accepts, by field id."""
    fields = {row["id"]: row for row in call.tx.all(sql.fields.list, card_type_id=original["card_type_id"])}
    values: dict[str, tuple[Row, field_values.Value]] = {}
    for item in stored_json(original["field_values"]):
        field = fields[item["fieldId"]]
        with contextlib.suppress(ValueError):  # a file, or something removed
            values[field["id"]] = (field, field_values.normalize_value(call, field, item["value"]))
    return values
