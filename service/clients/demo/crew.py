"""The crew of the demo: a team, three agents and a key for each, of which nothing stays behind."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from ..client import ApiFailure, Client
from .agent import Agent
from .board import Board
from .turns import say, uninterrupted

NAMES = ("planner", "builder", "reviewer")
KEY_LIFETIME = timedelta(hours=1)  # should the command be killed before it can remove the keys


class Leftover(Exception):
    """Something of the crew could not be removed; the message says what."""


@asynccontextmanager
async def crew(client: Client, board: Board, pause: float) -> AsyncIterator[list[Agent]]:
    """Hire three agents and dismiss them at the end, whatever happens; raise ApiFailure, or Leftover."""
    hiring = _Hiring(client, board, pause)
    async with AsyncExitStack() as connections:
        try:
            yield await hiring.hire(connections)
        finally:
            await uninterrupted(hiring.dismiss())


class _Hiring:
    def __init__(self, client: Client, board: Board, pause: float) -> None:
        self._client = client
        self._board = board
        self._pause = pause
        self._run = secrets.token_hex(2)
        self._agents: list[tuple[Agent, Client]] = []
        self._made: list[str] = []  # what to remove at the end, as paths, newest first

    async def hire(self, connections: AsyncExitStack) -> list[Agent]:
        team = await uninterrupted(self._add_team())
        for name in NAMES:
            agent_id = f"demo-{self._run}-{name}"
            secret = await uninterrupted(self._add_key(team, agent_id))
            client = await connections.enter_async_context(Client(self._client.root, api_key=secret))
            await self._register(client, team, name, agent_id)
            self._agents.append((Agent(name, agent_id, client, self._board, self._pause), client))
        return [agent for agent, _ in self._agents]

    async def _add_team(self) -> str:
        path, name = f"{self._board.organization}/teams", f"Agent demo {self._run}"
        team: str = (await self._client.post(path, {"name": name}))["id"]
        self._made.insert(0, f"{path}/{team}?mode=permanent")
        say("you", f'made the team "{name}"')
        return team

    async def _add_key(self, team: str, agent_id: str) -> str:
        expires = (datetime.now(UTC) + KEY_LIFETIME).isoformat()
        body = {"name": agent_id, "teamId": team, "agentId": agent_id, "expiresAt": expires}
        key: dict[str, Any] = await self._client.post("/settings/api-keys", body)
        self._made.insert(0, f"/settings/api-keys/{key['id']}")
        say("you", f"made a key for {agent_id}")
        return str(key["secret"])

    async def _register(self, client: Client, team: str, name: str, agent_id: str) -> None:
        self._made.insert(0, f"/agents/{agent_id}")
        await client.post(f"/teams/{team}/agents/register", {"id": agent_id, "title": f"Demo {name}"})
        say(name, f"registered as {agent_id} and waits for approval")
        await self._client.patch(f"/agents/{agent_id}/approve", {})
        say("you", f"approved {agent_id}")
        await client.post(f"/agents/{agent_id}/online")
        say(name, "is online")

    async def dismiss(self) -> None:
        """Go offline and remove all that was made, the keys first; raise Leftover."""
        for agent, client in self._agents:
            with suppress(ApiFailure):  # stopped or removed meanwhile; it goes in any case
                await client.post(f"/agents/{agent.id}/offline")
        keys_first = sorted(self._made, key=lambda path: not path.startswith("/settings/"))
        failures = {path: failure for path in keys_first if (failure := await self._remove(path))}
        if failures:
            minutes = KEY_LIFETIME.seconds // 60
            reason = next(iter(failures.values()))
            raise Leftover(
                f"{reason} Not removed: {', '.join(failures)}. Keys end by themselves after {minutes} minutes."
            )
        if self._made:
            say(
                "you", "removed the keys, the agents and the team of this run; what the agents did stays in the history"
            )

    async def _remove(self, path: str) -> ApiFailure | None:
        try:
            await self._client.delete(path)
        except ApiFailure as failure:
            return None if failure.status == 404 else failure
        return None
