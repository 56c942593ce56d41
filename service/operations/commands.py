"""The command line of what works on the data folder: backup, restore, rollback."""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import config
from . import account_commands

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

Run = Callable[[argparse.Namespace], int]
BACKUP = """\
Make a backup of the whole service in a new folder, beside the running service or without it: the database as it is
at one moment, the files that it names, and the secret that the service made for itself. Everything is named with its
SHA-256 in manifest.json. Writes go on meanwhile. Keep the folder as you keep the data: it holds all of it."""
BACKUP_EXAMPLES = """\
examples:
  tandem backup /var/backups/tandem/monday
  tandem backup --keep 14 /var/backups/tandem     a new folder in there; of all backups there the newest 14 stay
  tandem backup --verify /var/backups/tandem/monday

exit codes: 0 made, or whole; 1 damaged; 2 nothing was made, and why"""
RESTORE = """\
Bring a backup back into the data folder of the settings, after proving that it is whole. Nothing is ever overwritten:
there may be neither a database nor files. A backup of an older version is brought up to date by the next start."""
ROLLBACK = """\
Go back to the copy of the database that was made before the last migration, for when an update does not do. It first
says what was written since and is lost, and asks. The service must not run; afterwards start the version from before.
The database that is put aside is kept beside the new one."""


def add_command(subparsers: "Subparsers", name: str, run: Run, help: str, description: str, **more: Any) -> Any:
    """Add one command that reads the settings."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = subparsers.add_parser(name, help=help, description=description, formatter_class=formatter, **more)
    parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help="settings file")
    parser.set_defaults(run=partial(_told, run))
    return parser


def _told(run: Run, options: argparse.Namespace) -> int:
    """Run a command; what disk and database refuse is told in one line."""
    from ..database import copies, migrate

    try:
        return run(options)
    except (OSError, copies.Error, migrate.MigrationError) as error:
        raise config.ConfigError(str(error)) from error


def add_parsers(subparsers: "Subparsers") -> None:
    """Add the commands to the program's command line."""
    what = "back the service up, while it runs"
    backup = add_command(subparsers, "backup", _backup, what, BACKUP, epilog=BACKUP_EXAMPLES)
    backup.add_argument("folder", metavar="DIR", type=Path, help="a folder that is not there yet")
    backup.add_argument("--verify", action="store_true", help="make none: prove the backup DIR, or the newest in it")
    backup.add_argument("--keep", metavar="N", type=_positive, help="make it in a folder of DIR, and keep the newest N")
    restore = add_command(subparsers, "restore", _restore, "bring a backup back", RESTORE)
    restore.add_argument("folder", metavar="DIR", type=Path, help="the folder of the backup")
    rollback = add_command(subparsers, "rollback", _rollback, "go back to before the last migration", ROLLBACK)
    rollback.add_argument("--yes", action="store_true", help="do not ask")
    account_commands.add_parsers(subparsers, add_command)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("give a whole number from 1")
    return int(text)


def _backup(options: argparse.Namespace) -> int:
    from . import backup

    target = options.folder
    if options.verify:
        return _verify(target)
    settings = config.load(options.config)
    if options.keep:
        target, made = backup.make_in(settings, target, options.keep)
    else:
        made = backup.make(settings, target)
    size = sum(entry.size for entry in made.entries)
    print(f"Backed up {len(made.entries)} files, {size / 1e6:.1f} MB, schema {made.schema}, to {target}")
    for row in made.missing:
        print(f"  not in it: {row.name} ({row.reason})", file=sys.stderr)
    if not made.has_secret:
        print("Keep SERVICE_JWT_SECRET (jwt_secret) as well: it is not in the backup, and secrets open only with it.")
    return 0


def _verify(target: Path) -> int:
    from . import backup

    target = backup.newest(target)
    wrong = backup.judged(target)
    for message in wrong:
        print(f"  {message}", file=sys.stderr)
    print(f"{target}: {'damaged; do not rely on it' if wrong else 'whole'}")
    return 1 if wrong else 0


def _restore(options: argparse.Namespace) -> int:
    from . import restore

    settings = config.load(options.config)
    listed = restore.restore(settings, options.folder)
    print(f"Restored the backup of {listed.made_at} to {settings.data_path}; start the service.")
    for row in listed.missing:
        print(f"  was not in it: {row.name} ({row.reason})", file=sys.stderr)
    if not listed.has_secret:
        print("Set SERVICE_JWT_SECRET to what it was then: with another one kept secrets do not open.")
    return 0


def _rollback(options: argparse.Namespace) -> int:
    from . import folder, rollback

    settings = config.load(options.config)
    if not settings.data_path.is_dir():
        raise config.ConfigError(f"data_path: {settings.data_path} is not there")
    with folder.sole_user(settings.data_path):
        planned = rollback.plan(settings)
        print("\n".join(planned.told()))
        if not options.yes and not _agreed("Go back all the same?"):
            print("Nothing was changed.")
            return 1
        aside = rollback.carry_out(settings, planned)
    print(f"Done. The database from before is {aside}; start the version that has schema {planned.older}.")
    return 0


def _agreed(question: str) -> bool:
    try:
        return input(f"{question} Type yes: ").strip().lower() == "yes"
    except EOFError:
        return False
