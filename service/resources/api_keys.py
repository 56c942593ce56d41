"""API keys of agents, managed by Solution Architects."""

from pydantic import MISSING

from ..auth import passwords
from ..auth.context import Call
from ..auth.policies import architect
from ..database.queries import sql
from ..errors import invalid
from ..ids import new_id
from ..pipeline import growth, reference_errors
from ..pipeline.routing import routes
from ..schemas import AgentId, Id, Input, Output, Timestamp, Title
from . import agents, events


class ApiKey(Output):
    """An API key without its secret."""

    id: str
    name: str
    prefix: str
    team_id: str | None
    agent_id: str | None
    acts_as_itself: bool
    enabled: bool
    expires_at: str | None
    last_used_at: str | None
    created_at: str


class FreshApiKey(ApiKey):
    """A new API key with its secret, which is returned only once."""

    secret: str


class NewApiKey(Input):
    name: Title
    team_id: Id | None = None
    agent_id: AgentId | None = None
    expires_at: Timestamp | None = None
    acts_as_itself: bool = False


class ApiKeyEdit(Input):
    name: Title | MISSING = MISSING
    enabled: bool | MISSING = MISSING
    acts_as_itself: bool | MISSING = MISSING


def _require_api_key(call: Call, key_id: str) -> "sql.api_keys.GetRow":
    return call.require(sql.api_keys.get, "API key", key_id=key_id, org_id=call.org_id)


def _create_secret(key_id: str) -> tuple[str, dict[str, str]]:
    secret = passwords.new_key(key_id)
    prefix = secret[: len(passwords.KEY_PREFIX) + len(key_id) + 5]
    return secret, {"hash": passwords.hash_key(secret), "prefix": prefix}


@routes.get("/settings/api-keys", architect())
def list_api_keys(call: Call) -> list[ApiKey]:
    """List the API keys of the current organization (SA), oldest first."""
    return [ApiKey.of(row) for row in call.tx.all(sql.api_keys.list, org_id=call.org_id)]


@routes.post("/settings/api-keys", architect())
def create_api_key(call: Call, body: NewApiKey) -> FreshApiKey:
    """Create an API key (SA), optionally for one team or one agent; only this response contains the secret.

    With `actsAsItself`, a script can use the key without registration or approval. It acts with the id and name of the
    key until an agent registers with it. Raises handle_taken if `agentId` is the handle of a member.
    """
    if body.team_id and not call.tx.one(sql.teams.get, team_id=body.team_id, org_id=call.org_id):
        raise reference_errors.unknown_team(call, "teamId")
    if body.agent_id:
        agents.check_new_id(call, body.agent_id, "agentId")
    if body.expires_at and body.expires_at <= call.now:
        raise invalid("expiresAt", "must be in the future")
    key_id = new_id("key")
    secret, stored = _create_secret(key_id)
    call.tx.run(sql.api_keys.create, id=key_id, org_id=call.org_id, now=call.now, **body.model_dump(), **stored)
    events.record(call, "apiKey.created")
    return FreshApiKey(**_require_api_key(call, key_id), secret=secret)


@routes.patch("/settings/api-keys/{key_id}", architect(), grows=False)
def update_api_key(call: Call, key_id: str, body: ApiKeyEdit) -> ApiKey:
    """Rename, disable or enable an API key (SA), or change whether it may act as itself."""
    before = _require_api_key(call, key_id)
    if body.changes() != {"enabled": False}:  # disabling a key goes on
        growth.require_room(call)
    row = {**before, **body.changes()}
    values = {key: row[key] for key in ("name", "enabled", "acts_as_itself")}
    call.tx.run(sql.api_keys.update, key_id=key_id, **values)
    if row != before:
        events.record(call, "apiKey.updated")
    return ApiKey.of(row)


@routes.post("/settings/api-keys/{key_id}/rotate", architect())
def rotate_api_key(call: Call, key_id: str) -> FreshApiKey:
    """Replace the secret of an API key (SA); the old secret stops working."""
    _require_api_key(call, key_id)
    secret, stored = _create_secret(key_id)
    call.tx.run(sql.api_keys.rotate, key_id=key_id, **stored)
    events.record(call, "apiKey.rotated")
    return FreshApiKey(**_require_api_key(call, key_id), secret=secret)


@routes.delete("/settings/api-keys/{key_id}", architect())
def delete_api_key(call: Call, key_id: str) -> None:
    """Delete an API key (SA)."""
    _require_api_key(call, key_id)
    call.tx.run(sql.api_keys.delete, key_id=key_id)
    events.record(call, "apiKey.removed")
