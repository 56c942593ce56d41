"""Sign-in, sign-out and the current user."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from types import NoneType

from pydantic import Field

from ..auth import last_seen
from ..auth.authentication import Person
from ..auth.context import Call, Service
from ..auth.passwords import check_sign_in
from ..auth.policies import person, public
from ..auth.sessions import Session, create_session, find_session
from ..clock import timestamp
from ..database.faults import unavailable
from ..database.queries import sql
from ..database.store import Row, Tx
from ..errors import Unauthorized, Unavailable, invalid
from ..http.rate_limits import Limit
from ..http.responses import Answer
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Id, Input, Output
from . import sessions

SESSION_WRITE_SECONDS = 3  # then a sign-in goes on without a session
NO_ACCOUNT = "The service has no account yet; try again in a few seconds."
LOGIN = Limit("login", by="address")
REFRESH = Limit("refresh", by="address", setting="rate_limit_login")  # only without a valid session


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


class PasswordReset(Output):
    """Who gave the account its current password, and when."""

    by: str = Field(description="The full name of the Solution Architect.")
    at: str


class LoginAnswer(Output):
    token: str
    expires_at: str
    user: User


class GivenPasswordLoginAnswer(LoginAnswer):
    """The answer while the account has a password that somebody else gave it: say so, and suggest a new one."""

    password_reset: PasswordReset


class OrganizationMembership(Output):
    """An organization of a user, and the role in it."""

    id: str
    title: str
    role: str


class Me(User):
    """The caller, with personal settings and all organizations."""

    handle: str = Field(description="The unique name by which others mention this person: @handle.")
    theme: str
    timezone: str
    organizations: list[OrganizationMembership]


SignIn = tuple[OrganizationMembership | None, Session | None]  # in which organization, and with which session


@routes.post(
    "/auth/login", public(requires_same_origin=True), LOGIN, answers=LoginAnswer | GivenPasswordLoginAnswer, grows=False
)
async def log_in(operation: Operation[Call], body: Login) -> Answer:
    """Sign in with e-mail and password; 401 invalid_credentials, the same for an unknown e-mail.

    The body needs `Content-Type: application/json` (415 unsupported_media_type). Browsers can send it for the page of
    the service only (403 permission_denied, by `Sec-Fetch-Site`).

    Each sign-in begins a session (`GET /settings/sessions`). The answer has the access token and sets a cookie with the
    refresh token, which only `POST /auth/refresh` receives. Until the first account exists, the answer is 503
    unavailable. While the database cannot be written, the token has no session (and the cookie of an earlier one is
    deleted): it allows to read until it expires.
    """
    store = operation.service.store
    email = body.email.lower()
    store.refresh_snapshot()  # an operator command may just have created the account or changed its password
    user = store.read_inline(lambda tx: tx.one(sql.users.find_by_email, email_key=email))
    if user is None:
        store.read_inline(_require_account)
    stored = user["password_hash"] if user else None
    if not await check_sign_in(body.password, stored, operation.address) or user is None:
        raise _wrong_credentials()
    membership, session = await _begin_session_if_writable(operation, user)
    # Not in the transaction: the first token of a process imports a large library.
    return _create_login_answer(operation.service, user, membership, session)


def _wrong_credentials() -> Unauthorized:
    return Unauthorized("invalid_credentials", "The e-mail or password is wrong.")


async def _begin_session_if_writable(operation: Operation[Call], user: Row) -> SignIn:
    """Begin a session, unless nothing can be written: a damaged database must still be exported."""
    try:
        async with asyncio.timeout(SESSION_WRITE_SECONDS):  # another program may hold the lock for long
            return await operation.write(partial(_begin_session, user, operation.headers.get("User-Agent", "")))
    except (Unavailable, TimeoutError) as error:
        if isinstance(error, Unavailable) and error.code != Unavailable.default_code:
            raise
        return operation.read_inline(lambda call: (_find_membership(call, user["id"], None), None))


def _begin_session(user: Row, user_agent: str, call: Call) -> SignIn:
    # The password may have changed since it was checked, and the new session would outlive that change.
    if call.tx.value(sql.users.get_password_hash, user_id=user["id"]) != user["password_hash"]:
        raise _wrong_credentials()
    membership = _find_membership(call, user["id"], None)
    org_id = membership.id if membership else None
    session = create_session(call.tx, call.service.tokens, user["id"], org_id, user_agent)
    sessions.end_streams(call, user["id"])  # of the oldest session, if there were too many
    return membership, session


def _require_account(tx: Tx) -> None:
    if not tx.value(sql.users.exists):
        raise unavailable(NO_ACCOUNT)


@routes.post("/auth/switch", person(), grows=False)
def switch_organization(call: Call, body: Switch) -> LoginAnswer:
    """Return a token for an organization of the caller, in the same session and with the expiry of the current token.

    `POST /auth/refresh` continues with this organization.
    """
    assert isinstance(call.caller, Person)
    membership = _find_membership(call, call.user_id, body.org_id)
    if membership is None or membership.id != body.org_id:
        raise invalid("orgId", "names no organization of yours")
    session_id, expires = call.caller.session_id, call.caller.expires
    call.tx.run(sql.sessions.update_organization, id=session_id, org_id=body.org_id)
    return _build_login_response(call.service, get_user(call), membership, session_id, expires)


@routes.post("/auth/refresh", public(requires_same_origin=True), answers=LoginAnswer, grows=False)
async def refresh_token(operation: Operation[Call]) -> Answer:
    """Return a new token for the session of the refresh cookie; 401 session_ended if there is none.

    Sign-in sets the cookie, which browsers send to this route only, and for the page of the service only (403
    permission_denied, by `Sec-Fetch-Site`); a request has no body and no Authorization header. Requests without a valid
    session are limited for each address, as sign-ins are (429 rate_limited); those with one are not.
    The token is for the organization of the last `POST /auth/switch`, or the oldest one if that is no longer the
    caller's. The cookie stays the same; each request of the session extends it to 7 days, until 30 days after sign-in.
    """
    token = operation.request.cookies.get(sessions.get_cookie_name(operation.service.settings), "")
    try:
        session, answer = operation.read_inline(partial(_refresh, token))
    except Unauthorized:
        operation.check_rate_limit(REFRESH)
        raise
    last_seen.record_session(operation.service, session.org_id, session.user_id, session.id)
    return answer


def _refresh(token: str, call: Call) -> tuple[Session, Answer]:
    session = find_session(call.tx, call.service.tokens, token)
    user = call.tx.one(sql.users.get, user_id=session.user_id)
    assert user is not None
    membership = _find_membership(call, session.user_id, session.org_id)
    return session, _create_login_answer(call.service, user, membership, session)


@routes.post("/auth/logout", person(), answers=NoneType, grows=False)
def log_out(call: Call) -> Answer:
    """Sign out everywhere: end all sessions of the caller and revoke all tokens, including the current one.

    `DELETE /settings/sessions/current` signs out here only.
    """
    call.tx.run(sql.users.revoke_tokens, user_id=call.user_id, now=call.service.clock.monotonic_now())
    sessions.end_streams(call, call.user_id)
    return Answer(None, 204, sessions.delete_cookie(call.service.settings))


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


def _find_membership(call: Call, user_id: str, org_id: str | None) -> OrganizationMembership | None:
    """Return the membership of a user in an organization, else the oldest one, or None without any."""
    memberships = list_memberships(call.tx, user_id)
    named = (membership for membership in memberships if membership.id == org_id)
    return next(named, memberships[0] if memberships else None)


def _create_login_answer(
    service: Service, user: Row, membership: OrganizationMembership | None, session: Session | None
) -> Answer:
    """Return the answer to a sign-in or refresh; after a sign-in, the row of the user says who set the password."""
    body = _build_login_response(service, user, membership, session.id if session else None)
    body = _add_reset(body, user) if user.get("password_reset_by") else body
    # Without a session, the cookie of an earlier one goes: it would outlast the sign-out of this sign-in.
    cookie = sessions.create_cookie(service.settings, session) if session else sessions.delete_cookie(service.settings)
    return Answer(body.encode(), headers=cookie)


def _build_login_response(
    service: Service,
    row: Row,
    membership: OrganizationMembership | None,
    session_id: str | None,
    expires: float | None = None,
) -> LoginAnswer:
    user = User(**{**row, **_get_role(membership)})
    token, expires = service.tokens.issue(user.id, user.email, user.role, user.org_id, session_id, expires)
    return LoginAnswer(token=token, expires_at=timestamp(datetime.fromtimestamp(expires, UTC)), user=user)


def _add_reset(answer: LoginAnswer, user: Row) -> LoginAnswer:
    """Add to the answer to a sign-in who gave the account its password."""
    reset = PasswordReset(by=user["password_reset_by"], at=user["password_reset_at"])
    return GivenPasswordLoginAnswer(**dict(answer), password_reset=reset)
