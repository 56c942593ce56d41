"""Board flow: a whole board in one response, built by one query and cached until the organization changes."""

from typing import Any

from ..auth.context import Call
from ..auth.policies import agent, may
from ..database.queries import sql
from ..http.rate_limits import Limit
from ..http.responses import Answer, encode, hash_content
from ..pipeline.routing import routes
from ..schemas import Output, Query
from . import card_types, columns, projects

SCAN = Limit("board_flow", by="key", per_minute=30)


class Titled(Output):
    id: str
    title: str


class BoardProject(Titled):
    key: str


class BoardColumn(Titled):
    project_id: str
    order: int
    agent_pickup_enabled: bool
    agent_can_moderate: bool
    column_type: columns.ColumnType
    wip_limit: int | None


class BoardTransition(Output):
    id: str
    from_column_id: str
    to_column_id: str
    requires_approval: bool


class BoardCard(BoardProject):
    column_id: str


class BoardFlow(Output):
    """A whole board."""

    projects: list[BoardProject]
    columns: list[BoardColumn]
    card_types: list[card_types.CardType]
    transitions: list[BoardTransition]
    cards: list[BoardCard]


class BoardFlowQuery(Query):
    project_id: str | None = None


def get_cached_board(call: Call, org_id: str, query: BoardFlowQuery) -> Answer | None:
    """Return the cached board if nothing in the organization has changed since, else None."""
    if query.project_id is not None:
        projects.require_project(call, query.project_id)
    return call.service.board_cache.get((org_id, query.project_id), call.revision, call.now)


ROUTE_OPTIONS: dict[str, Any] = {
    "on_reader_thread": True,
    "answers": BoardFlow,
    "tagged": True,
    "cached": get_cached_board,
}


@routes.get("/organizations/{org_id}/board-flow", may("read", "Card"), **ROUTE_OPTIONS)
@routes.get("/organizations/{org_id}/board-flow/mcp", agent(), SCAN, **ROUTE_OPTIONS)
def get_board_flow(call: Call, org_id: str, query: BoardFlowQuery) -> Answer:
    """Return the board of a project; without `projectId`, all projects without their cards."""
    board = get_cached_board(call, org_id, query)
    if board is None:
        content = _build_board(call, org_id, query.project_id)
        board = Answer(content, tag=hash_content(content))
        call.service.board_cache.put((org_id, query.project_id), call.revision, board)
    return board


def _build_board(call: Call, org_id: str, project_id: str | None) -> bytes:
    rows = call.tx.all(sql.card_types.list, org_id=org_id, project_id=project_id)
    types = encode([card_types.CardType.of(row) for row in rows]).body
    assert types is not None
    if project_id is None:
        text = call.tx.value(sql.board_flow.get_overview, org_id=org_id, card_types=types.decode())
    else:
        text = call.tx.value(sql.board_flow.get_board, project_id=project_id, card_types=types.decode())
    return str(text).encode()
