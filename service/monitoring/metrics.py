"""/metrics: what the service does, in the words of Prometheus (contract, section 6, Ops).

Only for this machine itself, unless `metrics_token` is set: then for whoever shows it.
"""

import asyncio
import hmac
from ipaddress import ip_address

from aiohttp import web

from ..auth.context import Service
from ..errors import NotFound, Unauthorized
from ..http.rate_limits import source_address
from . import exposition
from .health import Health

PATH = "/metrics"
# What proxies say of whom they speak for: with one of them before it, every caller would be this machine.
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class Metrics:
    """Answers a scrape."""

    def __init__(self, service: Service, health: Health) -> None:
        self._service = service
        self._health = health

    async def answer(self, request: web.Request) -> web.Response:
        """Answer with all metrics; raise NotFound or Unauthorized for whoever may not see them."""
        _admit(request, self._service)
        found = await self._health.look()
        figures = exposition.gathered(self._service, found)
        body = await asyncio.to_thread(exposition.written, figures, self._service)
        return web.Response(body=body, headers={"Content-Type": exposition.CONTENT_TYPE, "Cache-Control": "no-store"})


def _admit(request: web.Request, service: Service) -> None:
    token = service.settings.metrics_token
    if token is None:
        if not _is_from_here(request, service):
            raise NotFound("route")
        return
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.encode(errors="surrogateescape"), token.encode()):
        raise Unauthorized("unauthorized", "Send the metrics_token of the service as Authorization: Bearer <token>.")


def _is_from_here(request: web.Request, service: Service) -> bool:
    trusted = service.settings.trusted_proxies
    address = source_address(request.remote, request.headers, trusted)
    if address == request.remote and any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def register(router: web.UrlDispatcher, metrics: Metrics) -> None:
    """Add the route."""
    router.add_get(PATH, metrics.answer)
