"""Summary of a card's history for undo.

The rows are read one by one, because all of them together can be too large for memory.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...database.store import Row, Tx
from ...schemas import stored_json
from ..history import RecordedChange, RecordedChanges

ARCHIVE = "archivedAt"  # name of the value in history rows
# Actions that do not build on the agent's changes, so that they do not prevent an undo.
NOT_WORK = {"claimed", "released", "ranked", "undone", "rejected"}


@dataclass(slots=True)
class ValueHistory:
    """Changes of one value, back to the newest change by a row that is not to be undone."""

    newest: Row  # the newest row that changed the value
    is_undoable: bool  # whether the newest row is to be undone and can be
    is_closed: bool = False  # whether a row that is not to be undone has been reached
    after: Any = None  # value after the newest row, if that is to be undone
    before: Any = None  # value before the oldest row that is to be undone


@dataclass(slots=True)
class CardHistory:
    """History of a card since a time. The rows with `is_own` are the ones to be undone."""

    oldest: Row | None = None
    newest_work_of_others: Row | None = None
    newest_archival: Row | None = None
    own_actors: set[tuple[str, str]] = field(default_factory=set)  # type and id
    own_names: dict[str, None] = field(default_factory=dict)  # names of the values that own rows changed, newest first
    values: dict[str, ValueHistory] = field(default_factory=dict)

    def add(self, row: Row, changes: dict[str, RecordedChange | None]) -> None:
        """Add the next older row; a change that is None cannot be undone."""
        self.oldest = row
        if row["is_own"]:
            self.own_actors.add((row["actor_type"], row["actor_id"]))
        elif not self.newest_work_of_others and row["action"] not in NOT_WORK and row["actor_type"] != "System":
            self.newest_work_of_others = row
        if ARCHIVE in changes and not self.newest_archival:
            self.newest_archival = row
        if row["action"] != "created":
            for name, change in changes.items():
                self._add_value(row, name, change)

    def _add_value(self, row: Row, name: str, change: RecordedChange | None) -> None:
        value, undoable = self.values.get(name), change if row["is_own"] else None
        if row["is_own"]:
            self.own_names.setdefault(name)
        if value is None:
            value = self.values[name] = ValueHistory(row, is_undoable=undoable is not None)
            value.after = undoable.new if undoable else None
        value.is_closed |= undoable is None
        if undoable is not None and not value.is_closed:
            value.before = undoable.old


def summarize_history(tx: Tx, rows: Iterable[Row]) -> CardHistory:
    """Return the summary of a card's history rows (newest first).

    Raise too_expensive if the rows together exceed the size that one transaction may read.
    """
    history = CardHistory()
    for row in rows:
        tx.count_changes(row["changes"])
        history.add({**row, "changes": None}, _read_changes(row))
    return history


def _read_changes(row: Row) -> dict[str, RecordedChange | None]:
    """Return the changes of a row by name; None instead of each, if the row came with an import.

    A row that cannot be read has come with an import before imports were checked.
    """
    found = None if row["imported"] else RecordedChanges.find(row["changes"])
    if found is None:
        changes = stored_json(row["changes"])
        return dict.fromkeys(changes) if isinstance(changes, dict) else {}
    return found.by_name()
