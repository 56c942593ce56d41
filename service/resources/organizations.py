"""Organizations, the tenants of the service."""

from pydantic import MISSING, Field

from ..auth.context import Call
from ..auth.policies import SA, architect, member, person
from ..database.queries import sql
from ..database.store import Tx
from ..errors import Forbidden
from ..ids import new_id
from ..pipeline import jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Color, Input, ModeQuery, Output, Timezone, Title
from . import events, permissions

DEFAULT_COLOR = "#4f46e5"


class Organization(Output):
    """An organization."""

    id: str
    title: str
    color: str
    owner_id: str | None
    timezone: str = Field(description="IANA time zone in which days end: what is due that day is overdue then.")
    created_at: str


class NewOrganization(Input):
    title: Title
    color: Color = DEFAULT_COLOR


class OrganizationEdit(Input):
    title: Title | MISSING = MISSING
    color: Color | MISSING = MISSING
    timezone: Timezone | MISSING = MISSING


@routes.get("/organizations", person())
def list_organizations(call: Call) -> list[Organization]:
    """List the organizations of which the caller is a member, oldest first."""
    return [Organization.of(row) for row in call.tx.all(sql.organizations.list, user_id=call.user_id)]


@routes.get("/organizations/{org_id}", member())
def get_organization(call: Call, org_id: str) -> Organization:
    """Return an organization; 404 not_found unless the caller is a member."""
    return Organization.of(_require_organization(call, org_id))


def _require_organization(call: Call, org_id: str) -> "sql.organizations.GetRow":
    return call.require(sql.organizations.get, "organization", org_id=org_id)


@routes.post("/organizations", person())
def create_organization(call: Call, body: NewOrganization) -> Organization:
    """Create an organization; the caller becomes its owner and first Solution Architect.

    Raises permission_denied if the setting organization_creators allows this only to Solution Architects of other
    organizations, and the caller is none.
    """
    is_everyone_allowed = call.service.settings.organization_creators == "everyone"
    if not is_everyone_allowed and not call.tx.value(sql.members.is_architect_anywhere, user_id=call.user_id):
        message = "Only a Solution Architect of an organization may create another one here; ask one of them."
        raise Forbidden(None, message, resource="Organization", action="create")
    org_id = insert_organization(call.tx, call.user_id, body.title, body.color)
    events.record(call, "organization.created", org_id=org_id)
    return Organization.of(_require_organization(call, org_id))


def insert_organization(tx: Tx, user_id: str, title: str, color: str = DEFAULT_COLOR) -> str:
    """Insert an organization with its permissions and its first Solution Architect; return its id."""
    org_id = new_id("org")
    tx.run(sql.organizations.create, id=org_id, title=title, color=color, owner_id=user_id, now=tx.now)
    tx.run(sql.members.create, org_id=org_id, user_id=user_id, role=SA, now=tx.now)
    permissions.create_default_permissions(tx, org_id)
    return org_id


@routes.patch("/organizations/{org_id}", architect())
def update_organization(call: Call, org_id: str, body: OrganizationEdit) -> Organization:
    """Update the title, color or time zone of an organization (SA). Days begin and end in its time zone."""
    before = _require_organization(call, org_id)
    row = {**before, **body.changes()}
    values = {name: row[name] for name in ("title", "color", "timezone")}
    call.tx.run(sql.organizations.update, org_id=org_id, **values)
    if row != before:
        events.record(call, "organization.updated")
    return Organization.of(row)


@routes.delete("/organizations/{org_id}", architect())
async def delete_organization(operation: Operation[Call], org_id: str, query: ModeQuery) -> None:
    """Archive an organization, or with `mode=permanent` delete it with everything in it (SA).

    Many cards take several transactions; until the last one, writes to the organization fail with 409 conflict.
    """
    if query.mode == "permanent":
        await jobs.run_in_batches(operation, lambda call: jobs.Job("remove_organization", "organization", org_id))
    else:
        await operation.service.import_locks.with_retry(lambda: operation.write(_archive))


def _archive(call: Call) -> None:
    archived_by, archive_id = call.actor.json(), new_id("op")
    call.tx.run(
        sql.organizations.archive, org_id=call.org_id, now=call.now, archived_by=archived_by, archive_id=archive_id
    )
    events.record(call, "organization.archived")
