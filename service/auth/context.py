"""One admitted request: who calls, where, as whom, about what."""

from collections import deque
from collections.abc import Mapping, Set
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from ..clock import Clock
from ..config import Settings
from ..database.store import Row, Store, Tx
from ..delivery.dispatcher import WebhookDispatcher
from ..events.job_waiters import JobWaiters
from ..events.listeners import Listeners
from ..http.json_thread import BodyThread
from ..http.rate_limits import Buckets
from ..http.response_cache import ResponseCache
from ..runtime.concurrency import ConcurrencyLimiter, Slots
from ..runtime.counters import Counters
from ..runtime.disk_space import DiskSpace
from ..runtime.file_store import FileStore
from ..runtime.memory_budget import InFlightBytes
from ..schemas import Actor
from .authentication import Caller, Callers, Key, Person
from .encryption import Encryptor
from .import_locks import ImportLocks
from .policies import CARD, FILE, MOVE_REQUEST
from .tokens import Tokens


@dataclass(frozen=True, slots=True)
class Membership:
    """A person's place in one organization: the role, and what it may do with each resource."""

    role: str
    actor: Actor
    actions: dict[str, list[str]]


SYSTEM = Actor("System", "system")
LARGE_WRITES_MAX = 64  # of a caller that wait
TOO_MANY_LARGE_WRITES = "Too many large changes of yours wait already; send them one after the other."
BOARDS_BYTES_MAX, PAGES_BYTES_MAX = 32 << 20, 8 << 20  # that answers which are kept may have
EXPORTS_TAKEN, IMPORTS_TAKEN = (
    f"So many {what} of {{whose}} are under way already: {{most}}. Try again when one of them has ended."
    for what in ("exports", "imports")
)
# The tables that say who may do what, and those that they hang on: what is remembered of people was read from them.
PEOPLE = frozenset({"users", "organizations", "memberships", "permissions", "api_keys", "teams"})


@dataclass
class Service:
    """The parts of a running service."""

    settings: Settings
    store: Store
    tokens: Tokens
    callers: Callers
    encryptor: Encryptor
    disk_space: DiskSpace
    file_store: FileStore
    listeners: Listeners
    webhook_dispatcher: WebhookDispatcher
    buckets: Buckets = field(default_factory=Buckets)
    flight: InFlightBytes = field(default_factory=InFlightBytes)
    body_thread: BodyThread = field(default_factory=BodyThread)
    exports: ConcurrencyLimiter = field(default_factory=partial(ConcurrencyLimiter, EXPORTS_TAKEN))
    imports: ConcurrencyLimiter = field(default_factory=partial(ConcurrencyLimiter, IMPORTS_TAKEN))
    import_locks: ImportLocks = field(default_factory=ImportLocks)
    large_writes: Slots = field(
        default_factory=partial(Slots, 1, LARGE_WRITES_MAX, TOO_MANY_LARGE_WRITES)
    )  # of callers
    jobs: JobWaiters = field(default_factory=JobWaiters)
    counters: Counters = field(default_factory=Counters)
    refused: deque[Any] = field(default_factory=lambda: deque(maxlen=10_000))  # of agents, see resources/refusals.py
    seen_until: dict[tuple[str, str], str] = field(default_factory=dict)  # (organization, agent), see presence.py
    revisions: dict[str, int] = field(default_factory=dict)  # organization -> changes seen by this process
    boards: ResponseCache = field(
        default_factory=partial(ResponseCache, BOARDS_BYTES_MAX)
    )  # see resources/board_flow.py
    pages: ResponseCache = field(
        default_factory=partial(ResponseCache, PAGES_BYTES_MAX)
    )  # of cards, see resources/cards.py
    clock: Clock = field(default_factory=Clock)  # the time of its transactions; an argument, so that tests can move it

    def committed(self, tables: Set[str], org_id: str) -> None:
        """Note what a request has changed for good: forget people if it was about them, and wake those who wait."""
        if not PEOPLE.isdisjoint(tables):
            self.forget_people()
        self.changed(org_id)

    def changed(self, org_id: str) -> None:
        """Note that something in an organization changed, and wake those who wait for it."""
        self.revisions[org_id] = self.revisions.get(org_id, 0) + 1
        self.listeners.wake(org_id)

    def call_of_job(self, tx: Tx, org_id: str, actor: Actor) -> "Call":
        """Return a call for a batch of a job, in the name of whoever asked for the job."""
        tx.clock = self.clock
        return Call(tx, None, self, {}, 0, writes=True, org_id=org_id, actor=actor)

    def forget_people(self) -> None:
        """Forget who may do what; every commit of a request that writes to the tables of people does."""
        self.callers.forget()


@dataclass(slots=True)
class Call:
    """One admitted request inside its transaction: who calls, where, when."""

    tx: Tx
    caller: Caller
    service: Service
    path: dict[str, str]
    revision: int  # changes of the organization in the path that this transaction is sure to see
    named_org_id: str | None = None  # header X-Organization-Id
    named_agent_id: str | None = None  # agentId in the body, or header X-Agent-Id
    claim_token: str | None = None  # header X-Claim-Token
    versions: frozenset[str] | None = None  # the tags in If-Match, if it is to be heeded
    writes: bool = False  # the route changes something, even if this transaction only looks
    outcomes: Mapping[Any, Any] = field(default_factory=dict)  # of what the route did before the transaction
    org_id: str = ""
    membership: Membership | None = None  # of a person who acts inside an organization
    actor: Actor = SYSTEM

    def as_system(self) -> Self:
        """Give the same call as the service's own doing."""
        own = copy(self)
        own.actor = SYSTEM
        return own

    def on_behalf_of_user(self) -> Self:
        """Give the same call as that of an agent which passes on what the person at its client said.

        Whoever that is, the service knows no more than the agent: so an agent it stays, by a label that says so.
        """
        own = copy(self)
        own.actor = Actor("Agent", self.actor.id, f"the person at the client of {self.actor.id}")
        return own

    @property
    def now(self) -> str:
        """Give the time of the transaction."""
        return self.tx.now

    @property
    def is_agent(self) -> bool:
        """Tell whether an agent is calling."""
        return isinstance(self.caller, Key)

    @property
    def agent_id(self) -> str | None:
        """Give the id that the calling agent acts by, or None if a person is calling."""
        return self.actor.id if self.is_agent else None

    @property
    def role(self) -> str:
        """Give the role of the person who is calling."""
        assert self.membership is not None
        return self.membership.role

    @property
    def user_id(self) -> str:
        """Give the id of the person who is calling."""
        assert isinstance(self.caller, Person)
        return self.caller.user_id


@dataclass(slots=True)
class CardCall(Call):
    """A call about a card, which is there and visible to the caller by the time a handler runs."""

    card: Row = field(init=False)

    @property
    def has_card(self) -> bool:
        """Tell whether the card was found: a call that is refused before that has none to speak of."""
        return hasattr(self, "card")


@dataclass(slots=True)
class FileCall(CardCall):
    """A call about a file of a card."""

    file: Row = field(init=False)


@dataclass(slots=True)
class MoveRequestCall(CardCall):
    """A call about a move that an agent asked for."""

    move_request: Row = field(init=False)


# By what a policy is about: what its handler is called with.
KINDS: dict[str | None, type[Call]] = {None: Call, CARD: CardCall, FILE: FileCall, MOVE_REQUEST: MoveRequestCall}
