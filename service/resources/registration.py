"""Registration of agents by the holder of an API key."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ..auth import last_seen
from ..auth.authentication import Key
from ..auth.context import Call
from ..auth.policies import registration
from ..database.queries import sql
from ..database.store import Row
from ..domain import event_cursor
from ..errors import Conflict, Forbidden, NotFound
from ..pipeline.routing import routes
from ..schemas import AgentId, Input, Title
from . import agents, events

PRESENCE = "is_online", "last_seen_at"
PENDING_AGENTS_MAX = 20  # agents of one API key that can wait for approval
Telemetry = Annotated[str, StringConstraints(max_length=500)]
Size = Annotated[int, Field(ge=0, le=2**62)]


class Registration(Input):
    id: AgentId
    title: Title
    machine_name: Telemetry | None = None
    machine_ip: Telemetry | None = None
    llm_version: Telemetry | None = None
    email: Telemetry | None = None
    os_name: Telemetry | None = None
    os_version: Telemetry | None = None
    ram_bytes: Size | None = None
    storage_bytes: Size | None = None
    storage_type: Telemetry | None = None


@routes.post("/teams/{team_id}/agents/register", registration())
def register_agent(call: Call, team_id: str, body: Registration) -> agents.Agent:
    """Register an agent with a team; a new one is pending, one registered with the same API key keeps its status.

    Registering again updates what the agent reports about its machine. Once the agent has been approved, its title
    and its team stay as they were then: people know the agent by them. An approved agent is online afterwards.

    An agent cannot be called me, none or system, or have an id that begins like those of the service (key_, usr_).
    Raises agent_unknown if the key is bound to another agent, conflict if another API key registered the id,
    handle_taken if it is the handle of a member (in any case), and too_many_pending_agents if 20 agents of the API key
    wait for approval.
    """
    key = call.caller
    assert isinstance(key, Key)
    if not call.tx.one(sql.teams.get, team_id=team_id, org_id=key.org_id) or key.team_id not in (None, team_id):
        raise NotFound("team")
    if key.agent_id not in (None, body.id):
        raise Forbidden("agent_unknown", "The API key is bound to another agent. Register that agent instead.")
    existing = agents.find_agent(call, body.id)
    is_own = existing is not None and (existing["key_id"] == key.id or body.id == key.agent_id)
    if not is_own:
        _require_registrable(call, key, existing, body.id)
    _save_registration(call, existing if is_own else None, team_id, body)
    return _record_registration(call, existing, agents.require_agent(call, body.id))


def _require_registrable(call: Call, key: Key, existing: Row | None, agent_id: str) -> None:
    """Raise the error of an id that is reserved or taken, or of an API key with too many agents that wait."""
    agents.check_new_id(call, agent_id, "id")
    # If the old API key was deleted, a new key may take the id, but the agent has to be approved again.
    if existing and existing["key_id"] is not None:
        raise Conflict(None, "Another API key registered this id. Choose another id.", state="taken")
    if call.tx.value(sql.agents.count_pending, key_id=key.id) >= PENDING_AGENTS_MAX:
        message = (
            f"{PENDING_AGENTS_MAX} agents of this API key wait for approval. Ask a Solution Architect to review them."
        )
        raise Conflict("too_many_pending_agents", message, limit=PENDING_AGENTS_MAX)


def _save_registration(call: Call, own: Row | None, team_id: str, body: Registration) -> None:
    """Write an agent; `own` is its row if it registers again."""
    assert isinstance(call.caller, Key)
    status, key_id = (own["status"], own["key_id"]) if own else ("pending", None)
    if status == "approved":
        last_seen.set_online(call.tx, call.org_id, body.id)
    identity = {"org_id": call.org_id, "agent_id": body.id, "team_id": team_id, "key_id": key_id or call.caller.id}
    call.tx.run(sql.agents.register, status=status, now=call.now, **identity, **body.model_dump(exclude={"id"}))


def _record_registration(call: Call, existing: Row | None, row: Row) -> agents.Agent:
    """Record the event of a new or changed agent, and return the agent."""
    if existing is None or existing["key_id"] != row["key_id"]:
        events.record(call, "agent.registered", agent_id=row["id"])
        start = {"reader_type": "Agent", "reader_id": row["id"], "event_id": event_cursor.get_last_event_id(call)}
        call.tx.run(sql.seen.upsert, org_id=call.org_id, card_id="", **start)  # start of its inbox
    elif row != {**existing, **{name: row[name] for name in PRESENCE}}:
        events.record(call, "agent.updated", agent_id=row["id"])
    return agents.Agent.of(row)
