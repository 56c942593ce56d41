"""The command line of the installation: init, doctor, reset-password, create-admin, rotate-secret."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import config, terminal
from ..schemas import Email, Password

INIT = """\
Write a settings file. Asks one question per setting; press Enter for the default. Settings that are not asked for keep
their defaults; config.example.toml lists all of them."""
DOCTOR = """\
Check an installation: settings, folders, database, file contents, search index, clock, secret, disk, quota, port,
proxy, age of copies, file system and open files. Changes nothing, may run while the service runs, and says for each
finding what to do. With
--ready it only asks the running service whether it is ready, for health checks of containers.

exit codes: 0 no problems, or only notes; 1 a problem that loses data or refuses requests; 2 unreadable settings"""
RESET = """\
Set a new password for an account. It is generated and printed once, unless you provide it. All sessions of that person
end within seconds. May run while the service runs."""
ADMIN = """\
Make an account Solution Architect of an organization; with several organizations, name one. A new account gets a
password, which is printed once; an existing account keeps its password. May run while the service runs."""
ROTATE = """\
Replace the secret that signs sessions and encrypts stored secrets. After the next start everybody signs in again, and
stored secrets are encrypted with the new one. If the secret is a setting, this prints the two lines to set; if the
service generated it, it is replaced in the data folder, after a question."""
SIGN_IN_AGAIN = "After the next start everybody must sign in again, and programs with a token need a new one."


def add_parsers(subparsers: Any, add_command: Callable[..., Any]) -> None:
    """Add the commands to the program's command line."""
    init = add_command(subparsers, "init", _init, "write a settings file", INIT)
    init.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        default=Path("config.toml"),
        help="file to write (default: config.toml)",
    )
    init.add_argument("--data-path", metavar="DIR", help="data folder (default: data)")
    init.add_argument("--yes", action="store_true", help="ask nothing, use the defaults")
    doctor = add_command(subparsers, "doctor", _doctor, "check an installation", DOCTOR)
    doctor.add_argument(
        "--rebuild-search", action="store_true", help="rebuild the search index first; stop the service before"
    )
    doctor.add_argument("--ready", action="store_true", help="only ask the running service whether it is ready")
    reset = add_command(subparsers, "reset-password", _reset, "set a new password for an account", RESET)
    admin = add_command(subparsers, "create-admin", _admin, "make an account Solution Architect", ADMIN)
    for parser in (reset, admin):
        parser.add_argument("email", metavar="EMAIL", help="e-mail address of the account")
        parser.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
    admin.add_argument("--organization", metavar="ORG_ID", help="id of the organization, if there are several")
    rotate = add_command(subparsers, "rotate-secret", _rotate, "replace the secret of the installation", ROTATE)
    rotate.add_argument("--yes", action="store_true", help="do not ask")


def _init(options: argparse.Namespace) -> int:
    from . import init_config

    answers = init_config.create_config(
        options.file, (lambda text, default: default) if options.yes else _prompt, options.data_path
    )
    print(f"Wrote {options.file}. Start the service: tandem serve" + _config_option(options.file))
    if answers["public_url"]:
        print("Put the proxy in front: deploy/ has examples for Caddy and nginx.")
    return 0


def _config_option(file: Path) -> str:
    return "" if file == Path("config.toml") else f" --config {file}"


def _prompt(text: str, default: str) -> str:
    try:
        return input(f"{text} [{default}]: ")
    except EOFError:
        raise config.ConfigError("the answers ended early; nothing was written (--yes takes the defaults)") from None


def _doctor(options: argparse.Namespace) -> int:
    from . import doctor

    settings = config.load(options.config)
    if options.rebuild_search:
        doctor.rebuild_search(settings)
        print("The search index was rebuilt.")
    found = list(doctor.run_checks(settings, (doctor.check_readiness,) if options.ready else ()))
    for finding in found:
        print(f"{finding.level:<8}{finding.check.replace('_', ' ')}{': ' if finding.text else ''}{finding.text}")
        if finding.advice:
            print(f"{'':<8}→ {finding.advice}")
    problems = sum(finding.level == doctor.PROBLEM for finding in found)
    print(f"{problems or 'no'} problem{'s' if problems != 1 else ''}")
    return 1 if problems else 0


def _reset(options: argparse.Namespace) -> int:
    from . import accounts

    account = accounts.reset_password(config.load(options.config), options.email, _read_password(options))
    print(f"{account.email} has a new password; earlier sign-ins end within seconds.")
    return _print_password(account.password)


def _admin(options: argparse.Namespace) -> int:
    from . import accounts

    email = str(_validate(Email, options.email, "EMAIL: give an e-mail address like ada@example.com"))
    account = accounts.create_admin(config.load(options.config), email, options.organization, _read_password(options))
    print(f"{account.email} is Solution Architect of “{account.organization}”.")
    return _print_password(account.password)


def _print_password(password: str | None) -> int:
    if password:
        print(f"Password (shown this once): {password}")
    return 0


def _read_password(options: argparse.Namespace) -> str | None:
    """Return the password from standard input, or None without --password-stdin."""
    if not options.password_stdin:
        return None
    return str(_validate(Password, _read_line(), "standard input: give a password of 8 to 72 bytes in one line"))


def _read_line() -> str:
    try:
        return sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError:
        raise config.ConfigError("standard input: the password is not text in UTF-8") from None


def _validate(kind: Any, value: str, advice: str) -> Any:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        raise config.ConfigError(advice) from None


def _rotate(options: argparse.Namespace) -> int:
    from . import secret

    settings = config.load(options.config)
    if settings.jwt_secret is None and not options.yes:
        secret.require_rotatable(settings)
        if not terminal.is_interactive():
            raise config.ConfigError(f"rotate-secret: {SIGN_IN_AGAIN} Nothing was changed; give --yes to go on.")
        if not terminal.confirm(f"{SIGN_IN_AGAIN} Replace the secret?"):
            print("Nothing was changed.")
            return 1
    lines = secret.rotate_secret(settings)
    print("\n".join(lines) if lines else "The secret was replaced.")
    advice = " with these two settings; remove the second one after that start." if lines else "."
    print(f"Restart the service{advice}", file=sys.stderr)
    return 0
