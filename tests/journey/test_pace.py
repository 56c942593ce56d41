"""The pace of claims: an agent that claims in a loop leaves the writer to others, and nobody waits where nobody is."""

import asyncio
import time

import pytest

from service.errors import Overloaded
from service.journey.pace import AGENTS_MAX, CLAIM_SECONDS, CLAIMS_AT_ONCE, WAIT_SECONDS_MAX, Pace
from service.neighbours import RECENT_SECONDS

from ..world import Board, Client, World

TIMES = 6  # as many claims wait, beyond those that need not


@pytest.fixture
def pace() -> Pace:
    """The pace of a service in which somebody has just written besides the one who claims."""
    pace = Pace()
    pace.note("agent", 100.0)
    pace.note("person", 100.0)
    return pace


def waits(pace: Pace, count: int, now: float = 100.0, agent: str = "agent") -> list[float]:
    return [round(pace.seconds(("key", agent), now), 6) for _ in range(count)]


def test_who_claims_a_few_times_does_not_wait_and_who_goes_on_waits_each_time_longer(pace: Pace) -> None:
    assert waits(pace, CLAIMS_AT_ONCE) == [0.0] * CLAIMS_AT_ONCE
    assert waits(pace, 3) == [CLAIM_SECONDS, 2 * CLAIM_SECONDS, pytest.approx(3 * CLAIM_SECONDS)]


def test_agents_wait_for_themselves_only(pace: Pace) -> None:
    assert waits(pace, CLAIMS_AT_ONCE + 1)[-1] > 0
    assert waits(pace, CLAIMS_AT_ONCE, agent="another") == [0.0] * CLAIMS_AT_ONCE


def test_nobody_waits_where_nobody_else_writes() -> None:
    pace = Pace()
    pace.note("agent", 100.0)
    pace.note("person", 100.0)
    later = 100.0 + RECENT_SECONDS * 1.01
    pace.note("person", later)
    assert waits(pace, 1000, now=later) == [0.0] * 1000


def test_who_has_rested_begins_anew(pace: Pace) -> None:
    waits(pace, CLAIMS_AT_ONCE + 2)
    rested = 100.0 + (CLAIMS_AT_ONCE + 2) * CLAIM_SECONDS
    pace.note("agent", rested)
    pace.note("person", rested)
    assert waits(pace, CLAIMS_AT_ONCE + 1, now=rested) == [0.0] * CLAIMS_AT_ONCE + [CLAIM_SECONDS]


def test_who_would_wait_for_long_is_refused_and_nothing_grows_without_end(pace: Pace) -> None:
    most = CLAIMS_AT_ONCE + int(WAIT_SECONDS_MAX / CLAIM_SECONDS) - 1
    assert max(waits(pace, most)) <= WAIT_SECONDS_MAX
    with pytest.raises(Overloaded) as caught:
        waits(pace, 3)
    assert "Retry-After" in caught.value.headers
    for number in range(3 * AGENTS_MAX):
        pace.seconds(("key", f"agent {number}"), 100.0)
    assert len(pace._due) <= AGENTS_MAX


async def others(world: World, board: Board) -> None:
    """Write all the time."""
    card = await world.card(board)
    while True:
        (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Still here."})).ok()


@pytest.fixture
async def board(world: World) -> Board:
    board = await world.board()
    await world.card(board, "Todo")
    return board


async def seconds_of_claims(agent: Client, path: str, count: int) -> float:
    began = time.monotonic()
    for _ in range(count):
        card = (await agent.post(path, {})).ok()
        (await agent.delete(f"/cards/{card['id']}/claim/mcp")).ok()
    return time.monotonic() - began


async def test_a_loop_of_claims_waits_beside_others_and_still_has_all_its_answers(world: World, board: Board) -> None:
    agent = await world.agent()
    (card,) = (await world.sa.get(world.sa.org("/cards"))).ok()["items"]
    beside = asyncio.create_task(others(world, board))
    await asyncio.sleep(0.1)
    for path in (agent.org("/cards/claim/mcp"), f"/cards/{card['id']}/claim/mcp"):
        took = await seconds_of_claims(agent, path, CLAIMS_AT_ONCE + TIMES)
        assert took >= (TIMES - 1) * CLAIM_SECONDS
    beside.cancel()


async def test_an_agent_that_claims_alone_does_not_wait(
    world: World, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await world.agent()
    await seconds_of_claims(agent, agent.org("/cards/claim/mcp"), 1)
    await asyncio.sleep(1.1 * RECENT_SECONDS)
    monkeypatch.setattr("service.journey.pace.CLAIM_SECONDS", 3600.0)  # who has to wait at all is refused
    await seconds_of_claims(agent, agent.org("/cards/claim/mcp"), CLAIMS_AT_ONCE + TIMES)
