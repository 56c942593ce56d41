"""Course of the demo, from an empty board to the summary."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass

from ..account import Account, sign_in
from ..client import ApiFailure, Client
from .agent import DemoAgent
from .board import DemoBoard, create_board, create_cards
from .reviewer import Reviewer, get_state
from .setup import CleanupFailed, run_agents
from .summary import summarize
from .turns import say, take_turns

NEEDED = "SolutionArchitect"


@dataclass(frozen=True)
class DemoLimits:
    """The number of cards, the time limit, and the pause after each step."""

    cards: int
    seconds: float
    pause: float


class DemoFailed(Exception):
    """Raised if the demo could not be completed; the message says why, and what remains of it."""


async def play(account: Account, bounds: DemoLimits) -> None:
    """Play the demo from an empty board to the summary; raise ApiFailure, DemoFailed or BadUsage."""
    _clean_up_on_signals()
    async with sign_in(account) as (client, organization):
        await _check_role(client, organization)
        board = await create_board(client, organization)
        try:
            await _play(client, board, bounds)
        except (ApiFailure, CleanupFailed) as failure:
            raise DemoFailed(f"{failure} {_remaining_project(client, board)}") from failure
        except asyncio.CancelledError:
            raise DemoFailed(f"Interrupted. {_remaining_project(client, board)}") from None
        print(summarize(account, board, await get_state(client, board)))


def _clean_up_on_signals() -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C, so that the API keys are removed."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)


async def _check_role(client: Client, organization: str) -> None:
    client.organization = organization
    memberships = (await client.get("/auth/me"))["organizations"]
    membership = next((membership for membership in memberships if membership["id"] == organization), None)
    if membership is None:
        raise DemoFailed(f"You are not in an organization {organization}. Nothing was created.")
    if membership["role"] != NEEDED:
        raise DemoFailed(
            f"You are {membership['role']} in {membership['title']}, and the demo needs a {NEEDED}: "
            "it creates a project, keys and agents. "
            "Sign in as one, or name another organization with --organization. Nothing was created."
        )


def _remaining_project(client: Client, board: DemoBoard) -> str:
    return f"The project {board.project} is left: remove it (DELETE {board.address(client.root)}?mode=permanent)."


async def _play(client: Client, board: DemoBoard, bounds: DemoLimits) -> None:
    async with run_agents(client, board, bounds.pause) as agents:
        await create_cards(client, board, bounds.cards)
        began = time.monotonic()
        try:
            async with asyncio.timeout(bounds.seconds):
                await _work(client, board, agents, bounds.pause)
        except TimeoutError:
            say("demo", f"stopped after {bounds.seconds:g} s, as --seconds says; the cards stay where they are")
        else:
            say("demo", f"done after {time.monotonic() - began:.1f} s")


async def _work(client: Client, board: DemoBoard, agents: list[DemoAgent], pause: float) -> None:
    """Show claims, a restart and a split; then let the agents and the person work until all requests are decided."""
    finished = asyncio.Event()
    first, other, _ = agents
    if card := await first.claim_first():
        await other.attempt_forbidden_change(card, first.name)
        await first.start_again()
        await other.split_next()
    reviewer = Reviewer(client, board, {agent.id for agent in agents}, pause, finished)
    try:
        async with asyncio.TaskGroup() as group:
            for name, turn in [("you", reviewer.turn), *((agent.name, agent.turn) for agent in agents)]:
                group.create_task(take_turns(name, turn, finished))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
