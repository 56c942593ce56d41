"""Tools that make, change and move cards; each answers with a short receipt."""

from typing import Any

from ..resources import card_lifecycle, cards, moves
from ..wire import Id, Input, Output
from .registry import Visit, tool


class OnCard(Input):
    card_id: Id
    claim_token: str | None = None


class UpdateCard(OnCard, cards.CardEdit):
    """The arguments of update_card."""


class MoveCard(OnCard, moves.Move):
    """The arguments of move_card."""


class CardReceipt(Output):
    """What a card is after a change; its texts are not repeated."""

    id: str
    column_id: str
    version: int
    updated_at: str


def receipt(card: dict[str, Any]) -> CardReceipt:
    """Tell in short what a change has made of a card."""
    return CardReceipt.of(card)


def body_of(arguments: Input) -> dict[str, Any]:
    """Give the body of the route's request: the arguments that were sent, but for those about the card itself."""
    return arguments.model_dump(by_alias=True, exclude_unset=True, exclude={"card_id", "claim_token"})


def held(visit: Visit, arguments: OnCard) -> Visit:
    """Show the token of one's claim on the card, if it was given."""
    return visit.holding(arguments.claim_token)


async def on_card(visit: Visit, twin: str, arguments: OnCard) -> Any:
    """Do what a route about one card does."""
    return await held(visit, arguments).ask(twin, body_of(arguments), card_id=arguments.card_id)


@tool("Make a card; get_board shows card types, fields and columns. Not in a column closed to agents.", CardReceipt)
async def create_card(visit: Visit, arguments: card_lifecycle.NewCard) -> CardReceipt:
    """Make a card."""
    return receipt(await visit.ask("POST /organizations/{org_id}/cards/mcp", body_of(arguments)))


@tool("Change a card: keys left out stay, null clears.", CardReceipt, destroys=True, repeatable=True)
async def update_card(visit: Visit, arguments: UpdateCard) -> CardReceipt:
    """Change a card."""
    return receipt(await on_card(visit, "PATCH /cards/{card_id}/mcp", arguments))


@tool(
    "Move a card to another column along a transition of the board; afterCardId places it there (null: top). "
    "A refusal lists all that stands in the way in details.blockers.",
    CardReceipt,
)
async def move_card(visit: Visit, arguments: MoveCard) -> CardReceipt:
    """Move a card."""
    return receipt(await on_card(visit, "PATCH /cards/{card_id}/mcp/status", arguments))
