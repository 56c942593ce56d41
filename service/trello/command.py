"""The command import-trello."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from service.client import ApiFailure, Client, api_root
from service.trello import export
from service.trello.board import Board, read_board
from service.trello.description import shorten
from service.trello.importing import ImportFailed, Importing, count_requests
from service.trello.summary import summarize

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

DEFAULT_URL = "http://127.0.0.1:8080"
DESCRIPTION = """\
Make a project of a Trello board's JSON export: lists become columns, cards keep their order, labels,
checklists, comments, due dates and links. The service must be running; the account needs the role
SolutionArchitect. The board in Trello is not touched."""
EXAMPLES = """\
examples:
  python run.py import-trello board.json --dry-run
  python run.py import-trello board.json --email admin@localhost
  SERVICE_PASSWORD=… python run.py import-trello board.json --email me@example.com --title "Website"

exit codes: 0 imported, 1 the service refused or is not reachable, 2 wrong usage or not a Trello export"""


class BadUsage(Exception):
    """The options do not suffice; the message says what to give."""


@dataclass(frozen=True)
class Account:
    """What to show the service: a token, or an e-mail address with its password."""

    token: str | None
    email: str
    password: str


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """Add the command to the program's command line."""
    parser = subparsers.add_parser(
        "import-trello",
        help="make a project of a Trello board's JSON export",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the board's JSON export")
    parser.add_argument("--url", help=f"address of the service (SERVICE_API_URL, else {DEFAULT_URL})")
    parser.add_argument("--email", help="e-mail address to log in with (SERVICE_EMAIL)")
    parser.add_argument("--password", help="its password (SERVICE_PASSWORD; asked for if missing)")
    parser.add_argument("--token", help="a token instead of e-mail and password (SERVICE_TOKEN)")
    parser.add_argument("--organization", metavar="ORG_ID", help="where to import (your current one)")
    parser.add_argument("--title", help="title of the project (the board's name)")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be taken over")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    """Import the board, print the summary and return the exit code."""
    try:
        board = read_board(export.read(args.file))
        title = shorten(" ".join((args.title or board.title).split()) or board.title)
        if args.dry_run:
            print(summarize(board, f"Board “{board.title}”, nothing written", "Would be taken over"))
            return 0
        project = asyncio.run(_import(board, title, _address(args), _account(args), args.organization))
    except (export.NotATrelloExport, BadUsage) as problem:
        return _complain(2, str(problem))
    except (ApiFailure, ImportFailed) as failure:
        return _complain(1, str(failure))
    except (KeyboardInterrupt, EOFError):
        return _complain(1, "Interrupted. Nothing was made.")
    print(summarize(board, f"Board “{board.title}” is now the project “{title}”", "Taken over"))
    print(f"\nProject id: {project}")
    return 0


def _address(args: argparse.Namespace) -> str:
    try:
        return api_root(args.url or os.environ.get("SERVICE_API_URL") or DEFAULT_URL)
    except ValueError as error:
        raise BadUsage(str(error)) from error


def _account(args: argparse.Namespace) -> Account:
    token = args.token or (None if args.email else os.environ.get("SERVICE_TOKEN"))
    if token:
        return Account(token, "", "")
    email = args.email or os.environ.get("SERVICE_EMAIL")
    if not email:
        raise BadUsage("Say who you are: give --email (and --password), or --token.")
    password = args.password or os.environ.get("SERVICE_PASSWORD")
    if not password and sys.stdin.isatty():
        password = getpass.getpass(f"Password of {email}: ")
    if not password:
        raise BadUsage("The password is missing: set SERVICE_PASSWORD or give --password.")
    return Account(None, email, password)


async def _import(board: Board, title: str, url: str, account: Account, organization: str | None) -> str:
    async with Client(url, token=account.token, organization=organization) as client:
        if not account.token:
            await client.log_in(account.email, account.password)
        target = organization or await _current_organization(client)
        from tqdm import tqdm  # type: ignore[import-untyped]  # a MB that only an import needs

        # disable=None: no bar where standard error is not a terminal.
        with tqdm(total=count_requests(board), desc="Importing", unit=" requests", disable=None) as bar:
            return await Importing(client, target, board, bar.update).write(title)


async def _current_organization(client: Client) -> str:
    organization = (await client.get("/auth/me")).get("orgId")
    if not organization:
        raise BadUsage("Your account has no current organization: name one with --organization.")
    return str(organization)


def _complain(code: int, message: str) -> int:
    print("import-trello:", " ".join(message.split()), file=sys.stderr)
    return code
