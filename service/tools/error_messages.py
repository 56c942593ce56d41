"""Errors for agents: with the names of tools and arguments, and what to do next."""

from contextlib import suppress
from typing import Any

from ..errors import ServiceError
from . import naming
from .registry import ToolContext
from .token_limit import drop_nulls, truncate_error

Json = dict[str, Any]
NAMES_LISTED_MAX = 10  # in a message
# Messages by error code, where the message of the route does not help an agent.
_MESSAGES = {
    "approval_required": "A person has to approve this move: call request_move with the same card and to.",
    "agent_unknown": "Your key has no agent with that id, or it has several: ask the person who connected you to name "
    "your id (stdio: --agent ID). For a new agent, call register.",
    "agent_not_registered": "Your key has no agent yet: call register, then wait until a Solution Architect approves "
    "you; whoami shows when.",
    "agent_not_approved": "A Solution Architect has not approved you yet; whoami shows when. Try again after that.",
    "agent_cannot_moderate": "In this column agents may only talk about cards: use comment, ask or request_move.",
    "agent_pickup_disabled": "Agents may not change cards in this column: take another card with claim_next.",
    "already_claimed": "Another agent has claimed this card: take another one with claim_next, or wait until the "
    "time in details.claim.",
    "claim_expired": "Your claim on this card has ended: take the card again with claim before you go on.",
    "request_exists": "A request to move this card is already open: wait for the decision in your inbox, or take it "
    "back with request_move and withdraw: true.",
    "archived_parent": "It is archived, and only a person can restore it: go on with another card (claim_next).",
    "too_many_claims": "You have as many claims as an agent may have: finish or release one of those in details first.",
    "question_exists": "You already have an open question on this card: wait for the answer in your inbox, or add to "
    "it with comment and replyTo.",
}
# What to do next, by error code, after the message of the route.
_NEXT_STEPS = {
    "frozen": " Call wait_for_changes, then repeat this call.",
    "circuit_open": " whoami shows when you may work again.",
    "agent_stopped": " whoami shows when you may work again.",
    "comments_disabled": " Write it into a field with update_card.",
    "files_disabled": " Put the text, or a link, into a field with update_card.",
    "not_a_file_field": " get_card shows the fields and their kinds.",
    "quota_exceeded": " Put a link to the file into a field with update_card.",
    "relationship_exists": " get_card shows the relations.",
    "transition_not_allowed": " No move leads out of its column: ask a person with ask.",
    "wip_limit_reached": " If you can move none, release the card that has to wait, and go on with claim_next.",
}
_DATABASE_FULL = " Tell the person at your client; move_card, release and withdrawing still work."
# Hints for not_found, by the resource that was not found.
_NOT_FOUND_HINTS = {
    "card": "search and list_cards find cards; if its board is archived, ask a person to restore the board",
    "file": "get_card lists the ids of a card's files",
    "comment": "get_card shows the ids of a card's comments",
    "prompt": 'whoami with show: "prompts" lists the names',
    "agent": "whoami shows which agent you are",
    "relation of these cards": "get_card shows the relations of a card, each as seen from it",
    "open request on the card": "get_card shows the last one and what was decided",
    "field or comment on the card": "get_card shows its fields by name, and its comments with their ids",
}
_UNKNOWN_ASSIGNEE = ("names no agent of the organization", "names no member of the organization")


def render_error(ctx: ToolContext, error: ServiceError) -> Json:
    """Return an error as the content of a tool result, within the default token limit."""
    return truncate_error(_render(ctx, error.code, error.message, error.details))


def _render(ctx: ToolContext, code: str, message: str, details: Json) -> Json:
    fields = details.get("fields")
    if code == "validation_failed" and isinstance(fields, list):
        fields = [{**field, "path": _get_argument_path(field), "message": _render_problem(field)} for field in fields]
        details, message = {**details, "fields": fields}, _render_first_problem(fields)
    with suppress(ServiceError):  # a caller that may not look up names gets ids
        details = naming.look_up_names(ctx, details)
    if code == "not_found":
        resource = details.get("resource", "thing")
        message = f"There is no such {resource}; {_NOT_FOUND_HINTS.get(resource, 'check the name')}."
    details["blockers"] = [_render_blocker(ctx, blocker) for blocker in details.get("blockers", [])] or None
    error: Json = drop_nulls({"code": code, "message": _get_message(code, message, details), "details": details})
    return error


def _get_argument_path(field: Json) -> str:
    """Return the path of an argument. An unknown key keeps its path: its replacement may be a valid argument."""
    path = str(field["path"])
    return path if str(field["message"]).startswith("unknown key") else naming.to_argument_path(path)


def _render_problem(field: Json) -> str:
    message = str(field["message"])
    return f'{message}; whoami with show: "people" lists the ids' if message in _UNKNOWN_ASSIGNEE else message


def _render_first_problem(fields: list[Json]) -> str:
    where = f"{fields[0]['path']}: " if fields[0]["path"] else ""
    return f"Correct the call: {where}{fields[0]['message']}."


def _render_blocker(ctx: ToolContext, blocker: Json) -> Json:
    message = _get_message(blocker["code"], blocker["message"], blocker.get("details", {}))
    return {"code": blocker["code"], "message": message}


def _get_message(code: str, message: str, details: Json) -> str:
    if code == "already_claimed" and details.get("claim", {}).get("sameAgent"):
        return "Another process of yours has claimed this card: if it has ended, call claim with takeOver: true."
    if code == "required_fields_missing":
        names = [field if isinstance(field, str) else field["name"] for field in details.get("fields", [])]
        return f"The column requires values for {_join(names)}: set them with update_card and fields, then move again."
    if code == "card_blocked":
        return f"The column takes no blocked cards: claim and finish {_join(details.get('blockedBy', []))} first."
    if code == "transition_not_allowed" and details.get("allowed"):
        return f"{message} From its column the card can go to {_join([item['to'] for item in details['allowed']])}."
    if code in ("agent_pickup_disabled", "agent_cannot_moderate") and details.get("options"):
        return (
            f"Agents may not create cards in this column; set column to {' or '.join(details['options'])}, or omit it."
        )
    is_database_full = code == "quota_exceeded" and details.get("resource") == "database"
    return _MESSAGES.get(code, message) + (_DATABASE_FULL if is_database_full else _NEXT_STEPS.get(code, ""))


def _join(names: list[str]) -> str:
    rest = f" and {len(names) - NAMES_LISTED_MAX} more" if len(names) > NAMES_LISTED_MAX else ""
    return ", ".join(names[:NAMES_LISTED_MAX]) + rest
