"""Moves: what stands in the way of one, and the move itself (contract, section 2: order for a move)."""

from dataclasses import dataclass
from typing import Any

from pydantic import MISSING

from ..access import Call
from ..errors import BadRequest, Forbidden, ServiceError, invalid
from ..gates import MODERATE, PICKUP, agent_where, may
from ..queries import sql
from ..store import Row
from ..table import routes
from ..wire import Id, Input, stored_json
from . import cards, claims, columns, history, ranks


@dataclass(frozen=True)
class Blocker:
    """One thing that stands in the way of a move."""

    kind: type[ServiceError]
    code: str
    message: str
    details: dict[str, Any]

    def shown(self) -> dict[str, Any]:
        """Give the blocker as answers show it."""
        return {"code": self.code, "message": self.message, "details": self.details}


class Move(Input):
    to_column_id: Id
    after_card_id: Id | None | MISSING = MISSING


class Rank(Input):
    after_card_id: Id | None


def destination_of(call: Call, card: Row, column_id: str) -> Row:
    """Look at a column as a card that would move there; raise validation_failed if there is no such column."""
    destination = call.tx.one(
        sql.moves.destination,
        org_id=call.org_id,
        card_id=card["id"],
        card_type_id=card["card_type_id"],
        from_column_id=card["column_id"],
        to_column_id=column_id,
    )
    if destination is None:
        raise invalid("toColumnId", "names no column")
    return destination


def blockers(call: Call, card: Row, destination: Row) -> list[Blocker]:
    """List all that stands in the way of a card's move, in the order in which it is refused."""
    found = [
        _edge(call, card, destination),
        _missing(destination),
        _blocked(card, destination),
        _full(destination),
    ]
    return [blocker for blocker in found if blocker is not None]


def _edge(call: Call, card: Row, destination: Row) -> Blocker | None:
    details = {"fromColumnId": card["column_id"], "toColumnId": destination["id"]}
    if destination["transition_id"] is None:
        message = "The board has no transition between these columns; take one that it has."
        return Blocker(BadRequest, "transition_not_allowed", message, details)
    if destination["requires_approval"] and call.is_agent:
        message = "A person has to make this move; leave a comment and hand the card over."
        return Blocker(Forbidden, "approval_required", message, details)
    return None


def _missing(destination: Row) -> Blocker | None:
    missing = stored_json(destination["missing_field_ids"])
    if not missing:
        return None
    details = {"fieldIds": missing, "columnId": destination["id"]}
    return Blocker(BadRequest, "required_fields_missing", "Fill the fields that the column requires first.", details)


def _blocked(card: Row, destination: Row) -> Blocker | None:
    if not destination["rejects_blocked"] or card["blocked_by"] == "[]":
        return None
    details = {"blockedBy": stored_json(card["blocked_by"]), "columnId": destination["id"]}
    return Blocker(BadRequest, "card_blocked", "The column takes no blocked cards; finish the blockers first.", details)


def _full(destination: Row) -> Blocker | None:
    if destination["wip_limit"] is None or destination["held"] < destination["wip_limit"]:
        return None
    problem = columns.wip_problem(destination)
    return Blocker(BadRequest, problem.pop("code"), problem.pop("message"), problem)


@routes.patch("/cards/{card_id}/status", may("transition", "Card"), answers=cards.Card)
@routes.patch("/cards/{card_id}/mcp/status", agent_where(PICKUP, MODERATE), answers=cards.Card)
def move(call: Call, card_id: str, body: Move) -> bytes:
    """Move a card along a transition, to the end of the column unless afterCardId places it (null: top).

    Raises the first blocker, with all of them in details.blockers.
    """
    assert call.card is not None
    destination = destination_of(call, call.card, body.to_column_id)
    _refuse(blockers(call, call.card, destination))
    place = {"card_id": card_id, "column_id": body.to_column_id, "rank_key": _rank_key(call, destination, body)}
    call.tx.run(sql.cards.place, now=call.now, **place)
    ended = claims.end_on_arrival(call, call.card, destination)
    history.record(call, card_id, "moved", {"columnId": (call.card["column_id"], body.to_column_id), **ended})
    at_end = body.after_card_id is MISSING
    rank = destination["held"] if at_end else call.tx.value(sql.ranks.position, **place)
    return _moved(call, {**call.card, "claim": None} if ended else call.card, body.to_column_id, rank)


def _moved(call: Call, card: Row, column_id: str, rank: int) -> bytes:
    """Encode a card as the move has left it: nothing else of it has changed, so it is not read again."""
    changes = {"column_id": column_id, "rank": rank, "version": card["version"] + 1, "updated_at": call.now}
    return cards.Card.encode_row({**card, **changes})


def _refuse(found: list[Blocker]) -> None:
    if found:
        first, everything = found[0], [blocker.shown() for blocker in found]
        raise first.kind(first.code, first.message, **first.details, blockers=everything)


def _rank_key(call: Call, destination: Row, body: Move) -> int:
    if body.after_card_id is MISSING:
        return ranks.beyond(destination["last_rank_key"])
    assert call.card is not None
    return ranks.behind(call, body.to_column_id, call.card["id"], body.after_card_id)


@routes.patch("/cards/{card_id}/rank", may("update", "Card"))
def rank(call: Call, card_id: str, body: Rank) -> cards.Card:
    """Put a card behind another one of its column (null: at the top), without a transition."""
    before = cards.reread(call, card_id)
    rank_key = ranks.behind(call, before.column_id, card_id, body.after_card_id)
    if ranks.card_above(call, card_id) == body.after_card_id:
        return before
    call.tx.run(sql.cards.place, card_id=card_id, column_id=before.column_id, rank_key=rank_key, now=call.now)
    card = cards.reread(call, card_id)
    history.record(call, card_id, "ranked", {"rank": (before.rank, card.rank)})
    return card
