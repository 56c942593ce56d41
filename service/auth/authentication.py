"""Who is calling: a person (JWT) or an agent's key (ApiKey) (contract, section 3)."""

import asyncio
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from ..clock import now, parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row, Store, Tx
from ..errors import Unauthorized
from .passwords import KEY_PREFIX, hash_key, key_id_of, same
from .tokens import Tokens

CREDENTIAL_CACHE_SECONDS = 60  # for which a verified one is believed without looking again
CREDENTIALS_REMEMBERED_MAX = 10_000

JWT, API_KEY, NONE = "JWT", "ApiKey", "none"


@dataclass(frozen=True, slots=True)
class Person:
    """A verified token: the user, the organization that the token names, when it was issued and when it ends."""

    user_id: str
    org_id: str | None
    issued_at: str
    expires: float  # seconds since 1970
    name: str = ""

    @property
    def id(self) -> str:
        """Give the id that the log shows."""
        return self.user_id


@dataclass(frozen=True, slots=True)
class Key:
    """A verified agent key and what it is bound to."""

    id: str
    org_id: str
    name: str
    team_id: str | None
    agent_id: str | None
    acts_as_itself: bool
    hash: str = field(repr=False)


Caller = Person | Key | None


class Callers:
    """Turns an Authorization header into a caller; remembers those it verified until something changes."""

    def __init__(self, store: Store, tokens: Tokens) -> None:
        self._store = store
        self._tokens = tokens
        self._known: dict[str, tuple[Person | Key, float]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def forget(self) -> None:
        """Drop everything remembered (see Service.committed)."""
        # A new dictionary: whoever is verifying meanwhile writes into the old one, which nobody reads.
        self._known = {}

    async def identify(self, headers: Mapping[str, str], scheme: str) -> Caller:
        """Give the caller; raise Unauthorized if the credential is missing, wrong or of another scheme."""
        if scheme == NONE:
            return None
        header = headers.get("Authorization", "")
        known, clock = self._known, time.time()
        entry = known.get(header)
        if entry is None or entry[1] < clock:
            entry = await self._verify(header, scheme, clock)
            _remember(known, header, entry)
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
        return await (self._key if is_key else self._person)(credential, clock)

    async def _person(self, token: str, clock: float) -> tuple[Person, float]:
        claims = await self._tokens.verify(token)
        issued_at = timestamp(datetime.fromtimestamp(claims["iat"], UTC))
        person = Person(claims["sub"], claims.get("org_id"), issued_at, claims["exp"])
        until = min(person.expires, clock + CREDENTIAL_CACHE_SECONDS)
        return self._store.read_inline(lambda tx: _checked_person(tx, person)), until

    async def _key(self, secret: str, clock: float) -> tuple[Key, float]:
        row = self._store.read_inline(lambda tx: _checked_key(tx, key_id_of(secret), hash_key(secret)))
        until = clock + CREDENTIAL_CACHE_SECONDS
        if row["expires_at"]:
            until = min(until, parse_timestamp(row["expires_at"]).timestamp())
        self._aside(self._store.write(lambda tx: tx.run(sql.api_keys.update_last_used, key_id=row["id"], now=tx.now)))
        return _key_of(row), until

    def _aside(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        task.exception()  # when a key was last used is not worth a failed request


def _remember(known: dict[str, tuple[Person | Key, float]], header: str, entry: tuple[Person | Key, float]) -> None:
    if len(known) >= CREDENTIALS_REMEMBERED_MAX:
        known.clear()
    known[header] = entry


def renewed(tx: Tx, caller: Caller) -> Caller:
    """Look at a credential again where it is used, however long ago its request began; raise Unauthorized if it ended.

    So whatever a caller reads or writes, they could at that moment: neither a body that takes its time, nor what is
    remembered, nor what waited in a queue outlives a key or a password.
    """
    if isinstance(caller, Key):
        return _key_of(_checked_key(tx, caller.id, caller.hash))
    return _checked_person(tx, caller) if isinstance(caller, Person) else None


def _checked_person(tx: Tx, person: Person) -> Person:
    user = tx.one(sql.access.get_user, user_id=person.user_id)
    if user is None or person.issued_at <= user["tokens_valid_from"]:
        raise Unauthorized("unauthorized", "The token is no longer valid; sign in again.")
    if person.expires <= time.time():
        raise Unauthorized("token_expired", "The token has expired; sign in again.")
    return person if person.name == user["full_name"] else replace(person, name=user["full_name"])


def _checked_key(tx: Tx, key_id: str | None, hashed: str) -> Row:
    row = tx.one(sql.access.get_api_key, key_id=key_id) if key_id else None
    if row is None or not same(row["hash"], hashed):
        raise Unauthorized("unauthorized", "There is no such key; ask a Solution Architect for one.", API_KEY)
    if not row["enabled"] or row["organization_archived_at"]:
        raise Unauthorized("api_key_revoked", "The key was revoked; ask for a new one.", API_KEY)
    if row["expires_at"] and row["expires_at"] <= now():
        raise Unauthorized("api_key_expired", "The key has expired; ask for a new one.", API_KEY)
    return row


def _key_of(row: Row) -> Key:
    bound = row["team_id"], row["agent_id"], bool(row["acts_as_itself"])
    return Key(row["id"], row["org_id"], row["name"], *bound, row["hash"])


def _wrong_scheme(scheme: str) -> Unauthorized:
    if scheme == JWT:
        return Unauthorized("unauthorized", "This route takes 'Authorization: Bearer <JWT>'; sign in for a token.")
    return Unauthorized("unauthorized", "This route takes 'Authorization: ApiKey <key>'.", API_KEY)
