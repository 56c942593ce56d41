"""The request context inside a transaction (`Call`), and the parts of a running service (`Service`)."""

from collections import deque
from collections.abc import Mapping, Set
from copy import copy
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Self, TypeVar

from ..clock import Clock
from ..config import Settings
from ..database.queries import sql
from ..database.statement import Statement
from ..database.store import Store, Tx
from ..database.usage import DatabaseUsage
from ..delivery.dispatcher import WebhookDispatcher
from ..errors import NotFound
from ..events.job_waiters import JobWaiters
from ..events.listeners import Listeners
from ..http.json_thread import BodyThread
from ..http.rate_limits import Buckets
from ..http.response_cache import ResponseCache
from ..runtime.concurrency import ConcurrencyLimiter
from ..runtime.counters import Counters
from ..runtime.disk_space import DiskSpace
from ..runtime.file_store import FileStore
from ..runtime.memory_budget import InFlightBytes
from ..runtime.scheduled_backups import ScheduledBackups
from ..runtime.spooling import SnapshotBounds
from ..schemas import Actor
from .authentication import Authenticator, Caller, Key, Person
from .encryption import Encryptor
from .import_locks import ImportLocks
from .policies import CARD, FILE, MOVE_REQUEST
from .recent_requests import RecentRequests
from .tokens import Tokens

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Membership:
    """The membership of a person in an organization: the role, and its permitted actions for each resource."""

    role: str
    actor: Actor
    actions: dict[str, list[str]]


SYSTEM = Actor("System", "system")
BOARDS_BYTES_MAX, PAGES_BYTES_MAX = 32 << 20, 8 << 20  # limits of the response caches
STREAM_SECONDS_MAX, STREAM_LOG_BYTES_MAX = 600, 256 << 20  # of exports without room on the disk, see spooling.py
EXPORT_LIMIT_REACHED, IMPORT_LIMIT_REACHED = (
    f"Already running {kind} of {{owner}}: {{limit}}, which is the limit. Try again when one of them has finished."
    for kind in ("exports", "imports")
)
# Tables from which cached credentials were read: a change to one of them clears the cache.
CREDENTIAL_TABLES = frozenset({"users", "sessions", "organizations", "memberships", "permissions", "api_keys", "teams"})


@dataclass(kw_only=True)
class Service:
    """The parts of a running service."""

    settings: Settings
    store: Store
    tokens: Tokens
    authenticator: Authenticator
    encryptor: Encryptor
    disk_space: DiskSpace
    file_store: FileStore
    listeners: Listeners
    webhook_dispatcher: WebhookDispatcher
    scheduled_backups: ScheduledBackups
    database_usage: DatabaseUsage
    buckets: Buckets = field(default_factory=Buckets)
    in_flight_bytes: InFlightBytes = field(default_factory=InFlightBytes)
    body_thread: BodyThread = field(default_factory=BodyThread)
    exports: ConcurrencyLimiter = field(default_factory=partial(ConcurrencyLimiter, EXPORT_LIMIT_REACHED))
    imports: ConcurrencyLimiter = field(default_factory=partial(ConcurrencyLimiter, IMPORT_LIMIT_REACHED))
    import_locks: ImportLocks = field(default_factory=ImportLocks)
    jobs: JobWaiters = field(default_factory=JobWaiters)
    counters: Counters = field(default_factory=Counters)
    # Not yet written, see resources/refusals.py.
    denied_requests: deque[Any] = field(default_factory=lambda: deque(maxlen=10_000))
    recent_requests: RecentRequests = field(default_factory=RecentRequests)
    revisions: dict[str, int] = field(default_factory=dict)  # organization -> changes seen by this process
    # See resources/board_flow.py and resources/cards.py.
    board_cache: ResponseCache = field(default_factory=partial(ResponseCache, BOARDS_BYTES_MAX))
    card_page_cache: ResponseCache = field(default_factory=partial(ResponseCache, PAGES_BYTES_MAX))
    snapshot_bounds: SnapshotBounds = field(init=False)
    clock: Clock = field(default_factory=Clock)  # the time of all transactions; tests pass their own

    def __post_init__(self) -> None:
        self.snapshot_bounds = SnapshotBounds(STREAM_SECONDS_MAX, STREAM_LOG_BYTES_MAX, self.store.get_log_bytes)

    def on_commit(self, tables: Set[str], org_id: str) -> None:
        """Clear the credential cache after a commit to one of CREDENTIAL_TABLES, and notify listeners."""
        if not CREDENTIAL_TABLES.isdisjoint(tables):
            self.clear_credential_cache()
        self.notify_change(org_id)

    def notify_change(self, org_id: str) -> None:
        """Increment the revision of an organization and wake its listeners."""
        self.revisions[org_id] = self.revisions.get(org_id, 0) + 1
        self.listeners.wake(org_id)

    def create_job_call(self, tx: Tx, org_id: str, actor: Actor) -> "Call":
        """Return the call of a job's batch; its actor is the one that started the job."""
        tx.clock = self.clock
        return Call(tx=tx, caller=None, service=self, path={}, revision=0, writes=True, org_id=org_id, actor=actor)

    def clear_credential_cache(self) -> None:
        """Discard all cached credentials."""
        self.authenticator.clear_cache()


@dataclass(slots=True, kw_only=True)
class Call:
    """The request context inside the transaction: caller, actor, organization and path."""

    tx: Tx
    caller: Caller
    service: Service
    path: dict[str, str]
    revision: int  # of the organization in the path; its changes are visible in this transaction
    named_org_id: str | None = None  # header X-Organization-Id
    named_agent_id: str | None = None  # agentId in the body, or header X-Agent-Id
    claim_token: str | None = None  # header X-Claim-Token
    agent_session: str | None = None  # header X-Agent-Session
    takes_over: bool = False  # takeOver in the body
    versions: frozenset[str] | None = None  # entity tags of If-Match, on routes that support it
    writes: bool = False  # the route writes, even if this transaction only reads
    outcomes: Mapping[Any, Any] = field(default_factory=dict)  # results of the work before the transaction
    org_id: str = ""
    membership: Membership | None = None  # of a person who acts inside an organization
    actor: Actor = SYSTEM
    catalogs: dict[Any, Any] = field(default_factory=dict)  # see pipeline/name_resolution.py

    def get_values(self) -> dict[str, Any]:
        """Return the values of the fields that calls with and without a card have."""
        return {part.name: getattr(self, part.name) for part in fields(Call)}

    def as_system(self) -> Self:
        """Return a copy of the call whose actor is the service itself."""
        call = copy(self)
        call.actor = SYSTEM
        return call

    def on_behalf_of_user(self) -> Self:
        """Return a copy of this call whose actor is the agent, labelled "the person at the client of …".

        The service cannot verify that person, so the agent remains the author.
        """
        call = copy(self)
        call.actor = Actor("Agent", self.actor.id, f"the person at the client of {self.actor.id}")
        return call

    @property
    def now(self) -> str:
        """Return the time of the transaction."""
        return self.tx.now

    def require(self, statement: Statement[R], resource: str, /, **parameters: Any) -> R:
        """Return the first row of a statement; raise NotFound, which names the resource, if there is none."""
        row = self.tx.one(statement, **parameters)
        if row is None:
            raise NotFound(resource)
        return row

    @property
    def is_agent(self) -> bool:
        """Return whether the caller uses an API key."""
        return isinstance(self.caller, Key)

    @property
    def agent_id(self) -> str | None:
        """Return the id of the calling agent, or None if the caller is a person."""
        return self.actor.id if self.is_agent else None

    @property
    def reader(self) -> dict[str, str]:
        """Return the type and id of the actor, by which positions of readers are stored.

        An id alone names no reader, because an agent can be registered with the id of a person.
        """
        return {"reader_type": self.actor.type, "reader_id": self.actor.id}

    @property
    def role(self) -> str:
        """Return the role of the calling person."""
        assert self.membership is not None
        return self.membership.role

    @property
    def user_id(self) -> str:
        """Return the id of the calling person."""
        assert isinstance(self.caller, Person)
        return self.caller.user_id


@dataclass(slots=True)
class CardCall(Call):
    """A call with a card, which exists and is visible to the caller when the handler runs."""

    card: "sql.cards.GetRow" = field(init=False)

    @property
    def has_card(self) -> bool:
        """Return whether the card was loaded; a request that is denied earlier has none."""
        return hasattr(self, "card")


@dataclass(slots=True)
class FileCall(CardCall):
    """A call with a file of a card."""

    file: "sql.files.GetRow" = field(init=False)


@dataclass(slots=True)
class MoveRequestCall(CardCall):
    """A call with a move request of an agent."""

    move_request: "sql.move_requests.GetRow" = field(init=False)


# The type of the call that a handler receives, by the resource of its policy.
CALL_TYPES: dict[str | None, type[Call]] = {None: Call, CARD: CardCall, FILE: FileCall, MOVE_REQUEST: MoveRequestCall}
