"""HTTP requests to URLs that users chose, with protection against SSRF.

Addresses are checked when the socket is created, so the check applies to IP addresses in any notation and to names
alike, and a DNS answer cannot change after it.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from ..tracebacks import drop_tracebacks
from .lookups import Lookup, Lookups, look_up

REQUEST_TIMEOUT_SECONDS = 10.0  # in total, including the DNS lookup
UNICAST = IPv6Network("2000::/3")  # global unicast
TUNNELS = IPv6Network("2001::/23"), IPv6Network("2002::/16")  # these addresses contain an IPv4 address
TRANSLATED = IPv6Network("64:ff9b::/96")  # NAT64, which networks without IPv4 need; also contains an IPv4 address
# Metadata services of cloud providers outside of the private networks.
METADATA = IPv4Network("192.0.0.0/24"), IPv4Network("168.63.129.16/32")
log = logging.getLogger("service")
_organization: ContextVar[str] = ContextVar("organization", default="")  # of the current request


class AddressDenied(OSError):
    """An address to which the service sends no requests."""


@dataclass(frozen=True)
class Reply:
    """The result of a request: the HTTP status, if there was a response, and the error, if it failed."""

    status: int | None = None
    error: str | None = None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether an address is on the public internet."""
    if isinstance(address, IPv6Address):
        inside = IPv4Address(int(address) & 0xFFFFFFFF) if address in TRANSLATED else address.ipv4_mapped
        if inside is None:
            return address in UNICAST and address.is_global and not any(address in tunnel for tunnel in TUNNELS)
        address = inside
    return address.is_global and not address.is_multicast and not any(address in network for network in METADATA)


def check_url(url: str) -> str:
    """Return the URL if requests may be sent to it; raise ValueError with the reason otherwise."""
    try:
        parts = URL(url)
    except ValueError:
        raise ValueError("must be an absolute http or https address") from None
    if parts.scheme not in ("http", "https") or not parts.host or not url.isprintable() or " " in url:
        raise ValueError("must be an absolute http or https address")
    if parts.user is not None or parts.password is not None or "#" in url:
        raise ValueError("may have neither credentials nor a fragment")
    if _is_number(_host(url)):
        raise ValueError("must have its IPv4 address as four decimal numbers")
    return url


def _host(url: str) -> str:
    return (URL(url).raw_host or "").rstrip(".").lower()


def _is_number(host: str) -> bool:
    """Return whether a host is an IPv4 address in an old notation such as 0x7f.1 or 2130706433."""
    with contextlib.suppress(ValueError):
        ip_address(host)
        return False
    with contextlib.suppress(OSError):
        socket.inet_aton(host)
        return True
    return False


def is_private_host(url: str) -> bool:
    """Return whether the host of a URL is private, without a DNS lookup."""
    host = _host(url)
    with contextlib.suppress(ValueError):
        return not is_public(ip_address(host))
    return host == "localhost" or host.endswith(".localhost")


class Outbound:
    """Sends requests, each on a new connection, and reads only the status of the response."""

    def __init__(
        self, allow_private: bool, look_up: Lookup = look_up, timeout_seconds: float = REQUEST_TIMEOUT_SECONDS
    ) -> None:
        self.allow_private = allow_private
        self.timeout_seconds = timeout_seconds
        self._lookups = Lookups(look_up)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], org_id: str = "") -> Reply:
        """Send a body on behalf of an organization, and return the result; redirects are not followed."""
        _organization.set(org_id)
        self._session = self._session or self._create_session()
        options: dict[str, Any] = {"data": body, "headers": headers, "allow_redirects": False}
        try:
            async with asyncio.timeout(self.timeout_seconds), self._session.post(URL(url), **options) as response:
                return Reply(response.status, _get_status_error(response.status))
        except Exception as error:
            reason = self._describe_error(error)
            drop_tracebacks(error)
            return Reply(error=reason)

    def _create_session(self) -> aiohttp.ClientSession:
        # No connection limit: requests that hang must not block others.
        connector = aiohttp.TCPConnector(
            limit=0,
            force_close=True,
            resolver=_Resolver(self._lookups),
            use_dns_cache=False,  # with it, an organization would wait for the lookups of another
            socket_factory=self._create_socket,
        )
        jar, timeout = aiohttp.DummyCookieJar(), aiohttp.ClientTimeout(total=None)
        return aiohttp.ClientSession(connector=connector, cookie_jar=jar, timeout=timeout, trust_env=False)

    def _create_socket(self, target: Any) -> socket.socket:
        """Create the socket for an address; raise AddressDenied if the address is not public."""
        family, kind, protocol, _, (host, *_) = target
        if not self.allow_private and not is_public(ip_address(host.partition("%")[0])):
            raise AddressDenied
        return socket.socket(family, kind, protocol)

    def _describe_error(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"no answer within {self.timeout_seconds:g} seconds"
        # The same message for unknown names and private hosts, so that it cannot be used to map the network.
        if isinstance(error, aiohttp.ClientConnectorDNSError) or _is_denied(error):
            return "the host has no public address"
        if isinstance(error, aiohttp.ClientSSLError):
            return "no secure connection: the certificate or the TLS version was not accepted"
        if isinstance(error, aiohttp.ClientConnectorError):
            return "no connection to the host"
        if isinstance(error, aiohttp.ClientError):
            return "the connection broke, or the answer was not valid HTTP"
        log.error("a request to a webhook failed unexpectedly", exc_info=error)
        return "the request could not be sent"

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()


def _is_denied(error: Exception) -> bool:
    return isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, AddressDenied)


def _get_status_error(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    return f"the receiver answered {status}" + (", and redirects are not followed" if 300 <= status < 400 else "")


class _Resolver(AbstractResolver):
    """Resolves names within the limits of the organization that sends the request."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a host; raise OSError if there are none."""
        return [
            _create_result(host, port, found)
            for found in await self._lookups.get_addresses(_organization.get(), host, port)
        ]

    async def close(self) -> None:
        """Do nothing: running lookups end by themselves, and their results are ignored."""


def _create_result(host: str, port: int, found: Any) -> ResolveResult:
    family, _, _, _, (address, *_) = found
    flags = socket.AI_NUMERICHOST
    return {"hostname": host, "host": address, "port": port, "family": family, "proto": 0, "flags": flags}
