"""Authentication of people (JWT) and of API keys of agents (ApiKey)."""

import asyncio
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ..clock import now, parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row, Share, Store, Tx
from ..errors import Unauthorized
from .passwords import KEY_PREFIX, hash_key, is_same_secret, parse_key_id
from .tokens import Tokens

CREDENTIAL_CACHE_SECONDS = 60  # before a verified credential is verified again
CACHED_CREDENTIALS_MAX = 10_000

JWT, API_KEY, NONE = "JWT", "ApiKey", "none"


@dataclass(frozen=True, slots=True)
class Person:
    """A person with a verified token: user, organization and session in the token, and the times of issue and expiry.

    Tokens from before sessions existed have no session.
    """

    user_id: str
    org_id: str | None
    issued_at: str
    expires: float  # seconds since 1970
    session_id: str | None = None
    name: str = ""

    @property
    def id(self) -> str:
        """Return the id for the log."""
        return self.user_id


@dataclass(frozen=True, slots=True)
class Key:
    """A verified API key of agents, with the team or agent to which it is bound."""

    id: str
    org_id: str
    name: str
    team_id: str | None
    agent_id: str | None
    acts_as_itself: bool
    hash: str = field(repr=False)


Caller = Person | Key | None


class Authenticator:
    """A verifier of Authorization headers with a cache of verified credentials."""

    def __init__(self, store: Store, tokens: Tokens) -> None:
        self._store = store
        self._tokens = tokens
        self._cache: dict[str, tuple[Person | Key, float]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def clear_cache(self) -> None:
        """Discard all cached credentials (see Service.on_commit)."""
        # A new dictionary: a verification that is still running adds its outdated result to the old one.
        self._cache = {}

    async def authenticate(self, headers: Mapping[str, str], scheme: str) -> Caller:
        """Return the caller; raise Unauthorized if the credential is missing, invalid or of another scheme."""
        if scheme == NONE:
            return None
        header = headers.get("Authorization", "")
        cache, clock = self._cache, time.time()
        entry = cache.get(header)
        if entry is None or entry[1] < clock:
            entry = await self._verify(header, scheme, clock)
            _add_to_cache(cache, header, entry)
        if (scheme == JWT) != isinstance(entry[0], Person):
            raise _wrong_scheme(scheme)
        return entry[0]

    async def _verify(self, header: str, scheme: str, clock: float) -> tuple[Person | Key, float]:
        kind, _, credential = header.partition(" ")
        if not header.isascii() or not credential or kind.lower() not in ("bearer", "apikey"):
            raise _wrong_scheme(scheme)
        is_key = kind.lower() == "apikey" or credential.startswith(KEY_PREFIX)
        if is_key != (scheme == API_KEY):
            raise _wrong_scheme(scheme)
        return await (self._verify_key if is_key else self._verify_person)(credential, clock)

    async def _verify_person(self, token: str, clock: float) -> tuple[Person, float]:
        claims = await self._tokens.verify(token)
        issued_at = timestamp(datetime.fromtimestamp(claims["iat"], UTC))
        person = Person(claims["sub"], claims.get("org_id"), issued_at, claims["exp"], claims.get("sid"))
        until = min(person.expires, clock + CREDENTIAL_CACHE_SECONDS)
        return self._store.read_inline(lambda tx: _load_person(tx, person)), until

    async def _verify_key(self, secret: str, clock: float) -> tuple[Key, float]:
        row = self._store.read_inline(lambda tx: _load_key(tx, parse_key_id(secret), hash_key(secret)))
        until = clock + CREDENTIAL_CACHE_SECONDS
        if row["expires_at"]:
            until = min(until, parse_timestamp(row["expires_at"]).timestamp())
        self._run_in_background(
            self._store.write(
                lambda tx: tx.run(sql.api_keys.update_last_used, key_id=row["id"], now=tx.now), Share(row["org_id"])
            )
        )
        return _create_key(row), until

    def _run_in_background(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._discard_task)

    def _discard_task(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        task.exception()  # the time of last use is not important enough to fail a request


def _add_to_cache(cache: dict[str, tuple[Person | Key, float]], header: str, entry: tuple[Person | Key, float]) -> None:
    if len(cache) >= CACHED_CREDENTIALS_MAX:
        cache.clear()
    cache[header] = entry


def revalidate(tx: Tx, caller: Caller) -> Caller:
    """Check a credential again inside the transaction; raise Unauthorized if it has ended.

    A request can wait for its body or in a queue, and verified credentials are cached; so a credential that was revoked
    in the meantime is rejected here.
    """
    if isinstance(caller, Key):
        return _create_key(_load_key(tx, caller.id, caller.hash))
    return _load_person(tx, caller) if isinstance(caller, Person) else None


def _load_person(tx: Tx, person: Person) -> Person:
    user = tx.one(sql.access.get_user, user_id=person.user_id, session_id=person.session_id)
    if user is None or person.issued_at <= user["tokens_valid_from"]:
        raise Unauthorized("unauthorized", "The token is no longer valid; sign in again.")
    if person.session_id is not None and (user["session_expires_at"] or "") <= tx.now:
        raise session_ended()
    if person.expires <= time.time():
        raise Unauthorized("token_expired", "The token has expired; refresh it, or sign in again.")
    return person if person.name == user["full_name"] else replace(person, name=user["full_name"])


def session_ended() -> Unauthorized:
    """Return the error for a session that was ended, has expired or never existed."""
    return Unauthorized("session_ended", "The session has ended; sign in again.")


def _load_key(tx: Tx, key_id: str | None, hashed: str) -> Row:
    row = tx.one(sql.access.get_api_key, key_id=key_id) if key_id else None
    if row is None or not is_same_secret(row["hash"], hashed):
        raise Unauthorized("unauthorized", "There is no such key; ask a Solution Architect for one.", API_KEY)
    if not row["enabled"] or row["organization_archived_at"]:
        raise Unauthorized("api_key_revoked", "The key was revoked; ask for a new one.", API_KEY)
    if row["expires_at"] and row["expires_at"] <= now():
        raise Unauthorized("api_key_expired", "The key has expired; ask for a new one.", API_KEY)
    return row


def _create_key(row: Row) -> Key:
    bound = row["team_id"], row["agent_id"], bool(row["acts_as_itself"])
    return Key(row["id"], row["org_id"], row["name"], *bound, row["hash"])


def _wrong_scheme(scheme: str) -> Unauthorized:
    if scheme == JWT:
        return Unauthorized("unauthorized", "This route takes 'Authorization: Bearer <JWT>'; sign in for a token.")
    return Unauthorized("unauthorized", "This route takes 'Authorization: ApiKey <key>'.", API_KEY)
