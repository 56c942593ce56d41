"""Splitting of a card into part cards, which block it until all of them are done."""

from typing import Annotated

from pydantic import Field

from ..auth.context import CardCall
from ..auth.policies import CARD, PICKUP, agent_where, may
from ..database.queries import sql
from ..domain import pattern_prechecks
from ..errors import BadRequest, CircuitOpen, Forbidden, rename_paths
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Title
from . import card_lifecycle, cards, columns, guard, relationships

PATH = "/cards/{card_id}/split"


class NewPart(Input):
    title: Title
    card_type_id: Id | None = None
    priority: cards.OptionalPriority = "none"
    assigned_agent_id: Id | None = None
    field_values: cards.FieldValues = []


class Split(Input):
    parts: Annotated[list[NewPart], Field(min_length=1, max_length=50)]
    column_id: Id | None = None


class MadeParts(Output):
    """The cards that a split created, in the order of the request."""

    items: list[cards.Card]


@routes.post(PATH, may("create", "Card", CARD), before=pattern_prechecks.precheck_patterns)
@routes.post(PATH + "/mcp", agent_where(PICKUP), before=pattern_prechecks.precheck_patterns)
def split_card(call: CardCall, card_id: str, body: Split) -> MadeParts | CircuitOpen:
    """Split a card: create 1 to 50 part cards, all or none, of the card's type unless a part names another.

    They are created in the given column, else in the card's own column if the caller may create cards there, else in
    the first column where the caller may. Raises the errors of card creation, with the path of the part.
    """
    require_relationship_permission(call)
    if runaway := guard.check_card_rate(call, len(body.parts)):
        return runaway
    column = card_lifecycle.require_destination_near(call, call.card, body.column_id)
    columns.check_wip_limit(call, column, len(body.parts))
    ids = [_create_part(call, column, part, index) for index, part in enumerate(body.parts)]
    return MadeParts(items=[cards.get_card(call, part_id) for part_id in ids])


def require_relationship_permission(call: CardCall) -> None:
    """Raise permission_denied if the caller's role may not create relationships, since a part is one."""
    if call.membership is not None and "create" not in call.membership.actions.get("Relationship", ()):
        message = (
            "Your role may not create relationships, and a part is one; a Solution Architect can grant this permission."
        )
        raise Forbidden(None, message, resource="Relationship", action="create")


def _create_part(call: CardCall, column: "sql.columns.GetRow", part: NewPart, index: int) -> str:
    """Create one part and return its id; the details of an error contain the index of the part."""
    body = card_lifecycle.NewCard(
        projectId=call.card["project_id"],
        cardTypeId=part.card_type_id or call.card["card_type_id"],
        title=part.title,
        priority=part.priority,
        assignedAgentId=part.assigned_agent_id,
        fieldValues=part.field_values,
    )
    try:
        part_id = card_lifecycle.write_card(call, body, column)
    except BadRequest as error:
        error.details["part"] = index
        rename_paths(error, lambda path: f"parts.{index}.{path}")
        raise
    relationships.insert_relationship(call, "partOf", None, from_card_id=part_id, to_card_id=call.card["id"])
    return part_id
