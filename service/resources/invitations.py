"""Invitations: who has an account already becomes a member by their own doing only (contract, section 4: members).

Whoever made an account first under an e-mail gains nothing by it: the code goes to the person by the hands of the
architect who invites, and nobody is put into an organization unasked.
"""

import secrets
from datetime import timedelta
from functools import partial

from ..auth.context import Call
from ..auth.passwords import hash_key
from ..auth.policies import person
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..errors import NotFound
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output
from . import events

INVITATION_LIFETIME = timedelta(days=7)


class Acceptance(Input):
    code: Id


class Joined(Output):
    """The organization that somebody has joined, and their role there."""

    org_id: str
    title: str
    role: str


@routes.post("/auth/invitations/accept", person())
def accept(call: Call, body: Acceptance) -> Joined:
    """Become a member of the organization that sent the caller this code; any other code is 404."""
    row = call.tx.one(sql.invitations.find_by_code, code_hash=hash_key(body.code), user_id=call.user_id, now=call.now)
    if row is None:
        raise NotFound("invitation")
    where = {"org_id": row["org_id"], "user_id": call.user_id}
    call.tx.run(sql.invitations.delete, **where)
    call.tx.run(sql.members.create, role=row["role"], now=call.now, **where)
    events.record(call, "member.joined", org_id=row["org_id"], user_id=call.user_id)
    call.tx.on_commit(partial(call.service.changed, row["org_id"]))
    return Joined.of(row)


def invite(call: Call, user_id: str, email: str, role: str) -> str:
    """Invite somebody into the organization and give the code, which is shown once; an earlier one ends."""
    code = secrets.token_urlsafe(32)
    expires_at = timestamp(parse_timestamp(call.now) + INVITATION_LIFETIME)
    who = {"org_id": call.org_id, "user_id": user_id, "email": email, "role": role}
    call.tx.run(sql.invitations.upsert, code_hash=hash_key(code), now=call.now, expires_at=expires_at, **who)
    events.record(call, "member.invited", user_id=user_id)
    return code


def find(call: Call, user_id: str) -> Row | None:
    """Give somebody who is invited, in the form of a member, if the invitation still holds."""
    return call.tx.one(sql.invitations.get, org_id=call.org_id, user_id=user_id, now=call.now)
