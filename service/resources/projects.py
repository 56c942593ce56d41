"""Projects; each has one board."""

from functools import partial
from typing import Annotated, Literal

from pydantic import MISSING

from ..auth import archived_boards, authorization, busy_resources
from ..auth.context import Call
from ..auth.policies import may
from ..database.queries import sql
from ..domain import board_display, project_keys, templates
from ..ids import new_id
from ..pipeline import jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Color, Input, ModeQuery, Output, StoredJson, Title, json_text
from . import claims, events, history

DEFAULT_COLOR = "#0ea5e9"
CARDS_PER_BATCH = 20


class Project(Output):
    """A project."""

    id: str
    title: str
    key: str
    color: str
    created_at: str
    archived_at: str | None
    display: Annotated[board_display.BoardDisplay, StoredJson]


class NewProject(Input):
    title: Title
    key: project_keys.ProjectKey | None = None
    color: Color = DEFAULT_COLOR
    template: Literal["default_kanban", "blank"] = "default_kanban"


class ProjectEdit(Input):
    title: Title | MISSING = MISSING
    key: project_keys.ProjectKey | MISSING = MISSING
    color: Color | MISSING = MISSING
    display: board_display.BoardDisplayEdit | MISSING = MISSING


def require_project(call: Call, project_id: str) -> "sql.projects.GetRow":
    """Return an active project of the organization; raise NotFound if there is none."""
    row = call.tx.one(sql.projects.get, org_id=call.org_id, project_id=project_id)
    if row is None:
        raise archived_boards.not_found(call, "project", project_id)
    return row


@routes.get("/organizations/{org_id}/projects", may("read", "Project"), tagged=True)
def list_projects(call: Call, org_id: str) -> list[Project]:
    """List the active projects of an organization, oldest first."""
    return [Project.of(row) for row in call.tx.all(sql.projects.list, org_id=org_id)]


@routes.get("/organizations/{org_id}/projects/{project_id}", may("read", "Project"))
def get_project(call: Call, org_id: str, project_id: str) -> Project:
    """Return a project."""
    return Project.of(require_project(call, project_id))


@routes.post("/organizations/{org_id}/projects", may("create", "Project"))
def create_project(call: Call, org_id: str, body: NewProject) -> Project:
    """Create a project with the columns and transitions of its template; without a key, one is derived from the title.

    Raises key_exists if another project has that key or had it earlier.
    """
    project_id, key = new_id("proj"), body.key or project_keys.find_free_key(call.tx, org_id, body.title)
    project_keys.reserve_key(call, project_id, key)
    values = {"title": body.title, "key": key, "color": body.color, "now": call.now}
    call.tx.run(sql.projects.create, id=project_id, org_id=org_id, **values)
    if body.template == "default_kanban":
        templates.create_default_board(call, project_id)
    events.record(call, "project.created", project_id=project_id)
    return Project.of(require_project(call, project_id))


@routes.patch("/organizations/{org_id}/projects/{project_id}", may("update", "Project", or_resource="Column"))
def update_project(call: Call, org_id: str, project_id: str, body: ProjectEdit) -> Project:
    """Update the title, key, color or display of a project; `display` needs the action `update` on Column instead.

    Former keys of the project remain valid in card keys. Raises key_exists if another project has or had the key.
    `display` changes only the keys that it contains. Its `listColumns` takes `title`, `key`, `column`, `type`,
    `assignee`, `agent`, `priority`, `due`, `labels`, and `field:` with the name of a field of a card type of the board;
    an unknown one is 400 with the existing ones in `details.options`.
    """
    _require_permissions(call, body)
    before = require_project(call, project_id)
    row = {**before, **body.changes()}
    if body.display is not MISSING:
        row["display"] = board_display.apply_edit(call, project_id, before["display"], body.display)
    project_keys.reserve_key(call, project_id, row["key"])
    values = {key: row[key] for key in ("title", "key", "color", "display")}
    call.tx.run(sql.projects.update, project_id=project_id, **values)
    if row != before:
        events.record(call, "project.updated", project_id=project_id)
    return Project.of(row)


def _require_permissions(call: Call, body: ProjectEdit) -> None:
    """Raise permission_denied unless the caller may change all that a body contains."""
    keys = body.model_fields_set
    if "display" in keys:
        authorization.require_permission(call, "update", "Column")
    if keys != {"display"}:
        authorization.require_permission(call, "update", "Project")


@routes.delete("/organizations/{org_id}/projects/{project_id}", may("delete", "Project"))
async def delete_project(operation: Operation[Call], org_id: str, project_id: str, query: ModeQuery) -> None:
    """Archive a project with its active columns, cards and card types; with mode=permanent, delete it permanently.

    Many cards take several transactions; until the last one, writes to the project fail with 409 conflict.
    """
    await jobs.run_in_batches(operation, partial(_start_deletion, project_id=project_id, mode=query.mode))


def _start_deletion(call: Call, project_id: str, mode: str) -> jobs.Job:
    require_project(call, project_id)
    busy_resources.require_idle_inside(call, project_id)
    if mode == "permanent":
        return jobs.Job("remove_project", "project", project_id)
    # All archived rows share this id, so that a restore affects only what was archived together.
    mark = {"archived_at": call.now, "archived_by": call.actor.json(), "archive_id": new_id("op")}
    return jobs.Job("archive_project", "project", project_id, mark)


@jobs.batches("archive_project", "archiving")
def archive_project_batch(call: Call, job: jobs.Job) -> bool:
    """Archive one batch of cards of a project; after the last, the project and everything else in it."""
    project_id, mark = job.resource_id, job.parameters
    cards = call.tx.all(sql.projects.archive_cards, project_id=project_id, limit=CARDS_PER_BATCH, **mark)
    card_ids = json_text([card["id"] for card in cards])
    ended = claims.end_claims(call, sql.claims.release_cards, card_ids=card_ids)
    for card in cards:
        changes = {"archivedAt": (None, mark["archived_at"]), **ended.get(card["id"], {})}
        history.record(call, card["id"], "archived", changes, card["column_id"], mark["archive_id"])
    if len(cards) == CARDS_PER_BATCH:
        return False
    for statement in (sql.projects.archive_columns, sql.projects.archive_card_types, sql.projects.archive):
        call.tx.run(statement, project_id=project_id, **mark)
    call.tx.run(
        sql.projects.archive_transitions,
        project_id=project_id,
        archived_at=mark["archived_at"],
        archive_id=mark["archive_id"],
    )
    events.record(call, "project.archived", project_id=project_id)
    return True
