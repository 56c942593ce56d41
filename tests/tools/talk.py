"""A client of the tools, on the official SDK."""

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import jsonschema
import mcp_types as types
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from ..world import Client

ERAS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}  # connection mode and negotiated version
DEFAULT, MOST = 8000, 32000  # bytes of a result
CONTEXT_DEFAULT = 24_000  # of the context of a card
CONTEXT_TOOLS = ("get_card", "claim", "claim_next")


@dataclass
class Talk:
    """An open connection to the tool server."""

    client: McpClient
    tools: set[str]
    calls: int = 0
    read: int = 0  # bytes of all results

    async def raw(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool and return the result."""
        result = await self.client.call_tool(name, arguments)
        self.calls, self.read = self.calls + 1, self.read + get_size(result)
        return result

    async def ok(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool and return its JSON; fail for an error, or for a result beyond the token limit."""
        result = await self.raw(name, **arguments)
        assert not result.is_error, result.content[0].text
        assert result.structured_content is None
        limit = CONTEXT_DEFAULT if name in CONTEXT_TOOLS else DEFAULT
        assert get_size(result) <= 4 * arguments.get("maxTokens", limit // 4)
        return json.loads(result.content[0].text)

    async def refused(self, name: str, code: str, /, **arguments: Any) -> Any:
        """Call a tool that must fail, and return the details of the error."""
        return (await self.error(name, code, **arguments))["details"]

    async def error(self, name: str, code: str, /, **arguments: Any) -> Any:
        """Call a tool that must fail, and return the error."""
        result = await self.raw(name, **arguments)
        assert result.is_error, result.content[0].text
        assert result.structured_content is None
        error = json.loads(result.content[0].text)
        assert {"code", "message", "details"} <= set(error) <= {"code", "message", "details", "leftOut"}
        assert error["code"] == code, error
        assert error["message"]
        return error


def get_size(result: Any) -> int:
    """Return the bytes of text in a result."""
    return sum(len(block.text.encode()) for block in result.content if block.type == "text")


@contextlib.asynccontextmanager
async def talking(
    who: Client, mode: str = "2026-07-28", asked: Any = None, toolset: str | None = None, **headers: str
) -> AsyncIterator[Talk]:
    """Connect an agent to the tool server over HTTP; `asked` answers elicitations, if the client supports them."""
    async with httpx2.AsyncClient(headers=who.headers | headers, timeout=60) as http:
        query = f"?toolset={toolset}" if toolset else ""
        transport = streamable_http_client(f"{who.base}/mcp{query}", http_client=http)
        async with McpClient(transport, mode=mode, elicitation_callback=asked) as client:
            yield await listening(client)


class AtClient:
    """The user of an agent's client, who completes elicitation forms."""

    def __init__(self, action: str = "accept", meanwhile: Any = None, **content: Any) -> None:
        self.action, self.content, self.meanwhile = action, content or None, meanwhile
        self.forms: list[types.ElicitRequestFormParams] = []

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        """Complete a form, after awaiting `meanwhile`."""
        self.forms.append(params)
        if self.meanwhile is not None:
            await self.meanwhile()
        return types.ElicitResult(action=self.action, content=self.content if self.action == "accept" else None)


async def listening(client: McpClient) -> Talk:
    """Return a connection with the names of the tools, after checking their schemas."""
    tools = (await client.list_tools()).tools
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is None
    return Talk(client, {tool.name for tool in tools})
