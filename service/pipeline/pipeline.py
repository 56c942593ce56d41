"""The request pipeline: from the headers of a request to its response."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar, cast

from aiohttp import web

from .. import errors
from ..auth import agent_sessions, authorization, denied_requests, last_seen
from ..auth.authentication import Caller, Key
from ..auth.context import CALL_TYPES, Call, Service
from ..database.store import Share, TooManyRows, Tx
from ..errors import RequestContext, RequestTimeout, ServiceError
from ..http import request_body
from ..http.rate_limits import Limit
from ..http.responses import Answer, JobStarted, add_etag, encode, is_ready
from . import admission, growth, idempotency
from .parsing import Content, ParsedRequest, ascii_only, parse_arguments, parse_request, takes_body
from .routing import Route

JSON_HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
}
NO_BODY_HEADERS = {name: value for name, value in JSON_HEADERS.items() if name != "Content-Type"}
T = TypeVar("T")
C = TypeVar("C", bound=Call)


@dataclass(slots=True)
class Operation(Generic[C]):
    """The request context before the transaction; C is the type of the call inside it."""

    service: Service
    route: Route
    caller: Caller
    parsed: ParsedRequest
    headers: Mapping[str, str]
    request_context: RequestContext | None = None
    http: web.Request | None = None  # None for a tool of the bundled tool server
    outcomes: dict[Any, Any] = field(default_factory=dict)  # results of the work before the transaction
    is_presence_recorded: bool = False

    @property
    def request(self) -> web.Request:
        """Return the HTTP request; tool calls have none."""
        assert self.http is not None
        return self.http

    @property
    def address(self) -> str:
        """Return the client address."""
        return admission.get_client_address(self.service, self.request)

    @property
    def limit_key(self) -> str:
        """Return the key of the caller's limits."""
        return admission.get_limit_key(self.service, self.caller, self.request)

    def check_rate_limit(self, limit: Limit) -> None:
        """Count the request against a limit besides that of its route; raise rate_limited."""
        headers = admission.check_rate_limit(self.service, limit, self.caller, self.http)
        if self.request_context is not None:
            self.request_context.rate_headers = headers

    def set_card(self, card_id: str, agent_id: str | None = None) -> None:
        """Set the card and the agent named in a streamed body, as if the path named them."""
        self.parsed.path["card_id"] = card_id
        self.parsed.agent_id = ascii_only(agent_id) or self.parsed.agent_id

    def update_digest(self, content: bytes, is_last: bool = False) -> None:
        """Add a part of a streamed body to the fingerprint of the idempotency key."""
        if self.parsed.retry is not None:
            self.parsed.retry.feed(content, is_last)

    def read_inline(self, work: Callable[[C], T]) -> T:
        """Authorize the caller and run a short read on the event loop."""
        return self.service.store.read_inline(partial(self._run_authorized, work))

    async def read_auto(self, work: Callable[[C], T]) -> T:
        """Authorize the caller and read on the event loop, or on a reader thread if there are too many rows."""
        try:
            return self.service.store.read_inline(partial(self._run_authorized, work), limited=True)
        except TooManyRows:
            return await self.read(work)

    def read(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Authorize the caller and read in one transaction on a reader thread."""
        return self.service.store.read(partial(self._run_authorized, work), self._share, self.route.read_kind)

    def write(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Authorize the caller and write in one transaction.

        The result of `work` is the response, stored for its idempotency key, so call this once per request.
        """
        return self.service.store.write(partial(self.write_in, work), self._share)

    def complete(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Do the same as `write` after a job, whose changes are stored: it is never refused for too much load."""
        writing = partial(self.write_in, work, replays=False)  # what the first transaction stored is no response yet
        return self.service.store.write(writing, Share(self._share.org_id))

    def prepare(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Authorize the caller and write something before the main transaction; its result is not the response."""
        return self.service.store.write(partial(self._run_authorized, work), self._share)

    async def record_presence(self) -> None:
        """Store that the caller was seen, and renew the claims of an agent; needs an earlier transaction."""
        if self.request_context is not None:
            self.is_presence_recorded = True
            session, marks_online = self.parsed.agent_session, self.route.marks_online
            await record_presence(self.service, self.caller, self.request_context, session, marks_online)

    @property
    def _share(self) -> Share:
        """Return the share of the queues: the caller's, in the organization of its credential instead of the path."""
        return Share((self.caller and self.caller.org_id) or "-", self.caller.id if self.caller else self.address)

    def _run_authorized(self, work: Callable[[C], T], tx: Tx) -> T:
        return work(_authorize(self, tx))

    def write_in(self, work: Callable[[C], T], tx: Tx, replays: bool = True) -> T:
        """Do the same as `write` in an open transaction or a dry run."""
        call = _authorize(self, tx, replays)
        tx.org_id = call.org_id
        tx.on_commit(partial(self.service.on_commit, tx.changed, call.org_id))
        try:
            result = work(call)
        except ServiceError as error:
            _record_denial(self, call, error)
            raise
        admission.reserve_response_memory(
            self.service, self.caller, self.http, result
        )  # before the commit, so that an error rolls back the write
        if self.parsed.retry is not None:
            _store_response(call, self.parsed.retry, result)
        return result


async def record_presence(
    service: Service, caller: Caller, request: RequestContext, session: str | None, marks_online: bool = True
) -> None:
    """Store that an agent or the session of a person was seen, and renew the claims of an agent."""
    if marks_online:
        await last_seen.record(service, caller, request)
    await agent_sessions.renew_claims(service, caller, request.agent_id, session)


def _store_response(call: Call, retry: idempotency.IdempotentRequest, result: Any) -> None:
    """Store the response to a repeatable request, unless it is an error or follows after a job."""
    if isinstance(result, JobStarted):
        if result.answer is not None:
            idempotency.store_response(call, retry, result.answer, result.job_id)
    elif not isinstance(result, ServiceError):
        idempotency.store_response(call, retry, encode(result))


def _create_call(operation: Operation[Any], tx: Tx) -> Call:
    parsed = operation.parsed
    return CALL_TYPES[operation.route.policy.about](
        tx=tx,
        caller=operation.caller,
        service=operation.service,
        path=parsed.path,
        # Read before the first statement: a cached response must never have a newer revision than its snapshot.
        revision=operation.service.revisions.get(parsed.path.get("org_id", ""), 0),
        named_org_id=parsed.org_id,
        named_agent_id=parsed.agent_id,
        claim_token=parsed.claim_token,
        agent_session=parsed.agent_session,
        takes_over=parsed.takes_over,
        versions=parsed.versions,
        writes=not operation.route.reads,
        outcomes=operation.outcomes,
    )


def _authorize(operation: Operation[C], tx: Tx, replays: bool = True) -> C:
    tx.clock = operation.service.clock
    call, parsed = _create_call(operation, tx), operation.parsed
    replay = partial(idempotency.replay, retry=parsed.retry) if parsed.retry and replays else None
    try:
        authorization.authorize(call, operation.route.policy, replay)
    except ServiceError as error:
        explain = operation.route.policy.explain
        explained = explain(call, error, parsed.inputs["body"]) if explain else error
        _record_denial(operation, call, explained)
        raise explained from None
    finally:
        if operation.request_context is not None and call.actor.type == "Agent":
            operation.request_context.agent_id = call.actor.id
    if operation.route.grows:
        growth.require_room(call)
    return cast(C, call)


def _record_denial(operation: Operation[Any], call: Call, error: ServiceError) -> None:
    """Record the denial of a write of an agent."""
    if not operation.route.reads:
        denied_requests.record(operation.service.denied_requests, call, error, operation.parsed.inputs.get("body"))


async def handle_request(
    service: Service, route: Route, path: dict[str, str], request: web.Request
) -> web.StreamResponse:
    """Handle an HTTP request to a route; `path` has the ids in its path."""
    request_context, headers = request[errors.REQUEST_CONTEXT], request.headers
    caller = await service.authenticator.authenticate(headers, route.policy.scheme)
    if caller is not None:
        request_context.caller_id = caller.id
    admission.check_origin(request, route.policy)  # before the limit, which another site could use up otherwise
    if route.limit is not None:
        request_context.rate_headers = admission.check_rate_limit(service, route.limit, caller, request)
    if takes_body(route):
        admission.reserve_memory(service, caller, request, request_body.get_max_size(request))
    if "Expect" in headers:
        await admission.send_100_continue(request)
    parsed = await parse_request(service, caller, route, path, request)
    operation: Operation[Any] = Operation(service, route, caller, parsed, headers, request_context, request)
    try:
        answer = await run_operation(operation)
    except idempotency.Replay as replay:
        answer = replay.answer
        admission.reserve_response_memory(service, caller, request, answer)
    if not isinstance(answer, Answer):
        return answer
    admission.reserve_response_memory(
        service, caller, request, answer, is_forced=not route.reads
    )  # a committed write must be answered
    response_headers = {**(NO_BODY_HEADERS if answer.body is None else JSON_HEADERS), **answer.headers}
    return web.Response(body=answer.body, status=answer.status, headers=response_headers)


def start_call(
    service: Service,
    route: Route,
    key: Key,
    path: dict[str, str],
    query: Content,
    content: Content,
    headers: Mapping[str, str],
    request_context: RequestContext,
) -> Operation[Any]:
    """Return the operation of a tool that calls an agent route, rate-limited and validated as over HTTP."""
    if route.limit is not None:
        admission.check_rate_limit(service, route.limit, key, None)
    parsed = parse_arguments(route, path, query, content, headers)
    return Operation(service, route, key, parsed, headers, request_context)


async def run_operation(operation: Operation[Any]) -> Answer | web.StreamResponse:
    """Run the handler of an operation and return its encoded response."""
    try:
        if operation.route.manages_transactions:
            return await _run_with_own_transactions(operation)
        return await operation.service.import_locks.with_retry(partial(_run, operation))
    finally:
        # The end of an event stream is no request: its client may be gone for long.
        if not (operation.route.is_endless and operation.is_presence_recorded):
            await operation.record_presence()


async def _run(operation: Operation[Any]) -> Answer:
    work = partial(_call_handler, operation)
    if operation.route.before is not None:
        await operation.route.before(operation)
    if not operation.route.reads:
        answer = await operation.write(work)
    elif (cached := _get_cached(operation)) is not None:
        answer = cached
    elif operation.route.on_reader_thread or operation.parsed.needs_reader_thread:
        answer = await operation.read(work)
    else:
        answer = await operation.read_auto(work)
    if isinstance(answer, ServiceError):
        raise answer
    return answer


def _get_cached(operation: Operation[Any]) -> Answer | None:
    """Return the cached response of a route, or None if it must be created or compressed first."""
    get_cached = operation.route.cached
    if get_cached is None:
        return None
    answer: Answer | None = operation.read_inline(lambda call: get_cached(call, **operation.parsed.arguments))
    if answer is None or (operation.route.tagged and not is_ready(answer, operation.headers)):
        return None
    return add_etag(answer, operation.headers) if operation.route.tagged and operation.http else answer


def _call_handler(operation: Operation[Any], call: Call) -> Answer | ServiceError:
    """Run a handler; an error that it returns instead of raising is sent after its writes are committed."""
    result = operation.route.handler(call, **operation.parsed.arguments)
    if isinstance(result, ServiceError):
        return result
    answer = encode(result)
    answer = add_etag(answer, operation.headers) if operation.route.tagged and operation.http else answer
    if operation.route.reads:  # on this thread, so that a refused answer is freed before the next one is built
        admission.reserve_response_memory(operation.service, operation.caller, operation.http, answer)
    return answer


async def _run_with_own_transactions(operation: Operation[Any]) -> Answer | web.StreamResponse:
    try:
        async with asyncio.timeout(None if operation.route.is_endless else request_body.TRANSFER_TIMEOUT_SECONDS):
            result = await operation.route.handler(operation, **operation.parsed.arguments)
    except TimeoutError:
        raise RequestTimeout(None, "The request took longer than an hour; send less at a time.") from None
    return result if isinstance(result, web.StreamResponse) else encode(result)
