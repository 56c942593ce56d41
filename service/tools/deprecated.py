"""Tools that others have replaced: not listed, and removed in the version DEPRECATED_UNTIL."""

from typing import Any

from pydantic import Field

from ..resources import claims, relationships
from ..resources import comments as comments_route
from ..schemas import Id
from . import agents, card_context, comments, move_requests, people, prompts, relations
from .card_changes import CardArguments, with_claim
from .registry import ToolContext, ToolOutput, unlisted_tool
from .token_limit import ContextLimit, TokenLimit, TruncatableResult

Json = dict[str, Any]


class ContextArguments(ContextLimit):
    card: Id


class ReplyArguments(CardArguments):
    content: comments_route.Content
    comment: Id


class RenewArguments(CardArguments):
    lease_seconds: claims.Seconds | None = Field(None, description="none: as long as before")


class UnrelateArguments(CardArguments):
    kind: relationships.Kind
    other: Id


@unlisted_tool("Call get_card with the same arguments.")
async def context(ctx: ToolContext, arguments: ContextArguments) -> TruncatableResult:
    """Return the context of a card."""
    return await card_context.get_context(ctx, arguments.card)


@unlisted_tool("Call comment with card, content, and replyTo: the id of the comment.")
async def reply(ctx: ToolContext, arguments: ReplyArguments) -> ToolOutput:
    """Reply to a comment."""
    given = arguments.model_dump(exclude={"comment"})
    return await comments.comment(ctx, comments.AddComment.model_construct(**given, reply_to=arguments.comment))


@unlisted_tool("Any call of your session renews all its claims; connect with the bridge, or name your session.")
async def renew(ctx: ToolContext, arguments: RenewArguments) -> Json:
    """Renew a claim."""
    body = {} if arguments.lease_seconds is None else {"leaseSeconds": arguments.lease_seconds}
    card = await with_claim(ctx, arguments).call(claims.renew_claim, body, card_id=arguments.card)
    return {"key": card["key"], "expiresAt": card["claim"]["expiresAt"]}


@unlisted_tool("Call relate with the same arguments and remove: true.")
async def unrelate(ctx: ToolContext, arguments: UnrelateArguments) -> ToolOutput:
    """Delete a relationship between two cards."""
    return await relations.relate(
        ctx, relations.RelationArguments.model_construct(**arguments.model_dump(), remove=True)
    )


@unlisted_tool("Call request_move with card and withdraw: true.")
async def withdraw_request(ctx: ToolContext, arguments: CardArguments) -> ToolOutput:
    """Withdraw the open move request of a card."""
    given = arguments.model_dump()
    return await move_requests.request_move(ctx, move_requests.RequestMove.model_construct(**given, withdraw=True))


@unlisted_tool('Call whoami with show: "prompts".')
async def list_prompts(ctx: ToolContext, arguments: agents.Nothing) -> TruncatableResult:
    """List the names of the prompts that have a current version."""
    return prompts.list_prompts(ctx)


@unlisted_tool('Call whoami with show: "people".')
async def list_people(ctx: ToolContext, arguments: TokenLimit) -> TruncatableResult:
    """List the members and agents of the organization."""
    return await people.list_people(ctx)
