"""Rendering of the context of a card for agents: everything needed to work on it, with names instead of ids."""

from typing import Any

import orjson

from ..auth import authorization
from ..auth.context import Call
from ..domain import due_dates, truncation
from ..resources import context, freeze
from . import naming
from .registry import ToolContext
from .token_limit import TruncatableResult

Json = dict[str, Any]
ROUTE_TOKENS_MAX = 100_000  # of the response of the route; the result is truncated after ids are replaced by names
QUERY = {"maxTokens": ROUTE_TOKENS_MAX}
LIST_HINTS = {
    "comments": 'get_card with part="comments" shows them, and commentsOffset pages back',
    "card.blockedBy": 'get_card with part="relations" shows them',
    "card.fields": "get_card shows one with part=<its name>",
} | {
    path: f'get_card with part="{path.partition(".")[0]}" shows them'
    for path in ("relations", "parts.items", "takes", "files", "moves", "checklist")
}
TEXT_HINT = "get_card shows one text with part=<name of the field, or id of the comment> and offset"
PROMPT, PROMPT_HINT = "column.prompt.body", "get_prompt shows the prompt"
_REQUEST_KEYS = ("state", "toColumnId", "note", "decisionNote", "next")
_CARD_KEYS = ("key", "title", "version", "assignedAgentId", "assignedUserId", "archivedAt")


async def get_context(ctx: ToolContext, card: str) -> TruncatableResult:
    """Return the context of a card, found by its key or id; raise ServiceError."""
    return to_result(await ctx.call(context.get_context, None, QUERY, render_context, card_id=card))


def to_result(content: Json) -> TruncatableResult:
    """Return a rendered context as a result that is truncated by the rules of its route."""
    return TruncatableResult(content, truncate=_truncate)


def _truncate(content: Json, tokens: int) -> Json:
    result = truncation.truncate(content, tokens, _render_omissions)
    return result if result["leftOut"] else content


def _render_omissions(omissions: list[Json]) -> list[str]:
    """Return a note for each incomplete list, and one for all truncated texts."""
    lists = [omission for omission in omissions if omission["what"] in LIST_HINTS]
    texts = [omission for omission in omissions if omission["what"] not in LIST_HINTS]
    notes = [f"{item['what']}: {_render_count(item)}" for item in lists]
    if texts:
        cuts = ", ".join(f"{item['what']} ({item['shown']} of {item['total']})" for item in texts)
        hint = f"{TEXT_HINT}; {PROMPT_HINT}" if PROMPT in [item["what"] for item in texts] else TEXT_HINT
        notes.append(f"Texts are cut to the given numbers of characters: {cuts}; {hint}")
    return notes


def _render_count(omission: Json) -> str:
    total, shown = omission.get("total"), omission["shown"]
    if total is None:
        return f"{shown} shown, there are more; a person sees all of them on the page"
    return f"{total - shown} of {total} left out; {LIST_HINTS[omission['what']]}"


def render_claimed_card(call: Call, card: Json | None) -> Json | None:
    """Return the context of a card that was just claimed, in the transaction of the claim; None without a card."""
    if card is None:
        return None
    card_call = authorization.create_card_call(call, card["id"])
    query = context.ContextQuery.model_construct(max_tokens=ROUTE_TOKENS_MAX)
    return render_context(card_call, orjson.loads(context.get_context(card_call, card["id"], query)))


def render_context(call: Call, found: Json) -> Json:
    """Return the context of a card with names instead of ids, in the transaction that read it."""
    card, column, request = found["card"], found["column"], found["request"]
    request_keys = request and {key: request.get(key) for key in _REQUEST_KEYS}
    named = naming.replace_ids(call, {"blockedBy": card["blockedBy"], "request": request_keys})
    return {
        "leftOut": found["leftOut"] or None,
        "card": _render_card(call, card, named["blockedBy"]),
        "column": {"title": column["title"], "agents": render_agent_access(column), "prompt": column["prompt"]},
        "moves": None if card["archivedAt"] else [_render_move(move) for move in found["moves"]],
        "parent": _render_parent(found["parent"]),
        "question": found["question"] and _render_question(found["question"]),
        "request": request and {**named["request"], "decidedBy": _render_author(request["decidedBy"])},
        "comments": [render_comment(item) for item in found["comments"]],
        **{key: found[key] or None for key in ("parts", "relations", "files")},
    }


def _render_card(call: Call, card: Json, blocked_by: list[str]) -> Json:
    claim = card["claim"] and {key: card["claim"].get(key) for key in ("agentId", "expiresAt", "token", "session")}
    if claim:
        claim["expiresAt"] = freeze.estimate_expiry(call, claim["expiresAt"])
    return {
        **{key: card[key] for key in _CARD_KEYS},
        "dueDate": due_dates.get_text(card),
        "priority": None if card["priority"] == "none" else card["priority"],
        "createdBy": naming.render_author(card["createdBy"]),
        "project": card["key"].rpartition("-")[0],
        "cardType": card["cardType"],
        "blockedBy": blocked_by or None,
        "checklist": card["checklist"],
        "claim": claim,
        "fields": card["fields"],
    }


def _render_move(move: Json) -> Json:
    """Return the target column of a move with its blockers, each as its code and the names of its fields."""
    blockers = [_render_blocker(blocker) for blocker in move["blockers"]]
    return {"to": move["title"], "requiresApproval": move["requiresApproval"] or None, "blockers": blockers or None}


def _render_blocker(blocker: Json) -> str:
    fields = blocker["details"].get("fields") or []
    names = [field if isinstance(field, str) else field["name"] for field in fields]
    return f"{blocker['code']}: {', '.join(names)}" if names else str(blocker["code"])


def _render_question(question: Json) -> Json:
    return {key: question.get(key) for key in ("state", "content", "options", "answer", "next")} | {
        "answeredBy": _render_author(question["answeredBy"])
    }


def _render_author(actor: Json | None) -> Json | None:
    return actor and naming.render_author(actor)


def _render_parent(card: Json | None) -> Json | None:
    return card and {"key": card["key"], "title": card["title"]}


def render_agent_access(column: Json) -> str:
    """Return what agents may do with cards in a column, as one word."""
    if not column["agentPickupEnabled"]:
        return "look"
    return "work" if column["agentCanModerate"] else "talk"


def render_comment(item: Json) -> Json:
    """Return a comment with its replies, or a reply, with author and time."""
    author = naming.render_author(item["actor"])
    comment = {"id": item["id"], "by": author, "at": item["createdAt"], "content": item["content"]}
    replies = [render_comment(reply) for reply in item.get("replies") or []]
    return comment | {"imported": item["imported"] or None, "replyTo": item.get("parentId"), "replies": replies or None}
