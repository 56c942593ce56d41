"""The authorization walk: every route, with every kind of caller, is refused as its policy says, or lets them in.

`CALLERS` has the kinds: credentials (none, wrong, ended, of the other scheme), people by their place in the
organization, keys by what registered with them and what became of it. For each the table says what a route asks of it
that it has not; what a route asks stands in tests/policies.py. A caller that is denied has changed nothing; one that is
allowed can read.

Beside it, for what a kind of caller is not enough: ids of others in paths (test_access), in bodies, queries and imports
(test_foreign_ids), archived parents (test_archived_parents), permission rows (test_permission_rows), columns
(test_column_gate), requests that were begun before a credential ended (test_ended_credentials), and policy
(test_policy), which no key ever changes.
"""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

import jwt
import pytest

from service.auth.authentication import API_KEY, JWT
from service.pipeline.routing import ROUTES, Route

from .. import walk
from ..direct_db import execute
from ..policies import POLICIES, PUBLIC
from ..resources.test_permissions import SEED
from ..walk import Ids
from ..world import OUTSIDER, SECRET, Client, World

Refusal = tuple[int, str]
GATE = {name: policy for policy, names in POLICIES.items() for name in names}
UNREGISTERED = {*POLICIES["agent: unregistered"]}
PENDING = {*POLICIES["agent: pending"]} | UNREGISTERED
REGISTER = "POST /teams/{team_id}/agents/register"
NO_CREDENTIAL = (401, "unauthorized")


def nobody(route: Route) -> Refusal | None:
    """Refuse everywhere."""
    return NO_CREDENTIAL


def ended(scheme: str, code: str) -> Callable[[Route], Refusal | None]:
    """Refuse everywhere, and say what became of the credential where it would be one."""
    return lambda route: (401, code) if route.policy.scheme == scheme else NO_CREDENTIAL


def architect(route: Route) -> Refusal | None:
    """Let people in."""
    return None if route.policy.scheme == JWT else NO_CREDENTIAL


def member(route: Route) -> Refusal | None:
    """Let members in where neither policy nor row keeps them off."""
    policy = GATE[walk.name(route)]
    needed = re.findall(r"(\w+):(\w+)", policy)
    if route.policy.scheme != JWT:
        return NO_CREDENTIAL
    if policy.split(" ")[0] == "SA":
        return 403, "sa_required"
    lacks = any(action not in SEED["Member", resource] for resource, action in needed)
    return (403, "permission_denied") if lacks else None


def stranger(route: Route) -> Refusal | None:
    """Hide the organization and all that is in it from a person without a place in it."""
    if route.policy.scheme != JWT:
        return NO_CREDENTIAL
    return None if GATE[walk.name(route)] == "any" else (404, "not_found")


def approved(route: Route) -> Refusal | None:
    """Let agents in."""
    return None if route.policy.scheme == API_KEY else NO_CREDENTIAL


def script(route: Route) -> Refusal | None:
    """Let in a key that acts as itself; it has no agent to look at."""
    return approved(route) or ((404, "not_found") if "agent_id" in walk.parameters(route) else None)


def inactive(code: str) -> Callable[[Route], Refusal | None]:
    """Let an agent that is not approved register, look at itself and leave."""
    return lambda route: approved(route) or (None if walk.name(route) in PENDING else (403, code))


def unregistered(route: Route) -> Refusal | None:
    """Let a key without an agent register and look at itself; it has no agent to look at."""
    if refusal := approved(route):
        return refusal
    if walk.name(route) not in UNREGISTERED:
        return 403, "agent_not_registered"
    return (404, "not_found") if "agent_id" in walk.parameters(route) else None


def several(route: Route) -> Refusal | None:
    """Ask a key of several agents which it is, wherever it matters and the path does not say."""
    says = walk.name(route) in UNREGISTERED or "agent_id" in walk.parameters(route)
    return approved(route) or (None if says else (403, "agent_unknown"))


def pretender(route: Route) -> Refusal | None:
    """Deny calls in another agent's name, by header or path; only a registration names its agent itself."""
    return approved(route) or (None if walk.name(route) == REGISTER else (403, "agent_unknown"))


def alien(route: Route) -> Refusal | None:
    """Keep the agents of another organization out of this one."""
    if refusal := approved(route):
        return refusal
    if "org_id" in walk.parameters(route):
        return 403, "cross_organization"
    return (404, "not_found") if walk.parameters(route) or route.path == "/prompts/mcp" else None


async def _nobody(world: World, ids: Ids) -> Client:
    return world.nobody


def _with(authorization: str) -> Callable[[World, Ids], Awaitable[Client]]:
    async def make(world: World, ids: Ids) -> Client:
        key = await world.key()
        header = authorization.format(key=key.secret, token=world.sa.headers["Authorization"].split()[1])
        return world.client({"Authorization": header})

    return make


def _token(secret: str = SECRET, **claims: Any) -> Callable[[World, Ids], Awaitable[Client]]:
    async def make(world: World, ids: Ids) -> Client:
        now = time.time()
        body = {"sub": world.sa.id, "iat": now, "exp": now + 60, "iss": "tandem", "aud": "tandem", **claims}
        return world.client({"Authorization": f"Bearer {jwt.encode(body, secret, algorithm='HS256')}"})

    return make


async def _architect(world: World, ids: Ids) -> Client:
    return world.sa


async def _member(world: World, ids: Ids) -> Client:
    return world.member


async def _signed_out(world: World, ids: Ids) -> Client:
    (await world.member.post("/auth/logout")).ok()
    return world.member


def _there(world: World, person: Client) -> Client:
    """Let somebody name the organization."""
    return world.client({**person.headers, "X-Organization-Id": world.sa.org_id}, id=person.id)


async def _stranger(world: World, ids: Ids) -> Client:
    return _there(world, world.outsider)


async def _invited(world: World, ids: Ids) -> Client:
    (await world.sa.post(world.sa.org("/members"), {"email": OUTSIDER, "role": "SolutionArchitect"})).ok()
    return _there(world, world.outsider)


async def _removed_member(world: World, ids: Ids) -> Client:
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    return _there(world, world.member)


def _key(end: str) -> Callable[[World, Ids], Awaitable[Client]]:
    async def make(world: World, ids: Ids) -> Client:
        key = await world.key()
        await world.register(key, ids["team_id"], "ended")
        (await world.sa.patch("/agents/ended/approve")).ok()
        path = f"/settings/api-keys/{key.id}"
        if end == "removed":
            (await world.sa.delete(path)).ok()
        elif end == "revoked":
            (await world.sa.patch(path, {"enabled": False})).ok()
        elif end == "rotated":
            (await world.sa.post(f"{path}/rotate")).ok()
        else:
            await execute(
                world, "UPDATE api_keys SET expires_at = '2020-01-01T00:00:00.000Z' WHERE id = :id", id=key.id
            )
        return key

    return make


def _agents(*agent_ids: str, then: str = "approve", **wishes: Any) -> Callable[[World, Ids], Awaitable[Client]]:
    """Make a key with which agents register, of which each is then approved, stopped, removed or left waiting."""

    async def make(world: World, ids: Ids) -> Client:
        key = await world.key(**wishes)
        ids["agent_id"] = wishes.get("agentId", ids["agent_id"])
        for agent_id in agent_ids:
            ids["agent_id"] = agent_id
            await world.register(key, ids["team_id"], agent_id)
            for step in {"stop": ["approve", "stop"], "remove": ["approve", "stop"], "wait": []}.get(then, [then]):
                (await world.sa.patch(f"/agents/{agent_id}/{step}")).ok()
            if then == "remove":
                (await world.sa.delete(f"/agents/{agent_id}")).ok()
        return key

    return make


async def _pretender(world: World, ids: Ids) -> Client:
    key = await _agents("own")(world, ids)
    return world.client({**key.headers, "X-Agent-Id": "bot"})


async def _script(world: World, ids: Ids) -> Client:
    return await world.script()


async def _alien(world: World, ids: Ids) -> Client:
    return await world.agent("alien", world.outsider)


CALLERS: dict[str, tuple[Callable[[World, Ids], Awaitable[Client]], Callable[[Route], Refusal | None]]] = {
    "nobody": (_nobody, nobody),
    "a word that is no credential": (_with("Bearer nonsense"), nobody),
    "a scheme that there is not": (_with("Basic {token}"), nobody),
    "a key as a token": (_with("JWT {key}"), nobody),
    "a token as a key": (_with("ApiKey {token}"), nobody),
    "a token of another secret": (_token(secret="x" * 40), nobody),
    "a token without an end": (_token(exp=None), nobody),
    "a token of another service": (_token(aud="other"), nobody),
    "a token of nobody": (_token(sub="usr_none"), nobody),
    "a token that has expired": (_token(exp=1), ended(JWT, "token_expired")),
    "a person who signed out": (_signed_out, nobody),
    "an architect": (_architect, architect),
    "a member": (_member, member),
    "a stranger": (_stranger, stranger),
    "somebody invited": (_invited, stranger),
    "somebody who was a member": (_removed_member, stranger),
    "a key that there is not": (_with("ApiKey tdm_none_" + "x" * 43), nobody),
    "a key that was removed": (_key("removed"), nobody),
    "a key that was rotated": (_key("rotated"), nobody),
    "a key that was revoked": (_key("revoked"), ended(API_KEY, "api_key_revoked")),
    "a key that has expired": (_key("expired"), ended(API_KEY, "api_key_expired")),
    "a key with which nobody registered": (_agents(), unregistered),
    "a key of an agent that did not register": (_agents(agentId="absent"), unregistered),
    "a pending agent": (_agents("own", then="wait"), inactive("agent_not_approved")),
    "a stopped agent": (_agents("own", then="stop"), inactive("agent_stopped")),
    "a removed agent": (_agents("own", then="remove"), unregistered),
    "several agents": (_agents("one", "two"), several),
    "an agent in another's name": (_pretender, pretender),
    "an agent of another organization": (_alien, alien),
    "an approved agent": (_agents("own"), approved),
    "a script": (_script, script),
}


def test_every_route_is_walked() -> None:
    assert GATE.keys() == {walk.name(route) for route in ROUTES}


@pytest.mark.parametrize("kind", CALLERS)
async def test_every_route_refuses_whom_it_is_to_refuse_and_lets_the_others_read(world: World, kind: str) -> None:
    make, refusal = CALLERS[kind]
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    who, wrong = await make(world, ids), []
    before = await walk.describe_organization(world.sa, ids)
    for route in ROUTES:
        expected = None if walk.name(route) in PUBLIC else refusal(route)
        if expected is None and not route.reads:  # what they may write is tried beside each noun
            continue
        answer = await walk.call(who, route, ids)
        code = answer.body["error"]["code"] if answer.status >= 400 else "let in"
        if (answer.status, code) != (expected or (200, "let in")):
            wrong.append((walk.name(route), answer.status, code, expected))
        if answer.status == 401:
            scheme = "Bearer" if route.policy.scheme == JWT else "ApiKey"
            assert answer.headers["WWW-Authenticate"] == f'{scheme} realm="tandem"', walk.name(route)
    assert wrong == []
    assert await walk.describe_organization(world.sa, ids) == before
