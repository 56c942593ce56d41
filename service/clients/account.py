"""Sign-in options of commands, and the client that is signed in with them."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from .address import BadUsage, add_address_options, find_address
from .client import Client


@dataclass(frozen=True)
class Account:
    """The credentials of a command: a token, or an e-mail address and a password."""

    url: str
    organization: str | None
    token: str | None
    email: str = ""
    password: str = ""


def add_options(parser: argparse.ArgumentParser, organization: str) -> None:
    """Add the options to sign in with; `organization` is the help of --organization."""
    add_address_options(parser)
    parser.add_argument("--email", help="e-mail address to sign in with (SERVICE_EMAIL)")
    parser.add_argument("--password", help="password (SERVICE_PASSWORD; default: ask)")
    parser.add_argument("--token", help="token, instead of e-mail and password (SERVICE_TOKEN)")
    parser.add_argument("--organization", metavar="ORG_ID", help=organization)


def get_account(args: argparse.Namespace) -> Account:
    """Return the credentials from the options and the environment, or prompt for the password; raise BadUsage."""
    url = find_address(args)
    token = args.token or (None if args.email else os.environ.get("SERVICE_TOKEN"))
    if token:
        return Account(url, args.organization, token)
    email = args.email or os.environ.get("SERVICE_EMAIL")
    if not email:
        raise BadUsage("Say who you are: give --email (and --password), or --token.")
    return Account(url, args.organization, None, email, _password(args, email))


def _password(args: argparse.Namespace, email: str) -> str:
    password: str | None = args.password or os.environ.get("SERVICE_PASSWORD")
    if not password and sys.stdin.isatty():
        password = getpass.getpass(f"Password of {email}: ")
    if not password:
        raise BadUsage("The password is missing: set SERVICE_PASSWORD or give --password.")
    return password


@asynccontextmanager
async def sign_in(account: Account) -> AsyncIterator[tuple[Client, str]]:
    """Yield a signed-in client and its organization; raise ApiFailure, or BadUsage if there is no organization."""
    async with Client(account.url, token=account.token, organization=account.organization) as client:
        if not account.token:
            await client.log_in(account.email, account.password)
        try:
            yield client, account.organization or await _current_organization(client)
        finally:
            if not account.token:
                await client.log_out()


async def _current_organization(client: Client) -> str:
    organization = (await client.get("/auth/me")).get("orgId")
    if not organization:
        raise BadUsage("Your account has no current organization: name one with --organization.")
    return str(organization)


def report_failure(command: str, code: int, message: str) -> int:
    """Print in one line on standard error why a command failed, and return its exit code."""
    print(f"{command}:", " ".join(message.split()), file=sys.stderr)
    return code
