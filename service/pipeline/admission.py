"""What is looked at as a request arrives, before its body is read: limits, bytes in flight, a client that waits."""

from typing import Any

from aiohttp import web

from .. import errors
from ..auth.authentication import Caller
from ..auth.context import Service
from ..http.rate_limits import Limit, resolve_client_address
from ..http.responses import Answer, encode
from ..runtime import memory_budget
from ..schemas import Output

NO_ORGANIZATION = "-"  # of callers without a credential, or whose credential names none: one share for all of them


def count(service: Service, caller: Caller, request: web.Request, size: int, *, is_forced: bool = False) -> None:
    """Count what is in memory for a caller until it is answered; raise overloaded if that is too much already."""
    if size > memory_budget.UNCOUNTED_BYTES_MAX:
        org_id = (caller and caller.org_id) or NO_ORGANIZATION
        service.flight.take(request, who(service, caller, request), org_id, size, is_forced=is_forced)


def count_answer(
    service: Service, caller: Caller, request: web.Request | None, result: Any, *, is_forced: bool = False
) -> None:
    """Count an answer that goes out over HTTP, once; raise overloaded if that is too much, unless it is forced."""
    if request is None or request[errors.REQUEST_CONTEXT].is_answer_counted or not isinstance(result, Answer | Output):
        return
    count(service, caller, request, len(encode(result).body or b""), is_forced=is_forced)
    request[errors.REQUEST_CONTEXT].is_answer_counted = True


async def invite(request: web.Request) -> None:
    """Have a client send the body with which it waits (RFC 9110, section 10.1.1)."""
    if request.headers["Expect"].lower() != "100-continue":
        raise web.HTTPExpectationFailed
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # the answer itself has not begun


def limited(service: Service, limit: Limit, caller: Caller, request: web.Request | None) -> dict[str, str]:
    """Take from the bucket of a limit, and give the headers that tell how full it is; raise rate_limited."""
    if service.settings.rate_limits == "disabled":
        return {}
    per_minute = limit.per_minute or getattr(service.settings, f"rate_limit_{limit.name}")
    if limit.by == "key" and caller is not None:
        return service.buckets.take(limit.name, caller.id, per_minute)
    assert request is not None
    source = request[errors.REQUEST_CONTEXT].address = address(service, request)
    return service.buckets.take(limit.name, source, per_minute)


def who(service: Service, caller: Caller, request: web.Request) -> str:
    """Return whose limits a request counts for: the caller's, or where there is none the address's."""
    return caller.id if caller else address(service, request)


def address(service: Service, request: web.Request) -> str:
    """Give the address that a request comes from."""
    return resolve_client_address(request.remote, request.headers, service.settings.trusted_proxies)
