"""Undo of a single change of a card, by a user who may make the opposite change."""

from pydantic import MISSING

from ...auth import authorization, card_keys
from ...auth.context import CardCall
from ...auth.policies import CARD, SA, may
from ...database.queries import sql
from ...domain import ranks
from ...errors import Conflict, invalid
from ...schemas import Id, Input, Timestamp
from .. import cards, columns, moves
from . import card_changes, rules, undo

POLICY = may("update", "Card", CARD, archived=True, versioned=True)
ROWS_MAX = 1000  # history rows that are read at most
WIP_LIMIT_REACHED = "wip_limit_reached"
NOTHING_TO_UNDO = "There is nothing to undo: the change was already undone, or it cannot be undone.", "nothing_to_undo"


class ChangeUndo(Input):
    """The change to undo: the one that the card's history lists with this time (`createdAt`)."""

    at: Timestamp
    after_card_id: Id | None | MISSING = MISSING


def undo_change(call: CardCall, card_id: str, body: ChangeUndo) -> cards.Card:
    """Undo one change of a card and return the card.

    Raise conflict (409, with `state` and `kept`) if somebody has changed the same value since.
    """
    history = card_changes.summarize_history(
        call.tx, call.tx.each(sql.undo.list_history_since, card_id=card_id, at=body.at, limit=ROWS_MAX)
    )
    if not history.own_actors:
        raise invalid("at", "matches no change of the card; use a createdAt of its history")
    plan = rules.plan_undo(call, card_id, history)
    if plan.skipped or not plan.targets:
        kept = [undo.to_output(change).model_dump() for change in plan.skipped]
        message, state = (plan.skipped[0].message, plan.skipped[0].reason) if plan.skipped else NOTHING_TO_UNDO
        raise Conflict(None, message, state=state, kept=kept)
    _check_permissions(call, plan)
    undo.apply_plan(call, plan, _find_rank_key(call, plan, body))
    return cards.get_card(call, card_id)


def _check_permissions(call: CardCall, plan: rules.Plan) -> None:
    """Raise the error of the first change that the caller may not make.

    A move back needs no transition if the caller alone moved the card, or is a Solution Architect.
    """
    for name, (_, former) in plan.targets.items():
        is_archiving = name == card_changes.ARCHIVE and former is not None
        action = "delete" if is_archiving else "transition" if name == rules.COLUMN else "update"
        for error in authorization.missing_permissions(call, may(action, "Card")):
            raise error
    column_id = plan.card_columns()["column_id"]
    if plan.card["archived_at"]:
        column = columns.find_column(call, column_id)
        assert column is not None
        columns.check_wip_limit(call, column)
    elif rules.COLUMN in plan.targets:
        is_alone = plan.history.own_actors == {(call.actor.type, call.actor.id)}
        is_free = is_alone or (call.membership and call.membership.role == SA)
        found = moves.list_blockers(call, plan.card, moves.require_destination_column(call, plan.card, column_id))
        moves.raise_first_blocker([error for error in found if error.code == WIP_LIMIT_REACHED or not is_free])


def _find_rank_key(call: CardCall, plan: rules.Plan, body: ChangeUndo) -> int | None:
    """Return the rank key after the card `afterCardId`; None (the end) without it, or if it has left the column."""
    if body.after_card_id is MISSING:
        return None
    column_id = plan.card_columns()["column_id"]
    previous_id = card_keys.resolve_card_id(call, body.after_card_id) if body.after_card_id else None
    if previous_id is not None and call.tx.value(sql.ranks.get_rank, column_id=column_id, card_id=previous_id) is None:
        return None
    return (
        None if previous_id == plan.card["id"] else ranks.get_rank_after(call, column_id, plan.card["id"], previous_id)
    )
