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
    requires_organization: bool = True  # acts inside one organization
    requires_architect: bool = False
    action: str | None = None
    resource: str | None = None
    or_resource: str | None = None  # the action on this one admits too: the handler requires what each key needs
    and_resource: str | None = None  # the action on this one is needed too
    about: str | None = None  # the resource that is loaded and checked
    loads_whole_card: bool = False  # a card is loaded with all that lies on it, because the response shows it
    flags: tuple[str, ...] = ()  # agents: flags that must be on in the column of the card
    allows_pending_agents: bool = False  # agents: open before approval and after a stop
    allows_unregistered_keys: bool = False  # agents: open to a key with which no agent has registered
    registers_agent: bool = False  # agents: the request registers an agent with the key
    requires_own_claim: bool = False  # agents: about their own claim, so the column is not checked
    allows_during_freeze: bool = False  # agents: open while the organization is frozen
    requires_comments: bool = False  # the card type must allow comments; a claim of another agent does not matter
    allows_archived_cards: bool = False  # open on archived cards too
    allows_archived_boards: bool = False  # open on cards of archived boards too
    supports_if_match: bool = False
    allows_without_organization: bool = False  # open to a person whose organizations are all archived
    requires_same_origin: bool = False  # browsers: open to this service's own pages only, because of a cookie
    explain: Callable[..., ServiceError] | None = None  # adds details from the body to a denial

    def __str__(self) -> str:
        words = ["SA"] if self.requires_architect else []
        words += [f"{resource}:{self.action}" for resource in (self.resource, self.and_resource) if resource]
        words += [flag.replace("agent_", "column:", 1) for flag in self.flags]
        words += ["own claim"] if self.requires_own_claim else []
        opens = ["unregistered"] * self.allows_unregistered_keys + ["pending"] * self.allows_pending_agents
        words += opens[:1]
        return " ".join(words) or ("member" if self.requires_organization and self.scheme == JWT else "any")

    @property
    def reads(self) -> bool:
        """Return whether the route only reads the card."""
        return self.action == "read" or (self.scheme == API_KEY and not (self.flags or self.requires_own_claim))


def public(about: str | None = None, *, requires_same_origin: bool = False) -> Policy:
    """Allow anyone; the handler itself checks what the caller may see.

    With `requires_same_origin` deny browsers that send the request for a page of another site, and bodies that such a
    page could send without asking first.
    """
    return Policy(scheme=NONE, requires_organization=False, about=about, requires_same_origin=requires_same_origin)


def person() -> Policy:
    """Allow any signed-in person, independent of an organization."""
    return Policy(scheme=JWT, requires_organization=False)


def member() -> Policy:
    """Allow any member of the organization."""
    return Policy(scheme=JWT)


def may(action: str, resource: str, about: str | None = None, **more: Any) -> Policy:
    """Allow members whose role has the action on the resource."""
    return Policy(scheme=JWT, action=action, resource=resource, about=about, **more)


def architect() -> Policy:
    """Allow Solution Architects of the organization."""
    return Policy(scheme=JWT, requires_architect=True)


def agent(
    about: str | None = None,
    *,
    allows_pending_agents: bool = False,
    allows_unregistered_keys: bool = False,
    **more: Any,
) -> Policy:
    """Allow agents of the organization; `allows_pending_agents` includes unapproved and stopped ones."""
    return Policy(
        scheme=API_KEY,
        about=about,
        allows_pending_agents=allows_pending_agents or allows_unregistered_keys,
        allows_unregistered_keys=allows_unregistered_keys,
        **more,
    )


def registration() -> Policy:
    """Allow any API key of the organization to register an agent."""
    return Policy(scheme=API_KEY, allows_pending_agents=True, allows_unregistered_keys=True, registers_agent=True)


def agent_holding() -> Policy:
    """Allow the agent that holds the claim of the card, to continue or release it."""
    return Policy(scheme=API_KEY, about=CARD, requires_own_claim=True, allows_during_freeze=True)


def agent_where(*flags: str, **more: Any) -> Policy:
    """Allow agents to write to a card whose column has the flags on."""
    return Policy(scheme=API_KEY, about=CARD, flags=flags, **more)
