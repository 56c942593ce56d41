"""Errors as agents read them: in the names of tools and their arguments, with what would be right."""

from contextlib import suppress
from typing import Any

from ..errors import ServiceError
from . import naming
from .bounding import bounded_error, shown
from .registry import ToolContext

Json = dict[str, Any]
NAMES_TOLD_MAX = 10  # in a sentence
# By code, where the sentence of the route would lead an agent nowhere.
_SAID = {
    "approval_required": "A person has to approve this move: call request_move with the same card and to.",
    "agent_unknown": "No agent of that id registered with your key, or several did: connect with the id of the one "
    "that you are (stdio: --agent ID), or call register.",
    "agent_not_registered": "No agent is registered with your key: call register, and wait until a Solution Architect "
    "approves it.",
    "agent_not_approved": "You wait for approval by a Solution Architect; whoami tells when you have it.",
    "agent_cannot_moderate": "Agents may only talk about cards in this column: comment, ask and request_move.",
    "agent_pickup_disabled": "Agents may do nothing with cards in this column; go on with another card (claim_next).",
    "already_claimed": "Another agent holds the card; take another one (claim_next), or wait until details.claim ends.",
    "claim_expired": "Your claim on the card has ended; claim it again before you go on.",
    "request_exists": "A request to move the card is open already; wait for its decision, or withdraw_request first.",
    "too_many_claims": "You hold as many cards as an agent may; finish or release one of those in details first.",
    "question_exists": "Your question on this card is open already; wait for its answer, or reply to it.",
}
_WHERE = {
    "card": "search and list_cards find cards",
    "file": "get_card lists the ids of a card's files",
    "comment": "get_card shows the ids of a card's comments",
    "prompt": "list_prompts lists them",
    "agent": "whoami tells who you are",
    "relation of these cards": "context shows the relations of a card, each as seen from it",
    "open request on the card": "context shows what became of the last one",
    "field or comment on the card": "get_card shows its fields by name, and its comments with their ids",
}
_PEOPLE = ("names no agent of the organization", "names no member of the organization")


def told(ctx: ToolContext, error: ServiceError) -> Json:
    """Put an error into the words of tools; it is no longer than answers are by default."""
    return bounded_error(_worded(ctx, error.code, error.message, error.details))


def _worded(ctx: ToolContext, code: str, message: str, details: Json) -> Json:
    fields = details.get("fields")
    if code == "validation_failed" and isinstance(fields, list):
        named = [{**field, "path": _path(field), "message": _problem(field)} for field in fields]
        details, message = {**details, "fields": named}, _correct(named)
    with suppress(ServiceError):  # who may not even look keeps the ids
        details = naming.in_names(ctx, details)
    if code == "not_found":
        noun = details.get("resource", "thing")
        message = f"There is no such {noun}; {_WHERE.get(noun, 'check the name')}."
    details["blockers"] = [_blocker(ctx, blocker) for blocker in details.get("blockers", [])] or None
    told: Json = shown({"code": code, "message": _sentence(code, message, details), "details": details})
    return told


def _path(field: Json) -> str:
    """Name an argument; one that there is not is called as the agent called it, or it would be told to take that."""
    path = str(field["path"])
    return path if str(field["message"]).startswith("unknown key") else naming.path(path)


def _problem(field: Json) -> str:
    message = str(field["message"])
    return f"{message}; list_people shows the ids of all there are" if message in _PEOPLE else message


def _correct(fields: list[Json]) -> str:
    where = f"{fields[0]['path']}: " if fields[0]["path"] else ""
    return f"Correct the call: {where}{fields[0]['message']}."


def _blocker(ctx: ToolContext, blocker: Json) -> Json:
    about = blocker.get("details", {})
    return {"code": blocker["code"], "message": _sentence(blocker["code"], blocker["message"], about)}


def _sentence(code: str, message: str, details: Json) -> str:
    if code == "required_fields_missing":
        names = [field if isinstance(field, str) else field["name"] for field in details.get("fields", [])]
        return f"The column requires values of {_listed(names)}: update_card with fields, then move again."
    if code == "card_blocked":
        return f"The column takes no blocked cards; finish {_listed(details.get('blockedBy', []))} first."
    if code == "transition_not_allowed" and details.get("allowed"):
        return f"{message} From where it is the card can go to {_listed([way['to'] for way in details['allowed']])}."
    if code in ("agent_pickup_disabled", "agent_cannot_moderate") and details.get("options"):
        return f"Agents make no cards in this column; give {' or '.join(details['options'])} as column, or none."
    return _SAID.get(code, message)


def _listed(names: list[str]) -> str:
    rest = f" and {len(names) - NAMES_TOLD_MAX} more" if len(names) > NAMES_TOLD_MAX else ""
    return ", ".join(names[:NAMES_TOLD_MAX]) + rest
