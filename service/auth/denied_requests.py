"""What agents are refused, gathered until it is written down: a refusal costs no transaction of its own."""

from collections import deque
from dataclasses import dataclass
from typing import Any

from ..errors import ServiceError
from .context import Call, CardCall

STATUSES = {400, 403, 409, 412, 423}
OWN_FAULTS = {"validation_failed", "invalid_json"}  # of whoever wrote the request; no rule was met


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refused write of an agent."""

    org_id: str
    agent_id: str
    card_id: str
    to_column_id: str | None
    code: str
    message: str
    blockers: list[dict[str, Any]]
    at: str


def note(gathered: deque[Any], call: Call, error: ServiceError, body: Any) -> None:
    """Note what an agent that writes was refused by a policy, a claim, a freeze or a rule."""
    if call.actor.type != "Agent" or error.status not in STATUSES or error.code in OWN_FAULTS:
        return
    card_id = call.card["id"] if isinstance(call, CardCall) and call.has_card else ""
    to_column_id, blockers = getattr(body, "to_column_id", None), error.details.get("blockers", [])
    about = call.org_id, call.actor.id, card_id, to_column_id
    gathered.append(Refusal(*about, error.code, error.message, blockers, call.now))
