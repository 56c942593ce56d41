"""Tools to claim cards: who holds one works on it alone."""

from typing import Any

from pydantic import Field

from ..resources import claims
from ..schemas import Id
from . import contexts
from .bounding import Bounds, Long
from .card_changes import OnCard, held
from .cards import filters
from .registry import ToolContext, tool

Json = dict[str, Any]
CLAIM = "/cards/{card_id}/claim"


class ClaimNext(Bounds):
    project: Id | None = None
    column: Id | None = None
    card_type: Id | None = None
    lease_seconds: claims.Seconds = 300


class ClaimCard(Bounds, OnCard):
    lease_seconds: claims.Seconds = 300


class RenewClaim(OnCard):
    lease_seconds: claims.Seconds | None = Field(None, description="none: as long as before")


@tool(
    "Take the best free card, of all projects or of one: what a person answered you first, then by priority, due date "
    "and rank. Answers with its context, all that you need to begin. Nobody else can take it until you release it or "
    "leaseSeconds have passed since your last write to it."
)
async def claim_next(ctx: ToolContext, arguments: ClaimNext) -> Long:
    """Claim the best free card."""
    named = (arguments.project, arguments.column, arguments.card_type)
    body = ctx.lookup(lambda call: filters(call, *named)) if any(named) else {}
    wanted = {**body, "leaseSeconds": arguments.lease_seconds}
    found = await ctx.ask("POST /organizations/{org_id}/cards/claim/mcp", wanted, None, contexts.claimed)
    return (
        contexts.bounded(found) if found else Long({"note": "No card is free now. wait_for_changes, then ask again."})
    )


@tool("Claim one card, and get its context. already_claimed tells who holds it and until when.")
async def claim(ctx: ToolContext, arguments: ClaimCard) -> Long:
    """Claim a card."""
    body = {"leaseSeconds": arguments.lease_seconds}
    twin, named = f"POST {CLAIM}/mcp", {"card_id": arguments.card}
    return contexts.bounded(await held(ctx, arguments).ask(twin, body, None, contexts.claimed, **named))


@tool("Keep your claim while you write nothing to the card: it lives as long again, from now.")
async def renew(ctx: ToolContext, arguments: RenewClaim) -> Json:
    """Renew a claim."""
    body = {} if arguments.lease_seconds is None else {"leaseSeconds": arguments.lease_seconds}
    card = await held(ctx, arguments).ask(f"POST {CLAIM}/renew/mcp", body, card_id=arguments.card)
    return {"key": card["key"], "expiresAt": card["claim"]["expiresAt"]}


@tool("Give a card back when you are done with it (after request_move), or cannot go on.", repeatable=True)
async def release(ctx: ToolContext, arguments: OnCard) -> Json:
    """Release a claim."""
    await held(ctx, arguments).ask(f"DELETE {CLAIM}/mcp", card_id=arguments.card)
    return {"released": True}
