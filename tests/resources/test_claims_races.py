"""Many claimants at once, and claimants that die: no card is held twice, and none is lost."""

import asyncio
import signal
import sys
from collections import Counter
from typing import Any

from ..process import ServiceProcess
from ..world import Answer, Board, Client, World
from .test_claims import take, take_next

CLAIMANT = """
import json, sys, time, urllib.request
url, authorization = sys.argv[1:]
headers = {"Authorization": authorization, "Content-Type": "application/json"}
with urllib.request.urlopen(urllib.request.Request(url, b"{}", headers)) as answer:
    print(json.load(answer)["claim"]["token"], flush=True)
time.sleep(600)  # at work, until it is killed
"""


async def crew(world: World, count: int) -> list[Client]:
    """Register agents that share a key; each names itself by the header."""
    key = await world.key()
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Crew"})).ok()["id"]
    names = [f"worker-{number}" for number in range(count)]
    for name in names:
        await world.register(key, team, name)
        (await world.sa.patch(f"/agents/{name}/approve")).ok()
    return [world.client({**key.headers, "X-Agent-Id": name}, id=name, org_id=key.org_id) for name in names]


async def cards(world: World, board: Board, count: int) -> list[Any]:
    return await asyncio.gather(*[world.card(board, title=f"Card {number}") for number in range(count)])


async def expect_each_once(world: World, answers: list[Answer], made: list[Any]) -> None:
    """Expect that the answers share out exactly these cards, and 204 for everybody else."""
    expected = Counter({200: len(made), 204: len(answers) - len(made)})
    assert Counter(answer.status for answer in answers) == +expected
    got = [answer.body for answer in answers if answer.status == 200]
    assert sorted(card["id"] for card in got) == sorted(card["id"] for card in made)
    assert len({card["claim"]["token"] for card in got}) == len(made)
    for card in got:
        rows = (await world.history(card["id"]))[1:]
        assert [(row["action"], row["actor"]["id"]) for row in rows] == [("claimed", card["claim"]["agentId"])]
        shown = (await world.sa.get(f"/cards/{card['id']}")).ok()["claim"]
        assert shown == {key: value for key, value in card["claim"].items() if key != "token"}


async def test_200_claimants_at_once_share_80_cards_none_twice_and_none_left_over(world: World) -> None:
    board, agents = await world.board(), await crew(world, 200)
    made = await cards(world, board, 80)
    answers = await asyncio.gather(*[take_next(agent) for agent in agents])
    await expect_each_once(world, answers, made)


async def test_80_claims_of_one_agent_at_once_are_answered_without_delay_beside_another_writer(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    made = await cards(world, board, 80)
    commented = await world.card(board, "Backlog")

    async def keep_commenting() -> None:
        while True:
            (await world.sa.post(f"/cards/{commented['id']}/comments", {"content": "Still here."})).ok()

    commenting = asyncio.create_task(keep_commenting())
    async with asyncio.timeout(5):  # with a delay between claims they took up to 15 s
        answers = await asyncio.gather(*[take_next(agent) for _ in range(80)])
    commenting.cancel()
    await expect_each_once(world, answers, made)


async def test_workers_with_one_agent_id_get_different_cards_too(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    made = await cards(world, board, 20)
    answers = await asyncio.gather(*[take_next(agent) for _ in range(50)])
    await expect_each_once(world, answers, made)


async def test_of_50_concurrent_claims_of_a_card_one_succeeds(world: World) -> None:
    card, agents = await world.card(await world.board()), await crew(world, 50)
    answers = await asyncio.gather(*[take(agent, card) for agent in agents])
    (won,) = [answer.body["claim"] for answer in answers if answer.status == 200]
    for answer in answers:
        if answer.status != 200:
            details = answer.refused(409, "already_claimed")
            assert details["claim"] == {key: value for key, value in won.items() if key != "token"}
    assert len(await world.history(card["id"])) == 2


async def test_cards_whose_claims_have_expired_are_shared_out_anew(world: World) -> None:
    board, agents = await world.board(), await crew(world, 60)
    made = await cards(world, board, 20)
    first = [(await take_next(agents[0])).ok()["claim"]["token"] for _ in made]
    world.clock.forward(300)
    answers = await asyncio.gather(*[take_next(agent) for agent in agents])
    assert Counter(answer.status for answer in answers) == {200: 20, 204: 40}
    got = [answer.body for answer in answers if answer.status == 200]
    assert len({card["id"] for card in got}) == 20
    assert not {card["claim"]["token"] for card in got} & set(first)


async def test_the_card_of_a_claimant_that_is_killed_is_free_after_the_lease(world: World) -> None:
    card, agent = await world.card(await world.board()), await world.agent()
    url = world.url + "/api/v1" + agent.org("/cards/claim/mcp")
    arguments = "-c", CLAIMANT, url, agent.headers["Authorization"]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    token = (await process.stdout.readline()).decode().strip()
    process.kill()
    assert await process.wait() == -signal.SIGKILL
    other = await world.agent("other")
    world.clock.forward(290)
    (await take(other, card)).refused(409, "already_claimed")
    assert (await take_next(other)).status == 204
    world.clock.forward(10)
    assert (await take_next(other)).ok()["id"] == card["id"]
    late = await agent.patch(f"/cards/{card['id']}/mcp", {"title": "Late"}, headers={"X-Claim-Token": token})
    assert late.refused(409, "already_claimed")["claim"]["agentId"] == "other"


async def test_a_claim_outlives_a_service_that_is_killed(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        agent = await world.agent()
        await world.card(await world.board())
        card = (await take_next(agent)).ok()
    service_process.kill()
    service_process.start()
    async with World(service_process.url) as world:
        other = await world.agent("other")
        again = world.client(agent.headers, org_id=agent.org_id)
        assert (await take_next(other)).status == 204
        (await take(other, card)).refused(409, "already_claimed")
        token = {"X-Claim-Token": card["claim"]["token"]}
        assert (await again.patch(f"/cards/{card['id']}/mcp", {"title": "On"}, headers=token)).ok()["title"] == "On"
