"""A day on an imported board: an SA, a Member and two agents carry a card from pick-up to done."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ..process import ServiceProcess, run
from ..world import MEMBER, PASSWORD, SA, Client, World

BOARD = Path(__file__).parents[1] / "data" / "trello-small.json"


@pytest.fixture
async def day(service_process: ServiceProcess) -> Any:
    """Import the board with the real command, and let everybody in."""
    credentials = {"SERVICE_API_URL": service_process.url, "SERVICE_EMAIL": SA, "SERVICE_PASSWORD": PASSWORD}
    done = await asyncio.to_thread(
        run, "import-trello", str(BOARD), "--yes", folder=service_process.folder, environment=credentials
    )
    assert done.returncode == 0, done.stderr
    async with World(service_process.url) as world:
        yield Day(world, done.stdout.split()[-1])


class Day:
    """The imported project, and the words for what happens on it."""

    def __init__(self, world: World, project: str) -> None:
        self.world, self.project = world, project

    async def columns(self) -> list[dict[str, Any]]:
        query = {"projectId": self.project}
        rows: list[dict[str, Any]] = (await self.world.sa.get(self.world.sa.org("/columns"), params=query)).ok()
        return rows

    async def guard(self, destination: str) -> None:
        """Let every move into a column need a person."""
        sa = self.world.sa
        for edge in (await sa.get(sa.org("/transitions"), params={"projectId": self.project})).ok():
            if edge["toColumnId"] == destination:
                (await sa.patch(sa.org(f"/transitions/{edge['id']}"), {"requiresApproval": True})).ok()

    async def pick_up(self, agent: Client, column: str) -> dict[str, Any]:
        """Take the topmost card of a column that nobody has."""
        query = {"projectId": self.project, "columnId": column}
        items = (await agent.get(agent.org("/cards/mcp"), params=query)).ok()["items"]
        card = next(card for card in items if card["assignedAgentId"] is None)
        taken: dict[str, Any] = (await agent.patch(f"/cards/{card['id']}/mcp", {"assignedAgentId": agent.id})).ok()
        return taken


async def test_agents_and_people_carry_a_card_to_its_end(day: Day) -> None:
    world, columns = day.world, await day.columns()
    first, *_, done = columns
    assert done["columnType"] == "done"
    assert first["agentPickupEnabled"]
    await day.guard(done["id"])
    one, two = await world.agent("one"), await world.agent("two")

    card = await day.pick_up(one, first["id"])
    path = f"/cards/{card['id']}"
    (await one.post(f"{path}/comments/mcp", {"content": "I take this."})).ok()
    refused = (await one.patch(f"{path}/mcp/status", {"toColumnId": done["id"]})).refused(403, "approval_required")
    assert [blocker["code"] for blocker in refused["blockers"]] == ["approval_required"]

    (await one.patch(f"{path}/mcp", {"assignedAgentId": two.id})).ok()
    (await two.post(f"{path}/comments/mcp", {"content": "Finished, please look."})).ok()
    member = await world.login(MEMBER)
    assert (await member.patch(f"{path}/status", {"toColumnId": done["id"]})).ok()["columnId"] == done["id"]

    told = [(row["action"], row["actor"]["id"]) for row in await world.history(card["id"])]
    assert told[-5:] == [
        ("updated", "one"),
        ("commented", "one"),
        ("updated", "one"),
        ("commented", "two"),
        ("moved", member.id),
    ]
