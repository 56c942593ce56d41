"""The runaway guard: stops an agent that creates, comments on or moves cards in a loop (settings guard_*).

Before it stops an agent that creates many cards, the setting agent_creates_per_hour makes the agent wait.

It counts rows of the history, so neither a restart nor a second API key of the agent resets the count. The count starts
again when a person changes the card, or when an SA resumes the agent. Rows that came with an import do not count.
"""

import math
from datetime import timedelta
from typing import Any

from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import CircuitOpen, Conflict
from . import agents

WINDOW_SECONDS = 3600


def check_card_rate(call: Call, more: int = 1) -> CircuitOpen | None:
    """Stop an agent that would exceed the guard's card limit per hour; return the error to send, or None.

    Raise too_many_created_cards for an agent that has to wait.
    """
    if not call.is_agent:
        return None
    circuit_open = _check_guarded_card_rate(call, more)
    if circuit_open is None:
        _require_creation_allowed(call, more)
    return circuit_open


def _check_guarded_card_rate(call: Call, more: int) -> CircuitOpen | None:
    if not (limit := call.service.settings.guard_cards_per_hour):
        return None
    created = call.tx.value(sql.guard.count_created_cards, since=_get_window_start(call), **_get_agent(call))
    wants = f", and wants to make {more} more" if more > 1 else ""
    return _stop_agent(call, f"it has made {created} cards within an hour{wants}") if created + more > limit else None


def _require_creation_allowed(call: Call, more: int) -> None:
    """Raise too_many_created_cards, with the seconds to wait, if the agent would exceed agent_creates_per_hour."""
    limit, window = call.service.settings.agent_creates_per_hour, {"since": _get_window_start(call), **_get_agent(call)}
    if not limit or (excess := call.tx.value(sql.guard.count_cards_of_hour, **window) + more - limit) <= 0:
        return
    details = {"limit": limit, "created": excess + limit - more}
    message = f"The agent has created {details['created']} cards in the last 60 minutes, and the limit is {limit}."
    if more > limit:
        raise Conflict("too_many_created_cards", f"{message} Create at most {limit} at a time.", **details)
    leaving = call.tx.value(sql.guard.find_creation_time, position=excess - 1, **window)
    seconds = math.ceil((parse_timestamp(leaving) - parse_timestamp(window["since"])).total_seconds())
    cards = "one more" if more == 1 else f"{more} more"
    message += f" It may create {cards} in {seconds} seconds; until then, work on the cards that exist."
    raise Conflict("too_many_created_cards", message, {"Retry-After": str(seconds)}, retryAfter=seconds, **details)


def check_comment_rate(call: Call, card_id: str) -> CircuitOpen | None:
    """Stop an agent that exceeds its comment limit per card and hour; return the error to send, or None."""
    if not call.is_agent or not (limit := call.service.settings.guard_comments_per_hour):
        return None
    count = call.tx.value(sql.guard.count_comments, card_id=card_id, since=_get_window_start(call), **_get_agent(call))
    return (
        _stop_agent(call, f"it has commented {count} times on card {card_id} within an hour")
        if count >= limit
        else None
    )


def check_returns(call: Call, card_id: str, column_id: str) -> CircuitOpen | None:
    """Stop an agent that returns a card to the same column too often; return the error to send, or None."""
    if not call.is_agent or not (limit := call.service.settings.guard_returns):
        return None
    returns = call.tx.value(sql.guard.count_returns, card_id=card_id, column_id=column_id, **_get_agent(call))
    reason = f"agents have moved card {card_id} {returns} times into the same column with no person in between"
    return _stop_agent(call, reason) if returns >= limit else None


def _get_agent(call: Call) -> dict[str, Any]:
    return {"org_id": call.org_id, "agent_id": call.actor.id}


def _get_window_start(call: Call) -> str:
    return timestamp(parse_timestamp(call.now) - timedelta(seconds=WINDOW_SECONDS))


def _stop_agent(call: Call, reason: str) -> CircuitOpen:
    agents.stop_runaway_agent(call, reason)
    message = f"The circuit is open: {reason}. Wait until a Solution Architect has looked at it."
    return CircuitOpen(None, message, {"Retry-After": str(WINDOW_SECONDS)}, reason=reason)
