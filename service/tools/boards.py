"""The tool that shows a board."""

from collections import Counter
from typing import Any, Literal

from pydantic import Field

from ..resources.columns import ColumnType
from ..wire import Id, Output
from .bounding import ENTRIES_MAX, Bounded, Bounds
from .registry import Visit, tool
from .written import Written, written

Part = Literal["columns", "transitions", "cardTypes", "cards"]
HOW = "ask again with show naming only this, projectId, or maxTokens=8000"


class GetBoard(Bounds):
    project_id: Id | None = Field(None, description="none: the projects and how their boards are shaped")
    show: list[Part] = Field(["columns", "transitions", "cardTypes"], description="add cards to have them listed")


class Project(Output):
    id: str
    title: str


class Column(Project):
    project_id: str | None = None
    agent_pickup_enabled: bool
    agent_can_moderate: bool
    column_type: ColumnType
    wip_limit: int | None = None
    cards: int | None = None


class Transition(Output):
    from_column_id: str
    to_column_id: str
    requires_approval: bool


class FieldOfType(Output):
    id: str
    name: str
    kind: str
    required: bool
    options: list[str] | None = None


class CardType(Project):
    fields: list[FieldOfType]


class CardOnBoard(Output):
    id: str
    column_id: str
    title: Written


class Board(Bounded):
    """A board, or its parts that were asked for."""

    lists = {"cards": "list_cards pages through them", "cardTypes": HOW, "transitions": HOW, "columns": HOW} | {
        "projects": HOW
    }
    texts = "get_card shows the whole"
    projects: list[Project]
    columns: list[Column] | None = None
    transitions: list[Transition] | None = None
    card_types: list[CardType] | None = None
    cards: list[CardOnBoard] | None = None


@tool(
    "Show a board: columns with their number of cards and what agents may do there, transitions, card types with "
    "their fields. Without projectId: all projects. At most 30 calls a minute.",
    Board,
    reads=True,
)
async def get_board(visit: Visit, arguments: GetBoard) -> Board:
    """Show a board or what is asked of it; the cards only on demand."""
    flow = await visit.ask("GET /organizations/{org_id}/board-flow/mcp", None, {"projectId": arguments.project_id})
    if arguments.project_id:
        held = Counter(card["columnId"] for card in flow["cards"])
        for column in flow["columns"]:
            column["cards"], column["projectId"] = held[column["id"]], None
    total = len(flow["cards"])
    flow["cards"] = [{**card, "title": written("title", card["title"])} for card in flow["cards"][:ENTRIES_MAX]]
    for card_type in flow["cardTypes"]:
        card_type["fields"] = [_field(field) for field in card_type["fields"]]
    wanted: dict[str, Any] = {part: flow[part] for part in arguments.show}
    board = Board.of({"projects": flow["projects"], **wanted})
    if total > ENTRIES_MAX and "cards" in wanted:
        board._totals["cards"] = total
    return board


def _field(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "options": field["options"] or None}
