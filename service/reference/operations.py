"""One operation of the OpenAPI document as HTML: its description, parameters, body and responses."""

from collections.abc import Iterator
from html import escape
from typing import Any

import orjson

from .markdown import render, render_inline
from .models import make_sample, model_name, render_grid, render_table, render_type

Json = dict[str, Any]
SENDABLE = {"application/json", "none"}  # kinds of bodies that the form of the page can send


def render_operation(path: str, method: str, operation: Json, schemas: Json) -> Iterator[str]:
    """Yield the HTML of an operation; its data attributes are for the form that sends requests."""
    name, scheme = escape(operation["operationId"]), operation["x-policy"]["scheme"]
    yield f'<section class="operation" id="{name}" aria-labelledby="{name}-head" data-method="{method.upper()}" '
    yield f'data-path="{escape(path)}" data-scheme="{escape(scheme)}" data-body="{escape(body_kind(operation))}">'
    yield f'<h2 id="{name}-head"><span class="method">{method.upper()}</span> <code>{escape(path)}</code></h2>'
    yield f'<p class="lead">{render_inline(operation["summary"])}</p>{render(operation["description"])}'
    yield _limit(operation)
    if parameters := operation["parameters"]:
        yield "<h3>Parameters</h3>" + render_grid(("Name", "In", "", "Description"), map(_parameter, parameters))
    if body := operation.get("requestBody"):
        yield from _body(body, schemas)
    yield "<h3>Responses</h3>" + render_grid(("Status", "Description"), map(_response, operation["responses"].items()))
    yield "</section>"


def body_kind(operation: Json) -> str:
    """Return the media type of the body of an operation, or "none"."""
    return next(iter(operation.get("requestBody", {}).get("content", ())), "none")


def search_words(operation: Json, schemas: Json) -> str:
    """Return the names of parameters and keys by which the search of the page finds an operation."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    keys = schemas.get(model_name(body), body).get("properties", {})
    return " ".join(dict.fromkeys([*(part["name"] for part in operation["parameters"]), *keys]))


def _limit(operation: Json) -> str:
    limit = operation.get("x-rate-limit")
    rate = limit and (f"{limit['perMinute']} requests" if limit["perMinute"] else "A configured number of requests")
    return f"<p>Rate limit: {rate} per minute for each {escape(limit['by'])}.</p>" if limit else ""


def _parameter(parameter: Json) -> tuple[str, str, str, str]:
    name, place = escape(parameter["name"]), parameter["in"]
    must = "required" if parameter["required"] else ""
    about = parameter.get("description", "")
    marked = f'<code data-name="{name}" data-in="{place}" data-must="{must}">{name}</code>'
    return marked, place, must, render_type(parameter["schema"]) + (f"<br>{render_inline(about)}" if about else "")


def _body(body: Json, schemas: Json) -> Iterator[str]:
    yield "<h3>Body</h3>" + ("" if body["required"] else "<p>Optional.</p>")
    for media, content in body["content"].items():
        schema = content["schema"]
        model = schemas.get(model_name(schema), schema)
        yield f"<p><code>{escape(media)}</code></p>{render_table(model)}"
        if media in SENDABLE:
            example = orjson.dumps(make_sample(model, schemas), option=orjson.OPT_INDENT_2).decode()
            yield f'<pre class="sample" tabindex="0"><code>{escape(example)}</code></pre>'


def _response(item: tuple[str, Json]) -> tuple[str, str]:
    status, response = item
    contents = [_content(media, entry.get("schema", {})) for media, entry in response.get("content", {}).items()]
    lines = [render_inline(response["description"]), *filter(None, contents)]
    return escape(status), "<br>".join(lines)


def _content(media: str, schema: Json) -> str:
    if model_name(schema) == "Error":
        return ""  # all error responses have the same body
    return render_type(schema) if media == "application/json" else f"<code>{escape(media)}</code>"
