"""The freeze of an organization: while it lasts, agents may read but not write (contract, section 6)."""

from typing import Annotated

from ..auth.authorization import freeze_of
from ..auth.context import Call
from ..auth.policies import agent, architect, member
from ..database.queries import sql
from ..errors import invalid
from ..pipeline.routing import routes
from ..schemas import Actor, Input, Output, StoredJson, Timestamp, Title
from . import claims, events

OPEN_END = "9999-01-01T00:00:00.000Z"  # to which claims are held while a freeze lasts until somebody ends it


class Freeze(Output):
    """Whether agents may not write, and if so why, until when and by whose word."""

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
def read(call: Call, org_id: str) -> Freeze:
    """Tell whether the organization is frozen; a freeze whose time is up counts as none."""
    row = freeze_of(call)
    return Freeze(frozen=True, **row) if row else Freeze(frozen=False)


@routes.post("/organizations/{org_id}/freeze", architect())
def add(call: Call, org_id: str, body: NewFreeze) -> Freeze:
    """Freeze the organization (SA), until a time or until the freeze is removed; another one is replaced."""
    if body.until and body.until <= call.now:
        raise invalid("until", "must be in the future")
    claims.resume_claims(call)
    claims.pause_claims(call, body.until or OPEN_END)
    call.tx.run(sql.freeze.upsert, org_id=org_id, now=call.now, frozen_by=call.actor.json(), **body.model_dump())
    events.record(call, "organization.frozen")
    return read(call, org_id)


@routes.delete("/organizations/{org_id}/freeze", architect())
def remove(call: Call, org_id: str) -> None:
    """Let agents write again (SA); nothing happens if they may."""
    if call.tx.run(sql.freeze.delete, org_id=org_id):
        claims.resume_claims(call)
        events.record(call, "organization.unfrozen")
