"""The commands export and import."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..account import Account, BadUsage, account_of, add_options, complain, signed_in
from ..client import ApiFailure
from . import exporting, importing, parts
from .parts import Contents
from .reading import NotASnapshot

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

EXPORT = """\
Write one organization into a file: boards, cards, history, comments, files, teams, agents, prompts, tool servers and
permissions, as of one moment, while work goes on. The account needs the role SolutionArchitect. A snapshot never holds
passwords, keys, tokens and other secrets, webhooks, requests, claims, events and personal settings. The file is there
once it is whole, and can be read by its owner only."""
IMPORT = """\
Bring an organization from such a file into a running service, however large it is: in parts, with progress. If it is
cut short, run it again: it goes on where it was. What is there already is brought to what the file says, and nothing is
taken away that the file does not know. The account owns the organization if it is new; else it must be a Solution
Architect of it.

People are found by id, else by e-mail among the members. In a new organization nobody is a member yet: invite them,
then import the file once more, and who was assigned, and who was in which team, comes back."""
EXAMPLES = """\
examples:
  tandem export home.json --email admin@localhost
  SERVICE_API_URL=https://other.example.com SERVICE_EMAIL=… SERVICE_PASSWORD=… tandem import home.json

exit codes: 0 done, 1 the service refused, is not reachable, or you interrupted, 2 wrong usage or no snapshot"""


def add_parsers(subparsers: Subparsers) -> None:
    """Add both commands to the program's command line."""
    made = {"formatter_class": argparse.RawDescriptionHelpFormatter, "epilog": EXAMPLES}
    sending: dict[str, Any] = {"description": EXPORT, "help": "write an organization into a file", **made}
    export = subparsers.add_parser("export", **sending)
    export.add_argument("file", metavar="FILE", type=Path, help="where to write; replaced once the new one is whole")
    add_options(export, organization="which one (your current one)")
    export.add_argument("--no-files", action="store_true", help="leave out the contents of files")
    export.set_defaults(run=run_export)
    taking: dict[str, Any] = {"description": IMPORT, "help": "bring an organization from a file", **made}
    imports = subparsers.add_parser("import", **taking)
    imports.add_argument("file", metavar="FILE", type=Path, help="what export has written")
    add_options(imports, organization="as a Solution Architect of which one (your current one)")
    imports.set_defaults(run=run_import)


def run_export(options: argparse.Namespace) -> int:
    """Export and return the exit code."""
    return _run("export", options, _export)


def run_import(options: argparse.Namespace) -> int:
    """Import and return the exit code."""
    return _run("import", options, _import)


def _run(name: str, options: argparse.Namespace, work: Any) -> int:
    try:
        return int(asyncio.run(work(options, account_of(options))))
    except BadUsage as problem:
        return complain(name, 2, str(problem))
    except NotASnapshot as problem:
        return complain(name, 2, f"{options.file} cannot be imported: {problem}")
    except ApiFailure as failure:
        return complain(name, 1, f"{failure} {_again(name, options.file)}")
    except (KeyboardInterrupt, EOFError):
        return complain(name, 1, f"Interrupted. {_again(name, options.file)}")
    except OSError as error:
        return complain(name, 2, f"{error.filename or options.file}: {error.strerror or error}")


def _again(name: str, file: Path) -> str:
    if name == "export":
        return f"{file} was not changed."
    return "Run it again: it goes on where it was." if parts.name_of(file).exists() else "Nothing of it came in."


async def _export(options: argparse.Namespace, account: Account) -> int:
    async with signed_in(account) as (client, organization):
        client.organization = organization
        with _bar("Exporting", None) as bar:
            size = await exporting.export(client, options.file, not options.no_files, bar.update)
    print(f"Exported {organization} to {options.file}: {size / 1e6:.1f} MB")
    return 0


async def _import(options: argparse.Namespace, account: Account) -> int:
    with options.file.open("rb") as source:
        found = parts.look_through(source)
    async with signed_in(account) as (client, _):
        with _bar("Importing", found.total) as bar:
            imported = await importing.take_in(client, options.file, found, bar.update)
    print(_summary(found, imported))
    return 0


def _bar(what: str, total: int | None) -> Any:
    from tqdm import tqdm  # type: ignore[import-untyped]  # a MB that only this needs

    # disable=None: no bar where standard error is not a terminal.
    return tqdm(total=total, desc=what, unit="B", unit_scale=True, disable=None)


def _summary(found: Contents, imported: Counter[str]) -> str:
    title = json.loads(found.single["organization"]).get("title", "")
    lines = [f"“{title}” is in:", *(f"  {count:>9,}  {name}" for name, count in imported.items() if count)]
    if found.users:
        lines.append("Who was assigned comes back for members: invite the people, then import the file once more.")
    return "\n".join(lines)
