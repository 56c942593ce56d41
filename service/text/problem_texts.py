"""Texts about invalid values, in the words of JSON instead of those of the validator."""

from typing import Any

_WHOLE, _NUMBER = "must be a whole number", "must be a number"
_BOOLEAN, _OBJECT = "must be true or false", "must be an object"
_TEXTS = {
    "missing": "is required",
    "none_required": "must be null",
    "string_type": "must be a string",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "list_type": "must be a list",
    "dict_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "literal_error": "must be {expected}",
    "string_pattern_mismatch": "must match {pattern}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "string_too_short": "must have {min_length} or more characters",
    "string_too_long": "may have {max_length} characters at most",
    "too_short": "must have {min_length} or more entries",
    "too_long": "may have {max_length} entries at most",
}


def describe_problem(problem: Any) -> str:
    """Return what is wrong with a value, as part of a sentence; `problem` is one of `ValidationError.errors()`."""
    if text := _TEXTS.get(problem["type"]):
        return text.format_map(problem.get("ctx", {}))
    message = str(problem["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
