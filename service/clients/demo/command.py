"""The command agent-demo."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..account import add_options, get_account, report_failure
from ..address import BadUsage
from ..client import ApiFailure
from .board import CARDS_MAX
from .play import DemoFailed, DemoLimits, play

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

NAME = "agent-demo"
DESCRIPTION = """\
Watch three simulated agents work on a new board: they claim cards, comment, move them and ask for approval. Your
account approves, except for the last request, which is left to you. The service must be running; the account must
be a Solution Architect. The project "Agent demo" stays; its API keys, agents and team are removed at the end.
Nothing else in the organization is changed."""
EXAMPLES = """\
examples:
  tandem agent-demo --url http://127.0.0.1:8080 --email admin@localhost
  SERVICE_API_URL=… SERVICE_PASSWORD=… tandem agent-demo --email admin@localhost --cards 3 --pause 1

exit codes: 0 finished, or time is up; 1 refused, not reachable, or interrupted; 2 wrong usage"""


def add_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """Add the command to the program's command line."""
    parser = subparsers.add_parser(
        NAME,
        help="watch three simulated agents work on a board",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser, organization="where to create the board (default: your current one)")
    _add_bound(parser, "--cards", int, (1, CARDS_MAX), 8, "number of cards")
    _add_bound(parser, "--seconds", float, (0, 600), 60, "time limit in seconds")
    _add_bound(parser, "--pause", float, (0, 5), 0.3, "pause after each step, in seconds")
    parser.set_defaults(run=run)
    return parser


def _add_bound(
    parser: argparse.ArgumentParser,
    name: str,
    kind: type[int] | type[float],
    bounds: tuple[int, int],
    default: float,
    meaning: str,
) -> None:
    minimum, maximum = bounds
    help_text = f"{meaning} ({minimum} to {maximum}, default {default})"
    parser.add_argument(name, metavar="N", type=_within(kind, minimum, maximum), default=default, help=help_text)


def _within(kind: type[int] | type[float], minimum: int, maximum: int) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = maximum + 1
        if not minimum <= number <= maximum:
            raise argparse.ArgumentTypeError(f"give a number from {minimum} to {maximum}")
        return number

    return read


def run(args: argparse.Namespace) -> int:
    """Play the demo, saying each step, and return the exit code."""
    try:
        asyncio.run(play(get_account(args), DemoLimits(args.cards, args.seconds, args.pause)))
    except BadUsage as problem:
        return report_failure(NAME, 2, str(problem))
    except (ApiFailure, DemoFailed) as failure:
        return report_failure(NAME, 1, str(failure))
    except (KeyboardInterrupt, asyncio.CancelledError, EOFError):
        return report_failure(NAME, 1, "Interrupted. The output above shows what was created.")
    except BrokenPipeError:
        report_failure(NAME, 1, "Stopped, because its output was closed.")
        raise
    return 0
