"""Tools that create, update, move and split cards. Each returns a short summary of the card."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import MISSING, BeforeValidator, Field, WithJsonSchema
from pydantic.alias_generators import to_camel

from ..auth.context import Call
from ..database.queries import sql
from ..domain import checklist_ticks, due_dates
from ..domain.field_values import RICHTEXT_CHARACTERS_MAX
from ..pipeline import name_resolution
from ..resources import card_lifecycle, cards, moves, parts
from ..schemas import Id, Input, Name, Title
from ..text.comparison import fold_name
from . import checklist_items, people
from .registry import ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]
SPLIT_NEXT = "Call release, then claim_next: it brings the parts, and this card again when all of them are done."
_FIELDS_SCHEMA = {
    "type": "object",
    "properties": {"description": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
}


class CardArguments(Input):
    card: Id
    claim_token: str | None = None


def _replace_null(priority: Any) -> Any:
    """Return `none` for null, as the routes do."""
    return "none" if priority is None else priority


def to_values(fields: Any) -> Any:
    """Return field values by name; clients also send a list of {name, value}."""
    if not isinstance(fields, list):
        return fields
    if not all(isinstance(item, dict) and item.keys() == {"name", "value"} for item in fields):
        raise ValueError("must be an object {name: value} or a list of {name, value}")
    names = [str(item["name"]) for item in fields]
    if len(set(names)) < len(names):
        raise ValueError("may name a field only once")
    return {str(item["name"]): item["value"] for item in fields}


def _clear(value: Any) -> Any:
    """Return null for the text `none`: some clients cannot send null where a text is declared."""
    return None if isinstance(value, str) and fold_name(value) == "none" else value


Fields = Annotated[dict[str, Any], BeforeValidator(to_values), Field(max_length=500), WithJsonSchema(_FIELDS_SCHEMA)]
ClearableName = Annotated[Name | None, BeforeValidator(_clear)]
ClearableDate = Annotated[due_dates.DueDate, BeforeValidator(_clear)]
NewPriority = Annotated[cards.Priority, BeforeValidator(_replace_null)]  # takes null, which the schema need not list


ItemTexts = Annotated[
    list[Annotated[str, Field(max_length=RICHTEXT_CHARACTERS_MAX)]],
    Field(max_length=checklist_ticks.TICKS_MAX),
]


class CreateCard(Input):
    project: Name | None = Field(None, description="key or title; needed if there are several")
    title: Title
    column: Name | None = Field(None, description="none: the first possible one")
    card_type: Name | None = None
    fields: Fields = Field({}, description="{name: value}")
    priority: NewPriority = "none"
    due_date: ClearableDate = None
    assigned_agent_id: ClearableName = None
    assigned_user_id: ClearableName = None
    preset: Name | None = None


class UpdateCard(CardArguments):
    title: Title | MISSING = MISSING
    card_type: Name | MISSING = MISSING
    fields: Fields | MISSING = Field(MISSING, description="{name: value}")
    priority: cards.Priority | None | MISSING = MISSING
    due_date: ClearableDate | MISSING = MISSING
    assigned_agent_id: ClearableName | MISSING = MISSING
    assigned_user_id: ClearableName | MISSING = MISSING

    check: ItemTexts | MISSING = MISSING
    uncheck: ItemTexts | MISSING = MISSING


class MoveCard(CardArguments):
    to: Name = Field(description="column title")
    after: Id | None | MISSING = Field(MISSING, description="card above it; null: top")


class SplitCardPart(Input):
    title: Title
    card_type: Name | None = None
    priority: NewPriority = "none"
    assigned_agent_id: Name | None = None
    fields: Fields = {}


class SplitCard(CardArguments):
    parts: Annotated[list[SplitCardPart], Field(min_length=1, max_length=50)]
    column: Name | None = None


def with_claim(ctx: ToolContext, arguments: CardArguments) -> ToolContext:
    """Return a context whose calls carry the claim token of the arguments, if there is one."""
    return ctx.with_claim_token(arguments.claim_token)


def to_body(arguments: Input, *exclude: str) -> Json:
    """Return the arguments that were set as the body of a route, without names that must be resolved to ids."""
    excluded = {"card", "claim_token", "fields", *exclude}
    return arguments.model_dump(by_alias=True, exclude_unset=True, exclude=excluded)


def resolve_assignees(call: Call, arguments: Input, path: str = "") -> Json:
    """Return the ids of the assignees that the arguments name, by the keys of routes."""
    finders = {"assigned_agent_id": name_resolution.find_agent, "assigned_user_id": name_resolution.find_member}
    named = {key: getattr(arguments, key, None) for key in finders}
    return {
        to_camel(key): finders[key](call, name, path + to_camel(key))["id"]
        for key, name in named.items()
        if isinstance(name, str)
    }


def summarize(card: Json, column: str) -> Json:
    """Return key, column and version of a changed card, and when its claim expires; no texts, which can be long."""
    until = card["claim"] and card["claim"]["expiresAt"]
    return {"key": card["key"], "column": column, "version": card["version"], "claimedUntil": until}


@tool(
    "Create a card",
    "Create a card; get_board shows card types and fields. "
    'Example: {"project": "REL", "title": "Fix the login", "fields": {"description": "It fails on Safari."}}.',
)
async def create_card(ctx: ToolContext, arguments: CreateCard) -> Json:
    """Create a card."""
    body = to_body(arguments, "project", "column", "card_type", "preset")
    body |= ctx.lookup(lambda call: _resolve_new_card(call, arguments))
    card = await ctx.call(card_lifecycle.create_card, body)
    return summarize(card, _get_column_title(ctx, card["columnId"])) | people.list_mentioned(card)


def _get_column_title(ctx: ToolContext, column_id: str) -> str:
    return ctx.lookup(lambda call: name_resolution.get_names(call, [column_id]))[column_id]


def _resolve_new_card(call: Call, arguments: CreateCard) -> Json:
    project_id = name_resolution.find_project(call, arguments.project)["id"]
    card_type_id = name_resolution.find_card_type(call, arguments.card_type, project_id)["id"]
    column = arguments.column and name_resolution.find_column(call, arguments.column, project_id)["id"]
    values = name_resolution.resolve_field_values(call, arguments.fields, card_type_id)
    ids = {"projectId": project_id, "cardTypeId": card_type_id, "columnId": column}
    if arguments.preset is not None:
        ids["presetName"] = name_resolution.find_preset(call, arguments.preset, card_type_id)
    return {**ids, "fieldValues": values, **resolve_assignees(call, arguments)}


@tool(
    "Change a card",
    "Change a card, tick checklist items; null clears.",
    destructive=True,
    idempotent=True,
)
async def update_card(ctx: ToolContext, arguments: UpdateCard) -> Json:
    """Update a card."""
    body = to_body(arguments, "card_type", "check", "uncheck")

    def resolve(call: Call) -> tuple[Row, str]:
        card = name_resolution.find_card(call, arguments.card)
        values = {} if arguments.fields is MISSING else arguments.fields
        card_type_id = card["card_type_id"]
        if arguments.card_type is not MISSING:
            card_type_id = name_resolution.find_card_type(call, arguments.card_type, card["project_id"])["id"]
            body["cardTypeId"] = card_type_id
        body["fieldValues"] = name_resolution.resolve_field_values(call, values, card_type_id)
        if arguments.model_fields_set & {"check", "uncheck"}:
            new_values = {item["fieldId"]: item["value"] for item in body["fieldValues"]}
            placed = checklist_ticks.list_card_items(call, card["id"], card_type_id, new_values)
            body["checklist"] = checklist_items.resolve_ticks(placed, arguments.check, arguments.uncheck)
        body.update(resolve_assignees(call, arguments))
        return card, name_resolution.get_names(call, [card["column_id"]])[card["column_id"]]

    card, column = ctx.lookup(resolve)
    updated = await with_claim(ctx, arguments).call(cards.update_card, body, card_id=card["id"])
    return summarize(updated, column) | people.list_mentioned(updated)


@tool(
    "Move a card",
    "Move a card to another column; get_card shows the moves. If approval is required, use request_move.",
)
async def move_card(ctx: ToolContext, arguments: MoveCard) -> Json:
    """Move a card."""

    def resolve(call: Call) -> tuple[Row, Row, str | None]:
        card = name_resolution.find_card(call, arguments.card)
        above = None
        if isinstance(arguments.after, str):
            above = name_resolution.find_card(call, arguments.after, "after")["id"]
        return card, name_resolution.find_column(call, arguments.to, card["project_id"], "to"), above

    card, column, above = ctx.lookup(resolve)
    body = {"toColumnId": column["id"]} | ({} if arguments.after is MISSING else {"afterCardId": above})
    moved = await with_claim(ctx, arguments).call(moves.move_card, body, card_id=card["id"])
    return summarize(moved, column["title"])


@tool(
    "Split a card",
    "Split a card that is too large into parts, which block it until they are done. "
    'Example: {"card": "REL-12", "parts": [{"title": "Schema"}]}.',
)
async def split_card(ctx: ToolContext, arguments: SplitCard) -> Json:
    """Create the parts of a card."""

    def resolve(call: Call) -> tuple[str, Json]:
        card = name_resolution.find_card(call, arguments.card)
        column = arguments.column and name_resolution.find_column(call, arguments.column, card["project_id"])["id"]
        bodies = [_resolve_part(call, part, card, index) for index, part in enumerate(arguments.parts)]
        return card["id"], {"parts": bodies, "columnId": column}

    card_id, body = ctx.lookup(resolve)
    created = (await with_claim(ctx, arguments).call(parts.split_card, body, card_id=card_id))["items"]
    column = _get_column_title(ctx, created[0]["columnId"])
    titles = [{"key": part["key"], "title": part["title"]} for part in created]
    return {"column": column, "parts": titles, "next": SPLIT_NEXT}


def _resolve_part(call: Call, part: SplitCardPart, card: "sql.directory.GetCardRow", index: int) -> Json:
    path, body, card_type_id = f"parts.{index}.", to_body(part, "card_type"), card["card_type_id"]
    if part.card_type is not None:
        card_type_id = name_resolution.find_card_type(call, part.card_type, card["project_id"], f"{path}cardType")["id"]
    values = name_resolution.resolve_field_values(call, part.fields, card_type_id, f"{path}fields")
    return {**body, "cardTypeId": card_type_id, "fieldValues": values, **resolve_assignees(call, part, path)}
