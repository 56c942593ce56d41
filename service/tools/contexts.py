"""A card with all that one needs to work on it, as an agent reads it: names, and hardly any ids."""

from typing import Any

from ..errors import NotFound
from . import naming
from .registry import Visit

Json = dict[str, Any]
COMMENTS = "GET /cards/{card_id}/comments/mcp"
COMMENTS_SHOWN = 5  # at a time
_SHOWN = ("key", "title", "version", "dueDate", "assignedAgentId", "assignedUserId", "archivedAt")
LISTS = {
    "comments": "get_card pages on with commentsOffset",
    "takes": "ask again with maxTokens=8000",
    "moves": "get_board shows transitions",
    "relations": "ask again with maxTokens=8000",
}
TEXTS = "get_card shows one text with part=<name of the field, or id of the comment> and offset"


async def of_card(visit: Visit, card: Json, skipped: int = 0) -> Json:
    """Tell all that there is to know of a card; of one in the archive, what is left."""
    shown = naming.in_names(visit, {key: card[key] for key in ("projectId", "cardTypeId", "blockedBy")})
    fields = await _fields(visit, card)
    files = await _files(visit, card, fields) or None
    about = {
        **{key: card[key] for key in _SHOWN},
        **{key: value for key, value in shown.items() if value},
        "priority": None if card["priority"] == "none" else card["priority"],
        "createdBy": naming.author(card["createdBy"]),
        "fields": {field["name"]: field["value"] for field in fields if field["value"] not in (None, [])},
    }
    comments, total = await _comments(visit, card["id"], skipped)
    answer = {"card": about, "claim": _claim(card), "parent": _named(card["parent"]), "parts": card["parts"]}
    if not card["archivedAt"]:
        answer["column"] = await _column(visit, card)
        answer["moves"] = await _moves(visit, card["id"])
        answer["request"] = await _request(visit, card["id"])
        answer["relations"] = await _relations(visit, card) or None
    answer["files"] = files
    return answer | {"comments": comments, "commentsTotal": total}


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


def _claim(card: Json) -> Json | None:
    claim = card["claim"]
    return claim and {key: claim.get(key) for key in ("agentId", "expiresAt", "token")}


def _named(card: Json | None) -> Json | None:
    return card and {"key": card["key"], "title": card["title"]}


async def _column(visit: Visit, card: Json) -> Json:
    columns = await visit.ask("GET /organizations/{org_id}/columns/mcp", None, {"projectId": card["projectId"]})
    column = next(column for column in columns if column["id"] == card["columnId"])
    return {"title": column["title"], "agents": allowance(column)}


def allowance(column: Json) -> str:
    """Tell in a word what agents may do in a column."""
    if not column["agentPickupEnabled"]:
        return "look"
    return "work" if column["agentCanModerate"] else "talk"


async def _moves(visit: Visit, card_id: str) -> list[Json]:
    found = await visit.ask("GET /cards/{card_id}/moves/mcp", card_id=card_id)
    return [
        {"to": move["title"], "blockers": [blocker["code"] for blocker in move["blockers"]] or None} for move in found
    ]


async def _request(visit: Visit, card_id: str) -> Json | None:
    """Give the newest move request of a card, if there ever was one."""
    query = {"cardId": card_id, "pageSize": 1}
    found = (await visit.ask("GET /organizations/{org_id}/move-requests/mcp", None, query))["items"]
    if not found:
        return None
    request = found[0]
    to = naming.in_names(visit, {"toColumnId": request["toColumnId"]})["to"]
    decided = request["decidedBy"] and naming.author(request["decidedBy"])
    return {"state": request["state"], "to": to, "decidedBy": decided, "decisionNote": request["decisionNote"]}


async def _fields(visit: Visit, card: Json) -> list[Json]:
    if card["archivedAt"]:  # its type may be gone
        named = naming.in_names(visit, {"items": [{"fieldId": item["fieldId"]} for item in card["fieldValues"]]})
        pairs = zip(named["items"], card["fieldValues"], strict=True)
        return [{"id": item["fieldId"], "name": name["field"], "value": item["value"]} for name, item in pairs]
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    twin = "GET /organizations/{org_id}/card-types/{card_type_id}/fields/mcp"
    found = await visit.ask(twin, card_type_id=card["cardTypeId"])
    return [{**field, "value": values.get(field["id"])} for field in found]


async def _relations(visit: Visit, card: Json) -> list[Json]:
    found = await visit.ask("GET /organizations/{org_id}/relationships/mcp", None, {"cardId": card["id"]})
    return [
        {"kind": row["kind"], "from": row["fromCardKey"], "to": row["toCardKey"], "comment": row["comment"]}
        for row in found
    ]


async def _files(visit: Visit, card: Json, fields: list[Json]) -> list[Json]:
    found = []
    for field in fields:
        if field.get("kind") == "file" and field["value"]:
            twin, where = "GET /files/card/{card_id}/field/{field_id}/mcp", {"field_id": field["id"]}
            files = await visit.ask(twin, card_id=card["id"], **where)
            found += [
                {**{key: file[key] for key in ("id", "name", "sizeBytes")}, "field": field["name"]} for file in files
            ]
            field["value"] = None  # its files are told by name
    return found


async def _comments(visit: Visit, card_id: str, skipped: int) -> tuple[list[Json], int]:
    """List the newest comments of a card, newest first, and count them all."""
    found: list[Json] = []
    first, begin = divmod(skipped, COMMENTS_SHOWN)
    for page in range(first, first + (2 if begin else 1)):
        query = {"page": page + 1, "pageSize": COMMENTS_SHOWN, "order": "desc"}
        answer = await visit.ask(COMMENTS, None, query, card_id=card_id)
        found += answer["items"]
    return [_comment(item) for item in found[begin : begin + COMMENTS_SHOWN]], answer["total"]


def _comment(item: Json) -> Json:
    said = {key: item[key] for key in ("id", "content")} | {"by": naming.author(item["actor"]), "at": item["createdAt"]}
    return said | {"replies": [_comment(reply) for reply in item.get("replies") or []] or None}
