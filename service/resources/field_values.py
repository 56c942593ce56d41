"""Values of custom fields on cards, checked by the kind of the field (contract, section 4)."""

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, WithJsonSchema

from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..errors import BadRequest, Conflict, invalid
from ..journey.call import Call
from ..journey.route import Operation
from ..wire import Id, Input, Output, json_text, stored_json
from . import patterns

Value = str | list[str] | None
# What a field can take; which of these a kind of field takes is checked by its kind.
_TAKEN: dict[str, Any] = {
    "anyOf": [
        *({"type": kind} for kind in ("string", "number", "boolean", "null")),
        {"type": "array", "items": {"type": "string"}},
    ]
}
_DECIMAL = re.compile(r"[+-]?[0-9]{1,100}(\.[0-9]{1,100})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
TEXT_CHARACTERS_MAX, RICHTEXT_CHARACTERS_MAX, CHOICES_MAX = 10_000, 100_000, 200


class FieldValue(Output):
    """The value of one field on a card: a string, a list of strings or null."""

    field_id: str
    value: Value


class NewFieldValue(Input):
    field_id: Id
    value: Annotated[Any, WithJsonSchema(_TAKEN)]


Given = Callable[[Call], Iterable[NewFieldValue]]


def _string(value: Any, most: int = TEXT_CHARACTERS_MAX) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a string")
    if len(value) > most:
        raise ValueError(f"may have {most} characters at the most")
    return value


def _text(call: Call, field: Row, value: Any) -> Value:
    return _string(value)


def _richtext(call: Call, field: Row, value: Any) -> Value:
    return _string(value, RICHTEXT_CHARACTERS_MAX)


def _number(call: Call, field: Row, value: Any) -> Value:
    if isinstance(value, int | float) and not isinstance(value, bool):
        # JSON integers past 64 bits and long fractions arrive rounded: whoever needs them sends a string.
        if abs(value) >= 1 << 63:
            raise ValueError("must be sent as a string if it is that large")
        value = format(Decimal(repr(value)), "f")
    if not _DECIMAL.fullmatch(_string(value)):
        raise ValueError("must be a decimal number, for example 12.5")
    return str(value)


def _checkbox(call: Call, field: Row, value: Any) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value not in ("true", "false"):
        raise ValueError("must be 'true' or 'false'")
    return str(value)


def _select(call: Call, field: Row, value: Any) -> Value:
    if _string(value) not in stored_json(field["options"]):
        raise ValueError(f"must be one of the options: {', '.join(stored_json(field['options'])[:20])}")
    return str(value)


def _multiselect(call: Call, field: Row, value: Any) -> Value:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise ValueError("must be a list of strings that are not blank")
    if len(value) > CHOICES_MAX or any(len(item) > 200 for item in value):
        raise ValueError(f"may have {CHOICES_MAX} choices of 200 characters at the most")
    options = stored_json(field["options"])
    if options and not set(value) <= set(options):
        raise ValueError(f"must be among the options: {', '.join(options[:20])}")
    return list(dict.fromkeys(value))


def _date(call: Call, field: Row, value: Any) -> Value:
    moment = timestamp(parse_timestamp(_string(value)))
    return str(value) if _DATE.fullmatch(value) else moment


def _url(call: Call, field: Row, value: Any) -> Value:
    parts = urlsplit(_string(value, 2000))
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\s\x00-\x1f]", value):
        raise ValueError("must be an absolute http or https address")
    return str(value)


def _agent(call: Call, field: Row, value: Any) -> Value:
    if not call.tx.one(sql.access.agent, org_id=call.org_id, agent_id=_string(value)):
        raise ValueError("names no agent of the organization")
    return str(value)


def _user(call: Call, field: Row, value: Any) -> Value:
    if not call.tx.one(sql.members.read, org_id=call.org_id, user_id=_string(value)):
        raise ValueError("names no member of the organization")
    return str(value)


def _file(call: Call, field: Row, value: Any) -> Value:
    raise ValueError("is set by uploading files, not by a value")


_CHECKS: dict[str, Callable[[Call, Row, Any], Value]] = {
    "text": _text,
    "richtext": _richtext,
    "number": _number,
    "checkbox": _checkbox,
    "select": _select,
    "multiselect": _multiselect,
    "date": _date,
    "url": _url,
    "agent": _agent,
    "user": _user,
    "file": _file,
}


async def match_ahead(operation: Operation[Any], given: Given | None = None) -> None:
    """Match values with the patterns of their fields before the transaction: all in a body, with those of its presets.

    A route that takes values declares this with `before`; `given` finds them where the body does not say them.
    """
    body = operation.taken.arguments["body"]
    find = given or partial(_all_given, body)
    if given is None and not any(True for _ in _given(body)):
        return
    who, pairs = operation.peek(partial(_pairs, find))
    await patterns.look_ahead(pairs, operation.outcomes, *who)


def _pairs(find: Given, call: Call) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    """Give who asks, for a fair share, and each pattern with the text that it is for."""
    given = list(find(call))
    field_ids = json_text(list({item.field_id for item in given}))
    rows = call.tx.all(sql.fields.patterns, field_ids=field_ids, org_id=call.org_id)
    fields = {row["id"]: row for row in rows}
    texts = [(fields[item.field_id], item.value) for item in given if item.field_id in fields]
    pairs = [(field["validation"], _text_ahead(call, field, value)) for field, value in texts]
    return (call.actor.id, call.org_id), [(pattern, text) for pattern, text in pairs if text is not None]


def _text_ahead(call: Call, field: Row, value: Any) -> str | None:
    """Give the text that a pattern will be matched with, None if it will not come to that."""
    try:
        text = _CHECKS[field["kind"]](call, field, value)
    except ValueError:
        return None
    return text if isinstance(text, str) and text else None


def _all_given(body: Any, call: Call) -> Iterator[NewFieldValue]:
    for item in _given(body):
        if isinstance(item, NewFieldValue):
            yield item
        else:
            name = {"card_type_id": item.card_type_id, "preset_name": item.preset_name}
            for row in call.tx.all(sql.preset_fields.of_preset, **name):
                yield NewFieldValue(fieldId=row["field_id"], value=stored_json(row["value"]))


def _given(value: Any) -> Iterator[Any]:
    """Give all values in a body, and all that names a preset."""
    if isinstance(value, NewFieldValue):
        yield value
    elif isinstance(value, BaseModel | list):
        if getattr(value, "preset_name", None) is not None:
            yield value
        for part in value if isinstance(value, list) else vars(value).values():
            yield from _given(part)


def checked(call: Call, card_type_id: str, given: list[NewFieldValue]) -> dict[str, tuple[Row, Value]]:
    """Check values for a card of a type: field id to (field, value), None where it is to be cleared.

    Raises validation_failed naming the field, or field_validation_failed if its pattern finds no match.
    """
    fields = {row["id"]: row for row in call.tx.all(sql.fields.browse, card_type_id=card_type_id)}
    values: dict[str, tuple[Row, Value]] = {}
    for index, item in enumerate(given):
        if item.field_id not in fields or item.field_id in values:
            what = "is given twice" if item.field_id in values else "names no field of the card's type"
            raise invalid(f"fieldValues.{index}.fieldId", what)
        field = fields[item.field_id]
        values[item.field_id] = (field, _checked(call, field, item.value))
    return values


def _checked(call: Call, field: Row, value: Any) -> Value:
    # An empty value clears the field, of whatever kind it is; only an upload changes a file field.
    if value in (None, "", []) and field["kind"] != "file":
        return None
    try:
        checked = _CHECKS[field["kind"]](call, field, value)
    except ValueError as error:
        raise invalid(f"fieldValues.{field['name']}", str(error)) from None
    if field["validation"] and isinstance(checked, str):
        _match(call, field, checked)
    return checked


def _match(call: Call, field: Row, text: str) -> None:
    pattern = field["validation"]
    if (pattern, text) not in call.outcomes:  # the pattern is younger than the look at it
        raise Conflict(None, f"The field {field['label']} has just been changed; send it again.", state="changed")
    if problem := call.outcomes[pattern, text]:
        about = {"fieldId": field["id"], "field": field["name"], "pattern": pattern}
        raise BadRequest("field_validation_failed", f"The value of {field['label']} {problem}.", **about)


def write(call: Call, card_id: str, values: dict[str, tuple[Row, Value]]) -> dict[str, tuple[Value, Value]]:
    """Write checked values to a card and give what changed, by the names that history uses."""
    rows = call.tx.all(sql.field_values.browse, card_id=card_id)
    before = {row["field_id"]: stored_json(row["value"]) for row in rows}
    changes: dict[str, tuple[Value, Value]] = {}
    for field_id, (field, value) in values.items():
        if value == before.get(field_id):
            continue
        changes[f"fieldValues.{field['name']}"] = (before.get(field_id), value)
        if value is None:
            call.tx.run(sql.field_values.remove, card_id=card_id, field_id=field_id)
        else:
            call.tx.run(sql.field_values.write, card_id=card_id, field_id=field_id, value=json_text(value))
    return changes
