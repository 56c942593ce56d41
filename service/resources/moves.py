"""Moves: what stands in the way of one, and the move itself (contract, section 2: order for a move)."""

from typing import Any

from pydantic import MISSING

from ..auth import busy_resources
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
from ..schemas import Id, Input, Output, stored_json
from . import cards, claims, columns, guard, history

APPROVAL = "approval_required"


class Blocker(Output):
    """One thing that stands in the way of a move, as the error that it would be."""

    code: str
    message: str
    details: dict[str, Any]


class LegalMove(Output):
    """An edge of the board out of a card's column, and what stands in the caller's way there."""

    to_column_id: str
    title: str
    allowed: bool
    blockers: list[Blocker]


class Move(Input):
    to_column_id: Id
    after_card_id: Id | None | MISSING = MISSING


class Rank(Input):
    after_card_id: Id | None


def explain(call: CardCall, error: ServiceError, body: Move) -> ServiceError:
    """Give a refusal at the policy of a move with all that stands in its way, if the caller may see the card."""
    if not call.has_card or isinstance(error, NotFound | PreconditionFailed):
        return error
    if call.membership is not None and "read" not in call.membership.actions.get("Card", ()):
        return error
    own = [error, *(other for other in authorization_errors(call, _gate(call)) if other.code != error.code)]
    found = _destinations(call, call.card, body.to_column_id)
    return _carry(_in_order(call, call.card, found[0], own) if found else own)


# What a move asks of its caller.
BY_PERSON = may("transition", "Card", CARD, versioned=True, explain=explain)
BY_AGENT = agent_where(PICKUP, MODERATE, versioned=True, explain=explain)


def _gate(call: Call) -> Policy:
    return BY_AGENT if call.is_agent else BY_PERSON


@routes.get("/cards/{card_id}/moves", may("read", "Card", CARD))
@routes.get("/cards/{card_id}/moves/mcp", agent(CARD))
def list_moves(call: CardCall, card_id: str) -> list[LegalMove]:
    """List where a card could go, in column order, each with all that keeps the caller from moving it there."""
    own = authorization_errors(call, _gate(call))
    return [build_legal_move(call, call.card, destination, own) for destination in _destinations(call, call.card, None)]


def build_legal_move(call: Call, card: Row, destination: Row, own: list[ServiceError]) -> LegalMove:
    """Tell whether a card could go to a column, and what stands in the way besides what the caller itself lacks."""
    blocking = _in_order(call, card, destination, own)
    about = {"to_column_id": destination["id"], "title": destination["title"]}
    return LegalMove(**about, allowed=not blocking, blockers=_shown(blocking))


def _in_order(call: Call, card: Row, destination: Row, own: list[ServiceError]) -> list[ServiceError]:
    """List what stands in the way of a move, what the caller itself lacks first.

    If all that is missing is that a person moves the card, and the agent may ask for that, then this comes first.
    """
    found = list_blockers(call, card, destination)
    is_gate_alone = [error.code for error in own] == ["agent_cannot_moderate"]
    if is_gate_alone and destination["transition_id"] and all(error.code == APPROVAL for error in found):
        return [_approval(card, destination), *own]
    return [*own, *found]


def _destinations(call: Call, card: Row, column_id: str | None) -> list[Row]:
    """Look at a column as a card that would move there, or (None) at all that it has a transition to."""
    return call.tx.all(
        sql.moves.list_destinations,
        org_id=call.org_id,
        card_id=card["id"],
        card_type_id=card["card_type_id"],
        from_column_id=card["column_id"],
        to_column_id=column_id,
    )


def require_destination_column(call: Call, card: Row, column_id: str) -> Row:
    """Look at a column as a card that would move there; raise validation_failed if there is no such column."""
    found = _destinations(call, card, column_id)
    if not found:
        raise reference_errors.unknown_column(call, "toColumnId", card["project_id"])
    return found[0]


def list_blockers(call: Call, card: Row, destination: Row) -> list[ServiceError]:
    """List all that stands in the way of a card's move, in the order in which it is refused."""
    found = [
        _edge(call, card, destination),
        _missing(destination),
        _blocked(card, destination),
        _full(destination),
    ]
    return [blocker for blocker in found if blocker is not None]


def raise_first_blocker(found: list[ServiceError]) -> None:
    """Raise the first of the blockers, if there is one, with all of them in details.blockers."""
    if found:
        raise _carry(found)


def _carry(found: list[ServiceError]) -> ServiceError:
    """Give the first of the blockers with all of them in its details."""
    shown = [blocker.model_dump() for blocker in _shown(found)]
    found[0].details = {**found[0].details, "blockers": shown}
    return found[0]


def _shown(found: list[ServiceError]) -> list[Blocker]:
    return [Blocker(code=error.code, message=error.message, details=error.details) for error in found]


def _edge(call: Call, card: Row, destination: Row) -> ServiceError | None:
    if destination["transition_id"] is None:
        message = "The board has no transition between these columns; take one that it has."
        edges = _destinations(call, card, None)
        allowed = [
            {"toColumnId": e["id"], "title": e["title"], "requiresApproval": bool(e["requires_approval"])}
            for e in edges
        ]
        return BadRequest("transition_not_allowed", message, **_ends(card, destination), allowed=allowed)
    return _approval(card, destination) if destination["requires_approval"] and call.is_agent else None


def _approval(card: Row, destination: Row) -> ServiceError:
    message = "A person has to approve this move; send a move request (POST /cards/{cardId}/move-requests/mcp)."
    return Forbidden(APPROVAL, message, **_ends(card, destination))


def _ends(card: Row, destination: Row) -> dict[str, Any]:
    return {"fromColumnId": card["column_id"], "toColumnId": destination["id"]}


def _missing(destination: Row) -> ServiceError | None:
    missing = stored_json(destination["missing_fields"])
    if not missing:
        return None
    details = {"fieldIds": [field["id"] for field in missing], "fields": missing, "columnId": destination["id"]}
    return BadRequest("required_fields_missing", "Fill the fields that the column requires first.", **details)


def _blocked(card: Row, destination: Row) -> ServiceError | None:
    if not destination["rejects_blocked"] or card["blocked_by"] == "[]":
        return None
    details = {"blockedBy": stored_json(card["blocked_by"]), "columnId": destination["id"]}
    return BadRequest("card_blocked", "The column takes no blocked cards; finish the blockers first.", **details)


def _full(destination: Row) -> ServiceError | None:
    if destination["wip_limit"] is None or destination["held"] < destination["wip_limit"]:
        return None
    return BadRequest(**columns.describe_wip_limit(destination))


@routes.patch("/cards/{card_id}/status", BY_PERSON, answers=cards.Card)
@routes.patch("/cards/{card_id}/mcp/status", BY_AGENT, answers=cards.Card)
def move_card(call: CardCall, card_id: str, body: Move) -> Answer | CircuitOpen:
    """Move a card along a transition, to the end of the column unless afterCardId places it (null: top).

    Raises the first blocker, with all of them in details.blockers.
    """
    destination = require_destination_column(call, call.card, body.to_column_id)
    raise_first_blocker(list_blockers(call, call.card, destination))
    if runaway := guard.check_returns(call, card_id, body.to_column_id):
        return runaway
    return cards.encode_card(apply_move(call, call.card, destination, _rank_key(call, destination, body)))


def apply_move(call: Call, card: Row, destination: Row, rank_key: int, about: history.Changes | None = None) -> Row:
    """Put a card into a column that takes it, write that down with what else there is to say, and give it as it is now.

    Nothing else of it has changed, so it is not read again.
    """
    busy_resources.require_idle(call, column_id=destination["id"])
    call.tx.run(sql.cards.move, card_id=card["id"], column_id=destination["id"], rank_key=rank_key, now=call.now)
    ended = claims.end_claim_on_arrival(call, card, destination)
    change = {"columnId": (card["column_id"], destination["id"]), **ended, **(about or {})}
    history.record(call, card["id"], "moved", change)
    now = {"column_id": destination["id"], "version": card["version"] + 1, "updated_at": call.now}
    return {**card, **now, **({"claim": None} if ended else {})}


def _rank_key(call: CardCall, destination: Row, body: Move) -> int:
    if body.after_card_id is MISSING:
        return ranks.get_next_rank(destination["last_rank_key"])
    return ranks.get_rank_after(call, body.to_column_id, call.card["id"], body.after_card_id)


@routes.patch("/cards/{card_id}/rank", may("update", "Card", CARD, versioned=True))
def rank_card(call: Call, card_id: str, body: Rank) -> cards.Card:
    """Put a card behind another one of its column (null: at the top), without a transition."""
    before, above = cards.get_card(call, card_id), ranks.find_card_above(call, card_id)
    rank_key = ranks.get_rank_after(call, before.column_id, card_id, body.after_card_id)
    if above == body.after_card_id:
        return before
    call.tx.run(sql.cards.move, card_id=card_id, column_id=before.column_id, rank_key=rank_key, now=call.now)
    history.record(call, card_id, "ranked", {"afterCardId": (above, body.after_card_id)})
    return cards.get_card(call, card_id)
