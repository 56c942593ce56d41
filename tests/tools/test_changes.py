"""The tool that waits for something to happen."""

import asyncio
import json
import time

import httpx2
import pytest

from ..process import ServiceProcess
from ..world import World
from .talk import ERAS, talking

LONGEST = 30  # seconds


@pytest.mark.parametrize("mode", ERAS)
async def test_who_waits_hears_at_once_what_happens(world: World, mode: str) -> None:
    board = await world.board()
    async with talking(await world.agent(), mode) as talk:
        start = await talk.ok("wait_for_changes")
        assert start["items"] == []
        waiting = asyncio.create_task(talk.ok("wait_for_changes", since=start["next"]))
        await talk.ok("whoami")  # the one that waits holds nobody up
        card = await world.card(board)
        heard = await asyncio.wait_for(waiting, LONGEST)
        (event,) = heard["items"]
        assert (event["type"], event["cardId"], event["actor"]) == ("card.created", card["id"], f"User {world.sa.id}")
        again = await talk.ok("wait_for_changes", since=heard["next"], wait=0)
        assert again["items"] == []


async def test_all_that_was_missed_comes_in_bounded_pieces_without_a_gap(world: World) -> None:
    board = await world.board()
    async with talking(await world.agent()) as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        cards = [(await world.card(board))["id"] for _ in range(60)]
        heard: list[str] = []
        for tokens in (1000, 2000, *[8000] * 10):
            answer = await talk.ok("wait_for_changes", since=since, wait=0, maxTokens=tokens)
            heard += [event["cardId"] for event in answer["items"]]
            since = answer["next"]
            if not answer["hasMore"]:
                break
        assert heard == cards


async def test_an_unknown_beginning_asks_to_look_at_everything_again(world: World) -> None:
    async with talking(await world.agent()) as talk:
        assert (await talk.ok("wait_for_changes", since="nonsense", wait=0))["reset"] is True
        await talk.refused("wait_for_changes", "validation_failed", wait=51)


async def test_changes_of_other_organizations_are_not_heard(world: World) -> None:
    async with talking(await world.agent()) as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        await world.card(await world.board(world.outsider), by=world.outsider)
        assert (await talk.ok("wait_for_changes", since=since, wait=0))["items"] == []


async def test_who_waits_is_answered_when_the_service_stops(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        agent = await world.agent()
        async with talking(agent) as talk:
            since = (await talk.ok("wait_for_changes"))["next"]
    call = {"name": "wait_for_changes", "arguments": {"since": since}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = agent.headers | {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=headers, timeout=LONGEST) as http:
        waiting = asyncio.create_task(http.post(service_process.url + "/mcp", json=body))
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert (await http.post(service_process.url + "/mcp", json=ping)).status_code == 200
        started = time.monotonic()
        service_process.signal()
        answer = await waiting
        assert json.loads(answer.json()["result"]["content"][0]["text"])["items"] == []
    assert await asyncio.to_thread(service_process.wait) == 0
    assert time.monotonic() - started < 5
