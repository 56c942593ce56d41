"""The OpenAPI document over HTTP, and the page that shows it: plain HTML, nothing from outside."""

import asyncio
import base64
import hashlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from html import escape
from itertools import groupby
from typing import Any

import orjson
from aiohttp import web

from ..journey.table import PREFIX
from .prose import html

Json = dict[str, Any]
DOCUMENT, PAGE = PREFIX + "/openapi.json", "/api/docs"
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .25rem 0; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow: auto; padding: .75rem; border: 1px solid #8884; border-radius: .25rem; }
td, th { text-align: left; vertical-align: top; padding: .125rem 1rem .125rem 0; }
b { display: inline-block; min-width: 4.5rem; }
details { border-bottom: 1px solid #8884; }
details > :not(summary) { margin-left: 1rem; }
:root { color-scheme: light dark; }
"""
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'self'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'; base-uri 'none'"


def register(router: web.UrlDispatcher) -> None:
    """Add the document and its page; both are open to anyone."""
    router.add_get(DOCUMENT, partial(_answer, _encoded, "application/json"))
    router.add_get(PAGE, partial(_answer, _page, "text/html"))


async def _answer(make: Callable[[], bytes], kind: str, request: web.Request) -> web.StreamResponse:
    # Built when first asked for, and not on the event loop: it takes a tenth of a second.
    body = await asyncio.to_thread(make)
    answer = web.Response(body=body, content_type=kind, charset="utf-8")
    answer.etag = hashlib.sha256(body).hexdigest()[:32]
    answer.headers["Cache-Control"] = "no-cache"
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["X-Content-Type-Options"] = "nosniff"
    known = request.if_none_match or ()
    if any(tag.value in ("*", answer.etag.value) for tag in known if answer.etag):
        return web.Response(status=304, headers={"ETag": answer.headers["ETag"], "Cache-Control": "no-cache"})
    return answer


def _document() -> Json:
    from . import openapi  # most of a MB that a service whose reference nobody reads never needs

    return openapi.document()


@cache
def _encoded() -> bytes:
    return orjson.dumps(_document())


@cache
def _page() -> bytes:
    return "".join(_html(_document())).encode()


def _html(document: Json) -> Iterator[str]:
    info = document["info"]
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{info["title"]} API</title>'
    yield f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>'
    yield f"<h1>{info['title']} API {info['version']}</h1><p>All paths are relative to <code>{PREFIX}</code>; "
    yield f'the whole as OpenAPI 3.1: <a href="{DOCUMENT}">openapi.json</a>.</p>{html(info["description"])}'
    notes = {tag["name"]: html(tag.get("description", "")) for tag in document["tags"]}
    rows = [(path, method, entry) for path, methods in document["paths"].items() for method, entry in methods.items()]
    for noun, routes in groupby(rows, key=lambda row: str(row[2]["tags"][0])):
        yield f"<h2>{escape(noun.replace('_', ' '))}</h2>{notes[noun]}"
        for path, method, operation in routes:
            yield from _operation(path, method, operation)
    yield "<h2>Models</h2>"
    for name, schema in document["components"]["schemas"].items():
        yield f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>{_json(schema)}</details>'
    yield "</body></html>"


def _operation(path: str, method: str, operation: Json) -> Iterator[str]:
    yield f'<details id="{escape(operation["operationId"])}"><summary><b>{method.upper()}</b>'
    yield f"<code>{escape(path)}</code> {escape(operation['summary'])}</summary>"
    yield html(operation["description"])
    gate, limit = operation["x-gate"], operation.get("x-rate-limit")
    yield f"<p>Scheme: {escape(gate['scheme'])}. Gate: {escape(gate['gate'])}."
    yield f" Limit: {limit['perMinute'] or 'as set'} a minute per {limit['by']}.</p>" if limit else "</p>"
    for part in ("parameters", "requestBody", "responses"):
        if operation.get(part):
            yield f"<details><summary>{part}</summary>{_json(operation[part])}</details>"
    yield "</details>"


def _json(value: Any) -> str:
    return f"<pre>{escape(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())}</pre>"
