"""Members: who belongs to an organization, and in which role."""

from dataclasses import dataclass

from pydantic import MISSING

from ..credentials.crypto import hash_password, new_password
from ..database.queries import sql
from ..database.store import Row, Tx
from ..errors import Conflict, NotFound
from ..ids import new_id
from ..journey.call import Call
from ..journey.gates import SA, architect, member
from ..journey.route import Operation
from ..journey.table import routes
from ..wire import Email, Input, Name, Output, Password, Role
from . import cards, events


class Member(Output):
    """A member (contract, section 4); initialPassword only in the answer that made it."""

    user_id: str
    email: str
    full_name: str
    role: str
    created_at: str


class NewcomerMember(Member):
    initial_password: str


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


def add_user(tx: Tx, user: NewUser) -> str:
    """Write a new user and give the id."""
    user_id = new_id("usr")
    tx.run(
        sql.users.add,
        id=user_id,
        email=user.email,
        email_key=user.email.lower(),
        full_name=user.full_name,
        password_hash=user.password_hash,
        now=tx.now,
    )
    return user_id


@routes.get("/organizations/{org_id}/members", member(), tagged=True)
def browse(call: Call, org_id: str) -> list[Member]:
    """List the members of an organization, oldest first."""
    return [Member.of(row) for row in call.tx.all(sql.members.browse, org_id=org_id)]


@routes.post("/organizations/{org_id}/members", architect())
async def add(operation: Operation[Call], org_id: str, body: NewMember) -> Member:
    """Add a member (SA): a new user if the e-mail is new, else the existing one with the password they have.

    Raises email_exists if that person is a member already.
    """
    await operation.read(lambda call: _refuse_member(call, org_id, body))
    password = body.password or new_password()
    password_hash = await hash_password(password, operation.who)
    user = NewUser(body.email, body.full_name or body.email.partition("@")[0], password_hash)
    return await operation.write(lambda call: _join(call, org_id, body, user, password))


def _refuse_member(call: Call, org_id: str, body: NewMember) -> None:
    user = call.tx.one(sql.users.find, email_key=body.email.lower())
    if user and call.tx.one(sql.members.read, org_id=org_id, user_id=user["id"]):
        raise Conflict("email_exists", "That person is a member already; change the role with PATCH.")


def _join(call: Call, org_id: str, body: NewMember, user: NewUser, password: str) -> Member:
    known = call.tx.one(sql.users.find, email_key=user.email.lower())
    user_id = known["id"] if known else add_user(call.tx, user)
    if call.tx.one(sql.members.read, org_id=org_id, user_id=user_id):
        raise Conflict("email_exists", "That person is a member already; change the role with PATCH.")
    call.tx.run(sql.members.add, org_id=org_id, user_id=user_id, role=body.role, now=call.now)
    events.record(call, "member.added", user_id=user_id)
    row = _row(call, org_id, user_id)
    if known is None and body.password is None:
        return NewcomerMember(**row, initial_password=password)
    return Member.of(row)


def _row(call: Call, org_id: str, user_id: str) -> Row:
    row = call.tx.one(sql.members.read, org_id=org_id, user_id=user_id)
    if row is None:
        raise NotFound("member")
    return row


@routes.patch("/organizations/{org_id}/members/{user_id}", architect())
def edit(call: Call, org_id: str, user_id: str, body: MemberEdit) -> Member:
    """Change the role of a member (SA); the last SA stays one (409 last_sa)."""
    before = _row(call, org_id, user_id)
    row = {**before, **body.changes()}
    if row["role"] != SA:
        _keep_one_architect(call, org_id, user_id)
    call.tx.run(sql.members.edit, org_id=org_id, user_id=user_id, role=row["role"])
    if row != before:
        events.record(call, "member.updated", user_id=user_id)
    return Member.of(row)


@routes.delete("/organizations/{org_id}/members/{user_id}", architect())
def remove(call: Call, org_id: str, user_id: str) -> None:
    """End a membership (SA): the person leaves the teams, and their cards are unassigned; 409 last_sa."""
    _row(call, org_id, user_id)
    _keep_one_architect(call, org_id, user_id)
    call.tx.run(sql.members.leave_teams, org_id=org_id, user_id=user_id)
    for card in call.tx.all(sql.members.assigned_cards, org_id=org_id, user_id=user_id):
        cards.change(call, card["id"], {"assigned_user_id": None})
    call.tx.run(sql.members.remove, org_id=org_id, user_id=user_id)
    events.record(call, "member.removed", user_id=user_id)


def _keep_one_architect(call: Call, org_id: str, user_id: str) -> None:
    others = call.tx.value(sql.members.count_architects, org_id=org_id)
    if others == 1 and _row(call, org_id, user_id)["role"] == SA:
        raise Conflict("last_sa", "This is the last Solution Architect; make somebody else one first.")
