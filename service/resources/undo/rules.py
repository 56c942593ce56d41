"""Rules of undo: which changes of a card can be undone, and which values the card gets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from ...auth.authorization import hide_claim_secrets
from ...auth.context import Call
from ...database.queries import sql
from ...database.store import Row
from ...domain import field_values
from ...schemas import stored_json
from .. import cards, columns
from .card_changes import ARCHIVE, CardHistory

Reason = Literal[
    "changed_since", "archived", "project_archived", "column_gone", "type_gone", "field_gone", "value_gone", "files"
]
MESSAGES: dict[Reason, str] = {
    "changed_since": "Somebody else has worked on it since.",
    "archived": "The card has been archived since. Restore it, then undo the rest.",
    "project_archived": "The project is archived. Restore it, then undo the rest.",
    "column_gone": "The card's former column was deleted. Move the card to another column yourself.",
    "type_gone": "The card type is archived, so the card cannot be restored, only deleted.",
    "field_gone": "The card type no longer has this field.",
    "value_gone": "The former value is no longer valid: the option, agent or person was removed.",
    "files": "Undo does not change files.",
}
COLUMN, FIELD = "columnId", "fieldValues."
COLUMNS = {
    to_camel(name): name for name in (*cards.FIELDS, "column_id", "archived_at")
}  # columns of the cards table, by their names in history
ASSIGNEES: dict[str, Callable[[Call, str], Any]] = {
    "assignedAgentId": lambda call, id: call.tx.one(sql.access.get_agent, org_id=call.org_id, agent_id=id),
    "assignedUserId": lambda call, id: call.tx.one(sql.members.get, org_id=call.org_id, user_id=id),
}


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

    card: Row
    history: CardHistory  # since the start of the period
    targets: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # current value, restored value
    skipped: list[Skipped] = field(default_factory=list)
    values: dict[str, tuple[Row, field_values.Value]] = field(default_factory=dict)  # by field id

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
        return {
            column: self.targets[name][1] if name in self.targets else self.card[column]
            for name, column in COLUMNS.items()
        }


def plan_undo(call: Call, card_id: str, history: CardHistory) -> Plan:
    """Return the plan for undoing a card's own history rows; nothing is written."""
    card = call.tx.one(sql.cards.get, card_id=card_id)
    assert card is not None
    call.tx.count_changes(card["field_values"])
    plan = Plan(hide_claim_secrets(call, card), history)
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
            plan.skip(name, "changed_since", value.newest)


def _skip_invalid_changes(call: Call, plan: Plan) -> None:
    """Skip the changes that the current state of the card or its board does not allow to undo."""
    if plan.card["project_archived_at"]:
        plan.skip_all("project_archived")
    fields = {row["name"]: row for row in call.tx.all(sql.fields.list, card_type_id=plan.card["card_type_id"])}
    values = {item["fieldId"]: item["value"] for item in stored_json(plan.card["field_values"])}
    for name, (current, former) in list(plan.targets.items()):
        if name in COLUMNS:
            _check_column_value(call, plan, name, current, former)
        else:
            _check_field_value(call, plan, name, fields.get(name.removeprefix(FIELD)), values)
    _check_destination(call, plan)


def _check_column_value(call: Call, plan: Plan, name: str, current: Any, former: Any) -> None:
    if plan.card[COLUMNS[name]] != current:
        plan.skip(name, "changed_since")
    elif former is not None and name in ASSIGNEES and not ASSIGNEES[name](call, former):
        plan.skip(name, "value_gone")


def _check_field_value(call: Call, plan: Plan, name: str, target: Row | None, values: dict[str, Any]) -> None:
    current, former = plan.targets[name]
    if target is None:
        plan.skip(name, "field_gone")
    elif target["kind"] == "file":
        plan.skip(name, "files")
    elif values.get(target["id"]) != current:
        plan.skip(name, "changed_since")
    else:
        try:
            value = None if former is None else field_values.CHECKS[target["kind"]](call, target, former)
            plan.values[target["id"]] = (target, value)
        except ValueError:
            plan.skip(name, "value_gone")


def _check_destination(call: Call, plan: Plan) -> None:
    """Skip moves to a column that was deleted, and every change of a card that stays archived."""
    column_id = plan.card_columns()["column_id"]
    column = columns.find_column(call, column_id)
    if column is None or column["project_id"] != plan.card["project_id"]:
        for name in {COLUMN, ARCHIVE} & plan.targets.keys():
            plan.skip(name, "column_gone")
    if ARCHIVE in plan.targets and plan.card["card_type_archived_at"]:
        plan.skip(ARCHIVE, "type_gone")
    if plan.card["archived_at"] and ARCHIVE not in plan.targets:
        plan.skip_all("archived", plan.history.newest_archival)
