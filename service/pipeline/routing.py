"""The route table, and the decorators that fill it: the line above a handler says who may call it, and how often."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_args, get_type_hints

from ..auth.authentication import NONE
from ..auth.policies import Gate
from ..http.rate_limits import Limit
from ..schemas import Input, Query

PREFIX, STREAM = "/api/v1", "text/event-stream"
Handler = TypeVar("Handler", bound=Callable[..., Any])
Before = Callable[[Any], Awaitable[None]] | None
Kept = Callable[..., Any] | None


@dataclass(frozen=True)
class Route:
    """One line of the route table."""

    method: str
    path: str
    handler: Callable[..., Any]
    gate: Gate
    limit: Limit | None
    bulk: bool
    kept: Kept  # gives its answer right away where that is known
    before: Before  # what takes a while and is done before the transaction
    tagged: bool  # its answer carries a tag of its content, and comes in gzip where it is large
    body: type[Input] | None
    many: type[Input] | None  # the body with `items`, where several can be sent at once
    query: type[Query]
    reads: bool  # it leaves the database as it is
    repeatable: bool  # it takes an Idempotency-Key
    own_transactions: bool  # the handler opens its transactions itself (slow work, streams)
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


TABLE: list[Route] = []


class Routes:
    """The decorators that put a handler into the table; a gate is a required argument."""

    def get(
        self,
        path: str,
        gate: Gate,
        limit: Limit | None = None,
        bulk: bool = False,
        answers: Any = None,
        tagged: bool = False,
        kept: Kept = None,
    ) -> Callable[[Handler], Handler]:
        """Declare a route that reads; `answers` says what, where the handler returns encoded bytes or a stream.

        What is `bulk` may read much, on a thread; before that `kept` is asked, with the arguments of the handler and on
        the event loop, for an answer that is there already (else None).
        """
        return partial(_declare, "GET", path, gate, limit, bulk, tagged, answers, kept=kept)

    def post(
        self,
        path: str,
        gate: Gate,
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
        return partial(_declare, "POST", path, gate, limit, bulk, False, answers, before=before, streams=streams)

    def patch(
        self, path: str, gate: Gate, limit: Limit | None = None, answers: Any = None, before: Before = None
    ) -> Callable[[Handler], Handler]:
        """Declare a PATCH route; `before` as for POST."""
        return partial(_declare, "PATCH", path, gate, limit, False, False, answers, before=before)

    def put(
        self, path: str, gate: Gate, limit: Limit | None = None, answers: Any = None
    ) -> Callable[[Handler], Handler]:
        """Declare a PUT route."""
        return partial(_declare, "PUT", path, gate, limit, False, False, answers)

    def delete(self, path: str, gate: Gate, limit: Limit | None = None) -> Callable[[Handler], Handler]:
        """Declare a DELETE route."""
        return partial(_declare, "DELETE", path, gate, limit, False, False, None)


routes = Routes()


def _declare(
    method: str,
    path: str,
    gate: Gate,
    limit: Limit | None,
    bulk: bool,
    tagged: bool,
    answers: Any,
    handler: Handler,
    before: Before = None,
    kept: Kept = None,
    streams: bool = False,
) -> Handler:
    hints = get_type_hints(handler)
    shapes = (*(get_args(hints.get("body")) or (hints.get("body"),)), None)
    taken: dict[str, Any] = {"body": shapes[0], "many": shapes[1], "query": hints.get("query", Query)}
    own, answers = inspect.iscoroutinefunction(handler), answers or hints.get("return")
    kind: dict[str, Any] = {"reads": method == "GET", "own_transactions": own, "streams": streams}
    kind["repeatable"] = method == "POST" and gate.scheme != NONE  # kept for a caller, so there must be one
    route = Route(method, path, handler, gate, limit, bulk, kept, before, tagged, **taken, **kind, answers=answers)
    TABLE.append(route)
    return handler
