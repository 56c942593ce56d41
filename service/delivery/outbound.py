"""Requests to addresses that users chose: never into the network the service stands in (contract, section 6).

The guard sits where a socket is made for an address that is about to be connected to. So it makes no difference
how the address came about: written out, in whatever notation, or as an answer of the name server.
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

REQUEST_TIMEOUT_SECONDS = 10.0  # in all
UNICAST = IPv6Network("2000::/3")  # what is assigned of IPv6
TUNNELS = IPv6Network("2001::/23"), IPv6Network("2002::/16")  # they lead to an IPv4 address inside
TRANSLATED = IPv6Network("64:ff9b::/96")  # so do these, and networks without IPv4 need them
# Where clouds have services of their own that tell secrets, beside the private networks.
METADATA = IPv4Network("192.0.0.0/24"), IPv4Network("168.63.129.16/32")
log = logging.getLogger("service")
_organization: ContextVar[str] = ContextVar("organization", default="")  # whose request is being sent


class AddressDenied(OSError):
    """An address that no request may go to."""


@dataclass(frozen=True)
class Reply:
    """What came of a request: a status, if there was an answer, and what was wrong, if it was no success."""

    status: int | None = None
    error: str | None = None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address is one of the open internet."""
    if isinstance(address, IPv6Address):
        inside = IPv4Address(int(address) & 0xFFFFFFFF) if address in TRANSLATED else address.ipv4_mapped
        if inside is None:
            return address in UNICAST and address.is_global and not any(address in tunnel for tunnel in TUNNELS)
        address = inside
    return address.is_global and not address.is_multicast and not any(address in one for one in METADATA)


def checked(url: str) -> str:
    """Check the shape of an address that requests will go to; raise ValueError with what is wrong."""
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
    """Tell whether a host is an IPv4 address in one of the old notations, as 0x7f.1 or 2130706433."""
    with contextlib.suppress(ValueError):
        ip_address(host)
        return False
    with contextlib.suppress(OSError):
        socket.inet_aton(host)
        return True
    return False


def names_private(url: str) -> bool:
    """Tell whether an address itself, without asking a name server, is one that no request may go to."""
    host = _host(url)
    with contextlib.suppress(ValueError):
        return not is_public(ip_address(host))
    return host == "localhost" or host.endswith(".localhost")


class Outbound:
    """Sends requests, each on a connection of its own, and never reads what comes after the status."""

    def __init__(
        self, allow_private: bool, look_up: Lookup = look_up, patience: float = REQUEST_TIMEOUT_SECONDS
    ) -> None:
        self.allow_private = allow_private
        self.patience = patience
        self._lookups = Lookups(look_up)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], org_id: str = "") -> Reply:
        """Send a body for an organization and return what came of it; redirects are not followed."""
        _organization.set(org_id)
        self._session = self._session or self._opened()
        options: dict[str, Any] = {"data": body, "headers": headers, "allow_redirects": False}
        try:
            async with asyncio.timeout(self.patience), self._session.post(URL(url), **options) as response:
                return Reply(response.status, _wrong_with(response.status))
        except Exception as error:
            reason = self._reason(error)
            drop_tracebacks(error)
            return Reply(error=reason)

    def _opened(self) -> aiohttp.ClientSession:
        # Without a limit: requests that hang must not keep others from going out.
        connector = aiohttp.TCPConnector(
            limit=0,
            force_close=True,
            resolver=_Resolver(self._lookups),
            use_dns_cache=False,  # it would have an organization wait for the lookups of another
            socket_factory=self._socket,
        )
        jar, timeout = aiohttp.DummyCookieJar(), aiohttp.ClientTimeout(total=None)
        return aiohttp.ClientSession(connector=connector, cookie_jar=jar, timeout=timeout, trust_env=False)

    def _socket(self, target: Any) -> socket.socket:
        """Make the socket for exactly the address that is connected to; raise AddressDenied if it may not be."""
        family, kind, protocol, _, (host, *_) = target
        if not self.allow_private and not is_public(ip_address(host.partition("%")[0])):
            raise AddressDenied
        return socket.socket(family, kind, protocol)

    def _reason(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"no answer within {self.patience:g} seconds"
        # The same for a name that nobody knows and for a host inside: receivers are not to map a network.
        if isinstance(error, aiohttp.ClientConnectorDNSError) or _is_refused(error):
            return "the host has no public address"
        if isinstance(error, aiohttp.ClientSSLError):
            return "no secure connection: the certificate or the TLS version does not do"
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


def _is_refused(error: Exception) -> bool:
    return isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, AddressDenied)


def _wrong_with(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    return f"the receiver answered {status}" + (", and redirects are not followed" if 300 <= status < 400 else "")


class _Resolver(AbstractResolver):
    """Looks names up for the organization whose request it is."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a host; raise OSError if there are none."""
        return [
            _result(host, port, found) for found in await self._lookups.get_addresses(_organization.get(), host, port)
        ]

    async def close(self) -> None:
        """Leave the threads alone: what they find out is of no use any more."""


def _result(host: str, port: int, found: Any) -> ResolveResult:
    family, _, _, _, (address, *_) = found
    flags = socket.AI_NUMERICHOST
    return {"hostname": host, "host": address, "port": port, "family": family, "proto": 0, "flags": flags}
