"""A board from Trello: its JSON export becomes a project, by the same way as a snapshot (see service/trello)."""

from dataclasses import asdict
from functools import partial
from typing import BinaryIO

from ...auth.context import Call
from ...auth.policies import architect
from ...errors import BadRequest
from ...pipeline.pipeline import Operation
from ...pipeline.routing import routes
from ...schemas import Output, Query, Title
from ...trello import export
from ...trello.board import Board, read_board
from ...trello.description import shorten
from ...trello.summary import Summary, summarize
from . import imports, snapshot
from .inlined import Inlined
from .staging import Meta, Staged, gather
from .trello_rows import By, Rows

PRODUCT = "Trello"


class BoardQuery(Query):
    title: Title | None = None


class Count(Output):
    """How many of a kind there are, and a remark."""

    what: str
    count: int
    note: str


class Made(Output):
    id: str
    title: str


class BoardReport(imports.ImportReport):
    """What became of a board: its project, what was taken over, what was left behind and why."""

    project: Made
    taken: list[Count]
    left: list[Count]
    remarks: list[str]


@routes.post("/admin/import/trello", architect(), streams=True)
async def add(operation: Operation[Call], query: BoardQuery) -> BoardReport:
    """Make a project in the current organization of a Trello board's JSON export (SA): all of it or nothing.

    Lists become columns with every move between them, labels, members, checklists and links of attachments become
    values, comments keep author and date in their text; what is archived in Trello is so here. All of it is by whoever
    imports. `title` is that of the project (default: the board's name). `taken` and `left` count what was taken over
    and what was not, `note` says why. Raises what POST /admin/import raises, InvalidSnapshotShape for what is no
    board; one has 200 open lists at the most.
    """
    by = await operation.read(lambda call: By(call.org_id, call.actor, call.now))
    report: BoardReport = await imports.bring_in(operation, partial(_read, by, query.title))
    return report


def _read(by: By, title: str | None, spool: BinaryIO, staged: Staged) -> None:
    """Read a board and put its rows by; the organization keeps title and color."""
    board = _board(spool, staged)
    rows = Rows(board, title or shorten(board.title), by)
    staged.meta, staged.organization = Meta(product=PRODUCT), {"id": by.org_id}
    staged.tell = partial(_told, Made(id=rows.project, title=rows.title), summarize(board))
    gather(rows.of_all(), staged)


def _told(project: Made, summary: Summary, report: imports.ImportReport) -> BoardReport:
    return BoardReport(**dict(report), project=project, **asdict(summary))


def _board(spool: BinaryIO, staged: Staged) -> Board:
    try:
        inlined = Inlined(spool, staged.folder, staged.disk_space)
        return read_board(export.gather(snapshot.rows(inlined, without_nul=True)))
    except export.NotATrelloExport as problem:
        raise BadRequest("InvalidSnapshotShape", str(problem), path="") from None
