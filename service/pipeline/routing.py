"""The route table, and the decorators that fill it: the line above a handler says who may call it, and how often."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_args, get_type_hints

from ..auth.authentication import NONE
from ..auth.policies import Policy
from ..http.rate_limits import Limit
from ..schemas import Input, Query

PREFIX, STREAM = "/api/v1", "text/event-stream"
Handler = TypeVar("Handler", bound=Callable[..., Any])
Before = Callable[[Any], Awaitable[None]] | None
Cached = Callable[..., Any] | None


@dataclass(frozen=True)
class Route:
    """One line of the route table."""

    method: str
    path: str
    handler: Callable[..., Any]
    policy: Policy
    limit: Limit | None
    bulk: bool
    cached: Cached  # gives its answer right away where that is known
    before: Before  # what takes a while and is done before the transaction
    tagged: bool  # its answer carries a tag of its content, and comes in gzip where it is large
    body: type[Input] | None
    many: type[Input] | None  # the body with `items`, where several can be sent at once
    query: type[Query]
    reads: bool  # it leaves the database as it is
    repeatable: bool  # it takes an Idempotency-Key
    manages_transactions: bool  # the handler opens its transactions itself (slow work, streams)
    streams: bool  # the handler reads the body itself, piece by piece
    answers: Any  # what it answers, for the OpenAPI document: a model, a list or page of them, or a content type

    @property
    def needs_body(self) -> bool:
        """Tell whether a request without a body is refused: not where a POST may leave out every key."""
        if self.body is None or self.body.is_optional or self.method == "DELETE":
            return False
        return self.method != "POST" or any(field.is_required() for field in self.body.model_fields.values())

    @property
    def is_endless(self) -> bool:
        """Tell whether its answer goes on for as long as somebody listens."""
        return bool(self.answers == STREAM)


ROUTES: list[Route] = []


class Routes:
    """The decorators that put a handler into the table; a policy is a required argument."""

    def get(
        self,
        path: str,
        policy: Policy,
        limit: Limit | None = None,
        bulk: bool = False,
        answers: Any = None,
        tagged: bool = False,
        cached: Cached = None,
    ) -> Callable[[Handler], Handler]:
        """Declare a route that reads; `answers` says what, where the handler returns encoded bytes or a stream.

        A `bulk` route may read many rows, on a reader thread; first, `cached` is called on the event loop with the
        arguments of the handler, and returns a cached response or None.
        """
        return partial(_declare, "GET", path, policy, limit, bulk, tagged, answers, cached=cached)

    def post(
        self,
        path: str,
        policy: Policy,
        limit: Limit | None = None,
        answers: Any = None,
        before: Before = None,
        streams: bool = False,
        bulk: bool = False,
    ) -> Callable[[Handler], Handler]:
        """Declare a POST route; `before` does what takes a while with its operation, before the transaction begins.

        The handler of one that `streams` reads the body itself. What is `bulk` may write much: of each caller one is
        written at a time.
        """
        return partial(_declare, "POST", path, policy, limit, bulk, False, answers, before=before, streams=streams)

    def patch(
        self, path: str, policy: Policy, limit: Limit | None = None, answers: Any = None, before: Before = None
    ) -> Callable[[Handler], Handler]:
        """Declare a PATCH route; `before` as for POST."""
        return partial(_declare, "PATCH", path, policy, limit, False, False, answers, before=before)

    def put(
        self, path: str, policy: Policy, limit: Limit | None = None, answers: Any = None
    ) -> Callable[[Handler], Handler]:
        """Declare a PUT route."""
        return partial(_declare, "PUT", path, policy, limit, False, False, answers)

    def delete(self, path: str, policy: Policy, limit: Limit | None = None) -> Callable[[Handler], Handler]:
        """Declare a DELETE route."""
        return partial(_declare, "DELETE", path, policy, limit, False, False, None)


routes = Routes()


def _declare(
    method: str,
    path: str,
    policy: Policy,
    limit: Limit | None,
    bulk: bool,
    tagged: bool,
    answers: Any,
    handler: Handler,
    before: Before = None,
    cached: Cached = None,
    streams: bool = False,
) -> Handler:
    hints = get_type_hints(handler)
    shapes = (*(get_args(hints.get("body")) or (hints.get("body"),)), None)
    taken: dict[str, Any] = {"body": shapes[0], "many": shapes[1], "query": hints.get("query", Query)}
    own, answers = inspect.iscoroutinefunction(handler), answers or hints.get("return")
    kind: dict[str, Any] = {"reads": method == "GET", "manages_transactions": own, "streams": streams}
    kind["repeatable"] = method == "POST" and policy.scheme != NONE  # cached for a caller, so there must be one
    route = Route(method, path, handler, policy, limit, bulk, cached, before, tagged, **taken, **kind, answers=answers)
    ROUTES.append(route)
    return handler
