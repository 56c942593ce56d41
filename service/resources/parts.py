"""Parts: a card that is too much is split, and is held back until the last part of it is done (contract, section 7)."""

from typing import Annotated

from pydantic import Field

from ..auth.context import CardCall
from ..auth.policies import CARD, PICKUP, agent_where, may
from ..database.store import Row
from ..domain import pattern_prechecks
from ..errors import BadRequest, CircuitOpen, Forbidden
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Title
from . import card_lifecycle, cards, columns, guard, relationships

PATH = "/cards/{card_id}/split"


class NewPart(Input):
    title: Title
    card_type_id: Id | None = None
    priority: cards.Priority = "none"
    assigned_agent_id: Id | None = None
    field_values: cards.FieldValues = []


class Split(Input):
    parts: Annotated[list[NewPart], Field(min_length=1, max_length=50)]
    column_id: Id | None = None


class MadeParts(Output):
    """The cards that a split made, in the order in which they were asked for."""

    items: list[cards.Card]


@routes.post(PATH, may("create", "Card", CARD), before=pattern_prechecks.precheck_patterns)
@routes.post(PATH + "/mcp", agent_where(PICKUP), before=pattern_prechecks.precheck_patterns)
def split_card(call: CardCall, card_id: str, body: Split) -> MadeParts | CircuitOpen:
    """Make 1 to 50 cards that are parts of a card, all or none, of its type unless they name another.

    They come into the column named, else into the card's own if the caller may make cards there, else into the first
    where it may. What refuses a new card refuses the split, with the path of the part.
    """
    _judge(call)
    if runaway := guard.check_card_rate(call, len(body.parts)):
        return runaway
    column = _column(call, body.column_id)
    columns.check_wip_limit(call, column, len(body.parts))
    made = [_add(call, column, part, index) for index, part in enumerate(body.parts)]
    return MadeParts(items=[cards.get_card(call, part_id) for part_id in made])


def _judge(call: CardCall) -> None:
    if call.membership is not None and "create" not in call.membership.actions.get("Relationship", ()):
        message = "Your role may not create relations, and a part is one; a Solution Architect can grant it."
        raise Forbidden(None, message, resource="Relationship", action="create")


def _column(call: CardCall, named: str | None) -> Row:
    own = columns.find_column(call, call.card["column_id"])
    if named is None and own is not None and card_lifecycle.can_create_cards(call, own):
        return own
    return card_lifecycle.require_destination(call, call.card["project_id"], named)


def _add(call: CardCall, column: Row, part: NewPart, index: int) -> str:
    """Make one part; an error says in its details which one it is about."""
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
        for field in error.details.get("fields", ()):
            field["path"] = f"parts.{index}.{field['path']}"
        raise
    relationships.insert_relationship(call, "partOf", None, from_card_id=part_id, to_card_id=call.card["id"])
    return part_id
