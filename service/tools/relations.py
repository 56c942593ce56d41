"""The tool that creates and deletes relationships between cards."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..errors import NotFound, invalid
from ..pipeline import name_resolution
from ..resources import relationships
from ..schemas import Id
from .card_changes import CardArguments, with_claim
from .registry import ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]


class RelationArguments(CardArguments):
    kind: relationships.Kind
    other: Id
    comment: str | None = Field(None, max_length=2000)
    remove: bool = False


@tool(
    "Relate two cards",
    'Relate two cards: {"card": "REL-2", "kind": "dependsOn", "other": "REL-1"} blocks REL-2 until REL-1 is done. '
    "remove: remove the relation.",
    destructive=True,
)
async def relate(ctx: ToolContext, arguments: RelationArguments) -> Json:
    """Create or delete a relationship between two cards."""

    def resolve(call: Call) -> tuple[Row, Row]:
        card = name_resolution.find_card(call, arguments.card)
        return card, name_resolution.find_card(call, arguments.other, "other")

    card, other = ctx.lookup(resolve)
    result = {"card": card["key"], "kind": arguments.kind, "other": other["key"]}
    ctx = with_claim(ctx, arguments)
    if arguments.remove:
        await _delete_relationship(ctx, arguments, card["id"], other["id"])
        return result | {"removed": True}
    body = {"fromCardId": card["id"], "toCardId": other["id"], "kind": arguments.kind, "comment": arguments.comment}
    await ctx.call(relationships.create_relationship, body)
    return result


async def _delete_relationship(ctx: ToolContext, arguments: RelationArguments, card_id: str, other_id: str) -> None:
    if arguments.comment is not None:
        raise invalid("comment", "leave it out to remove a relation")
    for row in await ctx.call(relationships.list_relationships, None, {"cardId": card_id}):
        if (row["fromCardId"], row["kind"], row["toCardId"]) == (card_id, arguments.kind, other_id):
            await ctx.call(relationships.delete_relationship, relationship_id=row["id"])
            return
    raise NotFound("relation of these cards")
