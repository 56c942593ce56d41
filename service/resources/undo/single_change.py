"""Undo of one change of a card: as its history tells it, by whoever may change the card so."""

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

GATE = may("update", "Card", CARD, archived=True, versioned=True)
ROWS_MAX = 1000  # of the card's history that are looked through
FULL = "wip_limit_reached"
NOTHING = "There is nothing left to take back: it was taken back already, or it cannot be."


class ChangeUndo(Input):
    """Which change of the card is taken back: the one of that moment, as the card's history tells it."""

    at: Timestamp
    after_card_id: Id | None | MISSING = MISSING


def take_back(call: CardCall, card_id: str, body: ChangeUndo) -> cards.Card:
    """Make a card what it was before a change; 409 conflict with `kept` if somebody changed the same since."""
    history = card_changes.read(
        call.tx, call.tx.each(sql.undo.list_history_since, card_id=card_id, at=body.at, limit=ROWS_MAX)
    )
    if not history.own_actor_ids:
        raise invalid("at", "names no change of the card; take createdAt from its history")
    plan = rules.plan(call, card_id, history)
    if plan.kept or not plan.targets:
        told = [undo.stays(one).model_dump() for one in plan.kept]
        raise Conflict("conflict", plan.kept[0].message if plan.kept else NOTHING, kept=told)
    _judge(call, plan)
    undo.carry_out(call, plan, _rank_key(call, plan, body))
    return cards.get_card(call, card_id)


def _judge(call: CardCall, plan: rules.Plan) -> None:
    """Refuse what the role may not; only a card that somebody else moved needs a way back, unless for an SA."""
    for name, (_, then) in plan.targets.items():
        put_away = name == card_changes.ARCHIVE and then is not None
        action = "delete" if put_away else "transition" if name == rules.COLUMN else "update"
        for error in authorization.missing_permissions(call, may(action, "Card")):
            raise error
    column_id = plan.own()["column_id"]
    if plan.card["archived_at"]:
        column = columns.find_column(call, column_id)
        assert column is not None
        columns.check_wip_limit(call, column)
    elif rules.COLUMN in plan.targets:
        is_free = plan.history.own_actor_ids == {call.actor.id} or (call.membership and call.membership.role == SA)
        found = moves.blockers(call, plan.card, moves.destination_of(call, plan.card, column_id))
        moves.refuse([error for error in found if error.code == FULL or not is_free])


def _rank_key(call: CardCall, plan: rules.Plan, body: ChangeUndo) -> int | None:
    """Give the place behind the card that is named, if that still stands in the column; None: the end."""
    if body.after_card_id is MISSING:
        return None
    column_id = plan.own()["column_id"]
    named = card_keys.card_id(call, body.after_card_id) if body.after_card_id else None
    if named is not None and call.tx.value(sql.ranks.get_rank, column_id=column_id, card_id=named) is None:
        return None
    return None if named == plan.card["id"] else ranks.get_rank_after(call, column_id, plan.card["id"], named)
