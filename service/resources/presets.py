"""Presets: named sets of field values for new cards of a card type."""

from functools import partial
from typing import Annotated, Any

from pydantic import MISSING

from ..auth import archived_boards
from ..auth.context import Call
from ..auth.policies import architect, member
from ..database.queries import sql
from ..database.store import Row
from ..domain import field_values, pattern_prechecks
from ..errors import Conflict, invalid
from ..ids import new_id
from ..pipeline import filter_values, reference_errors
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output, Query, StoredJson, Title, json_text, stored_json
from . import card_types, events

CHARACTERS_MAX = 4 << 20  # for all presets of an organization, because they are listed in one response
CHARACTERS_PER_ROW = 200  # estimated overhead of each value in that response


class PresetField(Output):
    """The value of one field in a preset."""

    id: str
    card_type_id: str
    preset_name: str
    field_id: str
    value: Annotated[str | list[str], StoredJson]


class NewPresetField(Input):
    card_type_id: Id
    preset_name: Title
    field_id: Id
    value: Any


class PresetFieldEdit(Input):
    preset_name: Title | MISSING = MISSING
    value: Any = MISSING


class PresetQuery(Query):
    card_type_id: str | None = None


def _require_preset_field(call: Call, preset_field_id: str) -> Row:
    row = call.tx.one(sql.preset_fields.get, preset_field_id=preset_field_id, org_id=call.org_id)
    if row is None:
        raise archived_boards.not_found(call, "preset field", preset_field_id)
    return row


def _encode_value(call: Call, card_type_id: str, field_id: str, value: Any) -> str:
    if not call.tx.one(sql.fields.get, field_id=field_id, card_type_id=card_type_id, org_id=call.org_id):
        raise reference_errors.unknown_field(call, "fieldId", card_type_id, "is not the id of a field of the card type")
    item = field_values.NewFieldValue.model_validate({"fieldId": field_id, "value": value})
    _, checked_value = field_values.check_values(call, card_type_id, [item])[field_id]
    if checked_value is None:
        raise invalid("value", "must not be empty")
    return json_text(checked_value)


def _require_unique(call: Call, row: Row) -> None:
    key = {name: row[name] for name in ("card_type_id", "preset_name", "field_id")}
    if call.tx.value(sql.preset_fields.find, **key) not in (None, row["id"]):
        raise Conflict(None, "The preset already has a value for this field; update that value.", state="taken")


def _require_room(call: Call, added_characters: int) -> None:
    """Raise Conflict if the added characters would make the presets too large for one response."""
    total = call.tx.value(sql.preset_fields.total_size, org_id=call.org_id) + added_characters
    if added_characters > 0 and total > CHARACTERS_MAX:
        raise build_size_error()


def build_size_error() -> Conflict:
    """Return the error for presets that exceed the size limit of an organization."""
    message = f"The presets of an organization are limited to {CHARACTERS_MAX >> 20} MiB in total; delete some first."
    return Conflict(None, message, state="full")


async def _precheck_patterns(operation: Operation[Call]) -> None:
    await pattern_prechecks.precheck_patterns(operation, partial(_list_new_values, operation.parsed.arguments))


def _list_new_values(arguments: dict[str, Any], call: Call) -> list[field_values.NewFieldValue]:
    body = arguments["body"]
    if body.value is MISSING:
        return []
    row_id = arguments.get("preset_field_id")
    field_id = body.field_id if row_id is None else _require_preset_field(call, row_id)["field_id"]
    return [field_values.NewFieldValue(fieldId=field_id, value=body.value)]


@routes.get("/preset-fields", member())
def list_preset_fields(call: Call, query: PresetQuery) -> list[PresetField]:
    """List the preset fields of the current organization, or of one card type."""
    filter_values.require_known(call, query)
    rows = call.tx.all(sql.preset_fields.list, org_id=call.org_id, card_type_id=query.card_type_id)
    return [PresetField.of(row) for row in rows]


@routes.get("/preset-fields/{preset_field_id}", member())
def get_preset_field(call: Call, preset_field_id: str) -> PresetField:
    """Return one preset field."""
    return PresetField.of(_require_preset_field(call, preset_field_id))


@routes.post("/preset-fields", architect(), before=_precheck_patterns)
def create_preset_field(call: Call, body: NewPresetField) -> PresetField:
    """Create the value of one field in a preset (SA).

    The value is validated like a field value of a card. Fails with 409 if the preset already has a value for the field.
    """
    if not card_types.find_card_type(call, body.card_type_id):
        raise reference_errors.unknown_card_type(call, "cardTypeId", None)
    value = _encode_value(call, body.card_type_id, body.field_id, body.value)
    row = body.model_dump() | {"id": new_id("pre"), "value": value}
    _require_unique(call, row)
    _require_room(call, len(value))
    call.tx.run(sql.preset_fields.create, org_id=call.org_id, **row)
    events.record(call, "preset.created")
    return PresetField.of(row)


@routes.patch("/preset-fields/{preset_field_id}", architect(), before=_precheck_patterns)
def update_preset_field(call: Call, preset_field_id: str, body: PresetFieldEdit) -> PresetField:
    """Update the preset name or the value of a preset field (SA)."""
    before, changes = _require_preset_field(call, preset_field_id), body.changes()
    if "value" in changes:
        changes["value"] = _encode_value(call, before["card_type_id"], before["field_id"], changes["value"])
    row = {**before, **changes}
    _require_unique(call, row)
    _require_room(call, len(row["value"]) - len(before["value"]))
    values = {"preset_name": row["preset_name"], "value": row["value"]}
    call.tx.run(sql.preset_fields.update, preset_field_id=preset_field_id, **values)
    if row != before:
        events.record(call, "preset.updated")
    return PresetField.of(row)


@routes.delete("/preset-fields/{preset_field_id}", architect())
def delete_preset_field(call: Call, preset_field_id: str) -> None:
    """Delete a preset field (SA)."""
    _require_preset_field(call, preset_field_id)
    call.tx.run(sql.preset_fields.delete, preset_field_id=preset_field_id)
    events.record(call, "preset.removed")


def list_preset_values(call: Call, card_type_id: str, preset_name: str) -> list[field_values.NewFieldValue]:
    """Return the field values of a preset; raise validation_failed if the card type has no such preset."""
    rows = call.tx.all(sql.preset_fields.list_of_preset, card_type_id=card_type_id, preset_name=preset_name)
    if not rows:
        raise reference_errors.unknown_preset(call, "presetName", card_type_id)
    items = [{"fieldId": row["field_id"], "value": stored_json(row["value"])} for row in rows]
    return [field_values.NewFieldValue.model_validate(item) for item in items]
