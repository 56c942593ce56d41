"""The OpenAPI 3.1 document, made from the route table that registers the routes."""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from aiohttp import web
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from .. import VERSION
from ..auth.authentication import API_KEY, JWT, NONE
from ..auth.policies import Policy
from ..http.rate_limits import Limit
from ..http.responses import Versioned
from ..pipeline import idempotency
from ..pipeline.routing import PREFIX, ROUTES, Route
from ..schemas import Query
from . import error_codes, request_bodies
from .chapters import about
from .examples import EXAMPLES
from .nouns import NOUNS
from .operation_ids import OPERATION_IDS
from .request_bodies import JSON, Json, Models

_PARAMETER = re.compile(r"\{(\w+)[^}]*\}")
TELLING = {"org_id", "card_id", "file_id", "move_request_id"}  # what is in a path and says which organization it is
_TEXT: Json = {"type": "string"}
SCHEMES: Json = {
    "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "From POST /auth/login."},
    "apiKey": {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`ApiKey <key>`, for agents."},
}
SECURITY: dict[str, list[Json]] = {JWT: [{"bearer": []}], API_KEY: [{"apiKey": []}], NONE: []}


class _Schemas(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        """Leave out titles that only repeat the name."""
        return False


@cache
def document() -> Json:
    """Build the document, once."""
    models, components = _components()
    paths: dict[str, Json] = {}
    for route in sorted(ROUTES, key=lambda route: (_noun(route), route.path, route.method)):
        path = _PARAMETER.sub(lambda match: "{" + _camel(match[1]) + "}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, models, components)
    queries = {models[route.query, "validation"]["$ref"].rpartition("/")[2] for route in ROUTES}
    schemas = {name: schema for name, schema in components.items() if name not in queries}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tandem", "version": VERSION, "description": about()},
        "servers": [{"url": PREFIX}],
        "tags": [_tag(name) for name in sorted({_noun(route) for route in ROUTES})],
        "paths": paths,
        "components": {"schemas": {**schemas, "Error": error_codes.ENVELOPE}, "securitySchemes": SCHEMES},
    }


def _tag(noun: str) -> Json:
    return {"name": noun, "description": NOUNS[noun].strip()} if noun in NOUNS else {"name": noun}


def _components() -> tuple[Models, Json]:
    """Give the schemas of all models that routes name, and what to refer to each by."""
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for route in ROUTES:
        wanted += [(model, "validation") for model in (route.body, route.many, route.query) if model]
        wanted += [(model, "serialization") for model in _models(route.answers)]
    models, definitions = models_json_schema(
        list(dict.fromkeys(wanted)), ref_template="#/components/schemas/{model}", schema_generator=_Schemas
    )
    components = definitions["$defs"]
    for name, example in EXAMPLES.items():
        if name in components:
            components[name]["examples"] = [example]
    return models, components  # type: ignore[return-value]


def _models(answers: Any) -> Iterator[type[BaseModel]]:
    if isinstance(answers, type) and issubclass(answers, BaseModel):
        yield answers
    for part in get_args(answers):
        yield from _models(part)


def _noun(route: Route) -> str:
    return str(route.handler.__module__).rpartition(".")[2]


def _operation_id(route: Route) -> str:
    name = f"{_noun(route)}.{route.handler.__name__}"
    return OPERATION_IDS.get(name, name)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _operation(route: Route, models: Models, components: Json) -> Json:
    summary, _, more = (inspect.getdoc(route.handler) or "").partition("\n")
    twin = "_mcp" if "mcp" in route.path.split("/") else ""
    operation: Json = {
        "operationId": f"{_operation_id(route)}{twin}",
        "tags": [_noun(route)],
        "summary": summary,
        "description": "\n\n".join(filter(None, [more.strip(), in_words(route.policy)])),
        "security": SECURITY[route.policy.scheme],
        "parameters": [*_path_parameters(route), *_query_parameters(route, models, components), *_headers(route)],
        "responses": _responses(route, models),
        "x-gate": {"scheme": route.policy.scheme, "sa": route.policy.sa, "policy": str(route.policy)},
    }
    if body := request_bodies.described(route, models, components):
        operation["requestBody"] = body
    if route.limit:
        operation["x-rate-limit"] = _shown_limit(route.limit)
    return operation


def in_words(policy: Policy) -> str:
    """Say in a sentence whom a policy lets in."""
    if policy.scheme == NONE:
        return "Open to anyone."
    if policy.scheme == API_KEY:
        who = "Keys of the organization, whoever registered with them" if policy.unregistered else "Agents"
        who += ", before approval too" if policy.pending and not policy.unregistered else ""
        where = [flag.removeprefix("agent_").replace("_", " ") for flag in policy.flags]
        return who + (f", where the card's column has {' and '.join(where)} on." if where else ".")
    if not policy.organization:
        return "Any signed-in person."
    who = "Solution Architects of the organization" if policy.sa else "Members of the organization"
    return who + (
        f", if the permission {policy.resource}:{policy.action} is in their role." if policy.resource else "."
    )


def _path_parameters(route: Route) -> list[Json]:
    names = [_camel(name) for name in _PARAMETER.findall(route.path)]
    return [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in names]


def _query_parameters(route: Route, models: Models, components: Json) -> list[Json]:
    if route.query is Query:
        return []
    schema = components[models[route.query, "validation"]["$ref"].rpartition("/")[2]]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": value}
        for name, value in schema["properties"].items()
    ]


def _headers(route: Route) -> list[Json]:
    policy, headers = route.policy, []
    if policy.scheme == API_KEY and "{agent_id}" not in route.path:
        headers += [_header("X-Agent-Id", "The agent that is calling, if the key alone does not tell.")]
    if policy.scheme == JWT and policy.organization and not TELLING & set(_PARAMETER.findall(route.path)):
        headers += [_header("X-Organization-Id", "The organization, if not the one that the token names.")]
    if policy.flags:
        headers += [_header("X-Claim-Token", "The token of the caller's claim; refused if it is no longer that.")]
    if policy.versioned:
        headers += [_header("If-Match", "Write only if the card still has one of these ETags.")]
    if route.repeatable:
        headers += [_header(idempotency.HEADER, "1 to 255 characters; sent again, the request is answered as before.")]
    if route.tagged:
        headers += [_header("If-None-Match", "Answer 304 if the content still has one of these ETags.")]
    if route.answers == "text/event-stream":
        headers += [_header("Last-Event-ID", "Go on after this event.")]
    return headers


def _header(name: str, description: str) -> Json:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": _TEXT}


def _responses(route: Route, models: Models) -> Json:
    parts = get_args(route.answers) if get_origin(route.answers) in (Union, UnionType) else (route.answers,)
    headers = _answer_headers(route, parts)
    responses: Json = {}
    if something := [part for part in parts if part not in (None, NoneType)]:
        responses["200"] = {"description": "Done.", **headers, "content": _content(something, models)}
    if len(something) < len(parts):
        responses["204"] = {"description": "Done; there is nothing to show.", **headers}
    if route.tagged:
        responses["304"] = {"description": "The content is what the caller has already."}
    return {**responses, **error_codes.of(route)}


def _answer_headers(route: Route, parts: tuple[Any, ...]) -> Json:
    headers: Json = {**error_codes.RATE_HEADERS} if route.limit else {}
    if any(issubclass(part, Versioned) for part in parts if isinstance(part, type)):
        headers["ETag"] = {"schema": _TEXT, "description": "The version, for If-Match."}
    if route.tagged:
        headers["ETag"] = {"schema": _TEXT, "description": "Weak, of the content; for If-None-Match."}
    if route.repeatable:
        headers[idempotency.REPLAYED] = {
            "schema": _TEXT,
            "description": "`true` if this is the answer of an earlier one.",
        }
    return {"headers": headers} if headers else {}


def _content(answers: list[Any], models: Models) -> Json:
    if isinstance(answers[0], str):
        return {answers[0]: {"schema": {"type": "object"} if answers[0] == JSON else {}}}
    if issubclass(get_origin(answers[0]) or answers[0], web.StreamResponse):
        return {"*/*": {"schema": {}}}  # of the file's own kind
    schemas = [_schema(answer, models) for answer in answers]
    return {JSON: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}


def _schema(answer: Any, models: Models) -> Json:
    if get_origin(answer) is list:
        return {"type": "array", "items": _schema(get_args(answer)[0], models)}
    return models.get((answer, "serialization"), {})


def _shown_limit(limit: Limit) -> Json:
    return {"name": limit.name, "by": limit.by, "perMinute": limit.per_minute}
