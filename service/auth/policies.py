"""Policies: the requirements of a route for its caller."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import ServiceError
from .authentication import API_KEY, JWT, NONE

SA = "SolutionArchitect"
PICKUP, MODERATE = "agent_pickup_enabled", "agent_can_moderate"
# Resources that are loaded before the policy is checked, and named in the 404 if they are missing.
CARD, FILE, MOVE_REQUEST = "card", "file", "move request"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The requirements of a route for its caller."""

    scheme: str
    organization: bool = True  # acts inside one organization
    sa: bool = False
    action: str | None = None
    resource: str | None = None
    or_resource: str | None = None  # the action on this one admits too: the handler requires what each key needs
    and_resource: str | None = None  # the action on this one is needed too
    about: str | None = None  # the resource that is loaded and checked
    whole: bool = False  # a card is loaded with all that lies on it, because the response shows it
    flags: tuple[str, ...] = ()  # agents: flags that must be on in the column of the card
    pending: bool = False  # agents: open before approval and after a stop
    unregistered: bool = False  # agents: open to a key with which no agent has registered
    registers: bool = False  # agents: the request registers an agent with the key
    own_claim: bool = False  # agents: about their own claim, so the column is not checked
    in_freeze: bool = False  # agents: open while the organization is frozen
    comments: bool = False  # the card type must allow comments; a claim of another agent does not matter
    archived: bool = False  # open on archived cards too
    archived_board: bool = False  # open on cards of archived boards too
    versioned: bool = False  # supports If-Match
    allow_without_organization: bool = False  # open to a person whose organizations are all archived
    same_origin: bool = False  # browsers: open to the pages of this service only, since it sets or reads a cookie
    explain: Callable[..., ServiceError] | None = None  # adds details from the body to a denial

    def __str__(self) -> str:
        words = ["SA"] if self.sa else []
        words += [f"{resource}:{self.action}" for resource in (self.resource, self.and_resource) if resource]
        words += [flag.replace("agent_", "column:", 1) for flag in self.flags]
        words += ["own claim"] if self.own_claim else []
        words += ["unregistered"] if self.unregistered else ["pending"] if self.pending else []
        return " ".join(words) or ("member" if self.organization and self.scheme == JWT else "any")

    @property
    def reads(self) -> bool:
        """Return whether the route only reads the card."""
        return self.action == "read" or (self.scheme == API_KEY and not (self.flags or self.own_claim))


def public(about: str | None = None, *, same_origin: bool = False) -> Policy:
    """Allow anyone; the handler itself checks what the caller may see.

    With `same_origin` deny browsers that send the request for a page of another site, and bodies that such a page could
    send without asking first.
    """
    return Policy(scheme=NONE, organization=False, about=about, same_origin=same_origin)


def person() -> Policy:
    """Allow any signed-in person, independent of an organization."""
    return Policy(scheme=JWT, organization=False)


def member() -> Policy:
    """Allow any member of the organization."""
    return Policy(scheme=JWT)


def may(action: str, resource: str, about: str | None = None, **more: Any) -> Policy:
    """Allow members whose role has the action on the resource."""
    return Policy(scheme=JWT, action=action, resource=resource, about=about, **more)


def architect() -> Policy:
    """Allow Solution Architects of the organization."""
    return Policy(scheme=JWT, sa=True)


def agent(about: str | None = None, *, pending: bool = False, unregistered: bool = False, **more: Any) -> Policy:
    """Allow agents of the organization; `pending` includes unapproved and stopped ones."""
    return Policy(scheme=API_KEY, about=about, pending=pending or unregistered, unregistered=unregistered, **more)


def registration() -> Policy:
    """Allow any API key of the organization to register an agent."""
    return Policy(scheme=API_KEY, pending=True, unregistered=True, registers=True)


def agent_holding() -> Policy:
    """Allow the agent that holds the claim of the card, to continue or release it."""
    return Policy(scheme=API_KEY, about=CARD, own_claim=True, in_freeze=True)


def agent_where(*flags: str, **more: Any) -> Policy:
    """Allow agents to write to a card whose column has the flags on."""
    return Policy(scheme=API_KEY, about=CARD, flags=flags, **more)
