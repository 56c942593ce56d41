"""Check of the Host header, which stops DNS rebinding.

A foreign web page can resolve its own host name to the address of the service. The browser then lets the page read the
responses, and its requests come from the machine of the browser, but they still name the host of the page.
"""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from aiohttp import web

from ..config import Settings
from ..errors import Misdirected

LOCAL_HOSTS = {"localhost", "127.0.0.1", "::1"}


def require_known_host(request: web.Request, settings: Settings) -> None:
    """Raise Misdirected unless the request names a local host, that of `host` or `public_url`, or any IP address.

    An IP address is accepted, because DNS rebinding needs a host name.
    """
    name, public = split_host(request.headers.get("Host", "")).hostname, split_address(settings.public_url or "")
    if not (name and name in LOCAL_HOSTS | {settings.host, public.hostname}) and not _is_address(name):
        message = "The service does not know that host name; set public_url to the address that clients use."
        raise Misdirected(None, message)


def split_host(host: str) -> SplitResult:
    """Return the parts of a Host header; empty ones if it is malformed."""
    return split_address(f"//{host}")


def split_address(address: str) -> SplitResult:
    """Return the parts of an address; empty ones if it is malformed."""
    try:
        return urlsplit(address)
    except ValueError:  # an unclosed bracket
        return urlsplit("")


def _is_address(name: str | None) -> bool:
    try:
        return bool(name and ipaddress.ip_address(name))
    except ValueError:
        return False
