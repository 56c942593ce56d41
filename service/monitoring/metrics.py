"""Route /metrics for Prometheus.

Without the setting `metrics_token`, only callers on the same machine may read it, else only callers with that token. A
browser on the same machine is such a caller, so the Host header is checked too, unless there is a token.
"""

import asyncio
import hmac
from ipaddress import ip_address

from aiohttp import web

from ..auth.context import Service
from ..errors import NotFound, Unauthorized
from ..http.known_hosts import require_known_host
from ..http.rate_limits import resolve_client_address
from . import exposition
from .health import Health

PATH = "/metrics"
# Headers that a proxy adds. A local proxy that is not trusted would make every caller appear to be local.
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")


class Metrics:
    """Serves the metrics."""

    def __init__(self, service: Service, health: Health) -> None:
        self._service = service
        self._health = health

    async def answer(self, request: web.Request) -> web.Response:
        """Return all metrics; raise NotFound, Misdirected or Unauthorized if the caller may not read them."""
        _require_access(request, self._service)
        results = await self._health.run_checks()
        metrics = exposition.collect(self._service, results)
        body = await asyncio.to_thread(exposition.render, metrics, self._service)
        return web.Response(body=body, headers={"Content-Type": exposition.CONTENT_TYPE, "Cache-Control": "no-store"})


def _require_access(request: web.Request, service: Service) -> None:
    token = service.settings.metrics_token
    if token is None:
        if not _is_local(request, service):
            raise NotFound("route")
        require_known_host(request, service.settings)
        return
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.encode(errors="surrogateescape"), token.encode()):
        raise Unauthorized("unauthorized", "Send the metrics_token of the service as Authorization: Bearer <token>.")


def _is_local(request: web.Request, service: Service) -> bool:
    trusted = service.settings.trusted_proxies
    address = resolve_client_address(request.remote, request.headers, trusted)
    if address == request.remote and any(name in request.headers for name in FORWARDED):
        return False
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def register(router: web.UrlDispatcher, metrics: Metrics) -> None:
    """Add the route."""
    router.add_get(PATH, metrics.answer)
