"""What a request brings: its body and its query, as the models that the handler names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

import orjson
import pydantic
from aiohttp import web

from ..auth.authentication import API_KEY, Caller
from ..auth.context import Service
from ..database.store import Share
from ..errors import JSON, BadRequest, UnsupportedMediaType, invalid, invalid_fields
from ..http import request_body
from ..http.json_body import PATH_CHARACTERS_MAX, PROBLEMS_LISTED_MAX, check_nul, estimate_values_size, parse_object
from ..http.json_thread import is_large
from ..http.multipart import parse_mime_type
from ..http.unknown_keys import check_keys, find_models, format_unknown_key, get_annotations
from ..schemas import NOT_BLANK, Input, Query
from . import admission, idempotency
from .routing import Route

Model = TypeVar("Model", bound=pydantic.BaseModel)
Content = dict[str, Any]
QUERY_KEYS_MAX = 256
_TAG = re.compile(r'(?:W/)?"[^\x00-\x20"\x7f]*"')
_TAGS = re.compile(rf"[ \t,]*{_TAG.pattern}(?:[ \t]*,[ \t,]*{_TAG.pattern})*[ \t,]*")


@dataclass(slots=True)
class ParsedRequest:
    """What a request brought: path ids, the models of body and query, the headers that name somebody."""

    arguments: dict[str, Any]
    path: dict[str, str]
    org_id: str | None
    agent_id: str | None
    claim_token: str | None
    versions: frozenset[str] | None = None  # header If-Match, of HTTP only
    retry: idempotency.Retry | None = None  # header Idempotency-Key, of HTTP only
    is_large: bool = False  # its body has over 64 KiB or very many values, or several items

    @property
    def is_bulk(self) -> bool:
        """Tell whether its query asks for more than a point read gives."""
        query = self.arguments.get("query")
        return query is not None and query.is_bulk

    def share(self, caller: Caller) -> Share:
        """Say for whom is read: the organization that the request names, or else the caller's, and the caller."""
        org_id = self.path.get("org_id") or self.org_id or (caller and caller.org_id)
        return Share(org_id or "-", caller.id if caller else "-")


async def take(
    service: Service, caller: Caller, route: Route, path: dict[str, str], request: web.Request
) -> ParsedRequest:
    """Read body and query of an HTTP request into the models that the handler names."""
    versions = _versions(request) if route.policy.versioned else None
    retry = idempotency.named(request) if route.repeatable else None
    query = _query(request) if request.query_string else {}
    raw = await request_body.read_body(request) if takes_body(route) else b""
    check = partial(_checked, route, path, request, query, raw, retry)
    if is_large(raw):
        admission.count(service, caller, request, estimate_values_size(raw))
        taken = await service.body_thread.run(check, admission.who(service, caller, request))
    else:
        taken = check()
    taken.versions, taken.retry = versions, retry
    taken.is_large = taken.is_large or is_large(raw)
    return taken


def _checked(
    route: Route,
    path: dict[str, str],
    request: web.Request,
    query: Content,
    raw: bytes,
    retry: idempotency.Retry | None,
) -> ParsedRequest:
    content: Content = {}
    if takes_body(route):
        content = _parsed(raw, request, route)
        if retry is not None:
            # However its keys are sorted and spaced: a client may write the same body anew.
            retry.feed(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), is_last=True)
    return given(route, path, query, content, request.headers)


def _query(request: web.Request) -> Content:
    if request.rel_url.raw_query_string.count("&") >= QUERY_KEYS_MAX:
        raise invalid("", f"the query has too many keys; {QUERY_KEYS_MAX} are the limit")
    query: Content = dict(request.query)
    check_nul(query)
    return query


def takes_body(route: Route) -> bool:
    """Tell whether a route reads a JSON body, or refuses one."""
    return not route.reads and not route.streams


def given(
    route: Route, path: dict[str, str], query: Content, content: Content, headers: Mapping[str, str]
) -> ParsedRequest:
    """Check what came with a call against the models that the handler names; lift the agent's id out of the body."""
    arguments: dict[str, Any] = dict(path)
    agent_id, is_many = headers.get("X-Agent-Id"), False
    if route.query is not Query:
        arguments["query"] = validated(route.query, query) if query else _unsaid(route.query)
    elif query:
        validated(Query, query)
    if takes_body(route):
        extra_keys = ["agentId"] if route.policy.scheme == API_KEY else []
        if extra_keys and "agentId" in content:
            agent_id = _text(content.pop("agentId"))
        is_many = route.many is not None and "items" in content
        body = validated((route.many if is_many else route.body) or Input, content, *extra_keys)
        if route.body:
            arguments["body"] = body
    org_id, token = headers.get("X-Organization-Id"), headers.get("X-Claim-Token")
    return ParsedRequest(arguments, path, ascii_only(org_id), ascii_only(agent_id), ascii_only(token), is_large=is_many)


@cache  # most requests have no query; nobody changes the model of one
def _unsaid(model: type[Query]) -> Query:
    return validated(model, {})


def _versions(request: web.Request) -> frozenset[str] | None:
    """Read If-Match (RFC 9110): the tags that it names, weak ones as they are, since they match nothing."""
    headers = request.headers.getall("If-Match", [])
    try:
        return tags(", ".join(headers)) if headers else None
    except ValueError as error:
        raise invalid("If-Match", str(error)) from None


def tags(header: str) -> frozenset[str] | None:
    """Read the entity tags of an If-Match, None for *, which asks for no more than that the card is there.

    Raises ValueError if it is neither.
    """
    if header == "*":
        return None
    if not _TAGS.fullmatch(header):
        raise ValueError('must be * or a list of entity tags, for example "3"')
    return frozenset(_TAG.findall(header))


def ascii_only(header: str | None) -> str | None:
    """Replace what no id can have: bytes that are no text must not reach the database."""
    return None if header is None else header.encode("ascii", "replace").decode()


def _text(agent_id: Any) -> str | None:
    if agent_id is not None and not isinstance(agent_id, str):
        raise invalid("agentId", "must be a string")
    return agent_id


def _parsed(raw: bytes, request: web.Request, route: Route) -> dict[str, Any]:
    if not raw:
        if route.needs_body:
            raise BadRequest("invalid_json", "The body is empty; send a JSON object.")
        return {}
    if (kind := request.headers.get("Content-Type", JSON)) != JSON:
        _judge_kind(parse_mime_type(kind))
    return parse_object(raw)


def _judge_kind(kind: str) -> None:
    if kind != JSON and not kind.endswith("+json"):
        raise UnsupportedMediaType(None, f"This route takes {JSON}, not {kind[:100]}.")


def validated(model: type[Model], content: Content, *extra_keys: str) -> Model:
    """Read a content into its model; raise validation_failed with each key that is wrong."""
    check_keys(model, content, *extra_keys)
    try:
        return model.model_validate(content)
    except pydantic.ValidationError as error:
        raise invalid_fields(problems(error, model, *extra_keys)) from None


def problems(
    error: pydantic.ValidationError, model: type[pydantic.BaseModel], *extra_keys: str
) -> list[dict[str, str]]:
    """Say in plain words what is wrong with an input: one {path, message} a key; `extra_keys` are more allowed keys."""
    found = error.errors(include_url=False)[:PROBLEMS_LISTED_MAX]
    return [{"path": _path(item["loc"]), "message": _problem(item, model, extra_keys)} for item in found]


_UNION_TAGS = re.compile(r"^(str|int|float|bool|list\[.*\]|constrained-.*|function-.*|literal\[.*\]|missing-sentinel)$")


def _path(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part)[:PATH_CHARACTERS_MAX] for part in loc if not _UNION_TAGS.match(str(part)))


def _problem(item: Any, model: type[pydantic.BaseModel], extra_keys: tuple[str, ...]) -> str:
    if item["type"] == "string_pattern_mismatch" and item["ctx"]["pattern"] == NOT_BLANK:
        return "may not be blank"
    if item["type"] != "extra_forbidden":
        message = str(item["msg"]).removeprefix("Value error, ")
        return message[:1].lower() + message[1:]
    for part in item["loc"][:-1]:
        nested = next(iter(find_models(get_annotations(model).get(str(part)))), None)
        model, extra_keys = nested[0] if nested else model, ()
    return format_unknown_key(model, extra_keys)
