"""Schemas of the OpenAPI document as HTML: tables of keys with their types, and a sample of each body."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import orjson

from .markdown import render_inline

Json = dict[str, Any]
REFERENCE = "#/components/schemas/"
# Texts of the constraints of a type.
CONSTRAINTS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "minimum": "from {}",
    "maximum": "to {}",
    "pattern": "matches {}",
    "default": "default {}",
}
SAMPLES: Json = {"string": "…", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}, "null": None}


def render_type(schema: Json) -> str:
    """Return the type of a value as HTML; a model is a link to its table."""
    if name := model_name(schema):
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(map(render_type, choices)) + _constraints(schema)
    if values := schema.get("enum") or [schema[key] for key in ("const",) if key in schema]:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in values) + _constraints(schema)
    return _collection(schema) + _constraints(schema)


def _collection(schema: Json) -> str:
    if schema.get("items"):
        return f"list of {render_type(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {render_type(schema['additionalProperties'])}"
    return escape(str(schema.get("type", "anything")))


def _constraints(schema: Json) -> str:
    texts = (
        text.format(_render_value(schema[key])) for key, text in CONSTRAINTS.items() if schema.get(key) is not None
    )
    return "".join(f", {text}" for text in texts)


def _render_value(value: Any) -> str:
    return f"<code>{escape(value if isinstance(value, str) else orjson.dumps(value).decode())}</code>"


def render_table(schema: Json) -> str:
    """Return a table of the keys of an object, or a paragraph with the type of any other value."""
    if not schema.get("properties"):
        return f"<p>{render_type(schema)}</p>"
    required = schema.get("required", ())
    rows = ((name, "required" if name in required else "", key) for name, key in schema["properties"].items())
    return render_grid(
        ("Key", "", "Description"),
        ((f"<code>{escape(name)}</code>", must, _described(key)) for name, must, key in rows),
    )


def _described(schema: Json) -> str:
    about = schema.get("description", "")
    return render_type(schema) + (f"<br>{render_inline(about)}" if about else "")


def render_grid(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are HTML; if it is too wide, it can be scrolled by mouse and keyboard."""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    titles = "".join(f'<th scope="col">{title}</th>' if title else "<td></td>" for title in head)
    return f'<div class="wide" tabindex="0"><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>'


def make_sample(schema: Json, schemas: Json) -> Any:
    """Return a sample of a body: its example, or else its required keys with sample values."""
    if name := model_name(schema):
        return make_sample(schemas[name], schemas)
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("properties"):
        return {key: make_sample(schema["properties"][key], schemas) for key in schema.get("required", ())}
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return make_sample(choices[0], schemas)
    if schema.get("enum") or "const" in schema:
        return schema["enum"][0] if "enum" in schema else schema["const"]
    return (
        [make_sample(schema["items"], schemas)] if schema.get("minItems") else SAMPLES.get(schema.get("type", ""), {})
    )


def model_name(schema: Json) -> str:
    """Return the name of the model to which a schema refers, or an empty string."""
    return str(schema.get("$ref", "")).removeprefix(REFERENCE)


def list_referenced_models(value: Any, schemas: Json) -> list[str]:
    """Return the sorted names of the models to which a part of the document refers, directly or indirectly."""
    found: dict[str, None] = {}
    waiting = list(_references(value))
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = None
            waiting += _references(schemas[name])
    return sorted(found)


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if name := model_name(value):
            yield name
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)
