"""The route table, and the decorators that add a handler with its policy and rate limit."""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, get_args, get_type_hints

from ..auth.authentication import NONE
from ..auth.policies import Policy
from ..database.store import SHORT, ReadKind
from ..http.rate_limits import Limit
from ..schemas import Input, Query

PREFIX, STREAM = "/api/v1", "text/event-stream"
Handler = TypeVar("Handler", bound=Callable[..., Any])
Before = Callable[[Any], Awaitable[None]] | None
Cached = Callable[..., Any] | None


@dataclass(frozen=True, kw_only=True)
class Route:
    """An entry of the route table."""

    method: str
    path: str
    handler: Callable[..., Any]
    policy: Policy
    limit: Limit | None
    body: type[Input] | None
    many: type[Input] | None  # the body with `items`, on routes that accept several
    query: type[Query]
    reads: bool  # does not write
    repeatable: bool  # supports Idempotency-Key
    manages_transactions: bool  # the handler opens its transactions itself (slow work, streams)
    answers: Any  # the response, for the OpenAPI document: a model, a list or page of models, or a content type
    on_reader_thread: bool = False  # GET: may read many rows, so it runs on a reader thread instead of the event loop
    read_kind: ReadKind = SHORT  # of its reads on a reader thread
    cached: Cached = None  # returns a cached response or None, on the event loop
    before: Before = None  # slow work before the transaction
    tagged: bool = False  # the response has a content ETag, and is gzipped if large
    streams: bool = False  # the handler reads the body itself, in chunks
    marks_online: bool = True  # a request makes an approved agent online
    grows: bool = False  # needs room for more data (see growth.py)

    @property
    def needs_body(self) -> bool:
        """Return whether an empty body is rejected: not if every key of a POST is optional."""
        if self.body is None or self.body.is_optional or self.method == "DELETE":
            return False
        return self.method != "POST" or any(field.is_required() for field in self.body.model_fields.values())

    @property
    def is_endless(self) -> bool:
        """Return whether the response is an endless event stream."""
        return bool(self.answers == STREAM)


ROUTES: list[Route] = []


class Routes:
    """The decorators that add a handler to the route table; a policy is a required argument."""

    def get(
        self,
        path: str,
        policy: Policy,
        limit: Limit | None = None,
        on_reader_thread: bool = False,
        answers: Any = None,
        tagged: bool = False,
        cached: Cached = None,
        read_kind: ReadKind = SHORT,
    ) -> Callable[[Handler], Handler]:
        """Declare a GET route; `answers` is the type of the response if the handler returns encoded bytes or a stream.

        With `on_reader_thread` it may read many rows. First, `cached` is called on the event loop with the arguments of
        the handler, and returns a cached response or None.
        """
        options: dict[str, Any] = {"on_reader_thread": on_reader_thread, "read_kind": read_kind}
        return partial(_declare, "GET", path, policy, limit, answers, tagged=tagged, cached=cached, **options)

    def post(
        self,
        path: str,
        policy: Policy,
        limit: Limit | None = None,
        answers: Any = None,
        before: Before = None,
        streams: bool = False,
        marks_online: bool = True,
        grows: bool = True,
    ) -> Callable[[Handler], Handler]:
        """Declare a POST route; `before` does slow work before the transaction, and receives the operation.

        With `streams` the handler reads the body itself. Without `marks_online` not even a repeated request makes an
        agent online. Without `grows` it goes on when the disk is nearly full or the quota of the organization is used
        (growth.py).
        """
        options: dict[str, Any] = {"before": before, "streams": streams, "marks_online": marks_online, "grows": grows}
        return partial(_declare, "POST", path, policy, limit, answers, **options)

    def patch(
        self,
        path: str,
        policy: Policy,
        limit: Limit | None = None,
        answers: Any = None,
        before: Before = None,
        grows: bool = True,
    ) -> Callable[[Handler], Handler]:
        """Declare a PATCH route; `before` and `grows` as for POST."""
        return partial(_declare, "PATCH", path, policy, limit, answers, before=before, grows=grows)

    def put(
        self, path: str, policy: Policy, limit: Limit | None = None, answers: Any = None, grows: bool = True
    ) -> Callable[[Handler], Handler]:
        """Declare a PUT route; `grows` as for POST."""
        return partial(_declare, "PUT", path, policy, limit, answers, grows=grows)

    def delete(
        self, path: str, policy: Policy, limit: Limit | None = None, answers: Any = None
    ) -> Callable[[Handler], Handler]:
        """Declare a DELETE route, which always goes on: it frees space or ends something."""
        return partial(_declare, "DELETE", path, policy, limit, answers)


routes = Routes()


def _declare(
    method: str, path: str, policy: Policy, limit: Limit | None, answers: Any, handler: Handler, **options: Any
) -> Handler:
    hints = get_type_hints(handler)
    bodies = (*(get_args(hints.get("body")) or (hints.get("body"),)), None)
    route = Route(
        method=method,
        path=path,
        handler=handler,
        policy=policy,
        limit=limit,
        body=bodies[0],
        many=bodies[1],
        query=hints.get("query", Query),
        reads=method == "GET",
        repeatable=method != "GET" and policy.scheme != NONE,  # responses are stored per caller
        manages_transactions=inspect.iscoroutinefunction(handler),
        answers=answers or hints.get("return"),
        **options,
    )
    ROUTES.append(route)
    return handler
