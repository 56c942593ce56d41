"""Somebody who uses the tools, through the client of the official SDK."""

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx2
import jsonschema
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from ..world import Client

ERAS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}  # how to connect, and what is agreed upon
DEFAULT, MOST = 8000, 32000  # bytes of a result


@dataclass
class Talk:
    """An open connection to the tool server."""

    client: McpClient
    schemas: dict[str, dict[str, Any]]

    async def raw(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool and give the result as it came."""
        return await self.client.call_tool(name, arguments)

    async def ok(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool and give its answer; it must be as the output schema says, and within its bounds."""
        result = await self.raw(name, **arguments)
        assert not result.is_error, result.content[0].text
        jsonschema.validate(result.structured_content, self.schemas[name])
        assert json.loads(result.content[0].text) == result.structured_content
        if all(block.type == "text" for block in result.content):
            assert size(result) <= 4 * arguments.get("maxTokens", DEFAULT // 4)
        return result.structured_content

    async def refused(self, name: str, code: str, /, **arguments: Any) -> Any:
        """Call a tool that must refuse, and give the details."""
        result = await self.raw(name, **arguments)
        assert result.is_error, result.content[0].text
        assert result.structured_content is None
        error = json.loads(result.content[0].text)
        assert set(error) == {"code", "message", "details"}
        assert error["code"] == code, error
        assert error["message"]
        return error["details"]


def size(result: Any) -> int:
    """Count the bytes of a result as it is sent."""
    return len(result.model_dump_json(by_alias=True, exclude_none=True, exclude={"meta"}).encode())


@contextlib.asynccontextmanager
async def talking(who: Client, mode: str = "2026-07-28", **headers: str) -> AsyncIterator[Talk]:
    """Connect an agent to the tool server over HTTP."""
    async with httpx2.AsyncClient(headers=who.headers | headers, timeout=60) as http:
        transport = streamable_http_client(who.base + "/mcp", http_client=http)
        async with McpClient(transport, mode=mode) as client:
            yield await listening(client)


async def listening(client: McpClient) -> Talk:
    """Read what tools there are."""
    tools = (await client.list_tools()).tools
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    return Talk(client, {tool.name: tool.output_schema for tool in tools})
