"""The sentence `next` beside a decision or an answer: what an agent can do now with its tools."""

from ..auth import leases
from ..auth.context import Call
from ..database.queries import sql

STALE = "The card or the board has changed: get_card shows the moves; request_move again if it is still right."
# By the state of a request or question, then by what the agent can do with the card.
SENTENCES = {
    "rejected": {
        "claimed": "Do what the note says (ask if it is unclear), then request_move again.",
        "free": "Take the card with claim, do what the note says (ask if it is unclear), then request_move again.",
        "comments": "You cannot change the card in {column}: ask a person with ask to move it back; if nothing has to "
        "be changed, explain why with comment and request_move again.",
    },
    "approved": {
        "claimed": "The card is in {column}: go on with it.",
        "free": "The card is in {column}: take it with claim if there is more to do, else another one with claim_next.",
        "comments": "People go on with the card in {column}: take another one with claim_next.",
        "reads": "People go on with the card in {column}: take another one with claim_next.",
    },
    "stale": {
        "claimed": STALE,
        "free": STALE,
        "comments": STALE,
    },
    "answered": {
        "claimed": "Go on with this answer.",
        "free": "Take the card with claim and go on with this answer.",
    },
}
# For every state.
OTHERWISE = {
    "comments": "You cannot change the card in {column}: comment there, or take another one with claim_next.",
    "reads": "Agents can only read the card in {column}: take another one with claim_next.",
    "taken": "Another agent has claimed the card now: take another one with claim_next.",
    "claimed_elsewhere": "Another process of yours has claimed the card: if it has ended, use claim with takeOver: "
    "true, else take another one with claim_next.",
    "done": "The card is in {column}, so nothing is left to do: take another one with claim_next.",
    "archived": "The card is archived, so nothing is left to do: take another one with claim_next.",
}


def describe_next_step(call: Call, card_id: str, state: str) -> dict[str, str]:
    """Return `next` for an agent that is told the state of a request or question; nothing for people and other states.

    The sentence depends on where the card is now, who has claimed it, and what agents may do in its column.
    """
    if not call.is_agent or state not in SENTENCES:
        return {}
    card = call.tx.one(sql.next_steps.get_card, card_id=card_id, now=call.now)
    assert card is not None
    sentences = OTHERWISE | SENTENCES[state]
    return {"next": sentences[_get_possibility(call, card)].format(column=card["column"])}


def _get_possibility(call: Call, card: "sql.next_steps.GetCardRow") -> str:
    """Return what the calling agent can do with a card."""
    if card["archived_at"]:
        return "archived"
    if card["column_type"] == "done":
        return "done"
    if not card["agent_pickup_enabled"]:
        return "reads"
    return _get_claim_state(call, card) if card["agent_can_moderate"] else "comments"


def _get_claim_state(call: Call, card: "sql.next_steps.GetCardRow") -> str:
    """Return who has claimed a card, from the point of view of the calling agent."""
    if card["claimed_by"] is None:
        return "free"
    if card["claimed_by"] != call.agent_id:
        return "taken"
    return "claimed_elsewhere" if leases.is_of_other_session(call, card) else "claimed"
