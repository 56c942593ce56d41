"""Tools to claim and release cards."""

from typing import Any

from ..resources import claims
from ..schemas import Name
from . import card_context
from .card_changes import CardArguments, with_claim
from .cards import resolve_filters
from .registry import ToolContext, tool
from .token_limit import ContextLimit, TruncatableResult

Json = dict[str, Any]
LEASE_SECONDS = 900  # by default: a build can take longer than the default of the routes


class ClaimNext(ContextLimit):
    project: Name | None = None
    column: Name | None = None
    card_type: Name | None = None
    lease_seconds: claims.Seconds = LEASE_SECONDS
    take_over: bool = False


class ClaimCard(ContextLimit, CardArguments):
    lease_seconds: claims.Seconds = LEASE_SECONDS
    take_over: bool = False


@tool(
    "Claim the next card",
    "Take the best free card: one whose question was answered, then by priority and due date. Returns what get_card "
    "shows. It is yours until release, or leaseSeconds after your last call. takeOver: else one of a process of yours "
    "that has ended.",
)
async def claim_next(ctx: ToolContext, arguments: ClaimNext) -> TruncatableResult:
    """Claim the best free card."""
    names = (arguments.project, arguments.column, arguments.card_type)
    body = ctx.lookup(lambda call: resolve_filters(call, *names)) if any(names) else {}
    body |= {"leaseSeconds": arguments.lease_seconds, "takeOver": arguments.take_over}
    content = await ctx.call(claims.claim_next_card, body, None, card_context.render_claimed_card)
    if not content:
        return TruncatableResult({"note": "No card is free now. Call inbox with wait: 50, then claim_next again."})
    return card_context.to_result(content)


@tool(
    "Claim a card",
    "Take a certain card, else like claim_next. already_claimed says who has it. takeOver: from a process of yours "
    "that has ended.",
)
async def claim(ctx: ToolContext, arguments: ClaimCard) -> TruncatableResult:
    """Claim a card."""
    body = {"leaseSeconds": arguments.lease_seconds, "takeOver": arguments.take_over}
    card_id, transform = arguments.card, card_context.render_claimed_card
    content = await with_claim(ctx, arguments).call(claims.claim_card, body, None, transform, card_id=card_id)
    return card_context.to_result(content)


@tool(
    "Release a card",
    "End your claim when you are done, or cannot finish.",
    idempotent=True,
)
async def release(ctx: ToolContext, arguments: CardArguments) -> Json:
    """Release a claim."""
    await with_claim(ctx, arguments).call(claims.release_claim, card_id=arguments.card)
    return {"released": True}
