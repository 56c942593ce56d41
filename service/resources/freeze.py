"""Freeze of an organization: while it lasts, agents can read but not write."""

from typing import Annotated

from ..auth.authorization import find_active_freeze
from ..auth.context import Call
from ..auth.policies import agent, architect, member
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..errors import invalid
from ..pipeline.routing import routes
from ..schemas import Actor, Input, Output, StoredJson, Timestamp, Title
from . import claims, events

NO_END = "9999-01-01T00:00:00.000Z"  # end of the pause of claims if the freeze has no end


class Freeze(Output):
    """Whether the organization is frozen, and if so the reason, the end and the author of the freeze."""

    frozen: bool
    reason: str | None = None
    until: str | None = None
    frozen_at: str | None = None
    frozen_by: Annotated[Actor | None, StoredJson] = None


class NewFreeze(Input):
    reason: Title
    until: Timestamp | None = None


@routes.get("/organizations/{org_id}/freeze", member())
@routes.get("/organizations/{org_id}/freeze/mcp", agent())
def get_freeze(call: Call, org_id: str) -> Freeze:
    """Return whether the organization is frozen; an expired freeze counts as none."""
    row = find_active_freeze(call)
    return Freeze(frozen=True, **row) if row else Freeze(frozen=False)


def estimate_expiry(call: Call, expires_at: str) -> str:
    """Return when a claim expires; in a freeze without an end, when it would expire if the freeze ended now."""
    if expires_at < NO_END:
        return expires_at
    return timestamp(parse_timestamp(call.now) + (parse_timestamp(expires_at) - parse_timestamp(NO_END)))


@routes.post("/organizations/{org_id}/freeze", architect(), grows=False)
def create_freeze(call: Call, org_id: str, body: NewFreeze) -> Freeze:
    """Freeze the organization (SA), until a time or until the freeze is removed; an earlier freeze is replaced."""
    if body.until and body.until <= call.now:
        raise invalid("until", "must be in the future")
    claims.resume_claims(call)
    claims.pause_claims(call, body.until or NO_END)
    call.tx.run(sql.freeze.upsert, org_id=org_id, now=call.now, frozen_by=call.actor.json(), **body.model_dump())
    events.record(call, "organization.frozen")
    return get_freeze(call, org_id)


@routes.delete("/organizations/{org_id}/freeze", architect())
def delete_freeze(call: Call, org_id: str) -> None:
    """End the freeze (SA), so that agents can write again; does nothing if there is none."""
    if call.tx.run(sql.freeze.delete, org_id=org_id):
        claims.resume_claims(call)
        events.record(call, "organization.unfrozen")
