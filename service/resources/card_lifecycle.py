"""Creation, archiving, restoration and permanent deletion of cards."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from ..auth import busy_resources
from ..auth.authorization import check_column_policy
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, MODERATE, PICKUP, agent, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import due_dates, field_values, pattern_prechecks, ranks
from ..errors import CircuitOpen, Conflict, Forbidden, ServiceError, invalid, rename_paths
from ..http.responses import Answer
from ..ids import new_id
from ..pipeline import reference_errors
from ..pipeline.routing import routes
from ..schemas import Id, Input, ModeQuery, Name, Output, Success, Title
from . import card_types, cards, claims, columns, guard, history, presets, removal

PATH = "/organizations/{org_id}/cards"
ITEMS_MAX, ITEMS_BYTES_MAX = 100, 4 << 20  # of cards that one request creates


class NewCard(due_dates.DueDateInput):
    project_id: Id
    column_id: Id | None = None
    card_type_id: Id
    title: Title
    assigned_agent_id: Id | None = None
    assigned_user_id: Id | None = None
    priority: cards.OptionalPriority = "none"
    due_date: due_dates.DueDate = None
    field_values: cards.FieldValues = []
    preset_name: Name | None = None


class NewCards(Input):
    items: Annotated[list[NewCard], Field(min_length=1, max_length=ITEMS_MAX)]


class MadeCards(Output):
    """The cards that one request created, in the order of the request."""

    items: list[cards.Card]


@routes.post(PATH, may("create", "Card"), answers=cards.Card | MadeCards, before=pattern_prechecks.precheck_patterns)
@routes.post(PATH + "/mcp", agent(), answers=cards.Card | MadeCards, before=pattern_prechecks.precheck_patterns)
def create_card(call: Call, org_id: str, body: NewCard | NewCards) -> cards.Card | Answer | CircuitOpen:
    """Create a card at the end of a column; by default of the first column in which the caller can create cards.

    A `dueDate` like `2026-11-30` is a day, any other timestamp a moment, or with `dueAllDay: true` the day that it
    names.

    With `items`, a list of such bodies, create up to 100 cards, all or none; the response is `{items: [card]}`. The
    details of an error have the index of the `item` that caused it. The created cards can have at most 4 MiB as JSON.
    """
    items = body.items if isinstance(body, NewCards) else [body]
    if circuit_open := guard.check_card_rate(call, len(items)):
        return circuit_open
    if isinstance(body, NewCard):
        return cards.get_card(call, _create_card(call, body))
    return Answer(b'{"items":[' + b",".join(_create_cards(call, items)) + b"]}")


def _create_card(call: Call, body: NewCard) -> str:
    column = require_destination(call, body.project_id, body.column_id)
    columns.check_wip_limit(call, column)
    return write_card(call, body, column)


def _create_cards(call: Call, items: list[NewCard]) -> Iterator[bytes]:
    """Create several cards and yield them as JSON; presets can make the cards much larger than the request."""
    bytes_left = ITEMS_BYTES_MAX
    for index, item in enumerate(items):
        try:
            card = cards.get_card(call, _create_card(call, item)).encode()
        except ServiceError as error:
            error.details["item"] = index
            rename_paths(error, partial("items.{}.{}".format, index))
            raise
        bytes_left -= len(card)
        if bytes_left < 0:
            raise invalid("items", f"may have {ITEMS_BYTES_MAX >> 20} MiB together; send fewer at a time")
        yield card


def require_destination(call: Call, project_id: str, column_id: str | None) -> "sql.columns.GetRow":
    """Return the column for a new card: the given one, else the first usable one; raise an error if it is unusable."""
    if not call.tx.one(sql.projects.get, org_id=call.org_id, project_id=project_id):
        raise reference_errors.unknown_project(call)
    column = _find_first_column(call, project_id) if column_id is None else columns.find_column(call, column_id)
    if column is None or column["project_id"] != project_id:
        raise reference_errors.unknown_column(call, "columnId", project_id, "names no column of the project")
    if call.is_agent:
        _require_agent_column(call, column)
    busy_resources.require_idle(call, column_id=column["id"])
    return column


def require_destination_near(call: Call, card: "sql.cards.GetRow", column_id: str | None) -> "sql.columns.GetRow":
    """Return the column for a new card beside another one: the given one, else its own, else the first usable one."""
    own = columns.find_column(call, card["column_id"])
    if column_id is None and own is not None and can_create_cards(call, own):
        column_id = own["id"]
    return require_destination(call, card["project_id"], column_id)


def _require_agent_column(call: Call, column: "sql.columns.GetRow") -> None:
    """Raise Forbidden if agents cannot create cards in a column, with the titles of the columns in which they can."""
    try:
        check_column_policy(column, (PICKUP, MODERATE))
    except Forbidden as error:
        others = call.tx.all(sql.columns.list, org_id=call.org_id, project_id=column["project_id"])
        titles = [other["title"] for other in others if can_create_cards(call, other)]
        error.details["options"] = titles[: reference_errors.OPTIONS_MAX]
        raise


def _find_first_column(call: Call, project_id: str) -> "sql.columns.GetRow":
    rows = call.tx.all(sql.columns.list, org_id=call.org_id, project_id=project_id)
    if not rows:
        raise invalid("columnId", "names no column of the project, since it has none")
    for column in rows:
        if can_create_cards(call, column):
            return column
    message = "Agents cannot create cards in any column of this project; ask a person to create the card."
    raise Forbidden("agent_pickup_disabled", message)


def can_create_cards(call: Call, column: "sql.columns.GetRow") -> bool:
    """Return whether the caller can create cards in a column: people always, agents if the column lets them."""
    return not call.is_agent or bool(column["agent_pickup_enabled"] and column["agent_can_moderate"])


def write_card(call: Call, body: NewCard, column: "sql.columns.GetRow") -> str:
    """Write a new card at the end of a column that the caller has checked, and return its id."""
    card_types.require_usable_type(call, body.card_type_id, body.project_id)
    cards.check_assignees(call, body.model_dump())
    values = field_values.check_values(call, body.card_type_id, _add_preset_values(call, body))
    return insert_card(call, body, column["id"], values)


def insert_card(call: Call, body: NewCard, column_id: str, values: dict[str, tuple[Row, field_values.Value]]) -> str:
    """Insert a card with checked field values at the end of a column, record its creation, and return its id."""
    card_id = _insert_row(call, body, column_id)
    changes = field_values.write_values(call, card_id, values)
    history.record(call, card_id, "created", _get_initial_changes(body, column_id) | changes)
    return card_id


def _add_preset_values(call: Call, body: NewCard) -> list[field_values.NewFieldValue]:
    """Return the explicit field values and those of the preset for all other fields."""
    if body.preset_name is None:
        return body.field_values
    explicit = {item.field_id for item in body.field_values}
    preset = presets.list_preset_values(call, body.card_type_id, body.preset_name)
    return [item for item in preset if item.field_id not in explicit] + body.field_values


def _insert_row(call: Call, body: NewCard, column_id: str) -> str:
    card_id = new_id("card")
    given = body.model_dump(exclude={"field_values", "preset_name"})
    values = due_dates.apply_changes(given, due_dates.get_columns(None))
    values |= {"column_id": column_id, "org_id": call.org_id}
    values |= {"rank_key": ranks.get_rank_at_end(call, column_id), "created_by": call.actor.json(), "now": call.now}
    (project,) = call.tx.all(sql.projects.next_number, project_id=body.project_id)
    call.tx.run(sql.cards.create, id=card_id, number=project["last_number"], **values)
    return card_id


def _get_initial_changes(body: NewCard, column_id: str) -> dict[str, tuple[Any, Any]]:
    values = body.model_dump(by_alias=True, exclude={"due_all_day", "field_values", "project_id", "preset_name"}) | {
        "columnId": column_id
    }
    return {name: (None, value) for name, value in values.items() if value is not None}


DELETE_POLICY = may("delete", "Card", CARD, allows_archived_cards=True, supports_if_match=True)


@routes.delete("/cards/{card_id}", DELETE_POLICY)
def delete_card(call: CardCall, card_id: str, query: ModeQuery) -> Success:
    """Archive a card; with mode=permanent, delete it with its comments and its history."""
    if query.mode == "permanent":
        removal.delete_card(call, card_id)
        return Success()
    if call.card["archived_at"]:
        message = "The card is already archived; mode=permanent deletes it permanently."
        raise Conflict(None, message, state="archived")
    archive_id = new_id("op")
    call.tx.run(sql.cards.archive, card_id=card_id, now=call.now, archived_by=call.actor.json(), archive_id=archive_id)
    changes = {"archivedAt": (None, call.now), **claims.end_claim(call, call.card)}
    history.record(call, card_id, "archived", changes, call.card["column_id"])
    return Success()


@routes.post(
    "/cards/{card_id}/restore", may("update", "Card", CARD, allows_archived_cards=True, allows_archived_boards=True)
)
def restore_card(call: CardCall, card_id: str) -> cards.Card:
    """Restore an archived card to its column, or to the first column of the project if its own was deleted."""
    if not call.card["archived_at"]:
        raise Conflict(None, "The card is not archived, so it cannot be restored.", state="active")
    return restore_archived_card(call, call.card)


def restore_archived_card(call: Call, card: Row) -> cards.Card:
    """Restore an archived card; raise archived_parent if its project is archived or its type or all columns deleted."""
    if card["project_archived_at"]:
        raise Conflict("archived_parent", "The project of the card is archived; restore the project first.")
    if card["card_type_archived_at"]:
        raise Conflict("archived_parent", "The type of the card was deleted; the card can only be deleted permanently.")
    former = columns.find_column(call, card["column_id"])
    column = former or call.tx.one(sql.columns.get_first, project_id=card["project_id"])
    if column is None:
        raise Conflict("archived_parent", "The project has no columns; create one first.")
    busy_resources.require_idle(call, column_id=column["id"])
    columns.check_wip_limit(call, column)
    _write_restored_card(call, card, column["id"])
    return cards.get_card(call, card["id"])


def _write_restored_card(call: Call, card: Row, column_id: str) -> None:
    changes: dict[str, tuple[Any, Any]] = {"archivedAt": (card["archived_at"], None)}
    if column_id != card["column_id"]:
        changes["columnId"] = (card["column_id"], column_id)
    rank_key = ranks.get_rank_at_end(call, column_id)
    call.tx.run(sql.cards.restore, card_id=card["id"], column_id=column_id, rank_key=rank_key, now=call.now)
    history.record(call, card["id"], "restored", changes, column_id)
