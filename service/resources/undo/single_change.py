"""Undo of a single change of a card, by a user who may make the opposite change."""

from pydantic import MISSING

from ...auth import card_keys
from ...auth.context import Call, CardCall
from ...auth.policies import CARD, SA, may
from ...database.queries import sql
from ...domain import ranks
from ...errors import Conflict, ServiceError, invalid
from ...schemas import Id, Input, Timestamp
from .. import cards, moves
from . import card_changes, rules, undo

POLICY = may("update", "Card", CARD, allows_archived_cards=True, supports_if_match=True)
ROWS_MAX = 1000  # history rows that are read at most
NOTHING_TO_UNDO = "There is nothing to undo: the change was already undone, or it cannot be undone.", "nothing_to_undo"


class ChangeUndo(Input):
    """The change to undo: the one that the card's history lists with this time (`createdAt`)."""

    at: Timestamp
    after_card_id: Id | None | MISSING = MISSING


def undo_change(call: CardCall, card_id: str, body: ChangeUndo) -> cards.Card:
    """Undo one change of a card and return the card.

    Raise conflict (409, with `state` and `kept`) if somebody has changed the same value since.
    """
    plan = _plan_undo(call, card_id, body)
    if not plan.history.own_actors:
        raise invalid("at", "matches no change of the card; use a createdAt of its history")
    if plan.skipped or not plan.targets:
        kept = [undo.to_output(change).model_dump() for change in plan.skipped]
        message, state = (plan.skipped[0].message, plan.skipped[0].reason) if plan.skipped else NOTHING_TO_UNDO
        raise Conflict(None, message, state=state, kept=kept)
    rules.require_permissions(call, plan)
    moves.raise_first_blocker(_list_blockers(call, plan))
    undo.apply_plan(call, plan, _find_rank_key(call, plan, body))
    return cards.get_card(call, card_id)


def _plan_undo(call: Call, card_id: str, body: ChangeUndo) -> rules.Plan:
    rows = call.tx.each(sql.undo.list_history_since, card_id=card_id, at=body.at, limit=ROWS_MAX)
    return rules.plan_undo(call, card_id, card_changes.summarize_history(call.tx, rows))


def list_unmatched(call: Call, card_id: str, change: ChangeUndo) -> list[tuple[str, str]]:
    """Return the (pattern, text) pairs to match before a change of a card can be undone."""
    return _plan_undo(call, card_id, change).unmatched


def _list_blockers(call: CardCall, plan: rules.Plan) -> list[ServiceError]:
    """Return what blocks the undo.

    A move back needs no transition if the caller alone moved the card, or is a Solution Architect.
    """
    is_alone = plan.history.own_actors == {(call.actor.type, call.actor.id)}
    is_free = is_alone or (call.membership and call.membership.role == SA)
    found = rules.list_blockers(call, plan)
    return [error for error in found if not is_free or error.code not in moves.TRANSITION_BLOCKERS]


def _find_rank_key(call: CardCall, plan: rules.Plan, body: ChangeUndo) -> int | None:
    """Return the rank key after the card `afterCardId`; None (the end) without it, or if it has left the column."""
    if body.after_card_id is MISSING:
        return None
    column_id = plan.card_columns()["column_id"]
    after_card_id = body.after_card_id
    previous_id = card_keys.resolve_card_id(call, after_card_id, "afterCardId") if after_card_id else None
    if previous_id is not None and call.tx.value(sql.ranks.get_rank, column_id=column_id, card_id=previous_id) is None:
        return None
    return (
        None if previous_id == plan.card["id"] else ranks.get_rank_after(call, column_id, plan.card["id"], previous_id)
    )
