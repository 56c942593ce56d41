"""The endpoint /mcp: keys, hosts, methods and sizes, which are checked before the protocol."""

import asyncio
import contextlib
import io
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from service import config
from service.runtime import memory_budget

from .. import raw_http
from ..http.test_connection import until
from ..running import running
from ..world import Answer, Client, World
from .talk import ERAS, talking

ROOT = Path(__file__).parent.parent.parent
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
ACCEPT = {"Accept": "application/json, text/event-stream"}


async def send(
    who: Client, body: Any = PING, method: str = "POST", data: Any = None, query: str = "", **headers: str
) -> Answer:
    kind = {"Content-Type": "application/json"} if data is not None else {}
    headers = {**ACCEPT, **kind, **who.headers, **headers}
    async with who.http.request(method, f"{who.base}/mcp?{query}", json=body, data=data, headers=headers) as response:
        return Answer(response.status, await response.json() if response.status != 202 else None, response.headers)


async def test_a_missing_or_wrong_key_gets_the_error_envelope_with_a_hint(world: World) -> None:
    person = world.sa
    wrong = world.client({"Authorization": "ApiKey tdm_key_01_" + "x" * 43})
    for who in (world.nobody, wrong, person):
        answer = await send(who)
        answer.refused(401, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("ApiKey")


async def test_a_revoked_key_is_refused_at_once(world: World) -> None:
    key = await world.key()
    assert (await send(key)).ok() == {"jsonrpc": "2.0", "id": 1, "result": {}}
    (await world.sa.patch(f"/settings/api-keys/{key.id}", {"enabled": False})).ok()
    (await send(key)).refused(401, "api_key_revoked")


async def test_a_key_is_accepted_as_a_bearer_token(world: World) -> None:
    agent = await world.agent()
    bearer = world.client({"Authorization": f"Bearer {agent.secret}"})
    async with talking(bearer) as talk:
        assert (await talk.ok("whoami"))["agent"]["id"] == "bot"


async def test_the_header_selects_one_of_several_agents_of_a_key(world: World) -> None:
    agent = await world.agent("first")
    team_id = (await agent.get("/agent/mcp")).ok()["agent"]["teamId"]
    await world.register(agent, team_id, "second")
    (await world.sa.patch("/agents/second/approve")).ok()
    async with talking(agent, **{"X-Agent-Id": "second"}) as talk:
        assert (await talk.ok("whoami"))["agent"]["id"] == "second"
    async with talking(agent, **{"X-Agent-Id": "third"}) as talk:
        await talk.refused("whoami", "agent_unknown")
    async with talking(agent) as talk:
        assert "agent" not in await talk.ok("whoami")
        await talk.refused("set_online", "agent_unknown")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_sessions_and_streams_are_not_supported(world: World, method: str) -> None:
    answer = await send(await world.agent(), method=method)
    answer.refused(405, "method_not_allowed")
    assert "POST" in answer.headers["Allow"]


LARGE = json.dumps(PING | {"params": {"padding": "x" * (1 << 20)}}).encode()
REFUSALS: dict[str, tuple[Any, dict[str, str], int, str, int]] = {
    "large": (LARGE, {}, 413, "payload_too_large", -32600),
    "values": (json.dumps(PING | {"params": {"a": [0] * 2001}}), {}, 400, "validation_failed", -32600),
    "batch": (json.dumps([PING]), {}, 400, "validation_failed", -32600),
    "deep": ("[" * 100_000, {}, 400, "invalid_json", -32700),
    "text": (json.dumps(PING), {"Content-Type": "text/plain"}, 415, "unsupported_media_type", -32600),
    "packed": (json.dumps(PING), {"Content-Encoding": "gzip"}, 415, "unsupported_media_type", -32600),
    "key": (json.dumps(PING), {"Authorization": "ApiKey tdm_x"}, 401, "unauthorized", -32600),
    "host": (json.dumps(PING), {"Host": "evil.example"}, 421, "misdirected_request", -32600),
    "session": (json.dumps(PING), {"X-Agent-Session": "x" * 65}, 400, "validation_failed", -32600),
}


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_refusal_is_an_error_of_json_rpc_with_the_envelope_as_data(world: World, name: str) -> None:
    body, headers, status, code, rpc_code = REFUSALS[name]
    data = body if isinstance(body, bytes) else body.encode()
    answer = await send(await world.agent(), None, data=io.BytesIO(data), **headers)
    answer.refused(status, code)
    assert answer.body.keys() == {"jsonrpc", "id", "error"}
    assert (answer.body["jsonrpc"], answer.body["id"]) == ("2.0", None)
    assert answer.body["error"].keys() == {"code", "message", "data"}
    assert answer.body["error"]["code"] == rpc_code
    assert answer.body["error"]["message"] == answer.body["error"]["data"]["message"]


@contextlib.asynccontextmanager
async def full_memory(world: World, agent: Client) -> AsyncIterator[None]:
    """Use the memory that requests of an agent may take, by requests that do not end."""
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {agent.headers['Authorization']}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n{"
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(33):
            await stack.enter_async_context(raw_http.sent(world.url, head.encode()))
        assert world.service is not None
        in_flight = world.service.in_flight_bytes
        await until(lambda: in_flight.total >= memory_budget.CALLER_BYTES_MAX)
        yield


async def test_a_full_service_is_an_internal_error_that_says_when_to_come_back(world: World) -> None:
    agent = await world.agent()
    async with full_memory(world, agent):
        answer = await send(agent, None, data=io.BytesIO(b" " * (1 << 19) + json.dumps(PING).encode()))
    answer.refused(503, "overloaded")
    assert (answer.body["error"]["code"], answer.headers["Retry-After"]) == (-32603, "2")


@pytest.mark.parametrize("body", ["{", "", '"text"', '{"jsonrpc": "2.0", "id": 3}', "\x00"])
async def test_what_is_no_message_is_an_error_of_json_rpc(world: World, body: str) -> None:
    answer = await send(await world.agent(), None, data=io.BytesIO(body.encode()))
    assert (answer.status, answer.body["jsonrpc"]) == (400, "2.0")
    assert answer.body["error"]["code"] in (-32700, -32602, -32600)


@pytest.mark.parametrize("mode", ERAS)
async def test_the_official_client_shows_why_a_call_is_refused(world: World, mode: str) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    async with talking(agent, mode) as talk:
        with pytest.raises(MCPError, match=r"1 MiB is the limit on this route\. Send less at a time"):
            await talk.raw("comment", card=card["key"], content="x" * (1 << 20))
        with pytest.raises(MCPError, match="2,000 are the limit, send fewer at a time"):
            await talk.raw("whoami", maxTokens=[0] * 2001)
        await talk.ok("comment", card=card["key"], content="Short")
    async with talking(agent, mode) as talk:
        (key,) = (await world.sa.get("/settings/api-keys")).ok()
        (await world.sa.patch(f"/settings/api-keys/{key['id']}", {"enabled": False})).ok()
        with pytest.raises(MCPError, match="The key was revoked; ask for a new one"):
            await talk.raw("whoami")


async def test_an_answer_carries_the_request_id_and_no_session(world: World) -> None:
    answer = await send(await world.agent(), **{"X-Request-Id": "mine"})
    assert answer.headers["X-Request-Id"] == "mine"
    assert "Mcp-Session-Id" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.", "[::1"])
async def test_a_foreign_host_name_is_misdirected(world: World, host: str) -> None:
    (await send(await world.agent(), Host=host)).refused(421, "misdirected_request")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8080", "192.0.2.7:8080"])
async def test_local_host_names_and_ip_addresses_are_accepted(world: World, host: str) -> None:
    (await send(await world.agent(), Host=host)).ok()


async def test_pages_of_other_origins_are_denied(world: World) -> None:
    agent = await world.agent()
    for origin in ("https://evil.example", "http://192.0.2.7", "http://localhost.evil.example", "null", "[", "file://"):
        (await send(agent, Origin=origin)).refused(403, "origin_not_allowed")
    for origin in ("http://localhost:3000", agent.base, "http://127.0.0.1"):
        (await send(agent, Origin=origin)).ok()


async def test_the_public_url_is_accepted_as_host_and_origin(settings: config.Settings) -> None:
    public = settings.model_copy(update={"public_url": "https://board.example"})
    async with running(public) as world:
        agent = await world.agent()
        (await send(agent, Host="board.example", Origin="https://board.example")).ok()
        (await send(agent, Host="other.example")).refused(421, "misdirected_request")


def test_the_sdk_is_not_loaded_before_the_first_request() -> None:
    script = "import sys, service.app, service.cli; sys.exit(any(name.split('.')[0] == 'mcp' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False).returncode == 0


async def test_requests_are_served_while_the_sdk_loads_once_for_all(world: World) -> None:
    agent = await world.agent()
    started = time.monotonic()
    answers = await asyncio.gather(*(send(agent) for _ in range(20)))
    assert [answer.status for answer in answers] == [200] * 20
    assert time.monotonic() - started < 20


async def test_only_json_is_accepted(world: World) -> None:
    agent = await world.agent()
    answer = await send(agent, None, data=json.dumps(PING), **{"Content-Type": "text/plain"})
    answer.refused(415, "unsupported_media_type")
