"""The tool that shows a board."""

from collections import Counter
from typing import Any, Literal

from pydantic import Field

from ..pipeline import name_resolution
from ..resources import board_flow
from ..schemas import Name
from .card_context import render_agent_access
from .registry import ToolContext, tool
from .token_limit import ENTRIES_MAX, TokenLimit, TruncatableResult

Json = dict[str, Any]
Part = Literal["columns", "transitions", "cardTypes", "cards"]
HINT = "ask again with show naming only this, project, or maxTokens=8000"
LISTS = {
    "cards": "list_cards pages through them",
    "cardTypes": HINT,
    "transitions": HINT,
    "columns": HINT,
    "projects": HINT,
}


class GetBoard(TokenLimit):
    project: Name | None = Field(None, description="key or title; none: all")
    show: list[Part] = Field(["columns", "transitions", "cardTypes"], description="add cards to list them")


@tool(
    "Show a board",
    "Show columns (agents: work, talk or look), transitions, and card types with their fields. Call it before you "
    "create cards. At most 30 a minute.",
    read_only=True,
)
async def get_board(ctx: ToolContext, arguments: GetBoard) -> TruncatableResult:
    """Return the selected parts of a board; the cards only if they are selected."""
    query = {}
    if arguments.project is not None:
        query["projectId"] = ctx.lookup(lambda call: name_resolution.find_project(call, arguments.project))["id"]
    flow = await ctx.call(board_flow.get_board_flow, None, query)
    board = _Board(flow, is_single_project=bool(query))
    parts: dict[str, Any] = {"columns": board.columns, "transitions": board.transitions}
    parts |= {"cardTypes": board.card_types, "cards": board.cards}
    content = {"projects": [{"key": project["key"], "title": project["title"]} for project in flow["projects"]]}
    content |= {part: parts[part]() for part in dict.fromkeys(arguments.show)}
    totals = {"cards": len(flow["cards"])} if len(flow["cards"]) > ENTRIES_MAX and "cards" in content else {}
    return TruncatableResult(content, LISTS, "get_card shows the whole", totals)


class _Board:
    """The parts of a board, with names instead of ids."""

    def __init__(self, flow: Json, is_single_project: bool) -> None:
        self.flow, self.is_single_project = flow, is_single_project
        self.titles = {column["id"]: column["title"] for column in flow["columns"]}
        self.keys = {project["id"]: project["key"] for project in flow["projects"]}
        self.projects = {column["id"]: self.keys.get(column["projectId"]) for column in flow["columns"]}
        self.card_counts = Counter(card["columnId"] for card in flow["cards"])

    def columns(self) -> list[Json]:
        """Return the columns: of one project with their number of cards, of several with the keys of the projects."""
        return [
            {
                "project": None if self.is_single_project else self.keys.get(column["projectId"]),
                "title": column["title"],
                "agents": render_agent_access(column),
                "done": column["columnType"] == "done" or None,
                "wipLimit": column["wipLimit"],
                "cards": self.card_counts[column["id"]] if self.is_single_project else None,
            }
            for column in self.flow["columns"]
        ]

    def transitions(self) -> list[Json]:
        """Return the transitions, with the titles of their columns."""
        return [
            {
                "project": None if self.is_single_project else self.projects[edge["fromColumnId"]],
                "from": self.titles[edge["fromColumnId"]],
                "to": self.titles[edge["toColumnId"]],
                "requiresApproval": edge["requiresApproval"] or None,
            }
            for edge in self.flow["transitions"]
        ]

    def card_types(self) -> list[Json]:
        """Return the card types with their fields and options."""
        return [
            {"title": card_type["title"], "fields": [_render_field(field) for field in card_type["fields"]]}
            for card_type in self.flow["cardTypes"]
        ]

    def cards(self) -> list[Json]:
        """Return the cards with the titles of their columns."""
        return [
            {"key": card["key"], "column": self.titles[card["columnId"]], "title": card["title"]}
            for card in self.flow["cards"][:ENTRIES_MAX]
        ]


def _render_field(field: Json) -> Json:
    rules = {key: field[key] or None for key in ("required", "options")}
    return {"name": field["name"], "kind": field["kind"], **rules}
