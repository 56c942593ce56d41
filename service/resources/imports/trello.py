"""Import of a Trello board: its JSON export becomes a project, through the import of snapshots (see service/trello)."""

from dataclasses import asdict
from functools import partial
from os import SEEK_END
from typing import Annotated, BinaryIO

from pydantic import Field

from ...auth.context import Call
from ...auth.policies import architect
from ...database.queries import sql
from ...errors import BadRequest, invalid
from ...pipeline.pipeline import Operation
from ...pipeline.routing import routes
from ...schemas import Output, Query, Repeatable, Title
from ...trello import export
from ...trello.board import TrelloBoard, TrelloMember, read_board
from ...trello.description import shorten
from ...trello.file_problems import BEGINNING_BYTES, BYTE_ORDER_MARK, END_BYTES, explain_problem
from ...trello.lists import UnknownList
from ...trello.summary import TrelloSummary, summarize
from . import imports, snapshot
from .content_extraction import ContentExtractor
from .reading import BOARD_SECONDS_MAX
from .staging import Meta, StagedSnapshot, stage_rows
from .trello_members import Members
from .trello_rows import Importer, Rows

PRODUCT = "Trello"


class TrelloImportQuery(Query):
    title: Title | None = None
    done_lists: Annotated[list[str] | None, Repeatable, Field(max_length=export.LISTS_MAX)] = None
    dry_run: bool = False


class Count(Output):
    """The number of items of one kind, and a note on them."""

    what: str
    count: int
    note: str


class ListPreview(Output):
    """A list that becomes a column, and whether it is a done column."""

    title: str
    cards: int
    done: bool


class BoardPreview(Output):
    """What an import of a board would do."""

    title: str
    lists: list[ListPreview]
    taken: list[Count]
    left: list[Count]
    remarks: list[str]


class Made(Output):
    id: str
    title: str


class BoardReport(imports.ImportReport):
    """The result of a Trello import: the new project, what was imported, and what was not imported and why."""

    project: Made
    taken: list[Count]
    left: list[Count]
    remarks: list[str]


@routes.post("/admin/import/trello", architect(), streams=True, answers=BoardReport | BoardPreview)
async def import_board(operation: Operation[Call], query: TrelloImportQuery) -> BoardReport | BoardPreview:
    """Create a project in the current organization from the JSON export of a Trello board (SA), or nothing at all.

    Lists become columns with their limits, and transitions between all of them; of more than 100 lists, the further
    ones get transitions to the lists beside them. Labels with their colors, custom fields, start dates, checklists,
    links of attachments and names of members become field values. A card is assigned to the first of its members who
    has the e-mail address or the name of one member of the organization. Complete due dates become the checkbox field
    `due_complete`. Comments keep their author and date in their text. Archived cards stay archived. The caller is the
    author of everything.

    `title` is the title of the project (default: the name of the board). `doneLists`, which can be repeated, is the
    title of a list that becomes a done column (empty: none). Without it, these are the lists whose title without signs
    is Done, Complete, Completed, Finished or Closed. With `dryRun=true` nothing is imported: the answer has the open
    `lists` and what would be imported. `taken` and `left` count what was imported and what was not; `note` gives the
    reason. Of rows with the same id in one list of the file only the first one counts. Raises the errors of POST
    /admin/import, InvalidSnapshotShape if the file is not the export of a board, has more than 200 open lists, 200
    custom fields or 2,000 labels, or would become more than 500,000 rows or 1 GiB of texts, too_expensive if it takes
    over 60 s to read, and validation_failed if `doneLists` names no list of the board.
    """
    importer = await operation.read(_get_importer)
    report: BoardReport | BoardPreview = await imports.run_import(operation, partial(_stage_board, importer, query))
    return report


def _get_importer(call: Call) -> Importer:
    members = Members(call.tx.all(sql.members.list, org_id=call.org_id, now=call.now))
    return Importer(call.org_id, call.actor, call.now, members)


def _stage_board(importer: Importer, query: TrelloImportQuery, spool: BinaryIO, staged: StagedSnapshot) -> None:
    """Read a board and stage its rows; the title and color of the organization do not change."""
    assert staged.reading is not None
    staged.reading.seconds_max = BOARD_SECONDS_MAX
    board = _read_board(spool, staged, query.done_lists)
    summary = summarize(board, partial(_is_user, importer))
    title = query.title or shorten(board.title)
    if query.dry_run:
        staged.preview = _preview(board, title, summary)
        return
    rows = Rows(board, title, importer)
    staged.meta, staged.organization = Meta(product=PRODUCT), {"id": importer.org_id}
    staged.extend_report = partial(_to_board_report, Made(id=rows.project, title=rows.title), summary)
    stage_rows(rows.list_rows(), staged)


def _is_user(importer: Importer, member: TrelloMember) -> bool:
    return importer.members.find(member) is not None


def _preview(board: TrelloBoard, title: str, summary: TrelloSummary) -> BoardPreview:
    lists = [ListPreview(title=row.title, cards=len(row.cards), done=row.done) for row in board.open_lists]
    return BoardPreview(title=title, lists=lists, **asdict(summary))


def _to_board_report(project: Made, summary: TrelloSummary, report: imports.ImportReport) -> BoardReport:
    return BoardReport(**dict(report), project=project, **asdict(summary))


def _read_board(spool: BinaryIO, staged: StagedSnapshot, done_lists: list[str] | None) -> TrelloBoard:
    try:
        extractor = ContentExtractor(spool, staged.folder, staged.disk_space)
        rows = snapshot.rows(extractor, without_nul=True)
        return read_board(export.collect(rows, partial(_keep, staged)), done_lists, staged.check)
    except export.NotATrelloExport as problem:
        raise BadRequest("InvalidSnapshotShape", str(problem), path="") from None
    except UnknownList as problem:
        raise invalid("doneLists", str(problem).rstrip(".")) from None
    except BadRequest as problem:
        raise _explain(spool, problem) from None


def _keep(staged: StagedSnapshot, size: int) -> None:
    """Count the bytes of a row that stays in memory."""
    assert staged.reading is not None
    staged.check()
    staged.reading.reserve(size)


def _explain(spool: BinaryIO, problem: BadRequest) -> BadRequest:
    """Return the error for a file that could not be read, in words about a board instead of a snapshot."""
    path = problem.details.get("path", "")
    spool.seek(0)
    beginning = spool.read(BEGINNING_BYTES)
    spool.seek(-min(END_BYTES, spool.seek(0, SEEK_END)), SEEK_END)
    if problem.code == "UnknownExceptionDuringParse":
        return BadRequest(problem.code, f"The file {explain_problem(beginning, spool.read())}", **problem.details)
    if not path and not beginning.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"{"):
        return BadRequest(problem.code, f"The file {export.NO_BOARD}", path="")
    message = problem.message.removeprefix("Correct the snapshot: ")
    return BadRequest(
        problem.code, f"The board cannot be imported: {message} Change it in Trello, and export it again.", path=path
    )
