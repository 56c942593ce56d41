"""Leases of claims: which writes a live claim denies, how it is renewed, and who may see its token.

Why claims end by time is in decision 18.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TypeVar

import orjson

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import Conflict
from .context import Call
from .passwords import is_same_secret

CardRow = TypeVar("CardRow", bound="sql.cards.GetRow")
Lease = dict[str, Any]
HOLDERS = {"token", "leaseSeconds"}  # hidden from other callers


def get_live_lease(card: "sql.cards.GetRow", now: str) -> Lease | None:
    """Return the claim on a card, or None if there is none or its lease has expired."""
    if card["claim"] is None:
        return None
    lease: Lease = orjson.loads(card["claim"])
    return lease if lease["expiresAt"] > now else None


def hide_secrets(call: Call, card: CardRow) -> CardRow:
    """Return a card with its live claim; the token is included only for the session that holds it."""
    lease = get_live_lease(card, call.now)
    if lease is None:
        return {**card, "claim": None}  # type: ignore[return-value]
    hidden = {"leaseSeconds"} if _is_own(call, lease) else HOLDERS
    claim = orjson.dumps({key: lease[key] for key in lease.keys() - hidden}).decode()
    return {**card, "claim": claim}  # type: ignore[return-value]


def is_held(card: "sql.cards.GetRow") -> bool:
    """Return whether the caller holds the claim of a card that was passed through `hide_secrets`."""
    return card["claim"] is not None and "token" in orjson.loads(card["claim"])


def require_claim(call: Call, card: "sql.cards.GetRow") -> None:
    """Raise already_claimed if somebody else holds the card or the token differs, claim_expired if the claim ended.

    Somebody else is another agent, or another session of the agent unless the request takes the claim over.
    """
    lease = get_live_lease(card, call.now)
    if lease is None:
        if call.claim_token is not None:
            raise claim_expired()
    elif not _is_held(call, lease) and not (call.takes_over and lease["agentId"] == call.agent_id):
        raise _already_claimed(call, lease)


def require_own_session(call: Call, card: "sql.cards.GetRow") -> None:
    """Raise already_claimed if another session of the calling agent holds a card that went through `hide_secrets`."""
    lease = None if card["claim"] is None else orjson.loads(card["claim"])
    if lease is not None and lease["agentId"] == call.agent_id and not _is_own(call, lease):
        raise _already_claimed(call, lease)


def is_of_other_session(call: Call, lease: Mapping[str, Any]) -> bool:
    """Return whether a claim belongs to a session, and the request names another one."""
    return call.agent_session is not None and lease.get("session") not in (None, call.agent_session)


def _is_held(call: Call, lease: Lease) -> bool:
    return _is_own(call, lease) and (call.claim_token is None or _has_live_token(call, lease))


def _is_own(call: Call, lease: Lease) -> bool:
    """Return whether a claim is the agent's, and of its session unless the request has the token of the claim."""
    is_other = is_of_other_session(call, lease) and not _has_live_token(call, lease)
    return lease["agentId"] == call.agent_id and not is_other


def _has_live_token(call: Call, lease: Lease) -> bool:
    return call.claim_token is not None and is_same_secret(call.claim_token, lease.get("token", ""))


def _already_claimed(call: Call, lease: Lease) -> Conflict:
    claim = {key: lease[key] for key in lease.keys() - HOLDERS}
    if lease["agentId"] != call.agent_id:
        message = "The card is claimed; take another one, or wait until the claim is released or has expired."
        return Conflict("already_claimed", message, claim=claim)
    message = "Another process of this agent has claimed the card; if it has ended, claim the card with takeOver: true."
    return Conflict("already_claimed", message, claim=claim | {"sameAgent": True})


def claim_expired() -> Conflict:
    """Return the error for a claim that has ended."""
    return Conflict("claim_expired", "Your claim on the card has ended; claim the card again before you go on.")


def renew_if_holder(call: Call, card: "sql.cards.GetRow") -> "sql.cards.GetRow":
    """Renew the claim for its full length if the caller holds it; return the card with its current claim."""
    lease = get_live_lease(card, call.now)
    if lease is None or not _is_held(call, lease):
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
