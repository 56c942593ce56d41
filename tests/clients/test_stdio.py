"""`tandem mcp`: the same tools over standard input and output; a failure is one line."""

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError as McpError

from service.errors import STOPPING, Unavailable

from ..process import RUN, ServiceProcess, bare_environment
from ..tools.talk import ERAS, Talk, listening
from ..tools.test_endpoint import full_memory
from ..world import Client, World

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def environment(who: Client, **more: str) -> dict[str, str]:
    return bare_environment() | {"SERVICE_API_URL": who.base, "SERVICE_API_KEY": who.secret} | more


@contextlib.asynccontextmanager
async def talking(
    who: Client, folder: Path, mode: str, *arguments: str, asked: Any = None, **more: str
) -> AsyncIterator[Talk]:
    """Connect to the command as agents' programs do; `asked` is the person at the client, if there is one."""
    command = [str(RUN), "mcp", *arguments]
    server = StdioServerParameters(command=sys.executable, args=command, env=environment(who, **more), cwd=folder)
    async with McpClient(stdio_client(server), mode=mode, elicitation_callback=asked) as client:
        yield await listening(client)


async def run(who: Client, folder: Path, *lines: Any, **more: str) -> subprocess.CompletedProcess[str]:
    """Give the command some lines, and return what it said once it has ended."""
    given = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(RUN), "mcp"],
        cwd=folder,
        env=environment(who, **more),
        input=given,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize("mode", [*ERAS, "auto"])
@pytest.mark.parametrize("suffix", ["", "/api/v1"])
async def test_both_eras_work_over_stdio_with_either_address(
    world: World, tmp_path: Path, mode: str, suffix: str
) -> None:
    card = await world.card(await world.board())
    agent = await world.agent()
    async with talking(agent, tmp_path, mode, SERVICE_API_URL=agent.base + suffix) as talk:
        assert talk.client.protocol_version == ERAS.get(mode, "2026-07-28")
        assert len(talk.tools) >= 20
        await talk.ok("comment", card=card["key"], content="Grüße über stdio")
        await talk.refused("get_card", "not_found", card="nothing")
        answers = await asyncio.gather(*(talk.ok("get_card", card=card["key"]) for _ in range(10)))
        assert answers[0]["comments"][0]["content"] == "Grüße über stdio"
    assert (await world.history(card["id"]))[-1]["actor"]["id"] == "bot"


async def test_the_agent_can_be_named_by_option_or_environment(world: World, tmp_path: Path) -> None:
    agent = await world.agent("first")
    team_id = (await agent.get("/agent/mcp")).ok()["agent"]["teamId"]
    await world.register(agent, team_id, "second")
    (await world.sa.patch("/agents/second/approve")).ok()
    async with talking(agent, tmp_path, "auto", "--agent", "second") as talk:
        assert (await talk.ok("whoami"))["agent"]["id"] == "second"
    async with talking(agent, tmp_path, "auto", SERVICE_AGENT_ID="first") as talk:
        assert (await talk.ok("whoami"))["agent"]["id"] == "first"


async def test_nothing_but_the_protocol_is_on_standard_output(world: World, tmp_path: Path) -> None:
    done = await run(await world.agent(), tmp_path, PING, "", "no JSON", [PING], {**PING, "id": "two"})
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert {answer["id"] for answer in answers if "result" in answer} == {1, "two"}
    assert {answer["error"]["code"] for answer in answers if "error" in answer} == {-32700, -32600}


async def test_no_message_ends_the_command(world: World, tmp_path: Path) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    strange: list[Any] = [
        *({**cancelled, "params": params} for params in ([], "x", 1, None, {}, {"requestId": []}, {"requestId": {}})),
        cancelled,
        *({"jsonrpc": "2.0", "method": method} for method in (None, 1, [], {}, "no\nsuch", "\ud800")),
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"_meta": []}},
        '{"jsonrpc": "2.0", "method": "x", "params": ' + "[" * 900 + "]" * 900 + "}",
        "[" * 100_000,
        "1" * 5000,
        "NaN",
        {"id": 7, "method": "tools/call", "params": {"name": "\ud800", "_meta": {"a": 1}}},
    ]
    done = await run(await world.agent(), tmp_path, *strange, PING)
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert PING["id"] in [answer["id"] for answer in answers if "result" in answer]


@pytest.mark.slow
async def test_a_wrong_key_and_a_wrong_address_are_one_line_each(world: World, tmp_path: Path) -> None:
    agent = await world.agent()
    cases = [
        ({"SERVICE_API_KEY": "tdm_wrong"}, 1, "There is no such key"),
        ({"SERVICE_API_KEY": world.sa.headers["Authorization"].split()[1]}, 1, "There is no such key"),
        ({"SERVICE_API_KEY": ""}, 2, "SERVICE_API_KEY"),
        ({"SERVICE_API_URL": "http://127.0.0.1:9"}, 1, "Cannot reach the service at http://127.0.0.1:9/mcp"),
        ({"SERVICE_API_URL": "nonsense"}, 2, "'nonsense' is not a service address"),
        ({"SERVICE_API_URL": agent.base + "/other"}, 1, "no such route"),
    ]
    for more, code, sentence in cases:
        done = await run(agent, tmp_path, PING, **more)
        assert (done.returncode, done.stdout) == (code, ""), more
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", ERAS)
async def test_during_a_restart_tools_say_wait_and_then_work_again(
    service_process: ServiceProcess, tmp_path: Path, mode: str
) -> None:
    async with World(service_process.url) as world:
        card = await world.card(await world.board())
        agent = await world.agent()
    service_process.environment["SERVICE_PORT"] = str(service_process.port)
    async with talking(agent, tmp_path, mode) as talk:
        token = (await talk.ok("claim", card=card["key"]))["card"]["claim"]["token"]
        assert await asyncio.to_thread(service_process.stop) == 0
        for _ in range(2):
            error = await talk.error("comment", "unavailable", card=card["key"], content="Here?")
            assert f"Cannot reach the service at {agent.base}/mcp" in error["message"]
            assert "wait 10 seconds, then call again" in error["message"]
            assert error["details"] == {"retryAfter": 10}
        with pytest.raises(McpError, match="wait 10 seconds"):
            await talk.client.list_prompts()
        await asyncio.to_thread(service_process.start)
        await talk.ok("comment", card=card["key"], content="Back again")
        assert (await talk.ok("whoami"))["claims"][0]["token"] == token


@pytest.mark.parametrize("mode", ERAS)
async def test_a_full_service_is_advice_that_the_agent_can_read(world: World, tmp_path: Path, mode: str) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    async with talking(agent, tmp_path, mode) as talk, full_memory(world, agent):
        error = await talk.error("comment", "unavailable", card=card["key"], content="x" * (1 << 19))
    assert "try again" in error["message"]
    assert error["details"] == {"retryAfter": 10}


@pytest.mark.parametrize("mode", ERAS)
async def test_a_service_that_stops_is_advice_that_the_agent_can_read(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    card, agent = await world.card(await world.board()), await world.agent()

    async def fail(*about: Any) -> None:
        raise Unavailable(None, STOPPING)

    async with talking(agent, tmp_path, mode) as talk:
        assert world.service is not None
        with monkeypatch.context() as patch:
            patch.setattr(world.service.authenticator, "authenticate", fail)
            error = await talk.error("comment", "unavailable", card=card["key"], content="Here?")
        assert (error["message"], error["details"]) == (STOPPING, {"retryAfter": 10})
        await talk.ok("comment", card=card["key"], content="Back again")


@pytest.mark.slow
async def test_a_call_that_a_crash_interrupts_may_have_had_its_effect(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        agent = await world.agent()
    async with talking(agent, tmp_path, "legacy") as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        call = asyncio.create_task(talk.error("wait_for_changes", "unavailable", since=since, wait=30))
        await asyncio.sleep(1)
        await asyncio.to_thread(service_process.kill)
        assert "look whether the call had its effect" in (await call)["message"]


async def test_what_the_service_refuses_has_the_id_of_the_message(world: World, tmp_path: Path) -> None:
    done = await run(await world.agent(), tmp_path, {**PING, "params": {"a": [0] * 2001}}, {**PING, "id": 2})
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[1]["error"]["code"] == -32600
    assert answers[1]["error"]["data"]["code"] == "validation_failed"
    assert "2,000" in answers[1]["error"]["message"]
    assert answers[2]["result"] == {}
