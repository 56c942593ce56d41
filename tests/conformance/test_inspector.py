"""The Inspector's command line, an independent client: tools are listed and called over HTTP and stdio."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from ..process import RUN
from ..world import World
from . import npm

pytestmark = pytest.mark.slow

PACKAGE = "@modelcontextprotocol/inspector@2.12.0"
PATIENTLY = ("--connect-timeout", "120000")  # ms, since the machine may be busy when the command starts
IS_ERROR = 5  # exit code for a result that says isError


async def test_the_inspector_lists_and_calls_tools_over_http_and_stdio(world: World, tmp_path: Path) -> None:
    package = await asyncio.to_thread(npm.install, PACKAGE, tmp_path)
    agent, card = await world.agent(), await world.card(await world.board())
    http = (agent.base + "/mcp", "--transport", "http", "--header", f"Authorization: ApiKey {agent.secret}")
    environment = (f"SERVICE_API_URL={agent.base}", f"SERVICE_API_KEY={agent.secret}")
    stdio = ("-e", environment[0], "-e", environment[1], sys.executable, str(RUN), "mcp")

    async def inspect(*arguments: str) -> tuple[int, str, str]:
        launcher = package / "clients" / "launcher" / "build" / "index.js"
        return await npm.run(launcher, "--cli", *PATIENTLY, *arguments, folder=tmp_path)

    code, output, errors = await inspect(*http, "--method", "tools/list", "--strict")
    assert (code, errors) == (0, "")  # no schema that some client could not take
    assert len(json.loads(output)["tools"]) >= 20
    for way in (http, stdio):
        call = ("--tool-name", "get_card", "--method", "tools/call")
        code, output, errors = await inspect("--tool-arg", f"card={card['key']}", *call, *way)
        assert code == 0, errors
        assert json.loads(json.loads(output)["content"][0]["text"])["card"]["key"] == card["key"]
        code, output, _ = await inspect("--tool-arg", "card=nothing", *call, *way)
        assert code == IS_ERROR
        assert json.loads(json.loads(output)["content"][0]["text"])["code"] == "not_found"
