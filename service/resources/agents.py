"""Agents: approval, online state, stopping and deletion."""

from datetime import timedelta
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from .. import ids
from ..auth import last_seen
from ..auth.context import Call
from ..auth.policies import agent, architect, member
from ..clock import parse_timestamp, timestamp
from ..database.queries import sql
from ..database.store import Row
from ..errors import Conflict, invalid
from ..http.rate_limits import Limit
from ..pipeline import filter_values, jobs
from ..pipeline.pipeline import Operation
from ..pipeline.routing import routes
from ..schemas import Input, Output, Query, StoredJson, Title
from . import cards, claims, events, questions

CARDS_PER_BATCH = 20
POLL = Limit("agent_status", by="key", per_minute=60)
Status = Literal["pending", "approved", "stopped"]


class Agent(Output):
    """An agent and what it last reported about its machine."""

    id: str
    title: str
    team_id: str | None
    status: Status
    is_online: bool
    last_seen_at: str | None
    machine_name: str | None
    machine_ip: str | None
    llm_version: str | None
    email: str | None
    os_name: str | None
    os_version: str | None
    ram_bytes: int | None
    storage_bytes: int | None
    storage_type: str | None
    created_at: str


class AgentClaim(Output):
    """A card that an agent has claimed, and when the claim expires."""

    card_id: str
    card_key: str
    title: str
    project_id: str
    column_id: str
    column: str
    claimed_at: str
    renewed_at: str
    expires_at: str


class BusyAgent(Agent):
    """An agent with its current work."""

    stop_reason: str | None
    stopped_at: str | None
    team_name: str | None
    claims: Annotated[list[AgentClaim], StoredJson]
    assigned: int
    open_requests: int
    refusals24h: int = Field(alias="refusals24h")


class AgentStatus(Output):
    """The approval status that a pending agent polls."""

    status: Status
    is_online: bool
    last_seen_at: str | None
    agent_pickup_enabled: bool


class AgentPermissions(Output):
    """What the columns allow an agent to do: column ids, and transitions as `from->to`."""

    can_read: list[str]
    can_moderate: list[str]
    can_transition: list[str]


class AgentOrganization(Output):
    id: str
    title: str
    color: str


class Stop(Input):
    is_optional: ClassVar[bool] = True

    reason: Annotated[Title | None, Field(description="The reason in one line, or null.")] = None


class AgentQuery(Query):
    team_id: str | None = None
    status: Status | None = None
    include: Literal["work"] | None = None


def require_agent(call: Call, agent_id: str) -> "sql.agents.GetRow":
    """Return an agent of the organization; raise not_found."""
    return call.require(sql.agents.get, "agent", org_id=call.org_id, agent_id=agent_id, now=call.now)


def find_agent(call: Call, agent_id: str) -> "sql.agents.GetRow | None":
    """Return an agent of the organization, or None."""
    return call.tx.one(sql.agents.get, org_id=call.org_id, agent_id=agent_id, now=call.now)


def mark_caller_online(row: Row) -> Row:
    """Return the row of the calling agent as it is after this request, which makes an approved agent online."""
    return {**row, "is_online": row["status"] == "approved"}


def check_new_id(call: Call, agent_id: str, path: str) -> None:
    """Raise the error of an id that no new agent may have; an agent that has it keeps it.

    validation_failed if it is reserved, handle_taken if it is the handle of a member of the organization.
    """
    if find_agent(call, agent_id):
        return
    if ids.is_reserved(agent_id):
        raise invalid(path, "is a word of filters, or begins like an id of the service; choose another one")
    if call.tx.value(sql.members.find_by_agent_id, org_id=call.org_id, agent_id=agent_id) is not None:
        message = f"{agent_id} is the handle of a member of the organization; choose another id for the agent."
        raise Conflict("handle_taken", message)


@routes.get("/agents/{agent_id}/status", agent(allows_unregistered_keys=True), POLL)
def get_status(call: Call, agent_id: str) -> AgentStatus:
    """Return whether the agent is approved, and whether agents may pick up cards in any column."""
    row = mark_caller_online(require_agent(call, agent_id))
    pickup = row["status"] == "approved" and call.tx.value(sql.agents.has_pickup_column, org_id=call.org_id)
    return AgentStatus(**row, agent_pickup_enabled=bool(pickup))


@routes.get("/agents/{agent_id}/permissions", agent())
def get_permissions(call: Call, agent_id: str) -> AgentPermissions:
    """Return what the columns allow the agent to do."""
    readable = call.tx.all(sql.columns.list, org_id=call.org_id, project_id=None)
    moderated = call.tx.all(sql.agents.list_moderated_columns, org_id=call.org_id)
    edges = call.tx.all(sql.agents.list_open_transitions, org_id=call.org_id)
    return AgentPermissions(
        can_read=[row["id"] for row in readable],
        can_moderate=[row["id"] for row in moderated],
        can_transition=[f"{row['from_column_id']}->{row['to_column_id']}" for row in edges],
    )


@routes.post("/agents/{agent_id}/online", agent())
def set_online(call: Call, agent_id: str) -> Agent:
    """Mark an agent as online, as any other request of an approved agent does.

    It is shown as offline (`isOnline`) again after `POST /agents/{agentId}/offline`, or when it has sent no request for
    10 minutes.
    """
    last_seen.set_online(call.tx, call.org_id, agent_id)
    return Agent.of(require_agent(call, agent_id))


@routes.post(
    "/agents/{agent_id}/offline",
    agent(allows_pending_agents=True, allows_during_freeze=True),
    marks_online=False,
    grows=False,
)
def set_offline(call: Call, agent_id: str) -> Agent:
    """Mark an agent as offline until its next request; allowed during a freeze."""
    if require_agent(call, agent_id)["is_online"]:
        events.record(call, "agent.offline", agent_id=agent_id)
    last_seen.set_offline(call.service, call.tx, call.org_id, agent_id)
    return Agent.of(require_agent(call, agent_id))


@routes.get("/agent/orgs", agent(allows_unregistered_keys=True))
def list_agent_organizations(call: Call) -> list[AgentOrganization]:
    """Return the organization of the agent, as a list."""
    return [AgentOrganization.of(row) for row in call.tx.all(sql.organizations.get, org_id=call.org_id)]


@routes.get("/organizations/{org_id}/agents", member(), answers=list[Agent | BusyAgent], tagged=True)
@routes.get("/organizations/{org_id}/agents/mcp", agent(), answers=list[Agent | BusyAgent], tagged=True)
def list_agents(call: Call, org_id: str, query: AgentQuery) -> list[Agent]:
    """List the agents of an organization, oldest first; include=work adds the current work of each.

    An approved agent is online (`isOnline`) from its first request, to a route or a tool, until it says that it is
    offline or has sent no request for 10 minutes. `lastSeenAt` is stored at most once a minute.

    The work is the claimed cards (`claims`), the numbers of assigned cards that are not done, of open move requests and
    of denied requests in the last 24 hours, the reason and time of a stop, and the name of the team.
    """
    filter_values.require_known(call, query)
    filters = {"now": call.now, **query.model_dump(exclude={"include"})}
    if query.include == "work":
        since = timestamp(parse_timestamp(call.now) - timedelta(days=1))
        busy = call.tx.all(sql.agents.list_with_work, org_id=org_id, refused_since=since, **filters)
        return [BusyAgent.of(_mark_if_caller(call, row)) for row in busy]
    rows = call.tx.all(sql.agents.list, org_id=org_id, **filters)
    return [Agent.of(_mark_if_caller(call, row)) for row in rows]


def _mark_if_caller(call: Call, row: Row) -> Row:
    return mark_caller_online(row) if row["id"] == call.agent_id else row


@routes.patch("/agents/{agent_id}/approve", architect())
def approve_agent(call: Call, agent_id: str) -> Agent:
    """Approve a pending agent (SA); a stopped one is resumed instead (409)."""
    return _change_status(call, agent_id, "approved", {"pending", "approved"}, "agent.approved")


@routes.patch("/agents/{agent_id}/stop", architect(), grows=False)
def stop_agent(call: Call, agent_id: str, body: Stop) -> Agent:
    """Stop an agent (SA): it goes offline, its claims end, and its requests are denied until it is resumed.

    With a `reason`, the agent is listed under attention with that reason until it is resumed or deleted.
    """
    return _change_status(call, agent_id, "stopped", {"pending", "approved", "stopped"}, "agent.stopped", body.reason)


@routes.patch("/agents/{agent_id}/resume", architect())
def resume_agent(call: Call, agent_id: str) -> Agent:
    """Resume a stopped agent (SA); 409 conflict in any other state."""
    return _change_status(call, agent_id, "approved", {"stopped"}, "agent.resumed")


def _change_status(
    call: Call, agent_id: str, status: str, allowed: set[Any], event: str, reason: str | None = None
) -> Agent:
    current = require_agent(call, agent_id)["status"]
    if current not in allowed:
        raise Conflict(None, f"The agent is {current}, so this request cannot make it {status}.", state=current)
    _set_status(call, agent_id, status, reason)
    if status != current:
        events.record(call, event, agent_id=agent_id)
    return Agent.of(require_agent(call, agent_id))


def _set_status(call: Call, agent_id: str, status: str, reason: str | None = None) -> bool:
    scope = {"org_id": call.org_id, "agent_id": agent_id}
    is_known = call.tx.run(sql.agents.set_status, status=status, reason=reason, now=call.now, **scope) > 0
    if status == "stopped":
        claims.release_claims(call, sql.claims.release_agent, limit=-1, **scope)
    return is_known


def stop_runaway_agent(call: Call, reason: str) -> None:
    """Stop the calling agent with a reason, as the actor `system`."""
    own = call.as_system()
    if _set_status(own, call.actor.id, "stopped", reason):
        events.record(own, "agent.stopped", agent_id=call.actor.id)


@routes.delete("/agents/{agent_id}", architect())
async def delete_agent(operation: Operation[Call], agent_id: str) -> None:
    """Delete an agent (SA): its claims and questions end and its cards are unassigned; history keeps its id.

    Many cards take several transactions. Until the last one, requests by the agent and changes to it fail with 409
    conflict.
    """
    await jobs.run_in_batches(operation, partial(_start_deletion, agent_id=agent_id))


def _start_deletion(call: Call, agent_id: str) -> jobs.Job:
    return jobs.Job("remove_agent", "agent", str(require_agent(call, agent_id)["id"]))


@jobs.batches("remove_agent", "removing")
def delete_agent_batch(call: Call, job: jobs.Job) -> bool:
    """End one batch of claims, questions and assignments of an agent; delete it when none are left."""
    scope = {"org_id": call.org_id, "agent_id": job.resource_id}
    ended = claims.release_claims(call, sql.claims.release_agent, limit=CARDS_PER_BATCH, **scope)
    assigned = call.tx.all(sql.agents.list_assigned_cards, limit=CARDS_PER_BATCH, **scope)
    for card in assigned:
        cards.change_card(call, card["id"], {"assigned_agent_id": None})
    withdrawn = questions.withdraw_question_batch(call, job.resource_id, CARDS_PER_BATCH)
    if CARDS_PER_BATCH in (ended, len(assigned), withdrawn):
        return False
    call.tx.run(sql.agents.delete, **scope)
    events.record(call, "agent.removed", agent_id=job.resource_id)
    return True
