"""An agent's key never approves, grants or changes policy: a walk over every route proves it.

Policy is everything in the database but what the work of agents leaves behind. So what is added to the service
later counts as policy until it is named here.
"""

import itertools
from collections import defaultdict
from typing import Any

import pytest

from service.auth.authentication import API_KEY, JWT
from service.pipeline.routing import ROUTES, Route

from .. import walk
from ..builders import database
from ..walk import Ids
from ..world import Answer, Client, World

WORK = {
    "cards",
    "relationships",
    "field_values",
    "comments",
    "files",
    "history",
    "claims",
    "retries",
    "refusals",
    "events",
    "database_usage",
    "card_counts",
    "sqlite_sequence",
}
SEARCH = "search_"  # the tables of the search index begin so; they follow the work
# What an agent says of itself, and the note of when a key was last used.
TELEMETRY = {
    "columns": {"card_count"},
    "agents": {"is_online", "online_until", "last_seen_at", "title"},
    "api_keys": {"last_used_at"},
    "projects": {"last_number"},
}
ORG = "/organizations/{org_id}"
WITHDRAWAL = "DELETE /move-requests/{move_request_id}/mcp"
ROUTES_BY_NAME = {walk.name(route): route for route in ROUTES}


def bodies(ids: Ids) -> dict[str, Any]:
    """Return bodies that would really change policy, in an order in which an architect can send them all."""
    member = {"email": "new@example.test", "role": "SolutionArchitect"}
    return {
        "POST /move-requests/{move_request_id}/approve": {"note": "Fine"},
        "POST /move-requests/{move_request_id}/reject": {"note": "No"},
        "PATCH /permissions/{permission_id}": {"actions": ["read"]},
        f"PATCH {ORG}": {"title": "Taken over"},
        f"PATCH {ORG}/columns/{{column_id}}": {"agentCanModerate": False, "requiredFieldIds": [ids["field_id"]]},
        f"POST {ORG}/columns": {"projectId": ids["project_id"], "title": "Mine", "agentPickupEnabled": True},
        f"POST {ORG}/transitions": {"fromColumnId": ids["column_id"], "toColumnId": ids["review_id"]},
        f"PATCH {ORG}/transitions/{{transition_id}}": {"requiresApproval": True},
        f"POST {ORG}/card-types": {"title": "Mine"},
        f"PATCH {ORG}/card-types/{{card_type_id}}": {"commentsEnabled": False},
        f"POST {ORG}/card-types/{{card_type_id}}/fields": {"name": "mine", "kind": "text"},
        f"PATCH {ORG}/card-types/{{card_type_id}}/fields/{{field_id}}": {"required": True},
        f"POST {ORG}/members": member,
        f"PATCH {ORG}/members/{{user_id}}": {"role": "SolutionArchitect"},
        f"POST {ORG}/projects": {"title": "Mine"},
        f"PATCH {ORG}/projects/{{project_id}}": {"title": "Mine"},
        f"POST {ORG}/teams": {"name": "Mine"},
        f"PATCH {ORG}/teams/{{team_id}}": {"name": "Mine"},
        f"PATCH {ORG}/teams/{{team_id}}/onboarding": {"content": "Obey me"},
        f"POST {ORG}/teams/{{team_id}}/members": {"userId": ids["user_id"]},
        "PATCH /agents/{agent_id}/stop": None,
        "PATCH /agents/{agent_id}/resume": None,
        "POST /settings/api-keys": {"name": "mine"},
        "PATCH /settings/api-keys/{key_id}": {"name": "mine"},
        "POST /settings/api-keys/{key_id}/rotate": None,
        "POST /prompts": {"name": "Mine", "body": "Obey me"},
        "PATCH /prompts/{prompt_id}": {"name": "Obey"},
        "POST /mcp-servers": {"name": "mine", "transport": "stdio", "command": "run"},
        "PATCH /mcp-servers/{server_id}": {"enabled": False},
        "DELETE /agents/{agent_id}": None,
        "DELETE /settings/api-keys/{key_id}": None,
        f"DELETE {ORG}/members/{{user_id}}": None,
        f"DELETE {ORG}/transitions/{{transition_id}}": None,
        f"DELETE {ORG}/card-types/{{card_type_id}}/fields/{{field_id}}": None,
        f"DELETE {ORG}/projects/{{project_id}}": None,
        f"DELETE {ORG}": None,
    }


def work(ids: Ids) -> dict[str, Any]:
    """Return bodies of agents' routes that go as far as they can."""
    over = {"toColumnId": ids["done_id"]}
    card = {"projectId": ids["project_id"], "columnId": ids["column_id"], "cardTypeId": ids["card_type_id"]}
    return {
        "PATCH /cards/{card_id}/mcp": {"title": "Worked on"},
        "PATCH /cards/{card_id}/mcp/status": over,
        "POST /cards/{card_id}/move-requests/mcp": over,
        f"POST {ORG}/cards/mcp": {"title": "Made", **card},
        "POST /teams/{team_id}/agents/register": {"id": ids["agent_id"], "title": "Still me"},
    }


def policy(world: World) -> dict[str, Any]:
    """Show everything in the database but what the work of agents leaves behind."""
    with database(world) as connection:
        connection.row_factory = lambda cursor, row: dict(zip([name for name, *_ in cursor.description], row))
        tables = [row["name"] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {
            table: [
                {key: value for key, value in row.items() if key not in TELEMETRY.get(table, ())}
                for row in connection.execute(f"SELECT * FROM {table}")
            ]
            for table in tables
            if table not in WORK and not table.startswith(SEARCH)
        }


async def _furnished(world: World) -> tuple[Ids, dict[str, Client]]:
    """Furnish the SA's organization, where a request of `bot` to move a card waits; give keys of every standing."""
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    columns = (await world.sa.get(world.sa.org("/columns"), params={"projectId": ids["project_id"]})).ok()
    titles = {column["title"]: column["id"] for column in columns}
    ids |= {"user_id": world.member.id, "done_id": titles["Done"], "review_id": titles["Review"]}
    keys = {
        "the agent that asked": agent,
        "another agent": await _joined(world, ids, "other"),
        "a pending agent": await _joined(world, ids, "pending", approve=False),
        "a stopped agent": await _joined(world, ids, "stopped"),
        "nobody yet": await world.key(),
        "a script": await world.script(),
        "two agents": await _joined(world, ids, "one", "two"),
        "two pending agents": await _joined(world, ids, "three", "four", approve=False),
    }
    (await world.sa.patch("/agents/stopped/stop")).ok()
    return ids, keys


async def _joined(world: World, ids: Ids, *agent_ids: str, approve: bool = True) -> Client:
    """Make a key with which these agents registered."""
    key = await world.key()
    for agent_id in agent_ids:
        await world.register(key, ids["team_id"], agent_id)
        if approve:
            (await world.sa.patch(f"/agents/{agent_id}/approve")).ok()
    return key


async def _send(who: Client, route: Route, ids: Ids, **options: Any) -> Answer:
    """Call a route with the body that goes furthest."""
    known = bodies(ids) | work(ids)
    return await walk.send(who, route, ids, known.get(walk.name(route)), **options)


async def _walked(world: World, key: Client, ids: Ids, **options: Any) -> None:
    """Try every route with a key; fail if policy is another afterwards, or if a route for people let it in."""
    before = policy(world)
    for route in ROUTES:
        is_stream = (
            route.reads and route.manages_transactions and route.policy.scheme == API_KEY  # and may not end
        )
        if walk.name(route) == WITHDRAWAL or is_stream:
            continue
        answer = await _send(key, route, ids, **options)
        if route.policy.scheme == JWT:
            answer.refused(401, "unauthorized")
    assert policy(world) == before


def test_the_bodies_are_of_routes_that_exist_and_policy_has_its_tables(world: World) -> None:
    names = {walk.name(route) for route in ROUTES}
    ids: Ids = defaultdict(str)
    assert names >= {*bodies(ids), *work(ids), WITHDRAWAL}
    assert policy(world).keys() >= {"permissions", "columns", "transitions", "memberships", "move_requests"}


@pytest.mark.slow
async def test_no_key_changes_policy_by_any_route(world: World) -> None:
    ids, keys = await _furnished(world)
    for key in keys.values():
        await _walked(world, key, ids)


@pytest.mark.parametrize("pretence", ["bearer", "agent", "person", "organization"])
async def test_no_header_lifts_a_key_above_policy(world: World, pretence: str) -> None:
    ids, keys = await _furnished(world)
    for key in (keys["the agent that asked"], keys["nobody yet"]):
        headers = {
            "bearer": {"Authorization": f"Bearer {key.secret}"},
            "agent": {"X-Agent-Id": "bot"},
            "person": {"X-Agent-Id": world.sa.id},
            "organization": {"X-Organization-Id": world.sa.org_id},
        }
        await _walked(world, key, ids, headers=headers[pretence])


async def test_an_architect_changes_policy_with_the_same_requests(world: World) -> None:
    """The walk sends what would work: only the key stands in the way."""
    ids, keys = await _furnished(world)
    for name in bodies(ids):
        if name.endswith("/reject"):
            ids |= {"move_request_id": await _another(world, keys["the agent that asked"], ids)}
        before = policy(world)
        (await _send(world.sa, ROUTES_BY_NAME[name], ids)).ok()
        assert policy(world) != before, name


async def _another(world: World, agent: Client, ids: Ids) -> str:
    """Let the agent ask for the move of another card."""
    place = {"projectId": ids["project_id"], "columnId": ids["column_id"], "cardTypeId": ids["card_type_id"]}
    card = (await world.sa.post(world.sa.org("/cards"), {"title": "Another", **place})).ok()
    body = {"toColumnId": ids["done_id"]}
    return str((await agent.post(f"/cards/{card['id']}/move-requests/mcp", body)).ok()["id"])


async def test_an_agent_withdraws_its_own_request_and_nothing_else_changes(world: World) -> None:
    ids, keys = await _furnished(world)
    before = policy(world)
    for key in [*keys.values()][1:]:
        assert (await _send(key, ROUTES_BY_NAME[WITHDRAWAL], ids)).status == 403
    assert policy(world) == before
    (await _send(keys["the agent that asked"], ROUTES_BY_NAME[WITHDRAWAL], ids)).ok()
    after = policy(world)
    (request,) = after.pop("move_requests")
    assert (request["id"], request["state"]) == (ids["move_request_id"], "withdrawn")
    assert after == {table: rows for table, rows in before.items() if table != "move_requests"}


async def test_no_key_moves_a_card_over_a_transition_that_needs_approval(world: World) -> None:
    ids, keys = await _furnished(world)
    codes = {
        "a pending agent": "agent_not_approved",
        "a stopped agent": "agent_stopped",
        "nobody yet": "agent_not_registered",
        "two agents": "agent_unknown",
        "two pending agents": "agent_unknown",
    }
    path, body = f"/cards/{ids['card_id']}/mcp/status", {"toColumnId": ids["done_id"]}
    for standing, key in keys.items():
        (await key.patch(path, body)).refused(403, codes.get(standing, "approval_required"))
        for name in ("one", "other"):
            owner = {"one": "two agents", "other": "another agent"}[name]
            code = "approval_required" if standing == owner else "agent_unknown"
            (await key.patch(path, {**body, "agentId": name})).refused(403, code)
            (await key.patch(path, body, headers={"X-Agent-Id": name})).refused(403, code)
        (await key.patch(path, {**body, "agentId": world.sa.id})).refused(403, "agent_unknown")
    assert (await world.sa.get(f"/cards/{ids['card_id']}")).ok()["columnId"] == ids["column_id"]


@pytest.mark.parametrize("verb", ["approve", "reject"])
async def test_no_way_of_calling_lets_an_agent_decide(world: World, verb: str) -> None:
    ids, keys = await _furnished(world)
    path, before = f"/move-requests/{ids['move_request_id']}/{verb}", policy(world)
    names = ("bot", "other", "one", world.sa.id, world.member.id)
    for key in keys.values():
        for scheme, name in itertools.product(("ApiKey", "apikey", "Bearer", "bearer", "JWT"), names):
            headers = {"Authorization": f"{scheme} {key.secret}", "X-Agent-Id": name}
            for body in ({}, {"agentId": name}, {"note": "I say so", "decidedBy": name}):
                (await key.post(path, body, headers=headers)).refused(401, "unauthorized")
        for variant in (f"{path}/mcp", f"/cards/{ids['card_id']}{path}/mcp", f"{path}?agentId={world.sa.id}"):
            assert (await key.post(variant, {})).status in (401, 404)
    assert policy(world) == before
