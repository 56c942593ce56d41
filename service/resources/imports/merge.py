"""Merge of a snapshot into an organization, one group at a time, so that a row comes after the rows it names.

The merge is a dry run (see database/dry_run.py), which finds every error before the database is changed.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic.alias_generators import to_camel

from ...auth.context import Call
from ...auth.policies import SA
from ...database.queries import sql
from ...database.statement import Statement
from ...database.store import DryRun, Row
from ...errors import Conflict
from ...schemas import json_text
from .. import permissions
from . import people
from .redo_log import RedoLog
from .snapshot import invalid_snapshot
from .staging import StagedRow, StagedSnapshot

ROWS_PER_LOG_LINE = 5_000
ROWS_PER_SNAPSHOT = 1_000  # read from one database snapshot, since an open snapshot lets the write-ahead log grow
ROWS_CACHED_MAX = 2_000  # to look up what other rows refer to
REQUIRED_TIMES = ("created_at", "updated_at", "uploaded_at")
TIMES = (*REQUIRED_TIMES, "archived_at", "last_seen_at", "answered_at")
log = logging.getLogger("service")


@dataclass(frozen=True, kw_only=True)
class Group:
    """One kind of rows and how they are read, checked and written."""

    key: str  # in the snapshot
    counter: str = ""  # in the summary, if the name there is another one
    read: Statement[Row]
    write: Statement[Row]
    conflict: Statement[Row] | None = None  # finds a row that has the same value of another unique key
    required_refs: tuple[tuple[str, str], ...] = ()  # (column, group) of ids that must name a row
    optional_refs: tuple[tuple[str, str], ...] = ()  # (column, group) of ids that become null if they name no row
    immutable: tuple[str, ...] = ()  # columns in which an existing row may not differ


class Merge:
    """The dry run of one import."""

    def __init__(self, call: Call, staged: StagedSnapshot, organization: StagedRow, redo_log: RedoLog) -> None:
        assert isinstance(call.tx, DryRun)
        self.tx = call.tx
        self.org_id: str = organization["id"]
        self.organization = organization
        self.staged = staged
        self.redo_log = redo_log
        self.imported: Counter[str] = Counter()
        self.actor = call.actor
        self._user_id = call.user_id
        self._groups: dict[str, Group] = {}
        self._cache: dict[tuple[str, str], Row | None] = {}
        self._operations: dict[str, bool] = {}
        self._row_count = 0
        self.is_new = False  # whether the import creates the organization
        self._people = people.People(call.tx, self.org_id, staged)

    def upsert_organization(self) -> None:
        """Create the organization, or update its title, color and time zone."""
        tx = self.tx
        existing: Row | None = tx.one(sql.imports.get_organization, id=self.org_id)
        row = {**(existing or {}), **self.organization}
        if existing is None:
            self.set_times(row)
            values = {key: row[key] for key in ("id", "title", "color", "timezone", "created_at")}
            tx.run(sql.imports.create_organization, owner_id=self._user_id, **values)
            with self.redo_log.deferred():  # without a member the organization is invisible
                tx.run(sql.members.create, org_id=self.org_id, user_id=self._user_id, role=SA, now=tx.now)
            permissions.create_default_permissions(tx, self.org_id)
            self.is_new = True
            people.copy_permissions(self.tx, self.org_id, self.staged)
        else:
            with self.redo_log.deferred():
                values = {key: row[key] for key in ("title", "color", "timezone")}
                tx.run(sql.organizations.update, org_id=self.org_id, **values)
        self.imported["organizations"] = 1

    def find_member(self, user_id: str | None) -> str | None:
        """Return the id of the member with that id, else with that person's e-mail address, else None."""
        return self._people.find_member(user_id)

    def list_missing_people(self) -> list[str]:
        """Return the e-mail addresses of people of the snapshot who are no members."""
        return self._people.list_missing()

    def encode_mentions(self, mentions: Iterable[tuple[str, str]]) -> str | None:
        """Return mentions in stored form, with the ids of the snapshot's people replaced by those of members."""
        found = [(type, self.find_member(id) if type == "User" else id) for type, id in mentions]
        return json_text(known) if (known := [pair for pair in found if pair[1] is not None]) else None

    def for_each_row(self, group: Group, handle: Callable[[str, StagedRow], None]) -> None:
        """Call a function with the path and the columns of each row of a group, and count the rows."""
        self._groups[group.key] = group
        for path, row in self.staged.rows(group.key):
            row["org_id"] = self.org_id
            handle(path, row)
            self.imported[group.counter or group.key] += 1
            self._row_count += 1
            if self._row_count % ROWS_PER_SNAPSHOT == 0:
                self.tx.live.renew()  # the organization is locked, so the new snapshot has the same rows of it
            if self._row_count % ROWS_PER_LOG_LINE == 0:
                log.info("import into %s: %d of %d rows checked", self.org_id, self._row_count, self.staged.total)

    def find_row(self, key: str, row_id: str) -> Row | None:
        """Return a row of the organization from a group that was already merged, or None."""
        if len(self._cache) > ROWS_CACHED_MAX:
            self._cache.clear()
        if (key, row_id) not in self._cache:
            row = self._read_row(self._groups[key], row_id)
            self._cache[key, row_id] = row if row and row["org_id"] == self.org_id else None
        return self._cache[key, row_id]

    def _read_row(self, group: Group, row_id: str) -> Row | None:
        values = {"id": row_id, "org_id": self.org_id}
        return self.tx.one(group.read, **{name: values[name] for name in group.read.parameters})

    def is_in_snapshot(self, key: str, row_id: str) -> bool:
        """Return whether a row was written from the snapshot."""
        return self.tx.find_written(self._groups[key].read, id=row_id) is not None

    def find_existing(self, group: Group, path: str, row: StagedRow) -> Row | None:
        """Return the existing row with the id of a row of the snapshot, or None.

        Raises id_conflict if the existing row belongs to another organization, differs in an immutable column, or if
        another row has the same value of a unique key.
        """
        parameters = {name: row[name] for name in group.read.parameters}
        if self.tx.find_written(group.read, **parameters):
            raise invalid_snapshot(f"{path}.id", "is the id of another row of the snapshot")
        existing = self.tx.live.one(group.read, **parameters)
        if existing and existing["org_id"] != self.org_id:
            raise id_conflict(path, "belongs to another organization")
        if existing and any(row[column] != existing[column] for column in group.immutable if row[column] is not None):
            raise id_conflict(path, f"differs from the existing row in {', '.join(map(to_camel, group.immutable))}")
        if group.conflict and (conflict := self._find_conflict(group, group.conflict, row)) is not None:
            raise id_conflict(path, f"has the same unique name or pair as the row {conflict} of the organization")
        return existing

    def _find_conflict(self, group: Group, find: Statement[Row], row: StagedRow) -> str | None:
        """Return the id of another row that has the same unique key and is not overwritten by the snapshot, or None."""
        key = {name: row[name] for name in find.parameters}
        if written := self.tx.find_written(find, **key):
            return str(written["id"])
        conflict = self.tx.live.value(find, **key)
        is_other = conflict not in (None, row["id"]) and not self.tx.find_written(
            group.read, **{name: {"id": conflict, "org_id": self.org_id}[name] for name in group.read.parameters}
        )
        return conflict if is_other else None

    def resolve_references(self, group: Group, path: str, row: StagedRow, existing: Row | None) -> None:
        """Check the references of a row, and set missing times and references that name no row."""
        for column, key in group.required_refs:
            if row[column] is not None and self.find_row(key, row[column]) is None:
                raise invalid_snapshot(
                    f"{path}.{to_camel(column)}", "names no row of the snapshot or of the organization"
                )
        for column, key in group.optional_refs:
            if row[column] is not None and self.find_row(key, row[column]) is None:
                row[column] = existing[column] if existing else None  # an unknown id does not clear a reference
        self.set_times(row, existing)
        self._check_operation(path, row.get("archive_id"))

    def set_times(self, row: StagedRow, existing: Row | None = None) -> None:
        """Set missing times, and those that are later than the import: the service relies on times in the past."""
        for column in TIMES:
            if column not in row or (row[column] is None and column not in REQUIRED_TIMES):
                continue
            if row[column] is None or row[column] > self.tx.now:
                row[column] = (existing and existing[column]) or self.tx.now

    def _check_operation(self, path: str, archive_id: str | None) -> None:
        if archive_id is None:
            return
        if archive_id not in self._operations:
            parameters = {"archive_id": archive_id, "org_id": self.org_id}
            self._operations = self._operations if len(self._operations) < ROWS_CACHED_MAX else {}
            self._operations[archive_id] = bool(self.tx.live.value(sql.imports.has_foreign_cards, **parameters))
        if self._operations[archive_id]:
            raise id_conflict(path, "has the archiveId of another organization")

    def upsert(self, group: Group, path: str, row: StagedRow) -> Row | None:
        """Check a row and write it unless it is unchanged; return the existing row, or None."""
        existing = self.find_existing(group, path, row)
        self.resolve_references(group, path, row, existing)
        if existing is None or any(existing[column] != value for column, value in row.items() if column in existing):
            self.write_row(group, row)
        return existing

    def insert_if_absent(self, group: Group, path: str, row: StagedRow) -> None:
        """Check a row and write it unless a row with its id exists."""
        existing = self.find_existing(group, path, row)
        self.resolve_references(group, path, row, existing)
        if existing is None:
            self.write_row(group, row)

    def write_row(self, group: Group, row: StagedRow) -> None:
        """Write a row without checks."""
        self.tx.run(group.write, **{name: row[name] for name in group.write.parameters})


def id_conflict(path: str, problem: str) -> Conflict:
    """Return the error for a row that conflicts with an existing row."""
    message = f"Nothing was imported: {path} {problem}; change its id or remove the other row."
    return Conflict("id_conflict", message, path=path)
