"""Tools to claim cards: who holds one works on it alone."""

from typing import Any

from ..resources import claims
from ..wire import Output
from .card_changes import OnCard, on_card
from .registry import Visit, tool
from .written import Written, written

CLAIM = "/cards/{card_id}/claim"


class ClaimCard(OnCard, claims.NewClaim):
    """The arguments of claim."""


class RenewClaim(OnCard, claims.Renewal):
    """The arguments of renew."""


class ClaimReceipt(Output):
    """What is claimed, until when, and by which token; nothing if there is no card to claim."""

    card_id: str | None = None
    column_id: str | None = None
    title: Written | None = None
    token: str | None = None
    expires_at: str | None = None
    note: str | None = None


class ReleaseReceipt(Output):
    """Which card is free again."""

    card_id: str
    released: bool


def _receipt(card: dict[str, Any]) -> ClaimReceipt:
    claim, title = card["claim"], written("title", card["title"], card["createdBy"])
    held = {"token": claim["token"], "expires_at": claim["expiresAt"]}
    return ClaimReceipt(card_id=card["id"], column_id=card["columnId"], title=title, **held)


@tool(
    "Take the best free card to work on: highest priority, then earliest due, then rank. Read it with get_card. "
    "Nobody else can take it until you release it or leaseSeconds are over.",
    ClaimReceipt,
)
async def claim_next(visit: Visit, arguments: claims.NextClaim) -> ClaimReceipt:
    """Claim the best free card."""
    body = arguments.model_dump(by_alias=True, exclude_unset=True)
    card = await visit.ask("POST /organizations/{org_id}/cards/claim/mcp", body)
    return _receipt(card) if card else ClaimReceipt(note="No card is free now; wait_for_changes, then ask again.")


@tool("Claim one card. already_claimed says who holds it and until when.", ClaimReceipt)
async def claim(visit: Visit, arguments: ClaimCard) -> ClaimReceipt:
    """Claim a card."""
    return _receipt(await on_card(visit, f"POST {CLAIM}/mcp", arguments))


@tool("Keep your claim: it lives as long again, from now.", ClaimReceipt)
async def renew(visit: Visit, arguments: RenewClaim) -> ClaimReceipt:
    """Renew a claim."""
    return _receipt(await on_card(visit, f"POST {CLAIM}/renew/mcp", arguments))


@tool("Give a card back when you are done with it, or cannot go on.", ReleaseReceipt, repeatable=True)
async def release(visit: Visit, arguments: OnCard) -> ReleaseReceipt:
    """Release a claim."""
    await on_card(visit, f"DELETE {CLAIM}/mcp", arguments)
    return ReleaseReceipt(card_id=arguments.card_id, released=True)
