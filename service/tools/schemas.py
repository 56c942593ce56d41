"""Short JSON schemas of tool arguments: every agent reads the schemas of all tools."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from ..schemas import Input

Json = dict[str, Any]
# Omitted keys: the error message of a call that breaks such a rule names it.
_OMITTED_KEYS = {
    "title",
    "minLength",
    "maxLength",
    "maxItems",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "maxProperties",
}

_OBVIOUS_DEFAULTS: tuple[Any, ...] = (None, [], {}, 0, 1, "none")  # not shown: nothing, the first page, no priority

# Arguments with bounds in their schema, because a model has to choose among them.
_BOUNDED_ARGUMENTS = {"leaseSeconds"}


def build_schema(model: type[Input]) -> Json:
    """Return the JSON schema of the arguments of a tool."""
    full = model.model_json_schema(mode="validation", schema_generator=_SchemaGenerator)
    short: Json = _shorten(full, full.pop("$defs", {}))
    short.pop("description", None)
    return short


class _SchemaGenerator(GenerateJsonSchema):
    """A schema generator without warnings about defaults that are not JSON."""

    ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}


def _shorten(schema: Any, definitions: Json) -> Any:
    if isinstance(schema, list):
        return [_shorten(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = definitions[schema["$ref"].rpartition("/")[2]]
        inside = {key: value for key, value in target.items() if key != "description"}
        return _shorten(inside | {key: value for key, value in schema.items() if key != "$ref"}, definitions)
    short = {key: value for key, value in schema.items() if key not in _OMITTED_KEYS}
    if "anyOf" in short:
        # Some clients support no alternatives. Arguments accept null all the same: their descriptions say what it does.
        (kind,) = (kind for kind in short.pop("anyOf") if kind != {"type": "null"})
        short |= _shorten(kind, definitions)
    if "default" in short and short["default"] is not True and short["default"] in _OBVIOUS_DEFAULTS:
        del short["default"]
    if short.get("additionalProperties") is True:  # the default of JSON schema
        del short["additionalProperties"]
    return {key: _shorten_value(key, value, definitions) for key, value in short.items()}


def _shorten_value(key: str, value: Any, definitions: Json) -> Any:
    if key == "properties":
        return {name: _shorten(schema, definitions) | _get_bounds(name, schema) for name, schema in value.items()}
    return _shorten(value, definitions)


def _get_bounds(name: str, schema: Json) -> Json:
    """Return the bounds of an argument if its schema shows them; those of an optional one are in its first kind."""
    bounded = schema.get("anyOf", [schema])[0] if name in _BOUNDED_ARGUMENTS else {}
    return {key: bounded[key] for key in ("minimum", "maximum") if key in bounded}
