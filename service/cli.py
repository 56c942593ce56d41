"""The command line: `serve` (the default) and all other commands."""

from __future__ import annotations

import argparse
import gc
import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import VERSION, ready
from .runtime import os_errors

if TYPE_CHECKING:
    from . import config

START_ANEW = "make a secret if it is lost, and empty stored secrets of webhooks and tool servers that it cannot decrypt"
DESCRIPTION = "Tandem, a self-hosted work board on which people and AI agents work on the same cards."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; 2 for wrong usage or an invalid setting.

    Every expected failure is reported in one line on standard error, without a traceback.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if ready.is_ready(given):
        print("well    readiness\nno problems")
        return 0
    from . import config  # not earlier: it loads pydantic, which a health check does not need

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be text
    try:
        status = _run(given)
        if sys.stdout is not None:  # it may have been closed before the start
            sys.stdout.flush()
        return status
    except config.ConfigError as error:
        return _complain(2, str(error))
    except BrokenPipeError:  # what reads the output has ended, such as `head`
        os_errors.discard_output()
        return 1
    except OSError as error:
        os_errors.discard_output()
        return _complain(1, os_errors.describe(error))
    except KeyboardInterrupt:
        return 130


def _run(argv: list[str]) -> int:
    if hasattr(sys, "_MEIPASS"):
        from .runtime import single_executable

        single_executable.remove_left_folders()
    options = _parse_serve(argv) or _create_parser().parse_args(argv)
    return int(options.run(options))


def _complain(status: int, message: str) -> int:
    print("tandem:", " ".join(message.split()), file=sys.stderr)
    return status


def _parse_serve(arguments: list[str]) -> argparse.Namespace | None:
    """Return the options of `serve`, or None for any other command; saves loading all commands at each start."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config")
    parser.add_argument("--new-secret", action="store_true")
    parser.add_argument("command", nargs="?", choices=("serve",), default="serve")
    try:
        options, rest = parser.parse_known_args(arguments)
    except argparse.ArgumentError:
        return None
    options.run = _serve
    return None if rest else options


def _create_parser() -> argparse.ArgumentParser:
    from .clients import import_trello, stdio
    from .clients.connect import command as connect
    from .clients.demo import command as demo
    from .clients.transfer import command as transfer
    from .operations import commands as operations

    parser = argparse.ArgumentParser(prog="tandem", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"Tandem {VERSION}")
    parser.add_argument("--config", metavar="FILE", help="settings file (config.toml, else /etc/tandem/config.toml)")
    parser.set_defaults(run=_serve, new_secret=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_serve_parser(commands)
    routes = commands.add_parser(
        "routes", help="list the API routes", description="List every route with its policy and rate limit."
    )
    routes.set_defaults(run=_routes)
    operations.add_parsers(commands)
    stdio.add_parser(commands)
    connect.add_parser(commands)
    transfer.add_parsers(commands)
    import_trello.add_parser(commands)
    demo.add_parser(commands)
    return parser


def _add_serve_parser(commands: Any) -> None:
    serve = commands.add_parser("serve", help="run the service (the default)", description="Run the service.")
    serve.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help="settings file")
    serve.add_argument("--new-secret", action="store_true", help=START_ANEW)
    serve.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    from . import config

    gc.disable()  # imported modules are never freed, and collections would take a sixth of the start
    import uvloop

    from . import app
    from .database.damage import DatabaseOpenError  # imported here, so that client commands start faster
    from .operations import folder

    gc.enable()

    settings = config.load(options.config)
    folder.require_access(settings)
    folder.require_database_or_empty_folder(settings)  # before the first start generates a secret
    is_new_secret = _prepare_secret(settings, options.new_secret)
    settings = config.prepare(settings)
    try:
        with folder.lock_data_folder(settings.data_path):
            _report_secret(settings, is_new_secret, options.new_secret)
            uvloop.run(app.serve(settings))
    except DatabaseOpenError as error:
        raise config.ConfigError(str(error)) from None
    except app.ListenError as error:
        return _complain(1, str(error))
    return 0


def _prepare_secret(settings: config.Settings, is_new_one_wanted: bool) -> bool:
    """Refuse a secret that decrypts no stored one; return whether the start makes a new one beside a used database."""
    from . import config
    from .operations import secret

    if is_new_one_wanted:
        secret.remove_unusable_secrets(settings)
    else:
        secret.require_matching_secret(settings)
    is_missing = settings.jwt_secret is None and not (settings.data_path / config.CURRENT).exists()
    return is_missing and secret.is_database_used(settings)


def _report_secret(settings: config.Settings, is_new: bool, is_new_one_wanted: bool) -> None:
    """Say that a new secret was made, and empty the stored secrets that it cannot decrypt, if that is wanted."""
    from . import config
    from .operations import secret

    if is_new:
        _complain(0, f"{settings.data_path / config.CURRENT}: {secret.REPLACED}")
    if is_new_one_wanted and (count := secret.empty_lost_values(settings)):
        _complain(0, f"--new-secret: emptied the secrets of {count} webhooks and tool servers; set them again")


def _routes(options: argparse.Namespace) -> int:
    from . import resources
    from .pipeline import routing

    assert resources  # the import fills the route table
    rows = [("METHOD", "PATH", "SCHEME", "POLICY", "LIMIT")]
    rows += [_format_route(entry) for entry in sorted(routing.ROUTES, key=lambda entry: (entry.path, entry.method))]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)).rstrip())
    return 0


def _format_route(entry: Any) -> tuple[str, str, str, str, str]:
    limit = entry.limit
    limit_text = f"{limit.name} {limit.per_minute or 'as set'}/min per {limit.by}" if limit else "-"
    return entry.method, "/api/v1" + entry.path, entry.policy.scheme, str(entry.policy), limit_text
