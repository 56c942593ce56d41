"""The tool server over HTTP in all protocol versions: its description and its errors."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from service.tools import server
from service.tools.registry import TOOLS

from ..world import World
from .talk import ERAS, talking

assert server  # importing it fills the registry
PROMISED = {
    *("whoami", "register", "list_mcp_servers", "get_board", "list_cards", "get_card", "search", "history"),
    *("claim_next", "claim", "release", "create_card", "update_card", "move_card", "split_card", "relate"),
    *("comment", "ask", "request_move", "inbox", "wait_for_changes", "get_prompt", "get_file", "attach_file"),
}
READS = {
    *("list_mcp_servers", "whoami", "get_board", "list_cards", "get_card", "get_prompt", "get_file"),
    *("search", "wait_for_changes", "history"),
}
OVERWRITE = {"update_card", "attach_file", "relate"}
REPEATABLE = {"inbox", "update_card", "release", "register"}


@pytest.mark.parametrize("mode", ERAS)
async def test_all_protocol_versions_have_the_same_tools_and_instructions(world: World, mode: str) -> None:
    async with talking(await world.agent(), mode) as talk:
        assert talk.client.protocol_version == ERAS[mode]
        assert talk.tools == PROMISED
        assert (await talk.ok("whoami"))["agent"]["id"] == "bot"
        if mode == "legacy":
            assert talk.client.server_info.name == "tandem"
            assert "never as instructions" in talk.client.instructions


async def test_a_client_negotiates_the_newest_version_and_gets_the_instructions(world: World) -> None:
    async with talking(await world.agent(), "auto") as talk:
        assert talk.client.protocol_version == "2026-07-28"
        assert talk.client.server_info.name == "tandem"
        assert "never as instructions" in talk.client.instructions


@pytest.mark.parametrize("mode", ERAS)
async def test_the_list_of_tools_costs_at_most_3500_tokens_and_the_core_1300(world: World, mode: str) -> None:
    for toolset, tokens in (("full", 3500), ("core", 1300)):
        async with talking(await world.agent(toolset), mode, toolset=toolset) as talk:
            listed = await talk.client.list_tools()
            assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) <= tokens * 4
            assert len((talk.client.instructions or "").encode()) <= 500 * 4


async def test_titles_and_hints_say_what_a_tool_can_do_to_the_board(world: World) -> None:
    async with talking(await world.agent()) as talk:
        tools = (await talk.client.list_tools()).tools
        assert len({tool.title for tool in tools}) == len(tools)
        for tool in tools:
            assert tool.title[0].isupper()
            hints = tool.annotations
            assert bool(hints.read_only_hint) == (tool.name in READS)
            if tool.name not in READS:
                assert hints.destructive_hint == (tool.name in OVERWRITE)
                assert bool(hints.idempotent_hint) == (tool.name in REPEATABLE)


async def test_every_tool_has_a_description_and_denies_unknown_arguments(world: World) -> None:
    async with talking(await world.agent()) as talk:
        for tool in (await talk.client.list_tools()).tools:
            assert len(tool.description) > 20
            assert tool.input_schema["additionalProperties"] is False
            given = dict.fromkeys(tool.input_schema.get("required", []), "x") | {"bogus": 1}
            details = await talk.refused(tool.name, "validation_failed", **given)
            assert "bogus" in [field["path"] for field in details["fields"]]


@pytest.mark.parametrize("mode", ERAS)
async def test_an_unknown_tool_is_an_error_of_the_protocol(world: World, mode: str) -> None:
    async with talking(await world.agent(), mode) as talk:
        with pytest.raises(MCPError, match="no tool 'juggle'"):
            await talk.raw("juggle")


@pytest.mark.parametrize("wrong", [{"card": 7}, {"card": None}, {}, {"card": ""}, {"card": "a\0b"}])
async def test_wrong_arguments_are_named(world: World, wrong: dict[str, Any]) -> None:
    async with talking(await world.agent()) as talk:
        details = await talk.refused("get_card", "validation_failed", **wrong)
        assert details["fields"][0]["path"] in ("card", "")


async def test_text_that_cannot_be_stored_is_denied(world: World) -> None:
    agent = await world.agent()
    params = {"name": "get_prompt", "arguments": {"prompt": "X"}}
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    body = message.replace('"X"', '"\\ud800"')
    headers = {**agent.headers, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with agent.http.post(agent.base + "/mcp", data=body, headers=headers) as answer:
        assert answer.status in (200, 400)
        said = await answer.json()
    assert "result" not in said or said["result"]["isError"]
    assert "internal" not in json.dumps(said).lower()


async def test_an_unexpected_failure_shows_no_internals(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(ctx: Any, arguments: Any) -> Any:
        raise RuntimeError("secret of the inside")

    broken = TOOLS["set_online"]
    monkeypatch.setitem(TOOLS, "set_online", dataclasses.replace(broken, run=fail))
    async with talking(await world.agent()) as talk:
        result = await talk.raw("set_online")
        assert result.is_error
        assert json.loads(result.content[0].text)["code"] == "internal_error"
        assert "secret" not in result.content[0].text


@pytest.mark.slow
async def test_many_agents_call_at_once_each_as_itself(world: World) -> None:
    agents = [await world.agent(f"bot-{number}") for number in range(10)]

    async def ask(number: int) -> None:
        async with talking(agents[number % 10], list(ERAS)[number % 2]) as talk:
            for _ in range(3):
                assert (await talk.ok("whoami"))["agent"]["id"] == f"bot-{number % 10}"

    await asyncio.gather(*(ask(number) for number in range(50)))
