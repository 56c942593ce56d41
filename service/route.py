"""How a route is declared, and `serve`: the journey of a request."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, get_type_hints

import orjson
import pydantic
from aiohttp import web

from . import access, errors, log
from .access import Call, Gate
from .blobs import Blobs
from .caller import API_KEY, Caller, Callers
from .config import Settings
from .errors import BadRequest, UnsupportedMediaType
from .limits import Buckets, Limit, source_address
from .store import Store, Tx
from .tokens import Tokens
from .vault import Vault
from .wire import Input, Output, Query, problems

PREFIX = "/api/v1"
ENCODED = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
}
T = TypeVar("T")
Handler = TypeVar("Handler", bound=Callable[..., Any])


@dataclass
class Service:
    """The parts of a running service."""

    settings: Settings
    store: Store
    tokens: Tokens
    callers: Callers
    vault: Vault
    blobs: Blobs
    buckets: Buckets = field(default_factory=Buckets)
    seats: dict[tuple[str, str], access.Seat] = field(default_factory=dict)  # see access.py
    revisions: dict[str, int] = field(default_factory=dict)  # organization -> changes seen by this process
    boards: dict[tuple[str, str], tuple[int, bytes]] = field(default_factory=dict)  # see resources/board_flow.py

    def changed(self, org_id: str) -> None:
        """Note that something in an organization changed."""
        self.revisions[org_id] = self.revisions.get(org_id, 0) + 1

    def forget_people(self) -> None:
        """Forget who may do what; run after a commit that changes a user, a key, a membership or a permission."""
        self.callers.forget()
        self.seats = {}


SERVICE = web.AppKey("service", Service)


@dataclass(slots=True)
class Answer:
    """An encoded answer, where a handler says more than its body."""

    body: bytes | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Route:
    """One line of the route table."""

    method: str
    path: str
    handler: Callable[..., Any]
    gate: Gate
    limit: Limit | None
    bulk: bool
    body: type[Input] | None
    query: type[Query]
    reads: bool  # it leaves the database as it is
    own_transactions: bool  # the handler opens its transactions itself (slow work, streams)
    answers: Any  # what it answers, for the OpenAPI document: a model, a list or page of them, or a content type


TABLE: list[Route] = []


class Routes:
    """The decorators that put a handler into the table; a gate is a required argument."""

    def get(
        self, path: str, gate: Gate, limit: Limit | None = None, bulk: bool = False, answers: Any = None
    ) -> Callable[[Handler], Handler]:
        """Declare a route that reads; `answers` says what, where the handler returns encoded bytes or a stream."""
        return partial(_declare, "GET", path, gate, limit, bulk, answers)

    def post(
        self, path: str, gate: Gate, limit: Limit | None = None, answers: Any = None
    ) -> Callable[[Handler], Handler]:
        """Declare a POST route."""
        return partial(_declare, "POST", path, gate, limit, False, answers)

    def patch(self, path: str, gate: Gate, limit: Limit | None = None) -> Callable[[Handler], Handler]:
        """Declare a PATCH route."""
        return partial(_declare, "PATCH", path, gate, limit, False, None)

    def delete(self, path: str, gate: Gate, limit: Limit | None = None) -> Callable[[Handler], Handler]:
        """Declare a DELETE route."""
        return partial(_declare, "DELETE", path, gate, limit, False, None)


routes = Routes()


def _declare(
    method: str, path: str, gate: Gate, limit: Limit | None, bulk: bool, answers: Any, handler: Handler
) -> Handler:
    hints = get_type_hints(handler)
    taken: dict[str, Any] = {"body": hints.get("body"), "query": hints.get("query", Query)}
    own, answers = inspect.iscoroutinefunction(handler), answers or hints.get("return")
    kind: dict[str, Any] = {"reads": method == "GET", "own_transactions": own}
    route = Route(method, path, handler, gate, limit, bulk, **taken, **kind, answers=answers)
    TABLE.append(route)
    return handler


@dataclass(slots=True)
class Taken:
    """What a request brought: path ids, the models of body and query, the headers that name somebody."""

    arguments: dict[str, Any]
    path: dict[str, str]
    org_id: str | None
    agent_id: str | None


@dataclass(slots=True)
class Session:
    """A request whose handler opens its own transactions."""

    service: Service
    route: Route
    caller: Caller
    taken: Taken
    request: web.Request

    def about(self, card_id: str, agent_id: str | None = None) -> None:
        """Say which card, and which agent, a streamed body names: it is judged as if the path named them."""
        self.taken.path["card_id"] = card_id
        self.taken.agent_id = _ascii(agent_id) or self.taken.agent_id

    def peek(self, work: Callable[[Call], T]) -> T:
        """Admit the caller and read a few cached pages, right here on the event loop."""
        return self.service.store.peek(partial(self._unit, work))

    async def read(self, work: Callable[[Call], T]) -> T:
        """Admit the caller and read, in one transaction."""
        return await self.service.store.read(partial(self._unit, work))

    async def write(self, work: Callable[[Call], T], alone: bool = False) -> T:
        """Admit the caller and write, in one transaction; alone if it is very much (see store.py)."""
        return await self.service.store.write(partial(self._unit, work), alone)

    def _unit(self, work: Callable[[Call], T], tx: Tx) -> T:
        return work(_admitted(self, tx))


def _admitted(session: Session, tx: Tx) -> Call:
    taken = session.taken
    reads = session.route.reads
    # Taken before the first statement: what this snapshot shows must not outlive a change in younger memory.
    seats = session.service.seats if reads else {}
    revision = session.service.revisions.get(taken.path.get("org_id", ""), 0)
    call = Call(tx, session.caller, session.service, taken.path, seats, revision, taken.org_id, taken.agent_id)
    access.admit(call, session.route.gate)
    if not reads:
        tx.after(partial(session.service.changed, call.org_id))
    return call


async def serve(route: Route, request: web.Request) -> web.StreamResponse:
    """Take one request from its headers to its answer."""
    service = request.app[SERVICE]
    caller = await service.callers.identify(request.headers, route.gate.scheme)
    if caller is not None:
        request[log.CALLER_ID] = caller.id
    request[errors.RATE_HEADERS] = _limited(service, route, request, caller)
    session = Session(service, route, caller, await take(route, request), request)
    answer = await (_own if route.own_transactions else _run)(session)
    if isinstance(answer, web.StreamResponse):
        return answer
    return web.Response(body=answer.body, status=answer.status, headers={**ENCODED, **answer.headers})


async def _run(session: Session) -> Answer:
    unit = partial(_unit, session)
    if not session.route.reads:
        return await session.service.store.write(unit)
    store = session.service.store
    return await store.read(unit) if session.route.bulk else store.peek(unit)


def _unit(session: Session, tx: Tx) -> Answer:
    return encode(session.route.handler(_admitted(session, tx), **session.taken.arguments))


async def _own(session: Session) -> Answer | web.StreamResponse:
    result = await session.route.handler(session, **session.taken.arguments)
    return result if isinstance(result, web.StreamResponse) else encode(result)


def encode(result: Any) -> Answer:
    """Encode what a handler returned: nothing is 204, bytes are JSON that the database made."""
    if isinstance(result, Output):
        return Answer(result.encode())
    if isinstance(result, list):
        return Answer(b"[" + b",".join([item.encode() for item in result]) + b"]")
    if isinstance(result, bytes):
        return Answer(result)
    if result is None:
        return Answer(None, 204)
    assert isinstance(result, Answer)
    return result


def _limited(service: Service, route: Route, request: web.Request, caller: Caller) -> dict[str, str]:
    limit = route.limit
    if limit is None or service.settings.rate_limits == "disabled":
        return {}
    per_minute = limit.per_minute or getattr(service.settings, f"rate_limit_{limit.name}")
    if limit.by == "key" and caller is not None:
        return service.buckets.take(limit.name, caller.id, per_minute)
    address = source_address(request.remote, request.headers, service.settings.trusted_proxies)
    request[log.ADDRESS] = address
    return service.buckets.take(limit.name, address, per_minute)


async def take(route: Route, request: web.Request) -> Taken:
    """Read body and query into the models that the handler names; lift the agent's id out of the body."""
    path = dict(request.match_info)
    arguments: dict[str, Any] = dict(path)
    agent_id = request.headers.get("X-Agent-Id")
    if route.query is not Query:
        arguments["query"] = _validated(route.query, dict(request.query))
    elif request.query_string:
        _validated(Query, dict(request.query))
    if not route.reads and not (route.own_transactions and route.body is None):
        content = _parsed(await request.read(), request, route)
        if route.gate.scheme == API_KEY and "agentId" in content:
            agent_id = _text(content.pop("agentId"))
        body = _validated(route.body or Input, content)
        if route.body:
            arguments["body"] = body
    return Taken(arguments, path, _ascii(request.headers.get("X-Organization-Id")), _ascii(agent_id))


def _ascii(header: str | None) -> str | None:
    return None if header is None else header.encode("ascii", "replace").decode()


def _text(agent_id: Any) -> str | None:
    if agent_id is not None and not isinstance(agent_id, str):
        raise errors.invalid("agentId", "must be a string")
    return agent_id


def _parsed(raw: bytes, request: web.Request, route: Route) -> dict[str, Any]:
    if not raw:
        if route.body is not None and route.method != "DELETE":
            raise BadRequest("invalid_json", "The body is empty; send a JSON object.")
        return {}
    kind = request.content_type
    if "Content-Type" in request.headers and kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMediaType(None, f"This route takes application/json, not {kind[:100]}.")
    return json_object(raw)


def json_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object; raise invalid_json or validation_failed."""
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadRequest("invalid_json", f"The body is not valid JSON: {error}.") from None
    if not isinstance(content, dict):
        raise BadRequest("invalid_json", "The body must be a JSON object.")
    if b"\\u0000" in raw and _has_nul(content):
        # SQLite ends a text at a NUL character, so half of such a value would be lost.
        raise errors.invalid("", "text may not contain NUL characters")
    return content


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(part) for item in value.items() for part in item)
    return isinstance(value, list) and any(_has_nul(item) for item in value)


Model = TypeVar("Model", bound=pydantic.BaseModel)


def _validated(model: type[Model], content: dict[str, Any]) -> Model:
    try:
        return model.model_validate(content)
    except pydantic.ValidationError as error:
        raise errors.invalid_fields(problems(error, model)) from None


def handler_of(route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """Make the aiohttp handler of a route."""
    return partial(serve, route)


def register(router: web.UrlDispatcher, prefix: str = PREFIX) -> None:
    """Give the whole table to the router; the routes asked for most come first."""
    for route in sorted(TABLE, key=lambda route: ("/cards/{card_id}" not in route.path, len(route.path))):
        if route.method == "GET":
            router.add_get(prefix + route.path, handler_of(route))
        else:
            router.add_route(route.method, prefix + route.path, handler_of(route))
