"""Attention: one list of what waits for a person (contract, section 6)."""

from typing import Literal

from ..database.queries import sql
from ..journey.call import Call
from ..journey.gates import may
from ..journey.table import routes
from ..wire import Output


class AttentionItem(Output):
    """One thing that waits for a person, since when, and what to look at."""

    kind: Literal["pending_agent", "stopped_agent", "move_request", "expired_claim", "overdue_card"]
    since: str
    card_id: str | None = None
    agent_id: str | None = None
    message: str


@routes.get("/organizations/{org_id}/attention", may("read", "Card"), bulk=True, answers=list[AttentionItem])
def browse(call: Call, org_id: str) -> bytes:
    """List what waits for a person, what waits longest first: agents, move requests, expired claims, overdue cards.

    Stopped agents are listed if cards are assigned to them, or if the runaway guard stopped them, with its reason.
    An expired claim is off the list as soon as anything happens to its card.
    """
    found: str = call.tx.value(sql.attention.browse, org_id=org_id, now=call.now)
    return found.encode()
