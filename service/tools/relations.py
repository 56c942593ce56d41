"""Tools that relate cards to each other."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..errors import NotFound
from ..pipeline import name_resolution
from ..resources.relationships import Kind
from ..schemas import Id
from .card_changes import OnCard, held
from .registry import ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]
PATH = "/organizations/{org_id}/relationships"


class Relation(OnCard):
    kind: Kind
    other: Id


class NewRelation(Relation):
    comment: str | None = Field(None, max_length=2000)


@tool(
    'Relate two cards; read it as a sentence: {"card": "REL-2", "kind": "dependsOn", "other": "REL-1"} holds REL-2 '
    "back until REL-1 is done. You must be able to write to one of them."
)
async def relate(ctx: ToolContext, arguments: NewRelation) -> Json:
    """Relate two cards."""
    card, other = ctx.lookup(lambda call: _ends(call, arguments))
    body = {"fromCardId": card["id"], "toCardId": other["id"], "kind": arguments.kind, "comment": arguments.comment}
    await held(ctx, arguments).ask(f"POST {PATH}/mcp", body)
    return {"card": card["key"], "kind": arguments.kind, "other": other["key"]}


@tool("Remove a relation between two cards, named as relate names it.", destroys=True)
async def unrelate(ctx: ToolContext, arguments: Relation) -> Json:
    """Remove a relation."""
    card, other = ctx.lookup(lambda call: _ends(call, arguments))
    for row in await ctx.ask(f"GET {PATH}/mcp", None, {"cardId": card["id"]}):
        if (row["fromCardId"], row["kind"], row["toCardId"]) == (card["id"], arguments.kind, other["id"]):
            await held(ctx, arguments).ask(f"DELETE {PATH}/{{relationship_id}}/mcp", relationship_id=row["id"])
            return {"card": card["key"], "kind": arguments.kind, "other": other["key"], "removed": True}
    raise NotFound("relation of these cards")


def _ends(call: Call, arguments: Relation) -> tuple[Row, Row]:
    return name_resolution.card(call, arguments.card), name_resolution.card(call, arguments.other)
