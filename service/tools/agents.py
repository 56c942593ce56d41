"""Tools about the calling agent."""

from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from ..auth.context import Call
from ..errors import Forbidden
from ..pipeline import name_resolution
from ..resources import agents, calling_agent, freeze, registration
from ..schemas import AgentId, Input, Name, Title
from . import naming, people, prompts
from .registry import Handler, ToolContext, tool, unlisted_tool
from .token_limit import ENTRIES_MAX, TokenLimit, TruncatableResult

Json = dict[str, Any]
MORE_HINT = "ask again with maxTokens=8000"
LISTS = {
    "projects": f"{MORE_HINT}; get_board shows one",
    "openQuestions": MORE_HINT,
    "openRequests": MORE_HINT,
    "claims": MORE_HINT,
    "otherClaims": MORE_HINT,
}
CLAIM_KEYS = ("title", "columnId", "expiresAt", "token", "session")
OTHER_CLAIM_KEYS = ("key", "title", "session", "renewedAt", "expiresAt")
REQUEST_KEYS = ("cardKey", "toColumnId", "note")
QUESTION_KEYS = ("cardKey", "content", "options")
STATUS_NOTES = {
    "pending": "You may not work yet: a Solution Architect has to approve you. Ask again in a minute.",
    "stopped": "You may not work now: you were stopped. A Solution Architect has to resume you. Ask again in a minute.",
}
FREEZE_NOTE = "All agents are frozen: you can read, but write nothing. Ask again in a minute; your claims are kept."


class Nothing(Input):
    """The arguments of a tool without arguments."""


class WhoAmI(TokenLimit):
    show: Literal["prompts", "people"] | None = None


class Register(Input):
    id: AgentId = Field(description="choose and keep one, such as builder-1")
    title: Title
    machine_name: registration.Telemetry | None = None
    llm_version: registration.Telemetry | None = None
    team: Name | None = Field(None, description="needed if the key has no team")


@tool(
    "Who am I",
    "Show who you are, your open claims, requests and questions, and where agents may work. Call it first, and after a "
    'restart. show: "people" or "prompts" lists these instead.',
    read_only=True,
)
async def whoami(ctx: ToolContext, arguments: WhoAmI) -> TruncatableResult:
    """Return the calling agent and its open work; of an agent that is not approved only its status."""
    if arguments.show is not None:
        return prompts.list_prompts(ctx) if arguments.show == "prompts" else await people.list_people(ctx)
    content = await ctx.call(calling_agent.get_calling_agent, None, None, _render_agent)
    return TruncatableResult(content, LISTS, "get_card shows the whole")


def _render_agent(call: Call, found: Json) -> Json:
    """Return the agent, its open work and the columns where it may work, read in one transaction."""
    agent = found["agent"]
    content: Json = {"agent": agent and {key: agent[key] for key in ("id", "title", "status", "isOnline")}}
    if agent is not None and agent["status"] != "approved":
        return content | {"note": STATUS_NOTES[agent["status"]]}
    organization = {"organization": name_resolution.get_organization_title(call)}
    if agent is None:
        note = "This key has no agent, or several: register, or connect with the id of your agent (stdio: --agent)."
        return {**content, "note": note, **organization}
    projects = {"projects": name_resolution.list_work_areas(call, ENTRIES_MAX)}
    return content | _render_freeze(call) | organization | _render_open_work(call, found) | projects


def _render_freeze(call: Call) -> Json:
    found = freeze.get_freeze(call, call.org_id)
    if not found.frozen:
        return {}
    return {"frozen": {"reason": found.reason, "until": found.until}, "note": FREEZE_NOTE}


def _render_open_work(call: Call, found: Json) -> Json:
    """Return the claims, move requests and questions of an agent; null where there are none."""
    claims = [{"key": claim["cardKey"], **{name: claim.get(name) for name in CLAIM_KEYS}} for claim in found["claims"]]
    others = [{name: claim[name] for name in OTHER_CLAIM_KEYS} for claim in found["otherClaims"]]
    for claim in [*claims, *others]:
        claim["expiresAt"] = freeze.estimate_expiry(call, claim["expiresAt"])
    requests = [{name: request[name] for name in REQUEST_KEYS} for request in found["openRequests"]]
    questions = [{name: question[name] for name in QUESTION_KEYS} for question in found["openQuestions"]]
    open_work = {"claims": claims, "otherClaims": others, "openRequests": requests, "openQuestions": questions}
    return naming.replace_ids(call, {name: items or None for name, items in open_work.items()})


@tool(
    "Register as an agent",
    "Register once, if whoami says that your key has no agent. A Solution Architect then approves you.",
    idempotent=True,
)
async def register(ctx: ToolContext, arguments: Register) -> Json:
    """Register an agent with the API key, or update where an agent runs."""
    team_id = ctx.key.team_id
    if team_id is None or arguments.team is not None:
        # The X-Agent-Id header may contain the id that is not registered yet.
        without_agent = replace(ctx, headers={key: value for key, value in ctx.headers.items() if key != "X-Agent-Id"})
        team_id = without_agent.lookup(
            lambda call: name_resolution.resolve_team_id(call, arguments.team), calling_agent.get_calling_agent
        )
    body = arguments.model_dump(by_alias=True, exclude_unset=True, exclude={"team"})
    agent = await ctx.call(registration.register_agent, body, team_id=team_id)
    return {"id": agent["id"], "status": agent["status"], "note": STATUS_NOTES.get(agent["status"])}


@unlisted_tool()
async def set_online(ctx: ToolContext, arguments: Nothing) -> Json:
    """Set the calling agent online."""
    return await _set_presence(ctx, agents.set_online)


@unlisted_tool()
async def set_offline(ctx: ToolContext, arguments: Nothing) -> Json:
    """Set the calling agent offline."""
    return await _set_presence(ctx, agents.set_offline)


async def _set_presence(ctx: ToolContext, handler: Handler) -> Json:
    # Not by a call, which would make the agent online.
    row = ctx.lookup(lambda call: agents.find_agent(call, call.actor.id), calling_agent.get_calling_agent)
    if row is None:
        # This route raises the error of a key without an agent, or with several.
        await ctx.call(freeze.get_freeze)
        raise Forbidden("agent_not_registered", "A key that acts as itself is never online; register an agent first.")
    updated = await ctx.call(handler, agent_id=row["id"])
    return {"agentId": updated["id"], "isOnline": updated["isOnline"]}
