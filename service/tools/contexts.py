"""A card with all that one needs to work on it, as an agent reads it: names, and hardly any ids."""

from typing import Any

from ..errors import NotFound
from . import naming
from .bounding import Long
from .registry import Visit

Json = dict[str, Any]
CONTEXT = "GET /cards/{card_id}/context/mcp"
COMMENTS = "GET /cards/{card_id}/comments/mcp"
COMMENTS_SHOWN = 10  # at a time
TOKENS_READ = 100_000  # of the operation's answer, before it is put into names and bounded
LISTS = {
    "comments": "get_card pages back with commentsOffset",
    "takes": "ask again with maxTokens=8000",
    "moves": "get_board shows transitions",
    "relations": "ask again with maxTokens=8000",
}
TEXTS = "get_card shows one text with part=<name of the field, or id of the comment> and offset"
_SHOWN = ("key", "title", "version", "dueDate", "assignedAgentId", "assignedUserId", "archivedAt")


async def of_card(visit: Visit, named: str) -> Json:
    """Tell all that one needs to work on a card, of one moment."""
    found = await visit.ask(CONTEXT, None, {"maxTokens": TOKENS_READ}, card_id=named)
    column = found["column"]
    answer = {
        "card": _card(visit, found["card"]),
        "column": {"title": column["title"], "agents": allowance(column), "prompt": column["prompt"]},
        "moves": naming.in_names(visit, {"moves": found["moves"]})["moves"],
        "parent": _named(found["parent"]),
        "question": found["question"] and _question(found["question"]),
        "request": found["request"] and _request(visit, found["request"]),
        "comments": [_comment(item) for item in found["comments"]],
        **{key: found[key] or None for key in ("parts", "relations", "files")},
    }
    answer["moves"] = None if found["card"]["archivedAt"] else [_move(move) for move in answer["moves"]]
    answer["leftOut"] = [_left_out(note) for note in found["leftOut"]] or None
    return answer


async def long(visit: Visit, named: str) -> Long:
    """Give the context of a card as an answer that is bounded."""
    return Long(await of_card(visit, named), LISTS, TEXTS)


def _card(visit: Visit, card: Json) -> Json:
    named = naming.in_names(visit, {key: card[key] for key in ("projectId", "blockedBy")})
    claim = card["claim"] and {key: card["claim"].get(key) for key in ("agentId", "expiresAt", "token")}
    return {
        **{key: card[key] for key in _SHOWN},
        "priority": None if card["priority"] == "none" else card["priority"],
        "createdBy": naming.author(card["createdBy"]),
        "project": named["project"],
        "cardType": card["cardType"],
        "blockedBy": named["blockedBy"] or None,
        "claim": claim,
        "fields": card["fields"],
    }


def _move(move: Json) -> Json:
    """Tell a move, and in a word each what is in its way."""
    blockers = [_blocker(blocker) for blocker in move["blockers"]]
    return {"to": move["title"] if "title" in move else move["to"], "blockers": blockers or None}


def _blocker(blocker: Json) -> str:
    fields = blocker["details"].get("fields") or []
    names = [field if isinstance(field, str) else field["name"] for field in fields]
    return f"{blocker['code']}: {', '.join(names)}" if names else str(blocker["code"])


def _question(question: Json) -> Json:
    said = {key: question[key] for key in ("state", "content", "options", "answer")}
    return said | {"answeredBy": question["answeredBy"] and naming.author(question["answeredBy"])}


def _request(visit: Visit, request: Json) -> Json:
    said = naming.in_names(visit, {key: request[key] for key in ("state", "toColumnId", "note", "decisionNote")})
    return said | {"decidedBy": request["decidedBy"] and naming.author(request["decidedBy"])}


def _left_out(note: Json) -> str:
    total = f" of {note['total']}" if note.get("total") else ""
    return f"{note['what']}: {note['shown']}{total} shown; get_card shows more with part, or commentsOffset"


async def takes(visit: Visit, card: Json) -> list[Json]:
    """List the fields of a card's type: what they take."""
    found = [] if card["archivedAt"] else await _fields(visit, card)
    said = ("required", "options", "validation", "multiple")
    return [
        {"name": field["name"], "kind": field["kind"], **{key: field[key] or None for key in said}} for field in found
    ]


async def text_of(visit: Visit, card: Json, part: str) -> Any:
    """Give one text of a card: the value of a field, a comment or a reply; raise NotFound."""
    for field in await _fields(visit, card):
        if part in (field["name"], field["id"]) and field["value"] is not None:
            return field["value"]
    page = 1
    items: list[Json] = [{}]
    while items:
        query = {"page": page, "pageSize": 20, "order": "desc"}
        items = (await visit.ask(COMMENTS, None, query, card_id=card["id"]))["items"]
        for said in [text for item in items for text in (item, *item["replies"])]:
            if said["id"] == part:
                return said["content"]
        page += 1
    raise NotFound("field or comment on the card")


def _named(card: Json | None) -> Json | None:
    return card and {"key": card["key"], "title": card["title"]}


def allowance(column: Json) -> str:
    """Tell in a word what agents may do in a column."""
    if not column["agentPickupEnabled"]:
        return "look"
    return "work" if column["agentCanModerate"] else "talk"


async def _fields(visit: Visit, card: Json) -> list[Json]:
    if card["archivedAt"]:  # its type may be gone
        named = naming.in_names(visit, {"items": [{"fieldId": item["fieldId"]} for item in card["fieldValues"]]})
        pairs = zip(named["items"], card["fieldValues"], strict=True)
        return [{"id": item["fieldId"], "name": name["field"], "value": item["value"]} for name, item in pairs]
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    twin = "GET /organizations/{org_id}/card-types/{card_type_id}/fields/mcp"
    found = await visit.ask(twin, card_type_id=card["cardTypeId"])
    return [{**field, "value": values.get(field["id"])} for field in found]


async def comments_of(visit: Visit, card_id: str, skipped: int) -> tuple[list[Json], int]:
    """List comments of a card with their replies, newest last, but for the newest ones; and count them all."""
    total = (await visit.ask(COMMENTS, None, {"pageSize": 1}, card_id=card_id))["total"]
    stop = max(0, total - skipped)
    start = max(0, stop - COMMENTS_SHOWN)
    found: list[Json] = []
    first = start // COMMENTS_SHOWN
    for page in range(first, -(-stop // COMMENTS_SHOWN)):
        query = {"page": page + 1, "pageSize": COMMENTS_SHOWN}
        found += (await visit.ask(COMMENTS, None, query, card_id=card_id))["items"]
    wanted = found[start - first * COMMENTS_SHOWN : stop - first * COMMENTS_SHOWN]
    return [_comment(item) for item in wanted], total


def _comment(item: Json) -> Json:
    said = {"id": item["id"], "by": naming.author(item["actor"]), "at": item["createdAt"], "content": item["content"]}
    replies = [_comment(reply) for reply in item.get("replies") or []]
    return said | {"replyTo": item.get("parentId"), "replies": replies or None}
