"""One admitted request: who calls, where, as whom, about which card."""

from dataclasses import dataclass
from typing import Any

from ..database.store import Row, Tx
from ..wire import Actor
from .caller import Caller, Key, Person


@dataclass(frozen=True, slots=True)
class Seat:
    """A person's place in one organization: the role, and what it may do with each resource."""

    role: str
    actor: Actor
    actions: dict[str, list[str]]


SYSTEM = Actor("System", "system")


@dataclass(slots=True)
class Call:
    """One admitted request inside its transaction: who calls, where, when."""

    tx: Tx
    caller: Caller
    service: Any
    path: dict[str, str]
    seats: dict[tuple[str, str], Seat]  # those known when the transaction began
    revision: int  # changes of the organization in the path that this transaction is sure to see
    named_org_id: str | None = None  # header X-Organization-Id
    named_agent_id: str | None = None  # agentId in the body, or header X-Agent-Id
    claim_token: str | None = None  # header X-Claim-Token
    versions: frozenset[str] | None = None  # the tags in If-Match, if it is to be heeded
    writes: bool = False  # the route changes something, even if this transaction only looks
    org_id: str = ""
    seat: Seat | None = None  # of a person who acts inside an organization
    actor: Actor = SYSTEM
    card: Row | None = None
    file: Row | None = None
    move_request: Row | None = None

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
        assert self.seat is not None
        return self.seat.role

    @property
    def user_id(self) -> str:
        """Give the id of the person who is calling."""
        assert isinstance(self.caller, Person)
        return self.caller.user_id
