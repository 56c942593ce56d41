"""Positions of cards in a column: integer rank keys with gaps, so that moving a card writes one row."""

from typing import Any

from ..auth import card_keys
from ..auth.context import Call
from ..database.queries import sql
from ..errors import invalid

RANK_GAP = 1 << 32  # can be halved 32 times before neighbours must be moved
REBALANCED_CARDS = 64  # number of cards that are rebalanced first
STEP_MIN = 1 << 16  # minimum gap after rebalancing; if it is not reached, more cards are rebalanced


def get_rank_at_end(call: Call, column_id: str) -> int:
    """Return a rank key after all active cards of a column."""
    return get_next_rank(call.tx.value(sql.ranks.highest, column_id=column_id))


def get_next_rank(last: int | None) -> int:
    """Return the rank key after the last one of a column (None: the column is empty)."""
    return RANK_GAP if last is None else last + RANK_GAP


def get_rank_after(call: Call, column_id: str, card_id: str, after_card_id: str | None) -> int:
    """Return a rank key for a card directly after another one (None: at the top)."""
    if after_card_id is not None:
        after_card_id = card_keys.resolve_card_id(call, after_card_id, "afterCardId")
    rank_key = _find_rank_between(call, column_id, card_id, after_card_id)
    if rank_key is None:
        assert after_card_id is not None  # there is always room at the top
        _rebalance(call, column_id, after_card_id)
        rank_key = _find_rank_between(call, column_id, card_id, after_card_id)
    assert rank_key is not None
    return rank_key


def _rebalance(call: Call, column_id: str, after_card_id: str) -> None:
    """Space out the rank keys of the 64 cards after a card, or of 16 times more until the gaps are large enough."""
    low = call.tx.value(sql.ranks.get_rank, column_id=column_id, card_id=after_card_id)
    where = {"column_id": column_id, "after_card_id": after_card_id, "low": low}
    count, step = REBALANCED_CARDS, 0
    while step < STEP_MIN:
        end = call.tx.value(sql.ranks.nth_after, count=count, **where)
        step = RANK_GAP if end is None else (int(end) - low) // (count + 1)
        count *= 16
    call.tx.run(sql.ranks.rebalance, count=count // 16, step=step, **where)


def _find_rank_between(call: Call, column_id: str, card_id: str, after_card_id: str | None) -> int | None:
    if after_card_id is None:
        first = call.tx.value(sql.ranks.lowest, column_id=column_id, card_id=card_id)
        return RANK_GAP if first is None else int(first) - RANK_GAP
    low = call.tx.value(sql.ranks.get_rank, column_id=column_id, card_id=after_card_id)
    if low is None or after_card_id == card_id:
        raise invalid("afterCardId", "must name another active card of that column")
    where: dict[str, Any] = {"column_id": column_id, "card_id": card_id, "after_card_id": after_card_id}
    high = call.tx.value(sql.ranks.next_after, rank_key=low, **where)
    if high is None:
        return int(low) + RANK_GAP
    middle = (int(low) + int(high)) // 2
    return middle if low < middle < high else None


def find_card_above(call: Call, card_id: str) -> str | None:
    """Return the id of the active card directly above a card in its column, or None at the top."""
    card_above_id: str | None = call.tx.value(sql.ranks.find_above, card_id=card_id)
    return card_above_id
