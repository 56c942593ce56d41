"""Relations between cards: what holds one back counts when it moves or is claimed (contract, sections 4 and 7)."""

from typing import Annotated, Literal

from pydantic import StringConstraints
from pydantic.alias_generators import to_camel

from ..auth import busy_resources, card_keys, leases
from ..auth.authorization import error_of, judge_write
from ..auth.context import Call
from ..auth.policies import agent, may
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict, NotFound, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Query
from . import events, history

Kind = Literal["blocks", "dependsOn", "partOf", "duplicates", "relatesTo"]
PATH = "/organizations/{org_id}/relationships"
# By kind: the end that is held back by the other one, as long as that is active and not in a done column.
HELD = {"blocks": "to_card_id", "partOf": "to_card_id", "dependsOn": "from_card_id"}


class Relationship(Output):
    """A relation from one card to another (specification, resources)."""

    id: str
    from_card_id: str
    to_card_id: str
    from_card_key: str
    to_card_key: str
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
@routes.get(PATH + "/mcp", agent(), bulk=True)
def browse(call: Call, org_id: str, query: RelationshipQuery) -> list[Relationship]:
    """List the relations of an organization, or those from and to one card, oldest first."""
    if query.card_id is None:
        rows = call.tx.all(sql.relationships.list, org_id=org_id)
    else:
        card_id = card_keys.card_id(call, query.card_id)
        rows = call.tx.all(sql.relationships.list_of_card, org_id=org_id, card_id=card_id)
    return [Relationship.of(row) for row in rows]


@routes.post(PATH, may("create", "Relationship"))
@routes.post(PATH + "/mcp", agent())
def add(call: Call, org_id: str, body: NewRelationship) -> Relationship:
    """Relate two active cards; an agent must be able to write to one of them.

    Raises relationship_exists if they are related so already or the card is part of another one, and
    validation_failed for a card to itself or a circle of cards that would wait for each other.
    """
    ends = {key: _active(call, key, getattr(body, key)) for key in ("from_card_id", "to_card_id")}
    _judge(call, *ends.values())
    ids = {key: card["id"] for key, card in ends.items()}
    _check(call, body.kind, ids)
    return Relationship.of(relate(call, body.kind, body.comment, **ids))


def relate(call: Call, kind: Kind, comment: str | None, from_card_id: str, to_card_id: str) -> Row:
    """Write a relation that may be, tell both cards' histories, and give its row."""
    relationship_id = new_id("rel")
    values = {"kind": kind, "comment": comment, "from_card_id": from_card_id, "to_card_id": to_card_id}
    call.tx.run(sql.relationships.create, id=relationship_id, org_id=call.org_id, now=call.now, **values)
    row = _row(call, relationship_id)
    _record(call, "related", row, (None, relationship_id))
    _tell(call, "relationship.created", row)
    return row


def _row(call: Call, relationship_id: str) -> Row:
    row = call.tx.one(sql.relationships.get, relationship_id=relationship_id, org_id=call.org_id)
    if row is None:
        raise NotFound("relationship")
    return row


def _active(call: Call, key: str, named: str) -> Row:
    card = call.tx.one(sql.cards.get, card_id=card_keys.card_id(call, named))
    if card is None or card["org_id"] != call.org_id or card["archived_at"] or card["project_archived_at"]:
        raise invalid(to_camel(key), "names no active card")
    busy_resources.require_idle(call, card_project_id=card["project_id"])
    return card


def _judge(call: Call, *cards: Row) -> None:
    """Refuse an agent that may write to neither of two cards, as a write to the first would be."""
    errors = [error_of(lambda card=card: judge_write(call, card)) for card in cards]  # type: ignore[misc]
    if errors[0] is not None and None not in errors:
        raise errors[0]
    for card in cards:
        leases.prolong(call, card)


def _check(call: Call, kind: Kind, ids: dict[str, str]) -> None:
    if ids["from_card_id"] == ids["to_card_id"]:
        raise invalid("toCardId", "must be another card")
    if found := call.tx.value(sql.relationships.find, kind=kind, **ids):
        raise Conflict("relationship_exists", "The cards are related like that already.", id=found)
    if kind == "partOf" and (found := call.tx.value(sql.relationships.find_parent, card_id=ids["from_card_id"])):
        message = "The card is part of another card already; remove that relation first."
        raise Conflict("relationship_exists", message, id=found)
    if kind in HELD and _closes_circle(call, kind, ids):
        raise invalid("toCardId", "would close a circle of cards that wait for each other, so none could ever move")


def _closes_circle(call: Call, kind: Kind, ids: dict[str, str]) -> bool:
    held = ids[HELD[kind]]
    (holder,) = set(ids.values()) - {held}
    return bool(call.tx.value(sql.relationships.creates_cycle, blocked_card_id=held, blocking_card_id=holder))


def _record(call: Call, action: str, row: Row, change: tuple[str | None, str | None]) -> None:
    """Write one row into the history of each of the two cards: the relation is a change of both."""
    for card_id in (row["from_card_id"], row["to_card_id"]):
        history.write_row(call, card_id, action, {"relationshipId": change})


def _tell(call: Call, event: str, row: Row) -> None:
    """Tell of a relation: the event is about the card it points to, and names both."""
    ends = ("from_card_id", "to_card_id", "from_card_key", "to_card_key")
    events.record(call, event, row["to_card_id"], **{end: row[end] for end in ends})


@routes.delete(PATH + "/{relationship_id}", may("delete", "Relationship"))
@routes.delete(PATH + "/{relationship_id}/mcp", agent())
def remove(call: Call, org_id: str, relationship_id: str) -> None:
    """Remove a relation; an agent must be able to write to one of the two cards."""
    row = _row(call, relationship_id)
    cards = [call.tx.one(sql.cards.get, card_id=row[end]) for end in ("from_card_id", "to_card_id")]
    _judge(call, *[card for card in cards if card is not None])
    call.tx.run(sql.relationships.delete, relationship_id=relationship_id)
    _record(call, "unrelated", row, (relationship_id, None))
    _tell(call, "relationship.deleted", row)
