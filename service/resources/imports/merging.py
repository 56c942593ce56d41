"""The rows of a snapshot become rows of an organization: group by group, in the order in which they need each other.

All of it happens on trial (see database/dry_run.py), so that whatever is wrong is found before anything is changed.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pydantic.alias_generators import to_camel

from ...auth.context import Call
from ...auth.policies import SA
from ...database.queries import Statement, sql
from ...database.store import DryRun, Row
from ...errors import Conflict
from .. import permissions
from . import people
from .snapshot import unshapely
from .staging import Abandoned, Draft, Staged
from .steps import Steps

ROWS_PER_LOG_LINE = 5_000
ROWS_PER_LOOK = 1_000  # at what is there; meanwhile the write-ahead log grows
ROWS_REMEMBERED_MAX = 2_000  # to answer what others refer to
log = logging.getLogger("service")


@dataclass(frozen=True, kw_only=True)
class Group:
    """How the rows of one kind are written."""

    key: str  # in the snapshot
    counter: str = ""  # in the summary, if it has another name there
    read: Statement
    write: Statement
    twin: Statement | None = None  # finds the row that holds another of the unique keys
    needs: tuple[tuple[str, str], ...] = ()  # (column, group): must name a row there
    likes: tuple[tuple[str, str], ...] = ()  # the same, but what names nothing becomes null
    fixed: tuple[str, ...] = ()  # columns in which a row that exists may not differ


class Merge:
    """One import on trial."""

    def __init__(self, call: Call, staged: Staged, organization: Draft, steps: Steps) -> None:
        assert isinstance(call.tx, DryRun)
        self.tx = call.tx
        self.org_id: str = organization["id"]
        self.organization = organization
        self.staged = staged
        self.steps = steps
        self.imported: Counter[str] = Counter()
        self.actor = call.actor
        self._user_id = call.user_id
        self._groups: dict[str, Group] = {}
        self._known: dict[tuple[str, str], Row | None] = {}
        self._operations: dict[str, bool] = {}
        self._done = 0
        self.is_new = False  # the import made the organization
        self._people = people.People(call.tx, self.org_id, staged)

    def enter(self) -> None:
        """Make the organization, or write the title and color that the snapshot gives it."""
        tx = self.tx
        known = tx.one(sql.imports.get_organization, id=self.org_id)
        row = {**(known or {}), **self.organization}
        if known is None:
            created_at = row["created_at"] or tx.now
            values = {"id": self.org_id, "title": row["title"], "color": row["color"], "created_at": created_at}
            tx.run(sql.imports.create_organization, owner_id=self._user_id, **values)
            with self.steps.late():  # until then nobody knows of it
                tx.run(sql.members.create, org_id=self.org_id, user_id=self._user_id, role=SA, now=tx.now)
            permissions.seed(tx, self.org_id)
            self.is_new = True
            people.permit(self.tx, self.org_id, self.staged)
        else:
            with self.steps.late():
                tx.run(sql.organizations.update, org_id=self.org_id, title=row["title"], color=row["color"])
        self.imported["organizations"] = 1

    def member(self, user_id: str | None) -> str | None:
        """Give who that is here: the member with that id, else the one with that person's e-mail, else nobody."""
        return self._people.member(user_id)

    def each(self, group: Group, take: Callable[[str, Draft], None]) -> None:
        """Go through the rows of a group, giving each with its path, and count them."""
        self._groups[group.key] = group
        for path, row in self.staged.rows(group.key):
            if self.staged.is_abandoned:
                raise Abandoned
            row["org_id"] = self.org_id
            take(path, row)
            self.imported[group.counter or group.key] += 1
            self._done += 1
            if self._done % ROWS_PER_LOOK == 0:
                self.tx.live.renew()  # nobody changes what belongs to the organization: it is held
            if self._done % ROWS_PER_LOG_LINE == 0:
                log.info("import into %s: %d of %d rows checked", self.org_id, self._done, self.staged.total)

    def find(self, key: str, row_id: str) -> Row | None:
        """Give a row of the organization from a group that was written already."""
        if len(self._known) > ROWS_REMEMBERED_MAX:
            self._known.clear()
        if (key, row_id) not in self._known:
            row = self._read(self._groups[key], row_id)
            self._known[key, row_id] = row if row and row["org_id"] == self.org_id else None
        return self._known[key, row_id]

    def _read(self, group: Group, row_id: str) -> Row | None:
        wanted = {"id": row_id, "org_id": self.org_id}
        return self.tx.one(group.read, **{name: wanted[name] for name in group.read.parameters})

    def has_written(self, key: str, row_id: str) -> bool:
        """Tell whether a row is one of the snapshot."""
        return self.tx.written(self._groups[key].read, id=row_id) is not None

    def known(self, group: Group, path: str, row: Draft) -> Row | None:
        """Give the row that is there under an id; raise id_conflict if it is somebody else's or another thing."""
        wanted = {name: row[name] for name in group.read.parameters}
        if self.tx.written(group.read, **wanted):
            raise unshapely(f"{path}.id", "is that of another row of the snapshot")
        known = self.tx.live.one(group.read, **wanted)
        if known and known["org_id"] != self.org_id:
            raise id_conflict(path, "belongs to another organization")
        if known and any(row[column] != known[column] for column in group.fixed if row[column] is not None):
            raise id_conflict(path, f"differs from the row that is there in {', '.join(map(to_camel, group.fixed))}")
        if group.twin and (twin := self._twin(group, group.twin, row)) is not None:
            raise id_conflict(path, f"has the unique name or pair of the row {twin} of the organization")
        return known

    def _twin(self, group: Group, find: Statement, row: Draft) -> str | None:
        """Give the row that has what only one may have, if that is another one, and still has it."""
        key = {name: row[name] for name in find.parameters}
        if written := self.tx.written(find, **key):
            return str(written["id"])
        twin = self.tx.live.value(find, **key)
        is_other = twin not in (None, row["id"]) and not self.tx.written(
            group.read, **{name: {"id": twin, "org_id": self.org_id}[name] for name in group.read.parameters}
        )
        return twin if is_other else None

    def resolve(self, group: Group, path: str, row: Draft, known: Row | None) -> None:
        """Check what a row refers to, and fill in what it leaves open."""
        for column, key in group.needs:
            if row[column] is not None and self.find(key, row[column]) is None:
                raise unshapely(f"{path}.{to_camel(column)}", "names nothing in the snapshot or in the organization")
        for column, key in group.likes:
            if row[column] is not None and self.find(key, row[column]) is None:
                row[column] = known[column] if known else None  # what is not known here clears nothing
        for column in ("created_at", "updated_at", "uploaded_at"):
            if column in row and row[column] is None:
                row[column] = known[column] if known else self.tx.now
        self._check_operation(path, row.get("archive_id"))

    def _check_operation(self, path: str, archive_id: str | None) -> None:
        if archive_id is None:
            return
        if archive_id not in self._operations:
            marks = {"archive_id": archive_id, "org_id": self.org_id}
            self._operations = self._operations if len(self._operations) < ROWS_REMEMBERED_MAX else {}
            self._operations[archive_id] = bool(self.tx.live.value(sql.imports.has_foreign_cards, **marks))
        if self._operations[archive_id]:
            raise id_conflict(path, "has the archiveId of another organization")

    def put(self, group: Group, path: str, row: Draft) -> Row | None:
        """Check a row and write it, unless it is there just so; give what is there."""
        known = self.known(group, path, row)
        self.resolve(group, path, row, known)
        if known is None or any(known[column] != value for column, value in row.items() if column in known):
            self.write(group, row)
        return known

    def put_once(self, group: Group, path: str, row: Draft) -> None:
        """Check a row and write it; one that is there stays as it is."""
        known = self.known(group, path, row)
        self.resolve(group, path, row, known)
        if known is None:
            self.write(group, row)

    def write(self, group: Group, row: Draft) -> None:
        """Write a row as it is now."""
        self.tx.run(group.write, **{name: row[name] for name in group.write.parameters})


def id_conflict(path: str, what: str) -> Conflict:
    """Make the error for a row that cannot take its place."""
    message = f"Nothing was imported: {path} {what}; change its id or remove the other."
    return Conflict("id_conflict", message, path=path)
