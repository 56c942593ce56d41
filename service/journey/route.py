"""The journey of a request, from its headers to its answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from aiohttp import web

from .. import errors
from ..blobs import Blobs
from ..clock import now
from ..config import Settings
from ..credentials.tokens import Tokens
from ..credentials.vault import Vault
from ..database.store import Store, Tx
from ..delivery.listeners import Listeners
from ..delivery.senders import Senders
from ..errors import Journey, ServiceError
from ..tally import Tally
from . import access, retries
from .access import Call
from .answers import Answer, encode
from .caller import Caller, Callers, Key
from .inputs import Content, Taken, ascii_only, given, take
from .limits import Buckets, Limit, source_address
from .table import Route

ENCODED = {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-cache",
    "X-Content-Type-Options": "nosniff",
}
BARE = {name: value for name, value in ENCODED.items() if name != "Content-Type"}
T = TypeVar("T")


@dataclass
class Service:
    """The parts of a running service."""

    settings: Settings
    store: Store
    tokens: Tokens
    callers: Callers
    vault: Vault
    blobs: Blobs
    listeners: Listeners
    senders: Senders
    buckets: Buckets = field(default_factory=Buckets)
    tally: Tally = field(default_factory=Tally)
    seats: dict[tuple[str, str], access.Seat] = field(default_factory=dict)  # see access.py
    revisions: dict[str, int] = field(default_factory=dict)  # organization -> changes seen by this process
    boards: dict[tuple[str, str], tuple[int, bytes]] = field(default_factory=dict)  # see resources/board_flow.py
    clock: Callable[[], str] = now  # the time of its transactions; an argument, so that tests can move it

    def changed(self, org_id: str) -> None:
        """Note that something in an organization changed, and wake those who wait for it."""
        self.revisions[org_id] = self.revisions.get(org_id, 0) + 1
        self.listeners.wake(org_id)

    def forget_people(self) -> None:
        """Forget who may do what; run after a commit that changes a user, a key, a membership or a permission."""
        self.callers.forget()
        self.seats = {}


@dataclass(slots=True)
class Session:
    """A request whose handler opens its own transactions."""

    service: Service
    route: Route
    caller: Caller
    taken: Taken
    headers: Mapping[str, str]
    journey: Journey | None = None
    http: web.Request | None = None  # None for a tool of the bundled tool server

    @property
    def request(self) -> web.Request:
        """Give the HTTP request, for what only streams."""
        assert self.http is not None
        return self.http

    def about(self, card_id: str, agent_id: str | None = None) -> None:
        """Say which card, and which agent, a streamed body names: it is judged as if the path named them."""
        self.taken.path["card_id"] = card_id
        self.taken.agent_id = ascii_only(agent_id) or self.taken.agent_id

    def hear(self, content: bytes, is_last: bool = False) -> None:
        """Note a piece of a streamed body: by all of them it is known again if it is sent again."""
        if self.taken.retry is not None:
            self.taken.retry.feed(content, is_last)

    async def again(self) -> None:
        """See that the credential still holds, before a request that takes long looks again."""
        self.caller = await self.service.callers.identify(self.headers, self.route.gate.scheme)

    def peek(self, work: Callable[[Call], T]) -> T:
        """Admit the caller and read a few cached pages, right here on the event loop."""
        return self.service.store.peek(partial(self._unit, work))

    def read(self, work: Callable[[Call], T]) -> Awaitable[T]:
        """Admit the caller and read, in one transaction."""
        return self.service.store.read(partial(self._unit, work))

    def write(self, work: Callable[[Call], T], alone: bool = False, quick: bool = False) -> Awaitable[T]:
        """Admit the caller and write, in one transaction; alone if it is very much (see store.py).

        What the work returns is the answer to the request, so a handler does all its writing at once.
        """
        return self.service.store.write(partial(self._writing, work), alone, quick)

    def _unit(self, work: Callable[[Call], T], tx: Tx) -> T:
        return work(_admitted(self, tx))

    def _writing(self, work: Callable[[Call], T], tx: Tx) -> T:
        call = _admitted(self, tx)
        result = work(call)
        if self.taken.retry is not None and not isinstance(result, ServiceError):
            retries.keep(call, self.taken.retry, encode(result))
        return result


def _admitted(session: Session, tx: Tx) -> Call:
    taken, tx.clock = session.taken, session.service.clock
    reads = session.route.reads
    # Taken before the first statement: what this snapshot shows must not outlive a change in younger memory.
    seats = session.service.seats
    revision = session.service.revisions.get(taken.path.get("org_id", ""), 0)
    named = taken.org_id, taken.agent_id, taken.claim_token, taken.versions
    call = Call(tx, session.caller, session.service, taken.path, seats, revision, *named, writes=not reads)
    replay = partial(retries.replay, retry=taken.retry) if taken.retry else None
    try:
        access.admit(call, session.route.gate, replay)
    except ServiceError as error:
        if explain := session.route.gate.explain:
            explain(call, error, taken.arguments["body"])
        raise
    finally:
        if session.journey is not None and call.actor.type == "Agent":
            session.journey.agent_id = call.actor.id
    if not reads:
        tx.after(partial(session.service.changed, call.org_id))
    return call


async def serve(service: Service, route: Route, path: dict[str, str], request: web.Request) -> web.StreamResponse:
    """Take one HTTP request, for a route with these ids in its path, from its headers to its answer."""
    journey, headers = request[errors.JOURNEY], request.headers
    caller = await service.callers.identify(headers, route.gate.scheme)
    if caller is not None:
        journey.caller_id = caller.id
    if route.limit is not None:
        journey.rate_headers = _limited(service, route.limit, caller, request)
    if "Expect" in headers:
        await _invite(request)
    session = Session(service, route, caller, await take(route, path, request), headers, journey, request)
    try:
        answer = await perform(session)
    except retries.Replay as replay:
        answer = replay.answer
    if not isinstance(answer, Answer):
        return answer
    about = {**(BARE if answer.body is None else ENCODED), **answer.headers}
    return web.Response(body=answer.body, status=answer.status, headers=about)


async def _invite(request: web.Request) -> None:
    """Have a client send the body with which it waits (RFC 9110, section 10.1.1)."""
    if request.headers["Expect"].lower() != "100-continue":
        raise web.HTTPExpectationFailed
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    request.writer.output_size = 0  # the answer itself has not begun


def enter(
    service: Service,
    route: Route,
    key: Key,
    path: dict[str, str],
    query: Content,
    content: Content,
    headers: Mapping[str, str],
    journey: Journey,
) -> Session:
    """Begin a call of an agents' route from inside the service, under the limits and checks of its HTTP twin."""
    if route.limit is not None:
        _limited(service, route.limit, key, None)
    return Session(service, route, key, given(route, path, query, content, headers), headers, journey)


def perform(session: Session) -> Awaitable[Answer | web.StreamResponse]:
    """Run the handler of a call in its transaction, and encode what it answers."""
    return (_own if session.route.own_transactions else _run)(session)


async def _run(session: Session) -> Answer:
    work = partial(_handled, session)
    if not session.route.reads:
        answer = await session.write(work, quick=session.route.quick)
    elif session.route.bulk:
        answer = await session.read(work)
    else:
        answer = session.peek(work)
    if isinstance(answer, ServiceError):
        raise answer
    return answer


def _handled(session: Session, call: Call) -> Answer | ServiceError:
    """Run a handler; an error that it returns instead of raising is answered after the commit of what it wrote."""
    result = session.route.handler(call, **session.taken.arguments)
    return result if isinstance(result, ServiceError) else encode(result)


async def _own(session: Session) -> Answer | web.StreamResponse:
    result = await session.route.handler(session, **session.taken.arguments)
    return result if isinstance(result, web.StreamResponse) else encode(result)


def _limited(service: Service, limit: Limit, caller: Caller, request: web.Request | None) -> dict[str, str]:
    if service.settings.rate_limits == "disabled":
        return {}
    per_minute = limit.per_minute or getattr(service.settings, f"rate_limit_{limit.name}")
    if limit.by == "key" and caller is not None:
        return service.buckets.take(limit.name, caller.id, per_minute)
    assert request is not None
    address = source_address(request.remote, request.headers, service.settings.trusted_proxies)
    request[errors.JOURNEY].address = address
    return service.buckets.take(limit.name, address, per_minute)
