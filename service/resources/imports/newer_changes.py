"""What an import would undo: changes in the organization that are newer than the snapshot."""

from collections.abc import Iterator
from itertools import count

from ...database.connections import Snapshot
from ...database.queries import sql
from ...database.store import Row
from ...errors import Conflict
from ...schemas import Output
from . import boards, cards, files
from .merge import ROWS_PER_SNAPSHOT, Group
from .staging import StagedRow, StagedSnapshot

# Groups of a snapshot with the resource of their events. Comments and history are never overwritten.
RESOURCES = {
    "projects": "project", "teams": "team", "agents": "agent", "cardTypes": "cardType", "fields": "field",
    "promptCategories": "promptCategory", "prompts": "prompt", "columns": "column", "transitions": "transition",
    "toolServers": "toolServer", "cards": "card", "relationships": "relationship", "presets": "preset", "files": "file",
}  # fmt: skip
GROUPS = tuple(
    group
    for group in (*boards.BOARD, cards.CARDS, cards.RELATIONSHIPS, files.PRESETS, files.FILES)
    if group.key in RESOURCES
)
ON_BOARDS = {"cardTypes", "fields", "columns", "transitions", "cards", "relationships", "presets", "files"}
CARD_COLUMNS = ("card_id", "from_card_id", "to_card_id")
NO_CHANGES = {"created", "registered", "removed", "archived", "online", "offline", "stopped"}  # verbs of events
NOT_COMPARED = {"org_id", "version", "created_at", "updated_at", "last_seen_at"}
REMOVED_CARDS_MAX = 200_000  # looked up by id; beyond, each missing card counts as removed


class NewerChanges(Output):
    """The number of items of a snapshot that were changed, archived or removed since; each counts once."""

    changed: int = 0
    archived: int = 0
    removed: int = 0

    def require_none(self) -> None:
        """Raise conflict if there are any."""
        counts = self.model_dump()
        if any(counts.values()):
            message = (
                "Nothing was imported, since it would undo newer work here: "
                f"{self.changed} items were changed, {self.archived} archived and {self.removed} removed. "
                "Import without unlessChanged to overwrite that."
            )
            raise Conflict(None, message, state="changed", **counts)


def count_newer_changes(tx: Snapshot, staged: StagedSnapshot) -> NewerChanges:
    """Count what people and agents have changed since the export, or the last import of the snapshot if later."""
    assert staged.organization is not None
    org_id = staged.organization["id"]
    found = NewerChanges()
    if tx.one(sql.imports.get_organization, id=org_id) is None:
        return found
    log, numbers = _ChangeLog(tx, org_id, staged), count(1)
    for group in GROUPS:
        for _, row in staged.rows(group.key):
            _count(found, log, group, {**row, "org_id": org_id})
            if next(numbers) % ROWS_PER_SNAPSHOT == 0:
                tx.renew()
    return found


def _count(found: NewerChanges, log: "_ChangeLog", group: Group, row: StagedRow) -> None:
    existing = log.find_existing(group, row)
    if existing is None:
        found.removed += log.is_removed(group.key, row)
    elif existing["org_id"] != row["org_id"]:
        return
    elif (existing.get("archived_at") or "") > log.since:
        found.archived += 1
    elif log.is_changed(group.key, row, existing):
        found.changed += 1


class _ChangeLog:
    """What is known about the changes of an organization since a snapshot."""

    def __init__(self, tx: Snapshot, org_id: str, staged: StagedSnapshot) -> None:
        exported_at = (staged.meta and staged.meta.exportedAt) or ""
        imported_at = tx.value(sql.imports.get_mark, org_id=org_id, exported_at=exported_at)
        self.since = max(exported_at, imported_at or "")
        self._tx = tx
        period = {"org_id": org_id, "since": self.since}
        self._events = tx.all(sql.imports.list_changes_since, **period)
        self._types = {row["type"] for row in self._events}
        removed = tx.all(sql.imports.list_removed_cards, limit=REMOVED_CARDS_MAX, **period)
        self._removed_cards = {row["card_id"] for row in removed}
        is_complete = len(removed) < REMOVED_CARDS_MAX and tx.value(sql.imports.has_events_before, since=self.since)
        # Everything was here after an import; otherwise the log says what was removed, unless it begins too late.
        self._is_all_missing_removed = imported_at is not None or not is_complete

    def find_existing(self, group: Group, row: StagedRow) -> Row | None:
        """Return the row of the organization with the id of a row of the snapshot."""
        return self._tx.one(group.read, **{name: row[name] for name in group.read.parameters})

    def is_removed(self, key: str, row: StagedRow) -> bool:
        """Return whether a missing row was removed; what lay on a removed card is not counted besides it."""
        if not self._has_cards(row):
            return False
        if self._is_all_missing_removed or (key == "cards" and row["id"] in self._removed_cards):
            return True
        if key in ("projects", "columns", "agents"):
            return row["id"] in self._list_ids(key, "removed")
        is_with_board = key in ON_BOARDS and "project.removed" in self._types
        return is_with_board or f"{RESOURCES[key]}.removed" in self._types

    def _has_cards(self, row: StagedRow) -> bool:
        ids = [row[column] for column in CARD_COLUMNS if row.get(column)]
        return all(self._tx.one(cards.CARDS.read, id=card_id) for card_id in ids)

    def is_changed(self, key: str, row: StagedRow, existing: Row) -> bool:
        """Return whether a row was changed: a card by its history, others if they differ and an event says so."""
        if key == "cards":
            return bool(self._tx.value(sql.imports.find_change_of_card, card_id=row["id"], since=self.since))
        if not _differs(row, existing):
            return False
        if key in ("projects", "columns", "agents"):
            return row["id"] in self._list_ids(key)
        return any(type.partition(".")[0] == RESOURCES[key] and _is_change(type) for type in self._types)

    def _list_ids(self, key: str, verb: str | None = None) -> Iterator[str | None]:
        """Yield the ids of the projects, columns or agents that were changed, or to which a verb applies."""
        resource = RESOURCES[key]
        for row in self._events:
            name, _, found = row["type"].partition(".")
            if name == resource and (found == verb if verb else _is_change(row["type"])):
                yield {"project": row["project_id"], "column": row["column_id"]}.get(resource, row["agent_id"])


def _is_change(type: str) -> bool:
    return type.partition(".")[2] not in NO_CHANGES


def _differs(row: StagedRow, existing: Row) -> bool:
    """Return whether a row has other values than the existing one; what the snapshot leaves out is not compared."""
    names = (row.keys() & existing.keys()) - NOT_COMPARED
    return any(row[name] is not None and row[name] != existing[name] for name in names)
