"""Tools that make, change, split and move cards; each answers with a short receipt."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import MISSING, Field

from ..auth.context import Call
from ..pipeline import name_resolution
from ..resources import cards
from ..schemas import Id, Input, Timestamp, Title
from .registry import ToolContext, tool

Json = dict[str, Any]
Row = Mapping[str, Any]
Fields = Annotated[dict[str, Any], Field(max_length=500)]


class OnCard(Input):
    card: Id
    claim_token: str | None = None


class CreateCard(Input):
    project: Id | None = Field(None, description="key or title; needed if there are several")
    title: Title
    column: Id | None = Field(None, description="none: the first where agents may make cards")
    card_type: Id | None = None
    fields: Fields = Field({}, description="{name: value}")
    priority: cards.Priority = "none"
    due_date: Timestamp | None = None
    assigned_agent_id: Id | None = None
    assigned_user_id: Id | None = None
    preset: Id | None = None


class UpdateCard(OnCard):
    title: Title | MISSING = MISSING
    fields: Fields | MISSING = Field(MISSING, description='{name: value}, for example {"tags": ["api"]}')
    priority: cards.Priority | None | MISSING = MISSING
    due_date: Timestamp | None | MISSING = MISSING
    assigned_agent_id: Id | None | MISSING = MISSING
    assigned_user_id: Id | None | MISSING = MISSING


class MoveCard(OnCard):
    to: Id = Field(description="title of a column")
    after: Id | None | MISSING = Field(MISSING, description="card to place it behind; null: top")


class NewPart(Input):
    title: Title
    card_type: Id | None = None
    priority: cards.Priority = "none"
    assigned_agent_id: Id | None = None
    fields: Fields = {}


class SplitCard(OnCard):
    parts: Annotated[list[NewPart], Field(min_length=1, max_length=50)]
    column: Id | None = None


def held(ctx: ToolContext, arguments: OnCard) -> ToolContext:
    """Show the token of one's claim on the card, if it was given."""
    return ctx.holding(arguments.claim_token)


def sent(arguments: Input, *extra_keys: str) -> Json:
    """Give the arguments that were sent as the keys of a body, but for those that have to be put into ids first."""
    left_out = {"card", "claim_token", "fields", *extra_keys}
    return arguments.model_dump(by_alias=True, exclude_unset=True, exclude=left_out)


def receipt(card: Json, column: str) -> Json:
    """Tell in short what a change has made of a card, and until when it is claimed; its texts are not repeated."""
    until = card["claim"] and card["claim"]["expiresAt"]
    return {"key": card["key"], "column": column, "version": card["version"], "claimedUntil": until}


@tool(
    "Make a card. get_board shows columns, card types and their fields. Answers with its key. "
    'Example: {"project": "REL", "title": "Fix the login", "fields": {"description": "It fails on Safari."}}.'
)
async def create_card(ctx: ToolContext, arguments: CreateCard) -> Json:
    """Make a card."""
    body = sent(arguments, "project", "column", "card_type", "preset")
    body |= ctx.lookup(lambda call: _place(call, arguments))
    if arguments.preset is not None:
        body["presetName"] = arguments.preset
    made = await ctx.ask("POST /organizations/{org_id}/cards/mcp", body)
    return receipt(made, ctx.lookup(lambda call: name_resolution.names(call, [made["columnId"]]))[made["columnId"]])


def _place(call: Call, arguments: CreateCard) -> Json:
    project_id = name_resolution.project(call, arguments.project)["id"]
    card_type_id = name_resolution.card_type(call, arguments.card_type, project_id)["id"]
    column = arguments.column and name_resolution.column(call, arguments.column, project_id)["id"]
    values = name_resolution.values(call, arguments.fields, card_type_id)
    return {"projectId": project_id, "cardTypeId": card_type_id, "columnId": column, "fieldValues": values}


@tool(
    "Change a card: title, priority, due date, who it is assigned to, and its fields by name. What is left out stays; "
    "null clears. Answers with its version.",
    destroys=True,
    repeatable=True,
)
async def update_card(ctx: ToolContext, arguments: UpdateCard) -> Json:
    """Change a card."""
    body = sent(arguments)

    def look(call: Call) -> tuple[Row, str]:
        card = name_resolution.card(call, arguments.card)
        given = {} if arguments.fields is MISSING else arguments.fields
        body["fieldValues"] = name_resolution.values(call, given, card["card_type_id"])
        return card, name_resolution.names(call, [card["column_id"]])[card["column_id"]]

    card, column = ctx.lookup(look)
    changed = await held(ctx, arguments).ask("PATCH /cards/{card_id}/mcp", body, card_id=card["id"])
    return receipt(changed, column)


@tool(
    "Move a card to another column; get_card shows which moves are open to you. A refusal lists all that is in the way "
    "in details.blockers. Where approval is required, use request_move. Answers with the column, and until when you "
    "hold it.",
)
async def move_card(ctx: ToolContext, arguments: MoveCard) -> Json:
    """Move a card."""

    def look(call: Call) -> tuple[Row, Row, str | None]:
        card = name_resolution.card(call, arguments.card)
        above = name_resolution.card(call, arguments.after)["id"] if isinstance(arguments.after, str) else None
        return card, name_resolution.column(call, arguments.to, card["project_id"], "to"), above

    card, column, above = ctx.lookup(look)
    body = {"toColumnId": column["id"]} | ({} if arguments.after is MISSING else {"afterCardId": above})
    moved = await held(ctx, arguments).ask("PATCH /cards/{card_id}/mcp/status", body, card_id=card["id"])
    return receipt(moved, column["title"])


@tool(
    "Split a card that is too much into 1 to 50 parts, all or none. The parts hold it back until they are done. "
    'Example: {"card": "REL-12", "parts": [{"title": "Schema"}, {"title": "Page", "fields": {"tags": ["web"]}}]}. '
    "Answers with the keys of the parts."
)
async def split_card(ctx: ToolContext, arguments: SplitCard) -> Json:
    """Make the parts of a card."""

    def look(call: Call) -> tuple[str, Json]:
        card = name_resolution.card(call, arguments.card)
        column = arguments.column and name_resolution.column(call, arguments.column, card["project_id"])["id"]
        parts = [_part(call, part, card, index) for index, part in enumerate(arguments.parts)]
        return card["id"], {"parts": parts, "columnId": column}

    card_id, body = ctx.lookup(look)
    made = (await held(ctx, arguments).ask("POST /cards/{card_id}/split/mcp", body, card_id=card_id))["items"]
    column_id = made[0]["columnId"]
    column = ctx.lookup(lambda call: name_resolution.names(call, [column_id]))[column_id]
    return {"column": column, "parts": [{"key": part["key"], "title": part["title"]} for part in made]}


def _part(call: Call, part: NewPart, card: Row, index: int) -> Json:
    where, body, card_type_id = f"parts.{index}.", sent(part, "card_type"), card["card_type_id"]
    if part.card_type is not None:
        card_type_id = name_resolution.card_type(call, part.card_type, card["project_id"], f"{where}cardType")["id"]
    values = name_resolution.values(call, part.fields, card_type_id, f"{where}fields")
    return {**body, "cardTypeId": card_type_id, "fieldValues": values}
