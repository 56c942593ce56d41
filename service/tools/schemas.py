"""The JSON schemas of tools, as short as they can be: every agent reads all of them."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from ..schemas import Input

Json = dict[str, Any]
# Bounds and patterns: a refusal names them to the few who go beyond.
_DROPPED = {"title", "minLength", "maxLength", "maxItems", "pattern", "format", "minimum", "maximum", "maxProperties"}


def schema_of(model: type[Input]) -> Json:
    """Give the schema of the arguments of a tool."""
    full = model.model_json_schema(mode="validation", schema_generator=_Quiet)
    short: Json = _short(full, full.pop("$defs", {}))
    short.pop("description", None)
    return short


class _Quiet(GenerateJsonSchema):
    """Says nothing of defaults that JSON has no word for."""

    ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}


def _short(schema: Any, definitions: Json) -> Any:
    if isinstance(schema, list):
        return [_short(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = definitions[schema["$ref"].rpartition("/")[2]]
        inside = {key: value for key, value in target.items() if key != "description"}
        return _short(inside | {key: value for key, value in schema.items() if key != "$ref"}, definitions)
    short = {key: value for key, value in schema.items() if key not in _DROPPED}
    if "anyOf" in short:
        # Where null is what a key is without being sent, nobody need know that it can be sent.
        keeps_null = short.get("default", 0) is not None
        kinds = [kind for kind in short.pop("anyOf") if keeps_null or kind != {"type": "null"}]
        short |= _union([_short(kind, definitions) for kind in kinds])
    if short.get("default", 0) in (None, [], {}):
        del short["default"]
    if short.get("additionalProperties") is True:  # as it is where nothing is said
        del short["additionalProperties"]
    return {key: _inside(key, value, definitions) for key, value in short.items()}


def _inside(key: str, value: Any, definitions: Json) -> Any:
    if key == "properties":
        return {name: _short(schema, definitions) for name, schema in value.items()}
    return _short(value, definitions)


def _union(kinds: list[Json]) -> Json:
    """Write alternatives as alternatives: not every client takes a list of types."""
    return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
