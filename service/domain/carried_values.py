"""What becomes of the values of a card that gets another type."""

from collections import defaultdict
from dataclasses import dataclass, field

from ..auth import busy_resources
from ..auth.context import Call
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict
from ..schemas import stored_json
from .field_values import Value, history_name, normalize_value, write_value

Changes = dict[str, tuple[Value, Value]]


@dataclass
class CarriedValues:
    """The values that a card has under another type, and those that it drops."""

    card_type_id: str
    kept: dict[str, Value] = field(default_factory=dict)  # by id of the field of the new type
    changes: Changes = field(default_factory=dict)  # by their names in history
    moved_files: dict[str, str] = field(default_factory=dict)  # new by former id of a file field that keeps its files
    unmatched: list[tuple[str, str]] = field(default_factory=list)  # (pattern, text) that still have to be matched

    def merge_with(self, changes: Changes) -> Changes:
        """Return these changes of values combined with later ones, by their names in history."""
        later = {name: (self.changes.get(name, (old,))[0], new) for name, (old, new) in changes.items()}
        return self.changes | later


def plan_carried_values(call: Call, card_id: str, card_type_id: str) -> CarriedValues:
    """Return what becomes of the values of a card if it gets a type; nothing is written.

    A value is kept if the type has a field of the same name and kind that accepts it. Files stay in the database with
    the field that they were uploaded to, so they come back with their type.
    """
    fields = {(row["name"], row["kind"]): row for row in call.tx.all(sql.fields.list, card_type_id=card_type_id)}
    found = CarriedValues(card_type_id)
    former_file_fields = {}
    for row in call.tx.all(sql.field_values.list, card_id=card_id):
        value, target = stored_json(row["value"]), fields.get((row["name"], row["kind"]))
        if row["kind"] == "file":
            former_file_fields[row["name"]] = row["field_id"]
        elif target is not None and _is_accepted(call, target, value, found):
            found.kept[target["id"]] = value
            continue
        found.changes[history_name(row["name"])] = (value, None)
    _plan_files(call, card_id, [row for row in fields.values() if row["kind"] == "file"], former_file_fields, found)
    return found


def _is_accepted(call: Call, target: Row, value: Value, found: CarriedValues) -> bool:
    """Return whether a field accepts a value; note a text that still has to be matched with the field's pattern."""
    try:
        normalize_value(call, target, value)
    except ValueError:
        return False
    if not target["validation"] or not isinstance(value, str):
        return True
    if (target["validation"], value) not in call.outcomes:
        found.unmatched.append((target["validation"], value))
    return call.outcomes.get((target["validation"], value)) is None


def _plan_files(
    call: Call, card_id: str, fields: list[Row], former_fields: dict[str, str], found: CarriedValues
) -> None:
    """Set the values of file fields: the files that a field has already, and those of its former namesake."""
    files: defaultdict[str | None, list[str]] = defaultdict(list)
    for row in call.tx.all(sql.files.list_of_card, card_id=card_id) if fields else ():
        files[row["field_id"]].append(row["id"])
    for target in fields:
        own, former_id = files[target["id"]], former_fields.get(target["name"])
        together = own + files[former_id]
        if former_id is not None and (target["multiple"] or len(together) == 1):
            found.moved_files[former_id] = target["id"]
            own = together
        if own:
            _set_files(found, target, own)


def _set_files(found: CarriedValues, target: Row, value: list[str]) -> None:
    name = history_name(target["name"])
    before = found.changes.pop(name, (None, None))[0]
    found.kept[target["id"]] = value
    if before != value:
        found.changes[name] = (before, value)


def write_carried_values(call: Call, card_id: str, carried: CarriedValues) -> None:
    """Write the values that a card has under its new type, and delete all others.

    Raise conflict if a pattern was changed after the precheck, or while a job deletes one of the fields.
    """
    if carried.unmatched:
        raise Conflict(None, "A field of the new type has just been changed; send the change again.", state="changed")
    call.tx.run(sql.field_values.delete_all, card_id=card_id)
    fields = {row["id"]: row for row in call.tx.all(sql.fields.list, card_type_id=carried.card_type_id)}
    for field_id, value in carried.kept.items():
        busy_resources.require_idle(call, field_id=field_id)
        write_value(call, card_id, fields[field_id], value)
    for former_id, field_id in carried.moved_files.items():
        call.tx.run(sql.files.set_field, card_id=card_id, field_id=former_id, new_field_id=field_id)
