"""How many cards an agent may hold at a time: five, unless the setting says otherwise."""

import asyncio
from collections import Counter

import pytest

from service.config import Settings

from ..running import running
from ..world import World
from .test_agent_sessions import in_session
from .test_claims import take, take_next


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Provide settings with the default of five."""
    return settings.model_copy(update={"agent_claims_max": Settings.model_fields["agent_claims_max"].default})


async def test_the_sixth_card_is_refused_with_those_that_one_holds(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    cards = [await world.card(board, title=f"Card {number}") for number in range(6)]
    held = [(await take(agent, card)).ok() for card in cards[:5]]
    for answer in (await take(agent, cards[5]), await take_next(agent)):
        details = answer.refused(409, "too_many_claims")
        assert details["claims"] == [
            {key: card[key] for key in ("key", "title")}
            | {"cardId": card["id"], "expiresAt": card["claim"]["expiresAt"]}
            for card in held
        ]
    assert (await take(agent, cards[0])).ok()["claim"]["token"] != held[0]["claim"]["token"]
    (await agent.delete(f"/cards/{cards[1]['id']}/claim/mcp")).ok()
    assert (await take_next(agent)).ok()["id"] == cards[1]["id"]


async def test_the_limit_counts_all_sessions_of_an_agent_and_taking_over_adds_none(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    first, second = (in_session(world, agent, name) for name in ("first", "second"))
    cards = [await world.card(board, title=f"Card {number}") for number in range(6)]
    for card in cards[:5]:
        (await take(first, card)).ok()
    for answer in (await take(second, cards[5]), await take_next(second)):
        details = answer.refused(409, "too_many_claims")
        assert [claim["cardId"] for claim in details["claims"]] == [card["id"] for card in cards[:5]]
    assert (await take_next(second, takeOver=True)).ok()["id"] == cards[0]["id"]
    (await take(second, cards[1], takeOver=True)).ok()
    (await take(second, cards[5])).refused(409, "too_many_claims")


async def test_what_has_expired_and_what_others_hold_does_not_count(world: World) -> None:
    board, agent, other = await world.board(), await world.agent(), await world.agent("other")
    for _ in range(5):
        (await take(agent, await world.card(board))).ok()
        (await take(other, await world.card(board))).ok()
    card = await world.card(board)
    (await take(agent, card)).refused(409, "too_many_claims")
    world.clock.forward(300)
    (await take(agent, card)).ok()


async def test_of_30_concurrent_claims_of_an_agent_five_succeed(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    cards = [await world.card(board) for _ in range(30)]
    answers = await asyncio.gather(*[take(agent, card) for card in cards[:15]], *[take_next(agent) for _ in range(15)])
    assert Counter(answer.status for answer in answers) == {200: 5, 409: 25}


async def test_zero_means_no_limit_of_claims(settings: Settings) -> None:
    async with running(settings.model_copy(update={"agent_claims_max": 0})) as world:
        board, agent = await world.board(), await world.agent()
        for _ in range(7):
            await world.card(board)
        assert {(await take_next(agent)).status for _ in range(7)} == {200}
