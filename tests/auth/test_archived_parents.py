"""Archived resources, and everything inside them, are missing from all routes."""

from service.auth.authentication import API_KEY, JWT
from service.pipeline.routing import ROUTES

from .. import walk
from ..world import World

OF_A_PROJECT = {"project_id", "column_id", "transition_id", "card_id", "move_request_id"}
RESTORE, REMOVE = "POST /cards/{card_id}/restore", "DELETE /cards/{card_id}"
LINK, LINKED = "POST /files/{file_id}/link", "GET /files/{file_id}/linked"


async def test_nothing_in_an_archived_project_can_be_reached(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(world.sa.org(f"/projects/{ids['project_id']}"))).ok()
    routes = [route for route in walk.list_early_denials() if OF_A_PROJECT & {*walk.parameters(route)}]
    assert len(routes) >= 20
    answers = [
        (walk.name(route), await walk.send(world.sa if route.policy.scheme == JWT else agent, route, ids))
        for route in routes
        if walk.name(route) != RESTORE
    ]
    assert walk.list_unexpected(answers, (404, "not_found")) == []
    (await world.sa.post(f"/cards/{ids['card_id']}/restore")).refused(409, "archived_parent")
    assert (await world.sa.get(world.sa.org("/projects"))).ok() == []
    assert (await world.sa.get(world.sa.org("/cards"))).ok()["items"] == []
    assert (await world.sa.get(world.sa.org("/columns"))).ok() == []
    assert (await world.sa.get(world.sa.org("/transitions"))).ok() == []


async def test_an_archived_project_takes_no_new_things(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(world.sa.org(f"/projects/{ids['project_id']}"))).ok()
    card = {"projectId": ids["project_id"], "cardTypeId": ids["card_type_id"], "title": "Late"}
    column = {"projectId": ids["project_id"], "title": "Late"}
    for answer in (
        await world.sa.post(world.sa.org("/cards"), card),
        await agent.post(agent.org("/cards/mcp"), card),
        await world.sa.post(world.sa.org("/columns"), column),
        await world.sa.post(world.sa.org("/card-types"), column),
    ):
        (field,) = answer.refused(400, "validation_failed")["fields"]
        assert field["path"] == "projectId"


async def test_an_archived_card_can_be_read_but_not_changed(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(f"/cards/{ids['card_id']}")).ok()
    history = await world.history(ids["card_id"])
    for route in walk.list_early_denials():
        if not {"card_id", "file_id"} & {*walk.parameters(route)} or walk.name(route) in (RESTORE, REMOVE, LINKED):
            continue
        answer = await walk.send(world.sa if route.policy.scheme == JWT else agent, route, ids)
        if route.reads or walk.name(route) == LINK:
            answer.ok()
        else:
            answer.refused(409, "archived_parent")
    assert await world.history(ids["card_id"]) == history


async def test_nothing_of_an_archived_team_can_be_reached(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(world.sa.org(f"/teams/{ids['team_id']}"))).ok()
    routes = [route for route in ROUTES if "team_id" in walk.parameters(route)]
    assert len(routes) >= 8
    for route in routes:
        who = agent if route.policy.scheme == API_KEY else world.sa if route.policy.scheme == JWT else world.nobody
        assert (await walk.send(who, route, ids)).refused(404, "not_found")["resource"] == "team", walk.name(route)


async def test_nothing_of_an_archived_organization_can_be_reached(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    (await world.sa.delete(world.sa.org())).ok()
    people = [
        route
        for route in walk.list_early_denials()
        if route.policy.scheme == JWT and route.policy.requires_organization
    ]
    routes = [route for route in people if not route.path.startswith("/archive")]
    assert len(routes) >= 60
    answers = [
        (f"{walk.name(route)} as {who.id}", await walk.send(who, route, ids, headers=headers))
        for route in routes
        for who in (world.sa, world.member)
        for headers in ({}, {"X-Organization-Id": ids["org_id"]})
    ]
    assert walk.list_unexpected(answers, (404, "not_found")) == []
    (await world.nobody.get(f"/teams/{ids['team_id']}/onboarding")).refused(404, "not_found")
    keys = [route for route in walk.list_early_denials() if route.policy.scheme == API_KEY]
    answers = [(walk.name(route), await walk.send(agent, route, ids)) for route in keys]
    assert walk.list_unexpected(answers, (401, "api_key_revoked")) == []
