"""The command import-trello."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..trello import export
from ..trello.board import read_board
from ..trello.description import shorten
from ..trello.summary import SummaryRow, TrelloSummary, render, summarize
from .account import Account, add_options, get_account, report_failure, sign_in
from .address import BadUsage
from .client import ApiFailure

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

NAME = "import-trello"
DESCRIPTION = """\
Import the JSON export of a Trello board as a new project: lists become columns, cards keep their order,
labels, checklists, comments, due dates and links. The service must be running; the account must be a Solution
Architect. The board in Trello is not changed."""
EXAMPLES = """\
examples:
  python run.py import-trello board.json --dry-run
  python run.py import-trello board.json --url http://127.0.0.1:8080 --email admin@localhost
  SERVICE_PASSWORD=… python run.py --config /etc/tandem/config.toml import-trello board.json --email me@example.com

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
    parser.add_argument("--dry-run", action="store_true", help="only show what would be imported")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Import the board, print the summary and return the exit code."""
    try:
        board = read_board(export.read(args.file))  # check the file before it is sent
        title = shorten(" ".join((args.title or board.title).split()) or board.title)
        if args.dry_run:
            print(render(summarize(board), f"Board “{board.title}”, nothing written", "Would be imported"))
            return 0
        report = asyncio.run(_import(args.file, title, get_account(args)))
    except (export.NotATrelloExport, BadUsage) as problem:
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


async def _import(file: Path, title: str, account: Account) -> Any:
    async with sign_in(account) as (client, organization):
        headers = {"Content-Type": "application/json", "X-Organization-Id": organization}
        with file.open("rb") as content:
            return await client.send(f"/admin/import/trello?{urlencode({'title': title})}", content, headers)


def _to_summary(report: Any) -> TrelloSummary:
    taken, left = ([SummaryRow(**row) for row in report[key]] for key in ("taken", "left"))
    return TrelloSummary(taken, left, report["remarks"])
