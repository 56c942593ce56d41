"""A request with very many values, keys or parts is refused before it costs anything, and nobody waits for it."""

import asyncio
import threading
import time
from typing import Any

import orjson
import pytest

from service.errors import ServiceError
from service.http import json_body, multipart
from service.http.json_thread import BodyThread, is_large
from service.http.unknown_keys import UNKNOWN_LISTED_MAX, find_models, get_annotations
from service.pipeline.parsing import QUERY_KEYS_MAX
from service.pipeline.routing import ROUTES
from service.reference import chapters
from service.resources.card_lifecycle import NewCards
from service.tools.endpoint import VALUES_MAX as MESSAGE_VALUES_MAX

from .. import forms, waiting
from ..process import ServiceProcess
from ..world import Client, World

JSON = {"Content-Type": "application/json"}
MCP = JSON | {"Accept": "application/json, text/event-stream"}
CONNECTIONS, TIMES = 16, 2
WAIT_SECONDS_MAX = 0.4  # of anybody else; what is refused here kept all others waiting for several seconds

MANY: dict[str, Any] = {
    "unknown keys": {f"k{number:05}": 1 for number in range(90_000)},
    "unknown keys within the bound": {f"k{number:05}": 1 for number in range(65_000)},
    "empty lists": {"email": [[]] * 340_000},
    "empty lists within the bound": {"email": [[]] * 32_000},
    "a NUL among many": {"email": [0] * 300_000 + ["\0"]},
    "a NUL within the bound": {"email": ["b"] * 65_000 + ["\0"]},
    "a NUL below a long key": {"k" * 300_000: {str(number): "b" for number in range(30_000)}, "email": "\0"},
}


async def post(who: Client, path: str, body: bytes, headers: dict[str, str]) -> int:
    async with who.http.post(who.base + path, data=body, headers=headers | who.headers) as response:
        await response.read()
        return response.status


async def longest_wait(who: Client, path: str, body: bytes, headers: dict[str, str], status: int = 400) -> float:
    """Tell how long others wait at most while somebody sends the same on many connections."""
    with waiting.waits(who.base) as waits:
        for _ in range(TIMES):
            answers = [post(who, path, body, headers) for _ in range(CONNECTIONS)]
            statuses = set(await asyncio.gather(*answers))
            assert status in statuses
            assert statuses <= {status, 503}  # what many values become counts for the bytes that a caller has in flight
    return max(waits)


@pytest.mark.parametrize("kind", MANY)
async def test_nobody_waits_for_a_body_with_many_values(service_process: ServiceProcess, kind: str) -> None:
    body = orjson.dumps(MANY[kind])
    assert len(body) <= 1 << 20
    async with World(service_process.url) as world:
        assert await longest_wait(world.nobody, "/api/v1/auth/login", body, JSON) < WAIT_SECONDS_MAX


async def test_nobody_waits_for_a_batch_of_which_every_value_is_wrong(service_process: ServiceProcess) -> None:
    card = {"projectId": "p", "columnId": "c", "cardTypeId": "t", "title": "T", "fieldValues": [{}] * 500}
    body = orjson.dumps({"items": [card] * 65})
    async with World(service_process.url) as world:
        assert await longest_wait(world.sa, "/api/v1" + world.sa.org("/cards"), body, JSON) < WAIT_SECONDS_MAX


@pytest.mark.parametrize(
    "message",
    [
        [1] * 300_000,
        {str(number): 1 for number in range(90_000)},
        {"jsonrpc": "2.0", "id": 1, "more": 1, "method": "ping", "params": {"a": [1] * 300_000}},
    ],
    ids=["numbers", "keys", "parameters"],
)
async def test_nobody_waits_for_a_message_with_many_values(service_process: ServiceProcess, message: Any) -> None:
    async with World(service_process.url) as world:
        agent = await world.agent()
        await post(agent, "/mcp", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', MCP)  # the SDK is loaded by now
        assert await longest_wait(agent, "/mcp", orjson.dumps(message), MCP) < WAIT_SECONDS_MAX


@pytest.mark.parametrize("path", ["/api/v1/auth/login", "/api/v1/admin/import", "/mcp"])
async def test_nobody_waits_for_a_strange_content_type(service_process: ServiceProcess, path: str) -> None:
    async with World(service_process.url) as world:
        who = {"/mcp": await world.agent(), "/api/v1/admin/import": world.sa}.get(path, world.nobody)
        headers = {"Content-Type": " ," * 8000}
        assert await longest_wait(who, path, b"{}", headers, 415) < WAIT_SECONDS_MAX


def test_the_largest_body_of_use_stays_below_half_of_the_bound() -> None:
    values = [{"fieldId": "fld_" + "x" * 26, "value": "text, with a [comma]"}] * 100
    card = {"projectId": "p" * 30, "columnId": "c" * 30, "cardTypeId": "t" * 30, "title": "T", "fieldValues": values}
    body = orjson.dumps({"items": [card] * 100})
    json_body.check_value_count(body, json_body.VALUES_MAX // 2)
    assert len(NewCards.model_validate(json_body.parse_object(body)).items) == 100


async def test_what_looks_like_values_inside_a_text_does_not_count(world: World) -> None:
    board = await world.board()
    texts = [",[{" * 30_000, '\\",' * 20_000, '"[' * 40_000, "\\" * 50_001 + '"' + "," * 40_000]
    for text in texts:
        card = await world.card(board, fieldValues=[{"fieldId": board.field("description"), "value": text}])
        assert card["fieldValues"][0]["value"] == text


@pytest.mark.parametrize(
    ("body", "count"),
    [(b"[1,2,3]", 3), (b'{"a":1,"b":[2]}', 3), (b'["\\"",",,,","\\\\",2]', 4), (b'[{"a":"[[[["},{}]', 4)],
)
def test_values_are_counted_without_being_parsed(body: bytes, count: int) -> None:
    json_body.check_value_count(body, count + 1)
    with pytest.raises(ServiceError, match="too many values; 1 are the limit"):
        json_body.check_value_count(body, 1)


async def test_too_many_values_are_refused_with_the_bound(world: World) -> None:
    answer = await world.sa.post("/organizations", {"title": "T", "x": [1] * (json_body.VALUES_MAX + 1)})
    assert answer.invalid() == [""]
    assert "65,536" in answer.body["error"]["message"]
    assert "65,536" in _reference()


async def test_too_many_values_of_a_message_are_refused_with_the_bound(world: World) -> None:
    agent = await world.agent()
    for count, status in ((MESSAGE_VALUES_MAX + 1, 400), (MESSAGE_VALUES_MAX - 20, 200)):
        arguments = {"name": "whoami", "arguments": {"a": [1] * count}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments}
        assert await post(agent, "/mcp", orjson.dumps(message), MCP) == status
    assert f"{MESSAGE_VALUES_MAX:,}" in _reference()


def _reference() -> str:
    return chapters.describe_api()


async def test_the_first_unknown_keys_are_named_and_what_is_allowed(world: World) -> None:
    answer = await world.sa.post("/organizations", {"title": 1, **{f"key{number}": 1 for number in range(100)}})
    assert answer.invalid() == [f"key{number}" for number in range(UNKNOWN_LISTED_MAX)]
    assert "title, color" in answer.body["error"]["message"]


async def test_an_unknown_key_deep_inside_is_named_by_its_path_and_a_long_one_is_cut(world: World) -> None:
    items = [{}, {"fieldValues": [{}, {"surprise": 1}]}]
    answer = await world.sa.post(world.sa.org("/cards"), {"items": items})
    assert answer.invalid() == ["items.1.fieldValues.1.surprise"]
    assert "fieldId, value" in answer.body["error"]["message"]
    (path,) = (await world.sa.post("/organizations", {"title": "T", "k" * 100_000: 1})).invalid()
    assert path == "k" * json_body.PATH_CHARACTERS_MAX


async def test_many_wrong_field_values_are_one_problem(world: World) -> None:
    board = await world.board()
    body = {"projectId": board.id, "title": "T", "cardTypeId": board.card_type["id"]}
    few = await world.sa.post(world.sa.org("/cards"), body | {"fieldValues": [{"fieldId": 1}] * 10})
    assert len(few.invalid()) == 20
    many = await world.sa.post(world.sa.org("/cards"), body | {"fieldValues": [{"fieldId": 1}] * 11})
    assert many.invalid() == ["fieldValues"]
    assert "22 problems; the first one, 0.fieldId" in many.body["error"]["message"]


async def test_an_environment_of_very_many_variables_is_one_problem(world: World) -> None:
    server = {"name": "tools", "transport": "stdio", "command": "run", "env": {str(n): 1 for n in range(201)}}
    assert (await world.sa.post("/mcp-servers", server)).invalid() == ["env"]


async def test_a_query_may_have_so_many_keys_and_no_more(world: World) -> None:
    keys = [f"k{number}" for number in range(QUERY_KEYS_MAX)]
    assert (await world.sa.get("/auth/me?" + "&".join(keys))).invalid() == keys[:UNKNOWN_LISTED_MAX]
    answer = await world.sa.get("/auth/me?" + "&".join([*keys, "one_more"]))
    assert answer.invalid() == [""]
    assert str(QUERY_KEYS_MAX) in _reference()


async def test_a_form_has_only_so_many_parts(world: World) -> None:
    parts = [forms.text("more", "x")] * (multipart.PARTS_MAX + 1)
    body = b"".join(parts) + forms.END
    answer = await world.sa.call("POST", "/admin/import", data=body, headers={"Content-Type": forms.FORM})
    answer.refused(400, "validation_failed")
    assert str(multipart.PARTS_MAX) in answer.body["error"]["message"]
    assert str(multipart.PARTS_MAX) in _reference()


def test_no_model_of_a_body_leaves_open_which_keys_something_inside_has() -> None:
    """Where two models could stand under one key, unknown keys inside would not be refused beforehand."""
    models = {model for route in ROUTES for model in (route.body, route.many, route.query) if model}
    assert len(models) > 30
    for model in models:
        for key, annotation in get_annotations(model).items():
            assert len(list(find_models(annotation))) <= 1, (model, key)


def test_only_large_bodies_change_threads() -> None:
    assert not is_large(b"x" * 60_000)
    assert is_large(b"x" * 70_000)
    assert is_large(b"," * 3000)


async def test_large_bodies_are_checked_on_another_thread_one_of_a_caller_at_a_time() -> None:
    thread, done = BodyThread(), list[str]()

    def check(who: str) -> int:
        time.sleep(0.02)
        done.append(who)
        return threading.get_ident()

    many = [asyncio.create_task(thread.run(lambda: check("many"), "many")) for _ in range(20)]
    await asyncio.sleep(0)
    assert await thread.run(lambda: check("one"), "one") != threading.get_ident()
    assert done.count("many") <= 2
    await asyncio.gather(*many)
