"""Tools that read cards."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from ..auth.context import Call
from ..database.store import Row
from ..domain import card_filters, due_dates
from ..errors import ServiceError, rename_paths
from ..pipeline import name_resolution
from ..resources import card_view, cards
from ..resources import context as context_route
from ..schemas import Id, Name, json_text
from ..text.comparison import fold_name
from . import card_changes, card_context, card_details, naming
from .registry import ToolContext, tool
from .token_limit import ContextLimit, TokenLimit, TruncatableResult

Json = dict[str, Any]


def _to_list(value: Any) -> Any:
    """Return a value as a list, unless it is one."""
    return value if isinstance(value, list) else [value]


def _to_field_filters(fields: Any) -> Any:
    """Return values by the names of fields as the filters of the route, `name:value`."""
    if not isinstance(fields, dict):
        return fields
    values = ((name, value) for name, given in fields.items() for value in _to_list(given))
    return [f"{name}:{value if isinstance(value, str) else json_text(value)}" for name, value in values]


# One value or a list of them; the schema shows the short form.
_Limit = Field(max_length=card_filters.VALUES_MAX)
Names = Annotated[list[Name], _Limit, BeforeValidator(_to_list), WithJsonSchema({"type": "string"})]
Priorities = Annotated[
    list[cards.Priority],
    _Limit,
    BeforeValidator(_to_list),
    WithJsonSchema({"type": "string", "enum": list(get_args(cards.Priority))}),
]
FieldFilters = Annotated[
    list[str],
    _Limit,
    BeforeValidator(_to_field_filters),
    BeforeValidator(card_changes.to_values),
    WithJsonSchema({"type": "object", "properties": {"tags": {"type": "string"}}}),
]


class ListCards(TokenLimit):
    project: Names = []
    column: Names = []
    card_type: Names = []
    assigned_agent_id: Names = Field([], description="none, me")
    assigned_user_id: Names = Field([], description="none")
    priority: Priorities = []
    fields: FieldFilters = []
    due: str | None = Field(None, description="overdue, today, week, none, day..day")
    updated_since: str | None = Field(None, description="an age (3d)")
    archived: bool = False
    q: str | None = Field(None, description="part of the title")
    sort: str | None = Field(None, description="-updatedAt, dueDate, priority")
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
    "List the cards to which all arguments apply (of a list: any).",
    read_only=True,
)
async def list_cards(ctx: ToolContext, arguments: ListCards) -> TruncatableResult:
    """List cards of the organization."""
    unnamed = {"priority", "updated_since", "archived", "q", "sort", "page", "page_size"}
    query = arguments.model_dump(by_alias=True, exclude_defaults=True, include=unnamed)
    query |= {"due": [arguments.due]} if arguments.due else {}
    query |= ctx.lookup(lambda call: _resolve_list_filters(call, arguments))
    with _name_fields_argument():
        found = await ctx.call(cards.list_cards, None, query)
    items = naming.look_up_names(ctx, {"items": [_render_card(card) for card in found["items"]]})["items"]
    content = {"items": items, **{key: found[key] for key in ("page", "pageSize", "total")}}
    return TruncatableResult(
        content, {"items": "ask again with a smaller pageSize, or maxTokens=8000"}, "get_card shows the whole"
    )


@contextmanager
def _name_fields_argument() -> Iterator[None]:
    """Name the argument `fields` in errors about the parameter `field` of the route."""
    try:
        yield
    except ServiceError as error:
        rename_paths(error, partial(re.sub, r"^field\b", "fields"))
        raise


def _resolve_list_filters(call: Call, arguments: ListCards) -> Json:
    """Return the ids that the arguments name as the filters of the route."""
    projects = [_find_filter_id(call, "project", name) for name in arguments.project]
    project_id = projects[0] if len(projects) == 1 else None
    others = arguments.model_dump(include=_FINDERS.keys() - {"project"})
    ids = {key: [_find_filter_id(call, key, name, project_id) for name in names] for key, names in others.items()}
    values = {to_camel(_FINDERS[key][0]): values for key, values in {"project": projects, **ids}.items()}
    values["field"] = name_resolution.resolve_field_filters(call, arguments.fields)
    return {key: found for key, found in values.items() if found}


def _find_filter_id(call: Call, key: str, name: str, project_id: str | None = None) -> str:
    """Return the id that one value of an argument names; the words of assignees stay."""
    if key in _WORDS and fold_name(name) in _WORDS[key]:
        return fold_name(name)
    filter, find = _FINDERS[key]
    return name_resolution.find_filter_id(call, filter, partial(find, call, name, project_id), name, project_id)


_WORDS = {"assigned_agent_id": ("me", "none"), "assigned_user_id": ("me", "none")}
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
        "checklist": card["checklist"],
        "claimedBy": card["claim"] and card["claim"]["agentId"],
    }


@tool(
    "Show a card",
    "Show a card with all that you need to work on it: fields and what they accept, prompt, moves, relations, "
    "files, comments.",
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
