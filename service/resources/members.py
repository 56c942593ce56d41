"""Members of an organization and people invited to it, with their roles."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

from pydantic import MISSING, Field

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
from ..schemas import Email, Input, Output, Password, Role, Title
from ..text.handles import propose_handle
from . import auth, cards, events, invitations, sessions

CARDS_PER_BATCH = 20
WATCHED_PER_BATCH = 500


class Member(Output):
    """A member, or an invited person, whose name is null."""

    user_id: str
    email: str
    full_name: str | None
    handle: str | None = Field(description="Mentions the person as @handle; null while invited.")
    role: str
    state: Literal["active", "invited"]
    created_at: str


class NamedMember(Output):
    """A member as agents see it: without e-mail and role."""

    user_id: str
    full_name: str
    handle: str


class NewcomerMember(Member):
    """A member with the generated password of the account, which is shown only once."""

    initial_password: str


class InvitedMember(Member):
    """An invited person with the invitation code, which is shown only once."""

    invitation_code: str


class NewMember(Input):
    email: Email
    full_name: Title | None = None
    role: Role
    password: Password | None = None


class MemberEdit(Input):
    role: Role | MISSING = MISSING


@dataclass(frozen=True)
class NewUser:
    """The values of a new user account."""

    email: str
    full_name: str
    password_hash: str


def create_user(tx: Tx, user: NewUser, org_id: str | None = None) -> str:
    """Create a user account, with a handle made from the name or e-mail address, and return its id.

    The handle is not the id of an agent of the organization that the user is to join.
    """
    user_id = new_id("usr")
    tx.run(
        sql.users.create,
        id=user_id,
        email=user.email,
        email_key=user.email.lower(),
        full_name=user.full_name,
        handle=_find_free_handle(tx, propose_handle(user.full_name, user.email), org_id),
        password_hash=user.password_hash,
        now=tx.now,
    )
    return user_id


def _find_free_handle(tx: Tx, proposal: str, org_id: str | None) -> str:
    """Return a handle, or with the first number from 2 that makes it one that is free."""
    number = tx.value(sql.users.find_free_handle_number, handle=proposal, org_id=org_id)
    return proposal if number is None else f"{proposal}-{number}"


@routes.get("/organizations/{org_id}/members", member(), tagged=True)
def list_members(call: Call, org_id: str) -> list[Member]:
    """List the members and the invited people of an organization, oldest first."""
    return [Member.of(row) for row in call.tx.all(sql.members.list, org_id=org_id, now=call.now)]


@routes.get("/organizations/{org_id}/members/mcp", agent(), on_reader_thread=True)
def list_member_names(call: Call, org_id: str) -> list[NamedMember]:
    """List the ids, names and handles of the active members of an organization for an agent."""
    rows = call.tx.all(sql.members.list, org_id=org_id, now=call.now)
    return [NamedMember.of(row) for row in rows if row["state"] == "active"]


@routes.post("/organizations/{org_id}/members", architect())
async def create_member(
    operation: Operation[Call], org_id: str, body: NewMember
) -> Member | NewcomerMember | InvitedMember:
    """Add a person to an organization (SA): create an account for a new e-mail, or invite an existing account.

    Without `password`, a new account gets a generated one, which is shown only in this response. An e-mail that has an
    account is invited: give the `invitationCode` to the person, who has 7 days to send it to
    POST /auth/invitations/accept. A new invitation invalidates the previous code. Raises email_exists for a member, and
    if a `password` is given for an existing account.
    """
    if await operation.read(partial(_find_invitable_user, body=body)):
        return await operation.write(partial(_create_or_invite, body=body))
    password = body.password or new_password()
    password_hash = await hash_password(password, operation.limit_key)
    user = NewUser(body.email, body.full_name or body.email.partition("@")[0], password_hash)
    return await operation.write(partial(_create_or_invite, body=body, user=user, password=password))


def _find_invitable_user(call: Call, body: NewMember) -> Row | None:
    """Return the user with this e-mail, or None; raise email_exists if the user cannot be invited."""
    user = call.tx.one(sql.users.find_by_email, email_key=body.email.lower())
    if user and call.tx.one(sql.members.get, org_id=call.org_id, user_id=user["id"]):
        raise Conflict("email_exists", "That person is a member already; change the role with PATCH.")
    if user and body.password is not None:
        message = "This e-mail has an account with a password of its own; leave `password` out to invite the person."
        raise Conflict("email_exists", message)
    return user


def _create_or_invite(
    call: Call, body: NewMember, user: NewUser | None = None, password: str = ""
) -> Member | NewcomerMember | InvitedMember:
    # Another request may have created the account since the first lookup.
    existing = _find_invitable_user(call, body)
    if existing is not None:
        busy_resources.require_idle(call, user_id=existing["id"])
        code = invitations.create_invitation(call, existing["id"], body.email, body.role)
        return InvitedMember(**_require_member(call, existing["id"]), invitation_code=code)
    assert user is not None
    user_id = create_user(call.tx, user, call.org_id)
    call.tx.run(sql.members.create, org_id=call.org_id, user_id=user_id, role=body.role, now=call.now)
    events.record(call, "member.added", user_id=user_id)
    row = _require_member(call, user_id)
    return NewcomerMember(**row, initial_password=password) if body.password is None else Member.of(row)


def _require_member(call: Call, user_id: str) -> Row:
    row = call.tx.one(sql.members.get, org_id=call.org_id, user_id=user_id) or invitations.find_invited_member(
        call, user_id
    )
    if row is None:
        raise NotFound("member")
    return row


@routes.patch("/organizations/{org_id}/members/{user_id}", architect())
def update_member(call: Call, org_id: str, user_id: str, body: MemberEdit) -> Member:
    """Change the role of a member or of an invited person (SA); the last SA keeps the role (409 last_sa).

    Open invitations of a member who is no longer an SA end; a changed invitation counts as sent by the caller.
    """
    before = _require_member(call, user_id)
    row = {**before, **body.changes()}
    if row["role"] != SA:
        _require_other_architect(call, before)
    if row == before:
        return Member.of(row)
    if row["state"] == "active":
        call.tx.run(sql.members.update, org_id=org_id, user_id=user_id, role=row["role"])
    else:
        invitations.update_invitation(call, user_id, row["role"])
    events.record(call, "member.updated", user_id=user_id)
    return Member.of(row)


@routes.post("/organizations/{org_id}/members/{user_id}/password", architect(), grows=False)
async def reset_password(operation: Operation[Call], org_id: str, user_id: str) -> NewcomerMember:
    """Give a member a new password (SA).

    It is generated, shown only in this response, and ends all sessions of the person. At the next sign-in the
    person sees who did it. 409 conflict, with `details.state`: `self` for the own account (change it in the
    settings), `shared` for an account that belongs to another organization, too.
    """
    await operation.read(partial(_require_own_member, user_id=user_id))
    password = new_password()
    password_hash = await hash_password(password, operation.limit_key)
    row = await operation.write(partial(_store_password, user_id=user_id, password_hash=password_hash))
    return NewcomerMember(**row, initial_password=password)


def _require_own_member(call: Call, user_id: str) -> Row:
    """Return another member who belongs to no other organization; else raise not_found or conflict."""
    row = call.tx.one(sql.members.get, org_id=call.org_id, user_id=user_id)
    if row is None:
        raise NotFound("member")
    if user_id == call.user_id:
        message = "Change your own password in your settings: the current one is needed for it."
        raise Conflict("conflict", message, state="self")
    if call.tx.value(sql.members.is_elsewhere, org_id=call.org_id, user_id=user_id):
        message = (
            "This account belongs to another organization, too; ask the operator of the service for `reset-password`."
        )
        raise Conflict("conflict", message, state="shared")
    return row


def _store_password(call: Call, user_id: str, password_hash: str) -> Row:
    row = _require_own_member(call, user_id)
    call.tx.run(
        sql.users.update_password,
        user_id=user_id,
        password_hash=password_hash,
        old_hash=call.tx.value(sql.users.get_password_hash, user_id=user_id),
        reset_by=auth.get_user(call)["full_name"],
        now=call.service.clock.monotonic_now(),
    )
    sessions.end_streams(call, user_id)
    events.record(call, "member.passwordReset", user_id=user_id)
    return row


@routes.delete("/organizations/{org_id}/members/{user_id}", architect())
async def delete_member(operation: Operation[Call], org_id: str, user_id: str) -> None:
    """Remove a member or cancel an invitation (SA); 409 last_sa.

    The person loses access at once, leaves all teams, the invitations that they sent end, and their cards are
    unassigned. Many cards take several
    transactions; until the last one, the person cannot be added again (409 conflict).
    """
    await jobs.run_in_batches(operation, partial(_start_removal, user_id=user_id))


def _start_removal(call: Call, user_id: str) -> jobs.Job:
    _require_other_architect(call, _require_member(call, user_id))
    where = {"org_id": call.org_id, "user_id": user_id}
    for statement in (sql.invitations.delete, sql.members.leave_teams, sql.members.delete):
        call.tx.run(statement, **where)
    events.record(call, "member.removed", user_id=user_id)
    return jobs.Job("unassign_member", "member", user_id)


@jobs.batches("unassign_member", "removing")
def unassign_batch(call: Call, job: jobs.Job) -> bool:
    """Unassign and no longer watch a batch of the cards of a removed member; return whether it was the last one."""
    where = {"org_id": call.org_id, "user_id": job.resource_id}
    assigned = call.tx.all(sql.members.list_assigned_cards, limit=CARDS_PER_BATCH, **where)
    for card in assigned:
        cards.change_card(call, card["id"], {"assigned_user_id": None})
    watched = call.tx.run(sql.watchers.delete_of_member, limit=WATCHED_PER_BATCH, **where)
    return len(assigned) < CARDS_PER_BATCH and watched < WATCHED_PER_BATCH


def _require_other_architect(call: Call, row: Row) -> None:
    is_architect = row["state"] == "active" and row["role"] == SA
    if is_architect and call.tx.value(sql.members.count_architects, org_id=call.org_id) == 1:
        raise Conflict("last_sa", "This is the last Solution Architect; give another member that role first.")
