"""HTML pages of the reference: the index with the chapters and all routes, and one page for each resource."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from ..pipeline.routing import PREFIX
from . import operations
from .markdown import render, render_inline
from .models import list_referenced_models, render_table

Json = dict[str, Any]
Row = tuple[str, str, Json]  # path, method, operation
PAGE, DOCUMENT = "/api/docs", PREFIX + "/openapi.json"


def render_index(document: Json) -> str:
    """Return the index: the chapters about the whole API, and a list of all routes."""
    about, *chapters = re.split(r"^## ", document["info"]["description"], flags=re.MULTILINE)
    link = f'OpenAPI 3.1 document: <a href="{DOCUMENT}">openapi.json</a>'
    (server,) = document["servers"]
    main = [f"{render(about)}<p>All paths are relative to <code>{server['url']}</code>. {link}.</p>"]
    main += map(_chapter, chapters)
    main += ['<h2 id="routes">Routes</h2>', *(_route_list(document, tag["name"]) for tag in document["tags"])]
    return _render_page(document, "", "".join(main))


def render_resource(document: Json, resource: str) -> str:
    """Return the page of a resource: its notes, its operations and the models to which they refer."""
    schemas, rows = document["components"]["schemas"], list(_rows(document, resource))
    notes = {tag["name"]: tag.get("description", "") for tag in document["tags"]}
    main = [render(notes[resource])]
    for row in rows:
        main += operations.render_operation(*row, schemas)
    main += [_model(name, schemas[name]) for name in list_referenced_models([row[2] for row in rows], schemas)]
    return _render_page(document, resource, "".join(main))


def _render_page(document: Json, resource: str, main: str) -> str:
    title = resource.replace("_", " ").capitalize() or f"{document['info']['title']} API {document['info']['version']}"
    links = "".join(_link(tag["name"], resource) for tag in document["tags"])
    here = "" if resource else ' aria-current="page"'
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Tandem API</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.svg" type="image/svg+xml">'
        '<script src="/theme.js"></script><link rel="stylesheet" href="/page.css">'
        '<link rel="stylesheet" href="/reference.css"><link rel="stylesheet" href="/print.css" media="print">'
        '<script type="module" src="/reference.js"></script></head>'
        '<body class="reference"><nav aria-label="Reference"><a class="home" href="/">Tandem</a>'
        f'<a href="{PAGE}"{here}>Overview</a><ul>{links}</ul></nav>'
        f'<main><h1>{title}</h1><div id="search"></div><div class="prose">{main}</div></main></body></html>'
    )


def _link(resource: str, current: str) -> str:
    here = ' aria-current="page"' if resource == current else ""
    return f'<li><a href="{PAGE}/{resource}"{here}>{resource.replace("_", " ")}</a></li>'


def _chapter(text: str) -> str:
    title, _, body = text.partition("\n")
    anchor = title.strip().lower().replace(" ", "-")
    return f'<section class="chapter" id="{anchor}"><h2>{escape(title.strip())}</h2>{render(body)}</section>'


def _route_list(document: Json, resource: str) -> str:
    lines = "".join(_route_row(document, resource, *row) for row in _rows(document, resource))
    title = f'<a href="{PAGE}/{resource}">{resource.replace("_", " ")}</a>'
    return f'<section class="routes"><h3>{title}</h3><ul>{lines}</ul></section>'


def _route_row(document: Json, resource: str, path: str, method: str, operation: Json) -> str:
    names = escape(operations.search_words(operation, document["components"]["schemas"]))
    address = f"{PAGE}/{resource}#{escape(operation['operationId'])}"
    label = f'<span class="method">{method.upper()}</span> <code>{escape(path)}</code>'
    summary = render_inline(operation["summary"])
    return f'<li data-words="{names}"><a href="{address}">{label}</a> <span>{summary}</span></li>'


def _rows(document: Json, resource: str) -> Iterator[Row]:
    for path, methods in document["paths"].items():
        yield from ((path, method, entry) for method, entry in methods.items() if entry["tags"][0] == resource)


def _model(name: str, schema: Json) -> str:
    about = render(schema.get("description", ""))
    return f'<section class="model" id="{escape(name)}"><h2>{escape(name)}</h2>{about}{render_table(schema)}</section>'
