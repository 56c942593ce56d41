"""Responses with an ETag: 304 for clients that have the content, gzip for large ones."""

import gzip

import aiohttp
import pytest

from service.http.responses import COMPRESSED_BYTES_MIN
from service.pipeline.routing import ROUTES

from ..tools.talk import talking
from ..world import Client, World

TAGGED = [route for route in ROUTES if route.tagged]


async def raw(caller: Client, path: str, **headers: str) -> tuple[aiohttp.ClientResponse, bytes]:
    """Ask, and return the answer as it came over the wire."""
    headers = {**caller.headers, "Accept-Encoding": "identity", **headers}
    async with caller.http.get(f"{caller.base}/api/v1{path}", headers=headers, auto_decompress=False) as response:
        return response, await response.read()


async def paths(world: World) -> list[tuple[Client, str]]:
    """Return a path for each tagged route, with somebody who may read it."""
    agent, board = await world.agent(), await world.board()
    found = []
    for route in TAGGED:
        path = route.path.replace("{org_id}", world.sa.org_id)
        query = f"?projectId={board.id}" if "board" in path else ""
        found.append((agent if path.endswith("/mcp") else world.sa, path + query))
    return found


def test_what_the_page_asks_for_most_is_tagged() -> None:
    nouns = {route.path.removeprefix("/organizations/{org_id}").removesuffix("/mcp") for route in TAGGED}
    assert nouns == {"/board", "/board-flow", "/agents", "/members", "/projects", "/permissions"}


async def test_a_client_that_has_the_content_gets_304(world: World) -> None:
    for caller, path in await paths(world):
        await raw(caller, path)  # the first request of an agent notes when it was last seen
        response, body = await raw(caller, path)
        tag = response.headers["ETag"]
        assert tag.startswith('W/"'), path
        for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            again, nothing = await raw(caller, path, **{"If-None-Match": known})
            assert (again.status, nothing) == (304, b""), (path, known)
            assert again.headers["ETag"] == tag
        other, whole = await raw(caller, path, **{"If-None-Match": '"other"'})
        assert (other.status, len(whole)) == (200, len(body)), path


async def test_a_change_gives_another_tag(world: World) -> None:
    path = world.sa.org("/projects")
    before, _ = await raw(world.sa, path)
    await world.board()
    after, _ = await raw(world.sa, path, **{"If-None-Match": before.headers["ETag"]})
    assert after.status == 200
    assert after.headers["ETag"] != before.headers["ETag"]


@pytest.mark.parametrize(
    ("accepted", "packs"),
    [("gzip", True), ("br, GZIP;q=0.5", True), ("x-gzip", True), ("", False), ("br", False), ("gzip;q=0", False)],
)
async def test_a_large_response_is_gzipped_if_the_client_accepts_it(world: World, accepted: str, packs: bool) -> None:
    board = await world.board()
    for number in range(40):
        await world.card(board, title=f"A card with a title of ordinary length {number}")
    path = world.sa.org(f"/board-flow?projectId={board.id}")
    plain, content = await raw(world.sa, path, **{"Accept-Encoding": "identity"})
    assert len(content) > COMPRESSED_BYTES_MIN
    for _ in range(2):  # made, and kept
        response, body = await raw(world.sa, path, **{"Accept-Encoding": accepted})
        assert response.headers.get("Content-Encoding") == ("gzip" if packs else None)
        assert response.headers["Vary"] == "Accept-Encoding"
        assert (gzip.decompress(body) if packs else body) == content
        assert response.headers["ETag"] == plain.headers["ETag"]
        assert len(body) == int(response.headers["Content-Length"])


async def test_a_small_response_is_never_gzipped(world: World) -> None:
    response, body = await raw(world.sa, world.sa.org("/projects"), **{"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response.headers
    assert body == b"[]"


async def test_an_error_response_has_no_etag_and_is_not_gzipped(world: World) -> None:
    path = world.outsider.org(f"/board-flow?projectId={(await world.board()).id}")
    response, _ = await raw(world.outsider, path, **{"Accept-Encoding": "gzip", "If-None-Match": "*"})
    assert response.status == 404
    assert "ETag" not in response.headers


async def test_a_tool_gets_the_plain_answer_of_a_tagged_route(world: World) -> None:
    agent, board = await world.agent(), await world.board()
    for number in range(40):
        await world.card(board, title=f"A card with a title of ordinary length {number}")
    async with talking(agent, **{"Accept-Encoding": "gzip", "If-None-Match": "*"}) as talk:
        answer = await talk.ok("get_board", project=board.id)
    assert answer["columns"]
