"""Tools about the agent that is calling."""

from dataclasses import replace
from typing import Any

from pydantic import Field

from ..auth.context import Call
from ..errors import Forbidden
from ..pipeline import name_resolution
from ..resources.registration import Telemetry
from ..schemas import AgentId, Id, Input, Name
from . import naming
from .bounding import ENTRIES_MAX, Bounds, Long
from .prompts import Nothing
from .registry import ToolContext, tool

Json = dict[str, Any]
ME = "GET /agent/mcp"
MORE = "ask again with maxTokens=8000"
LISTS = {"projects": f"{MORE}; get_board shows one", "openQuestions": MORE, "openRequests": MORE, "claims": MORE}
CLAIM = ("title", "columnId", "expiresAt", "token")
REQUEST = ("cardKey", "toColumnId", "note")
QUESTION = ("cardKey", "content", "options")
NOTES = {
    "pending": "You may not work yet: a Solution Architect has to approve you. Ask again in a minute.",
    "stopped": "You were stopped: a Solution Architect has to resume you before you may work again.",
}


class Register(Input):
    id: AgentId
    title: Name
    machine_name: Telemetry | None = None
    llm_version: Telemetry | None = None
    team: Id | None = Field(None, description="name or id; needed if the key is for no team and there are several")


@tool(
    "Show who you are, what you had begun (claims, requests, questions), and the projects with the columns where "
    "agents workIn or may only talkIn. Call it first, and after a restart.",
    reads=True,
)
async def whoami(ctx: ToolContext, arguments: Bounds) -> Long:
    """Tell an agent who it is; one that is not approved learns only that."""
    return Long(await ctx.ask(ME, None, None, _told), LISTS, "get_card shows the whole")


def _told(call: Call, who: Json) -> Json:
    """Tell an agent who it is, what it has under way, and where it may work, all of one moment."""
    me = who["agent"]
    answer: Json = {"agent": me and {key: me[key] for key in ("id", "title", "status", "isOnline")}}
    if me is not None and me["status"] != "approved":
        return answer | {"note": NOTES[me["status"]]}
    organization = {"organization": name_resolution.organization(call)}
    if me is None:
        note = "No agent is known by this key: register, or connect with the id of yours (stdio: --agent)."
        return {**answer, "note": note, **organization}
    return answer | organization | _begun(call, who) | {"projects": name_resolution.places(call, ENTRIES_MAX)}


def _begun(call: Call, who: Json) -> Json:
    """Tell what an agent has under way; nothing is said of what there is not."""
    claims = [{"key": claim["cardKey"], **{name: claim[name] for name in CLAIM}} for claim in who["claims"]]
    requests = [{name: request[name] for name in REQUEST} for request in who["openRequests"]]
    questions = [{name: question[name] for name in QUESTION} for question in who["openQuestions"]]
    begun = {"claims": claims or None, "openRequests": requests or None, "openQuestions": questions or None}
    return naming.told(call, begun)


@tool(
    "Make yourself known, once: a Solution Architect then approves you; whoami tells when. Choose an id and keep it, "
    'for example {"id": "builder-1", "title": "Builder"}.',
    repeatable=True,
)
async def register(ctx: ToolContext, arguments: Register) -> Json:
    """Register an agent with the key, or tell anew what machine it runs on."""
    team_id = ctx.key.team_id
    if team_id is None or arguments.team is not None:
        # It may have named itself already by the id that nobody knows yet.
        nobody = replace(ctx, headers={key: value for key, value in ctx.headers.items() if key != "X-Agent-Id"})
        team_id = nobody.lookup(lambda call: name_resolution.team_id(call, arguments.team), ME)
    body = arguments.model_dump(by_alias=True, exclude_unset=True, exclude={"team"})
    made = await ctx.ask("POST /teams/{team_id}/agents/register", body, team_id=team_id)
    return {"id": made["id"], "status": made["status"], "note": NOTES.get(made["status"])}


@tool("Say that you are at work: people see you online.", repeatable=True)
async def set_online(ctx: ToolContext, arguments: Nothing) -> Json:
    """Note that the calling agent is online."""
    return await _present(ctx, "POST /agents/{agent_id}/online")


@tool("Say that you stop working. Release your claims first.", repeatable=True)
async def set_offline(ctx: ToolContext, arguments: Nothing) -> Json:
    """Note that the calling agent is offline."""
    return await _present(ctx, "POST /agents/{agent_id}/offline")


async def _present(ctx: ToolContext, twin: str) -> Json:
    me = (await ctx.ask(ME))["agent"]
    if me is None:
        await ctx.ask("GET /organizations/{org_id}/freeze/mcp")  # refuses who has no agent, or did not say which
        raise Forbidden("agent_not_registered", "A key that acts as itself is never online; register an agent first.")
    done = await ctx.ask(twin, agent_id=me["id"])
    return {"agentId": done["id"], "isOnline": done["isOnline"]}
