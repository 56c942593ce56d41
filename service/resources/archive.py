"""The archive: list, restore and permanently delete archived items."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..auth import busy_resources, card_keys
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Row
from ..errors import NotFound
from ..pipeline import jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Actor, Output, Page, PageQuery, StoredJson
from ..text.comparison import fold_text
from . import card_lifecycle, cards, events, history, organizations, projects, removal, teams, webhooks

CARDS_PER_BATCH = 20
Type = Literal["card", "project", "team", "organization"]


Restored = cards.Card | projects.Project | teams.TeamDetail | organizations.Organization


class ArchiveItem(Output):
    """An archived item."""

    type: Type
    id: str
    key: str | None  # of a card or a project
    title: str
    archived_at: str
    archived_by: Annotated[Actor | None, StoredJson]


class ArchiveQuery(PageQuery):
    type: Type | None = None
    q: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None, description="Part of a title or name, or a key; case and accents do not count."
    )


@routes.get("/archive", may("read", "Archive", allows_without_organization=True), on_reader_thread=True)
def list_archive(call: Call, query: ArchiveQuery) -> Page[ArchiveItem]:
    """List the archived items of the current organization and the caller's archived organizations, newest first."""
    text, key = (fold_text(query.q), query.q.strip().upper()) if query.q else (None, None)
    where = {"org_id": call.org_id, "user_id": call.user_id, "type": query.type, "text": text, "key": key}
    rows = call.tx.all(sql.archive.list, limit=query.page_size, offset=query.offset, **where)
    total = call.tx.value(sql.archive.count, **where)
    items = [ArchiveItem.of(row) for row in rows]
    return Page[ArchiveItem](items=items, page=query.page, page_size=query.page_size, total=total)


_FIND: dict[str, Statement[Row]] = {
    "card": sql.archive.get_card,
    "project": sql.archive.get_project,
    "team": sql.archive.get_team,
}


def _find_item(call: Call, type: str, id: str) -> Row | None:
    """Return an archived item that the caller may see."""
    if type == "organization":
        return call.tx.one(sql.archive.get_organization, id=id, user_id=call.user_id)
    item_id = card_keys.resolve_card_id(call, id) if type == "card" else id
    return call.tx.one(_FIND[type], id=item_id, org_id=call.org_id) if type in _FIND else None


def _require_item(call: Call, type: str, id: str) -> Row:
    """Return an archived item that the caller may see; raise not_found, or conflict while a job changes it."""
    row = _find_item(call, type, id)
    if row is None:
        raise NotFound("archive item")
    if type == "organization":
        busy_resources.require_idle(call, org_id=id)
    else:
        busy_resources.require_idle(call, project_id=row["project_id"] if type == "card" else id)
    return row


@routes.post(
    "/archive/{type}/{id}/restore", may("update", "Archive", allows_without_organization=True), answers=Restored
)
async def restore_item(operation: Operation[Call], type: str, id: str) -> Output:
    """Restore an item: a project with everything that was archived with it; an organization only by its owner.

    Many cards take several transactions; until the last one, the project stays in the archive.
    """
    if type != "project":
        return await operation.service.import_locks.with_retry(
            lambda: operation.write(partial(_restore, type=type, id=id))
        )
    restored = await jobs.run_in_batches(
        operation, partial(_start_restore, id=id), partial(_get_restored_project, id=id)
    )
    assert restored is not None
    return restored


def _restore(call: Call, type: str, id: str) -> Output:
    row = _require_item(call, type, id)
    return _RESTORE[type](call, row)


def _restore_card(call: Call, row: Row) -> Output:
    return card_lifecycle.restore_archived_card(call, row)


def _start_restore(call: Call, id: str) -> jobs.Job:
    row = _require_item(call, "project", id)
    mark = {"archive_id": row["archive_id"], "archived_at": row["archived_at"]}
    return jobs.Job("restore_project", "project", row["id"], mark)


@jobs.batches("restore_project", "restoring", grows=True)
def restore_project_batch(call: Call, job: jobs.Job) -> bool:
    """Restore one batch of cards of an archived project; after the last, everything else archived with it."""
    mark = {"project_id": job.resource_id, "archive_id": job.parameters["archive_id"]}
    restored = call.tx.all(sql.archive.restore_cards, now=call.now, limit=CARDS_PER_BATCH, **mark)
    for card in restored:
        changes = {"archivedAt": (job.parameters["archived_at"], None)}
        history.record(call, card["id"], "restored", changes, card["column_id"], mark["archive_id"])
    if len(restored) == CARDS_PER_BATCH:
        return False
    for statement in (sql.archive.restore_columns, sql.archive.restore_card_types, sql.archive.restore_transitions):
        call.tx.run(statement, **mark)
    call.tx.run(sql.archive.restore_project, id=job.resource_id)
    events.record(call, "project.restored", project_id=job.resource_id)
    return True


def _get_restored_project(call: Call, id: str) -> Output:
    return projects.get_project(call, call.org_id, id)


def _restore_team(call: Call, row: Row) -> Output:
    call.tx.run(sql.archive.restore_team, id=row["id"])
    events.record(call, "team.restored")
    return teams.get_team(call, call.org_id, row["id"])


def _restore_organization(call: Call, row: Row) -> Output:
    call.tx.run(sql.archive.restore_organization, id=row["id"])
    events.record(call, "organization.restored", org_id=row["id"])
    webhooks.resume_webhooks(call, row["id"])
    return organizations.get_organization(call, row["id"])


_RESTORE: dict[str, Callable[[Call, Row], Output]] = {
    "card": _restore_card,
    "team": _restore_team,
    "organization": _restore_organization,
}
_DELETE: dict[str, Callable[[Call, str], None]] = {"card": removal.delete_card, "team": removal.delete_team}
_DELETION_JOBS = {"project": "remove_project", "organization": "remove_organization"}


@routes.delete(
    "/archive/{type}/{id}", may("delete", "Archive", requires_architect=True, allows_without_organization=True)
)
async def delete_item(operation: Operation[Call], type: str, id: str) -> None:
    """Permanently delete an archived item (SA; an organization only by its owner).

    Many cards take several transactions; until the last one, further requests for the item fail with 409 conflict.
    """
    if type in _DELETION_JOBS:
        await jobs.run_in_batches(operation, partial(_start_deletion, type=type, id=id))
    else:
        await operation.service.import_locks.with_retry(
            lambda: operation.write(partial(_delete_item, type=type, id=id))
        )


def _delete_item(call: Call, type: str, id: str) -> None:
    row = _require_item(call, type, id)
    _DELETE[type](call, row["id"])


def _start_deletion(call: Call, type: str, id: str) -> jobs.Job:
    return jobs.Job(_DELETION_JOBS[type], type, _require_item(call, type, id)["id"])
