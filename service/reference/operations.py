"""One operation of the OpenAPI document as HTML: who may, what goes in, what comes out."""

from collections.abc import Iterator
from html import escape
from typing import Any

import orjson

from .models import grid, kind, name_of, sample, table
from .prose import html, inline

Json = dict[str, Any]
TRIED = {"application/json", "none"}  # bodies that the page can send


def section(path: str, method: str, operation: Json, schemas: Json) -> Iterator[str]:
    """Give an operation with all that there is to know of it; its data attributes tell the page how to try it."""
    name, scheme = escape(operation["operationId"]), operation["x-gate"]["scheme"]
    yield f'<section class="operation" id="{name}" aria-labelledby="{name}-head" data-method="{method.upper()}" '
    yield f'data-path="{escape(path)}" data-scheme="{escape(scheme)}" data-body="{escape(body_kind(operation))}">'
    yield f'<h2 id="{name}-head"><span class="method">{method.upper()}</span> <code>{escape(path)}</code></h2>'
    yield f'<p class="lead">{inline(operation["summary"])}</p>{html(operation["description"])}{_limit(operation)}'
    if parameters := operation["parameters"]:
        yield "<h3>Parameters</h3>" + grid(("Name", "In", "", "What"), map(_parameter, parameters))
    if body := operation.get("requestBody"):
        yield from _body(body, schemas)
    yield "<h3>Answers</h3>" + grid(("Status", "What"), map(_answer, operation["responses"].items()))
    yield "</section>"


def body_kind(operation: Json) -> str:
    """Give the kind of body that an operation takes: a media type, or none."""
    return next(iter(operation.get("requestBody", {}).get("content", ())), "none")


def words(operation: Json, schemas: Json) -> str:
    """Give the names that somebody may look for an operation by, besides its path and summary."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    keys = schemas.get(name_of(body), body).get("properties", {})
    return " ".join(dict.fromkeys([*(part["name"] for part in operation["parameters"]), *keys]))


def _limit(operation: Json) -> str:
    limit = operation.get("x-rate-limit")
    often = limit and (f"{limit['perMinute']} a minute" if limit["perMinute"] else "As often a minute as is set")
    return f"<p>{often}, for each {escape(limit['by'])}.</p>" if limit else ""


def _parameter(parameter: Json) -> tuple[str, str, str, str]:
    name, place = escape(parameter["name"]), parameter["in"]
    must = "required" if parameter["required"] else ""
    about = parameter.get("description", "")
    marked = f'<code data-name="{name}" data-in="{place}" data-must="{must}">{name}</code>'
    return marked, place, must, kind(parameter["schema"]) + (f"<br>{inline(about)}" if about else "")


def _body(body: Json, schemas: Json) -> Iterator[str]:
    yield "<h3>Body</h3>" + ("" if body["required"] else "<p>Can be left out.</p>")
    for media, content in body["content"].items():
        schema = content["schema"]
        known = schemas.get(name_of(schema), schema)
        yield f"<p><code>{escape(media)}</code></p>{table(known)}"
        if media in TRIED:
            example = orjson.dumps(sample(known, schemas), option=orjson.OPT_INDENT_2).decode()
            yield f'<pre class="sample" tabindex="0"><code>{escape(example)}</code></pre>'


def _answer(answer: tuple[str, Json]) -> tuple[str, str]:
    status, told = answer
    shown = [_content(media, entry.get("schema", {})) for media, entry in told.get("content", {}).items()]
    return escape(status), inline(told["description"]) + "".join(f"<br>{text}" for text in filter(None, shown))


def _content(media: str, schema: Json) -> str:
    if name_of(schema) == "Error":
        return ""  # every refusal has the one envelope, which a chapter shows
    return kind(schema) if media == "application/json" else f"<code>{escape(media)}</code>"
