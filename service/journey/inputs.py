"""What a request brings: its body and its query, as the models that the handler names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, get_args

import orjson
import pydantic
from aiohttp import web

from ..database.store import Share
from ..errors import JSON, BadRequest, UnsupportedMediaType, invalid, invalid_fields
from ..wire import NO_NUL, NOT_BLANK, Input, Query
from . import bodies, retries
from .caller import API_KEY, Caller
from .table import Route

Model = TypeVar("Model", bound=pydantic.BaseModel)
Content = dict[str, Any]
NESTING_MAX = 32  # levels of a body; no model has more than five
PROBLEMS_TOLD_MAX = 20  # of one body
_TAG = re.compile(r'(?:W/)?"[^\x00-\x20"\x7f]*"')
_TAGS = re.compile(rf"[ \t,]*{_TAG.pattern}(?:[ \t]*,[ \t,]*{_TAG.pattern})*[ \t,]*")


@dataclass(slots=True)
class Taken:
    """What a request brought: path ids, the models of body and query, the headers that name somebody."""

    arguments: dict[str, Any]
    path: dict[str, str]
    org_id: str | None
    agent_id: str | None
    claim_token: str | None
    versions: frozenset[str] | None = None  # header If-Match, of HTTP only
    retry: retries.Retry | None = None  # header Idempotency-Key, of HTTP only

    @property
    def is_bulk(self) -> bool:
        """Tell whether its query asks for more than a point read gives."""
        query = self.arguments.get("query")
        return query is not None and query.is_bulk

    def share(self, caller: Caller) -> Share:
        """Say for whom is read: the organization that the request names, or else the caller's, and the caller."""
        org_id = self.path.get("org_id") or self.org_id or (caller and caller.org_id)
        return Share(org_id or "-", caller.id if caller else "-")


async def take(route: Route, path: dict[str, str], request: web.Request) -> Taken:
    """Read body and query of an HTTP request into the models that the handler names."""
    versions = _versions(request) if route.gate.versioned else None
    retry = retries.named(request) if route.repeatable else None
    query = _query(request) if request.query_string else {}
    content: Content = {}
    if takes_body(route):
        content = _parsed(await bodies.whole(request), request, route)
        if retry is not None:
            # However its keys are sorted and spaced: a client may write the same body anew.
            retry.feed(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), is_last=True)
    taken = given(route, path, query, content, request.headers)
    taken.versions, taken.retry = versions, retry
    return taken


def _query(request: web.Request) -> Content:
    query: Content = dict(request.query)
    if found := list(_nuls(query)):
        raise _no_nul(found)
    return query


def takes_body(route: Route) -> bool:
    """Tell whether a route reads a JSON body, or refuses one."""
    return not route.reads and not route.streams


def given(route: Route, path: dict[str, str], query: Content, content: Content, headers: Mapping[str, str]) -> Taken:
    """Check what came with a call against the models that the handler names; lift the agent's id out of the body."""
    arguments: dict[str, Any] = dict(path)
    agent_id = headers.get("X-Agent-Id")
    if route.query is not Query:
        arguments["query"] = validated(route.query, query) if query else _unsaid(route.query)
    elif query:
        validated(Query, query)
    if takes_body(route):
        besides = ["agentId"] if route.gate.scheme == API_KEY else []
        if besides and "agentId" in content:
            agent_id = _text(content.pop("agentId"))
        is_many = route.many is not None and "items" in content
        body = validated((route.many if is_many else route.body) or Input, content, *besides)
        if route.body:
            arguments["body"] = body
    org_id, token = headers.get("X-Organization-Id"), headers.get("X-Claim-Token")
    return Taken(arguments, path, ascii_only(org_id), ascii_only(agent_id), ascii_only(token))


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
    if request.headers.get("Content-Type", JSON) != JSON:
        _judge_kind(request.content_type)
    return json_object(raw)


def _judge_kind(kind: str) -> None:
    if kind != JSON and not kind.endswith("+json"):
        raise UnsupportedMediaType(None, f"This route takes {JSON}, not {kind[:100]}.")


def json_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object; raise invalid_json or validation_failed."""
    try:
        content = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadRequest("invalid_json", f"The body is not valid JSON: {error}.") from None
    if not isinstance(content, dict):
        raise BadRequest("invalid_json", "The body must be a JSON object.")
    # Counting brackets is enough for all but few bodies.
    if raw.count(b"[") + raw.count(b"{") > NESTING_MAX and not _fits(content, NESTING_MAX):
        raise BadRequest("invalid_json", f"The body is nested too deeply; {NESTING_MAX} levels are the limit.")
    if b"\\u0000" in raw and (found := list(_nuls(content))):
        raise _no_nul(found)
    return content


def _fits(value: Any, levels: int) -> bool:
    """Tell whether a value has no more than so many levels; it looks no deeper."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_fits(item, levels - 1) for item in inner)


def _nuls(value: Any, path: str = "") -> Iterator[str]:
    """Give the paths of all that has a NUL character in it."""
    if isinstance(value, dict):
        for key, item in value.items():
            below = f"{path}.{key}".removeprefix(".").replace("\0", "\N{REPLACEMENT CHARACTER}")
            yield from [below] if "\0" in key else _nuls(item, below)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nuls(item, f"{path}.{index}")
    elif isinstance(value, str) and "\0" in value:
        yield path


def _no_nul(paths: list[str]) -> BadRequest:
    return invalid_fields([{"path": path[:200], "message": NO_NUL} for path in paths[:PROBLEMS_TOLD_MAX]])


def validated(model: type[Model], content: Content, *besides: str) -> Model:
    """Read a content into its model; raise validation_failed with each key that is wrong."""
    try:
        return model.model_validate(content)
    except pydantic.ValidationError as error:
        raise invalid_fields(problems(error, model, *besides)) from None


def problems(error: pydantic.ValidationError, model: type[pydantic.BaseModel], *besides: str) -> list[dict[str, str]]:
    """Say in plain words what is wrong with an input: one {path, message} a key; `besides` are more allowed keys."""
    found = error.errors(include_url=False)[:PROBLEMS_TOLD_MAX]
    return [{"path": _path(item["loc"]), "message": _problem(item, model, besides)} for item in found]


_UNION_TAGS = re.compile(r"^(str|int|float|bool|list\[.*\]|constrained-.*|function-.*|literal\[.*\]|missing-sentinel)$")


def _path(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc if not _UNION_TAGS.match(str(part)))


def _problem(item: Any, model: type[pydantic.BaseModel], besides: tuple[str, ...]) -> str:
    if item["type"] == "string_pattern_mismatch" and item["ctx"]["pattern"] == NOT_BLANK:
        return "may not be blank"
    if item["type"] != "extra_forbidden":
        message = str(item["msg"]).removeprefix("Value error, ")
        return message[:1].lower() + message[1:]
    for part in item["loc"][:-1]:
        model, besides = _inside(_keys(model).get(str(part))) or model, ()
    return f"unknown key; allowed here: {', '.join([*_keys(model), *besides]) or 'none'}"


def _keys(model: type[pydantic.BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _inside(annotation: Any) -> type[pydantic.BaseModel] | None:
    """Find the model of what stands under a key."""
    if isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _inside(part))), None)
