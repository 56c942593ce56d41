"""A card with all that one needs to work on it, as an agent reads it: names, and hardly any ids."""

from typing import Any

import orjson

from ..auth import authorization
from ..auth.context import Call
from ..domain import truncation
from ..resources import context
from . import naming
from .bounding import BYTES_PER_TOKEN, Long, size
from .registry import ToolContext

Json = dict[str, Any]
CONTEXT = "GET /cards/{card_id}/context/mcp"
LISTS = {".".join(path) for path in truncation.LISTS}
TOKENS_READ = 100_000  # of the operation's answer, before it is put into names and bounded
READ = {"maxTokens": TOKENS_READ}
NOTES_TOKENS = 75  # for the words in which is told what was left out
MORE = "ask again with maxTokens=8000"
ELSEWHERE = {
    "comments": "get_card pages back with commentsOffset",
    "moves": "get_board shows transitions",
    truncation.FIELDS: "get_card shows one with part=<its name>",
}
TEXTS = "get_card shows one text with part=<name of the field, or id of the comment> and offset"
_SHOWN = ("key", "title", "version", "dueDate", "assignedAgentId", "assignedUserId", "archivedAt")


async def long(ctx: ToolContext, named: str) -> Long:
    """Show the context of a card as an answer that is bounded."""
    return bounded(await ctx.ask(CONTEXT, None, READ, told, card_id=named))


def bounded(answer: Json) -> Long:
    """Bound the context of a card as its route does, and say in words what was left out."""
    return Long(answer, fit=_fitted)


def _fitted(whole: Json, tokens: int) -> Json:
    answer = {**whole, "leftOut": whole.get("leftOut", [])}
    if size(answer) > (tokens - NOTES_TOKENS) * BYTES_PER_TOKEN:
        answer = orjson.loads(truncation.truncate(answer, tokens - NOTES_TOKENS))
    return {**answer, "leftOut": _left_out(answer["leftOut"])} if answer["leftOut"] else whole


def _left_out(notes: list[Json]) -> list[str]:
    """Tell which lists are not whole, and which texts end sooner, all of them at one length."""
    lists = [note for note in notes if note["what"] in LISTS]
    texts = [note for note in notes if note["what"] not in LISTS]
    said = [f"{note['what']}: {_missing(note)}; {ELSEWHERE.get(note['what'], MORE)}" for note in lists]
    if texts:
        cuts = ", ".join(f"{note['what']} ({note['total']})" for note in texts)
        said.append(f"Texts end at {texts[-1]['shown']} characters: {cuts}; {TEXTS}")
    return said


def _missing(note: Json) -> str:
    total, shown = note.get("total"), note["shown"]
    return f"{total - shown} of {total} left out" if total else f"{shown} shown, there are more"


def claimed(call: Call, card: Json | None) -> Json | None:
    """Tell the context of a card that was just claimed, in the transaction of the claim; None if none was free."""
    if card is None:
        return None
    about = authorization.about(call, card["id"])
    query = context.ContextQuery.model_construct(max_tokens=TOKENS_READ)
    return told(about, orjson.loads(context.get_context(about, card["id"], query)))


def told(call: Call, found: Json) -> Json:
    """Put the context of a card into names, in the transaction that read it."""
    card, column, request = found["card"], found["column"], found["request"]
    asked = request and {key: request[key] for key in ("state", "toColumnId", "note", "decisionNote")}
    named = naming.told(call, {"blockedBy": card["blockedBy"], "request": asked})
    return {
        "card": _card(card, named["blockedBy"]),
        "column": {"title": column["title"], "agents": allowance(column), "prompt": column["prompt"]},
        "moves": None if card["archivedAt"] else [_move(move) for move in found["moves"]],
        "parent": _named(found["parent"]),
        "question": found["question"] and _question(found["question"]),
        "request": request and {**named["request"], "decidedBy": _author(request["decidedBy"])},
        "comments": [comment(item) for item in found["comments"]],
        **{key: found[key] or None for key in ("parts", "relations", "files")},
        "leftOut": found["leftOut"] or None,
    }


def _card(card: Json, blocked_by: list[str]) -> Json:
    claim = card["claim"] and {key: card["claim"].get(key) for key in ("agentId", "expiresAt", "token")}
    return {
        **{key: card[key] for key in _SHOWN},
        "priority": None if card["priority"] == "none" else card["priority"],
        "createdBy": naming.author(card["createdBy"]),
        "project": card["key"].rpartition("-")[0],
        "cardType": card["cardType"],
        "blockedBy": blocked_by or None,
        "claim": claim,
        "fields": card["fields"],
    }


def _move(move: Json) -> Json:
    """Tell a move, and in a word each what is in its way."""
    blockers = [_blocker(blocker) for blocker in move["blockers"]]
    return {"to": move["title"], "blockers": blockers or None}


def _blocker(blocker: Json) -> str:
    fields = blocker["details"].get("fields") or []
    names = [field if isinstance(field, str) else field["name"] for field in fields]
    return f"{blocker['code']}: {', '.join(names)}" if names else str(blocker["code"])


def _question(question: Json) -> Json:
    said = {key: question[key] for key in ("state", "content", "options", "answer")}
    return said | {"answeredBy": _author(question["answeredBy"])}


def _author(actor: Json | None) -> Json | None:
    return actor and naming.author(actor)


def _named(card: Json | None) -> Json | None:
    return card and {"key": card["key"], "title": card["title"]}


def allowance(column: Json) -> str:
    """Tell in a word what agents may do in a column."""
    if not column["agentPickupEnabled"]:
        return "look"
    return "work" if column["agentCanModerate"] else "talk"


def comment(item: Json) -> Json:
    """Tell a comment with its replies, or a reply: who said what when."""
    said = {"id": item["id"], "by": naming.author(item["actor"]), "at": item["createdAt"], "content": item["content"]}
    replies = [comment(reply) for reply in item.get("replies") or []]
    return said | {"replyTo": item.get("parentId"), "replies": replies or None}
