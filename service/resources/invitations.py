"""Invitations of users who already have an account.

Such a user joins only by accepting a code. The inviting Solution Architect hands over the code, so that registering an
account with the e-mail address of somebody else gives no access.

An invitation ends when its sender stops being a Solution Architect of the organization (triggers of `memberships`).
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
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output
from . import events

INVITATION_LIFETIME = timedelta(days=7)


class Acceptance(Input):
    code: Id


class Joined(Output):
    """The organization that the caller has joined, and the role there."""

    org_id: str
    title: str
    role: str


@routes.post("/auth/invitations/accept", person())
def accept_invitation(call: Call, body: Acceptance) -> Joined:
    """Accept an invitation and become a member of its organization; 404 if the code is not valid for the caller."""
    by_code = {"code_hash": hash_key(body.code), "user_id": call.user_id, "now": call.now}
    row = call.require(sql.invitations.find_by_code, "invitation", **by_code)
    membership = {"org_id": row["org_id"], "user_id": call.user_id}
    call.tx.run(sql.invitations.delete, **membership)
    call.tx.run(sql.members.create, role=row["role"], now=call.now, **membership)
    events.record(call, "member.joined", org_id=row["org_id"], user_id=call.user_id)
    call.tx.on_commit(partial(call.service.notify_change, row["org_id"]))
    return Joined.of(row)


def create_invitation(call: Call, user_id: str, email: str, role: str) -> str:
    """Invite a user to the organization and return the code; an earlier invitation of the user becomes invalid."""
    code = secrets.token_urlsafe(32)
    expires_at = timestamp(parse_timestamp(call.now) + INVITATION_LIFETIME)
    invitee = {"org_id": call.org_id, "user_id": user_id, "email": email, "role": role, "invited_by": call.user_id}
    call.tx.run(sql.invitations.upsert, code_hash=hash_key(code), now=call.now, expires_at=expires_at, **invitee)
    events.record(call, "member.invited", user_id=user_id)
    return code


def update_invitation(call: Call, user_id: str, role: str) -> None:
    """Change the role of an invited user; the caller becomes the sender of the invitation."""
    invitee = {"org_id": call.org_id, "user_id": user_id}
    call.tx.run(sql.invitations.update, role=role, invited_by=call.user_id, **invitee)


def find_invited_member(call: Call, user_id: str) -> Row | None:
    """Return an invited user as a member row, or None if there is no valid invitation."""
    return call.tx.one(sql.invitations.get, org_id=call.org_id, user_id=user_id, now=call.now)
