"""What connect asks of the tool server: who the agent is, and to know it."""

from __future__ import annotations

import json
from typing import Any

import aiohttp

from ..client import FAILURES, PREFIX, ApiFailure, api_root

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
TIMEOUT = aiohttp.ClientTimeout(total=30, sock_connect=10)


class Talk:
    """Calls tools, one after the other, with one key and as one agent."""

    def __init__(self, url: str, key: str, agent_id: str | None = None) -> None:
        self.address = api_root(url).removesuffix(PREFIX)
        self._headers = {**HEADERS, "Authorization": f"ApiKey {key}"}
        if agent_id:
            self._headers["X-Agent-Id"] = agent_id

    async def __aenter__(self) -> Talk:
        self._http = aiohttp.ClientSession(headers=self._headers, timeout=TIMEOUT)
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._http.close()

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and give its answer; raise ApiFailure."""
        params = {"name": tool, "arguments": {key: value for key, value in arguments.items() if value is not None}}
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        url = f"{self.address}/mcp"
        try:
            async with self._http.post(url, data=message, allow_redirects=False) as response:
                answer = json.loads(await response.read())
        except FAILURES as error:
            raise ApiFailure(0, "unreachable", f"Cannot reach the service at {url}: {_reason(error)}.") from None
        return _understood(url, answer)


def _understood(url: str, answer: Any) -> dict[str, Any]:
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict):  # of the service, or of the protocol
        raise ApiFailure(1, str(error.get("code")), str(error.get("message")))
    try:
        said: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
        is_error = answer["result"].get("isError", False)
    except (KeyError, IndexError, TypeError, ValueError):
        raise ApiFailure(0, "unexpected_answer", f"{url} answered, but not as the service does.") from None
    if is_error:
        raise ApiFailure(1, said["code"], said["message"])
    return said


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()).removesuffix(".") or type(error).__name__
