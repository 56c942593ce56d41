"""A listener to the stream of events, as a page or an agent would be one."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp

from .world import Client

MESSAGE_TIMEOUT_SECONDS = 20  # until a test gives up on a message


@dataclass(frozen=True)
class Message:
    """One message of a stream; a comment line has no data."""

    id: str | None
    name: str
    data: Any


class Listener:
    """An open stream, and its first message."""

    opening: Message

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self.response = response
        self._rest = b""

    async def message(self) -> Message | None:
        """Return the next message; None at the end of the stream."""
        while b"\n\n" not in self._rest:
            piece = await asyncio.wait_for(self.response.content.readany(), MESSAGE_TIMEOUT_SECONDS)
            if not piece:
                assert self._rest == b""
                return None
            self._rest += piece
        frame, _, self._rest = self._rest.partition(b"\n\n")
        lines = dict(line.split(": ", 1) for line in frame.decode().split("\n") if not line.startswith(":"))
        data = json.loads(lines["data"]) if "data" in lines else None
        return Message(lines.get("id"), lines.get("event", "message" if lines else "comment"), data)

    async def event(self) -> dict[str, Any]:
        """Return the next event that concerns all; fail the test if another one comes. Personal events have no id."""
        while (message := await self.message()) and message.name == "message" and message.id is None:
            pass
        assert message is not None
        assert message.name == "message"
        assert message.data["id"] == message.id
        event: dict[str, Any] = message.data
        return event

    async def events(self, count: int) -> list[dict[str, Any]]:
        """Return the next so many events."""
        return [await self.event() for _ in range(count)]


@contextlib.asynccontextmanager
async def listening(
    who: Client, last_id: str | None = None, since: str | None = None, first: str = "ready"
) -> AsyncIterator[Listener]:
    """Listen to the events of the client's organization; the first message must have this name."""
    path = who.org("/events/mcp" if "ApiKey" in who.headers["Authorization"] else "/events")
    headers = who.headers | ({"Last-Event-ID": last_id} if last_id is not None else {})
    params = {"since": since} if since is not None else {}
    timeout = aiohttp.ClientTimeout(total=None)
    async with who.http.get(who.base + "/api/v1" + path, headers=headers, params=params, timeout=timeout) as response:
        assert response.status == 200, await response.text()
        listener = Listener(response)
        opening = await listener.message()
        assert opening is not None
        assert opening.name == first
        assert opening.data == {"id": opening.id}
        listener.opening = opening
        yield listener


async def changes(who: Client, **query: Any) -> Any:
    """Ask for the changes in the client's organization."""
    path = who.org("/changes/mcp" if "ApiKey" in who.headers["Authorization"] else "/changes")
    return (await who.get(path, params=query)).ok()


async def position(who: Client) -> str:
    """Return the id of the last event there is."""
    return str((await changes(who))["next"])


async def all_changes(who: Client, since: str) -> list[Any]:
    """Return all events of the client's organization since a position."""
    events, found = [], {"next": since, "hasMore": True}
    while found["hasMore"]:
        found = await changes(who, since=found["next"], limit=100)
        assert found["reset"] is False
        events += found["items"]
    return events


async def types(who: Client, since: str) -> list[str]:
    """Name what happened in the client's organization since an event."""
    return [event["type"] for event in await all_changes(who, since)]
