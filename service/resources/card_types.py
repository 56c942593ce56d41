"""Card types: the fields of a card, and whether it can have comments and files."""

from typing import Annotated

from pydantic import MISSING

from ..auth import archived_boards, busy_resources
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..errors import Conflict
from ..ids import new_id
from ..pipeline import filter_values, reference_errors
from ..pipeline.routing import routes
from ..schemas import Color, Id, Input, Output, Query, StoredJson, Title
from . import events
from .fields import CustomField

DEFAULT_COLOR = "#64748b"


class CardType(Output):
    """A card type with its fields."""

    id: str
    project_id: str | None
    title: str
    color: str
    comments_enabled: bool
    files_enabled: bool
    created_at: str
    fields: Annotated[list[CustomField], StoredJson]


class CardTypeUsage(Output):
    """A board on which cards have a type, with the numbers of active and archived ones."""

    id: str
    title: str
    card_count: int
    archived_count: int


class NewCardType(Input):
    project_id: Id | None = None
    title: Title
    color: Color = DEFAULT_COLOR
    comments_enabled: bool = True
    files_enabled: bool = True


class CardTypeEdit(Input):
    title: Title | MISSING = MISSING
    color: Color | MISSING = MISSING
    comments_enabled: bool | MISSING = MISSING
    files_enabled: bool | MISSING = MISSING


class CardTypeQuery(Query):
    project_id: str | None = None


def require_card_type(call: Call, card_type_id: str) -> "sql.card_types.GetFullRow":
    """Return an active card type of the organization with its fields; raise NotFound if there is none."""
    row = call.tx.one(sql.card_types.get_full, card_type_id=card_type_id, org_id=call.org_id)
    if row is None:
        raise archived_boards.not_found(call, "card type", card_type_id)
    return row


def find_card_type(call: Call, card_type_id: str) -> "sql.card_types.GetRow | None":
    """Return an active card type of the organization without its fields; None if there is none."""
    return call.tx.one(sql.card_types.get, card_type_id=card_type_id, org_id=call.org_id)


def require_usable_type(call: Call, card_type_id: str, project_id: str) -> "sql.card_types.GetRow":
    """Return the card type that a body names for a card of a project; raise validation_failed if it is unusable."""
    card_type = find_card_type(call, card_type_id)
    if card_type is None or card_type["project_id"] not in (None, project_id):
        message = "names no card type of the project or its organization"
        raise reference_errors.unknown_card_type(call, "cardTypeId", project_id, message)
    return card_type


@routes.get("/organizations/{org_id}/card-types", may("read", "CardType"))
def list_card_types(call: Call, org_id: str, query: CardTypeQuery) -> list[CardType]:
    """List the card types of an organization, or those available in a project, oldest first."""
    filter_values.require_known(call, query)
    rows = call.tx.all(sql.card_types.list, org_id=org_id, project_id=query.project_id)
    return [CardType.of(row) for row in rows]


@routes.post("/organizations/{org_id}/card-types", may("create", "CardType", requires_architect=True))
def create_card_type(call: Call, org_id: str, body: NewCardType) -> CardType:
    """Create a card type for a project, or without `projectId` for all projects of the organization (SA)."""
    if body.project_id and not call.tx.one(sql.projects.get, org_id=org_id, project_id=body.project_id):
        raise reference_errors.unknown_project(call)
    busy_resources.require_idle(call, project_id=body.project_id)
    type_id = new_id("ctype")
    call.tx.run(sql.card_types.create, id=type_id, org_id=org_id, now=call.now, **body.model_dump())
    events.record(call, "cardType.created", project_id=body.project_id)
    return CardType.of(require_card_type(call, type_id))


@routes.patch("/organizations/{org_id}/card-types/{card_type_id}", may("update", "CardType", requires_architect=True))
def update_card_type(call: Call, org_id: str, card_type_id: str, body: CardTypeEdit) -> CardType:
    """Update a card type (SA)."""
    before = require_card_type(call, card_type_id)
    row = {**before, **body.changes()}
    values = {key: row[key] for key in ("title", "color", "comments_enabled", "files_enabled")}
    call.tx.run(sql.card_types.update, card_type_id=card_type_id, **values)
    if row != before:
        events.record(call, "cardType.updated", project_id=row["project_id"])
    return CardType.of(row)


@routes.get(
    "/organizations/{org_id}/card-types/{card_type_id}/usage",
    may("delete", "CardType", requires_architect=True),
    on_reader_thread=True,
)
def list_card_type_usage(call: Call, org_id: str, card_type_id: str) -> list[CardTypeUsage]:
    """List the boards of a card type (SA).

    Those on which most cards have the type come first.
    """
    require_card_type(call, card_type_id)
    return [CardTypeUsage.of(row) for row in call.tx.all(sql.card_types.list_usage, card_type_id=card_type_id)]


@routes.delete("/organizations/{org_id}/card-types/{card_type_id}", may("delete", "CardType", requires_architect=True))
def delete_card_type(call: Call, org_id: str, card_type_id: str) -> None:
    """Delete a card type (SA); 409 card_type_in_use if active cards have this type."""
    row = require_card_type(call, card_type_id)
    if call.tx.value(sql.card_types.is_in_use, card_type_id=card_type_id):
        raise Conflict("card_type_in_use", "Active cards have this type; archive or delete them first.")
    call.tx.run(sql.card_types.delete, card_type_id=card_type_id, now=call.now)
    events.record(call, "cardType.removed", project_id=row["project_id"])
