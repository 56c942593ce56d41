"""The tool that asks a person to move a card."""

from ..resources import move_requests
from ..wire import Output
from .card_changes import OnCard, on_card
from .registry import Visit, tool


class RequestMove(OnCard, move_requests.NewMoveRequest):
    """The arguments of request_move."""


class RequestReceipt(Output):
    """What was asked for."""

    id: str
    card_id: str
    to_column_id: str
    state: move_requests.State
    created_at: str


@tool(
    "Ask a person to approve a move that agents may not make (approval_required). get_card shows what became of it.",
    RequestReceipt,
)
async def request_move(visit: Visit, arguments: RequestMove) -> RequestReceipt:
    """Ask for a move that needs approval."""
    return RequestReceipt.of(await on_card(visit, "POST /cards/{card_id}/move-requests/mcp", arguments))
