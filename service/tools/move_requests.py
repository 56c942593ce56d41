"""The tool that creates and withdraws move requests."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..errors import NotFound, invalid
from ..pipeline import name_resolution
from ..resources import move_requests
from ..schemas import Name
from .card_changes import CardArguments, with_claim
from .registry import ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]


class RequestMove(CardArguments):
    to: Name | None = Field(None, description="title of a column")
    note: move_requests.Note | None = Field(None, description="what the person should know")
    withdraw: bool = False


@tool(
    "Request a move",
    "Ask a person to approve a move, for example to Done. Then release the card; inbox shows the decision. withdraw: "
    "take it back.",
)
async def request_move(ctx: ToolContext, arguments: RequestMove) -> Json:
    """Create a move request for a move that needs approval, or withdraw the open one."""
    if arguments.withdraw:
        return await _withdraw_request(ctx, arguments)
    if arguments.to is None:
        raise invalid("to", "name the column; or set withdraw to true, to take your open request back")
    to = arguments.to

    def resolve(call: Call) -> tuple[Row, Row]:
        card = name_resolution.find_card(call, arguments.card)
        return card, name_resolution.find_column(call, to, card["project_id"], "to")

    card, column = ctx.lookup(resolve)
    body = {"toColumnId": column["id"], "note": arguments.note}
    request = await with_claim(ctx, arguments).call(move_requests.create_move_request, body, card_id=card["id"])
    return {"key": card["key"], "to": column["title"], "state": request["state"]}


async def _withdraw_request(ctx: ToolContext, arguments: RequestMove) -> Json:
    """Withdraw the open move request of a card."""
    for name in ("to", "note"):
        if getattr(arguments, name) is not None:
            raise invalid(name, "leave it out to withdraw a request")
    card = ctx.lookup(lambda call: name_resolution.find_card(call, arguments.card))
    query = {"cardId": card["id"], "state": "open"}
    open_requests = (await ctx.call(move_requests.list_move_requests, None, query))["items"]
    if not open_requests:
        raise NotFound("open request on the card")
    await ctx.call(move_requests.withdraw_move_request, move_request_id=open_requests[0]["id"])
    return {"key": card["key"], "state": "withdrawn"}
