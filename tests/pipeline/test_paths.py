"""Paths: each route is found by its path, with the ids in it."""

import re

import pytest
from aiohttp import web

from service import resources
from service.pipeline.paths import Paths
from service.pipeline.routing import PREFIX, ROUTES, Route

from .. import raw_http
from ..world import World

assert resources  # importing them fills the route table
PATHS = Paths()


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_found_by_its_path(route: Route) -> None:
    names = re.findall(r"\{(\w+)\}", route.path)
    ids = {name: f"{name}_{number}" for number, name in enumerate(names)}
    path = PREFIX + route.path.format(**ids)
    assert PATHS.find(route.method, path) == (route, ids)
    assert PATHS.find(route.method, path + "/") is None
    if route.method == "GET":
        assert PATHS.find("HEAD", path) == (route, ids)


@pytest.mark.parametrize(
    ("sent", "card_id"),
    [
        ("card%5F1", "card_1"),
        ("a%2Fb", "a/b"),
        ("a%252Fb", "a%2Fb"),
        ("%", "%"),
        ("%00", "\0"),
        ("%FF", "?"),
        ("ä", "?"),
        ("..", ".."),
        ("\udcff", "?"),
    ],
)
def test_an_id_is_decoded_and_only_of_ascii(sent: str, card_id: str) -> None:
    found = PATHS.find("GET", f"{PREFIX}/cards/{sent}")
    assert found is not None
    assert found[1] == {"card_id": card_id}


@pytest.mark.parametrize(
    "path",
    ["", "/", "*", "/api", PREFIX, PREFIX + "/", PREFIX + "/cards", PREFIX + "/cards//status", "//api/v1/auth/me"],
)
def test_no_other_path_is_found(path: str) -> None:
    assert PATHS.find("GET", path) is None


def test_another_method_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(web.HTTPMethodNotAllowed) as refused:
        PATHS.find("PUT", PREFIX + "/cards/card_1")
    assert refused.value.allowed_methods == {"GET", "HEAD", "PATCH", "DELETE"}


def test_a_literal_path_segment_takes_precedence_over_an_id() -> None:
    word, known = PATHS.find("GET", PREFIX + "/prompts/mcp"), PATHS.find("GET", PREFIX + "/prompts/prm_1")
    assert word is not None
    assert known is not None
    assert (word[0].path, word[1]) == ("/prompts/mcp", {})
    assert (known[0].path, known[1]) == ("/prompts/{prompt_id}", {"prompt_id": "prm_1"})


async def test_only_a_caller_who_may_send_it_is_asked_for_the_body(world: World) -> None:
    head = "POST /api/v1/organizations/{}/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n"
    sent = head.format(world.sa.org_id).encode() + b"Connection: close\r\n\r\n{}"
    (await raw_http.send(world.url, sent)).refused(401, "unauthorized")
