"""What a claim means while it lives: whom it keeps out, what renews it, and who may see its token.

Contract, sections 6 and 7: claims.
"""

from datetime import timedelta
from typing import Any

import orjson

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict
from .context import Call
from .passwords import same

Lease = dict[str, Any]
HOLDERS = {"token", "leaseSeconds"}  # what others are not shown


def alive(card: Row, now: str) -> Lease | None:
    """Give the claim on a card if it lives: one whose time has passed counts as none."""
    if card["claim"] is None:
        return None
    lease: Lease = orjson.loads(card["claim"])
    return lease if lease["expiresAt"] > now else None


def shown(card: Row, now: str, agent_id: str | None) -> Row:
    """Give a card with its claim as an agent may see it (None: a person), the token only if it is its own."""
    lease = alive(card, now)
    if lease is None:
        return {**card, "claim": None}
    hidden = {"leaseSeconds"} if lease["agentId"] == agent_id else HOLDERS
    return {**card, "claim": orjson.dumps({key: lease[key] for key in lease.keys() - hidden}).decode()}


def is_held_by(card: Row, agent_id: str) -> bool:
    """Tell whether an agent holds a card that is as the caller may see it: with its claim only while that lives."""
    return card["claim"] is not None and orjson.loads(card["claim"])["agentId"] == agent_id


def judge(card: Row, now: str, agent_id: str | None, token: str | None) -> None:
    """Refuse an agent that does not hold the card if another does, and a token that is not the living one."""
    lease = alive(card, now)
    if lease is None:
        if token is not None:
            raise expired()
        return
    if not _is_held(lease, agent_id, token):
        message = "The card is claimed; take another one, or wait until the claim is released or has expired."
        claim = {key: lease[key] for key in lease.keys() - HOLDERS}
        raise Conflict("already_claimed", message, claim=claim)


def _is_held(lease: Lease, agent_id: str | None, token: str | None) -> bool:
    return lease["agentId"] == agent_id and (token is None or same(token, lease["token"]))


def expired() -> Conflict:
    """Say that the caller has no claim any more."""
    return Conflict("claim_expired", "Your claim on the card has ended; claim the card again before you go on.")


def prolong(call: Call, card: Row) -> Row:
    """Let the claim of the agent that writes to a card live on at its full length, and give the card as it is then."""
    lease = alive(card, call.now)
    if lease is None or not _is_held(lease, call.agent_id, call.claim_token):
        return card
    expires_at = renew(call, card["id"], lease["leaseSeconds"])
    lease |= {"renewedAt": call.now, "expiresAt": expires_at}
    return {**card, "claim": orjson.dumps(lease).decode()}


def renew(call: Call, card_id: str, seconds: int) -> str:
    """Let the claim on a card live on for so many seconds from now, and tell until when; a freeze takes nothing off."""
    end = until(call, seconds)
    call.tx.run(sql.claims.renew, card_id=card_id, now=call.now, expires_at=end, lease_seconds=seconds)
    return end


def until(call: Call, seconds: int) -> str:
    """Tell when a claim of so many seconds ends that begins now."""
    return timestamp(parse_timestamp(call.now) + timedelta(seconds=seconds))
