"""The commands export and import."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import terminal
from ..account import Account, add_options, get_account, report_failure, sign_in
from ..address import BadUsage
from ..client import ApiFailure
from . import exporting, importing, parts
from .parts import SnapshotIndex
from .reading import NotASnapshot

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

INCOMPLETE_STATUS = 3  # exit status of an export that lacks the contents of files
FILES_NAMED_MAX = 20
EXPORT = """\
Export one organization to a file: boards, cards, history, comments, files, teams, agents, prompts, tool servers and
permissions, as of one moment, while work goes on. The account must be a Solution Architect. A snapshot contains no
passwords, API keys, tokens or other secrets, and no webhooks, move requests, claims, events or personal settings. The
file appears when it is complete, readable by its owner only."""
IMPORT = """\
Import an exported organization of any size into a running service, in parts and with progress. If it is interrupted,
run it again to continue. Existing rows are updated from the file; rows that the file does not contain stay. The account
becomes the owner of a new organization, and must be a Solution Architect of an existing one.

If an organization that exists has newer work than the file, the command says what the import would undo, and asks.

People are matched by id, else by e-mail among the members. A new organization has no other members yet: invite them,
then run the command with --people-only to restore assignees, teams and mentions, and nothing else."""
EXAMPLES = """\
examples:
  tandem --config /etc/tandem/config.toml export home.json --email admin@localhost
  tandem import --people-only home.json --email admin@localhost
  SERVICE_API_URL=https://other.example.com SERVICE_EMAIL=… SERVICE_PASSWORD=… tandem import home.json

exit codes: 0 done; 1 refused, not reachable, or interrupted; 2 wrong usage or not a snapshot; 3 exported, but the
service has lost the contents of some files"""


def add_parsers(subparsers: Subparsers) -> None:
    """Add both commands to the program's command line."""
    shared = {"formatter_class": argparse.RawDescriptionHelpFormatter, "epilog": EXAMPLES}
    export_options: dict[str, Any] = {"description": EXPORT, "help": "export an organization to a file", **shared}
    export = subparsers.add_parser("export", **export_options)
    export.add_argument("file", metavar="FILE", type=Path, help="file to write; replaced when the new one is complete")
    add_options(export, organization="organization to export (default: your current one)")
    export.add_argument("--no-files", action="store_true", help="leave out uploaded files")
    export.set_defaults(run=run_export)
    import_options: dict[str, Any] = {"description": IMPORT, "help": "import an organization from a file", **shared}
    imports = subparsers.add_parser("import", **import_options)
    imports.add_argument("file", metavar="FILE", type=Path, help="file written by export")
    add_options(imports, organization="sign in to this one (default: your current one)")
    imports.add_argument(
        "--people-only", action="store_true", help="only fill in assignees, teams and mentions that are empty"
    )
    imports.add_argument("--yes", action="store_true", help="overwrite newer work without asking")
    imports.set_defaults(run=run_import)


def run_export(options: argparse.Namespace) -> int:
    """Export and return the exit code."""
    return _run("export", options, _export)


def run_import(options: argparse.Namespace) -> int:
    """Import and return the exit code."""
    return _run("import", options, _import)


def _run(name: str, options: argparse.Namespace, work: Any) -> int:
    try:
        return int(asyncio.run(work(options, get_account(options))))
    except BadUsage as problem:
        return report_failure(name, 2, str(problem))
    except NotASnapshot as problem:
        return report_failure(name, 2, f"{options.file} cannot be imported: {problem}")
    except ApiFailure as failure:
        return report_failure(name, 1, f"{failure} {_advice(name, options.file)}")
    except (KeyboardInterrupt, EOFError):
        return report_failure(name, 1, f"Interrupted. {_advice(name, options.file)}")
    except BrokenPipeError:
        raise
    except OSError as error:
        return report_failure(name, 2, f"{error.filename or options.file}: {error.strerror or error}")


def _advice(name: str, file: Path) -> str:
    if name == "export":
        return f"{file} was not changed."
    return "Run it again to continue." if parts.progress_file(file).exists() else "Nothing was imported."


async def _export(options: argparse.Namespace, account: Account) -> int:
    async with sign_in(account) as (client, organization):
        client.organization = organization
        with _progress_bar("Exporting", None) as bar:
            size = await exporting.export(client, options.file, not options.no_files, bar.update)
    print(f"Exported {organization} to {options.file}: {size / 1e6:.1f} MB")
    return _report_missing_files(options.file)


def _report_missing_files(file: Path) -> int:
    """Print the files whose contents are lost, and return the exit status."""
    missing = exporting.list_missing_files(file)
    for row in missing[:FILES_NAMED_MAX]:
        print(f"  without contents: {row['name']} ({row['id']})", file=sys.stderr)
    if missing:
        files = "1 file" if len(missing) == 1 else f"{len(missing):,} files"
        print(
            f"The service has lost the contents of {files}. Solution Architects find them in Settings, Data.",
            file=sys.stderr,
        )
    return INCOMPLETE_STATUS if missing else 0


async def _import(options: argparse.Namespace, account: Account) -> int:
    with options.file.open("rb") as source:
        found = parts.index_snapshot(source)
    async with sign_in(account) as (client, _):
        work = importing.FileImport(client, options.file, found, options.people_only)
        if not (options.yes or options.people_only) and not await _confirm(work):
            return report_failure("import", 1, "Nothing was imported.")
        with _progress_bar("Importing", found.total) as bar:
            imported = await work.run(bar.update)
    print(_summary(found, imported, work.missing_people))
    return 0


async def _confirm(work: importing.FileImport) -> bool:
    """Ask if the import would undo newer work; raise BadUsage if nobody can answer."""
    with _progress_bar("Comparing", work.found.total) as bar:
        changes = await work.preview(bar.update)
    if not any(changes.values()):
        return True
    counts = "{changed} items were changed, {archived} archived and {removed} removed".format(**changes)
    text = f"Since the export, {counts}. The import would undo that."
    if not terminal.is_interactive():
        raise BadUsage(f"{text} Nothing was sent; give --yes to go on.")
    return terminal.confirm(f"{text} Import anyway?")


def _progress_bar(what: str, total: int | None) -> Any:
    from tqdm import tqdm  # type: ignore[import-untyped]  # takes 1 MB of memory that other commands do not need

    # disable=None: no bar where standard error is not a terminal.
    return tqdm(total=total, desc=what, unit="B", unit_scale=True, disable=None)


def _summary(found: SnapshotIndex, imported: Counter[str], missing_people: Collection[str]) -> str:
    title = json.loads(found.single["organization"]).get("title", "")
    lines = [f"Imported “{title}”:", *(f"  {count:>9,}  {name}" for name, count in imported.items() if count)]
    if missing_people:
        lines.append(f"No members: {', '.join(sorted(missing_people))}.")
        lines.append("Invite them, then restore assignees, teams and mentions: tandem import --people-only FILE")
    return "\n".join(lines)
