"""A walk over the whole route table: who is let in, and who is told what."""

from typing import Any

import pytest

from service.journey.caller import API_KEY, JWT, NONE
from service.journey.table import TABLE

from .. import walk
from ..gates import ARCHITECTS, PUBLIC
from ..world import World

ROUTES = {walk.name(route): route for route in TABLE}
BEFORE_APPROVAL = {
    "POST /teams/{team_id}/agents/register",
    "GET /agent/mcp",  # its own status, for who does not know its id
    "GET /agent/orgs",
    "GET /agents/{agent_id}/status",
    "POST /agents/{agent_id}/offline",
}


def test_exactly_two_routes_are_public() -> None:
    assert {walk.name(route) for route in TABLE if route.gate.scheme == NONE} == {
        "POST /auth/login",
        "GET /teams/{team_id}/onboarding",
    }


async def test_every_other_route_asks_for_a_credential_and_says_for_which(world: World) -> None:
    for route in TABLE:
        if walk.name(route) in PUBLIC:
            continue
        answer = await walk.send(world.nobody, route, {})
        answer.refused(401, "unauthorized")
        assert answer.headers["WWW-Authenticate"] == f'{_word(route)} realm="tandem"', walk.name(route)
        assert f"{_word(route)} <" in answer.body["error"]["message"]


async def test_every_route_refuses_the_credential_of_the_other_scheme(world: World) -> None:
    key = await world.key()
    bearer = world.client({"Authorization": f"Bearer {key.secret}"})
    for route in TABLE:
        if walk.name(route) in PUBLIC:
            continue
        for wrong in [key, bearer] if route.gate.scheme == JWT else [world.sa]:
            answer = await walk.send(wrong, route, {})
            answer.refused(401, "unauthorized")
            assert answer.headers["WWW-Authenticate"].startswith(_word(route)), walk.name(route)
            assert f"{_word(route)} <" in answer.body["error"]["message"]


def _word(route: Any) -> str:
    return "Bearer" if route.gate.scheme == JWT else "ApiKey"


async def test_every_route_for_architects_refuses_a_member(world: World) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    before = await walk.portrait(world.sa, ids)
    answers = [(name, await walk.send(world.member, ROUTES[name], ids)) for name in ARCHITECTS]
    assert len(answers) > 50
    assert walk.unlike(answers, (403, "sa_required")) == []
    assert await walk.portrait(world.sa, ids) == before


async def test_no_route_lets_a_person_near_a_thing_of_another_organization(world: World) -> None:
    own, _ = await walk.furnish(world, world.sa, "bot")
    foreign, _ = await walk.furnish(world, world.outsider, "spy")
    before = await walk.portrait(world.outsider, foreign), await walk.portrait(world.sa, own)
    answers = [
        (f"{walk.name(route)} with another {parameter}", await walk.send(world.sa, route, own | {parameter: alien}))
        for route in walk.judged()
        if route.gate.scheme == JWT
        for parameter in walk.parameters(route)
        for alien in [foreign.get(parameter, "nothing"), "nothing"]
        if alien != own.get(parameter)
    ]
    assert len(answers) > 120
    assert walk.unlike(answers, (404, "not_found")) == []
    assert (await walk.portrait(world.outsider, foreign), await walk.portrait(world.sa, own)) == before


async def test_no_route_lets_an_agent_near_a_thing_of_another_organization(world: World) -> None:
    own, agent = await walk.furnish(world, world.sa, "bot")
    foreign, _ = await walk.furnish(world, world.outsider, "spy")
    before = await walk.portrait(world.outsider, foreign), await walk.portrait(world.sa, own)
    answers = [
        (f"{walk.name(route)} with another {parameter}", await walk.send(agent, route, own | {parameter: alien}))
        for route in walk.judged()
        if route.gate.scheme == API_KEY
        for parameter in walk.parameters(route)
        for alien in [foreign.get(parameter, "nothing"), "nothing"]
        if alien != own.get(parameter)
    ]
    in_path = [entry for entry in answers if entry[0].endswith("org_id")]
    assert len(in_path) >= 8
    assert walk.unlike(in_path, (403, "cross_organization")) == []
    assert walk.unlike([entry for entry in answers if entry not in in_path], (404, "not_found")) == []
    assert (await walk.portrait(world.outsider, foreign), await walk.portrait(world.sa, own)) == before


async def test_naming_a_strange_organization_in_the_header_is_404_wherever_the_path_names_none(world: World) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    people = [route for route in walk.judged() if route.gate.scheme == JWT and route.gate.organization]
    telling = {"org_id", "card_id", "file_id", "move_request_id"}  # they say themselves which organization it is
    routes = [route for route in people if not telling & {*walk.parameters(route)}]
    assert len(routes) >= 10
    for strange in (world.outsider.org_id, "nothing", "é"):
        headers = {"X-Organization-Id": strange}
        answers = [(walk.name(route), await walk.send(world.sa, route, ids, headers=headers)) for route in routes]
        assert walk.unlike(answers, (404, "not_found")) == []


@pytest.mark.parametrize(("status", "code"), [("pending", "agent_not_approved"), ("stopped", "agent_stopped")])
async def test_an_agent_that_is_not_approved_may_only_register_ask_and_leave(
    world: World, status: str, code: str
) -> None:
    ids, _ = await walk.furnish(world, world.sa, "bot")
    agent = await world.agent("waiting", approve=False)
    if status == "stopped":
        (await world.sa.patch("/agents/waiting/stop")).ok()
    ids["agent_id"] = "waiting"
    routes = [route for route in walk.judged() if route.gate.scheme == API_KEY]
    refused = [route for route in routes if walk.name(route) not in BEFORE_APPROVAL]
    answers = [(walk.name(route), await walk.send(agent, route, ids)) for route in refused]
    assert len(answers) >= 12
    assert walk.unlike(answers, (403, code)) == []
    (await agent.get("/agents/waiting/status")).ok()
    (await agent.post("/agents/waiting/offline")).ok()
    (await agent.get(f"/teams/{ids['team_id']}/onboarding")).ok()
    agents = (await world.sa.get(world.sa.org("/agents"), params={"status": status})).ok()
    assert (await world.register(agent, agents[0]["teamId"], "waiting"))["status"] == status
