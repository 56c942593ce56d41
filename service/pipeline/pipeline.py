"""The request_context of a request, from its headers to its answer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar, cast

import orjson
from aiohttp import web

from .. import errors
from ..auth import authorization, denied_requests, last_seen
from ..auth.authentication import Caller, Key
from ..auth.context import KINDS, Call, Service
from ..database.store import TooManyRows, Tx
from ..errors import RequestContext, RequestTimeout, ServiceError
from ..http import request_body
from ..http.json_thread import is_large
from ..http.responses import Answer, Started, add_etag, encode, is_ready
from . import admission, idempotency
from .parsing import Content, ParsedRequest, ascii_only, given, take, takes_body
from .routing import Route

ENCODED = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
}
BARE = {name: value for name, value in ENCODED.items() if name != "Content-Type"}
T = TypeVar("T")
C = TypeVar("C", bound=Call)


@dataclass(slots=True)
class Operation(Generic[C]):
    """A request on its way through a route, whose handler may open its transactions itself; C is what it is about."""

    service: Service
    route: Route
    caller: Caller
    parsed: ParsedRequest
    headers: Mapping[str, str]
    request_context: RequestContext | None = None
    http: web.Request | None = None  # None for a tool of the bundled tool server
    outcomes: dict[Any, Any] = field(default_factory=dict)  # of what the route does before the transaction

    @property
    def request(self) -> web.Request:
        """Give the HTTP request, for what only streams."""
        assert self.http is not None
        return self.http

    @property
    def address(self) -> str:
        """Give the address that the request comes from."""
        return admission.address(self.service, self.request)

    @property
    def who(self) -> str:
        """Return whose limits the request counts for: the caller's, or where there is none the address's."""
        return admission.who(self.service, self.caller, self.request)

    def about(self, card_id: str, agent_id: str | None = None) -> None:
        """Say which card, and which agent, a streamed body names: it is judged as if the path named them."""
        self.parsed.path["card_id"] = card_id
        self.parsed.agent_id = ascii_only(agent_id) or self.parsed.agent_id

    def update_digest(self, content: bytes, is_last: bool = False) -> None:
        """Note a piece of a streamed body: by all of them it is known again if it is sent again."""
        if self.parsed.retry is not None:
            self.parsed.retry.feed(content, is_last)

    def read_inline(self, work: Callable[[C], T]) -> T:
        """Admit the caller and read a few cached pages, right here on the event loop."""
        return self.service.store.read_inline(partial(self._unit, work))

    async def read_auto(self, work: Callable[[C], T]) -> T:
        """Admit the caller and read: like `read_inline` if that is little, else like `read`."""
        try:
            return self.service.store.read_inline(partial(self._unit, work), limited=True)
        except TooManyRows:
            return await self.read(work)

    def read(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Admit the caller and read, in one transaction."""
        return self.service.store.read(partial(self._unit, work), self.parsed.share(self.caller))

    def write(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Admit the caller and write, in one transaction.

        What the work returns is the answer to the request, so a handler does all its writing at once.
        """
        writing = partial(self.service.store.write, partial(self.writing, work), self.org_id)
        return self._write_large(writing) if self.route.bulk or self.parsed.is_large else writing()

    async def _write_large(self, writing: Callable[[], Awaitable[T]]) -> T:
        """Write when no other large write of the caller is in the queue of the writer: others would wait for all."""
        async with self.service.large_writes.acquire(self.caller.id if self.caller else "-"):
            return await writing()

    def prepare(self, work: Callable[[C], T]) -> Awaitable[T]:
        """Admit the caller and write what comes before the work itself: it is no answer to the request."""
        return self.service.store.write(partial(self._unit, work), self.org_id)

    @property
    def org_id(self) -> str:
        """Return the organization of the credential, not one that the path names: its limits are used, not others'."""
        return (self.caller and self.caller.org_id) or "-"

    def _unit(self, work: Callable[[C], T], tx: Tx) -> T:
        return work(_admitted(self, tx))

    def writing(self, work: Callable[[C], T], tx: Tx) -> T:
        """Do what `write` does in a transaction that is open, or on trial."""
        call = _admitted(self, tx)
        tx.on_commit(partial(self.service.committed, tx.changed, call.org_id))
        try:
            result = work(call)
        except ServiceError as error:
            _note(self, call, error)
            raise
        admission.count_answer(self.service, self.caller, self.http, result)  # here a refusal changes nothing
        if self.parsed.retry is not None and not isinstance(result, ServiceError | Started):
            idempotency.keep(call, self.parsed.retry, encode(result))
        return result


def _admitted(operation: Operation[C], tx: Tx) -> C:
    taken, tx.clock = operation.parsed, operation.service.clock
    reads = operation.route.reads
    # ParsedRequest before the first statement: what this snapshot shows must not outlive a change in younger memory.
    revision = operation.service.revisions.get(taken.path.get("org_id", ""), 0)
    named = taken.org_id, taken.agent_id, taken.claim_token, taken.versions, not reads, operation.outcomes
    kind = KINDS[operation.route.policy.about]
    call = kind(tx, operation.caller, operation.service, taken.path, revision, *named)
    replay = partial(idempotency.replay, retry=taken.retry) if taken.retry else None
    try:
        authorization.authorize(call, operation.route.policy, replay)
    except ServiceError as error:
        explain = operation.route.policy.explain
        told = explain(call, error, taken.arguments["body"]) if explain else error
        _note(operation, call, told)
        raise told from None
    finally:
        if operation.request_context is not None and call.actor.type == "Agent":
            operation.request_context.agent_id = call.actor.id
    if "card_id" in taken.arguments:
        taken.arguments["card_id"] = taken.path["card_id"]  # a key has become an id
    return cast(C, call)


def _note(operation: Operation[Any], call: Call, error: ServiceError) -> None:
    """Note what an agent is refused, if it wanted to write."""
    if not operation.route.reads:
        denied_requests.note(operation.service.refused, call, error, operation.parsed.arguments.get("body"))


async def serve(service: Service, route: Route, path: dict[str, str], request: web.Request) -> web.StreamResponse:
    """Take one HTTP request, for a route with these ids in its path, from its headers to its answer."""
    request_context, headers = request[errors.REQUEST_CONTEXT], request.headers
    caller = await service.callers.identify(headers, route.policy.scheme)
    if caller is not None:
        request_context.caller_id = caller.id
    if route.limit is not None:
        request_context.rate_headers = admission.limited(service, route.limit, caller, request)
    if takes_body(route):
        admission.count(service, caller, request, request_body.get_max_size(request))
    if "Expect" in headers:
        await admission.invite(request)
    taken = await take(service, caller, route, path, request)
    operation: Operation[Any] = Operation(service, route, caller, taken, headers, request_context, request)
    try:
        answer = await perform(operation)
    except idempotency.Replay as replay:
        answer = replay.answer
        admission.count_answer(service, caller, request, answer)
    if not isinstance(answer, Answer):
        return answer
    admission.count_answer(service, caller, request, answer, is_forced=not route.reads)  # what is committed stands
    about = {**(BARE if answer.body is None else ENCODED), **answer.headers}
    return web.Response(body=answer.body, status=answer.status, headers=about)


def enter(
    service: Service,
    route: Route,
    key: Key,
    path: dict[str, str],
    query: Content,
    content: Content,
    headers: Mapping[str, str],
    request_context: RequestContext,
) -> Operation[Any]:
    """Begin a call of an agents' route from inside the service, under the limits and checks of its HTTP twin."""
    if route.limit is not None:
        admission.limited(service, route.limit, key, None)
    taken = given(route, path, query, content, headers)
    taken.is_large = taken.is_large or is_large(orjson.dumps(content))
    return Operation(service, route, key, taken, headers, request_context)


async def perform(operation: Operation[Any]) -> Answer | web.StreamResponse:
    """Run the handler of a call in its transaction, and encode what it answers."""
    try:
        if operation.route.manages_transactions:
            return await _own(operation)
        return await operation.service.import_locks.with_retry(partial(_run, operation))
    finally:
        if operation.request_context is not None:
            await last_seen.note(operation.service, operation.caller, operation.request_context.agent_id)


async def _run(operation: Operation[Any]) -> Answer:
    work = partial(_handled, operation)
    if operation.route.before is not None:
        await operation.route.before(operation)
    if not operation.route.reads:
        answer = await operation.write(work)
    elif (kept := _kept(operation)) is not None:
        answer = kept
    elif operation.route.bulk or operation.parsed.is_bulk:
        answer = await operation.read(work)
    else:
        answer = await operation.read_auto(work)
    if isinstance(answer, ServiceError):
        raise answer
    return answer


def _kept(operation: Operation[Any]) -> Answer | None:
    """Give the answer that a route has kept, if it need not be made nor packed first."""
    kept = operation.route.cached
    if kept is None:
        return None
    answer: Answer | None = operation.read_inline(lambda call: kept(call, **operation.parsed.arguments))
    if answer is None or (operation.route.tagged and not is_ready(answer, operation.headers)):
        return None
    return add_etag(answer, operation.headers) if operation.route.tagged and operation.http else answer


def _handled(operation: Operation[Any], call: Call) -> Answer | ServiceError:
    """Run a handler; an error that it returns instead of raising is answered after the commit of what it wrote."""
    result = operation.route.handler(call, **operation.parsed.arguments)
    if isinstance(result, ServiceError):
        return result
    answer = encode(result)
    return add_etag(answer, operation.headers) if operation.route.tagged and operation.http else answer


async def _own(operation: Operation[Any]) -> Answer | web.StreamResponse:
    try:
        async with asyncio.timeout(None if operation.route.is_endless else request_body.TRANSFER_TIMEOUT_SECONDS):
            result = await operation.route.handler(operation, **operation.parsed.arguments)
    except TimeoutError:
        raise RequestTimeout(None, "This took longer than an hour; send less at a time.") from None
    return result if isinstance(result, web.StreamResponse) else encode(result)
