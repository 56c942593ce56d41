"""Tools about the agent that is calling."""

from ..errors import Forbidden
from ..resources.agents import Status
from ..wire import Input, Output
from .bounding import Bounded, Bounds
from .registry import Visit, tool


class Me(Output):
    """What is known of the agent, without what it told of its machine."""

    id: str
    title: str
    team_id: str | None = None
    status: Status
    is_online: bool


class WhoAmI(Bounded):
    """Who calls, and what the columns let them do."""

    lists = dict.fromkeys(("canRead", "canModerate", "canTransition"), "get_board shows the same, project by project")
    key_id: str
    org_id: str
    organization: str | None = None
    agent: Me | None = None
    can_read: list[str] | None = None
    can_moderate: list[str] | None = None
    can_transition: list[str] | None = None
    note: str | None = None


class Presence(Output):
    """Whether the agent is online."""

    agent_id: str
    is_online: bool


class Nothing(Input):
    """The arguments of tools that take none."""


@tool(
    "Show who you are: agent, organization, status, and the columns and moves (from->to) open to you. Call it first.",
    WhoAmI,
    reads=True,
)
async def whoami(visit: Visit, arguments: Bounds) -> WhoAmI:
    """Tell an agent who it is; one that is not approved learns only that."""
    who = await visit.ask("GET /agent/mcp")
    me = who["agent"]
    answer = WhoAmI(key_id=who["keyId"], org_id=who["orgId"], agent=me and Me.of(me))
    if me is None:
        answer.note = "No agent is known by this key: register one, or name yours in X-Agent-Id (stdio: --agent)."
    elif me["status"] != "approved":
        answer.note = "You may not work yet: a Solution Architect has to approve or resume you. Ask again in a minute."
        return answer
    else:
        may = await visit.ask("GET /agents/{agent_id}/permissions", agent_id=me["id"])
        answer = WhoAmI.of(shown_with(answer, may))
    (organization,) = await visit.ask("GET /agent/orgs")
    answer.organization = organization["title"]
    return answer


def shown_with(answer: WhoAmI, may: dict[str, list[str]]) -> dict[str, object]:
    """Add what the agent may do to what it is."""
    return {**answer.model_dump(by_alias=True), **may}


@tool("Say that you are at work: people see you online.", Presence, repeatable=True)
async def set_online(visit: Visit, arguments: Nothing) -> Presence:
    """Note that the calling agent is online."""
    return await _present(visit, "POST /agents/{agent_id}/online")


@tool("Say that you stop working. Release your claims first.", Presence, repeatable=True)
async def set_offline(visit: Visit, arguments: Nothing) -> Presence:
    """Note that the calling agent is offline."""
    return await _present(visit, "POST /agents/{agent_id}/offline")


async def _present(visit: Visit, twin: str) -> Presence:
    me = (await visit.ask("GET /agent/mcp"))["agent"]
    if me is None:
        await visit.ask("GET /organizations/{org_id}/freeze/mcp")  # refuses who has no agent, or did not say which
        raise Forbidden("agent_not_registered", "A key that acts as itself is never online; register an agent first.")
    done = await visit.ask(twin, agent_id=me["id"])
    return Presence(agent_id=done["id"], is_online=done["isOnline"])
