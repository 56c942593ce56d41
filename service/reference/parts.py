"""The pages of the reference as HTML: the index with the chapters and all routes, and one page for each noun."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from ..pipeline.routing import PREFIX
from . import operations
from .models import reached, table
from .prose import html, inline

Json = dict[str, Any]
Row = tuple[str, str, Json]  # path, method, operation
PAGE, DOCUMENT = "/api/docs", PREFIX + "/openapi.json"


def index(document: Json) -> str:
    """Write the page with what is true of all routes, and a line for each of them."""
    about, *chapters = re.split(r"^## ", document["info"]["description"], flags=re.MULTILINE)
    whole = f'the whole as OpenAPI 3.1: <a href="{DOCUMENT}">openapi.json</a>'
    main = [f"{html(about)}<p>All paths are relative to <code>{PREFIX}</code>; {whole}.</p>"]
    main += map(_chapter, chapters)
    main += ['<h2 id="routes">Routes</h2>', *(_lines(document, tag["name"]) for tag in document["tags"])]
    return _shell(document, "", "".join(main))


def part(document: Json, noun: str) -> str:
    """Write the page of a noun: its notes, its operations and the models of which these speak."""
    schemas, rows = document["components"]["schemas"], list(_rows(document, noun))
    notes = {tag["name"]: tag.get("description", "") for tag in document["tags"]}
    main = [html(notes[noun])]
    for row in rows:
        main += operations.section(*row, schemas)
    main += [_model(name, schemas[name]) for name in reached([row[2] for row in rows], schemas)]
    return _shell(document, noun, "".join(main))


def _shell(document: Json, noun: str, main: str) -> str:
    title = noun.replace("_", " ").capitalize() or f"{document['info']['title']} API {document['info']['version']}"
    nouns = "".join(_link(tag["name"], noun) for tag in document["tags"])
    here = "" if noun else ' aria-current="page"'
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Tandem API</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="/icon.svg" type="image/svg+xml">'
        '<script src="/theme.js"></script><link rel="stylesheet" href="/page.css">'
        '<script type="module" src="/reference.js"></script></head>'
        '<body class="reference"><nav aria-label="Reference"><a class="home" href="/">Tandem</a>'
        f'<a href="{PAGE}"{here}>All of the API</a><ul>{nouns}</ul></nav>'
        f'<main><h1>{title}</h1><div id="search"></div><div class="prose">{main}</div></main></body></html>'
    )


def _link(noun: str, current: str) -> str:
    here = ' aria-current="page"' if noun == current else ""
    return f'<li><a href="{PAGE}/{noun}"{here}>{noun.replace("_", " ")}</a></li>'


def _chapter(text: str) -> str:
    title, _, body = text.partition("\n")
    anchor = title.strip().lower().replace(" ", "-")
    return f'<section class="chapter" id="{anchor}"><h2>{escape(title.strip())}</h2>{html(body)}</section>'


def _lines(document: Json, noun: str) -> str:
    lines = "".join(_line(document, noun, *row) for row in _rows(document, noun))
    title = f'<a href="{PAGE}/{noun}">{noun.replace("_", " ")}</a>'
    return f'<section class="routes"><h3>{title}</h3><ul>{lines}</ul></section>'


def _line(document: Json, noun: str, path: str, method: str, operation: Json) -> str:
    names = escape(operations.words(operation, document["components"]["schemas"]))
    address = f"{PAGE}/{noun}#{escape(operation['operationId'])}"
    label = f'<span class="method">{method.upper()}</span> <code>{escape(path)}</code>'
    return f'<li data-words="{names}"><a href="{address}">{label}</a> <span>{inline(operation["summary"])}</span></li>'


def _rows(document: Json, noun: str) -> Iterator[Row]:
    for path, methods in document["paths"].items():
        yield from ((path, method, entry) for method, entry in methods.items() if entry["tags"][0] == noun)


def _model(name: str, schema: Json) -> str:
    about = html(schema.get("description", ""))
    return f'<section class="model" id="{escape(name)}"><h2>{escape(name)}</h2>{about}{table(schema)}</section>'
