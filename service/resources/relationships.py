"""Relations between cards; some kinds block moves and claims of a card."""

from typing import Annotated, Literal

from pydantic import StringConstraints
from pydantic.alias_generators import to_camel

from ..auth import archived_boards, busy_resources, card_keys, leases
from ..auth.authorization import catch_error, check_card_write
from ..auth.context import Call
from ..auth.policies import agent, may
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict, invalid
from ..ids import new_id
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Query
from . import events, history

Kind = Literal["blocks", "dependsOn", "partOf", "duplicates", "relatesTo"]
PATH = "/organizations/{org_id}/relationships"
# By kind: the card that is blocked as long as the other one is active and not in a done column.
BLOCKED_END = {"blocks": "to_card_id", "partOf": "to_card_id", "dependsOn": "from_card_id"}


class Relationship(Output):
    """A relation from one card to another."""

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


@routes.get(PATH, may("read", "Relationship"), on_reader_thread=True)
@routes.get(PATH + "/mcp", agent(), on_reader_thread=True)
def list_relationships(call: Call, org_id: str, query: RelationshipQuery) -> list[Relationship]:
    """List the relations of an organization, or those of one card in both directions, oldest first."""
    if query.card_id is None:
        rows = call.tx.all(sql.relationships.list, org_id=org_id)
    else:
        card_id = card_keys.resolve_card_filter(call, query.card_id)
        rows = call.tx.all(sql.relationships.list_of_card, org_id=org_id, card_id=card_id)
    return [Relationship.of(row) for row in rows]


@routes.post(PATH, may("create", "Relationship"))
@routes.post(PATH + "/mcp", agent())
def create_relationship(call: Call, org_id: str, body: NewRelationship) -> Relationship:
    """Create a relation between two active cards; an agent needs write access to one of them.

    Raises relationship_exists if the same relation exists or the card is already part of another card, and
    validation_failed for a relation of a card to itself or a cycle of cards that block each other.
    """
    ends = {key: _require_active_card(call, key, getattr(body, key)) for key in ("from_card_id", "to_card_id")}
    _require_write_access(call, *ends.values())
    ids = {key: card["id"] for key, card in ends.items()}
    _check_relationship(call, body.kind, ids)
    return Relationship.of(insert_relationship(call, body.kind, body.comment, **ids))


def insert_relationship(
    call: Call, kind: Kind, comment: str | None, from_card_id: str, to_card_id: str
) -> "sql.relationships.GetRow":
    """Insert a relation without checks, record it in the history of both cards, and return its row."""
    relationship_id = new_id("rel")
    values = {"kind": kind, "comment": comment, "from_card_id": from_card_id, "to_card_id": to_card_id}
    call.tx.run(sql.relationships.create, id=relationship_id, org_id=call.org_id, now=call.now, **values)
    row = _require_relationship(call, relationship_id)
    _record_in_history(call, "related", row, (None, relationship_id))
    _record_event(call, "relationship.created", row)
    return row


def _require_relationship(call: Call, relationship_id: str) -> "sql.relationships.GetRow":
    return call.require(sql.relationships.get, "relationship", relationship_id=relationship_id, org_id=call.org_id)


def _require_active_card(call: Call, key: str, reference: str) -> "sql.cards.GetRow":
    path = to_camel(key)
    card = call.tx.one(sql.cards.get, card_id=card_keys.resolve_card_id(call, reference, path))
    if card is None or card["org_id"] != call.org_id or card["archived_at"] or card["project_archived_at"]:
        raise invalid(path, "is not the id or key of an active card")
    busy_resources.require_idle(call, card_id=card["id"], card_project_id=card["project_id"])
    return card


def _require_write_access(call: Call, *cards: "sql.cards.GetRow") -> None:
    """Raise the error of a write to the first card if an agent may write to neither card; renew claims of the agent."""
    errors = [catch_error(lambda card=card: check_card_write(call, card)) for card in cards]  # type: ignore[misc]
    if errors[0] is not None and None not in errors:
        raise errors[0]
    for card in cards:
        leases.renew_if_holder(call, card)


def _check_relationship(call: Call, kind: Kind, ids: dict[str, str]) -> None:
    if ids["from_card_id"] == ids["to_card_id"]:
        raise invalid("toCardId", "must be another card")
    if found := call.tx.value(sql.relationships.find, kind=kind, **ids):
        raise Conflict("relationship_exists", "The cards already have this relation.", id=found)
    if kind == "partOf" and (found := call.tx.value(sql.relationships.find_parent, card_id=ids["from_card_id"])):
        message = "The card is already part of another card; delete that relation first."
        raise Conflict("relationship_exists", message, id=found)
    if kind in BLOCKED_END and _creates_cycle(call, kind, ids):
        raise invalid(
            "toCardId", "would create a cycle of cards that block each other, so that none of them could move"
        )


def _creates_cycle(call: Call, kind: Kind, ids: dict[str, str]) -> bool:
    blocked = ids[BLOCKED_END[kind]]
    (blocking,) = set(ids.values()) - {blocked}
    return bool(call.tx.value(sql.relationships.creates_cycle, blocked_card_id=blocked, blocking_card_id=blocking))


def _record_in_history(call: Call, action: str, row: Row, change: tuple[str | None, str | None]) -> None:
    """Record the change in the history of both cards."""
    for card_id in (row["from_card_id"], row["to_card_id"]):
        history.write_row(call, card_id, action, {"relationshipId": change})


def _record_event(call: Call, event: str, row: Row) -> None:
    """Record an event about the card that the relation points to; it contains the ids and keys of both cards."""
    ends = ("from_card_id", "to_card_id", "from_card_key", "to_card_key")
    events.record(call, event, row["to_card_id"], **{end: row[end] for end in ends})


@routes.delete(PATH + "/{relationship_id}", may("delete", "Relationship"))
@routes.delete(PATH + "/{relationship_id}/mcp", agent())
def delete_relationship(call: Call, org_id: str, relationship_id: str) -> None:
    """Delete a relation; an agent needs write access to one of the two cards."""
    row = _require_relationship(call, relationship_id)
    ends = [call.tx.one(sql.cards.get, card_id=row[end]) for end in ("from_card_id", "to_card_id")]
    cards = [card for card in ends if card is not None]
    if all(card["project_archived_at"] for card in cards):
        raise archived_boards.not_found_on_board(call, "relationship")
    for card in cards:
        busy_resources.require_idle(call, card_id=card["id"], card_project_id=card["project_id"])
    _require_write_access(call, *cards)
    call.tx.run(sql.relationships.delete, relationship_id=relationship_id)
    _record_in_history(call, "unrelated", row, (relationship_id, None))
    _record_event(call, "relationship.deleted", row)
