"""The archive: what was put away, and the way back or out (contract, section 5)."""

from collections.abc import Callable
from typing import Annotated, Literal

from ..database.queries import sql
from ..database.store import Row
from ..errors import NotFound
from ..journey import naming
from ..journey.call import Call
from ..journey.gates import may
from ..journey.table import routes
from ..wire import Actor, Output, Page, PageQuery, StoredJson
from . import card_lifecycle, cards, events, history, organizations, projects, removal, teams, webhooks

Type = Literal["card", "project", "team", "organization"]


Restored = cards.Card | projects.Project | teams.TeamDetail | organizations.Organization


class ArchiveItem(Output):
    """Something in the archive (specification, resources)."""

    type: Type
    id: str
    key: str | None  # of a card or a project
    title: str
    archived_at: str
    archived_by: Annotated[Actor | None, StoredJson]


class ArchiveQuery(PageQuery):
    type: Type | None = None


@routes.get("/archive", may("read", "Archive", homeless=True), bulk=True)
def browse(call: Call, query: ArchiveQuery) -> Page[ArchiveItem]:
    """List what the current organization has in its archive, newest first; one's own organizations too."""
    where = {"org_id": call.org_id, "user_id": call.user_id, "type": query.type}
    rows = call.tx.all(sql.archive.browse, limit=query.page_size, offset=query.offset, **where)
    total = call.tx.value(sql.archive.count, **where)
    items = [ArchiveItem.of(row) for row in rows]
    return Page[ArchiveItem](items=items, page=query.page, page_size=query.page_size, total=total)


_FIND = {"card": sql.archive.card, "project": sql.archive.project, "team": sql.archive.team}


def _found(call: Call, type: str, id: str) -> Row:
    """Find something in the archive that the caller may know of."""
    if type == "organization":
        row = call.tx.one(sql.archive.organization, id=id, user_id=call.user_id)
    else:
        wanted = naming.card_id(call, id) if type == "card" else id
        row = call.tx.one(_FIND[type], id=wanted, org_id=call.org_id) if type in _FIND else None
    if row is None:
        raise NotFound("archive item")
    return row


@routes.post("/archive/{type}/{id}/restore", may("update", "Archive", homeless=True), answers=Restored)
def restore(call: Call, type: str, id: str) -> Output:
    """Bring something back: a project with exactly what its archiving took away; an organization by its owner."""
    row = _found(call, type, id)
    return _RESTORE[type](call, row)


def _restore_card(call: Call, row: Row) -> Output:
    return card_lifecycle.bring_back(call, row)


def _restore_project(call: Call, row: Row) -> Output:
    project_id, operation = row["id"], row["archive_id"]
    call.tx.run(sql.archive.restore_project, id=project_id)
    for restored in (sql.archive.restore_columns, sql.archive.restore_card_types, sql.archive.restore_transitions):
        call.tx.run(restored, project_id=project_id, archive_id=operation)
    for card in call.tx.all(sql.archive.restore_cards, project_id=project_id, archive_id=operation, now=call.now):
        history.record(call, card["id"], "restored", {"archivedAt": (row["archived_at"], None)}, card["column_id"])
    events.record(call, "project.restored", project_id=project_id)
    return projects.read(call, call.org_id, project_id)


def _restore_team(call: Call, row: Row) -> Output:
    call.tx.run(sql.archive.restore_team, id=row["id"])
    events.record(call, "team.restored")
    return teams.read(call, call.org_id, row["id"])


def _restore_organization(call: Call, row: Row) -> Output:
    call.tx.run(sql.archive.restore_organization, id=row["id"])
    events.record(call, "organization.restored", org_id=row["id"])
    webhooks.resume(call, row["id"])
    return organizations.read(call, row["id"])


_RESTORE: dict[str, Callable[[Call, Row], Output]] = {
    "card": _restore_card,
    "project": _restore_project,
    "team": _restore_team,
    "organization": _restore_organization,
}
_REMOVE: dict[str, Callable[[Call, str], None]] = {
    "card": removal.remove_card,
    "project": removal.remove_project,
    "team": removal.remove_team,
    "organization": removal.remove_organization,
}


@routes.delete("/archive/{type}/{id}", may("delete", "Archive", sa=True, homeless=True))
def remove(call: Call, type: str, id: str) -> None:
    """Remove something from the archive for good (SA; an organization: its owner)."""
    row = _found(call, type, id)
    _REMOVE[type](call, row["id"])
