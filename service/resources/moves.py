"""Moves of cards between columns and the blockers of a move."""

from typing import Any, Literal

from pydantic import MISSING

from ..auth import busy_resources, card_keys
from ..auth.authorization import authorization_errors
from ..auth.context import Call, CardCall
from ..auth.policies import CARD, MODERATE, PICKUP, Policy, agent, agent_where, may
from ..database.queries import sql
from ..database.store import Row
from ..domain import ranks
from ..errors import BadRequest, CircuitOpen, Forbidden, NotFound, PreconditionFailed, ServiceError
from ..http.responses import Answer
from ..pipeline import reference_errors
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, json_text, stored_json
from . import cards, claims, columns, guard, history

APPROVAL = "approval_required"
TRANSITION_BLOCKERS = ("transition_not_allowed", APPROVAL)


class Blocker(Output):
    """A reason why a move is not allowed, in the form of the error that the move would raise."""

    code: str
    message: str
    details: dict[str, Any]


class LegalMove(Output):
    """A transition out of a card's column, with the blockers for the caller.

    `sendsBack` marks the move that sends the card back if a person rejects its open request: to where the requester
    last moved it from, or else the first allowed one. Agents do not see it.
    """

    to_column_id: str
    title: str
    requires_approval: bool
    allowed: bool
    blockers: list[Blocker]
    sends_back: Literal[True] | MISSING = MISSING


class Move(Input):
    to_column_id: Id
    after_card_id: Id | None | MISSING = MISSING


class Rank(Input):
    after_card_id: Id | None


def explain(call: CardCall, error: ServiceError, body: Move) -> ServiceError:
    """Return an authorization error of a move with all blockers in its details, if the caller may read the card."""
    if not call.has_card or isinstance(error, NotFound | PreconditionFailed):
        return error
    if call.membership is not None and "read" not in call.membership.actions.get("Card", ()):
        return error
    own = [error, *(other for other in authorization_errors(call, _get_policy(call)) if other.code != error.code)]
    found = _list_destinations(call, call.card, body.to_column_id)
    return _attach_blockers(_list_all_blockers(call, call.card, found[0], own) if found else own)


# The policies of a move.
BY_PERSON = may("transition", "Card", CARD, supports_if_match=True, loads_whole_card=True, explain=explain)
BY_AGENT = agent_where(PICKUP, MODERATE, supports_if_match=True, loads_whole_card=True, explain=explain)


def _get_policy(call: Call) -> Policy:
    return BY_AGENT if call.is_agent else BY_PERSON


@routes.get("/cards/{card_id}/moves", may("read", "Card", CARD))
@routes.get("/cards/{card_id}/moves/mcp", agent(CARD))
def list_moves(call: CardCall, card_id: str) -> list[LegalMove]:
    """List the transitions out of a card's column in column order, each with all blockers for the caller."""
    own = authorization_errors(call, _get_policy(call))
    destinations = _list_destinations(call, call.card, None)
    found = [build_legal_move(call, call.card, destination, own) for destination in destinations]
    if not call.is_agent:
        _mark_way_back(call, card_id, found)
    return found


def _mark_way_back(call: Call, card_id: str, found: list[LegalMove]) -> None:
    """Mark the move that sends a card back if its open request is rejected, which is never the requested one."""
    request = call.tx.one(sql.moves.find_way_back, card_id=card_id)
    if request is None:
        return
    allowed = [move for move in found if move.allowed and move.to_column_id != request["to_column_id"]]
    former = [move for move in allowed if move.to_column_id == request["from_column_id"]]
    for move in (former or allowed)[:1]:
        move.sends_back = True


def build_legal_move(
    call: Call, card: Row, destination: "sql.moves.ListDestinationsRow", own: list[ServiceError]
) -> LegalMove:
    """Return whether a card can move to a column, with the blockers; `own` are the caller's authorization errors."""
    found = _list_all_blockers(call, card, destination, own)
    column = {"to_column_id": destination["id"], "title": destination["title"]}
    requires_approval = bool(destination["requires_approval"])
    return LegalMove(**column, requires_approval=requires_approval, allowed=not found, blockers=_to_blockers(found))


def _list_all_blockers(
    call: Call, card: Row, destination: "sql.moves.ListDestinationsRow", own: list[ServiceError]
) -> list[ServiceError]:
    """List all errors of a move: first the caller's authorization errors (`own`), then the blockers.

    If the agent only lacks the right to moderate and can request the move, approval_required comes first.
    """
    found = list_blockers(call, card, destination)
    lacks_only_moderation = [error.code for error in own] == ["agent_cannot_moderate"]
    if lacks_only_moderation and destination["transition_id"] and all(error.code == APPROVAL for error in found):
        return [_create_approval_error(card, destination), *own]
    return [*own, *found]


def _list_destinations(call: Call, card: Row, column_id: str | None) -> list["sql.moves.ListDestinationsRow"]:
    """Return a column as the destination of a card, or (None) all columns to which the card has a transition."""
    return call.tx.all(
        sql.moves.list_destinations,
        org_id=call.org_id,
        card_type_id=card["card_type_id"],
        from_column_id=card["column_id"],
        to_column_id=column_id,
    )


def require_destination_column(call: Call, card: Row, column_id: str) -> "sql.moves.ListDestinationsRow":
    """Return a column as the destination of a card; raise validation_failed if the column does not exist."""
    found = _list_destinations(call, card, column_id)
    if not found:
        raise reference_errors.unknown_column(call, "toColumnId", card["project_id"])
    return found[0]


def list_blockers(call: Call, card: Row, destination: "sql.moves.ListDestinationsRow") -> list[ServiceError]:
    """Return all blockers of a move except the authorization errors of the caller.

    Nothing blocks a move to the column where the card is already.
    """
    if destination["id"] == card["column_id"]:
        return []
    found = [
        _find_transition_error(call, card, destination),
        _find_missing_fields_error(call, card, destination),
        _find_blocked_error(call, card, destination),
        _find_wip_limit_error(destination),
    ]
    return [blocker for blocker in found if blocker is not None]


def raise_first_blocker(found: list[ServiceError]) -> None:
    """Raise the first of the blockers, if there are any, with all of them in details.blockers."""
    if found:
        raise _attach_blockers(found)


def _attach_blockers(found: list[ServiceError]) -> ServiceError:
    """Return the first of the blockers with all of them in its details."""
    blockers = [blocker.model_dump() for blocker in _to_blockers(found)]
    found[0].details = {**found[0].details, "blockers": blockers}
    return found[0]


def _to_blockers(found: list[ServiceError]) -> list[Blocker]:
    return [Blocker(code=error.code, message=error.message, details=error.details) for error in found]


def _find_transition_error(call: Call, card: Row, destination: "sql.moves.ListDestinationsRow") -> ServiceError | None:
    if destination["transition_id"] is None:
        message = "The board has no transition between these columns; use one of the allowed ones."
        transitions = _list_destinations(call, card, None)
        allowed = [
            {"toColumnId": t["id"], "title": t["title"], "requiresApproval": bool(t["requires_approval"])}
            for t in transitions
        ]
        return BadRequest("transition_not_allowed", message, **_get_column_ids(card, destination), allowed=allowed)
    return _create_approval_error(card, destination) if destination["requires_approval"] and call.is_agent else None


def _create_approval_error(card: Row, destination: "sql.moves.ListDestinationsRow") -> ServiceError:
    message = "A person has to approve this move; send a move request (POST /cards/{cardId}/move-requests/mcp)."
    return Forbidden(APPROVAL, message, **_get_column_ids(card, destination))


def _get_column_ids(card: Row, destination: "sql.moves.ListDestinationsRow") -> dict[str, Any]:
    return {"fromColumnId": card["column_id"], "toColumnId": destination["id"]}


def _find_missing_fields_error(
    call: Call, card: Row, destination: "sql.moves.ListDestinationsRow"
) -> ServiceError | None:
    """Return the error if a required field has no value; `filled_field_ids` of the card is what it is about to have."""
    if destination["required_fields"] == "[]":
        return None
    required = stored_json(destination["required_fields"])
    filled = card.get("filled_field_ids")
    if filled is None:
        ids = json_text([field["id"] for field in required])
        filled = set(call.tx.values(sql.field_values.list_filled, card_id=card["id"], field_ids=ids))
    missing = [field for field in required if field["id"] not in filled]
    if not missing:
        return None
    details = {"fieldIds": [field["id"] for field in missing], "fields": missing, "columnId": destination["id"]}
    return BadRequest("required_fields_missing", "Fill in the fields that the column requires first.", **details)


def _find_blocked_error(call: Call, card: Row, destination: "sql.moves.ListDestinationsRow") -> ServiceError | None:
    if not destination["rejects_blocked"]:
        return None
    blocked_by = stored_json(call.tx.value(sql.relationships.list_blockers, card_id=card["id"]))
    if not blocked_by:
        return None
    details = {"blockedBy": blocked_by, "columnId": destination["id"]}
    return BadRequest(
        "card_blocked", "The column does not accept blocked cards; finish the blocking cards first.", **details
    )


def _find_wip_limit_error(destination: "sql.moves.ListDestinationsRow") -> ServiceError | None:
    if destination["wip_limit"] is None or destination["held"] < destination["wip_limit"]:
        return None
    return BadRequest(**columns.describe_wip_limit(destination))


@routes.patch("/cards/{card_id}/status", BY_PERSON, answers=cards.Card, grows=False)
@routes.patch("/cards/{card_id}/mcp/status", BY_AGENT, answers=cards.Card, grows=False)
def move_card(call: CardCall, card_id: str, body: Move) -> Answer | CircuitOpen:
    """Move a card along a transition, to the end of the column or behind `afterCardId` (null: to the top).

    A move to the column where the card is already changes nothing; with `afterCardId` it places the card there. Raises
    the first blocker, with all of them in details.blockers.
    """
    if body.to_column_id == call.card["column_id"]:
        above_id = body.after_card_id
        return cards.encode_card(call, call.card if above_id is MISSING else _place_card(call, call.card, above_id))
    destination = require_destination_column(call, call.card, body.to_column_id)
    raise_first_blocker(list_blockers(call, call.card, destination))
    if runaway := guard.check_returns(call, card_id, body.to_column_id):
        return runaway
    return cards.encode_card(call, apply_move(call, call.card, destination, _get_rank_key(call, destination, body)))


def apply_move(
    call: Call,
    card: Row,
    destination: "sql.moves.ListDestinationsRow",
    rank_key: int,
    details: history.Changes | None = None,
) -> Row:
    """Move a card whose blockers were checked, record the move with further `details`, and return the changed card.

    The card is not read again: only the returned values have changed.
    """
    busy_resources.require_idle(call, column_id=destination["id"])
    call.tx.run(sql.cards.move, card_id=card["id"], column_id=destination["id"], rank_key=rank_key, now=call.now)
    ended = claims.end_claim_on_arrival(call, card, destination)
    change = {"columnId": (card["column_id"], destination["id"]), **ended, **(details or {})}
    history.record(call, card["id"], "moved", change)
    changed = {"column_id": destination["id"], "version": card["version"] + 1, "updated_at": call.now}
    return {**card, **changed, **({"claim": None} if ended else {})}


def _get_rank_key(call: CardCall, destination: "sql.moves.ListDestinationsRow", body: Move) -> int:
    if body.after_card_id is MISSING:
        return ranks.get_next_rank(destination["last_rank_key"])
    return ranks.get_rank_after(call, body.to_column_id, call.card["id"], body.after_card_id)


@routes.patch(
    "/cards/{card_id}/rank",
    may("update", "Card", CARD, supports_if_match=True, loads_whole_card=True),
    answers=cards.Card,
    grows=False,
)
def rank_card(call: CardCall, card_id: str, body: Rank) -> Answer:
    """Rank a card behind another card of its column (null: at the top); needs no transition."""
    return cards.encode_card(call, _place_card(call, call.card, body.after_card_id))


def _place_card(call: Call, card: Row, after_card_id: str | None) -> Row:
    """Rank a card behind another one of its column (None: at the top) and return it; nothing if it is there already."""
    after_card_id = after_card_id and card_keys.resolve_card_id(call, after_card_id, "afterCardId")
    above = ranks.find_card_above(call, card["id"])
    if above == after_card_id:
        return card
    rank_key = ranks.get_rank_after(call, card["column_id"], card["id"], after_card_id)
    call.tx.run(sql.cards.move, card_id=card["id"], column_id=card["column_id"], rank_key=rank_key, now=call.now)
    history.record(call, card["id"], "ranked", {"afterCardId": (above, after_card_id)})
    return {**card, "version": card["version"] + 1, "updated_at": call.now}
