"""Address of the service for the commands that call it: options, environment, or the settings of the service."""

from __future__ import annotations

import argparse
import ipaddress
import os

from .. import config
from .client import api_root

MISSING = "The address of the service is missing: give --url (SERVICE_API_URL), or its settings file with --config."
_OF_ADDRESS = {"SERVICE_HOST", "SERVICE_PORT"}


class BadUsage(Exception):
    """The options are incomplete or invalid; the message says what to specify."""


def add_address_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the service is."""
    parser.add_argument("--url", help="address of the service (SERVICE_API_URL; default: that of its settings)")
    parser.add_argument("--config", metavar="FILE", default=argparse.SUPPRESS, help="settings file of the service")


def find_address(options: argparse.Namespace) -> str:
    """Return the root of the API; raise BadUsage if no option, variable or settings file names an address."""
    try:
        return api_root(options.url or os.environ.get("SERVICE_API_URL") or _address_of_settings(options))
    except ValueError as error:
        raise BadUsage(str(error)) from None


def _address_of_settings(options: argparse.Namespace) -> str:
    named = getattr(options, "config", None) or os.environ.get("SERVICE_CONFIG")
    found = None if named else config.find_unnamed_file()
    if not (named or found or _OF_ADDRESS & os.environ.keys()):
        raise BadUsage(MISSING)
    try:
        settings = config.load(named)
    except config.ConfigError as error:
        raise BadUsage(f"{MISSING} ({error})") from None
    # A file that nobody named, such as one of a foreign checkout, must not send a password or a key to another machine.
    host = settings.local_host
    if found and not os.environ.keys() >= _OF_ADDRESS and not _is_loopback(host):
        raise BadUsage(f"{MISSING} ({found} was not named, and its address {host} is not of this machine.)")
    if not settings.port:
        raise BadUsage(f"{MISSING} (With port 0 the service chooses a free one at each start.)")
    return config.format_address(host, settings.port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
