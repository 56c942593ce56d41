"""Validation and storage of custom field values of cards."""

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import ValidationError, ValidatorFunctionWrapHandler, WithJsonSchema

from ..auth import busy_resources
from ..auth.context import Call
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, Conflict, invalid
from ..http.json_body import PROBLEMS_LISTED_MAX
from ..pipeline import reference_errors
from ..schemas import Id, Input, Output, check_single_line, json_text, stored_json
from ..text.comparison import is_blank, to_nfc
from .mentions import find_mentions
from .watching import watch_as_mentioned

Value = str | list[str] | None
# JSON types of all kinds of fields; CHECKS accepts a subset for each kind.
_ACCEPTED_TYPES: dict[str, Any] = {
    "anyOf": [
        *({"type": kind} for kind in ("string", "number", "boolean", "null")),
        {"type": "array", "items": {"type": "string"}},
    ]
}
_DECIMAL = re.compile(r"[+-]?[0-9]{1,100}(\.[0-9]{1,100})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
LIST_KINDS = ("multiselect", "file")  # kinds of fields whose values are lists
TEXT_CHARACTERS_MAX, RICHTEXT_CHARACTERS_MAX, CHOICES_MAX = 10_000, 100_000, 200
BYTES_MAX = 2 << 20  # of all values of a card, because each change is stored in one history row


class FieldValue(Output):
    """The value of one field on a card: a string, a list of strings or null."""

    field_id: str
    value: Value


class NewFieldValue(Input):
    field_id: Id
    value: Annotated[Any, WithJsonSchema(_ACCEPTED_TYPES)]


def limit_problems(values: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Return validated field values; raise one ValueError for all problems if there are too many to list."""
    try:
        return validate(values)
    except ValidationError as error:
        if error.error_count() <= PROBLEMS_LISTED_MAX:
            raise
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"has {error.error_count()} problems; the first one, {where}: {first['msg']}") from None


def _check_string(value: Any, characters_max: int = TEXT_CHARACTERS_MAX) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    if len(value) > characters_max:
        raise ValueError(f"must have at most {characters_max} characters")
    return value


def _check_richtext(value: Any) -> Value:
    return _check_string(value, RICHTEXT_CHARACTERS_MAX)


def _check_number(value: Any) -> Value:
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Large JSON integers and long fractions lose precision, so clients send them as strings.
        if abs(value) >= 1 << 63:
            raise ValueError("must be sent as a string if it is that large")
        value = format(Decimal(repr(value)), "f")
    if not _DECIMAL.fullmatch(_check_string(value)):
        raise ValueError("must be a decimal number, for example 12.5")
    return str(value)


def _check_checkbox(value: Any) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value not in ("true", "false"):
        raise ValueError("must be 'true' or 'false'")
    return str(value)


def _check_select(call: Call, field: Row, value: Any) -> Value:
    option, options = to_nfc(_check_string(value)), stored_json(field["options"])
    if option not in options:
        raise ValueError(f"must be one of the options: {', '.join(options[:20])}")
    return option


def _check_choices(value: Any) -> Value:
    if not isinstance(value, list) or not all(isinstance(item, str) and not is_blank(item) for item in value):
        raise ValueError("must be a list of strings that are not blank")
    if len(value) > CHOICES_MAX or any(len(item) > 200 for item in value):
        raise ValueError(f"must have at most {CHOICES_MAX} choices of at most 200 characters")
    return list(dict.fromkeys(map(to_nfc, value)))


def _check_multiselect(call: Call, field: Row, value: Any) -> Value:
    choices, options = _check_choices(value) or [], stored_json(field["options"])
    if options and not set(choices) <= set(options):
        raise ValueError(f"must be among the options: {', '.join(options[:20])}")
    for choice in () if options else choices:
        check_single_line(choice)
    return choices


def _check_date(value: Any) -> Value:
    normalized = timestamp(parse_timestamp(_check_string(value)))
    return str(value) if _DATE.fullmatch(value) else normalized


def _check_url(value: Any) -> Value:
    parts = urlsplit(_check_string(value, 2000))
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\s\x00-\x1f]", value):
        raise ValueError("must be an absolute http or https address")
    return str(value)


def _check_agent(call: Call, field: Row, value: Any) -> Value:
    if not call.tx.one(sql.access.get_agent, org_id=call.org_id, agent_id=_check_string(value)):
        raise ValueError("names no agent of the organization")
    return str(value)


def _check_user(call: Call, field: Row, value: Any) -> Value:
    if not call.tx.one(sql.members.get, org_id=call.org_id, user_id=_check_string(value)):
        raise ValueError("names no member of the organization")
    return str(value)


def _reject_file(call: Call, field: Row, value: Any) -> Value:
    raise ValueError("is set by uploading files, not by a value")


# By kind of field: checks of values that have the same form in every organization.
_FORMS: dict[str, Callable[[Any], Value]] = {
    "text": _check_string,
    "richtext": _check_richtext,
    "number": _check_number,
    "checkbox": _check_checkbox,
    "date": _check_date,
    "url": _check_url,
    "select": _check_string,
    "multiselect": _check_choices,
    "agent": _check_string,
    "user": _check_string,
}


def check_form(kind: str, value: Any) -> None:
    """Raise ValueError if a value does not have the form of its kind, whatever the settings of its field are."""
    if isinstance(value, list) != (kind in LIST_KINDS):
        raise ValueError(f"does not fit a field of the kind {kind}")
    if kind in _FORMS:
        _FORMS[kind](value)


def _ignore_field(check: Callable[[Any], Value]) -> Callable[[Call, Row, Any], Value]:
    return lambda call, field, value: check(value)


# By kind of field: returns the normalized value, or raises ValueError with the problem.
CHECKS: dict[str, Callable[[Call, Row, Any], Value]] = {
    **{kind: _ignore_field(check) for kind, check in _FORMS.items()},
    "select": _check_select,
    "multiselect": _check_multiselect,
    "agent": _check_agent,
    "user": _check_user,
    "file": _reject_file,
}


def check_values(call: Call, card_type_id: str, items: list[NewFieldValue]) -> dict[str, tuple[Row, Value]]:
    """Return (field, normalized value) by field id for a card of a type; the value None clears the field.

    Raise validation_failed for a wrong value, or field_validation_failed if it does not match the pattern.
    """
    fields = list_fields(call, card_type_id, [item.field_id for item in items])
    values: dict[str, tuple[Row, Value]] = {}
    for index, item in enumerate(items):
        if item.field_id not in fields or item.field_id in values:
            path = f"fieldValues.{index}.fieldId"
            if item.field_id in values:
                raise invalid(path, "is given twice")
            raise reference_errors.unknown_field(call, path, card_type_id, "names no field of the card's type")
        field = fields[item.field_id]
        if call.tx.writes:
            busy_resources.require_idle(call, field_id=item.field_id)
        values[item.field_id] = (field, _check_value(call, field, item.value))
    return values


def list_fields(call: Call, card_type_id: str, field_ids: Iterable[str]) -> dict[str, Row]:
    """Return those of the given fields that a card type has, by id."""
    ids = json_text(list(field_ids))
    rows = call.tx.all(sql.fields.list_by_ids, card_type_id=card_type_id, field_ids=ids) if ids != "[]" else []
    return {row["id"]: row for row in rows}


def list_values(call: Call, card_id: str, field_ids: Iterable[str]) -> dict[str, Value]:
    """Return the values of a card in some fields, by field id."""
    ids = json_text(list(field_ids))
    rows = call.tx.all(sql.field_values.list_by_fields, card_id=card_id, field_ids=ids) if ids != "[]" else []
    return {row["field_id"]: stored_json(row["value"]) for row in rows}


def normalize_value(call: Call, field: Row, value: Any) -> Value:
    """Return the normalized value of a field, None if it is empty; raise ValueError for a wrong one.

    The pattern of the field is not checked.
    """
    # An empty value clears a field of any kind except file: only uploads change file fields.
    if value in (None, "", []) and field["kind"] != "file":
        return None
    return CHECKS[field["kind"]](call, field, value)


def _check_value(call: Call, field: Row, value: Any) -> Value:
    try:
        normalized = normalize_value(call, field, value)
    except ValueError as error:
        raise invalid(f"fieldValues.{field['name']}", str(error)) from None
    if field["validation"] and isinstance(normalized, str):
        _require_match(call, field, normalized)
    return normalized


def _require_match(call: Call, field: Row, text: str) -> None:
    pattern = field["validation"]
    if (pattern, text) not in call.outcomes:  # the pattern was changed after the precheck
        raise Conflict(None, f"The field {field['label']} has just been changed; send it again.", state="changed")
    if problem := call.outcomes[pattern, text]:
        about = {"fieldId": field["id"], "field": field["name"], "pattern": pattern}
        raise BadRequest("field_validation_failed", f"The value of {field['label']} {problem}.", **about)


def history_name(name: str) -> str:
    """Return the name by which the history calls the value of a field."""
    return f"fieldValues.{name}"


def write_values(call: Call, card_id: str, values: dict[str, tuple[Row, Value]]) -> dict[str, tuple[Value, Value]]:
    """Write checked values to a card and return the changes as (old, new) by their names in the history."""
    before = list_values(call, card_id, values)
    _require_size(call, card_id, before, values)
    changes: dict[str, tuple[Value, Value]] = {}
    for field_id, (field, value) in values.items():
        if value == before.get(field_id):
            continue
        changes[history_name(field["name"])] = (before.get(field_id), value)
        if value is None:
            call.tx.run(sql.field_values.delete, card_id=card_id, field_id=field_id)
        else:
            write_value(call, card_id, field, value)
    return changes


def write_value(call: Call, card_id: str, field: Row, value: Value) -> None:
    """Write a checked value (not None) to a card; people whom a rich text newly mentions begin to watch the card."""
    mentions = find_mentions(call, str(value)) if field["kind"] == "richtext" else None
    if mentions:
        before = call.tx.value(sql.field_values.get_mentions, card_id=card_id, field_id=field["id"])
        watch_as_mentioned(call, card_id, mentions, before)
    stored = {"value": json_text(value), "mentions": mentions}
    call.tx.run(sql.field_values.upsert, card_id=card_id, field_id=field["id"], **stored)


def _require_size(call: Call, card_id: str, before: dict[str, Value], values: dict[str, tuple[Row, Value]]) -> None:
    """Raise validation_failed if the values of a card are too large together and grow."""
    growth = _count_bytes(value for _, value in values.values()) - _count_bytes(before.values())
    if growth <= 0:
        return
    if call.tx.value(sql.field_values.total_size, card_id=card_id) + growth > BYTES_MAX:
        raise invalid("fieldValues", f"must have at most {BYTES_MAX >> 20} MiB together; attach longer texts as files")


def _count_bytes(values: Iterable[Value]) -> int:
    return sum(len(json_text(value).encode()) for value in values if value is not None)
