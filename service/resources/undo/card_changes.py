"""The history of a card as undo needs it, folded row by row: whole, it can be larger than memory should hold."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...database.store import Row, Tx
from ...schemas import stored_json

ARCHIVE = "archivedAt"  # history's name of it
# Who only held a card, or took something of it back already, has not gone on working with what the agent made.
NOT_WORK = {"claimed", "released", "ranked", "undone"}


@dataclass(slots=True)
class ValueHistory:
    """How one value changed, as far back as only the rows to be undone changed it."""

    newest: Row  # that changed it
    is_undoable: bool  # the newest is to be undone
    is_closed: bool = False  # somebody else changed it before those that were read so far
    after: Any = None
    before: Any = None


@dataclass(slots=True)
class CardHistory:
    """The history of a card since a moment; its own rows (`is_own`) are those to be undone."""

    oldest: Row | None = None
    newest_work_of_others: Row | None = None
    newest_archival: Row | None = None
    own_actor_ids: set[str] = field(default_factory=set)
    own_names: dict[str, None] = field(default_factory=dict)  # of values that own rows changed, in order
    values: dict[str, ValueHistory] = field(default_factory=dict)

    def add(self, row: Row, changes: dict[str, Any]) -> None:
        """Take the next older row."""
        self.oldest = row
        if row["is_own"]:
            self.own_actor_ids.add(row["actor_id"])
        elif not self.newest_work_of_others and row["action"] not in NOT_WORK and row["actor_type"] != "System":
            self.newest_work_of_others = row
        if ARCHIVE in changes and not self.newest_archival:
            self.newest_archival = row
        if row["action"] != "created":
            for name, change in changes.items():
                self._add_value(row, name, change)

    def _add_value(self, row: Row, name: str, change: dict[str, Any]) -> None:
        known = self.values.get(name)
        if row["is_own"]:
            self.own_names.setdefault(name)
        if known is None:
            known = self.values[name] = ValueHistory(row, is_undoable=bool(row["is_own"]))
            known.after = change["to"] if row["is_own"] else None
        known.is_closed |= not row["is_own"]
        if not known.is_closed:
            known.before = change["from"]


def read(tx: Tx, rows: Iterable[Row]) -> CardHistory:
    """Fold the rows of a card's history, newest first; raise too_expensive if they are too large together."""
    history = CardHistory()
    for row in rows:
        tx.charge(row["changes"])
        history.add({**row, "changes": None}, stored_json(row["changes"]))
    return history
