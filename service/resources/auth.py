"""Sign-in, sign-out and the current user (contract, section 3)."""

from datetime import UTC, datetime

from ..auth.authentication import Person
from ..auth.context import Call, Service
from ..auth.passwords import check_sign_in
from ..auth.policies import person, public
from ..clock import timestamp
from ..database.faults import unavailable
from ..database.queries import sql
from ..database.store import Row, Tx
from ..errors import Unauthorized, invalid
from ..http.rate_limits import Limit
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output

NO_ACCOUNT = "The service has no account yet; try again in a few seconds."
LOGIN = Limit("login", by="address")


class Login(Input):
    email: str
    password: str


class Switch(Input):
    org_id: Id


class User(Output):
    """A user in one organization; role and orgId are null for a user without an organization."""

    id: str
    email: str
    full_name: str
    role: str | None
    org_id: str | None
    avatar_url: str | None


class LoginAnswer(Output):
    token: str
    expires_at: str
    user: User


class OrganizationMembership(Output):
    """An organization of a user, and the role in it."""

    id: str
    title: str
    role: str


class Me(User):
    """The caller, with personal settings and all organizations."""

    theme: str
    timezone: str
    organizations: list[OrganizationMembership]


@routes.post("/auth/login", public(), LOGIN)
async def log_in(operation: Operation[Call], body: Login) -> LoginAnswer:
    """Sign in with e-mail and password; 401 invalid_credentials, the same for an unknown e-mail.

    Until the first account exists, the answer is 503 unavailable.
    """
    store = operation.service.store
    email = body.email.lower()
    store.refresh_snapshot()  # an operator command may just have created the account or changed its password
    user = store.read_inline(lambda tx: tx.one(sql.users.find_by_email, email_key=email))
    if user is None:
        store.read_inline(_require_account)
    stored = user["password_hash"] if user else None
    if not await check_sign_in(body.password, stored, operation.address) or user is None:
        raise Unauthorized("invalid_credentials", "The e-mail or password is wrong.")
    memberships = store.read_inline(lambda tx: list_memberships(tx, user["id"]))
    return _build_login_response(operation.service, user, memberships[0] if memberships else None)


def _require_account(tx: Tx) -> None:
    if not tx.value(sql.users.exists):
        raise unavailable(NO_ACCOUNT)


@routes.post("/auth/switch", person())
def switch_organization(call: Call, body: Switch) -> LoginAnswer:
    """Return a token for an organization of the caller; for the current organization this renews the token."""
    memberships = {membership.id: membership for membership in list_memberships(call.tx, call.user_id)}
    if body.org_id not in memberships:
        raise invalid("orgId", "names no organization of yours")
    return _build_login_response(call.service, get_user(call), memberships[body.org_id])


@routes.post("/auth/logout", person())
def log_out(call: Call) -> None:
    """Sign out everywhere: revoke all tokens of the caller, including the current one."""
    call.tx.run(sql.users.revoke_tokens, user_id=call.user_id, now=call.service.clock.monotonic_now())


@routes.get("/auth/me", person())
def get_me(call: Call) -> Me:
    """Return the caller in the current organization."""
    user, memberships = get_user(call), list_memberships(call.tx, call.user_id)
    assert isinstance(call.caller, Person)
    membership = next(
        (membership for membership in memberships if membership.id == (call.named_org_id or call.caller.org_id)), None
    )
    return Me(**user, **_get_role(membership), organizations=memberships)


def list_memberships(tx: Tx, user_id: str) -> list[OrganizationMembership]:
    """List the organizations of a user with the role in each, oldest first."""
    return [OrganizationMembership.of(row) for row in tx.all(sql.organizations.list, user_id=user_id)]


def get_user(call: Call) -> Row:
    """Return the row of the calling person."""
    row = call.tx.one(sql.users.get, user_id=call.user_id)
    assert row is not None
    return row


def _get_role(membership: OrganizationMembership | None) -> dict[str, str | None]:
    return {"role": membership.role, "org_id": membership.id} if membership else {"role": None, "org_id": None}


def _build_login_response(service: Service, row: Row, membership: OrganizationMembership | None) -> LoginAnswer:
    user = User(**{**row, **_get_role(membership)})
    token, expires = service.tokens.issue(user.id, user.email, user.role, user.org_id)
    return LoginAnswer(token=token, expires_at=timestamp(datetime.fromtimestamp(expires, UTC)), user=user)
