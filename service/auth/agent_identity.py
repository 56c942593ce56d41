"""Resolution of the calling agent from an API key.

A key can act only for the agents that registered with it, or for the agent to which it is bound. Otherwise an agent
could avoid the need for approval by sending another agent's id, or none.
"""

from ..database.queries import sql
from ..database.store import Row
from ..errors import Forbidden, NotFound
from ..schemas import Actor
from .authentication import Key
from .context import Call
from .policies import Policy


def resolve_actor(call: Call, key: Key, policy: Policy) -> Actor:
    """Return the actor of a request: the calling agent, or the key itself if no agent is calling.

    Raise agent_unknown, agent_not_registered, agent_not_approved or agent_stopped.
    """
    row = None if policy.registers_agent else _find_agent(call, key, policy)
    if row is None:
        return Actor("Agent", key.id, key.name)
    if not policy.allows_pending_agents:
        _require_active(row)
    return Actor("Agent", row["id"])


def _find_agent(call: Call, key: Key, policy: Policy) -> Row | None:
    """Return the calling agent, or None if the key acts as itself."""
    in_path = call.path.get("agent_id")
    if in_path and call.named_agent_id not in (None, in_path):
        raise Forbidden("agent_unknown", "The path names another agent than X-Agent-Id or agentId; name the same one.")
    named = in_path or call.named_agent_id or key.agent_id
    if named is None:
        return _find_only_agent(call, key, policy)
    own = {"org_id": key.org_id, "agent_id": named, "key_id": key.id, "bound_id": key.agent_id, "team_id": key.team_id}
    row = call.tx.one(sql.access.find_own_agent, **own) if key.agent_id in (None, named) else None
    if row is None:
        _deny_agent_id(call, key, policy, named)
    return row


def _find_only_agent(call: Call, key: Key, policy: Policy) -> Row | None:
    """Return the only agent that registered with a key; raise agent_unknown if there are several."""
    rows = _list_agents(call, key)
    if len(rows) > 1 and not policy.allows_unregistered_keys:
        message = "Several agents registered with this key; send your agent id in X-Agent-Id."
        raise Forbidden("agent_unknown", message)
    if not rows and not policy.allows_unregistered_keys and not key.acts_as_itself:
        raise _not_registered()
    return rows[0] if len(rows) == 1 else None


def _list_agents(call: Call, key: Key) -> list[Row]:
    return call.tx.all(sql.access.list_registered_agents, org_id=key.org_id, key_id=key.id, team_id=key.team_id)


def _deny_agent_id(call: Call, key: Key, policy: Policy, named: str) -> None:
    """Raise the error for an agent id that the key cannot use, the same whether or not the agent exists."""
    is_path, is_bound = "agent_id" in call.path, key.agent_id is not None
    if (is_bound and key.agent_id != named) or not (is_bound or is_path):
        message = "No agent of this id registered with this key; register it, or send the id that did."
        raise Forbidden("agent_unknown", message)
    if not policy.allows_unregistered_keys and (is_bound or not (key.acts_as_itself or _list_agents(call, key))):
        raise _not_registered()
    if is_path:
        raise NotFound("agent")


def _not_registered() -> Forbidden:
    message = "No agent has registered with this key; register one, and wait until it is approved."
    return Forbidden("agent_not_registered", message)


def _require_active(row: Row) -> None:
    if row["status"] == "pending":
        raise Forbidden("agent_not_approved", "The agent waits for approval by a Solution Architect; poll its status.")
    if row["status"] == "stopped":
        raise Forbidden("agent_stopped", "The agent was stopped; a Solution Architect can resume it.")
