"""Setup of the demo: a team and three agents with their API keys, which are removed at the end."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from ..client import ApiFailure, Client
from .agent import DemoAgent
from .board import DemoBoard
from .turns import say, uninterrupted

NAMES = ("planner", "builder", "reviewer")
KEY_LIFETIME = timedelta(hours=1)  # in case the command is killed before it can remove the keys


class CleanupFailed(Exception):
    """Raised if a key, an agent or the team could not be removed; the message names it."""


@asynccontextmanager
async def run_agents(client: Client, board: DemoBoard, pause: float) -> AsyncIterator[list[DemoAgent]]:
    """Create three agents and remove them at the end, also after an error; raise ApiFailure or CleanupFailed."""
    setup = _Setup(client, board, pause)
    async with AsyncExitStack() as connections:
        try:
            yield await setup.create_agents(connections)
        finally:
            await uninterrupted(setup.clean_up())


class _Setup:
    def __init__(self, client: Client, board: DemoBoard, pause: float) -> None:
        self._client = client
        self._board = board
        self._pause = pause
        self._run = secrets.token_hex(2)
        self._agents: list[tuple[DemoAgent, Client]] = []
        self._created: list[str] = []  # what to remove at the end, as paths, newest first

    async def create_agents(self, connections: AsyncExitStack) -> list[DemoAgent]:
        team = await uninterrupted(self._create_team())
        for name in NAMES:
            agent_id = f"demo-{self._run}-{name}"
            secret = await uninterrupted(self._create_key(team, agent_id))
            client = await connections.enter_async_context(Client(self._client.root, api_key=secret))
            await self._register(client, team, name, agent_id)
            self._agents.append((DemoAgent(name, agent_id, client, self._board, self._pause), client))
        return [agent for agent, _ in self._agents]

    async def _create_team(self) -> str:
        path, name = f"{self._board.organization}/teams", f"Agent demo {self._run}"
        team: str = (await self._client.post(path, {"name": name}))["id"]
        self._created.insert(0, f"{path}/{team}?mode=permanent")
        say("you", f'created the team "{name}"')
        return team

    async def _create_key(self, team: str, agent_id: str) -> str:
        expires = (datetime.now(UTC) + KEY_LIFETIME).isoformat()
        body = {"name": agent_id, "teamId": team, "agentId": agent_id, "expiresAt": expires}
        key: dict[str, Any] = await self._client.post("/settings/api-keys", body)
        self._created.insert(0, f"/settings/api-keys/{key['id']}")
        say("you", f"created a key for {agent_id}")
        return str(key["secret"])

    async def _register(self, client: Client, team: str, name: str, agent_id: str) -> None:
        self._created.insert(0, f"/agents/{agent_id}")
        await client.post(f"/teams/{team}/agents/register", {"id": agent_id, "title": f"Demo {name}"})
        say(name, f"registered as {agent_id} and waits for approval")
        await self._client.patch(f"/agents/{agent_id}/approve", {})
        say("you", f"approved {agent_id}")
        await client.post(f"/agents/{agent_id}/online")
        say(name, "is online")

    async def clean_up(self) -> None:
        """Set the agents offline and remove everything that was created, keys first; raise CleanupFailed."""
        for agent, client in self._agents:
            with suppress(ApiFailure):  # it was stopped or removed; removal follows in any case
                await client.post(f"/agents/{agent.id}/offline")
        keys_first = sorted(self._created, key=lambda path: not path.startswith("/settings/"))
        failures = {path: failure for path in keys_first if (failure := await self._remove(path))}
        if failures:
            minutes = KEY_LIFETIME.seconds // 60
            reason = next(iter(failures.values()))
            raise CleanupFailed(
                f"{reason} Not removed: {', '.join(failures)}. Keys end by themselves after {minutes} minutes."
            )
        if self._created:
            say(
                "you", "removed the keys, the agents and the team of this run; what the agents did stays in the history"
            )

    async def _remove(self, path: str) -> ApiFailure | None:
        try:
            await self._client.delete(path)
        except ApiFailure as failure:
            return None if failure.status == 404 else failure
        return None
