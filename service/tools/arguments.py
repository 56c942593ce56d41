"""Arguments of tools as clients send them: JSON texts for other types, and words of enumerations in any spelling."""

from typing import Any

from ..http import json_body
from ..text.comparison import fold_name

Json = dict[str, Any]
_TYPES: dict[str, tuple[type, ...]] = {"integer": (int, float), "number": (int, float), "boolean": (bool,)}
_TYPES |= {"object": (dict,), "array": (list,)}


def normalize(schema: Json, value: Any) -> Any:
    """Return an argument as its schema declares it; a value that does not fit is returned unchanged.

    Where a number, boolean, list or object is declared, its JSON text is taken for it. A declared text stays as it is,
    even if it looks like JSON. So do the values of an object with free keys, whose types only their card type knows.
    """
    declared = schema.get("type")
    if "enum" in schema:
        return _find_word(schema["enum"], value)
    is_open = declared == "object" and schema.get("additionalProperties") is not False
    if declared in _TYPES and isinstance(value, str):
        value = json_body.parse_text(value, *_TYPES[declared], *([list] if is_open else []))
    if declared == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if declared == "array" and isinstance(value, list):
        return [normalize(schema.get("items", {}), item) for item in value]
    if declared == "object" and isinstance(value, dict) and not is_open:
        properties = schema["properties"]
        return {key: normalize(properties.get(key, {}), item) for key, item in value.items()}
    return value


def _find_word(words: list[str], value: Any) -> Any:
    """Return the word of an enumeration that a text spells in another way: In Progress, in_progress or IN-PROGRESS."""
    if not isinstance(value, str) or value in words:
        return value
    spelled = _join(value)
    return next((word for word in words if _join(word) == spelled), value)


def _join(word: str) -> str:
    return fold_name(word).replace(" ", "")  # depends_on is dependsOn
