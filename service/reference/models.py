"""The schemas of the OpenAPI document as people read them: keys in tables, kinds in words, an example of each body."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

import orjson

from .prose import inline

Json = dict[str, Any]
REFERENCE = "#/components/schemas/"
# How a bound reads behind the kind that it bounds.
BOUNDS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "minimum": "from {}",
    "maximum": "to {}",
    "pattern": "like {}",
    "default": "else {}",
}
SAMPLES: Json = {"string": "…", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}, "null": None}


def kind(schema: Json) -> str:
    """Say in HTML what a value is; models are links to their tables."""
    if name := name_of(schema):
        return f'<a href="#{escape(name)}">{escape(name)}</a>'
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(map(kind, choices)) + _bounds(schema)
    if values := schema.get("enum") or [schema[key] for key in ("const",) if key in schema]:
        return " | ".join(f"<code>{escape(str(value))}</code>" for value in values) + _bounds(schema)
    return _collection(schema) + _bounds(schema)


def _collection(schema: Json) -> str:
    if schema.get("items"):
        return f"list of {kind(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {kind(schema['additionalProperties'])}"
    return escape(str(schema.get("type", "anything")))


def _bounds(schema: Json) -> str:
    told = (BOUNDS[key].format(_shown(schema[key])) for key in BOUNDS if schema.get(key) is not None)
    return "".join(f", {text}" for text in told)


def _shown(value: Any) -> str:
    return f"<code>{escape(value if isinstance(value, str) else orjson.dumps(value).decode())}</code>"


def table(schema: Json) -> str:
    """Give the keys of an object as a table; what is no object is said in words."""
    if not schema.get("properties"):
        return f"<p>{kind(schema)}</p>"
    required = schema.get("required", ())
    rows = ((name, "required" if name in required else "", key) for name, key in schema["properties"].items())
    return grid(
        ("Key", "", "What"),
        ((f"<code>{escape(name)}</code>", must, _described(key)) for name, must, key in rows),
    )


def _described(schema: Json) -> str:
    about = schema.get("description", "")
    return kind(schema) + (f"<br>{inline(about)}" if about else "")


def grid(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Give a table of cells that are HTML already; it can be scrolled, by keyboard too, where it is too wide."""
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    titles = "".join(f'<th scope="col">{title}</th>' if title else "<td></td>" for title in head)
    return f'<div class="wide" tabindex="0"><table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>'


def sample(schema: Json, schemas: Json) -> Any:
    """Make an example of a body: the one that there is, else its required keys."""
    if name := name_of(schema):
        return sample(schemas[name], schemas)
    if schema.get("examples"):
        return schema["examples"][0]
    if schema.get("properties"):
        return {key: sample(schema["properties"][key], schemas) for key in schema.get("required", ())}
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return sample(choices[0], schemas)
    if schema.get("enum") or "const" in schema:
        return schema["enum"][0] if "enum" in schema else schema["const"]
    return [sample(schema["items"], schemas)] if schema.get("minItems") else SAMPLES.get(schema.get("type", ""), {})


def name_of(schema: Json) -> str:
    """Give the name of the model that a schema is, else nothing."""
    return str(schema.get("$ref", "")).removeprefix(REFERENCE)


def reached(value: Any, schemas: Json) -> list[str]:
    """Name the models that a part of the document speaks of, and those of which these speak, in order."""
    found: dict[str, None] = {}
    waiting = list(_named(value))
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = None
            waiting += _named(schemas[name])
    return sorted(found)


def _named(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if name := name_of(value):
            yield name
        for part in value.values():
            yield from _named(part)
    elif isinstance(value, list):
        for part in value:
            yield from _named(part)
