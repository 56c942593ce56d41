"""The parts of a card as an agent sees them: rules, fields, comments."""

from typing import Any

from ..errors import NotFound
from ..wire import Output
from .registry import Visit
from .written import Written, written

Json = dict[str, Any]
COMMENTS = "GET /cards/{card_id}/comments/mcp"


class Rules(Output):
    """What the column of a card lets agents do with it."""

    column: str
    agents_may_comment: bool
    agents_may_change: bool


class Blocker(Output):
    """One thing in the way of a move."""

    code: str
    message: str


class ParentOfCard(Output):
    """The card that a card is a part of; get_card shows its title, which is somebody's text."""

    id: str
    key: str


class PartsOfCard(Output):
    """How many parts a card has, and how many of them are done."""

    done: int
    total: int


class MoveOfCard(Output):
    """Where a card could go, and all that keeps the caller from moving it there."""

    to_column_id: str
    title: str
    allowed: bool
    blockers: list[Blocker] | None = None


class RequestOfCard(Output):
    """What was last asked of people, and what they said."""

    id: str
    to_column_id: str
    state: str
    decision_note: Written | None = None


class FieldOfCard(Output):
    """A field of a card: what it takes, and its value, if it has one."""

    id: str
    name: str | None = None
    kind: str | None = None
    required: bool | None = None  # only said where it is so
    options: list[str] | None = None
    validation: str | None = None
    value: Written | None = None


class ReplyOnCard(Output):
    """A reply to a comment."""

    id: str
    created_at: str
    text: Written


class CommentOnCard(ReplyOnCard):
    """A comment with its replies."""

    replies: list[ReplyOnCard] | None = None


async def rules_of(visit: Visit, card: Json) -> Rules | None:
    """Tell what agents may do where a card is; in the archive, nothing."""
    if card["archivedAt"]:
        return None
    columns = await visit.ask("GET /organizations/{org_id}/columns/mcp", None, {"projectId": card["projectId"]})
    column = next(column for column in columns if column["id"] == card["columnId"])
    pickup = column["agentPickupEnabled"]
    may_change = pickup and column["agentCanModerate"]
    return Rules(column=column["title"], agents_may_comment=pickup, agents_may_change=may_change)


async def moves_of(visit: Visit, card_id: str) -> list[MoveOfCard]:
    """List where the caller could move a card."""
    found = await visit.ask("GET /cards/{card_id}/moves/mcp", card_id=card_id)
    return [MoveOfCard.of({**move, "blockers": move["blockers"] or None}) for move in found]


async def request_of(visit: Visit, card_id: str) -> RequestOfCard | None:
    """Give the newest move request of a card, if there ever was one."""
    query = {"cardId": card_id, "pageSize": 1}
    found = (await visit.ask("GET /organizations/{org_id}/move-requests/mcp", None, query))["items"]
    if not found:
        return None
    note, decider = found[0]["decisionNote"], found[0]["decidedBy"]
    return RequestOfCard.of({**found[0], "decisionNote": note and written("decision note", note, decider)})


async def fields_of(visit: Visit, card: Json) -> list[FieldOfCard]:
    """List the fields of a card's type with the card's values; in the archive, only the values."""
    if card["archivedAt"]:  # its type may be gone
        return [
            _field(item | {"id": item["fieldId"]}, item["value"], card["createdBy"]) for item in card["fieldValues"]
        ]
    twin = "GET /organizations/{org_id}/card-types/{card_type_id}/fields/mcp"
    values = {item["fieldId"]: item["value"] for item in card["fieldValues"]}
    return [
        _field(definition, values.get(definition["id"]), card["createdBy"])
        for definition in await visit.ask(twin, card_type_id=card["cardTypeId"])
    ]


def _field(definition: Json, value: Any, author: Json) -> FieldOfCard:
    said = {key: definition.get(key) or None for key in ("required", "options", "validation")}
    text = None if value is None else written(f"{definition.get('kind', 'archived')} field", value, author)
    return FieldOfCard.of({**definition, **said, "value": text})


async def comments_of(visit: Visit, card_id: str, skipped: int, most: int) -> tuple[list[CommentOnCard], int]:
    """List the newest comments of a card, newest first, and count them all."""
    total = (await visit.ask(COMMENTS, None, {"pageSize": 1}, card_id=card_id))["total"]
    stop = max(0, total - skipped)
    start = max(0, stop - most)
    found: list[Json] = []
    first = start // most
    for page in range(first, -(-stop // most)):
        query = {"page": page + 1, "pageSize": most}
        found += (await visit.ask(COMMENTS, None, query, card_id=card_id))["items"]
    wanted = found[start - first * most : stop - first * most]
    return [_comment(item) for item in reversed(wanted)], total


def _comment(item: Json) -> CommentOnCard:
    replies = [ReplyOnCard(**_told(reply, "reply")) for reply in item["replies"]]
    return CommentOnCard(**_told(item, "comment"), replies=replies or None)


def _told(item: Json, kind: str) -> Json:
    return {"id": item["id"], "created_at": item["createdAt"], "text": written(kind, item["content"], item["actor"])}


async def part_of(visit: Visit, card: Json, part_id: str) -> Written:
    """Give one text of a card: the value of a field, a comment or a reply; raise NotFound."""
    for field in await fields_of(visit, card):
        if field.id == part_id and field.value is not None:
            return field.value
    page, items = 1, [None]
    while items:
        items = (await visit.ask(COMMENTS, None, {"page": page, "pageSize": 100}, card_id=card["id"]))["items"]
        for item in items:
            for kind, said in [("comment", item), *[("reply", reply) for reply in item["replies"]]]:
                if said["id"] == part_id:
                    return written(kind, said["content"], said["actor"])
        page += 1
    raise NotFound("field or comment on the card")
