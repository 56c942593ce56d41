"""One envelope for every error, whatever part of the service it comes from."""

import base64
import io
import json
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import pytest

from service.config import Settings

from . import raw_http
from .world import Answer, Board, Client, World

MIB = 1 << 20
JSON = {"Content-Type": "application/json"}


async def send(who: Client, method: str, path: str, body: Any, headers: dict[str, str] | None = None) -> Answer:
    """Send a body as it is, not made from an object."""
    return await who.call(method, path, data=body, headers=JSON | (headers or {}))


async def test_an_unknown_route_is_404(world: World) -> None:
    for path in ("/nowhere", "/cards", "/cards/x/y/z", "/%00", "/organizations/x/../../..", "/%ff%fe"):
        assert (await world.sa.get(path)).refused(404, "not_found")["resource"] == "route"


async def test_an_unknown_thing_is_404_and_says_what_is_missing(world: World) -> None:
    for card_id in ("nothing", "%00", "card%2F..", "%F0%9F%92%A9", "x" * 5000, "'; DROP TABLE cards; --"):
        assert (await world.sa.get(f"/cards/{card_id}")).refused(404, "not_found")["resource"] in ("card", "route")


async def test_a_wrong_method_is_405_and_allow_lists_the_right_ones(world: World) -> None:
    for method, path, allowed in (
        ("DELETE", "/auth/login", {"POST"}),
        ("PUT", "/cards/x", {"GET", "HEAD", "PATCH", "DELETE"}),
        ("PURGE", "/auth/me", {"GET", "HEAD"}),
    ):
        answer = await world.sa.call(method, path)
        answer.refused(405, "method_not_allowed")
        assert set(answer.headers["Allow"].replace(" ", "").split(",")) == allowed


async def test_a_missing_or_wrong_credential_is_401_and_says_which_scheme_the_route_takes(world: World) -> None:
    for header in ({}, {"Authorization": "Bearer"}, {"Authorization": "BearerX y"}, {"Authorization": "Bearer é"}):
        answer = await world.client(header).get("/auth/me")
        answer.refused(401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer ")
    answer = await world.sa.get("/agent/orgs")
    answer.refused(401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("ApiKey ")
    assert "ApiKey" in answer.body["error"]["message"]


NOT_JSON = [
    b"",
    b"{",
    b"nonsense",
    b'{"title": }',
    b'{"title": NaN}',
    b"\xff\xfe",
    b'{"title": "\xff"}',
    b'{"title": "\xed\xa0\x80"}',
    b'{"title": "\\ud800"}',
    b'{"title": "half',
    b'\xef\xbb\xbf{"title": "a byte order mark"}',
    b'{"a":' * 100_000,
    b'{"title": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]


@pytest.mark.parametrize("body", NOT_JSON, ids=lambda body: repr(body[:20]))
async def test_a_body_that_is_no_json_is_refused(world: World, body: bytes) -> None:
    (await send(world.sa, "POST", "/organizations", body)).refused(400, "invalid_json")


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"true", b"1e999"])
async def test_a_body_that_is_no_object_is_refused(world: World, body: bytes) -> None:
    (await send(world.sa, "POST", "/organizations", body)).refused(400, "invalid_json")


async def test_an_unknown_key_is_named_together_with_the_allowed_ones(world: World) -> None:
    details = (await world.sa.post("/organizations", {"title": "T", "colour": "#fff"})).refused(
        400, "validation_failed"
    )
    (field,) = details["fields"]
    assert field["path"] == "colour"
    assert "title, color" in field["message"]


@pytest.mark.parametrize("title", [1, 1.5, True, None, [], {}, "", "   ", "x" * 501, "a\nb", "a\u0000b", 10**30])
async def test_a_value_of_a_wrong_kind_is_refused_and_its_key_named(world: World, title: Any) -> None:
    (field,) = (await world.sa.post("/organizations", {"title": title})).refused(400, "validation_failed")["fields"]
    assert set(field) == {"path", "message"}
    assert field["path"] in ("title", "")


async def test_nul_characters_are_refused_wherever_they_stand_with_the_paths_of_their_keys(world: World) -> None:
    card = await world.card(await world.board())
    bodies: list[tuple[Any, list[str]]] = [
        ({"content": "a\0b"}, ["content"]),
        ({"a\0b": "x"}, ["a\ufffdb"]),
        ({"content": ["", "\0"]}, ["content.1"]),
        ({"content": {"x": {"y": "\0"}}, "agentId": "\0"}, ["content.x.y", "agentId"]),
        ({"content": ["\0"] * 30}, [f"content.{number}" for number in range(20)]),
    ]
    for body, paths in bodies:
        assert (await world.sa.post(f"/cards/{card['id']}/comments", body)).invalid() == paths
    assert (await world.sa.get(world.sa.org("/cards?q=%00&page=1"))).invalid() == ["q"]
    escaped = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "the text \\u0000"})).ok()
    assert escaped["content"] == "the text \\u0000"


@pytest.mark.parametrize("number", [2**31, 2**63 - 1, 2**63, 2**64, 10**30, -1, -(2**63) - 1, 1.5, 1e300])
async def test_numbers_that_the_database_cannot_hold_are_no_failure_of_the_service(world: World, number: float) -> None:
    board = await world.board()
    body = {"projectId": board.id, "title": "Column"}
    for key in ("order", "wipLimit"):
        answer = await world.sa.post(world.sa.org("/columns"), body | {key: number})
        assert answer.status == 200 or answer.refused(400, "validation_failed")["fields"], (key, answer.body)


async def test_a_number_beyond_floating_point_is_refused(world: World) -> None:
    body = b'{"projectId": "x", "title": "Column", "wipLimit": 1e999}'
    assert (await send(world.sa, "POST", world.sa.org("/columns"), body)).status == 400


def nested(levels: int, inside: str = "1") -> str:
    return '{"email": "a@b.test", "password": "x", "z": ' + "[" * (levels - 1) + inside + "]" * (levels - 1) + "}"


@pytest.mark.parametrize("inside", ["1", '"\\u0000"', '{"a": {}}'])
@pytest.mark.parametrize("levels", [33, 250, 254, 255, 256, 500, 1000, 1023, 1024, 1025, 100_000])
async def test_a_body_that_is_nested_deeply_is_refused_whoever_sends_it(world: World, levels: int, inside: str) -> None:
    for who, path in ((world.nobody, "/auth/login"), (world.sa, "/organizations")):
        for headers in ({}, {"Idempotency-Key": "k"}):
            (await send(who, "POST", path, nested(levels, inside), headers)).refused(400, "invalid_json")


async def test_a_body_may_have_32_levels_and_any_number_of_brackets(world: World) -> None:
    assert (await send(world.nobody, "POST", "/auth/login", nested(32))).invalid() == ["z"]
    assert (await send(world.nobody, "POST", "/auth/login", nested(2, "[], {}, " * 10_000 + "[]"))).invalid() == ["z"]


async def test_a_token_that_is_nested_deeply_is_no_failure_of_the_service(world: World) -> None:
    head = base64.urlsafe_b64encode(b'{"alg": "HS256", "x": ' + b"[" * 5000 + b"]" * 5000 + b"}").decode()
    for token in (f"{head}.e30.AAAA", f"e30.{head}.AAAA"):
        (await world.client({"Authorization": f"Bearer {token}"}).get("/auth/me")).refused(401, "unauthorized")


async def test_a_body_over_1_mib_is_413_whether_declared_or_chunked(world: World) -> None:
    async def chunks(size: int) -> AsyncIterator[bytes]:
        for _ in range(size // 1024):
            yield b" " * 1024

    big = MIB + 1024
    (await send(world.sa, "POST", "/organizations", io.BytesIO(b" " * big))).refused(413, "payload_too_large")
    (await send(world.sa, "POST", "/organizations", chunks(big))).refused(413, "payload_too_large")


async def test_a_body_of_exactly_1_mib_is_taken(world: World) -> None:
    body = json.dumps({"title": "Wide"}).encode().ljust(MIB)
    assert (await send(world.sa, "POST", "/organizations", body)).ok()["title"] == "Wide"


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])
async def test_a_body_of_another_media_type_is_415(world: World, kind: str) -> None:
    answer = await send(world.sa, "POST", "/organizations", b'{"title": "T"}', {"Content-Type": kind})
    answer.refused(415, "unsupported_media_type")


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=x", "page=", "page=1.5", f"page={10**30}", "pageSize=0", "pageSize=101", "p=1"]
)
async def test_a_query_that_is_out_of_range_or_unknown_is_refused_and_named(world: World, query: str) -> None:
    card = await world.card(await world.board())
    for path in (world.sa.org("/cards"), f"/cards/{card['id']}/comments", f"/cards/{card['id']}/history"):
        (field,) = (await world.sa.get(f"{path}?{query}")).refused(400, "validation_failed")["fields"]
        assert field["path"] == query.partition("=")[0]


async def test_a_query_on_a_route_that_takes_none_is_refused(world: World) -> None:
    (await world.sa.get("/auth/me?verbose=1")).refused(400, "validation_failed")
    (await world.sa.post("/organizations?activate=1", {"title": "T"})).refused(400, "validation_failed")


@pytest.mark.parametrize("value", ["%ff", "%ed%a0%80", "'", "%25", "_"])
async def test_strange_characters_in_a_query_are_no_failure_of_the_service(world: World, value: str) -> None:
    assert (await world.sa.get(world.sa.org(f"/cards?q={value}"))).ok()["items"] == []
    assert (await world.sa.get(world.sa.org(f"/cards?columnId={value}"))).invalid() == ["columnId"]


@pytest.fixture
async def broken(world: World, settings: Settings) -> tuple[Board, str]:
    """Provide a card in a database that has lost the table of its comments."""
    board = await world.board()
    card = await world.card(board)
    with sqlite3.connect(settings.database) as connection:
        connection.execute("DROP TABLE comments")
    connection.close()
    return board, card["id"]


async def test_a_failure_of_the_service_is_500_and_shows_nothing_of_its_inside(
    world: World, broken: tuple[Board, str]
) -> None:
    path = f"/cards/{broken[1]}/comments"
    for answer in (await world.sa.get(path), await world.sa.post(path, {"content": "x"})):
        assert answer.refused(500, "internal_error") == {}
        shown = json.dumps(answer.body).lower()
        assert not [word for word in ("sql", "table", "traceback", "service/", ".py", "error:") if word in shown]
    assert (await world.sa.get(f"/cards/{broken[1]}")).ok()  # the rest goes on


MALFORMED = {
    "no HTTP at all": b"nonsense\r\n\r\n",
    "a lower-case version": b"GET / http/1.1\r\n\r\n",
    "a header without a colon": b"GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
    "a NUL in a header": b"GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nX-Agent-Id: a\0b\r\n\r\n",
    "a line too long": b"GET /api/v1/" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header too long": b"GET /api/v1/auth/me HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 20_000 + b"\r\n\r\n",
    "two lengths": b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a length that is no number": b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
    "both ways of framing": b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "bad chunks": b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "a bad chunk after a good one": b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n\r\n",
}


@pytest.mark.parametrize("name", MALFORMED)
async def test_a_request_that_is_no_valid_http_is_400_in_the_envelope(world: World, name: str) -> None:
    answer = await raw_http.send(world.url, MALFORMED[name])
    answer.refused(400, answer.body["error"]["code"])
    assert answer.body["error"]["code"] == "bad_request"
    assert (await world.sa.get("/auth/me")).ok()


async def test_an_unknown_expectation_is_417(world: World) -> None:
    head = b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}"
    (await raw_http.send(world.url, head)).refused(417, "expectation_failed")


@pytest.mark.parametrize("given", ["a", "x" * 128, "trace:4/7 {~}"])
async def test_the_request_id_of_the_caller_comes_back_on_every_answer(world: World, given: str) -> None:
    headers = {"X-Request-Id": given}
    for answer in (
        await world.sa.get("/auth/me", headers=headers),
        await world.sa.get("/nowhere", headers=headers),
        await world.sa.get("/cards/x", headers=headers),
        await world.nobody.get("/auth/me", headers=headers),
    ):
        assert answer.headers["X-Request-Id"] == given


@pytest.mark.parametrize("given", [b"", b"x" * 129, b"a\tb", "é".encode()])
async def test_a_request_id_that_does_not_fit_is_replaced_by_one_of_the_services_own(
    world: World, given: bytes
) -> None:
    head = b"GET /api/v1/nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: %b\r\n\r\n" % given
    answers = [await raw_http.send(world.url, head) for _ in range(2)]
    ids = {answer.headers["X-Request-Id"] for answer in answers}
    assert len(ids) == 2
    assert all(0 < len(own) <= 128 and own.isascii() and own.isprintable() for own in ids)
    answers[0].refused(404, "not_found")
