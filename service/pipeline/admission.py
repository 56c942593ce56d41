"""Admission checks before the body of a request is read: rate limits, memory budget, 100-continue."""

from typing import Any

from aiohttp import web

from .. import errors
from ..auth.authentication import Caller
from ..auth.context import Service
from ..auth.policies import Policy
from ..errors import Forbidden
from ..http.rate_limits import Limit, resolve_client_address
from ..http.responses import Answer, encode
from ..runtime import memory_budget
from ..schemas import Output

SAME_ORIGIN = frozenset({"same-origin", "none"})  # values of Sec-Fetch-Site
NO_ORGANIZATION = "-"  # shared by callers without an organization


def reserve_memory(
    service: Service, caller: Caller, request: web.Request, size: int, *, is_forced: bool = False
) -> None:
    """Reserve memory for a request until it is answered; raise overloaded beyond the budget, unless forced."""
    if size > memory_budget.UNCOUNTED_BYTES_MAX:
        org_id = (caller and caller.org_id) or NO_ORGANIZATION
        service.in_flight_bytes.reserve(
            request, get_limit_key(service, caller, request), org_id, size, is_forced=is_forced
        )


def reserve_response_memory(
    service: Service, caller: Caller, request: web.Request | None, result: Any, *, is_forced: bool = False
) -> None:
    """Reserve memory for an HTTP response, once; raise overloaded beyond the budget, unless forced."""
    if request is None or request[errors.REQUEST_CONTEXT].is_answer_counted or not isinstance(result, Answer | Output):
        return
    reserve_memory(service, caller, request, len(encode(result).body or b""), is_forced=is_forced)
    request[errors.REQUEST_CONTEXT].is_answer_counted = True


async def send_100_continue(request: web.Request) -> None:
    """Send 100 Continue, for which the client waits before it sends the body (RFC 9110, section 10.1.1)."""
    if request.headers["Expect"].lower() != "100-continue":
        raise web.HTTPExpectationFailed
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # the interim response does not count as the response


def check_origin(request: web.Request, policy: Policy) -> None:
    """Raise permission_denied if a browser sends a request for a page of another site that the policy denies.

    Programs send no such header. Browsers send `none` for an address that the user has typed.
    """
    if policy.requires_same_origin and not SAME_ORIGIN.issuperset(request.headers.getall("Sec-Fetch-Site", [])):
        message = "Only the page of this service can send this from a browser; open its address and sign in there."
        raise Forbidden(None, message)


def check_rate_limit(service: Service, limit: Limit, caller: Caller, request: web.Request | None) -> dict[str, str]:
    """Count a request against a rate limit and return the rate limit headers; raise rate_limited."""
    if service.settings.rate_limits == "disabled":
        return {}
    per_minute = limit.per_minute or getattr(service.settings, limit.setting or f"rate_limit_{limit.name}")
    if limit.by == "key" and caller is not None:
        return service.buckets.take(limit.name, caller.id, per_minute)
    assert request is not None
    source = request[errors.REQUEST_CONTEXT].address = get_client_address(service, request)
    return service.buckets.take(limit.name, source, per_minute)


def get_limit_key(service: Service, caller: Caller, request: web.Request) -> str:
    """Return the key of the caller's limits: the id of the credential, or the client address."""
    return caller.id if caller else get_client_address(service, request)


def get_client_address(service: Service, request: web.Request) -> str:
    """Return the client address of a request."""
    return resolve_client_address(request.remote, request.headers, service.settings.trusted_proxies)
