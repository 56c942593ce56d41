"""The course of the demo, and what it says at its end."""

from __future__ import annotations

import asyncio
import signal
import time
from dataclasses import dataclass

from ..account import Account, signed_in
from ..client import ApiFailure, Client
from .agent import Agent
from .board import Board, add_cards, make_board
from .crew import Leftover, crew
from .person import Person, look
from .summary import summarize
from .turns import say, take_turns

NEEDED = "SolutionArchitect"


@dataclass(frozen=True)
class Bounds:
    """How much the demo does at the most, and how long it waits after each step."""

    cards: int
    seconds: float
    pause: float


class NotPlayed(Exception):
    """The demo could not be played; the message says why, and what is left of it."""


async def play(account: Account, bounds: Bounds) -> None:
    """Play the demo from an empty board to the summary; raise ApiFailure, NotPlayed or BadUsage."""
    _clear_up_at_every_end()
    async with signed_in(account) as (client, organization):
        await _check_role(client, organization)
        board = await make_board(client, organization)
        try:
            await _play(client, board, bounds)
        except (ApiFailure, Leftover) as failure:
            raise NotPlayed(f"{failure} {_left(client, board)}") from failure
        except asyncio.CancelledError:
            raise NotPlayed(f"Interrupted. {_left(client, board)}") from None
        print(summarize(account, board, await look(client, board)))


def _clear_up_at_every_end() -> None:
    """Let a kill and a closed terminal do as Ctrl-C does, for the sake of the keys."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)


async def _check_role(client: Client, organization: str) -> None:
    client.organization = organization
    memberships = (await client.get("/auth/me"))["organizations"]
    membership = next((membership for membership in memberships if membership["id"] == organization), None)
    if membership is None:
        raise NotPlayed(f"You are not in an organization {organization}. Nothing was made.")
    if membership["role"] != NEEDED:
        raise NotPlayed(
            f"You are {membership['role']} in {membership['title']}, and the demo needs a {NEEDED}: "
            "it creates a project, keys and agents. "
            "Sign in as one, or name another organization with --organization. Nothing was made."
        )


def _left(client: Client, board: Board) -> str:
    return f"The project {board.project} is left: remove it (DELETE {board.address(client.root)}?mode=permanent)."


async def _play(client: Client, board: Board, bounds: Bounds) -> None:
    async with crew(client, board, bounds.pause) as agents:
        await add_cards(client, board, bounds.cards)
        began = time.monotonic()
        try:
            async with asyncio.timeout(bounds.seconds):
                await _work(client, board, agents, bounds.pause)
        except TimeoutError:
            say("demo", f"stopped after {bounds.seconds:g} s, as --seconds says; the cards stay where they are")
        else:
            say("demo", f"done after {time.monotonic() - began:.1f} s")


async def _work(client: Client, board: Board, agents: list[Agent], pause: float) -> None:
    """Show what a claim keeps others from, how work is found again and split, and let all work until all is decided."""
    finished = asyncio.Event()
    first, other, _ = agents
    if card := await first.claim_first():
        await other.trespass(card, first.name)
        await first.start_again()
        await other.split_next()
    person = Person(client, board, {agent.id for agent in agents}, pause, finished)
    try:
        async with asyncio.TaskGroup() as group:
            for name, turn in [("you", person.turn), *((agent.name, agent.turn) for agent in agents)]:
                group.create_task(take_turns(name, turn, finished))
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
