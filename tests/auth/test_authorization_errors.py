"""A walk over the whole route table: what is told of the credential that a route takes, and of things of others.

Who is let in, and who is not, is test_authorization.py.
"""

from typing import Any

from service.auth.authentication import API_KEY, JWT, NONE
from service.pipeline.routing import ROUTES

from .. import walk
from ..policies import PUBLIC
from ..world import World


def test_exactly_four_routes_are_public() -> None:
    assert {walk.name(route) for route in ROUTES if route.policy.scheme == NONE} == {
        "POST /auth/login",
        "POST /auth/refresh",  # its cookie says who is asking
        "GET /files/{file_id}/linked",  # the link itself says who is asking
        "GET /teams/{team_id}/onboarding",
    }


async def test_every_route_refuses_the_credential_of_the_other_scheme(world: World) -> None:
    key = await world.key()
    bearer = world.client({"Authorization": f"Bearer {key.secret}"})
    for route in ROUTES:
        if walk.name(route) in PUBLIC:
            continue
        for wrong in [key, bearer] if route.policy.scheme == JWT else [world.sa]:
            answer = await walk.send(wrong, route, {})
            answer.refused(401, "unauthorized")
            assert answer.headers["WWW-Authenticate"].startswith(_word(route)), walk.name(route)
            assert f"{_word(route)} <" in answer.body["error"]["message"]


def _word(route: Any) -> str:
    return "Bearer" if route.policy.scheme == JWT else "ApiKey"


async def test_no_route_lets_a_person_near_a_thing_of_another_organization(world: World) -> None:
    own, _ = await walk.create_one_of_each(world, world.sa, "bot")
    foreign, _ = await walk.create_one_of_each(world, world.outsider, "spy")
    before = await walk.describe_organization(world.outsider, foreign), await walk.describe_organization(world.sa, own)
    answers = [
        (f"{walk.name(route)} with another {parameter}", await walk.send(world.sa, route, own | {parameter: alien}))
        for route in walk.list_early_denials()
        if route.policy.scheme == JWT
        for parameter in walk.parameters(route)
        for alien in [foreign.get(parameter, "nothing"), "nothing"]
        if alien != own.get(parameter)
    ]
    assert len(answers) > 120
    assert walk.list_unexpected(answers, (404, "not_found")) == []
    assert (
        await walk.describe_organization(world.outsider, foreign),
        await walk.describe_organization(world.sa, own),
    ) == before


async def test_no_route_lets_an_agent_near_a_thing_of_another_organization(world: World) -> None:
    own, agent = await walk.create_one_of_each(world, world.sa, "bot")
    foreign, _ = await walk.create_one_of_each(world, world.outsider, "spy")
    before = await walk.describe_organization(world.outsider, foreign), await walk.describe_organization(world.sa, own)
    answers = [
        (f"{walk.name(route)} with another {parameter}", await walk.send(agent, route, own | {parameter: alien}))
        for route in walk.list_early_denials()
        if route.policy.scheme == API_KEY
        for parameter in walk.parameters(route)
        for alien in [foreign.get(parameter, "nothing"), "nothing"]
        if alien != own.get(parameter)
    ]
    in_path = [entry for entry in answers if entry[0].endswith("org_id")]
    assert len(in_path) >= 8
    assert walk.list_unexpected(in_path, (403, "cross_organization")) == []
    assert walk.list_unexpected([entry for entry in answers if entry not in in_path], (404, "not_found")) == []
    assert (
        await walk.describe_organization(world.outsider, foreign),
        await walk.describe_organization(world.sa, own),
    ) == before


async def test_naming_a_strange_organization_in_the_header_is_404_wherever_the_path_names_none(world: World) -> None:
    ids, _ = await walk.create_one_of_each(world, world.sa, "bot")
    people = [
        route
        for route in walk.list_early_denials()
        if route.policy.scheme == JWT and route.policy.requires_organization
    ]
    telling = {"org_id", "card_id", "file_id", "move_request_id"}  # they say themselves which organization it is
    routes = [route for route in people if not telling & {*walk.parameters(route)}]
    assert len(routes) >= 10
    for strange in (world.outsider.org_id, "nothing", "é"):
        headers = {"X-Organization-Id": strange}
        answers = [(walk.name(route), await walk.send(world.sa, route, ids, headers=headers)) for route in routes]
        assert walk.list_unexpected(answers, (404, "not_found")) == []
