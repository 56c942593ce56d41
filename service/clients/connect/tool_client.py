"""Client of the tool server for the command `connect`."""

from __future__ import annotations

import json
from typing import Any

import aiohttp

from ..client import FAILURES, PREFIX, ApiFailure, api_root

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
TIMEOUT = aiohttp.ClientTimeout(total=30, sock_connect=10)


class ToolClient:
    """Calls tools one after another, with one API key and as one agent."""

    def __init__(self, url: str, key: str, agent_id: str | None = None) -> None:
        self.address = api_root(url).removesuffix(PREFIX)
        self._headers = {**HEADERS, "Authorization": f"ApiKey {key}"}
        if agent_id:
            self._headers["X-Agent-Id"] = agent_id

    async def __aenter__(self) -> ToolClient:
        self._http = aiohttp.ClientSession(headers=self._headers, timeout=TIMEOUT)
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._http.close()

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result; raise ApiFailure."""
        params = {"name": tool, "arguments": {key: value for key, value in arguments.items() if value is not None}}
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        url = f"{self.address}/mcp"
        try:
            async with self._http.post(url, data=message, allow_redirects=False) as response:
                answer = json.loads(await response.read())
        except FAILURES as error:
            raise ApiFailure(0, "unreachable", f"Cannot reach the service at {url}: {_reason(error)}.") from None
        return _parse_result(url, answer)


def _parse_result(url: str, answer: Any) -> dict[str, Any]:
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict):  # an error of the service or of the protocol
        data = error.get("data")
        code = data.get("code") if isinstance(data, dict) else error.get("code")
        raise ApiFailure(1, str(code), str(error.get("message")))
    try:
        result: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
        is_error = answer["result"].get("isError", False)
    except (KeyError, IndexError, TypeError, ValueError):
        raise ApiFailure(0, "unexpected_answer", f"The response of {url} is not one of the service.") from None
    if is_error:
        raise ApiFailure(1, result["code"], result["message"])
    return result


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()).removesuffix(".") or type(error).__name__
