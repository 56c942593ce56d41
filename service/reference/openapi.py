"""OpenAPI 3.1 document, generated from the route table."""

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
from ..auth import agent_sessions
from ..auth.authentication import API_KEY, JWT, NONE
from ..auth.policies import Policy
from ..http.rate_limits import Limit
from ..http.responses import Versioned
from ..pipeline import idempotency
from ..pipeline.routing import PREFIX, ROUTES, Route
from ..schemas import Query
from . import error_codes, request_bodies
from .chapters import describe_api
from .examples import EXAMPLES
from .operation_ids import OPERATION_IDS
from .request_bodies import JSON, Json, Models
from .resource_notes import RESOURCE_NOTES

_PARAMETER = re.compile(r"\{(\w+)[^}]*\}")
ORGANIZATION_PARAMETERS = {
    "org_id",
    "card_id",
    "file_id",
    "move_request_id",
}  # path parameters that determine the organization
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
def document(base_path: str = "") -> Json:
    """Return the OpenAPI document of a service below a base path; it is built once."""
    models, components = _components()
    paths: dict[str, Json] = {}
    for route in sorted(ROUTES, key=lambda route: (_resource_name(route), route.path, route.method)):
        path = _PARAMETER.sub(lambda match: "{" + _camel(match[1]) + "}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, models, components)
    queries = {models[route.query, "validation"]["$ref"].rpartition("/")[2] for route in ROUTES}
    schemas = {name: schema for name, schema in components.items() if name not in queries}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tandem", "version": VERSION, "description": describe_api()},
        "servers": [{"url": base_path + PREFIX}],
        "tags": [_tag(name) for name in sorted({_resource_name(route) for route in ROUTES})],
        "paths": paths,
        "components": {"schemas": {**schemas, "Error": error_codes.ENVELOPE}, "securitySchemes": SCHEMES},
    }


def _tag(resource: str) -> Json:
    return (
        {"name": resource, "description": RESOURCE_NOTES[resource].strip()}
        if resource in RESOURCE_NOTES
        else {"name": resource}
    )


def _components() -> tuple[Models, Json]:
    """Return the references to the models of all routes, and their schemas."""
    modes: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for route in ROUTES:
        modes += [(model, "validation") for model in (route.body, route.many, route.query) if model]
        modes += [(model, "serialization") for model in _models(route.answers)]
    models, definitions = models_json_schema(
        list(dict.fromkeys(modes)), ref_template="#/components/schemas/{model}", schema_generator=_Schemas
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


def _resource_name(route: Route) -> str:
    return str(route.handler.__module__).rpartition(".")[2]


def _operation_id(route: Route) -> str:
    name = f"{_resource_name(route)}.{route.handler.__name__}"
    return OPERATION_IDS.get(name, name)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def _operation(route: Route, models: Models, components: Json) -> Json:
    summary, _, details = (inspect.getdoc(route.handler) or "").partition("\n")
    suffix = "_mcp" if "mcp" in route.path.split("/") else ""
    operation: Json = {
        "operationId": f"{_operation_id(route)}{suffix}",
        "tags": [_resource_name(route)],
        "summary": summary,
        "description": "\n\n".join(filter(None, [details.strip(), describe_policy(route.policy)])),
        "security": SECURITY[route.policy.scheme],
        "parameters": [*_path_parameters(route), *_query_parameters(route, models, components), *_headers(route)],
        "responses": _responses(route, models),
        "x-policy": {"scheme": route.policy.scheme, "sa": route.policy.requires_architect, "policy": str(route.policy)},
    }
    if body := request_bodies.describe_body(route, models, components):
        operation["requestBody"] = body
    if route.limit:
        operation["x-rate-limit"] = _describe_limit(route.limit)
    return operation


def describe_policy(policy: Policy) -> str:
    """Return a sentence that says who may call a route with a policy."""
    if policy.scheme == NONE:
        return "Access: everybody, without a sign-in."
    if policy.scheme == API_KEY:
        callers = (
            "all API keys of the organization, also before registration"
            if policy.allows_unregistered_keys
            else "agents"
        )
        callers += (
            ", also before their approval"
            if policy.allows_pending_agents and not policy.allows_unregistered_keys
            else ""
        )
        flags = [f"`{_camel(flag)}`" for flag in policy.flags]
        return f"Access: {callers}" + (f", if the column of the card has {' and '.join(flags)}." if flags else ".")
    if not policy.requires_organization:
        return "Access: all signed-in people."
    callers = "Solution Architects" if policy.requires_architect else "members"
    needed = [f"`{resource}:{policy.action}`" for resource in (policy.resource, policy.and_resource) if resource]
    condition = f" whose role has the permission {' and '.join(needed)}" if needed else ""
    return f"Access: {callers} of the organization{condition}."


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
        headers += [_header("X-Agent-Id", "The id of the calling agent, if several agents use the API key.")]
    if policy.scheme == API_KEY:
        headers += [_header(agent_sessions.HEADER, "The process of the agent: 1 to 64 printable characters.")]
    if (
        policy.scheme == JWT
        and policy.requires_organization
        and not ORGANIZATION_PARAMETERS & set(_PARAMETER.findall(route.path))
    ):
        headers += [_header("X-Organization-Id", "The organization, if it is not the one of the token.")]
    if policy.flags:
        headers += [_header("X-Claim-Token", "The token of the caller's claim; an error if the claim has ended.")]
    if policy.supports_if_match:
        headers += [_header("If-Match", "Change the card only if it has one of these ETags.")]
    if route.repeatable:
        headers += [_header(idempotency.HEADER, "1 to 255 characters; a repeated request returns the first response.")]
    if route.tagged:
        headers += [_header("If-None-Match", "Return 304 if the content has one of these ETags.")]
    if route.answers == "text/event-stream":
        headers += [_header("Last-Event-ID", "Continue after this event.")]
    return headers


def _header(name: str, description: str) -> Json:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": _TEXT}


def _responses(route: Route, models: Models) -> Json:
    parts = get_args(route.answers) if get_origin(route.answers) in (Union, UnionType) else (route.answers,)
    headers = _answer_headers(route, parts)
    responses: Json = {}
    if bodies := [part for part in parts if part not in (None, NoneType)]:
        responses["200"] = {"description": "Success.", **headers, "content": _content(bodies, models)}
    if len(bodies) < len(parts):
        responses["204"] = {"description": "Success, without a body.", **headers}
    if route.tagged:
        responses["304"] = {"description": "The content has not changed."}
    return {**responses, **error_codes.list_errors(route)}


def _answer_headers(route: Route, parts: tuple[Any, ...]) -> Json:
    headers: Json = {**error_codes.RATE_HEADERS} if route.limit else {}
    if any(issubclass(part, Versioned) for part in parts if isinstance(part, type)):
        headers["ETag"] = {"schema": _TEXT, "description": "The version of the card, for If-Match."}
    if route.tagged:
        headers["ETag"] = {"schema": _TEXT, "description": "A weak tag of the content, for If-None-Match."}
    if route.repeatable:
        headers[idempotency.REPLAYED] = {
            "schema": _TEXT,
            "description": "`true` if this is the stored response of an earlier request.",
        }
    return {"headers": headers} if headers else {}


def _content(answers: list[Any], models: Models) -> Json:
    if isinstance(answers[0], str):
        return {answers[0]: {"schema": {"type": "object"} if answers[0] == JSON else {}}}
    if issubclass(get_origin(answers[0]) or answers[0], web.StreamResponse):
        return {"*/*": {"schema": {}}}  # the media type of the file
    schemas = [_schema(answer, models) for answer in answers]
    return {JSON: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}


def _schema(answer: Any, models: Models) -> Json:
    if get_origin(answer) is list:
        return {"type": "array", "items": _schema(get_args(answer)[0], models)}
    return models.get((answer, "serialization"), {})


def _describe_limit(limit: Limit) -> Json:
    return {"name": limit.name, "by": limit.by, "perMinute": limit.per_minute}
