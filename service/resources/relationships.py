"""Relations between cards; what blocks a card counts when it moves."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from ..database.queries import sql
from ..errors import Conflict, NotFound, invalid
from ..ids import new_id
from ..journey.call import Call
from ..journey.gates import may
from ..journey.table import routes
from ..wire import Id, Input, Output, Query
from . import events, history

Kind = Literal["blocks", "dependsOn", "duplicates", "relatesTo"]
PATH = "/organizations/{org_id}/relationships"


class Relationship(Output):
    """A relation from one card to another (specification, resources)."""

    id: str
    from_card_id: str
    to_card_id: str
    kind: Kind
    comment: str | None
    created_at: str


class NewRelationship(Input):
    from_card_id: Id
    to_card_id: Id
    kind: Kind
    comment: Annotated[str, StringConstraints(max_length=2000)] | None = None


class RelationshipQuery(Query):
    card_id: str | None = None


@routes.get(PATH, may("read", "Relationship"), bulk=True)
def browse(call: Call, org_id: str, query: RelationshipQuery) -> list[Relationship]:
    """List the relations of an organization, or those from and to one card, oldest first."""
    if query.card_id is None:
        rows = call.tx.all(sql.relationships.browse, org_id=org_id)
    else:
        rows = call.tx.all(sql.relationships.browse_card, org_id=org_id, card_id=query.card_id)
    return [Relationship.of(row) for row in rows]


@routes.post(PATH, may("create", "Relationship"))
def add(call: Call, org_id: str, body: NewRelationship) -> Relationship:
    """Relate two active cards; 409 relationship_exists, 400 for a card to itself or a circle of blocks."""
    _check(call, body)
    values = body.model_dump()
    relationship_id = new_id("rel")
    call.tx.run(sql.relationships.add, id=relationship_id, org_id=org_id, now=call.now, **values)
    _record(call, "related", body.from_card_id, body.to_card_id, (None, relationship_id))
    _tell(call, "relationship.created", body.from_card_id, body.to_card_id)
    return Relationship(id=relationship_id, created_at=call.now, **values)


def _check(call: Call, body: NewRelationship) -> None:
    ends = {"from_card_id": body.from_card_id, "to_card_id": body.to_card_id}
    for key, card_id in (("fromCardId", body.from_card_id), ("toCardId", body.to_card_id)):
        if not call.tx.one(sql.relationships.card, card_id=card_id, org_id=call.org_id):
            raise invalid(key, "names no active card")
    if body.from_card_id == body.to_card_id:
        raise invalid("toCardId", "must be another card")
    found = call.tx.value(sql.relationships.find, kind=body.kind, **ends)
    if found:
        raise Conflict("relationship_exists", "The cards are related like that already.", id=found)
    # The new edge closes a circle if there is a way back already.
    back = {"from_card_id": body.to_card_id, "to_card_id": body.from_card_id}
    if body.kind == "blocks" and call.tx.value(sql.relationships.closes_circle, **back):
        raise invalid("toCardId", "blocks the first card already, so neither could ever move")


def _record(call: Call, action: str, from_card_id: str, to_card_id: str, change: tuple[str | None, str | None]) -> None:
    """Write one row into the history of each of the two cards: the relation is a change of both."""
    history.note(call, from_card_id, action, {"relationshipId": change})
    history.note(call, to_card_id, action, {"relationshipId": change})


def _tell(call: Call, event: str, from_card_id: str, to_card_id: str) -> None:
    """Tell of a relation: the event is about the card it points to, and names both."""
    events.record(call, event, to_card_id, from_card_id=from_card_id, to_card_id=to_card_id)


@routes.delete(PATH + "/{relationship_id}", may("delete", "Relationship"))
def remove(call: Call, org_id: str, relationship_id: str) -> None:
    """Remove a relation."""
    row = call.tx.one(sql.relationships.read, relationship_id=relationship_id, org_id=org_id)
    if row is None:
        raise NotFound("relationship")
    call.tx.run(sql.relationships.remove, relationship_id=relationship_id)
    _record(call, "unrelated", row["from_card_id"], row["to_card_id"], (relationship_id, None))
    _tell(call, "relationship.deleted", row["from_card_id"], row["to_card_id"])
