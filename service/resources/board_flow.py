"""Board-flow: a whole board in one answer, made by the database and kept until something changes."""

from ..access import Call, agent, may
from ..limits import Limit
from ..queries import sql
from ..route import encode, routes
from ..wire import Query
from . import card_types, projects

SCAN = Limit("board_flow", by="key", per_minute=30)
KEPT = 16 << 20  # bytes of boards that are kept at the most


class BoardFlowQuery(Query):
    project_id: str | None = None


@routes.get("/organizations/{org_id}/board-flow", may("read", "Card"), bulk=True)
@routes.get("/organizations/{org_id}/board-flow/mcp", agent(), SCAN, bulk=True)
def read(call: Call, org_id: str, query: BoardFlowQuery) -> bytes:
    """Show the board of a project; without one, all projects and no cards."""
    if query.project_id is not None:
        projects.row_of(call, query.project_id)
    key = (org_id, query.project_id or "")
    kept = call.service.boards.get(key)
    if kept and kept[0] == call.revision:
        return bytes(kept[1])
    board = _made(call, org_id, query.project_id)
    _keep(call.service.boards, key, (call.revision, board))
    return board


def _made(call: Call, org_id: str, project_id: str | None) -> bytes:
    rows = call.tx.all(sql.card_types.browse, org_id=org_id, project_id=project_id)
    types = encode([card_types.CardType.of(row) for row in rows]).body
    assert types is not None
    if project_id is None:
        text = call.tx.value(sql.board_flow.overview, org_id=org_id, card_types=types.decode())
    else:
        text = call.tx.value(sql.board_flow.read, project_id=project_id, card_types=types.decode())
    return str(text).encode()


def _keep(boards: dict[tuple[str, str], tuple[int, bytes]], key: tuple[str, str], entry: tuple[int, bytes]) -> None:
    boards.pop(key, None)
    boards[key] = entry
    while sum(len(board) for _, board in boards.values()) > KEPT:
        boards.pop(next(iter(boards)))
