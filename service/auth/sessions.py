"""Sessions of people: one for each sign-in, kept alive by a refresh token."""

import asyncio
import logging
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial

from ..clock import ClockTrust, now, parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Store, Tx
from ..ids import new_id
from .authentication import session_ended
from .tokens import Tokens

LIFETIME = timedelta(days=30)  # after the sign-in
IDLE_TIME = timedelta(days=7)  # without a request
SESSIONS_MAX = 100  # per person; a further sign-in ends the session that was used last the longest time ago
USER_AGENT_CHARACTERS_MAX = 300
DELETE_INTERVAL_SECONDS = 3600  # between two searches for expired sessions
SESSIONS_PER_DELETE = 1000  # per transaction
log = logging.getLogger("service")


@dataclass(frozen=True, slots=True)
class Session:
    """A live session with its refresh token and the organization of its newest access token."""

    id: str
    user_id: str
    org_id: str | None
    refresh_token: str = field(repr=False)
    seconds_left: int  # until it expires if it is not used


def create_session(tx: Tx, tokens: Tokens, user_id: str, org_id: str | None, user_agent: str) -> Session:
    """Create a session at a sign-in."""
    tx.run(sql.sessions.delete_excess, user_id=user_id, kept=SESSIONS_MAX - 1)
    session = Session(new_id("ses"), user_id, org_id, secrets.token_urlsafe(32), _count_seconds(IDLE_TIME))
    tx.run(
        sql.sessions.create,
        id=session.id,
        user_id=user_id,
        org_id=org_id,
        token_hash=tokens.hash_refresh_token(session.refresh_token),
        # Bytes that are not UTF-8 arrive as surrogates, which the database cannot store.
        user_agent=user_agent.encode("utf-8", "replace").decode()[:USER_AGENT_CHARACTERS_MAX] or None,
        now=tx.now,
        expires_at=_add(tx.now, IDLE_TIME),
        ends_at=_add(tx.now, LIFETIME),
    )
    return session


def find_session(tx: Tx, tokens: Tokens, refresh_token: str) -> Session:
    """Return the live session of a refresh token; raise session_ended if there is none."""
    row = tx.one(sql.sessions.find_by_token, token_hash=tokens.hash_refresh_token(refresh_token), now=tx.now)
    if row is None:
        raise session_ended()
    left = min(parse_timestamp(row["ends_at"]) - parse_timestamp(tx.now), IDLE_TIME)
    return Session(row["id"], row["user_id"], row["org_id"], refresh_token, _count_seconds(left))


def update_last_seen(tx: Tx, session_id: str, now: str) -> None:
    """Store the time of a request of a session, which moves its expiry; a session that has expired stays so."""
    tx.run(sql.sessions.update_last_seen, id=session_id, now=now, idle_until=_add(now, IDLE_TIME))


async def delete_expired_sessions(store: Store, clock_trust: ClockTrust) -> None:
    """Delete expired sessions, in batches; repeat every hour, without end."""
    while True:
        try:
            delete = partial(_delete_batch, now())
            while clock_trust.is_trusted() and await store.write(delete) == SESSIONS_PER_DELETE:
                pass
        except Exception:
            log.exception("cannot delete expired sessions; trying again in an hour")
        await asyncio.sleep(DELETE_INTERVAL_SECONDS)


def _delete_batch(before: str, tx: Tx) -> int:
    return tx.run(sql.sessions.delete_expired, before=before, limit=SESSIONS_PER_DELETE)


def _add(time: str, duration: timedelta) -> str:
    return timestamp(parse_timestamp(time) + duration)


def _count_seconds(duration: timedelta) -> int:
    return int(duration.total_seconds())
