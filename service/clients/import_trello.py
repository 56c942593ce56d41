"""The command import-trello."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..trello import export
from ..trello.board import TrelloBoard, read_board
from ..trello.description import shorten
from ..trello.lists import UnknownList
from ..trello.summary import SummaryRow, TrelloSummary, render, summarize
from .account import Account, add_options, get_account, report_failure, sign_in
from .address import BadUsage
from .client import ApiFailure

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

NAME = "import-trello"
DESCRIPTION = """\
Import the JSON export of a Trello board as a new project: lists become columns, cards keep their order,
labels, custom fields, checklists, comments, dates and links. Lists that hold finished cards become done columns:
the command shows which these are and asks first, unless --done-list or --yes is given. The service must be running;
the account must be a Solution Architect. The board in Trello is not changed."""
HOW_TO_CHOOSE = "Give --yes to import it like this, or --done-list TITLE for each done list (empty: none)."
EXAMPLES = """\
examples:
  tandem import-trello board.json --dry-run
  tandem import-trello board.json --url http://127.0.0.1:8080 --email admin@localhost
  tandem import-trello board.json --email me@example.com --done-list Shipped --done-list Rejected
  SERVICE_PASSWORD=… tandem --config /etc/tandem/config.toml import-trello board.json --email me@example.com

exit codes: 0 imported; 1 refused or not reachable; 2 wrong usage or not a Trello export"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """Add the command to the program's command line."""
    parser = subparsers.add_parser(
        NAME,
        help="import a Trello board",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="JSON export of the board")
    add_options(parser, organization="where to import (default: your current one)")
    parser.add_argument("--title", help="title of the project (default: name of the board)")
    parser.add_argument(
        "--done-list",
        action="append",
        metavar="TITLE",
        help="list that becomes a done column; can be repeated; empty: none (default: lists named Done, Complete, "
        "Completed, Finished or Closed)",
    )
    parser.add_argument("--yes", action="store_true", help="import without asking about the done lists")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be imported")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Import the board, print the summary and return the exit code."""
    try:
        board = read_board(export.read(args.file), args.done_list)  # check the file before it is sent
        title = shorten(" ".join((args.title or board.title).split()) or board.title)
        if args.dry_run:
            print(render(summarize(board), f"Board “{board.title}”, nothing written", "Would be imported"))
            return 0
        account = get_account(args)
        if not (args.yes or args.done_list) and not _confirm_done_lists(board):
            return report_failure(NAME, 1, f"Nothing was imported. {HOW_TO_CHOOSE}")
        report = asyncio.run(_import(args.file, title, _done_titles(board), account))
    except (export.NotATrelloExport, UnknownList, BadUsage) as problem:
        return report_failure(NAME, 2, str(problem))
    except ApiFailure as failure:
        return report_failure(
            NAME, 1, f"{failure} Nothing was created." if 400 <= failure.status < 500 else str(failure)
        )
    except (KeyboardInterrupt, EOFError):
        return report_failure(NAME, 1, "Interrupted. Check in the service whether the project was created.")
    print(render(_to_summary(report), f"Board “{board.title}” is now the project “{title}”", "Imported"))
    print(f"\nProject id: {report['project']['id']}")
    return 0


def _done_titles(board: TrelloBoard) -> list[str]:
    """Return the titles of the done lists, an empty one if there is none."""
    return [card_list.title for card_list in board.lists if card_list.done] or [""]


def _confirm_done_lists(board: TrelloBoard) -> bool:
    """Show which open lists become done columns, and ask; raise BadUsage if nobody can be asked."""
    titles = [f"“{card_list.title}”" for card_list in board.open_lists if card_list.done]
    print("Done columns:", ", ".join(titles) or "none")
    print("Other columns:", ", ".join(f"“{row.title}”" for row in board.open_lists if not row.done) or "none")
    if not sys.stdin.isatty():
        raise BadUsage(f"Nobody can be asked here whether these lists are right. {HOW_TO_CHOOSE}")
    return input("Import the board like this? [y/N] ").strip().casefold() in ("y", "yes")


async def _import(file: Path, title: str, done_lists: list[str], account: Account) -> Any:
    async with sign_in(account) as (client, organization):
        headers = {"Content-Type": "application/json", "X-Organization-Id": organization}
        with file.open("rb") as content:
            query = urlencode({"title": title, "doneLists": done_lists}, doseq=True)
            return await client.send(f"/admin/import/trello?{query}", content, headers)


def _to_summary(report: Any) -> TrelloSummary:
    taken, left = ([SummaryRow(**row) for row in report[key]] for key in ("taken", "left"))
    return TrelloSummary(taken, left, report["remarks"])
