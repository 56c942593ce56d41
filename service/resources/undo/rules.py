"""What of an agent's changes to a card can be taken back, and what the card becomes by that: the rules of undo."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from ...auth.authorization import as_seen
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
    "archived": "The card has been archived since; restore it, then undo the rest.",
    "project_archived": "The project is archived; restore it, then undo the rest.",
    "column_gone": "The column where the card was is gone; move the card by hand.",
    "type_gone": "The type of the card is gone, so that it can only be removed for good.",
    "field_gone": "Cards of its type do not have the field any more.",
    "value_gone": "The value that it had is not possible any more: the option, agent or person is gone.",
    "files": "Files that were added or removed stay as they are.",
}
COLUMN, FIELD = "columnId", "fieldValues."
OWN = {
    to_camel(name): name for name in (*cards.FIELDS, "column_id", "archived_at")
}  # history's names of the card's own
ASSIGNEES: dict[str, Callable[[Call, str], Any]] = {
    "assignedAgentId": lambda call, id: call.tx.one(sql.access.get_agent, org_id=call.org_id, agent_id=id),
    "assignedUserId": lambda call, id: call.tx.one(sql.members.get, org_id=call.org_id, user_id=id),
}


@dataclass
class Kept:
    """A change that stays, why, and by which row of history if by one."""

    name: str
    reason: Reason
    row: Row | None = None

    @property
    def message(self) -> str:
        """Say why it stays."""
        return MESSAGES[self.reason]


@dataclass
class Plan:
    """What a card becomes, by the names of history, and what stays."""

    card: Row
    history: CardHistory  # since the span began
    targets: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # from, to
    kept: list[Kept] = field(default_factory=list)
    values: dict[str, tuple[Row, field_values.Value]] = field(default_factory=dict)  # of fields, by their id

    def keep(self, name: str, reason: Reason, row: Row | None = None) -> None:
        """Leave a change as it is."""
        self.targets.pop(name, None)
        self.kept.append(Kept(name, reason, row))

    def keep_all(self, reason: Reason, row: Row | None = None) -> None:
        """Leave every change as it is."""
        for name in list(self.targets):
            self.keep(name, reason, row)

    def own(self) -> dict[str, Any]:
        """Give what stands in the card's own row, as it will be, by the names of columns there."""
        return {
            column: self.targets[name][1] if name in self.targets else self.card[column] for name, column in OWN.items()
        }


def plan(call: Call, card_id: str, history: CardHistory) -> Plan:
    """Work out what becomes of a card, from its history since the span began."""
    card = call.tx.one(sql.cards.get, card_id=card_id)
    assert card is not None
    call.tx.charge(card["field_values"])
    made = Plan(as_seen(call, card), history)
    if not _unmake(call, made):
        _take_back(made)
        _judge(call, made)
    return made


def _unmake(call: Call, plan: Plan) -> bool:
    """Put a card that the agent made into the archive; tell whether that is all there is to do."""
    made = plan.history.oldest
    if made is None or made["action"] != "created" or not made["is_own"]:
        return False
    if plan.card["archived_at"] or plan.card["project_archived_at"]:
        return True
    if plan.history.newest_work_of_others:
        plan.keep("created", "changed_since", plan.history.newest_work_of_others)
        return False
    plan.targets[ARCHIVE] = (None, call.now)
    return True


def _take_back(plan: Plan) -> None:
    """Go back through what the agent changed, value by value, as far as nobody else changed it in between."""
    for name in plan.history.own_names:
        value = plan.history.values[name]
        if name not in OWN and not name.startswith(FIELD):
            continue
        if value.is_undoable and value.after != value.before:
            plan.targets[name] = (value.after, value.before)
        elif not value.is_undoable and value.newest["action"] != "undone":
            plan.keep(name, "changed_since", value.newest)


def _judge(call: Call, plan: Plan) -> None:
    """Leave what cannot be taken back as the card and its board are now."""
    if plan.card["project_archived_at"]:
        plan.keep_all("project_archived")
    fields = {row["name"]: row for row in call.tx.all(sql.fields.list, card_type_id=plan.card["card_type_id"])}
    values = {item["fieldId"]: item["value"] for item in stored_json(plan.card["field_values"])}
    for name, (now, then) in list(plan.targets.items()):
        if name in OWN:
            _judge_own(call, plan, name, now, then)
        else:
            _judge_value(call, plan, name, fields.get(name.removeprefix(FIELD)), values)
    _judge_place(call, plan)


def _judge_own(call: Call, plan: Plan, name: str, now: Any, then: Any) -> None:
    if plan.card[OWN[name]] != now:
        plan.keep(name, "changed_since")
    elif then is not None and name in ASSIGNEES and not ASSIGNEES[name](call, then):
        plan.keep(name, "value_gone")


def _judge_value(call: Call, plan: Plan, name: str, target: Row | None, values: dict[str, Any]) -> None:
    now, then = plan.targets[name]
    if target is None:
        plan.keep(name, "field_gone")
    elif target["kind"] == "file":
        plan.keep(name, "files")
    elif values.get(target["id"]) != now:
        plan.keep(name, "changed_since")
    else:
        try:
            value = None if then is None else field_values.CHECKS[target["kind"]](call, target, then)
            plan.values[target["id"]] = (target, value)
        except ValueError:
            plan.keep(name, "value_gone")


def _judge_place(call: Call, plan: Plan) -> None:
    """Leave a card that would go where there is no place for it any more, and one that stays in the archive."""
    column_id = plan.own()["column_id"]
    column = columns.find_column(call, column_id)
    if column is None or column["project_id"] != plan.card["project_id"]:
        for name in {COLUMN, ARCHIVE} & plan.targets.keys():
            plan.keep(name, "column_gone")
    if ARCHIVE in plan.targets and plan.card["card_type_archived_at"]:
        plan.keep(ARCHIVE, "type_gone")
    if plan.card["archived_at"] and ARCHIVE not in plan.targets:
        plan.keep_all("archived", plan.history.newest_archival)
