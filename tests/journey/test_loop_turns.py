"""Turns of the event loop are shared between organizations, however many connections one of them has."""

import asyncio
from itertools import pairwise

import pytest

from service.journey.loop_turns import LoopTurns
from service.neighbours import RECENT_SECONDS

from ..world import OUTSIDER, Client, World

CROWD = 40


class Asking:
    """Those who take turns, and in which turn of the loop they had them."""

    def __init__(self) -> None:
        self.turns = LoopTurns()
        self.had: list[tuple[str, int]] = []
        self.turn = 0
        asyncio.get_running_loop().call_soon(self._count)

    def _count(self) -> None:
        self.turn += 1
        asyncio.get_running_loop().call_soon(self._count)

    async def ask(self, org_id: str) -> None:
        await self.turns.take(org_id)
        self.had.append((org_id, self.turn))

    async def all(self, *org_ids: str) -> None:
        await asyncio.gather(*map(self.ask, org_ids))


async def test_while_another_asks_a_crowd_has_one_turn_after_the_other() -> None:
    asking = Asking()
    await asking.ask("small")
    await asking.all(*["large"] * CROWD, "small")
    of_large = [turn for org_id, turn in asking.had if org_id == "large"]
    assert all(later > earlier for earlier, later in pairwise(of_large))
    assert [org_id for org_id, _ in asking.had[:3]] == ["small", "large", "small"]


async def test_a_crowd_that_is_alone_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    asking = Asking()
    await asking.all("small", "large")
    time = asyncio.get_running_loop().time() + 2 * RECENT_SECONDS
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: time)
    await asking.all(*["large"] * CROWD)
    assert len({turn for _, turn in asking.had[2:]}) == 1


async def test_who_leaves_while_waiting_holds_up_nobody() -> None:
    asking = Asking()
    await asking.ask("small")
    tasks = [asyncio.create_task(asking.ask("large")) for _ in range(4)]
    await asyncio.sleep(0)
    tasks[1].cancel()
    tasks[2].cancel()
    await asyncio.wait(tasks, timeout=5)
    await asyncio.wait_for(asking.all("large"), 5)
    assert [org_id for org_id, _ in asking.had] == ["small", *["large"] * 3]


async def test_a_read_is_answered_before_a_crowd_of_another_organization_that_came_first(world: World) -> None:
    other = await world.login(OUTSIDER)
    one, theirs = await world.card(await world.board()), await world.card(await world.board(other), by=other)
    answered: list[Client] = []

    async def read(client: Client, path: str) -> None:
        (await client.get(path)).ok()
        answered.append(client)

    async def all_at_once() -> None:
        answered.clear()
        crowd = [read(world.sa, f"/cards/{one['id']}") for _ in range(CROWD)]
        await asyncio.gather(*crowd, read(other, f"/cards/{theirs['id']}"))

    await all_at_once()  # opens the connections
    await all_at_once()
    assert answered.index(other) < CROWD / 2
