"""Custom fields of a card type, for which its cards have values."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import MISSING, Field, StringConstraints

from ..auth import archived_boards
from ..auth.context import Call
from ..auth.policies import agent, may
from ..database.queries import sql
from ..domain import patterns
from ..errors import Conflict, invalid
from ..ids import new_id
from ..pipeline import jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Choice, HexColor, Input, Output, StoredJson, Title, json_text
from . import events, files

VALUES_PER_BATCH = 20
OPTIONS_MAX = 500
Kind = Literal[
    "text", "richtext", "number", "checkbox", "select", "multiselect", "date", "url", "agent", "user", "file"
]
MachineName = Annotated[str, StringConstraints(max_length=64, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Options = Annotated[list[Choice], Field(max_length=OPTIONS_MAX)]
OptionColors = Annotated[dict[Choice, HexColor], Field(max_length=OPTIONS_MAX)]
Order = Annotated[int, Field(ge=0, le=100_000)]
PATH = "/organizations/{org_id}/card-types/{card_type_id}/fields"


class CustomField(Output):
    """A custom field."""

    id: str
    card_type_id: str
    name: str
    label: str
    kind: Kind
    required: bool
    options: Annotated[list[str], StoredJson]
    order: int
    validation: str | None
    multiple: bool
    show_on_card: bool = Field(description="Whether board cards have the value of this field in `values`.")
    option_colors: Annotated[dict[str, str], StoredJson] = Field(description="Option → `#rrggbb`.")
    created_at: str


class FieldUsage(Output):
    """A board on which cards, archived ones too, have values or files of a field."""

    id: str
    title: str
    value_count: int
    file_count: int


class NewField(Input):
    name: MachineName
    label: Title | None = None
    kind: Kind
    required: bool = False
    options: Options = []
    order: Order | None = None
    validation: patterns.Pattern | None = None
    multiple: bool = False
    show_on_card: bool = False
    option_colors: OptionColors = {}


class FieldEdit(Input):
    name: MachineName | MISSING = MISSING
    label: Title | MISSING = MISSING
    required: bool | MISSING = MISSING
    options: Options | MISSING = MISSING
    order: Order | MISSING = MISSING
    validation: patterns.Pattern | None | MISSING = MISSING
    multiple: bool | MISSING = MISSING
    show_on_card: bool | MISSING = MISSING
    option_colors: OptionColors | MISSING = MISSING


def _require_field(call: Call, card_type_id: str, field_id: str) -> "sql.fields.GetRow":
    return call.require(sql.fields.get, "field", field_id=field_id, card_type_id=card_type_id, org_id=call.org_id)


def _require_card_type(call: Call, card_type_id: str) -> None:
    if not call.tx.one(sql.card_types.get, card_type_id=card_type_id, org_id=call.org_id):
        raise archived_boards.not_found(call, "card type", card_type_id)


@routes.get(PATH, may("read", "Field"))
@routes.get(PATH + "/mcp", agent())
def list_fields(call: Call, org_id: str, card_type_id: str) -> list[CustomField]:
    """List the fields of a card type in their order."""
    _require_card_type(call, card_type_id)
    return [CustomField.of(row) for row in call.tx.all(sql.fields.list, card_type_id=card_type_id)]


@routes.post(PATH, may("create", "Field"))
def create_field(call: Call, org_id: str, card_type_id: str, body: NewField) -> CustomField:
    """Create a field in a card type; raises invalid_pattern unless RE2 supports its pattern and matches it fast.

    Board cards have the values of fields with `showOnCard`. `optionColors` maps options to colors (`#rrggbb`), for a
    multiselect field without options any value.
    """
    _require_card_type(call, card_type_id)
    values = {**body.model_dump(), "label": body.label or body.name}
    _check_field(call, card_type_id, None, values)
    last = call.tx.value(sql.fields.count, card_type_id=card_type_id)
    position = last if body.order is None else min(body.order, last)
    call.tx.run(sql.fields.open_gap, card_type_id=card_type_id, position=position)
    field_id = new_id("fld")
    location = {"org_id": org_id, "card_type_id": card_type_id, "position": position, "now": call.now}
    call.tx.run(sql.fields.create, id=field_id, kind=body.kind, **location, **_to_columns(values))
    events.record(call, "field.created")
    return CustomField.of(_require_field(call, card_type_id, field_id))


def _to_columns(values: dict[str, Any]) -> dict[str, Any]:
    columns = {key: values[key] for key in ("name", "label", "required", "validation", "multiple", "show_on_card")}
    return columns | {key: json_text(values[key]) for key in ("options", "option_colors")}


def _check_field(call: Call, card_type_id: str, field_id: str | None, values: dict[str, Any]) -> None:
    patterns.check_pattern(values["validation"])
    options = values["options"]
    if options and values["kind"] not in ("select", "multiselect"):
        raise invalid("options", "only select and multiselect fields have options")
    if len(set(options)) < len(options):
        raise invalid("options", "contains the same option twice")
    _check_colors(values["kind"], options, values["option_colors"])
    if values["multiple"] and values["kind"] != "file":
        raise invalid("multiple", "only file fields can be multiple; use multiselect for several values")
    namesake = call.tx.value(sql.fields.find_by_name, card_type_id=card_type_id, name=values["name"])
    if namesake not in (None, field_id):
        message = "The card type already has a field of this name; choose another."
        raise Conflict(None, message, state="taken", name=values["name"])


def _check_colors(kind: str, options: list[str], colors: dict[str, str]) -> None:
    """Raise validation_failed for a color of no option; a multiselect field without options takes any."""
    if colors and kind not in ("select", "multiselect"):
        raise invalid("optionColors", "only options of select and multiselect fields have colors")
    if unknown := _list_unknown_options(kind, options, colors):
        raise invalid("optionColors", f"has colors of options that the field does not have: {', '.join(unknown[:5])}")


def _list_unknown_options(kind: str, options: list[str], colors: dict[str, str]) -> list[str]:
    is_free = kind == "multiselect" and not options
    return [] if is_free else [option for option in colors if option not in options]


@routes.patch(PATH + "/{field_id}", may("update", "Field"))
def update_field(call: Call, org_id: str, card_type_id: str, field_id: str, body: FieldEdit) -> CustomField:
    """Update a field, but not its kind. Existing values on cards stay, even if they would be invalid now.

    `optionColors` replaces all colors. Without it, options keep their colors; those of removed options go.
    """
    _require_card_type(call, card_type_id)
    field = CustomField.of(_require_field(call, card_type_id, field_id))
    values = _apply_changes(field, body.changes())
    _check_field(call, card_type_id, field_id, values)
    position = _move_to(call, field, values["order"])
    call.tx.run(sql.fields.update, field_id=field_id, position=position, **_to_columns(values))
    changed = CustomField.of(_require_field(call, card_type_id, field_id))
    if changed != field:
        events.record(call, "field.updated")
    return changed


def _apply_changes(field: CustomField, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the values that a field will have; removed options lose their colors."""
    values = {**field.model_dump(by_alias=False), **changes}
    if "option_colors" not in changes:
        unknown = _list_unknown_options(field.kind, values["options"], field.option_colors)
        values["option_colors"] = {key: color for key, color in field.option_colors.items() if key not in unknown}
    return values


def _move_to(call: Call, field: CustomField, order: int) -> int:
    position = min(order, int(call.tx.value(sql.fields.count, card_type_id=field.card_type_id)) - 1)
    if position != field.order:
        call.tx.run(sql.fields.close_gap, card_type_id=field.card_type_id, position=field.order)
        call.tx.run(sql.fields.open_gap, card_type_id=field.card_type_id, position=position)
    return position


@routes.get(PATH + "/{field_id}/usage", may("delete", "Field"), on_reader_thread=True)
def list_field_usage(call: Call, org_id: str, card_type_id: str, field_id: str) -> list[FieldUsage]:
    """List the boards with values of a field.

    Those of archived cards and files count, too; the boards that would lose most with the field come first.
    """
    _require_field(call, card_type_id, field_id)
    return [FieldUsage.of(row) for row in call.tx.all(sql.fields.list_usage, field_id=field_id)]


@routes.delete(PATH + "/{field_id}", may("delete", "Field"))
async def delete_field(operation: Operation[Call], org_id: str, card_type_id: str, field_id: str) -> None:
    """Delete a field with its values and files on all cards; columns no longer require it.

    Many values take several transactions; until the last one, the field cannot be changed (409 conflict).
    """
    await jobs.run_in_batches(operation, partial(_start_deletion, card_type_id=card_type_id, field_id=field_id))


def _start_deletion(call: Call, card_type_id: str, field_id: str) -> jobs.Job:
    _require_card_type(call, card_type_id)
    field = _require_field(call, card_type_id, field_id)
    call.tx.run(sql.columns.remove_required_field, org_id=call.org_id, field_id=field["id"])
    return jobs.Job("remove_field", "field", field["id"], {"card_type_id": card_type_id})


@jobs.batches("remove_field", "removing")
def delete_field_batch(call: Call, job: jobs.Job) -> bool:
    """Delete a batch of values and files of a field, and then the field; return whether it is complete."""
    field_id, card_type_id = job.resource_id, job.parameters["card_type_id"]
    values = call.tx.run(sql.removal.delete_values_of_field, field_id=field_id, limit=VALUES_PER_BATCH)
    if VALUES_PER_BATCH in (values, files.delete_batch(call, field_id, VALUES_PER_BATCH)):
        return False
    field = _require_field(call, card_type_id, field_id)
    call.tx.run(sql.fields.delete, field_id=field_id)
    call.tx.run(sql.fields.close_gap, card_type_id=card_type_id, position=field["order"])
    events.record(call, "field.removed")
    return True
