"""The fast path returns the same responses as the SDK, and leaves unusual messages to it."""

from typing import Any

import pytest

from service.tools import fast_path

from ..world import World
from .test_endpoint import send

KEY = "io.modelcontextprotocol/"
META = {f"{KEY}protocolVersion": "2026-07-28", f"{KEY}clientCapabilities": {}}
CLIENT = {f"{KEY}clientInfo": {"name": "test", "version": "1"}}
FOREIGN = {"example.test/unknown": 1}  # an unknown key, which makes the SDK answer


def call(name: str, arguments: Any, **meta: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params}


def headers(name: str) -> dict[str, str]:
    return {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": name}


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Record for each message whether the fast path answered it."""
    noted: list[bool] = []
    original = fast_path.answer_tool_call

    async def noting(*arguments: Any) -> Any:
        found = await original(*arguments)
        noted.append(found is not None)
        return found

    monkeypatch.setattr(fast_path, "answer_tool_call", noting)
    return noted


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("whoami", {}), ("get_card", {"card": "BOA-1"}), ("get_card", {"card": "none"}), ("claim", {})],
)
async def test_the_fast_path_and_the_sdk_return_the_same_response_in_all_protocol_versions(
    world: World, answered: list[bool], name: str, arguments: dict[str, Any]
) -> None:
    await world.card(await world.board())
    agent = await world.agent()
    for said, meta in ({}, {}), (headers(name), META | CLIENT):
        short = await send(agent, call(name, arguments, **meta), **said)
        long = await send(agent, call(name, arguments, **meta, **FOREIGN), **said)
        assert short.ok() == long.ok()
        assert short.headers["Content-Type"] == long.headers["Content-Type"]
    assert answered == [True, False, True, False]


@pytest.mark.parametrize(
    ("message", "said", "status", "code"),
    [
        (call("whoami", {}, **META), headers("whoami") | {"Mcp-Name": "claim"}, 400, -32020),
        (call("whoami", {}, **META), headers("whoami") | {"Mcp-Method": "ping"}, 400, -32020),
        (call("whoami", {}), headers("whoami"), 400, -32602),
        (call("whoami", {}), {"Accept": "text/plain"}, 406, -32600),
        (call("whoami", {}), {"MCP-Protocol-Version": "1999-01-01"}, 400, -32602),
        (call("juggle", {}), {}, 200, -32602),
        (call("whoami", []), {}, 200, -32602),
        (call("whoami", {}) | {"jsonrpc": "1.0"}, {}, 400, -32602),
    ],
)
async def test_wrong_messages_are_left_to_the_sdk(
    world: World, answered: list[bool], message: dict[str, Any], said: dict[str, str], status: int, code: int
) -> None:
    answer = await send(await world.agent(), message, **said)
    assert answered == [False]
    assert answer.status == status
    assert "result" not in answer.body
    assert answer.body["error"]["code"] == code
