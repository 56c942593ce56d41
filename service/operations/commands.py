"""Command line of backup, restore and rollback."""

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import config, terminal
from ..runtime import copy_ages, os_errors
from . import account_commands

if TYPE_CHECKING:
    from .manifest import Manifest

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

INCOMPLETE_STATUS = 3  # exit status: the backup is whole, but the contents of some files were lost before
Run = Callable[[argparse.Namespace], int]
BACKUP = """\
Back up the whole service to a new folder: the database as of one moment, its files, and the generated secret.
manifest.json lists everything with its SHA-256. The service may be running; writes continue meanwhile. Protect the
backup like the data itself: it contains everything."""
BACKUP_EXAMPLES = """\
examples:
  tandem backup /var/backups/tandem/monday
  tandem backup --keep 14 /var/backups/tandem     creates a new folder there and keeps the newest 14 backups
  tandem backup --keep 14 --verify /var/backups/tandem     verifies it, too
  tandem backup --verify /var/backups/tandem/monday

exit codes: 0 created, or whole; 1 damaged; 2 nothing was created, with the reason; 3 created, or whole, but without the
contents of some files, which were lost or damaged before"""
RESTORE = """\
Verify a backup and restore it into the data folder of the settings. Nothing is overwritten: the folder must contain
neither a database nor files. A backup of an older version is migrated at the next start."""
ROLLBACK = """\
Go back to the copy of the database from before the last migration, if an update does not work for you. Lists what
was written since and would be lost, and asks. Stop the service first, and start the previous version afterwards. The
current database is kept beside the restored one."""


def add_command(subparsers: "Subparsers", name: str, run: Run, help: str, description: str, **options: Any) -> Any:
    """Add one command that reads the settings."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = subparsers.add_parser(name, help=help, description=description, formatter_class=formatter, **options)
    parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help="settings file")
    parser.set_defaults(run=partial(_report_errors, run, name))
    return parser


def _report_errors(run: Run, name: str, options: argparse.Namespace) -> int:
    """Run a command; report errors of the disk and the database in one line."""
    from ..database import copies, migrate

    try:
        return run(options)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise config.ConfigError(os_errors.describe(error)) from error
    except (copies.Error, migrate.MigrationError) as error:
        raise config.ConfigError(str(error)) from error
    finally:
        if os.geteuid() == 0 and name != "doctor":  # which changes nothing
            _give_to_owner(options)


def _give_to_owner(options: argparse.Namespace) -> None:
    """Give what the command has left as root to the user that runs the service."""
    from . import folder

    with contextlib.suppress(config.ConfigError, OSError):  # the command has told its own problem
        folder.give_to_owner(config.load(options.config))


def add_parsers(subparsers: "Subparsers") -> None:
    """Add the commands to the program's command line."""
    what = "back up the whole service, while it runs"
    backup = add_command(subparsers, "backup", _backup, what, BACKUP, epilog=BACKUP_EXAMPLES)
    backup.add_argument("folder", metavar="DIR", type=Path, help="a new folder")
    backup.add_argument(
        "--verify", action="store_true", help="verify the backup DIR, or the newest one in it; with --keep, the new one"
    )
    backup.add_argument(
        "--keep", metavar="N", type=_positive, help="create it in a new folder in DIR and keep the newest N"
    )
    restore = add_command(subparsers, "restore", _restore, "restore a backup", RESTORE)
    restore.add_argument(
        "folder", metavar="DIR", type=Path, help="the backup, or a folder of nightly backups: its newest"
    )
    rollback = add_command(subparsers, "rollback", _rollback, "go back to before the last migration", ROLLBACK)
    rollback.add_argument("--yes", action="store_true", help="do not ask")
    account_commands.add_parsers(subparsers, add_command)


def _positive(text: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError("give a whole number from 1 to 999999")
    return int(text)


def _backup(options: argparse.Namespace) -> int:
    from . import backup

    if options.verify and not options.keep:
        return _verify(options, options.folder)
    settings = config.load(options.config)
    if options.keep:
        target, created = backup.create_in_folder(settings, options.folder, options.keep)
    else:
        target, created = options.folder, backup.create_backup(settings, options.folder)
    _report(settings, target, created)
    return _verify(options, target) if options.verify else INCOMPLETE_STATUS if created.lost else 0


def _report(settings: config.Settings, target: Path, created: "Manifest") -> None:
    """Print what was backed up and what is missing, and record the backup."""
    size = sum(entry.size for entry in created.entries)
    print(f"Backed up {len(created.entries)} files, {size / 1e6:.1f} MB, schema {created.schema}, to {target}")
    _record(settings, target, created)
    for row in created.missing:
        print(f"  not in the backup: {row.name} ({row.reason})", file=sys.stderr)
    if created.lost:
        print(
            f"The contents of {count_files(created)} are lost. Solution Architects find them in Settings, Data.",
            file=sys.stderr,
        )
    if not created.has_secret:
        print(
            "Save SERVICE_JWT_SECRET (jwt_secret) too: it is not in the backup, and is needed to decrypt its secrets."
        )


def count_files(listed: "Manifest") -> str:
    """Return how many files have lost contents, with the noun."""
    return "1 file" if len(listed.lost) == 1 else f"{len(listed.lost):,} files"


def _record(settings: config.Settings, target: Path, created: "Manifest") -> None:
    """Record the backup for the service and `doctor`; it is complete without that, too."""
    from . import manifest

    try:
        lost = [(row.name.partition("/")[2], row.reason == manifest.DAMAGED) for row in created.lost]
        copy_ages.record_backup(settings.data_path, target, lost)
    except OSError as error:
        print(f"  not recorded for the service and doctor: {os_errors.describe(error)}", file=sys.stderr)


def _verify(options: argparse.Namespace, target: Path) -> int:
    from . import backup, manifest

    target = backup.find_newest(target)
    found_problems, listed = backup.verify_backup(target), manifest.read_manifest(target)
    for message in found_problems:
        print(f"  {message}", file=sys.stderr)
    whole = f"whole, but without {count_files(listed)}" if listed.lost else "whole"
    print(f"{target}: {'damaged; do not rely on it' if found_problems else whole}")
    # Also without the settings of a service: a backup can be verified on any machine.
    with contextlib.suppress(config.ConfigError, OSError):
        copy_ages.record_verification(config.load(options.config).data_path, target, not found_problems)
    return 1 if found_problems else INCOMPLETE_STATUS if listed.lost else 0


def _restore(options: argparse.Namespace) -> int:
    from . import backup, restore

    settings = config.load(options.config)
    listed = restore.restore(settings, backup.find_newest(options.folder))
    print(f"Restored the backup of {listed.created_at} to {settings.data_path}; start the service.")
    for row in listed.missing:
        print(f"  was not in the backup: {row.name} ({row.reason})", file=sys.stderr)
    if not listed.has_secret:
        print("Set SERVICE_JWT_SECRET to its value at the time of the backup, which is needed to decrypt its secrets.")
    return 0


def _rollback(options: argparse.Namespace) -> int:
    from . import folder, rollback

    settings = config.load(options.config)
    if not settings.data_path.is_dir():
        raise config.ConfigError(f"data_path: {settings.data_path} does not exist")
    with folder.lock_data_folder(settings.data_path):
        planned = rollback.plan_rollback(settings)
        print("\n".join(planned.describe()))
        if not options.yes and not terminal.confirm("Go back anyway?"):
            print("Nothing was changed.")
            return 1
        aside = rollback.apply(settings, planned)
    print(f"Done. The database from before is {aside}; start the version that has schema {planned.older}.")
    return 0
