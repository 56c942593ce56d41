"""Denial of writes to resources that a job is changing."""

from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict
from .context import Call

_DOING = {"archiving": "archived", "restoring": "restored", "removing": "removed", "duplicating": "duplicated"}


def require_idle(call: Call, **named: str | None) -> None:
    """Raise conflict (details.state) if a job is changing a resource that a write names, or its container."""
    org_id = named.get("org_id") or call.org_id
    if not call.tx.value(sql.jobs.exists, org_id=org_id):  # fast path: usually there is no job
        return
    names = ("project_id", "card_project_id", "column_id", "card_type_id", "transition_id", "field_id", "user_id")
    about = {name: named.get(name) for name in (*names, "agent_id", "card_id")}
    _require_none(call.tx.one(sql.jobs.find_conflict, org_id=org_id, calling_agent_id=call.agent_id, **about))


def require_idle_inside(call: Call, project_id: str) -> None:
    """Raise conflict (details.state) if a job is changing a column of a project that is to be archived or deleted."""
    _require_none(call.tx.one(sql.jobs.find_in_project, org_id=call.org_id, project_id=project_id))


def require_finished(call: Call, job_id: str) -> None:
    """Raise conflict (details.state) while a job is in progress."""
    _require_none(call.tx.one(sql.jobs.get, job_id=job_id))


def _require_none(job: Row | None) -> None:
    if job is not None:
        message = f"The {job['resource_type']} is being {_DOING[job['state']]}; try again when that is done."
        raise Conflict(None, message, state=job["state"])
