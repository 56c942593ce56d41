"""Sessions of the signed-in person, and the cookie that keeps them alive."""

import hashlib
from functools import partial
from types import NoneType

from ..auth.authentication import Person
from ..auth.context import Call
from ..auth.policies import person
from ..auth.sessions import Session
from ..config import Settings
from ..database.queries import sql
from ..errors import NotFound
from ..http.responses import Answer
from ..pipeline.routing import PREFIX, routes
from ..schemas import Output

COOKIE_PATH = f"{PREFIX}/auth/refresh"
CURRENT = "current"


class SessionEntry(Output):
    """A session; `current` says whether it is the session of the request."""

    id: str
    created_at: str
    last_seen_at: str
    user_agent: str | None
    current: bool


@routes.get("/settings/sessions", person())
def list_sessions(call: Call) -> list[SessionEntry]:
    """List the sessions of the caller, last used first: one for each sign-in that has not ended.

    A session ends 7 days after its last request and 30 days after the sign-in. `lastSeenAt` is stored at most once a
    minute. A person has at most 100 sessions; a further sign-in ends the one that was not used for the longest time.
    """
    rows = call.tx.all(sql.sessions.list, user_id=call.user_id, now=call.now)
    return [SessionEntry(**row, current=row["id"] == _get_own_id(call)) for row in rows]


@routes.delete("/settings/sessions/{session_id}", person(), answers=NoneType)
def end_session(call: Call, session_id: str) -> Answer:
    """End a session of the caller: its tokens and links are refused at once, and its event streams end.

    `current` instead of an id means the session of the request: this is how to sign out. 404 if the caller has no such
    session.
    """
    own_id = _get_own_id(call)
    ended_id = own_id if session_id == CURRENT else session_id
    if not call.tx.run(sql.sessions.delete, id=ended_id, user_id=call.user_id):
        raise NotFound("session")
    end_streams(call, call.user_id)
    return Answer(None, 204, delete_cookie(call.service.settings) if ended_id == own_id else {})


def _get_own_id(call: Call) -> str | None:
    assert isinstance(call.caller, Person)
    return call.caller.session_id


def end_streams(call: Call, user_id: str) -> None:
    """End the event streams of a person's ended sessions after the commit."""
    call.tx.on_commit(partial(call.service.listeners.check_access, user_id))


def get_cookie_name(settings: Settings) -> str:
    """Return a name of this installation only, since browsers send cookies to all ports of a host."""
    return "tandem_refresh_" + hashlib.sha256(f"cookie of {settings.secret}".encode()).hexdigest()[:8]


def create_cookie(settings: Settings, session: Session) -> dict[str, str]:
    """Return the header that stores the refresh token of a session in the browser."""
    return _create_header(settings, session.refresh_token, session.seconds_left)


def delete_cookie(settings: Settings) -> dict[str, str]:
    """Return the header that deletes the refresh token in the browser."""
    return _create_header(settings, "", 0)


def _create_header(settings: Settings, value: str, seconds: int) -> dict[str, str]:
    secure = "; Secure" if (settings.public_url or "").startswith("https:") else ""
    name, path = get_cookie_name(settings), settings.external_path(COOKIE_PATH)
    return {"Set-Cookie": f"{name}={value}; Max-Age={seconds}; Path={path}; HttpOnly; SameSite=Strict{secure}"}
