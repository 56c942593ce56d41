"""Rules of undo: which changes of a card can be undone, and which values the card gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import MISSING, ValidationError
from pydantic.alias_generators import to_camel

from ...auth import authorization
from ...auth.context import Call
from ...auth.policies import may
from ...database.queries import sql
from ...database.store import Row
from ...domain import carried_values, checklist_ticks, due_dates, field_values
from ...errors import BadRequest, ServiceError
from ...schemas import Id, Timestamp, stored_json
from .. import card_types, cards, columns, moves
from . import ticks
from .card_changes import ARCHIVE, CardHistory

Reason = Literal[
    "changed_since",
    "archived",
    "project_archived",
    "board_gone",
    "column_gone",
    "type_gone",
    "former_type_gone",
    "field_gone",
    "value_gone",
    "value_invalid",
    "files",
    "imported",
    "wip_limit",
    "required_fields",
    "blocked",
]
MESSAGES: dict[Reason, str] = {
    "changed_since": "Somebody else has worked on it since.",
    "archived": "The card has been archived since. Restore it, then undo the rest.",
    "project_archived": "The project is archived. Restore it, then undo the rest.",
    "board_gone": "The card's former board is archived or deleted.",
    "column_gone": "The card's former column was deleted. Move the card to another column yourself.",
    "type_gone": "The card type is archived, so the card cannot be restored, only deleted.",
    "former_type_gone": "The card's former type was deleted. Choose another type yourself.",
    "field_gone": "The card type no longer has this field.",
    "value_gone": "The former value is no longer valid: the option, agent or person was removed.",
    "value_invalid": "The former value is not valid, for example too long. Set the value yourself.",
    "files": "Undo does not change files.",
    "imported": "The change came with an import and was not recorded here. Set the value yourself.",
    "wip_limit": "The card's former column is full (WIP limit). Move a card out of it, then undo again.",
    "required_fields": "The card's former column requires fields that are empty. Fill them in, then undo again.",
    "blocked": "The card's former column accepts no blocked cards. Finish the blocking cards, then undo again.",
}
BLOCKERS: dict[str, Reason] = {
    "wip_limit_reached": "wip_limit",
    "required_fields_missing": "required_fields",
    "card_blocked": "blocked",
}  # by the code of the error that a move would raise
PROJECT, COLUMN, TYPE, FIELD = "projectId", "columnId", "cardTypeId", field_values.history_name("")
COLUMNS = {
    to_camel(name): name for name in ("project_id", *cards.FIELDS, "column_id", "archived_at")
}  # columns of the cards table, by their names in history
REFERENCES = ("select", "multiselect", "agent", "user")  # kinds of fields whose values can be removed


class FormerValue(cards.CardEdit):
    """A value that a card gets back, with the rules of an edit."""

    project_id: Id | MISSING = MISSING
    column_id: Id | MISSING = MISSING
    archived_at: Timestamp | None | MISSING = MISSING


@dataclass
class Skipped:
    """A change that is not undone, the reason, and the later history row that prevents it, if there is one."""

    name: str
    reason: Reason
    row: Row | None = None

    @property
    def message(self) -> str:
        """Return the explanation of the reason."""
        return MESSAGES[self.reason]


@dataclass
class Plan:
    """Planned undo of a card: the changes to apply and the ones to skip, by their names in history."""

    card: "sql.cards.GetFullRow"
    history: CardHistory  # since the start of the period
    targets: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # current value, restored value
    skipped: list[Skipped] = field(default_factory=list)
    values: dict[str, tuple[Row, field_values.Value]] = field(default_factory=dict)  # by field id
    carried: carried_values.CarriedValues | None = None  # what becomes of the values if the card gets its former type
    unmatched: list[tuple[str, str]] = field(default_factory=list)  # (pattern, text) that still have to be matched

    def skip(self, name: str, reason: Reason, row: Row | None = None) -> None:
        """Do not undo a change."""
        self.targets.pop(name, None)
        self.skipped.append(Skipped(name, reason, row))

    def skip_all(self, reason: Reason, row: Row | None = None) -> None:
        """Undo no change at all."""
        for name in list(self.targets):
            self.skip(name, reason, row)

    def card_columns(self) -> dict[str, Any]:
        """Return the values of the card's row after the undo, by column name."""
        values = {
            column: self.targets[name][1] if name in self.targets else self.get_value(column)
            for name, column in COLUMNS.items()
        }
        return values | due_dates.get_columns(values["due_date"])

    def get_value(self, column: str) -> Any:
        """Return the current value of a column, in the form that history has."""
        card: Row = self.card
        return due_dates.get_text(card) if column == "due_date" else card[column]

    def enters_column(self) -> bool:
        """Return whether the card is moved or restored, and so comes into its column."""
        is_archived = self.card_columns()["archived_at"] is not None
        return not is_archived and not self.targets.keys().isdisjoint({COLUMN, ARCHIVE})

    def card_after(self) -> Row:
        """Return the card with its type and field values after the undo, as the rules of a move read it."""
        values = {item["fieldId"]: item["value"] for item in stored_json(self.card["field_values"])}
        values = dict(self.carried.kept) if self.carried else values
        values |= {field_id: value for field_id, (_, value) in self.values.items()}
        filled = {field_id for field_id, value in values.items() if value is not None}
        return {**self.card, "card_type_id": self.card_columns()["card_type_id"], "filled_field_ids": filled}


def plan_undo(call: Call, card_id: str, history: CardHistory) -> Plan:
    """Return the plan for undoing a card's own history rows; nothing is written."""
    card = call.tx.one(sql.cards.get_full, card_id=card_id)
    assert card is not None
    call.tx.count_changes(card["field_values"])
    plan = Plan(authorization.hide_claim_secrets(call, card), history)
    if not _plan_archiving(call, plan):
        _plan_changes(plan)
        _skip_invalid_changes(call, plan)
    return plan


def _plan_archiving(call: Call, plan: Plan) -> bool:
    """Plan to archive a card that the agent created; return whether the plan is complete."""
    oldest = plan.history.oldest
    if oldest is None or oldest["action"] != "created" or not oldest["is_own"]:
        return False
    if plan.card["archived_at"] or plan.card["project_archived_at"]:
        return True
    if oldest["imported"]:
        plan.skip("created", "imported", oldest)
        return False
    if plan.history.newest_work_of_others:
        plan.skip("created", "changed_since", plan.history.newest_work_of_others)
        return False
    plan.targets[ARCHIVE] = (None, call.now)
    return True


def _plan_changes(plan: Plan) -> None:
    """Plan to restore each value that the agent changed, unless somebody else has changed it since."""
    for name in plan.history.own_names:
        value = plan.history.values[name]
        if name not in COLUMNS and not name.startswith(FIELD):
            continue
        if value.is_undoable and value.after != value.before:
            plan.targets[name] = (value.after, value.before)
        elif not value.is_undoable and value.newest["action"] != "undone":
            plan.skip(name, "imported" if value.newest["is_own"] else "changed_since", value.newest)


def _skip_invalid_changes(call: Call, plan: Plan) -> None:
    """Skip the changes that the current state of the card or its board does not allow to undo."""
    if plan.card["project_archived_at"]:
        plan.skip_all("project_archived")
    for name in [name for name in COLUMNS if name in plan.targets]:
        _check_column_value(call, plan, name, *plan.targets[name])
    if TYPE in plan.targets:
        plan.carried = carried_values.plan_carried_values(call, plan.card["id"], plan.card_columns()["card_type_id"])
        plan.unmatched += plan.carried.unmatched
    fields = {
        row["name"]: row for row in call.tx.all(sql.fields.list, card_type_id=plan.card_columns()["card_type_id"])
    }
    rows = call.tx.all(sql.field_values.list, card_id=plan.card["id"])
    values = {row["name"]: stored_json(row["value"]) for row in rows}
    for name in [name for name in plan.targets if name not in COLUMNS and not ticks.get_field_name(name)]:
        field_name = name.removeprefix(FIELD)
        _check_field_value(call, plan, name, fields.get(field_name), values.get(field_name))
    _plan_ticks(plan, fields, values)
    _check_destination(call, plan)


def _check_column_value(call: Call, plan: Plan, name: str, current: Any, former: Any) -> None:
    column = COLUMNS[name]
    if plan.get_value(column) != current:
        plan.skip(name, "changed_since")
        return None
    try:
        values = FormerValue.model_validate({name: former}).changes()
        if name == TYPE:
            card_types.require_usable_type(call, former, plan.card_columns()["project_id"])
        if name == PROJECT and call.tx.one(sql.projects.get, org_id=call.org_id, project_id=former) is None:
            return plan.skip(name, "board_gone")
        cards.check_assignees(call, values)
    except ValidationError:
        plan.skip(name, "value_invalid")
    except BadRequest:
        plan.skip(name, "former_type_gone" if name == TYPE else "value_gone")
    else:
        plan.targets[name] = (current, values[column])


def _check_field_value(call: Call, plan: Plan, name: str, target: Row | None, value: field_values.Value) -> None:
    current, former = plan.targets[name]
    if target is None:
        plan.skip(name, "field_gone")
    elif target["kind"] == "file" and plan.carried:
        plan.targets.pop(name)  # the files of the former type come back with it
    elif target["kind"] == "file":
        plan.skip(name, "files")
    elif current not in (value, _revert_newer_ticks(plan, name, value)):
        plan.skip(name, "changed_since")
    else:
        _plan_value(call, plan, name, target, former)


def _revert_newer_ticks(plan: Plan, name: str, text: Any) -> Any:
    """Return a value without the ticks since the last change of its text."""
    newest = plan.history.values[name].newest["created_at"]
    newer = [tick for tick in _list_ticks(plan, name) if plan.history.values[tick].newest["created_at"] > newest]
    return ticks.revert_ticks(text, newer, plan.targets)[0]


def _list_ticks(plan: Plan, name: str) -> list[str]:
    """Return the planned ticks in the text of a field."""
    return [tick for tick in plan.targets if ticks.get_field_name(tick) == name.removeprefix(FIELD)]


def _plan_ticks(plan: Plan, fields: Mapping[str, Row], values: Mapping[str, Any]) -> None:
    """Plan to give items of checklists their former state, also in a text that gets an earlier form itself."""
    for field_name in dict.fromkeys(filter(None, map(ticks.get_field_name, plan.targets))):
        names, target = _list_ticks(plan, FIELD + field_name), fields.get(field_name)
        if target is None or target["kind"] != checklist_ticks.KIND:
            for name in names:
                plan.skip(name, "field_gone")
            continue
        if FIELD + field_name in plan.targets:
            newest = plan.history.values[FIELD + field_name].newest["created_at"]
            names = [name for name in names if plan.history.values[name].newest["created_at"] <= newest]
        _, text = plan.values.get(target["id"], (None, values.get(field_name)))
        text, missing = ticks.revert_ticks(text, names, plan.targets)
        for name in missing:
            plan.skip(name, "changed_since")
        if len(missing) < len(names):
            plan.values[target["id"]] = (target, text)


def _plan_value(call: Call, plan: Plan, name: str, target: Row, former: Any) -> None:
    """Plan to restore the value of a field, if it is still valid."""
    try:
        value = field_values.normalize_value(call, target, former)
    except ValueError:
        plan.skip(name, "value_gone" if target["kind"] in REFERENCES else "value_invalid")
        return
    if target["validation"] and isinstance(value, str):
        pair = target["validation"], value
        if call.outcomes.get(pair) is not None:
            plan.skip(name, "value_invalid")
            return
        plan.unmatched += [pair] if pair not in call.outcomes else []
    plan.values[target["id"]] = (target, value)
    plan.targets[name] = (plan.targets[name][0], value)


def _check_destination(call: Call, plan: Plan) -> None:
    """Skip moves to a column that was deleted, and every change of a card that stays archived."""
    column_id = plan.card_columns()["column_id"]
    column = columns.find_column(call, column_id)
    if column is None or column["project_id"] != plan.card_columns()["project_id"]:
        for name in {PROJECT, COLUMN, ARCHIVE} & plan.targets.keys():
            plan.skip(name, "column_gone")
    if ARCHIVE in plan.targets and plan.card["card_type_archived_at"]:
        plan.skip(ARCHIVE, "type_gone")
    _skip_rest_of_archived_card(plan)


def _skip_rest_of_archived_card(plan: Plan) -> None:
    if plan.card["archived_at"] and ARCHIVE not in plan.targets:
        plan.skip_all("archived", plan.history.newest_archival)


def require_permissions(call: Call, plan: Plan) -> None:
    """Raise permission_denied if the caller's role does not permit a planned change."""
    for name, (_, former) in plan.targets.items():
        is_archiving, is_move = name == ARCHIVE and former is not None, name == COLUMN and PROJECT not in plan.targets
        action = "create" if name == PROJECT else "delete" if is_archiving else "transition" if is_move else "update"
        for error in authorization.missing_permissions(call, may(action, "Card")):
            raise error


def list_blockers(call: Call, plan: Plan, arrivals: int = 0) -> list[ServiceError]:
    """Return what blocks the planned move or restoration, with `arrivals` further cards in the column.

    A move has the same blockers as any other, a restoration only the WIP limit.
    """
    if not plan.enters_column():
        return []
    card = plan.card_after()
    destination = moves.require_destination_column(call, card, plan.card_columns()["column_id"])
    destination = {**destination, "held": destination["held"] + arrivals}
    found = moves.list_blockers(call, card, destination)
    if PROJECT in plan.targets:
        return [error for error in found if error.code not in moves.TRANSITION_BLOCKERS]
    return found if COLUMN in plan.targets else [error for error in found if error.code == columns.WIP_LIMIT_REACHED]


def skip_blocked_changes(call: Call, plan: Plan, arrivals: int) -> None:
    """Skip a move or restoration that a rule of the column blocks. Undo by an architect needs no transition."""
    reasons = [BLOCKERS[error.code] for error in list_blockers(call, plan, arrivals) if error.code in BLOCKERS]
    for name in {COLUMN, ARCHIVE} & plan.targets.keys() if reasons else ():
        plan.skip(name, reasons[0])
    _skip_rest_of_archived_card(plan)
