"""Tools that create and delete relationships between cards."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..errors import NotFound
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


class NewRelation(RelationArguments):
    comment: str | None = Field(None, max_length=2000)


@tool(
    'Relate two cards; read it as a sentence: {"card": "REL-2", "kind": "dependsOn", "other": "REL-1"} blocks REL-2 '
    "until REL-1 is done. You must be able to write to one of them."
)
async def relate(ctx: ToolContext, arguments: NewRelation) -> Json:
    """Create a relationship between two cards."""
    card, other = ctx.lookup(lambda call: _resolve_cards(call, arguments))
    body = {"fromCardId": card["id"], "toCardId": other["id"], "kind": arguments.kind, "comment": arguments.comment}
    await with_claim(ctx, arguments).call(relationships.create_relationship, body)
    return {"card": card["key"], "kind": arguments.kind, "other": other["key"]}


@tool("Remove a relation between two cards, with the arguments of relate.", destructive=True)
async def unrelate(ctx: ToolContext, arguments: RelationArguments) -> Json:
    """Delete a relationship between two cards."""
    card, other = ctx.lookup(lambda call: _resolve_cards(call, arguments))
    for row in await ctx.call(relationships.list_relationships, None, {"cardId": card["id"]}):
        if (row["fromCardId"], row["kind"], row["toCardId"]) == (card["id"], arguments.kind, other["id"]):
            await with_claim(ctx, arguments).call(relationships.delete_relationship, relationship_id=row["id"])
            return {"card": card["key"], "kind": arguments.kind, "other": other["key"], "removed": True}
    raise NotFound("relation of these cards")


def _resolve_cards(call: Call, arguments: RelationArguments) -> tuple[Row, Row]:
    return name_resolution.find_card(call, arguments.card), name_resolution.find_card(call, arguments.other)
