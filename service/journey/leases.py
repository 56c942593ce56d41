"""What a claim means while it lives: whom it keeps out, and who may see its token (contract, section 6: claims)."""

from typing import Any

import orjson

from ..credentials.crypto import same
from ..database.store import Row
from ..errors import Conflict

Lease = dict[str, Any]


def alive(card: Row, now: str) -> Lease | None:
    """Give the claim on a card if it lives: one whose time has passed counts as none."""
    if card["claim"] is None:
        return None
    lease: Lease = orjson.loads(card["claim"])
    return lease if lease["expiresAt"] > now else None


def shown(card: Row, now: str, agent_id: str | None) -> Row:
    """Give a card with its claim as an agent may see it (None: a person), the token only if it is its own."""
    lease = alive(card, now)
    if lease and lease["agentId"] != agent_id:
        lease["token"] = None
    return {**card, "claim": orjson.dumps(lease).decode() if lease else None}


def judge(card: Row, now: str, agent_id: str | None, token: str | None) -> None:
    """Refuse an agent that does not hold the card if another does, and a token that is not the living one."""
    lease = alive(card, now)
    if lease is None:
        if token is not None:
            raise expired()
        return
    if lease["agentId"] != agent_id or (token is not None and not same(token, lease["token"])):
        message = "The card is claimed; take another one, or wait until the claim is released or has expired."
        raise Conflict(
            "already_claimed", message, claim={key: lease[key] for key in ("agentId", "expiresAt", "renewedAt")}
        )


def expired() -> Conflict:
    """Say that the caller has no claim any more."""
    return Conflict("claim_expired", "Your claim on the card has ended; claim the card again before you go on.")
