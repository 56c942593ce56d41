"""All errors of the API, and the JSON envelope that every error response has; those of /mcp are JSON-RPC errors."""

import errno
import itertools
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar

import orjson
from aiohttp import web

from .log_throttle import LogThrottle
from .tracebacks import drop_tracebacks

JSON = "application/json"
TOOL_PATH = "/mcp"  # MCP clients show only JSON-RPC errors to the agent
PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603  # codes of JSON-RPC
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
log = logging.getLogger("service")


@dataclass(slots=True)
class RequestContext:
    """What is known about a request: read for the headers of its response and its line in the log."""

    request_id: str
    caller_id: str | None = None
    address: str | None = None
    route: str | None = None  # path template of its route, such as /cards/{card_id}; None if no route matches
    code: str | None = None  # of the error response
    tool: str | None = None
    agent_id: str | None = None  # the agent for which an API key acted
    rate_headers: Mapping[str, str] = field(default_factory=dict)
    started: float = field(default_factory=monotonic)  # on the monotonic clock
    is_answer_counted: bool = False  # in the bytes in flight
    releases: list[Callable[[], None]] = field(default_factory=list)  # each releases bytes in flight


REQUEST_CONTEXT = web.RequestKey("request_context", RequestContext)


class ServiceError(Exception):
    """An error response: status, code, a message that says what to do next, and details."""

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
    """A missing or invalid credential; the response always has WWW-Authenticate."""

    status, default_code = 401, "unauthorized"

    def __init__(self, code: str, message: str, scheme: str = "Bearer") -> None:
        super().__init__(code, message, {"WWW-Authenticate": f'{scheme} realm="tandem"'})


class Forbidden(ServiceError):
    status, default_code = 403, "permission_denied"


class NotFound(ServiceError):
    """A resource that does not exist, or that the caller may not see.

    With `is_on_archived_board` it says that restoring the board brings the resource back.
    """

    status, default_code = 404, "not_found"

    def __init__(self, resource: str, is_on_archived_board: bool = False) -> None:
        if is_on_archived_board:
            message = f"The board is archived; restore it from the archive to use this {resource}."
            super().__init__(None, message, resource=resource, archived=True)
        else:
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
    """A runaway agent that was stopped; handlers return it instead of raising it, so that the stop is committed."""

    status, default_code = 429, "circuit_open"


class Unavailable(ServiceError):
    """A request that may succeed later; the response always has Retry-After (seconds)."""

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
    """Return a validation_failed error for one key of a body or a query."""
    return invalid_fields([{"path": path, "message": message}])


def invalid_fields(fields: list[dict[str, str]]) -> BadRequest:
    """Return a validation_failed error that names every invalid key."""
    return BadRequest(None, _describe(fields[0]), fields=fields)


def rename_paths(error: ServiceError, rename: Callable[[str], str]) -> None:
    """Rename the keys that an error names, for a caller that sent them under other keys."""
    problems = error.details.get("fields", [])
    for problem in problems:
        problem["path"] = rename(problem["path"])
    if problems:
        error.message = _describe(problems[0])


def _describe(problem: dict[str, str]) -> str:
    where = f"{problem['path']}: " if problem["path"] else ""
    return f"Correct the request: {where}{problem['message']}."


STOPPING = "The service is stopping; send the request again in a few seconds."
# Code and message for the errors that aiohttp itself raises.
_HTTP = {
    400: ("bad_request", "The request is not valid HTTP; correct it and send it again."),
    404: ("not_found", "There is no such route; see the list of routes (tandem routes)."),
    405: (
        "method_not_allowed",
        "This route does not support that method; the Allow header lists those it supports.",
    ),
    411: ("length_required", "Send a Content-Length header or a chunked body."),
    413: ("payload_too_large", "The body is too large; 1 MiB is the limit on this route. Send less at a time."),
    417: ("expectation_failed", "Send the request without that Expect header."),
}
_ID_PREFIX = f"req_{secrets.token_hex(8)}_"  # random for each start; with a counter it is unique and cheap
_count = itertools.count(1)
_RESOURCES_EXHAUSTED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE}  # disk
_RESOURCES_EXHAUSTED |= {errno.EMFILE, errno.ENFILE, errno.ENOMEM}  # open files and memory
_exhausted_throttle = LogThrottle()
_INTERNAL = "An unexpected error occurred; nothing was changed. Report the request id to the operator of the service."


def from_http(status: int, headers: Mapping[str, str] | None = None) -> ServiceError:
    """Return the ServiceError for an HTTP status that aiohttp raised outside of the handlers."""
    code, message = _HTTP.get(status, ("http_error", "The request was refused."))
    allow = {"Allow": headers["Allow"]} if headers and "Allow" in headers else {}
    error = ServiceError(code, message, allow)
    error.details = {"resource": "route"} if status == 404 else {}
    error.status = status  # type: ignore[misc]  # this one instance differs from its class
    return error


def from_exception(exception: BaseException, request_id: str) -> ServiceError:
    """Return the ServiceError for any exception, and log an unexpected one."""
    if isinstance(exception, ServiceError):
        return exception
    if isinstance(exception, web.HTTPException):
        return from_http(exception.status, exception.headers)
    if isinstance(exception, web.RequestPayloadError):
        return from_http(400)
    number = errno.ENOMEM if isinstance(exception, MemoryError) else getattr(exception, "errno", None)
    if number in _RESOURCES_EXHAUSTED:
        if _exhausted_throttle.is_due(number):  # lasts, and every request would log it
            log.error("request %s failed, since a resource is exhausted: %r", request_id, exception)
        return Unavailable(None, "The server has run out of disk space, open files or memory; try again later.")
    log.error("unexpected error in request %s", request_id, exc_info=exception)
    return ServiceError(None, _INTERNAL)


def encode_error(error: ServiceError, request_id: str) -> bytes:
    """Return the JSON envelope of an error."""
    return orjson.dumps({"error": _to_dict(error, request_id)})


def _encode_rpc_error(error: ServiceError, request_id: str) -> bytes:
    """Return an error as a JSON-RPC error without the id of a message; `data` is the content of the envelope."""
    is_temporary = error.status >= 500 or error.status == RateLimited.status
    code = INTERNAL_ERROR if is_temporary else PARSE_ERROR if error.code == "invalid_json" else INVALID_REQUEST
    content = {"code": code, "message": error.message, "data": _to_dict(error, request_id)}
    return orjson.dumps({"jsonrpc": "2.0", "id": None, "error": content})


def _to_dict(error: ServiceError, request_id: str) -> dict[str, Any]:
    return {"code": error.code, "message": error.message, "details": error.details, "requestId": request_id}


def create_response(error: ServiceError, request_id: str, path: str | None = None) -> web.Response:
    """Return the response for an error of a request to a path; None if the path is unknown."""
    headers = {**error.headers, "X-Request-Id": request_id}
    body = (_encode_rpc_error if path == TOOL_PATH else encode_error)(error, request_id)
    return web.Response(status=error.status, body=body, content_type=JSON, charset="utf-8", headers=headers)


def get_request_id(headers: Mapping[str, str]) -> str:
    """Return the client's X-Request-Id if it has 1 to 128 printable ASCII characters, else a new one."""
    client_id = headers.get("X-Request-Id", "")
    is_valid = 0 < len(client_id) <= 128 and client_id.isascii() and client_id.isprintable()
    return client_id if is_valid else f"{_ID_PREFIX}{next(_count):x}"


def _abort_if_started(request: web.Request, exception: Exception) -> None:
    """Abort the connection if part of the response was sent, so that the client notices that it is incomplete."""
    if request.writer.output_size > 0:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError("the response was aborted") from exception


def with_error_envelope(handle: Handler) -> Handler:
    """Wrap a handler: exceptions become error envelopes, and every response has its X-Request-Id."""

    async def handle_with_envelope(request: web.Request) -> web.StreamResponse:
        request_id = get_request_id(request.headers)
        request_context = request[REQUEST_CONTEXT] = RequestContext(request_id)
        try:
            answer = await handle(request)
        except ConnectionError:  # the client has disconnected
            raise
        except Exception as exception:
            error = from_exception(exception, request_id)
            _abort_if_started(request, exception)
            request_context.code, answer = error.code, create_response(error, request_id, request.path)
            drop_tracebacks(exception)
        if not answer.prepared:
            answer.headers["X-Request-Id"] = request_id
            if request_context.rate_headers:
                answer.headers.update(request_context.rate_headers)
        return answer

    return handle_with_envelope
