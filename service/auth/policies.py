"""The policies: what a route asks of its caller (contract, section 2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import ServiceError
from .authentication import API_KEY, JWT, NONE

SA = "SolutionArchitect"
PICKUP, MODERATE = "agent_pickup_enabled", "agent_can_moderate"
# What a route can be about: it is found before the policy is judged, and named where it is missing.
CARD, FILE, MOVE_REQUEST = "card", "file", "move request"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a route asks of its caller."""

    scheme: str
    organization: bool = True  # acts inside one organization
    sa: bool = False
    action: str | None = None
    resource: str | None = None
    about: str | None = None  # the card, or what hangs on one, that the policy looks at
    flags: tuple[str, ...] = ()  # agents: what the card's column must allow
    pending: bool = False  # agents: open before approval and after a stop
    unregistered: bool = False  # agents: open to a key with which no agent has registered
    registers: bool = False  # agents: the body says who is to be known by the key from now on
    own_claim: bool = False  # agents: about their own claim, for which no column is asked
    in_freeze: bool = False  # agents: open while the organization is frozen
    comments: bool = False  # the card's type must take comments; whoever holds the card, talking is not writing over
    archived: bool = False  # open on archived cards too
    versioned: bool = False  # If-Match is heeded: the write is for one version of the card
    allow_without_organization: bool = False  # open to a person whose organizations are all archived
    explain: Callable[..., ServiceError] | None = None  # gives a refusal with what the body says it was about

    def __str__(self) -> str:
        words = ["SA"] if self.sa else []
        words += [f"{self.resource}:{self.action}"] if self.resource else []
        words += [flag.replace("agent_", "column:", 1) for flag in self.flags]
        words += ["own claim"] if self.own_claim else []
        words += ["unregistered"] if self.unregistered else ["pending"] if self.pending else []
        return " ".join(words) or ("member" if self.organization and self.scheme == JWT else "any")

    @property
    def reads(self) -> bool:
        """Tell whether the route only looks at a card."""
        return self.action == "read" or (self.scheme == API_KEY and not (self.flags or self.own_claim))


def public(about: str | None = None) -> Policy:
    """Let anyone in; the handler judges for itself who may know of what it is about."""
    return Policy(scheme=NONE, organization=False, about=about)


def person() -> Policy:
    """Let any signed-in person in, whatever the organization."""
    return Policy(scheme=JWT, organization=False)


def member() -> Policy:
    """Let any member of the organization in."""
    return Policy(scheme=JWT)


def may(action: str, resource: str, about: str | None = None, **more: Any) -> Policy:
    """Let a member in whose role has the action on the resource (and who is SA, if asked)."""
    return Policy(scheme=JWT, action=action, resource=resource, about=about, **more)


def architect() -> Policy:
    """Let a Solution Architect of the organization in."""
    return Policy(scheme=JWT, sa=True)


def agent(
    about: str | None = None, *, pending: bool = False, unregistered: bool = False, in_freeze: bool = False
) -> Policy:
    """Let an agent of the organization in; one that is pending or stopped, or has not registered, only if told so."""
    pending = pending or unregistered
    return Policy(scheme=API_KEY, about=about, pending=pending, unregistered=unregistered, in_freeze=in_freeze)


def registration() -> Policy:
    """Let a key of the organization in, whoever registered with it."""
    return Policy(scheme=API_KEY, pending=True, unregistered=True, registers=True)


def agent_holding() -> Policy:
    """Let an agent go on with a card that it holds, or give it back; nobody else."""
    return Policy(scheme=API_KEY, about=CARD, own_claim=True, in_freeze=True)


def agent_where(*flags: str, **more: Any) -> Policy:
    """Let an agent write to a card whose column has the flags on."""
    return Policy(scheme=API_KEY, about=CARD, flags=flags, **more)
