"""The registry of tools, and the context in which a tool calls agent routes.

An agent route is a route that accepts API keys. A tool calls one by its handler, inside the process: rate limits,
policies and transactions are those of the HTTP request.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar, get_type_hints

import orjson

from ..auth.authentication import API_KEY, Key
from ..auth.context import Call, Service
from ..errors import BadRequest, RequestContext, ServiceError
from ..http import json_body
from ..http.responses import Answer, encode
from ..pipeline import parsing, pipeline
from ..pipeline.routing import ROUTES, Route
from ..resources import columns
from ..schemas import Input
from .arguments import normalize
from .schemas import build_schema
from .token_limit import TOKENS_DEFAULT, TruncatableResult, count_tokens, drop_nulls, truncate

Json = dict[str, Any]
T = TypeVar("T")
Handler = Callable[..., Any]
Transform = Callable[[Any, Any], Any]  # from the call of a handler and its response
DEPRECATED_UNTIL = "0.4"  # the version that has no deprecated tools any more
LOOKUP_HANDLER: Handler = columns.list_columns  # its policy decides whether a caller may look up names


@dataclass(frozen=True)
class Elicitation:
    """A form for the user of the client; the client calls the tool again with the state and the user's answer."""

    message: str
    schema: Json  # of the form
    state: str


@dataclass(frozen=True)
class ClientUser:
    """The user of the client that calls a tool: whether the client can show forms, and the answer to a form."""

    can_be_asked: bool = False
    state: str | None = None  # of the elicitation, as the client returns it
    answer: Json | None = None  # the completed form; None if the user declined or closed it


@dataclass(frozen=True)
class ToolContext:
    """The context of one tool call: API key, the headers that routes read, and the user of the client."""

    service: Service
    key: Key
    headers: Mapping[str, str]
    request_context: RequestContext
    user: ClientUser = ClientUser()

    def with_claim_token(self, token: str | None) -> "ToolContext":
        """Return a context whose calls carry the token of a claim; the same context without a token."""
        return replace(self, headers={**self.headers, "X-Claim-Token": token}) if token is not None else self

    def create_operation(
        self, handler: Handler, content: Json | None = None, query: Json | None = None, /, **path: str
    ) -> pipeline.Operation[Any]:
        """Return the operation of an agent route, for handlers that manage their transactions themselves."""
        route = _agent_routes()[handler]
        if "{org_id}" in route.path:
            path["org_id"] = self.key.org_id
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        return pipeline.start_call(
            self.service, route, self.key, path, parameters, dict(content or {}), self.headers, self.request_context
        )

    async def call(
        self,
        handler: Handler,
        content: Json | None = None,
        query: Json | None = None,
        transform: Transform | None = None,
        /,
        **path: str,
    ) -> Any:
        """Call an agent route under its rate limit and policy, and return its JSON response; raise ServiceError.

        `transform` turns the response into another one, in the transaction of the route.
        """
        operation = self.create_operation(handler, content, query, **path)
        if transform is not None:
            operation.route = _add_transform(operation.route, transform)
        return _decode(await pipeline.run_operation(operation))

    def lookup(self, work: Callable[[Call], T], handler: Handler = LOOKUP_HANDLER) -> T:
        """Read names or ids under the policy of an agent route; raise ServiceError."""
        return self.create_operation(handler).read_inline(work)


def _add_transform(route: Route, transform: Transform) -> Route:
    """Return a copy of a route whose response passes through `transform`."""

    def handler(call: Call, **arguments: Any) -> Any:
        response = route.handler(call, **arguments)
        if isinstance(response, ServiceError):
            return response
        return orjson.dumps(transform(call, _decode(encode(response))))

    return replace(route, handler=handler)


def _decode(response: Any) -> Any:
    assert isinstance(response, Answer)
    return None if response.body is None else orjson.loads(response.body)


def _agent_routes() -> dict[Handler, Route]:
    if not _AGENT_ROUTES:
        _AGENT_ROUTES.update({route.handler: route for route in ROUTES if route.policy.scheme == API_KEY})
    return _AGENT_ROUTES


_AGENT_ROUTES: dict[Handler, Route] = {}  # filled by the first call, when all routes are declared


@dataclass(frozen=True)
class ImageContent:
    """An image in the result of a tool."""

    mime_type: str
    base64: str


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool: JSON with an optional image, or an elicitation."""

    content: Json
    image: ImageContent | None = None
    elicitation: Elicitation | None = None


ToolOutput = Json | TruncatableResult | tuple[TruncatableResult, ImageContent] | Elicitation
ToolFunction = Callable[[ToolContext, Any], Awaitable[ToolOutput]]


@dataclass(frozen=True)
class Tool:
    """A tool: its name, title, description and hints for agents, the model of its arguments, and its function.

    A tool that is not listed can be called all the same. `replacement` says what replaces a deprecated one.
    """

    name: str
    arguments_model: type[Input]
    run: ToolFunction
    title: str = ""
    description: str = ""
    is_listed: bool = True
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    can_elicit: bool = False
    replacement: str | None = None

    @property
    def deprecation(self) -> Json:
        """Return the first key of each result and error of a deprecated tool; nothing for other tools."""
        if self.replacement is None:
            return {}
        return {"deprecated": f"{self.name} ends with version {DEPRECATED_UNTIL}. {self.replacement}"}

    @cached_property
    def input_schema(self) -> Json:
        """Return the JSON schema of its arguments."""
        return build_schema(self.arguments_model)

    async def call(self, ctx: ToolContext, arguments: Json) -> ToolResult:
        """Run the tool; raise the ServiceError of its operation, or validation_failed for wrong arguments."""
        parsed = parsing.validate(self.arguments_model, self._normalize(_parse_json(arguments)))
        output = await self.run(ctx, parsed)
        if isinstance(output, Elicitation):
            return ToolResult({}, elicitation=output)
        content, image = output if isinstance(output, tuple) else (output, None)
        if isinstance(content, TruncatableResult):
            tokens = getattr(parsed, "max_tokens", TOKENS_DEFAULT) - count_tokens(self.deprecation)
            return ToolResult(truncate(content, tokens), image)
        return ToolResult(drop_nulls(content), image)

    def _normalize(self, arguments: Json) -> Json:
        normalized: Json = normalize(self.input_schema, arguments)
        return normalized if normalized == arguments else _parse_json(normalized)  # checks what the JSON texts contain


TOOLS: dict[str, Tool] = {}


def tool(
    title: str,
    description: str,
    *,
    read_only: bool = False,
    destructive: bool = False,
    idempotent: bool = False,
    elicits: bool = False,
) -> Callable[[ToolFunction], ToolFunction]:
    """Register a function as a tool of the same name. Its parameters are the context and the arguments.

    The flags are the hints of the protocol; `elicits` marks a tool that may return an Elicitation.
    """
    return partial(
        _register,
        title=title,
        description=description,
        is_read_only=read_only,
        is_destructive=destructive,
        is_idempotent=idempotent or read_only,
        can_elicit=elicits,
    )


def unlisted_tool(replacement: str | None = None) -> Callable[[ToolFunction], ToolFunction]:
    """Register a function as a tool that is not listed; with a replacement, as a deprecated one."""
    return partial(_register, is_listed=False, replacement=replacement)


def _register(run: ToolFunction, **properties: Any) -> ToolFunction:
    name = str(run.__name__)
    TOOLS[name] = Tool(name, get_type_hints(run)["arguments"], run, **properties)
    return run


def _parse_json(arguments: Json) -> Json:
    """Check arguments like the body of a request: no lone surrogates, NULs or numbers of more than 64 bits."""
    try:
        raw = orjson.dumps(arguments)
    except TypeError as error:
        raise BadRequest("invalid_json", f"The arguments cannot be written as JSON: {error}.") from None
    return json_body.parse_object(raw)
