"""The cost of requests does not depend on how much a card or an organization contains.

Not time is compared, but what a request asks of SQLite: the instructions of its virtual machine, and the characters
that statements are given, on a card where much lies and on a fresh one. `python -m tests.bench.growth` measures time.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pytest

from service import config
from service.database import transaction

from . import everyday_requests, forms, full_cards
from .bench import scene as bench_scene
from .everyday_requests import READS, WRITES, Exchange, Request, Scene
from .running import running
from .world import World

# How much of each kind lies there: enough that three instructions for each row would be seen.
COUNTS = {"values": 60, "labels": 150, "text": 99_000, "files": 60, "requests": 300, "unread events": 3000}
COUNT = 500
FACTOR, MORE_STEPS, MORE_CHARACTERS = 1.5, 200, 2500  # that a full card may cost: times a fresh one, and more
RUNS = 3  # the least counts: now and then a write also merges a part of the search index
WHOLE = "GET card, all of it"
SHOW_THE_CARD = {"GET card", "title", "description", "label", "tick", "move, and back", "archive, restore"}
SHOW_THE_CARD |= {"claim, release", "claim_next, release", "context", WHOLE}
# What grows, since a response shows all of it or the first of it, or for the reason given.
GROWING: dict[str, set[str]] = {
    "comments": {WHOLE, "comments"},
    "replies": {WHOLE, "comments"},
    "requests": {WHOLE, "comments", "inbox"},  # whether the agent of the inbox has asked for one of the moves
    "parts": {WHOLE, "context"},
    "relations": {WHOLE, "context"},
    "dependents": {WHOLE, "context", "archive, restore"},  # each relation says whether the card that blocks is open
    "former blockers": {WHOLE, "context"},
    "files": {WHOLE, "context"},
    "values": {*SHOW_THE_CARD, "board"},
    "cards": {"board", "list"},
    "fields": {"board"},
    "unread events": {"catch-up"},
}


@dataclass
class Cost:
    """What a request asks of SQLite."""

    steps: int = 0
    characters: int = 0


@pytest.fixture
def cost(monkeypatch: pytest.MonkeyPatch) -> Cost:
    """Count from now on what all statements of the service cost."""
    found, execute = Cost(), transaction.execute

    def tick() -> int:
        found.steps += 1
        return 0

    def counted(connection: sqlite3.Connection, text: str, values: Any = ()) -> sqlite3.Cursor:
        connection.set_progress_handler(tick, 1)
        found.characters += sum(len(value) for value in values if isinstance(value, str))
        return execute(connection, text, values)

    monkeypatch.setattr(transaction, "execute", counted)
    return found


async def send(exchange: Exchange) -> None:
    """Send the requests of an exchange, one after the other."""
    try:
        request = next(exchange)
        while True:
            request = exchange.send(await answer(request))
    except StopIteration:
        pass


async def answer(request: Request) -> Any:
    """Send a request and return the body of its success."""
    if request.form is None:
        return (await request.who.call(request.method, request.path, request.json)).ok()
    headers = {"Content-Type": forms.FORM}
    return (await request.who.call(request.method, request.path, data=request.form, headers=headers)).ok()


async def least_cost(cost: Cost, exchange: Any, scene: Scene) -> Cost:
    """Return the least that an exchange costs, of some runs after the first."""
    await send(exchange(scene))
    costs = []
    for _ in range(RUNS):
        await send(everyday_requests.change_beside(scene))
        await asyncio.sleep(0)
        before = replace(cost)
        await send(exchange(scene))
        costs.append(Cost(cost.steps - before.steps, cost.characters - before.characters))
    return Cost(min(one.steps for one in costs), min(one.characters for one in costs))


def fill(world: World, name: str, scene: Scene) -> None:
    """Let much of one kind lie on the card of a scene, or in its organization."""
    with closing(sqlite3.connect(world.service.store.path, timeout=10)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        every = full_cards.OF_A_CARD | full_cards.OF_AN_ORGANIZATION
        every[name](connection, scene.rows, COUNTS.get(name, COUNT))
        bench_scene.defer_indexing(connection)


async def require_flat(world: World, cost: Cost, fresh: Scene, full: Scene, name: str) -> None:
    """Fail if one of the exchanges costs more with the full scene than with the fresh one."""
    growing = []
    for kind, exchange in {**READS, **WRITES}.items():
        if kind in GROWING.get(name, ()):
            continue
        least, most = await least_cost(cost, exchange, fresh), await least_cost(cost, exchange, full)
        if most.steps > least.steps * FACTOR + MORE_STEPS:
            growing.append(f"{kind}: {least.steps} → {most.steps} instructions")
        if most.characters > least.characters * FACTOR + MORE_CHARACTERS:
            growing.append(f"{kind}: {least.characters} → {most.characters} characters")
    assert not growing, f"with {name}: {'; '.join(growing)}"


@pytest.fixture
async def world(settings: config.Settings) -> AsyncIterator[World]:
    """Provide a running service whose limits count, but stop nobody."""
    limits = {"guard_comments_per_hour": 10_000, "guard_returns": 10_000, "agent_claims_max": 100}
    async with running(settings.model_copy(update=limits)) as world:
        yield world


@pytest.mark.parametrize("name", [*full_cards.OF_A_CARD, *full_cards.OF_AN_ORGANIZATION])
async def test_requests_cost_the_same_however_much_lies_there(world: World, cost: Cost, name: str) -> None:
    fresh = await everyday_requests.prepare(world, world.sa, await world.agent(), "Fresh")
    full = await everyday_requests.prepare(world, *await everyday_requests.found_organization(world, "Full"), "Full")
    fill(world, name, full)
    await asyncio.to_thread(bench_scene.wait_until_indexed, world.service.store.path)
    await require_flat(world, cost, fresh, full, name)
