"""Tools that read cards."""

from collections.abc import Callable
from functools import partial
from typing import Any

from pydantic import Field
from pydantic.alias_generators import to_camel

from ..auth.context import Call
from ..database.store import Row
from ..domain import due_dates
from ..pipeline import name_resolution
from ..resources import card_view, cards
from ..resources import context as context_route
from ..schemas import Id, Name
from . import card_context, card_details, naming
from .registry import ToolContext, tool
from .token_limit import ContextLimit, TokenLimit, TruncatableResult

Json = dict[str, Any]


class ListCards(TokenLimit):
    project: Name | None = None
    column: Name | None = None
    card_type: Name | None = None
    assigned_agent_id: Name | None = None
    assigned_user_id: Name | None = None
    priority: cards.Priority | None = None
    q: str | None = Field(None, description="part of the title")
    sort: str | None = Field(None, description="rank (default), -updatedAt, dueDate, priority")
    page: int = 1
    page_size: int = 20


class GetCard(ContextLimit):
    card: Id
    part: Id | None = Field(
        None,
        description="only a field (name), a comment (id), or: comments, relations, parts, files",
    )
    offset: int = Field(0, ge=0, description="with part: where to begin")
    comments_offset: int = Field(0, ge=0, description="newest comments to skip")


@tool(
    "List cards",
    "List the cards to which all arguments apply. To find words in texts use search.",
    read_only=True,
)
async def list_cards(ctx: ToolContext, arguments: ListCards) -> TruncatableResult:
    """List cards of the organization."""
    names = {"project", "column", "card_type"}
    query = arguments.model_dump(by_alias=True, exclude_none=True, exclude={"max_tokens", *names})
    query |= ctx.lookup(lambda call: _resolve_list_filters(call, arguments))
    found = await ctx.call(cards.list_cards, None, query)
    items = naming.look_up_names(ctx, {"items": [_render_card(card) for card in found["items"]]})["items"]
    content = {"items": items, **{key: found[key] for key in ("page", "pageSize", "total")}}
    return TruncatableResult(
        content, {"items": "ask again with a smaller pageSize, or maxTokens=8000"}, "get_card shows the whole"
    )


def _resolve_list_filters(call: Call, arguments: ListCards) -> Json:
    """Return the ids that the arguments name as the filters of the route."""
    named = arguments.model_dump(include=set(_FINDERS), exclude_none=True)
    ids: dict[str, str | None] = {}
    for key, name in named.items():
        filter, find = _FINDERS[key]
        project_id = ids.get("project_id")
        find_active = partial(find, call, name, project_id)
        ids[filter] = name_resolution.find_filter_id(call, filter, find_active, name, project_id)
    return {to_camel(filter): id for filter, id in ids.items()}


# By argument: the filter of the route, and how to find what is active by its name in a project.
_FINDERS: dict[str, tuple[str, Callable[[Call, str, str | None], Row]]] = {
    "project": ("project_id", lambda call, name, _: name_resolution.find_project(call, name)),
    "column": ("column_id", name_resolution.find_column),
    "card_type": ("card_type_id", name_resolution.find_card_type),
    "assigned_agent_id": (
        "assigned_agent_id",
        lambda call, name, _: name_resolution.find_agent(call, name, "assignedAgentId"),
    ),
    "assigned_user_id": (
        "assigned_user_id",
        lambda call, name, _: name_resolution.find_member(call, name, "assignedUserId"),
    ),
}


def resolve_filters(call: Call, project: str | None, column: str | None, card_type: str | None) -> Json:
    """Return the ids of a project, a column and a card type as the filters of a route."""
    project_id = name_resolution.find_project(call, project)["id"] if project else None
    return {
        "projectId": project_id,
        "columnId": name_resolution.find_column(call, column, project_id)["id"] if column else None,
        "cardTypeId": name_resolution.find_card_type(call, card_type, project_id)["id"] if card_type else None,
    }


def _render_card(card: Json) -> Json:
    keys = ("key", "title", "columnId", "assignedAgentId", "assignedUserId")
    return {
        **{key: card[key] for key in keys},
        "dueDate": due_dates.get_text(card),
        "priority": None if card["priority"] == "none" else card["priority"],
        "blockedBy": card["blockedBy"] or None,
        "claimedBy": card["claim"] and card["claim"]["agentId"],
    }


@tool(
    "Show a card",
    "Show a card with all that you need to work on it: fields and what they accept, the column's prompt, moves, "
    "relations, files, comments.",
    read_only=True,
)
async def get_card(ctx: ToolContext, arguments: GetCard) -> TruncatableResult:
    """Return a card with its context and details, or one text of it."""
    card_id = arguments.card
    part = card_details.find_list(arguments.part)
    if arguments.part is None or part is not None:
        render = partial(card_details.render_details, part, arguments.comments_offset)
        content = await ctx.call(context_route.get_context, None, card_context.QUERY, render, card_id=card_id)
        if part is None:
            return card_context.to_result(content)
        return card_details.select_list(content, part, arguments.offset)
    get_text = partial(card_details.get_text, arguments.part)
    found = await ctx.call(card_view.get_card, None, None, get_text, card_id=card_id)
    text = found["text"]
    content = {"key": found["key"], "part": arguments.part, "length": len(text), "offset": arguments.offset}
    return TruncatableResult({**content, "text": text[arguments.offset :]}, {}, "ask again from there with offset")
