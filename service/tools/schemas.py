"""The JSON schemas of tools, as short as they can be: every agent reads all of them."""

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from ..wire import Input

Json = dict[str, Any]
_DROPPED = {"title", "minLength", "maxLength", "maxItems", "pattern", "format"}


def schema_of(model: type[BaseModel]) -> Json:
    """Give the schema of a model: what may be left out is not required, and never null in an answer."""
    is_input = issubclass(model, Input)
    full = model.model_json_schema(mode="validation", schema_generator=_Quiet)
    definitions = full.pop("$defs", {})
    full.pop("description", None)
    short: Json = _short(full, definitions, is_input)
    return short


class _Quiet(GenerateJsonSchema):
    """Says nothing of defaults that JSON has no word for."""

    ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}


def _short(schema: Any, definitions: Json, keep_null: bool) -> Any:
    if isinstance(schema, list):
        return [_short(item, definitions, keep_null) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = dict(definitions[schema["$ref"].rpartition("/")[2]])
        target.pop("description", None)
        return _short(target | {key: value for key, value in schema.items() if key != "$ref"}, definitions, keep_null)
    short = {key: value for key, value in schema.items() if key not in _DROPPED}
    if short.get("default", 0) in (None, []):
        del short["default"]
    if "anyOf" in short:
        return short | _union([_short(item, definitions, keep_null) for item in short.pop("anyOf")], keep_null)
    if properties := short.pop("properties", None):
        short["properties"] = {key: _short(value, definitions, keep_null) for key, value in properties.items()}
    return {
        key: value if key == "properties" else _short(value, definitions, keep_null) for key, value in short.items()
    }


def _union(kinds: list[Json], keep_null: bool) -> Json:
    """Write alternatives in one line where that says the same."""
    kept = [kind for kind in kinds if keep_null or kind != {"type": "null"}]
    if len(kept) == 1:
        return kept[0]
    if all("type" in kind and "enum" not in kind for kind in kept):
        merged: Json = {}
        for kind in kept:
            merged |= kind
        return merged | {"type": [kind["type"] for kind in kept]}
    return {"anyOf": kept}
