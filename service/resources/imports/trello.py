"""Import of a Trello board: its JSON export becomes a project, through the import of snapshots (see service/trello)."""

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
from ...trello.board import TrelloBoard, read_board
from ...trello.description import shorten
from ...trello.summary import TrelloSummary, summarize
from . import imports, snapshot
from .content_extraction import ContentExtractor
from .staging import Meta, StagedSnapshot, stage_rows
from .trello_rows import Importer, Rows

PRODUCT = "Trello"


class TrelloImportQuery(Query):
    title: Title | None = None


class Count(Output):
    """The number of items of one kind, and a note on them."""

    what: str
    count: int
    note: str


class Made(Output):
    id: str
    title: str


class BoardReport(imports.ImportReport):
    """The result of a Trello import: the new project, what was imported, and what was not imported and why."""

    project: Made
    taken: list[Count]
    left: list[Count]
    remarks: list[str]


@routes.post("/admin/import/trello", architect(), streams=True)
async def import_board(operation: Operation[Call], query: TrelloImportQuery) -> BoardReport:
    """Create a project in the current organization from the JSON export of a Trello board (SA), or nothing at all.

    Lists become columns with transitions between all of them. Labels, members, checklists and links of attachments
    become field values; comments keep their author and date in their text. Archived cards stay archived. The caller is
    the author of everything. `title` is the title of the project (default: the name of the board). `taken` and `left`
    count what was imported and what was not; `note` gives the reason. Raises the errors of POST /admin/import, and
    InvalidSnapshotShape if the file is not the export of a board, or has more than 200 open lists.
    """
    importer = await operation.read(lambda call: Importer(call.org_id, call.actor, call.now))
    report: BoardReport = await imports.run_import(operation, partial(_stage_board, importer, query.title))
    return report


def _stage_board(importer: Importer, title: str | None, spool: BinaryIO, staged: StagedSnapshot) -> None:
    """Read a board and stage its rows; the title and color of the organization do not change."""
    board = _read_export(spool, staged)
    rows = Rows(board, title or shorten(board.title), importer)
    staged.meta, staged.organization = Meta(product=PRODUCT), {"id": importer.org_id}
    staged.extend_report = partial(_to_board_report, Made(id=rows.project, title=rows.title), summarize(board))
    stage_rows(rows.list_rows(), staged)


def _to_board_report(project: Made, summary: TrelloSummary, report: imports.ImportReport) -> BoardReport:
    return BoardReport(**dict(report), project=project, **asdict(summary))


def _read_export(spool: BinaryIO, staged: StagedSnapshot) -> TrelloBoard:
    try:
        extractor = ContentExtractor(spool, staged.folder, staged.disk_space)
        return read_board(export.collect(snapshot.rows(extractor, without_nul=True)))
    except export.NotATrelloExport as problem:
        raise BadRequest("InvalidSnapshotShape", str(problem), path="") from None
