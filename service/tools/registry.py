"""The registry of tools, and what a tool sees of its caller: the operations behind the routes for agents."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar, get_type_hints

import orjson

from ..auth.authentication import API_KEY, Key
from ..auth.context import Call, Service
from ..errors import BadRequest, RequestContext, ServiceError
from ..http import json_body
from ..http.responses import Answer, encode
from ..pipeline import parsing, pipeline
from ..pipeline.routing import ROUTES, Route
from ..schemas import Input
from .bounding import TOKENS_DEFAULT, Long, bounded, shown
from .schemas import schema_of

Json = dict[str, Any]
T = TypeVar("T")
Then = Callable[[Any, Any], Any]  # from the call and its answer
LOOKS = "GET /organizations/{org_id}/columns/mcp"  # who may do this may look up what things are called


@dataclass(frozen=True)
class Elicitation:
    """What a client is to ask the person at it before a tool can answer; the call then comes again, with the state."""

    message: str
    schema: Json  # of the form
    state: str


@dataclass(frozen=True)
class Person:
    """The person at the client of a call: whether the client asks it, and what came of that, if it was asked."""

    can_be_asked: bool = False
    state: str | None = None  # of the inquiry, as the client brings it back
    said: Json | None = None  # the filled form; None if the person declined, or did not care


@dataclass(frozen=True)
class ToolContext:
    """One call of a tool: whose key, what headers of the request a route heeds, and who is at the client."""

    service: Service
    key: Key
    headers: Mapping[str, str]
    request_context: RequestContext
    person: Person = Person()

    def holding(self, token: str | None) -> "ToolContext":
        """Show the token of a claim with what follows, if there is one."""
        return replace(self, headers={**self.headers, "X-Claim-Token": token}) if token is not None else self

    def operation(
        self, twin: str, content: Json | None = None, query: Json | None = None, /, **path: str
    ) -> pipeline.Operation[Any]:
        """Begin the operation of a route `METHOD /path`, for what opens its own transactions."""
        found = _twins()[twin]
        if "{org_id}" in found.path:
            path["org_id"] = self.key.org_id
        given = {key: value for key, value in (query or {}).items() if value is not None}
        return pipeline.enter(
            self.service, found, self.key, path, given, dict(content or {}), self.headers, self.request_context
        )

    async def ask(
        self,
        twin: str,
        content: Json | None = None,
        query: Json | None = None,
        then: Then | None = None,
        /,
        **path: str,
    ) -> Any:
        """Do what a route `METHOD /path` does, under its limit and policy, and give its answer.

        Where there is more to say, `then` makes something else of the answer, in the same transaction.
        """
        operation = self.operation(twin, content, query, **path)
        if then is not None:
            operation.route = _followed(operation.route, then)
        return _decoded(await pipeline.perform(operation))

    def lookup(self, work: Callable[[Call], T], twin: str = LOOKS) -> T:
        """Look up what something is called, if the caller may look at all."""
        return self.operation(twin).read_inline(work)


def _followed(entry: Route, then: Then) -> Route:
    """Give a route that does the same, and answers what `then` makes of its answer."""

    def handler(call: Call, **arguments: Any) -> Any:
        done = entry.handler(call, **arguments)
        return done if isinstance(done, ServiceError) else orjson.dumps(then(call, _decoded(encode(done))))

    return replace(entry, handler=handler)


def _decoded(answer: Any) -> Any:
    assert isinstance(answer, Answer)
    return None if answer.body is None else orjson.loads(answer.body)


def _twins() -> dict[str, Route]:
    if not _TWINS:
        _TWINS.update({f"{entry.method} {entry.path}": entry for entry in ROUTES if entry.policy.scheme == API_KEY})
    return _TWINS


_TWINS: dict[str, Route] = {}


@dataclass(frozen=True)
class Block:
    """A part of a result that is not JSON: an image."""

    mime_type: str
    base64: str


@dataclass(frozen=True)
class Result:
    """What a tool answers: JSON, and perhaps an image beside it, or what is to be asked first."""

    answer: Json
    block: Block | None = None
    inquiry: Elicitation | None = None


Given = Json | Long | tuple[Long, Block] | Elicitation
Run = Callable[[ToolContext, Any], Awaitable[Given]]


@dataclass(frozen=True)
class Tool:
    """One tool: what agents read of it, and what it does."""

    name: str
    description: str
    takes: type[Input]
    run: Run
    reads: bool
    destroys: bool
    repeatable: bool  # called again with the same arguments it changes nothing more
    inquires: bool  # it may have the person at the client asked

    @cached_property
    def input_schema(self) -> Json:
        """Give the schema of its arguments."""
        return schema_of(self.takes)

    async def call(self, ctx: ToolContext, arguments: Json) -> Result:
        """Run the tool; raise the ServiceError that its operation raises, or validation_failed."""
        taken = parsing.validated(self.takes, _plain(arguments))
        done = await self.run(ctx, taken)
        if isinstance(done, Elicitation):
            return Result({}, inquiry=done)
        answer, block = done if isinstance(done, tuple) else (done, None)
        if isinstance(answer, Long):
            return Result(bounded(answer, getattr(taken, "max_tokens", TOKENS_DEFAULT)), block)
        return Result(shown(answer), block)


TOOLS: dict[str, Tool] = {}


def tool(
    description: str,
    *,
    reads: bool = False,
    destroys: bool = False,
    repeatable: bool = False,
    inquires: bool = False,
) -> Callable[[Run], Run]:
    """Declare a tool under the name of its function, which takes the ctx and its arguments."""

    def declare(run: Run) -> Run:
        name = str(run.__name__)
        takes = get_type_hints(run)["arguments"]
        TOOLS[name] = Tool(name, description, takes, run, reads, destroys, repeatable or reads, inquires)
        return run

    return declare


def _plain(arguments: Json) -> Json:
    """Judge arguments as the body of a request is judged: no lone surrogates, NULs or numbers of more than 64 bits."""
    try:
        raw = orjson.dumps(arguments)
    except TypeError as error:
        raise BadRequest("invalid_json", f"The arguments cannot be written as JSON: {error}.") from None
    return json_body.parse_object(raw)
