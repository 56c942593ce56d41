"""Tools that ask a person to move a card, and take that back."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..errors import NotFound
from ..pipeline import name_resolution
from ..resources import move_requests
from ..schemas import Id
from .card_changes import OnCard, held
from .registry import ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]
FOUND = "GET /organizations/{org_id}/move-requests/mcp"


class RequestMove(OnCard):
    to: Id = Field(description="title of a column")
    note: move_requests.Note | None = Field(None, description="what the person should know to decide")


@tool(
    "Ask a person to move a card where you may not (approval required), for example to Done. Then release it and go "
    "on with other work: inbox tells the decision and its note."
)
async def request_move(ctx: ToolContext, arguments: RequestMove) -> Json:
    """Ask for a move that needs approval."""

    def look(call: Call) -> tuple[Row, Row]:
        card = name_resolution.card(call, arguments.card)
        return card, name_resolution.column(call, arguments.to, card["project_id"], "to")

    card, column = ctx.lookup(look)
    twin, body = "POST /cards/{card_id}/move-requests/mcp", {"toColumnId": column["id"], "note": arguments.note}
    made = await held(ctx, arguments).ask(twin, body, card_id=card["id"])
    return {"key": card["key"], "to": column["title"], "state": made["state"]}


@tool("Take back your open request to move a card, if there is more to do first.", repeatable=True)
async def withdraw_request(ctx: ToolContext, arguments: OnCard) -> Json:
    """Withdraw the open move request of a card."""
    card = ctx.lookup(lambda call: name_resolution.card(call, arguments.card))
    found = (await ctx.ask(FOUND, None, {"cardId": card["id"], "state": "open"}))["items"]
    if not found:
        raise NotFound("open request on the card")
    await ctx.ask("DELETE /move-requests/{move_request_id}/mcp", move_request_id=found[0]["id"])
    return {"key": card["key"], "state": "withdrawn"}
