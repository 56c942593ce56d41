"""Tools that look at cards."""

from functools import partial
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..pipeline import name_resolution
from ..resources.cards import Priority
from ..schemas import Id
from . import contexts, naming, whole_cards
from .bounding import Bounds, Long
from .registry import ToolContext, tool

Json = dict[str, Any]


class ListCards(Bounds):
    project: Id | None = None
    column: Id | None = None
    card_type: Id | None = None
    assigned_agent_id: Id | None = None
    assigned_user_id: Id | None = None
    priority: Priority | None = None
    q: str | None = Field(None, description="part of the title")
    sort: str | None = Field(None, description="rank (default), -updatedAt, dueDate, priority")
    page: int = 1
    page_size: int = 20


class GetCard(Bounds):
    card: Id
    part: Id | None = Field(None, description="a field's name or a comment's id: only its text, from offset")
    offset: int = Field(0, ge=0, description="character to begin at, with part")
    comments_offset: int = Field(0, ge=0, description="newest comments to skip")


@tool(
    "List cards, a page at a time: key, title, column, priority, who has it. For words in texts use search.",
    reads=True,
)
async def list_cards(ctx: ToolContext, arguments: ListCards) -> Long:
    """List cards of the organization."""
    named = {"project", "column", "card_type"}
    query = arguments.model_dump(by_alias=True, exclude_none=True, exclude={"max_tokens", *named})
    query |= ctx.lookup(lambda call: filters(call, arguments.project, arguments.column, arguments.card_type))
    found = await ctx.ask("GET /organizations/{org_id}/cards/mcp", None, query)
    items = naming.in_names(ctx, {"items": [_listed(card) for card in found["items"]]})["items"]
    answer = {"items": items, **{key: found[key] for key in ("page", "pageSize", "total")}}
    return Long(answer, {"items": "ask again with a smaller pageSize, or maxTokens=8000"}, "get_card shows the whole")


def filters(call: Call, project: str | None, column: str | None, card_type: str | None) -> Json:
    """Turn the names of a project, a column and a card type into the ids that routes take."""
    project_id = name_resolution.project(call, project)["id"] if project else None
    return {
        "projectId": project_id,
        "columnId": name_resolution.column(call, column, project_id)["id"] if column else None,
        "cardTypeId": name_resolution.card_type(call, card_type, project_id)["id"] if card_type else None,
    }


def _listed(card: Json) -> Json:
    shown = {key: card[key] for key in ("key", "title", "columnId", "dueDate", "assignedAgentId", "assignedUserId")}
    claim = card["claim"]
    said = {
        "priority": None if card["priority"] == "none" else card["priority"],
        "blockedBy": card["blockedBy"] or None,
    }
    return {**shown, **said, "claimedBy": claim and claim["agentId"]}


class GetContext(Bounds):
    card: Id


@tool(
    "Show all that you need to work on a card, as claim_next and claim do: fields, the column's prompt, moves and what "
    "is in their way, parent, parts, relations, files, newest comments, question and request with their answers.",
    reads=True,
)
async def context(ctx: ToolContext, arguments: GetContext) -> Long:
    """Show the context of a card."""
    return await contexts.long(ctx, arguments.card)


@tool(
    "Show a card, an archived one too: its context, and what its fields take (kind, options, pattern). "
    "With part: one long text from offset. commentsOffset pages back in the comments.",
    reads=True,
)
async def get_card(ctx: ToolContext, arguments: GetCard) -> Long:
    """Show a card with all that is needed to work on it, or one text of it."""
    named = {"card_id": arguments.card}
    if arguments.part is None:
        whole = partial(whole_cards.told, arguments.comments_offset)
        return contexts.bounded(await ctx.ask(contexts.CONTEXT, None, contexts.READ, whole, **named))
    found = await ctx.ask("GET /cards/{card_id}/mcp", None, None, partial(whole_cards.text, arguments.part), **named)
    text = found["text"]
    answer = {"key": found["key"], "part": arguments.part, "length": len(text), "offset": arguments.offset}
    return Long({**answer, "text": text[arguments.offset :]}, {}, "ask again from there with offset")
