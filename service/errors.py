"""Every error the service answers with, and the one envelope they all leave in."""

import errno
import itertools
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import orjson
from aiohttp import web

from .tracebacks import drop_tracebacks

JSON = "application/json"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log = logging.getLogger("service")


@dataclass(slots=True)
class RequestContext:
    """What a request is known by on its way: to its answer, whatever that is, and to its line in the log."""

    request_id: str
    caller_id: str | None = None
    address: str | None = None
    route: str | None = None  # the path of its route with the names of ids, None if it is in no table
    code: str | None = None  # of the error that it was answered with
    tool: str | None = None
    agent_id: str | None = None  # as whom a key acted
    rate_headers: Mapping[str, str] = field(default_factory=dict)
    is_answer_counted: bool = False  # among the bytes in flight
    releases: list[Callable[[], None]] = field(default_factory=list)  # each releases bytes in flight


REQUEST_CONTEXT = web.RequestKey("request_context", RequestContext)


class ServiceError(Exception):
    """An error with a status, a code, one sentence that says what to do, and details."""

    status: ClassVar[int] = 500
    default_code: ClassVar[str] = "internal_error"

    def __init__(
        self, code: str | None = None, message: str = "", headers: Mapping[str, str] | None = None, **details: Any
    ) -> None:
        self.code = code or self.default_code
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})
        self.details = details


class BadRequest(ServiceError):
    status, default_code = 400, "validation_failed"


class Unauthorized(ServiceError):
    """No credential, or one that does not hold; always answered with WWW-Authenticate."""

    status, default_code = 401, "unauthorized"

    def __init__(self, code: str, message: str, scheme: str = "Bearer") -> None:
        super().__init__(code, message, {"WWW-Authenticate": f'{scheme} realm="tandem"'})


class Forbidden(ServiceError):
    status, default_code = 403, "permission_denied"


class NotFound(ServiceError):
    """Something that is not there, or that the caller may not know of."""

    status, default_code = 404, "not_found"

    def __init__(self, resource: str) -> None:
        super().__init__(None, f"There is no such {resource}; check the id.", resource=resource)


class RequestTimeout(ServiceError):
    status, default_code = 408, "request_timeout"


class Conflict(ServiceError):
    status, default_code = 409, "conflict"


class PreconditionFailed(ServiceError):
    status, default_code = 412, "precondition_failed"


class PayloadTooLarge(ServiceError):
    status, default_code = 413, "payload_too_large"


class UnsupportedMediaType(ServiceError):
    status, default_code = 415, "unsupported_media_type"


class RangeNotSatisfiable(ServiceError):
    status, default_code = 416, "range_not_satisfiable"


class Misdirected(ServiceError):
    status, default_code = 421, "misdirected_request"


class UnprocessableContent(ServiceError):
    status, default_code = 422, "idempotency_key_reused"


class Locked(ServiceError):
    status, default_code = 423, "frozen"


class RateLimited(ServiceError):
    status, default_code = 429, "rate_limited"


class CircuitOpen(ServiceError):
    """An agent that has run away and was stopped; returned rather than raised, so that the stop is kept."""

    status, default_code = 429, "circuit_open"


class Unavailable(ServiceError):
    """Something that would go well at another time; always answered with Retry-After (seconds)."""

    status, default_code = 503, "unavailable"
    retry_after: ClassVar[int] = 5

    def __init__(
        self, code: str | None, message: str, headers: Mapping[str, str] | None = None, **details: Any
    ) -> None:
        super().__init__(code, message, {"Retry-After": str(self.retry_after), **(headers or {})}, **details)


class Overloaded(Unavailable):
    default_code, retry_after = "overloaded", 2


class TooExpensive(Unavailable):
    default_code, retry_after = "too_expensive", 30


def invalid(path: str, message: str) -> BadRequest:
    """Make a validation_failed error for one key of a body or a query."""
    return invalid_fields([{"path": path, "message": message}])


def invalid_fields(fields: list[dict[str, str]]) -> BadRequest:
    """Make a validation_failed error that names each key that is wrong."""
    first = fields[0]
    where = f"{first['path']}: " if first["path"] else ""
    return BadRequest(None, f"Correct the request: {where}{first['message']}.", fields=fields)


# What aiohttp itself raises, in the words of the envelope.
_HTTP = {
    400: ("bad_request", "The request is not valid HTTP; correct it and send it again."),
    404: ("not_found", "There is no such route; see the list of routes (python run.py routes)."),
    405: ("method_not_allowed", "This route does not take that method; the Allow header lists those it takes."),
    411: ("length_required", "Send a Content-Length header or a chunked body."),
    413: ("payload_too_large", "The body is too large; 1 MiB is the limit on this route."),
    417: ("expectation_failed", "Send the request without that Expect header."),
}
_STARTED = f"req_{secrets.token_hex(8)}_"  # with a count: unique, and cheap to make
_count = itertools.count(1)
_AT_ITS_LIMITS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE}  # the disk is
_AT_ITS_LIMITS |= {errno.EMFILE, errno.ENFILE, errno.ENOMEM}  # the machine is
_INTERNAL = "The service failed to answer; nothing was changed. Report the request id to whoever runs it."


def from_http(status: int, headers: Mapping[str, str] | None = None) -> ServiceError:
    """Turn an HTTP status raised outside the handlers into an error of the service."""
    code, message = _HTTP.get(status, ("http_error", "The request was refused."))
    allow = {"Allow": headers["Allow"]} if headers and "Allow" in headers else {}
    error = ServiceError(code, message, allow)
    error.details = {"resource": "route"} if status == 404 else {}
    error.status = status  # type: ignore[misc]  # this one instance differs from its class
    return error


def from_exception(exception: BaseException, request_id: str) -> ServiceError:
    """Turn any exception into an error of the service; log what nobody foresaw."""
    if isinstance(exception, ServiceError):
        return exception
    if isinstance(exception, web.HTTPException):
        return from_http(exception.status, exception.headers)
    if isinstance(exception, web.RequestPayloadError):
        return from_http(400)
    log.error("unexpected error in request %s", request_id, exc_info=exception)
    if isinstance(exception, MemoryError) or getattr(exception, "errno", None) in _AT_ITS_LIMITS:
        return Unavailable(None, "The machine is at its limits (disk, files or memory); try again later.")
    return ServiceError(None, _INTERNAL)


def encode_error(error: ServiceError, request_id: str) -> bytes:
    """Encode an error as the one JSON envelope."""
    body = {"code": error.code, "message": error.message, "details": error.details, "requestId": request_id}
    return orjson.dumps({"error": body})


def create_response(error: ServiceError, request_id: str) -> web.Response:
    """Answer an error."""
    headers = {**error.headers, "X-Request-Id": request_id}
    body = encode_error(error, request_id)
    return web.Response(status=error.status, body=body, content_type=JSON, charset="utf-8", headers=headers)


def get_request_id(headers: Mapping[str, str]) -> str:
    """Take the caller's request id if it is 1 to 128 printable ASCII characters, else make one."""
    given = headers.get("X-Request-Id", "")
    fits = 0 < len(given) <= 128 and given.isascii() and given.isprintable()
    return given if fits else f"{_STARTED}{next(_count):x}"


def _cut_if_begun(request: web.Request, exception: Exception) -> None:
    """Cut the connection if an answer has begun: nobody must take half of one for a whole."""
    if request.writer.output_size > 0:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError("the answer was broken off") from exception


def with_error_envelope(handle: Handler) -> Handler:
    """Wrap what answers requests: every exception is answered with the envelope, every request with its id."""

    async def answered(request: web.Request) -> web.StreamResponse:
        request_id = get_request_id(request.headers)
        request_context = request[REQUEST_CONTEXT] = RequestContext(request_id)
        try:
            answer = await handle(request)
        except ConnectionError:  # the client has left
            raise
        except Exception as exception:
            error = from_exception(exception, request_id)
            _cut_if_begun(request, exception)
            request_context.code, answer = error.code, create_response(error, request_id)
            drop_tracebacks(exception)
        if not answer.prepared:
            answer.headers["X-Request-Id"] = request_id
            if request_context.rate_headers:
                answer.headers.update(request_context.rate_headers)
        return answer

    return answered
