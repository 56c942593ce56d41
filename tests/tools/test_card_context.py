"""The card context in results of tools: read in one transaction."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from ..world import World
from .talk import talking


@pytest.fixture
def transactions(world: World, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the transactions that the service opens, by kind; short reads, as of presence, do not count."""
    assert world.service is not None
    store, counted = world.service.store, Counter[str]()

    def counting(kind: str) -> Any:
        original = getattr(store, kind)

        def begin(*arguments: Any, **named: Any) -> Any:
            counted[kind] += 1
            return original(*arguments, **named)

        return begin

    for kind in ("read", "write"):
        monkeypatch.setattr(store, kind, counting(kind))
    return counted


async def test_claim_with_context_is_one_transaction_and_so_is_get_card(
    world: World, transactions: Counter[str]
) -> None:
    board = await world.board()
    parent, card = await world.card(board, "Backlog"), await world.card(board)
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": "Words"})).ok()
    relation = {"fromCardId": card["id"], "toCardId": parent["id"], "kind": "partOf"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    async with talking(await world.agent()) as talk:
        await talk.ok("whoami")  # once a minute it is noted who was there
        for name, arguments, expected in [
            ("claim_next", {}, {"write": 1}),
            ("claim", {"card": card["key"]}, {"write": 1}),
            ("get_card", {"card": card["key"]}, {"read": 1}),
        ]:
            transactions.clear()
            shown = await talk.ok(name, **arguments)
            assert shown["parent"]["key"] == parent["key"]
            assert transactions == expected, name
        transactions.clear()
        assert (await talk.ok("get_card", card=card["key"]))["takes"]
        assert transactions == {"read": 1}
        transactions.clear()
        (comment,) = shown["comments"]
        assert (await talk.ok("get_card", card=card["key"], part=comment["id"]))["text"] == "Words"
        assert transactions == {}


async def test_a_claimed_card_is_shown_as_of_the_claim_despite_concurrent_changes(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    cards = [await world.card(board, title="0") for _ in range(3)]
    stopped = False

    async def rename() -> None:
        number = 0
        while not stopped:
            number += 1
            for card in cards:
                (await world.sa.patch(f"/cards/{card['id']}", {"title": str(number)})).ok()

    renaming = asyncio.create_task(rename())
    async with talking(agent) as talk:
        for _ in range(30):
            shown = (await talk.ok("claim_next"))["card"]
            assert shown["claim"]["agentId"] == "bot"
            history = await world.history(shown["key"])
            titles = [row["changes"]["title"]["to"] for row in history if "title" in row["changes"]]
            claims = [place for place, row in enumerate(history) if row["action"] == "claimed"]
            before = [row["changes"]["title"]["to"] for row in history[: claims[-1]] if "title" in row["changes"]]
            assert titles
            assert shown["title"] == (before or ["0"])[-1]
            await talk.ok("release", card=shown["key"])
    stopped = True
    await renaming
