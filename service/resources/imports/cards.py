"""Cards of a snapshot with their values, and how they are related."""

from collections import defaultdict
from itertools import chain
from typing import Any

from pydantic.alias_generators import to_camel

from ...database.queries import sql
from ...database.store import Row
from ...domain import ranks
from ...domain.field_values import BYTES_MAX
from ...ids import new_id
from ...schemas import json_text, stored_json
from .merging import Group, Merge
from .snapshot import unshapely
from .staging import Draft

CARDS = Group(
    key="cards",
    read=sql.imports.get_card,
    write=sql.imports.write_cards,
    needs=(("column_id", "columns"), ("card_type_id", "cardTypes")),
    likes=(("assigned_agent_id", "agents"),),
    fixed=("project_id", "card_type_id"),
)
RELATIONSHIPS = Group(
    key="relationships",
    counter="cardRelationships",
    read=sql.imports.get_relationship,
    write=sql.imports.write_relationships,
    twin=sql.imports.find_conflicting_relationship,
    needs=(("from_card_id", "cards"), ("to_card_id", "cards")),
    fixed=("from_card_id", "to_card_id", "kind"),
)
LISTS = ("multiselect", "file")  # kinds of fields whose values are lists
OWN = {"version", "updated_at"}  # columns that say how often and when a card changed, not what it is
Values = dict[str, str]  # field id -> value as JSON


def write(merge: Merge) -> None:
    """Write cards with their values, then how they are related."""
    numbers = _Numbers(merge)
    merge.each(CARDS, lambda path, row: _card(merge, numbers, path, row))
    numbers.write()
    merge.each(RELATIONSHIPS, lambda path, row: _relationship(merge, path, row))
    if merge.imported["cardRelationships"]:
        _refuse_circles(merge)


def _card(merge: Merge, numbers: "_Numbers", path: str, row: Draft) -> None:
    given = row.pop("field_values")
    _place(merge, path, row)
    known = merge.known(CARDS, path, row)
    merge.resolve(CARDS, path, row, known)
    _check_place(merge, path, row)
    row["number"] = known["number"] if known else numbers.given(row)
    if row["assigned_user_id"]:
        row["assigned_user_id"] = merge.member(row["assigned_user_id"]) or (known or {}).get("assigned_user_id")
    before = _stored_values(merge, row["id"]) if known else {}
    values = before if given is None else _values(merge, path, row, given)
    if known is None:
        merge.write(CARDS, row)
    else:
        _change(merge, row, known, _value_changes(merge, before, values))
    _write_values(merge, row["id"], before, values)
    merge.imported["fieldValues"] += len(values)


def _place(merge: Merge, path: str, row: Draft) -> None:
    """Fill in where a card stands, if the snapshot does not say."""
    column = merge.find("columns", row["column_id"])
    if row["project_id"] is None and column:
        row["project_id"] = column["project_id"]
    if row["rank_key"] is None:
        row["rank_key"] = (int(path.rpartition(".")[2]) + 1) * ranks.RANK_GAP


def _check_place(merge: Merge, path: str, row: Draft) -> None:
    column, card_type = merge.find("columns", row["column_id"]), merge.find("cardTypes", row["card_type_id"])
    assert column
    assert card_type
    if column["project_id"] != row["project_id"]:
        raise unshapely(f"{path}.columnId", "names a column of another project")
    if card_type["project_id"] not in (None, row["project_id"]):
        raise unshapely(f"{path}.cardTypeId", "names a card type of another project")


class _Numbers:
    """Gives cards their numbers, anew where another card of the project has one."""

    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._last: dict[str, int] = {}  # by project

    def given(self, row: Draft) -> int:
        """Give the number of a card that is new here."""
        project_id, number = row["project_id"], row["number"]
        if project_id not in self._last:
            project = self._merge.find("projects", project_id)
            self._last[project_id] = project["last_number"] if project else 0
        if number is None or self._merge.tx.value(
            sql.imports.find_card_by_number, project_id=project_id, number=number
        ):
            number = self._last[project_id] + 1
        self._last[project_id] = max(number, self._last[project_id])
        return int(number)

    def write(self) -> None:
        """Have the projects go on counting behind these."""
        for project_id, number in self._last.items():
            self._merge.tx.run(sql.imports.raise_last_number, project_id=project_id, number=number)


def _stored_values(merge: Merge, card_id: str) -> Values:
    return {row["field_id"]: row["value"] for row in merge.tx.live.all(sql.field_values.list, card_id=card_id)}


def _values(merge: Merge, path: str, row: Draft, given: list[Draft]) -> Values:
    values: Values = {}
    for index, item in enumerate(given):
        field = merge.find("fields", item["field_id"])
        where = f"{path}.fieldValues.{index}"
        if field is None or field["card_type_id"] != row["card_type_id"] or item["field_id"] in values:
            raise unshapely(f"{where}.fieldId", "names no field of the card's type, or one that was given before")
        if item["value"] is None:
            continue
        if item["value"].startswith("[") != (field["kind"] in LISTS):
            raise unshapely(f"{where}.value", f"does not fit a field of the kind {field['kind']}")
        values[item["field_id"]] = item["value"]
    if sum(len(value.encode()) for value in values.values()) > BYTES_MAX:
        raise unshapely(f"{path}.fieldValues", f"are more than {BYTES_MAX >> 20} MiB together")
    return values


def _value_changes(merge: Merge, before: Values, after: Values) -> dict[str, Any]:
    """Tell which values differ, by the names that history uses."""
    changes = {}
    for field_id in sorted(before.keys() | after.keys()):
        old, new = before.get(field_id), after.get(field_id)
        if old != new:
            field = merge.find("fields", field_id) or {"name": field_id}
            changes[f"fieldValues.{field['name']}"] = {"from": stored_json(old), "to": stored_json(new)}
    return changes


def _change(merge: Merge, row: Draft, known: Row, changes: dict[str, Any]) -> None:
    """Write a card that is there as its next version, with a history row, if it differs at all."""
    columns = [column for column, value in row.items() if column not in OWN and value != known[column]]
    if not columns and not changes:
        return
    row["version"] = max(row["version"], known["version"] + 1)  # no version is ever two different cards
    row["updated_at"] = merge.tx.now
    merge.write(CARDS, row)
    told = {to_camel(column): {"from": known[column], "to": row[column]} for column in columns}
    note(merge, row["id"], {**told, **changes})


def note(merge: Merge, card_id: str, changes: dict[str, Any]) -> None:
    """Write down in the history of a card that it was imported."""
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
        created_at=merge.tx.now,
    )


def _write_values(merge: Merge, card_id: str, before: Values, after: Values) -> None:
    for field_id, value in after.items():
        if before.get(field_id) != value:
            merge.tx.run(sql.field_values.upsert, card_id=card_id, field_id=field_id, value=value)
    for field_id in before.keys() - after.keys():
        merge.tx.run(sql.field_values.delete, card_id=card_id, field_id=field_id)


def _relationship(merge: Merge, path: str, row: Draft) -> None:
    if row["from_card_id"] == row["to_card_id"]:
        raise unshapely(path, "relates a card to itself")
    merge.put(RELATIONSHIPS, path, row)


def _refuse_circles(merge: Merge) -> None:
    """Take away cards that nothing holds back, again and again; what is left over then is a circle."""
    numbers: defaultdict[str, int] = defaultdict(lambda: len(numbers))
    blocked: defaultdict[int, list[int]] = defaultdict(list)
    blockers: defaultdict[int, int] = defaultdict(int)
    known = {"org_id": merge.org_id}  # those that are in both are counted twice, on both sides
    for row in chain(
        merge.tx.each(sql.imports.list_blocking_pairs, **known),
        merge.tx.live.each(sql.imports.list_blocking_pairs, **known),
    ):
        source, target = numbers[row["blocking_card_id"]], numbers[row["blocked_card_id"]]
        blocked[source].append(target)
        blockers[target] += 1
    free = [number for number in numbers.values() if not blockers[number]]
    for number in free:  # grows on the way
        for target in blocked[number]:
            blockers[target] -= 1
            if not blockers[target]:
                free.append(target)
    if len(free) < len(numbers):
        raise unshapely("relationships", "cards may not wait for each other in a circle")
