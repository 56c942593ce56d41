"""Members: who belongs to an organization or is invited, and in which role."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from pydantic import MISSING

from ..auth import busy_resources
from ..auth.context import Call
from ..auth.passwords import hash_password, new_password
from ..auth.policies import SA, agent, architect, member
from ..database.queries import sql
from ..database.store import Row, Tx
from ..errors import Conflict, NotFound
from ..ids import new_id
from ..pipeline import jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Email, Input, Name, Output, Password, Role
from . import cards, events, invitations

CARDS_PER_BATCH = 20


class Member(Output):
    """A member (contract, section 4); of somebody who is only invited the name is not told."""

    user_id: str
    email: str
    full_name: str | None
    role: str
    state: Literal["active", "invited"]
    created_at: str


class NamedMember(Output):
    """A member as agents know people: no e-mail, no role."""

    user_id: str
    full_name: str


class NewcomerMember(Member):
    """A member with a new account and the password that was made for it, shown once."""

    initial_password: str


class InvitedMember(Member):
    """Somebody who is invited, with the code that lets them in, shown once."""

    invitation_code: str


class NewMember(Input):
    email: Email
    full_name: Name | None = None
    role: Role
    password: Password | None = None


class MemberEdit(Input):
    role: Role | MISSING = MISSING


@dataclass(frozen=True)
class NewUser:
    """What a user is made of."""

    email: str
    full_name: str
    password_hash: str


def create_user(tx: Tx, user: NewUser) -> str:
    """Write a new user and give the id."""
    user_id = new_id("usr")
    tx.run(
        sql.users.create,
        id=user_id,
        email=user.email,
        email_key=user.email.lower(),
        full_name=user.full_name,
        password_hash=user.password_hash,
        now=tx.now,
    )
    return user_id


@routes.get("/organizations/{org_id}/members", member(), tagged=True)
def list_members(call: Call, org_id: str) -> list[Member]:
    """List the members of an organization and those who are invited, oldest first."""
    return [Member.of(row) for row in call.tx.all(sql.members.list, org_id=org_id, now=call.now)]


@routes.get("/organizations/{org_id}/members/mcp", agent(), on_reader_thread=True)
def list_member_names(call: Call, org_id: str) -> list[NamedMember]:
    """Tell an agent who belongs to the organization: ids and names, no e-mail."""
    rows = call.tx.all(sql.members.list, org_id=org_id, now=call.now)
    return [NamedMember.of(row) for row in rows if row["state"] == "active"]


@routes.post("/organizations/{org_id}/members", architect())
async def create_member(
    operation: Operation[Call], org_id: str, body: NewMember
) -> Member | NewcomerMember | InvitedMember:
    """Add somebody (SA): a new e-mail gets an account, with this password or one that is shown once.

    An e-mail that has an account already is invited: hand the `invitationCode` to the person, who has 7 days to send
    it to POST /auth/invitations/accept. Inviting again ends the earlier code. Raises email_exists for a member, and
    for a `password` where there is an account.
    """
    if await operation.read(partial(_known, body=body)):
        return await operation.write(partial(_add, body=body))
    password = body.password or new_password()
    password_hash = await hash_password(password, operation.limit_key)
    user = NewUser(body.email, body.full_name or body.email.partition("@")[0], password_hash)
    return await operation.write(partial(_add, body=body, user=user, password=password))


def _known(call: Call, body: NewMember) -> Row | None:
    """Find who has an account under an e-mail already, if that is somebody who can be invited."""
    user = call.tx.one(sql.users.find_by_email, email_key=body.email.lower())
    if user and call.tx.one(sql.members.get, org_id=call.org_id, user_id=user["id"]):
        raise Conflict("email_exists", "That person is a member already; change the role with PATCH.")
    if user and body.password is not None:
        message = "This e-mail has an account with a password of its own; leave `password` out to invite the person."
        raise Conflict("email_exists", message)
    return user


def _add(
    call: Call, body: NewMember, user: NewUser | None = None, password: str = ""
) -> Member | NewcomerMember | InvitedMember:
    # Looked up again: somebody else may have made the account meanwhile.
    known = _known(call, body)
    if known is not None:
        busy_resources.require_idle(call, user_id=known["id"])
        code = invitations.create_invitation(call, known["id"], body.email, body.role)
        return InvitedMember(**_row(call, known["id"]), invitation_code=code)
    assert user is not None
    user_id = create_user(call.tx, user)
    call.tx.run(sql.members.create, org_id=call.org_id, user_id=user_id, role=body.role, now=call.now)
    events.record(call, "member.added", user_id=user_id)
    row = _row(call, user_id)
    return NewcomerMember(**row, initial_password=password) if body.password is None else Member.of(row)


def _row(call: Call, user_id: str) -> Row:
    row = call.tx.one(sql.members.get, org_id=call.org_id, user_id=user_id) or invitations.find_invited_member(
        call, user_id
    )
    if row is None:
        raise NotFound("member")
    return row


@routes.patch("/organizations/{org_id}/members/{user_id}", architect())
def update_member(call: Call, org_id: str, user_id: str, body: MemberEdit) -> Member:
    """Change the role of a member, or of somebody who is invited (SA); the last SA stays one (409 last_sa)."""
    before = _row(call, user_id)
    row = {**before, **body.changes()}
    if row["role"] != SA:
        _keep_one_architect(call, before)
    where = {"org_id": org_id, "user_id": user_id}
    is_active = row["state"] == "active"
    call.tx.run(sql.members.update if is_active else sql.invitations.update, role=row["role"], **where)
    if row != before:
        events.record(call, "member.updated", user_id=user_id)
    return Member.of(row)


@routes.delete("/organizations/{org_id}/members/{user_id}", architect())
async def delete_member(operation: Operation[Call], org_id: str, user_id: str) -> None:
    """End a membership (SA), or take an invitation back; 409 last_sa.

    The person leaves at once, also the teams, and their cards are unassigned. Many cards take several transactions;
    until the last one, the person cannot be added again (409 conflict).
    """
    await jobs.run_in_batches(operation, partial(_start_removal, user_id=user_id))


def _start_removal(call: Call, user_id: str) -> jobs.Job:
    _keep_one_architect(call, _row(call, user_id))
    where = {"org_id": call.org_id, "user_id": user_id}
    for statement in (sql.invitations.delete, sql.members.leave_teams, sql.members.delete):
        call.tx.run(statement, **where)
    events.record(call, "member.removed", user_id=user_id)
    return jobs.Job("unassign_member", "member", user_id)


@jobs.batches("unassign_member", "removing")
def unassign_batch(call: Call, job: jobs.Job) -> bool:
    """Unassign some cards of a person who was removed; return whether there are no more."""
    where = {"org_id": call.org_id, "user_id": job.resource_id}
    assigned = call.tx.all(sql.members.list_assigned_cards, limit=CARDS_PER_BATCH, **where)
    for card in assigned:
        cards.change_card(call, card["id"], {"assigned_user_id": None})
    return len(assigned) < CARDS_PER_BATCH


def _keep_one_architect(call: Call, row: Row) -> None:
    is_architect = row["state"] == "active" and row["role"] == SA
    if is_architect and call.tx.value(sql.members.count_architects, org_id=call.org_id) == 1:
        raise Conflict("last_sa", "This is the last Solution Architect; make somebody else one first.")
