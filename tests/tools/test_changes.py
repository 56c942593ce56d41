"""The tools that report changes."""

import asyncio
import json
import time
from urllib.parse import urlsplit

import pytest

from .. import raw_http
from ..process import ServiceProcess
from ..world import Client, World
from .talk import ERAS, talking

EVENT_TIMEOUT_SECONDS = 30


@pytest.mark.parametrize("mode", ERAS)
async def test_a_waiting_call_returns_a_change_at_once(world: World, mode: str) -> None:
    board = await world.board()
    async with talking(await world.agent(), mode) as talk:
        start = await talk.ok("wait_for_changes")
        assert start["items"] == []
        waiting = asyncio.create_task(talk.ok("wait_for_changes", since=start["next"]))
        await talk.ok("whoami")  # the one that waits holds nobody up
        card = await world.card(board)
        heard = await asyncio.wait_for(waiting, EVENT_TIMEOUT_SECONDS)
        (event,) = heard["items"]
        assert event["by"] == {"type": "User", "name": "Ada Architect"}
        assert (event["type"], event["cardKey"], event["column"]) == ("card.created", card["key"], "Todo")
        again = await talk.ok("wait_for_changes", since=heard["next"], wait=0)
        assert again["items"] == []


async def test_missed_changes_come_in_pages_without_a_gap(world: World) -> None:
    board = await world.board()
    async with talking(await world.agent()) as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        cards = [(await world.card(board))["key"] for _ in range(60)]
        heard: list[str] = []
        for tokens in (1000, 2000, *[8000] * 10):
            answer = await talk.ok("wait_for_changes", since=since, wait=0, maxTokens=tokens)
            heard += [event["cardKey"] for event in answer["items"]]
            since = answer["next"]
            if not answer["hasMore"]:
                break
        assert heard == cards


async def test_an_unknown_start_returns_reset(world: World) -> None:
    async with talking(await world.agent()) as talk:
        assert (await talk.ok("wait_for_changes", since="999999999", wait=0))["reset"] is True
        error = await talk.error("wait_for_changes", "validation_failed", since="nonsense", wait=0)
        assert "since: must be an event id, a timestamp or an age" in error["message"]
        await talk.refused("wait_for_changes", "validation_failed", wait=51)


async def test_changes_of_other_organizations_are_not_returned(world: World) -> None:
    async with talking(await world.agent()) as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        await world.card(await world.board(world.outsider), by=world.outsider)
        assert (await talk.ok("wait_for_changes", since=since, wait=0))["items"] == []


async def test_a_waiting_tool_call_returns_when_the_service_stops(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        agent = await world.agent()
        async with talking(agent) as talk:
            since = (await talk.ok("wait_for_changes"))["next"]
        async with raw_http.sent(service_process.url, _waiting(agent, since)) as waiting:
            (await world.sa.get("/auth/me")).ok()  # whoever answers this has read the request above
            started = time.monotonic()
            service_process.signal()
            answer = await raw_http.read_answer(waiting)
    assert json.loads(answer.body["result"]["content"][0]["text"])["items"] == []
    assert await asyncio.to_thread(service_process.wait) == 0
    assert time.monotonic() - started < 5


def _waiting(agent: Client, since: str) -> bytes:
    call = {"name": "wait_for_changes", "arguments": {"since": since}}
    content = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    fields = {
        "Host": urlsplit(agent.base).netloc,
        "Authorization": agent.headers["Authorization"],
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": len(content),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n{content}".encode()


async def test_a_long_inbox_comes_in_pages_without_a_loss(world: World) -> None:
    board, agent = await world.board(), await world.agent()
    cards = [await world.card(board, title=f"Card {number} with a title as they are in life") for number in range(20)]
    answer, heard = "Take the second one; " * 40 + "please.", []
    async with talking(agent) as talk:
        asked = [(await talk.ok("ask", card=card["key"], content="Which?"))["comment"] for card in cards]
        while (await talk.ok("inbox"))["items"]:
            pass
        for card, comment_id in zip(cards, asked, strict=True):
            replies = f"/cards/{card['id']}/comments/{comment_id}/replies"
            (await world.member.post(replies, {"content": answer})).ok()
        while (piece := await talk.ok("inbox"))["items"]:
            heard += piece["items"]
    assert [item["cardKey"] for item in heard] == [card["key"] for card in cards]
    assert {item["answer"]["content"] for item in heard} == {answer}
    assert {(item["column"], item["answer"]["answeredBy"]["name"]) for item in heard} == {("Todo", "Mo Member")}


async def test_waiting_for_one_card_returns_only_its_changes(world: World) -> None:
    board = await world.board()
    one, two = await world.card(board), await world.card(board)
    async with talking(await world.agent()) as talk:
        since = (await talk.ok("wait_for_changes"))["next"]
        for card in (one, two):
            (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
        for wanted in ({"card": two["key"]}, {"card": two["key"].lower(), "project": "boa"}):
            heard = await talk.ok("wait_for_changes", since=since, wait=0, **wanted)
            assert [item["cardKey"] for item in heard["items"]] == [two["key"]]
        assert len((await talk.ok("wait_for_changes", since="1h", project="BOA"))["items"]) >= 4


async def test_the_inbox_waits_until_something_concerns_the_agent(world: World) -> None:
    board = await world.board()
    async with talking(await world.agent()) as talk:
        waiting = asyncio.create_task(talk.ok("inbox", wait=50))
        await world.card(board)
        await world.card(board, title="Mine", assignedAgentId="bot")
        found = await asyncio.wait_for(waiting, EVENT_TIMEOUT_SECONDS)
        assert [item["title"] for item in found["items"]] == ["Mine"]
        assert (await talk.ok("inbox"))["items"] == []
        await talk.refused("inbox", "validation_failed", wait=51)
