"""Registration: how an agent makes itself known, and under which id (contract, section 4)."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ..auth.authentication import Key
from ..auth.context import Call
from ..auth.policies import registration
from ..database.queries import sql
from ..database.store import Row
from ..domain import event_cursor
from ..errors import Conflict, Forbidden, NotFound
from ..pipeline.routing import routes
from ..schemas import AgentId, Input, Name
from . import agents, events

PENDING_AGENTS_MAX = 20  # of one key that may wait for approval
Telemetry = Annotated[str, StringConstraints(max_length=500)]
Size = Annotated[int, Field(ge=0, le=2**62)]


class Registration(Input):
    id: AgentId
    title: Name
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
def register(call: Call, team_id: str, body: Registration) -> agents.Agent:
    """Register an agent with a team; a new one is pending, a known one with the same key keeps its state.

    Raises agent_unknown if the key is bound to another agent, conflict if another key holds the id, and
    too_many_pending_agents if 20 agents of the key wait for approval.
    """
    key = call.caller
    assert isinstance(key, Key)
    if not call.tx.one(sql.teams.get, team_id=team_id, org_id=key.org_id) or key.team_id not in (None, team_id):
        raise NotFound("team")
    if key.agent_id not in (None, body.id):
        raise Forbidden("agent_unknown", "The key is bound to another agent; register that one.")
    known = call.tx.one(sql.agents.get, org_id=key.org_id, agent_id=body.id)
    is_own = known is not None and (known["key_id"] == key.id or body.id == key.agent_id)
    if not is_own:
        _judge_newcomer(call, key, known)
    holder = (is_own and known and known["key_id"]) or key.id
    where = {"org_id": key.org_id, "agent_id": body.id, "team_id": team_id, "key_id": holder}
    status = known["status"] if known and is_own else "pending"
    call.tx.run(sql.agents.register, status=status, now=call.now, **where, **body.model_dump(exclude={"id"}))
    return _registered(call, known, agents.require_agent(call, body.id))


def _judge_newcomer(call: Call, key: Key, known: Row | None) -> None:
    """Refuse a registration that would take somebody's id, or be one more than people can look at."""
    # A new key for an id whose old key was removed is a new acquaintance: somebody has to approve it again.
    if known and known["key_id"] is not None:
        raise Conflict("conflict", "Another key registered this id; choose another id.")
    if call.tx.value(sql.agents.count_pending, key_id=key.id) >= PENDING_AGENTS_MAX:
        waiting = f"{PENDING_AGENTS_MAX} agents of this key wait for approval already"
        message = f"{waiting}; ask a Solution Architect to look at them."
        raise Conflict("too_many_pending_agents", message, limit=PENDING_AGENTS_MAX)


def _registered(call: Call, known: Row | None, row: Row) -> agents.Agent:
    """Tell of a new acquaintance, or of what is new about an old one."""
    if known is None or known["key_id"] != row["key_id"]:
        events.record(call, "agent.registered", agent_id=row["id"])
        began = {"reader_id": row["id"], "event_id": event_cursor.get_last_event_id(call)}
        call.tx.run(sql.seen.upsert, org_id=call.org_id, card_id="", **began)  # where its inbox begins
    elif row != {**known, "last_seen_at": row["last_seen_at"]}:
        events.record(call, "agent.updated", agent_id=row["id"])
    return agents.Agent.of(row)
