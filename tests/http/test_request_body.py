"""A walk over every route that takes a body: an invalid body is refused, whoever sends it."""

import re
from typing import Any

import pytest

from service.auth.authentication import API_KEY, JWT
from service.http.unknown_keys import get_annotations
from service.pipeline.routing import ROUTES, Route
from service.schemas import Repeatable

from .. import walk
from ..world import Answer, Client, World


async def credentials(world: World) -> dict[str, Client]:
    return {JWT: world.sa, API_KEY: await world.key()}


async def everywhere(world: World, routes: list[Route], body: Any = None, **options: Any) -> list[tuple[Route, Answer]]:
    """Send the same thing to many routes, each with a credential of its scheme."""
    callers = await credentials(world)
    return [
        (route, await walk.send(callers.get(route.policy.scheme, world.nobody), route, {}, body, **options))
        for route in routes
    ]


def test_the_walk_meets_the_routes_that_take_bodies() -> None:
    assert len(walk.with_bodies()) >= 40
    assert len([route for route in ROUTES if route.body]) >= 30


async def test_every_route_refuses_a_key_that_it_does_not_know_and_names_it(world: World) -> None:
    callers = await credentials(world)
    for route in walk.with_bodies():
        who = callers.get(route.policy.scheme, world.nobody)
        body = (walk.smallest_body(route) or {}) | {"surprise": 1}
        details = (await walk.send(who, route, {}, body)).refused(400, "validation_failed")
        assert [field["path"] for field in details["fields"]] == ["surprise"], walk.name(route)


async def test_every_route_names_every_key_that_must_be_there_and_is_not(world: World) -> None:
    routes = [route for route in walk.with_bodies() if walk.smallest_body(route)]
    for route, answer in await everywhere(world, routes, {}):
        details = answer.refused(400, "validation_failed")
        assert {field["path"] for field in details["fields"]} == {*(walk.smallest_body(route) or {})}, walk.name(route)


@pytest.mark.parametrize("value", [None, "?", -7.5, [[]], {"a": {}}, "x" * 70_000])
async def test_every_route_says_what_is_wrong_with_a_value_in_words_of_json(world: World, value: Any) -> None:
    callers, texts = await credentials(world), set()
    for route in walk.with_bodies():
        if route.body:
            body = dict.fromkeys(get_annotations(route.body), value)
            answer = await walk.send(callers.get(route.policy.scheme, world.nobody), route, {}, body)
            if answer.status == 400 and "fields" in answer.body["error"]["details"]:
                texts |= {field["message"] for field in answer.body["error"]["details"]["fields"]}
    assert len(texts) > 2
    assert [text for text in texts if re.search(r"[Ii]nput|dictionary|instance|valid |parse|None", text)] == []


@pytest.mark.parametrize("body", [b"{", b"[]", b'"text"', b"null", b"\xff", b'{"a": NaN}'])
async def test_every_route_refuses_what_is_no_json_object(world: World, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answers = await everywhere(world, walk.with_bodies(), data=body, headers=headers)
    assert walk.list_unexpected([(walk.name(route), answer) for route, answer in answers], (400, "invalid_json")) == []


async def test_every_route_with_a_body_refuses_an_empty_one_unless_it_may_come_without(world: World) -> None:
    routes = [route for route in walk.with_bodies() if route.body and not _may_come_without(route)]
    answers = await everywhere(world, routes, data=b"")
    assert walk.list_unexpected([(walk.name(route), answer) for route, answer in answers], (400, "invalid_json")) == []


def _may_come_without(route: Route) -> bool:
    """Tell whether every key of a body can be left out, of a POST or of what had no body at first."""
    return not walk.smallest_body(route) and (route.method == "POST" or bool(route.body and route.body.is_optional))


async def test_a_post_that_needs_no_key_may_come_without_a_body_and_so_may_stopping_an_agent(world: World) -> None:
    ids, agent = await walk.create_one_of_each(world, world.sa, "bot")
    routes = [route for route in walk.with_bodies() if route.body and _may_come_without(route)]
    assert ("PATCH", "/agents/{agent_id}/stop") in {(route.method, route.path) for route in routes}
    for route in routes:
        who = agent if route.policy.scheme == API_KEY else world.sa
        assert (await walk.send(who, route, ids, data=b"")).status != 400, walk.name(route)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_every_route_refuses_a_body_that_is_not_declared_as_json(world: World, kind: str) -> None:
    answers = await everywhere(world, walk.with_bodies(), data=b"{}", headers={"Content-Type": kind})
    assert (
        walk.list_unexpected([(walk.name(route), answer) for route, answer in answers], (415, "unsupported_media_type"))
        == []
    )


async def test_every_route_refuses_a_nul_character(world: World) -> None:
    answers = await everywhere(world, walk.with_bodies(), {"title": "a\0b"})
    assert (
        walk.list_unexpected([(walk.name(route), answer) for route, answer in answers], (400, "validation_failed"))
        == []
    )


async def test_every_route_that_reads_refuses_a_query_key_that_it_does_not_know(world: World) -> None:
    routes = [route for route in ROUTES if route.reads and walk.name(route) != "GET /teams/{team_id}/onboarding"]
    for route, answer in await everywhere(world, routes, params={"surprise": "1"}):
        details = answer.refused(400, "validation_failed")
        assert [field["path"] for field in details["fields"]] == ["surprise"], walk.name(route)


async def test_every_route_refuses_a_query_key_that_is_repeated_unless_it_takes_several_values(world: World) -> None:
    callers, several = await credentials(world), set()
    for route in ROUTES:
        who = callers.get(route.policy.scheme, world.nobody)
        for key, field in ((field.alias or name, field) for name, field in route.query.model_fields.items()):
            if Repeatable in field.metadata:
                several.add(key)
                continue
            answer = await who.call(route.method, walk.url(route, {}), params=[(key, "a"), (key, "a")])
            assert answer.invalid() == [key], walk.name(route)
            assert f"{key}: send this key only once" in answer.body["error"]["message"]
    assert {"assignedUserId", "due", "field", "priority", "doneLists"} <= several
    (await world.sa.get(world.sa.org("/cards?priority=high&priority=low&pageSize=5"))).ok()
    repeated = world.sa.org("/cards?q=a&priority=low&sort=rank&q=b&sort=rank")
    assert (await world.sa.get(f"{repeated}&surprise")).invalid() == ["surprise"]
    twice = await world.sa.get(repeated)
    assert twice.invalid() == ["q", "sort"]
    assert "may be repeated here: projectId, columnId," in twice.body["error"]["message"]
