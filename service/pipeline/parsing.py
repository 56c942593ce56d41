"""Parsing of requests: query and body into the models in the signature of the handler."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

import orjson
import pydantic
from aiohttp import web
from multidict import MultiMapping

from ..auth import agent_sessions
from ..auth.authentication import API_KEY, Caller
from ..auth.context import Service
from ..errors import JSON, BadRequest, UnsupportedMediaType, invalid, invalid_fields
from ..http import request_body
from ..http.json_body import PATH_CHARACTERS_MAX, PROBLEMS_LISTED_MAX, check_nul, estimate_values_size, parse_object
from ..http.json_thread import is_large
from ..http.multipart import parse_mime_type
from ..http.unknown_keys import check_keys, find_models, format_unknown_key, get_annotations
from ..schemas import Input, Query, Repeatable
from ..text.problem_texts import describe_problem
from . import admission, idempotency
from .routing import Route

Model = TypeVar("Model", bound=pydantic.BaseModel)
Content = dict[str, Any]
QUERY_KEYS_MAX = 256
_TAG = re.compile(r'(?:W/)?"[^\x00-\x20"\x7f]*"')
_TAGS = re.compile(rf"[ \t,]*{_TAG.pattern}(?:[ \t]*,[ \t,]*{_TAG.pattern})*[ \t,]*")


@dataclass(slots=True)
class ParsedRequest:
    """A parsed request: ids in the path, models of query and body, and the headers that identify the actor."""

    inputs: dict[str, Any]  # models of query and body
    path: dict[str, str]  # ids; authorization replaces a card key by the id
    org_id: str | None
    agent_id: str | None
    claim_token: str | None
    agent_session: str | None = None
    takes_over: bool = False  # key takeOver of the body
    versions: frozenset[str] | None = None  # header If-Match, of HTTP only
    retry: idempotency.IdempotentRequest | None = None  # header Idempotency-Key, of HTTP only

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the handler: the ids of the path, query and body."""
        return {**self.path, **self.inputs}

    @property
    def needs_reader_thread(self) -> bool:
        """Return whether the query may read many rows."""
        query = self.inputs.get("query")
        return query is not None and query.needs_reader_thread


async def parse_request(
    service: Service, caller: Caller, route: Route, path: dict[str, str], request: web.Request
) -> ParsedRequest:
    """Read and validate query and body of an HTTP request."""
    versions = _parse_if_match(request) if route.policy.supports_if_match else None
    retry = idempotency.parse_idempotency_key(request) if route.repeatable else None
    query = _parse_query(route, request) if request.query_string else {}
    raw = await request_body.read_body(request) if takes_body(route) else b""
    check = partial(_check, route, path, request, query, raw, retry)
    if is_large(raw):
        admission.reserve_memory(service, caller, request, estimate_values_size(raw))
        parsed = await service.body_thread.run(check, admission.get_limit_key(service, caller, request))
    else:
        parsed = check()
    parsed.versions, parsed.retry = versions, retry
    return parsed


def _check(
    route: Route,
    path: dict[str, str],
    request: web.Request,
    query: Content,
    raw: bytes,
    retry: idempotency.IdempotentRequest | None,
) -> ParsedRequest:
    content: Content = {}
    if takes_body(route):
        content = _parse_body(raw, request, route)
        if retry is not None:
            # Sorted keys: a client may serialize the same body differently when it repeats the request.
            retry.feed(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), is_last=True)
    return parse_arguments(route, path, query, content, request.headers)


@cache
def _repeatable_keys(model: type[Query]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items() if Repeatable in field.metadata)


def _parse_query(route: Route, request: web.Request) -> Content:
    if request.rel_url.raw_query_string.count("&") >= QUERY_KEYS_MAX:
        raise invalid("", f"the query has too many keys; {QUERY_KEYS_MAX} are the limit")
    query: Content = dict(request.query)
    if len(query) < len(request.query):
        check_keys(route.query, query)
        require_single(request.query, get_annotations(route.query), _repeatable_keys(route.query))
    query |= {key: request.query.getall(key) for key in _repeatable_keys(route.query) if key in query}
    check_nul({key: "".join(request.query.getall(key)) for key in query})  # a repeated key is named without an index
    return query


def require_single(query: MultiMapping[str], keys: Iterable[str], repeatable: tuple[str, ...] = ()) -> None:
    """Raise validation_failed with the keys that a query repeats although they take one value."""
    hint = f"; keys that may be repeated here: {', '.join(repeatable)}" if repeatable else ""
    repeated = [key for key in keys if key not in repeatable and len(query.getall(key, ())) > 1]
    if repeated:
        raise invalid_fields([{"path": key, "message": f"send this key only once{hint}"} for key in repeated])


def takes_body(route: Route) -> bool:
    """Return whether a route has a JSON body."""
    return not route.reads and not route.streams


def parse_arguments(
    route: Route, path: dict[str, str], query: Content, content: Content, headers: Mapping[str, str]
) -> ParsedRequest:
    """Validate query and body; `agentId` of the body is removed from it and overrides X-Agent-Id."""
    inputs: dict[str, Any] = {}
    agent_id, is_many = headers.get("X-Agent-Id"), False
    if route.query is not Query:
        inputs["query"] = validate(route.query, query) if query else _create_default_query(route.query)
    elif query:
        validate(Query, query)
    if takes_body(route):
        extra_keys = ["agentId"] if route.policy.scheme == API_KEY else []
        if extra_keys and "agentId" in content:
            agent_id = _check_agent_id(content.pop("agentId"))
        is_many = route.many is not None and "items" in content
        body = validate((route.many if is_many else route.body) or Input, content, *extra_keys)
        if route.body:
            inputs["body"] = body
    org_id, token = headers.get("X-Organization-Id"), headers.get("X-Claim-Token")
    parsed = ParsedRequest(inputs, path, ascii_only(org_id), ascii_only(agent_id), ascii_only(token))
    if route.policy.scheme == API_KEY:
        parsed.agent_session = agent_sessions.parse_session(headers)
        parsed.takes_over = getattr(inputs.get("body"), "take_over", False)
    return parsed


@cache  # most requests have no query, and models are never changed
def _create_default_query(model: type[Query]) -> Query:
    return validate(model, {})


def _parse_if_match(request: web.Request) -> frozenset[str] | None:
    """Return the entity tags of If-Match (RFC 9110); weak ones are included, but never match."""
    headers = request.headers.getall("If-Match", [])
    try:
        return parse_entity_tags(", ".join(headers)) if headers else None
    except ValueError as error:
        raise invalid("If-Match", str(error)) from None


def parse_entity_tags(header: str) -> frozenset[str] | None:
    """Return the entity tags of an If-Match header, None for *; raise ValueError if it is malformed."""
    if header == "*":
        return None
    if not _TAGS.fullmatch(header):
        raise ValueError('must be * or a list of entity tags, for example "3"')
    return frozenset(_TAG.findall(header))


def ascii_only(header: str | None) -> str | None:
    """Replace non-ASCII characters, which no id contains: undecodable bytes must not reach the database."""
    return None if header is None else header.encode("ascii", "replace").decode()


def _check_agent_id(agent_id: Any) -> str | None:
    if agent_id is not None and not isinstance(agent_id, str):
        raise invalid("agentId", "must be a string")
    return agent_id


def _parse_body(raw: bytes, request: web.Request, route: Route) -> dict[str, Any]:
    if not raw:
        if route.needs_body:
            raise BadRequest("invalid_json", "The body is empty; send a JSON object.")
        return {}
    is_exact = route.policy.requires_same_origin
    if (header := request.headers.get("Content-Type", "" if is_exact else JSON)) != JSON:
        _check_content_type(header, is_exact)
    return parse_object(raw)


def _check_content_type(header: str, is_exact: bool) -> None:
    """Raise unsupported_media_type unless a body is JSON; `is_exact` excludes other types that are based on JSON."""
    kind = parse_mime_type(header)
    if kind != JSON and (is_exact or not kind.endswith("+json")):
        found = kind[:100] if header else "a body without Content-Type"
        raise UnsupportedMediaType(None, f"This route takes {JSON}, not {found}.")


def validate(model: type[Model], content: Content, *extra_keys: str) -> Model:
    """Return the content as a validated model; raise validation_failed with each invalid key."""
    check_keys(model, content, *extra_keys)
    try:
        return model.model_validate(content)
    except pydantic.ValidationError as error:
        raise invalid_fields(list_problems(error, model, *extra_keys)) from None


def list_problems(
    error: pydantic.ValidationError, model: type[pydantic.BaseModel], *extra_keys: str
) -> list[dict[str, str]]:
    """List the problems of an input as {path, message}; `extra_keys` are additional allowed keys."""
    found = error.errors(include_url=False)[:PROBLEMS_LISTED_MAX]
    depth = 1 if issubclass(model, Query) else None  # a key of a query can be repeated, but has no parts
    return [
        {"path": _format_path(item["loc"][:depth]), "message": _format_problem(item, model, extra_keys)}
        for item in found
    ]


_UNION_TAGS = re.compile(r"^(str|int|float|bool|list\[.*\]|constrained-.*|function-.*|literal\[.*\]|missing-sentinel)$")


def _format_path(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part)[:PATH_CHARACTERS_MAX] for part in loc if not _UNION_TAGS.match(str(part)))


def _format_problem(item: Any, model: type[pydantic.BaseModel], extra_keys: tuple[str, ...]) -> str:
    if item["type"] != "extra_forbidden":
        return describe_problem(item)
    for part in item["loc"][:-1]:
        nested = next(iter(find_models(get_annotations(model).get(str(part)))), None)
        model, extra_keys = nested[0] if nested else model, ()
    return format_unknown_key(model, extra_keys)
