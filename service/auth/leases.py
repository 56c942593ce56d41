"""Leases of claims: which writes a live claim denies, how it is renewed, and who may see its token.

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
from .passwords import is_same_secret

Lease = dict[str, Any]
HOLDERS = {"token", "leaseSeconds"}  # hidden from other callers


def get_live_lease(card: Row, now: str) -> Lease | None:
    """Return the claim on a card, or None if there is none or its lease has expired."""
    if card["claim"] is None:
        return None
    lease: Lease = orjson.loads(card["claim"])
    return lease if lease["expiresAt"] > now else None


def hide_secrets(card: Row, now: str, agent_id: str | None) -> Row:
    """Return a card with its live claim; the token is included only for the agent that holds it (None: a person)."""
    lease = get_live_lease(card, now)
    if lease is None:
        return {**card, "claim": None}
    hidden = {"leaseSeconds"} if lease["agentId"] == agent_id else HOLDERS
    return {**card, "claim": orjson.dumps({key: lease[key] for key in lease.keys() - hidden}).decode()}


def is_held_by(card: Row, agent_id: str) -> bool:
    """Return whether an agent holds the claim of a card that was passed through `hide_secrets`."""
    return card["claim"] is not None and orjson.loads(card["claim"])["agentId"] == agent_id


def require_claim(card: Row, now: str, agent_id: str | None, token: str | None) -> None:
    """Raise already_claimed if another agent holds the card or the token differs, claim_expired if the claim ended."""
    lease = get_live_lease(card, now)
    if lease is None:
        if token is not None:
            raise claim_expired()
        return
    if not _is_held(lease, agent_id, token):
        message = "The card is claimed; take another one, or wait until the claim is released or has expired."
        claim = {key: lease[key] for key in lease.keys() - HOLDERS}
        raise Conflict("already_claimed", message, claim=claim)


def _is_held(lease: Lease, agent_id: str | None, token: str | None) -> bool:
    return lease["agentId"] == agent_id and (token is None or is_same_secret(token, lease["token"]))


def claim_expired() -> Conflict:
    """Return the error for a claim that has ended."""
    return Conflict("claim_expired", "Your claim on the card has ended; claim the card again before you go on.")


def renew_if_holder(call: Call, card: Row) -> Row:
    """Renew the claim for its full length if the caller holds it; return the card with its current claim."""
    lease = get_live_lease(card, call.now)
    if lease is None or not _is_held(lease, call.agent_id, call.claim_token):
        return card
    expires_at = renew(call, card["id"], lease["leaseSeconds"])
    lease |= {"renewedAt": call.now, "expiresAt": expires_at}
    return {**card, "claim": orjson.dumps(lease).decode()}


def renew(call: Call, card_id: str, seconds: int) -> str:
    """Renew the claim on a card for a number of seconds, never shortening it; return its new expiry."""
    end = compute_expiry(call, seconds)
    call.tx.run(sql.claims.renew, card_id=card_id, now=call.now, expires_at=end, lease_seconds=seconds)
    return end


def compute_expiry(call: Call, seconds: int) -> str:
    """Return the expiry of a claim of a number of seconds that begins now."""
    return timestamp(parse_timestamp(call.now) + timedelta(seconds=seconds))
