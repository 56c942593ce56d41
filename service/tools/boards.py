"""The tool that shows a board."""

from collections import Counter
from typing import Any, Literal

from pydantic import Field

from ..pipeline import name_resolution
from ..schemas import Id
from .bounding import ENTRIES_MAX, Bounds, Long
from .contexts import allowance
from .registry import ToolContext, tool

Json = dict[str, Any]
Part = Literal["columns", "transitions", "cardTypes", "cards"]
HOW = "ask again with show naming only this, project, or maxTokens=8000"
LISTS = {
    "cards": "list_cards pages through them",
    "cardTypes": HOW,
    "transitions": HOW,
    "columns": HOW,
    "projects": HOW,
}


class GetBoard(Bounds):
    project: Id | None = Field(None, description="key or title; none: all projects")
    show: list[Part] = Field(["columns", "transitions", "cardTypes"], description="add cards to have them listed")


@tool(
    "Show a board: columns with their number of cards and what agents may do there (work, talk or look), transitions, "
    "card types with their fields. At most 30 calls a minute.",
    reads=True,
)
async def get_board(ctx: ToolContext, arguments: GetBoard) -> Long:
    """Show a board or what is asked of it; the cards only on demand."""
    query = {}
    if arguments.project is not None:
        query["projectId"] = ctx.lookup(lambda call: name_resolution.project(call, arguments.project))["id"]
    flow = await ctx.ask("GET /organizations/{org_id}/board-flow/mcp", None, query)
    said = _Board(flow, is_one=bool(query))
    show: dict[str, Any] = {"columns": said.columns, "transitions": said.transitions, "cardTypes": said.card_types}
    show["cards"] = said.cards
    answer = {"projects": [{"key": project["key"], "title": project["title"]} for project in flow["projects"]]}
    answer |= {part: show[part]() for part in arguments.show}
    totals = {"cards": len(flow["cards"])} if len(flow["cards"]) > ENTRIES_MAX and "cards" in answer else {}
    return Long(answer, LISTS, "get_card shows the whole", totals)


class _Board:
    """A board in names."""

    def __init__(self, flow: Json, is_one: bool) -> None:
        self.flow, self.is_one = flow, is_one
        self.titles = {column["id"]: column["title"] for column in flow["columns"]}
        self.keys = {project["id"]: project["key"] for project in flow["projects"]}
        self.projects = {column["id"]: self.keys.get(column["projectId"]) for column in flow["columns"]}
        self.held = Counter(card["columnId"] for card in flow["cards"])

    def columns(self) -> list[Json]:
        """Tell the columns: whose they are if that is not clear, else how many cards they hold."""
        return [
            {
                "project": None if self.is_one else self.keys.get(column["projectId"]),
                "title": column["title"],
                "agents": allowance(column),
                "done": column["columnType"] == "done" or None,
                "wipLimit": column["wipLimit"],
                "cards": self.held[column["id"]] if self.is_one else None,
            }
            for column in self.flow["columns"]
        ]

    def transitions(self) -> list[Json]:
        """Tell the transitions by the titles of their columns."""
        return [
            {
                "project": None if self.is_one else self.projects[edge["fromColumnId"]],
                "from": self.titles[edge["fromColumnId"]],
                "to": self.titles[edge["toColumnId"]],
                "requiresApproval": edge["requiresApproval"] or None,
            }
            for edge in self.flow["transitions"]
        ]

    def card_types(self) -> list[Json]:
        """Tell the card types with what their fields take."""
        return [
            {"title": card_type["title"], "fields": [_field(field) for field in card_type["fields"]]}
            for card_type in self.flow["cardTypes"]
        ]

    def cards(self) -> list[Json]:
        """Tell where which card stands."""
        return [
            {"key": card["key"], "column": self.titles[card["columnId"]], "title": card["title"]}
            for card in self.flow["cards"][:ENTRIES_MAX]
        ]


def _field(field: Json) -> Json:
    said = {key: field[key] or None for key in ("required", "options")}
    return {"name": field["name"], "kind": field["kind"], **said}
