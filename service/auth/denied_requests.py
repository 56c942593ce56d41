"""Denied writes of agents, collected in memory and written in batches to save transactions."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from ..errors import ServiceError
from .context import Call, CardCall

STATUSES = {400, 403, 409, 412, 423}
OWN_FAULTS = {"validation_failed", "invalid_json"}  # malformed requests, which no rule denied


@dataclass(frozen=True, slots=True)
class DeniedRequest:
    """A denied write of an agent."""

    org_id: str
    agent_id: str
    card_id: str
    to_column_id: str | None
    code: str
    message: str
    blockers: list[dict[str, Any]]
    at: str


def record(gathered: deque[Any], call: Call, error: ServiceError, body: Any) -> None:
    """Record that a policy, claim, freeze or rule denied a write of an agent."""
    if call.actor.type != "Agent" or error.status not in STATUSES or error.code in OWN_FAULTS:
        return
    card_id = call.card["id"] if isinstance(call, CardCall) and call.has_card else ""
    to_column_id, blockers = getattr(body, "to_column_id", None), error.details.get("blockers", [])
    about = call.org_id, call.actor.id, card_id, to_column_id
    gathered.append(DeniedRequest(*about, error.code, error.message, blockers, call.now))
