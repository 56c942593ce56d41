"""Toolsets: the address of the tool server says which tools it lists."""

import pytest

from ..clients import test_stdio
from ..world import World
from .talk import ERAS, talking
from .test_endpoint import send
from .test_server import PROMISED

CORE = {
    *("claim_next", "get_card", "update_card", "move_card", "comment", "ask"),
    *("request_move", "release", "inbox"),
}


@pytest.mark.parametrize("mode", ERAS)
async def test_the_core_lists_nine_tools_and_full_is_the_default(world: World, mode: str) -> None:
    agent = await world.agent()
    for toolset, tools in ((None, PROMISED), ("full", PROMISED), ("core", CORE)):
        async with talking(agent, mode, toolset=toolset) as talk:
            assert talk.tools == tools


async def test_tools_outside_of_the_core_can_be_called_all_the_same(world: World) -> None:
    async with talking(await world.agent(), toolset="core") as talk:
        assert (await talk.ok("whoami"))["agent"]["id"] == "bot"


@pytest.mark.parametrize("query", ["toolset=all", "toolset=", "toolset=CORE"])
async def test_an_unknown_toolset_is_refused_for_every_message(world: World, query: str) -> None:
    agent = await world.agent()
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "whoami", "arguments": {}}}
    for message in ({"jsonrpc": "2.0", "id": 1, "method": "ping"}, call):
        details = (await send(agent, message, query=query)).refused(400, "validation_failed")
        assert details["fields"] == [{"path": "toolset", "message": "must be full or core"}]
    (await send(world.nobody, query=query)).refused(401, "unauthorized")


async def test_a_toolset_is_named_once(world: World) -> None:
    answer = await send(await world.agent(), query="toolset=full&toolset=core")
    assert answer.invalid() == ["toolset"]
    assert "send this key only once" in answer.body["error"]["message"]


async def test_the_bridge_asks_for_a_toolset_by_option_or_environment(world: World, tmp_path) -> None:
    agent = await world.agent()
    async with test_stdio.talking(agent, tmp_path, "auto", "--toolset", "core") as talk:
        assert talk.tools == CORE
        assert (await talk.ok("whoami"))["agent"]["id"] == "bot"
    async with test_stdio.talking(agent, tmp_path, "auto", SERVICE_TOOLSET="core") as talk:
        assert talk.tools == CORE
    async with test_stdio.talking(agent, tmp_path, "auto", "--toolset", "full", SERVICE_TOOLSET="core") as talk:
        assert talk.tools == PROMISED
    done = await test_stdio.run(agent, tmp_path, SERVICE_TOOLSET="all & more")
    assert (done.returncode, done.stdout) == (1, "")
    assert "must be full or core" in done.stderr
    assert done.stderr.count("\n") == 1
