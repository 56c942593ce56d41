"""Presets: named values that a new card of a type starts with."""

from functools import partial
from typing import Annotated, Any

from pydantic import MISSING

from ..auth.context import Call
from ..auth.policies import architect, member
from ..database.queries import sql
from ..database.store import Row
from ..domain import field_values, pattern_prechecks
from ..errors import Conflict, NotFound, invalid
from ..ids import new_id
from ..pipeline import reference_errors
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input, Name, Output, Query, StoredJson, json_text, stored_json
from . import card_types, events

CHARACTERS_MAX = 4 << 20  # in the values of an organization's presets, since they come in one answer
CHARACTERS_AROUND = 200  # each value, in that answer


class PresetField(Output):
    """The value that a preset gives to one field."""

    id: str
    card_type_id: str
    preset_name: str
    field_id: str
    value: Annotated[str | list[str], StoredJson]


class NewPresetField(Input):
    card_type_id: Id
    preset_name: Name
    field_id: Id
    value: Any


class PresetFieldEdit(Input):
    preset_name: Name | MISSING = MISSING
    value: Any = MISSING


class PresetQuery(Query):
    card_type_id: str | None = None


def _row(call: Call, preset_field_id: str) -> Row:
    row = call.tx.one(sql.preset_fields.get, preset_field_id=preset_field_id, org_id=call.org_id)
    if row is None:
        raise NotFound("preset field")
    return row


def _checked(call: Call, card_type_id: str, field_id: str, value: Any) -> str:
    if not call.tx.one(sql.fields.get, field_id=field_id, card_type_id=card_type_id, org_id=call.org_id):
        raise reference_errors.field(call, "fieldId", card_type_id, "names no field of the card type")
    item = field_values.NewFieldValue.model_validate({"fieldId": field_id, "value": value})
    _, checked = field_values.check_values(call, card_type_id, [item])[field_id]
    if checked is None:
        raise invalid("value", "may not be empty")
    return json_text(checked)


def _refuse_twin(call: Call, row: Row) -> None:
    key = {name: row[name] for name in ("card_type_id", "preset_name", "field_id")}
    if call.tx.value(sql.preset_fields.find, **key) not in (None, row["id"]):
        raise Conflict("conflict", "The preset has a value for that field already; change that one.")


def _judge_size(call: Call, more: int) -> None:
    """Refuse a value with which the presets of the organization would be too much for one answer."""
    if more > 0 and call.tx.value(sql.preset_fields.total_size, org_id=call.org_id) + more > CHARACTERS_MAX:
        raise full()


def full() -> Conflict:
    """Make the error for presets that are too much together."""
    message = f"The presets of an organization may have {CHARACTERS_MAX >> 20} MiB together; remove some."
    return Conflict(None, message, state="full")


async def _match_ahead(operation: Operation[Call]) -> None:
    await pattern_prechecks.precheck_patterns(operation, partial(_given, operation.parsed.arguments))


def _given(arguments: dict[str, Any], call: Call) -> list[field_values.NewFieldValue]:
    body = arguments["body"]
    if body.value is MISSING:
        return []
    row_id = arguments.get("preset_field_id")
    field_id = body.field_id if row_id is None else _row(call, row_id)["field_id"]
    return [field_values.NewFieldValue(fieldId=field_id, value=body.value)]


@routes.get("/preset-fields", member())
def browse(call: Call, query: PresetQuery) -> list[PresetField]:
    """List the preset rows of the current organization, or of one card type."""
    rows = call.tx.all(sql.preset_fields.list, org_id=call.org_id, card_type_id=query.card_type_id)
    return [PresetField.of(row) for row in rows]


@routes.get("/preset-fields/{preset_field_id}", member())
def read(call: Call, preset_field_id: str) -> PresetField:
    """Show one preset row."""
    return PresetField.of(_row(call, preset_field_id))


@routes.post("/preset-fields", architect(), before=_match_ahead)
def add(call: Call, body: NewPresetField) -> PresetField:
    """Give a preset a value for a field (SA), checked like a value on a card; 409 if it has one."""
    if not card_types.find_card_type(call, body.card_type_id):
        raise reference_errors.card_type(call, "cardTypeId", None)
    value = _checked(call, body.card_type_id, body.field_id, body.value)
    row = body.model_dump() | {"id": new_id("pre"), "value": value}
    _refuse_twin(call, row)
    _judge_size(call, len(value))
    call.tx.run(sql.preset_fields.create, org_id=call.org_id, **row)
    events.record(call, "preset.created")
    return PresetField.of(row)


@routes.patch("/preset-fields/{preset_field_id}", architect(), before=_match_ahead)
def edit(call: Call, preset_field_id: str, body: PresetFieldEdit) -> PresetField:
    """Change name or value of a preset row (SA)."""
    before, changes = _row(call, preset_field_id), body.changes()
    if "value" in changes:
        changes["value"] = _checked(call, before["card_type_id"], before["field_id"], changes["value"])
    row = {**before, **changes}
    _refuse_twin(call, row)
    _judge_size(call, len(row["value"]) - len(before["value"]))
    values = {"preset_name": row["preset_name"], "value": row["value"]}
    call.tx.run(sql.preset_fields.update, preset_field_id=preset_field_id, **values)
    if row != before:
        events.record(call, "preset.updated")
    return PresetField.of(row)


@routes.delete("/preset-fields/{preset_field_id}", architect())
def remove(call: Call, preset_field_id: str) -> None:
    """Remove a preset row (SA)."""
    _row(call, preset_field_id)
    call.tx.run(sql.preset_fields.delete, preset_field_id=preset_field_id)
    events.record(call, "preset.removed")


def values_of(call: Call, card_type_id: str, preset_name: str) -> list[field_values.NewFieldValue]:
    """Give the values that a preset has for new cards of a type; 400 if there is no such preset."""
    rows = call.tx.all(sql.preset_fields.list_of_preset, card_type_id=card_type_id, preset_name=preset_name)
    if not rows:
        raise reference_errors.preset(call, "presetName", card_type_id)
    items = [{"fieldId": row["field_id"], "value": stored_json(row["value"])} for row in rows]
    return [field_values.NewFieldValue.model_validate(item) for item in items]
