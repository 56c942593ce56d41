"""Import of cards with their field values, and of the relationships between cards."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from typing import Any

from pydantic.alias_generators import to_camel

from ...database.queries import sql
from ...database.store import Row
from ...domain import due_dates, field_values, ranks
from ...ids import new_id
from ...schemas import json_text, stored_json
from ...text.comparison import to_nfc
from .card_numbers import CardNumbers, FormerKeys
from .merge import Group, Merge
from .snapshot import invalid_snapshot
from .staging import StagedRow

CARDS = Group(
    key="cards",
    read=sql.imports.get_card,
    write=sql.imports.write_cards,
    required_refs=(("column_id", "columns"), ("card_type_id", "cardTypes")),
    optional_refs=(("assigned_agent_id", "agents"),),
)
RELATIONSHIPS = Group(
    key="relationships",
    counter="cardRelationships",
    read=sql.imports.get_relationship,
    write=sql.imports.write_relationships,
    conflict=sql.imports.find_conflicting_relationship,
    required_refs=(("from_card_id", "cards"), ("to_card_id", "cards")),
    immutable=("from_card_id", "to_card_id", "kind"),
)
METADATA = {"version", "updated_at"}  # columns that are set by the import and not compared
Values = dict[str, str]  # field id -> value as JSON


def write(merge: Merge) -> None:
    """Write cards with their values, then the relationships between cards."""
    numbers, former_keys = CardNumbers(merge), FormerKeys(merge)
    merge.for_each_row(CARDS, lambda path, row: _write_card(merge, numbers, former_keys, path, row))
    numbers.update_projects()
    merge.for_each_row(RELATIONSHIPS, lambda path, row: _write_relationship(merge, path, row))
    if merge.imported["cardRelationships"]:
        _check_cycles(merge)


def _write_card(merge: Merge, numbers: CardNumbers, former_keys: FormerKeys, path: str, row: StagedRow) -> None:
    items, named_keys = row.pop("field_values"), row.pop("former_keys")
    _set_place(merge, path, row)
    existing = merge.find_existing(CARDS, path, row)
    merge.resolve_references(CARDS, path, row, existing)
    _check_place(merge, path, row)
    row["number"] = numbers.assign(row, existing)
    if row["assigned_user_id"] is not None:
        row["assigned_user_id"] = merge.find_member(row["assigned_user_id"]) or (existing or {}).get("assigned_user_id")
    before = _stored_values(merge, row["id"]) if existing else {}
    values = _get_remaining(merge, row, before) if items is None else _check_values(merge, path, row, items)
    if existing is None:
        merge.write_row(CARDS, row)
    else:
        update_card(merge, row, existing, _value_changes(merge, before, values))
    mentions = {item["field_id"]: merge.encode_mentions(item["mentions"]) for item in items or ()}
    _write_values(merge, row["id"], before, values, mentions)
    former_keys.write(row, existing, named_keys)
    merge.imported["fieldValues"] += len(values)


def _set_place(merge: Merge, path: str, row: StagedRow) -> None:
    """Set the project and the rank of a card if the snapshot leaves them out."""
    column = merge.find_row("columns", row["column_id"])
    if row["project_id"] is None and column:
        row["project_id"] = column["project_id"]
    if row["rank_key"] is None:
        row["rank_key"] = (int(path.rpartition(".")[2]) + 1) * ranks.RANK_GAP


def _check_place(merge: Merge, path: str, row: StagedRow) -> None:
    column, card_type = merge.find_row("columns", row["column_id"]), merge.find_row("cardTypes", row["card_type_id"])
    assert column
    assert card_type
    if column["project_id"] != row["project_id"]:
        raise invalid_snapshot(f"{path}.columnId", "names a column of another project")
    if card_type["project_id"] not in (None, row["project_id"]):
        raise invalid_snapshot(f"{path}.cardTypeId", "names a card type of another project")


def _stored_values(merge: Merge, card_id: str) -> Values:
    return {row["field_id"]: row["value"] for row in merge.tx.live.all(sql.field_values.list, card_id=card_id)}


def _get_remaining(merge: Merge, row: StagedRow, values: Values) -> Values:
    """Return the values that an existing card keeps: those of the fields of its type, which the import can change."""
    fields = {field_id: merge.find_row("fields", field_id) for field_id in values}
    return {key: values[key] for key, field in fields.items() if field and field["card_type_id"] == row["card_type_id"]}


def _check_values(merge: Merge, path: str, row: StagedRow, items: list[StagedRow]) -> Values:
    values: Values = {}
    for index, item in enumerate(items):
        field = merge.find_row("fields", item["field_id"])
        where = f"{path}.fieldValues.{index}"
        if field is None or field["card_type_id"] != row["card_type_id"] or item["field_id"] in values:
            raise invalid_snapshot(f"{where}.fieldId", "names no field of the card's type, or a field twice")
        if item["value"] is None:
            continue
        values[item["field_id"]] = check_form(field, f"{where}.value", item["value"])
    if sum(len(value.encode()) for value in values.values()) > field_values.BYTES_MAX:
        raise invalid_snapshot(f"{path}.fieldValues", f"are more than {field_values.BYTES_MAX >> 20} MiB together")
    return values


def check_form(field: Row, path: str, value: str) -> str:
    """Return a value, as JSON, in stored form; raise InvalidSnapshotShape if it does not fit the kind of its field."""
    try:
        field_values.check_form(field["kind"], stored_json(value))
    except ValueError as error:
        raise invalid_snapshot(path, str(error)) from None
    return to_nfc(value) if field["kind"] == "select" else value  # lists are in this form already


def _value_changes(merge: Merge, before: Values, after: Values) -> dict[str, Any]:
    """Return the values that differ, by the keys that history uses."""
    changes = {}
    for field_id in sorted(before.keys() | after.keys()):
        old, new = before.get(field_id), after.get(field_id)
        if old != new:
            field = merge.find_row("fields", field_id) or {"name": field_id}
            changes[field_values.history_name(field["name"])] = {"from": stored_json(old), "to": stored_json(new)}
    return changes


def update_card(merge: Merge, row: StagedRow, existing: Row, changes: dict[str, Any]) -> None:
    """Write an existing card as a new version with a history row, unless it is unchanged."""
    columns = [column for column, value in row.items() if column not in METADATA and value != existing[column]]
    if not columns and not changes:
        return
    row["version"] = max(row["version"], existing["version"] + 1)  # a version never has two contents
    row["updated_at"] = merge.tx.now
    merge.write_row(CARDS, row)
    before, after = ({**values, "due_date": due_dates.get_text(values)} for values in (existing, row))
    names = dict.fromkeys("due_date" if column == "due_all_day" else column for column in columns)
    column_changes = {to_camel(name): {"from": before[name], "to": after[name]} for name in names}
    record_import(merge, row["id"], {**column_changes, **changes})


def record_import(merge: Merge, card_id: str, changes: dict[str, Any]) -> None:
    """Write a history row that says that a card was imported."""
    merge.tx.run(
        sql.imports.write_history,
        id=new_id("his"),
        org_id=merge.org_id,
        card_id=card_id,
        actor_type=merge.actor.type,
        actor_id=merge.actor.id,
        actor_label=merge.actor.label,
        action="imported",
        changes=json_text(changes),
        imported=False,  # this service records it
        created_at=merge.tx.now,
    )


def _write_values(
    merge: Merge, card_id: str, before: Values, after: Values, mentions: Mapping[str, str | None]
) -> None:
    for field_id, value in after.items():
        if before.get(field_id) != value:
            stored = {"value": value, "mentions": mentions.get(field_id)}
            merge.tx.run(sql.field_values.upsert, card_id=card_id, field_id=field_id, **stored)
    for field_id in before.keys() - after.keys():
        merge.tx.run(sql.field_values.delete, card_id=card_id, field_id=field_id)


def _write_relationship(merge: Merge, path: str, row: StagedRow) -> None:
    if row["from_card_id"] == row["to_card_id"]:
        raise invalid_snapshot(path, "relates a card to itself")
    merge.upsert(RELATIONSHIPS, path, row)


def _check_cycles(merge: Merge) -> None:
    """Raise InvalidSnapshotShape if cards block each other in a cycle, found by a topological sort."""
    numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers))
    blocked: defaultdict[int, list[int]] = defaultdict(list)
    blockers: defaultdict[int, int] = defaultdict(int)
    parameters = {"org_id": merge.org_id}
    # A pair that is in both databases counts twice, as an edge and as a blocker.
    for row in chain(
        merge.tx.each(sql.imports.list_blocking_pairs, **parameters),
        merge.tx.live.each(sql.imports.list_blocking_pairs, **parameters),
    ):
        merge.staged.check()
        source, target = numbers[row["blocking_card_id"]], numbers[row["blocked_card_id"]]
        blocked[source].append(target)
        blockers[target] += 1
    unblocked = [number for number in numbers.values() if not blockers[number]]
    for number in unblocked:  # grows while it is iterated
        merge.staged.check()
        for target in blocked[number]:
            blockers[target] -= 1
            if not blockers[target]:
                unblocked.append(target)
    if len(unblocked) < len(numbers):
        raise invalid_snapshot("relationships", "cards may not block each other in a cycle")
