"""Nothing of a denied request stays in memory: neither its body, nor its response, nor the frames of its handlers."""

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from service.http import connection
from service.pipeline.routing import ROUTES

from .. import forms, memory, raw_http, snapshots, walk
from ..http.test_connection import head, large_card, send_without_reading, until, wait_until_closed
from ..process import ServiceProcess
from ..world import Answer, Client, World

SERVICE = str(Path(connection.__file__).parents[1])
MCP = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
BODY_BYTES = 1_000_000
BODIES = 126  # of 1 MB each
MIB_MAX = 60  # that they may add to the service's memory; a few of them are there at a time
SMALL_MIB_MAX = 10  # that 5,000 small refusals may add


@contextmanager
def collected() -> Iterator[Counter[str]]:
    """Count the tracebacks of the service that only a garbage collection frees, by their function."""
    found: Counter[str] = Counter()
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found.update(filter(None, map(_function, gc.garbage)))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def _function(garbage: Any) -> str | None:
    if not isinstance(garbage, TracebackType):
        return None
    code = garbage.tb_frame.f_code
    return f"{code.co_filename}:{code.co_name}" if code.co_filename.startswith(SERVICE) else None


async def call_tool(who: Client, name: str, arguments: Any, **message: Any) -> Answer:
    """Send a call of a tool as one message; more keys than it has make it one for the SDK."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name}} | message
    message["params"]["arguments"] = arguments
    async with who.http.post(who.base + "/mcp", json=message, headers=MCP | who.headers) as response:
        return Answer(response.status, await response.read(), response.headers)


async def test_a_refusal_of_any_route_leaves_no_traceback(world: World) -> None:
    callers = [world.sa, await world.agent(), world.nobody]
    with collected() as found:
        for route in ROUTES:
            for who in callers:
                await walk.send(who, route, {}, params={"surprise": "1"})
                await walk.send(who, route, {}, walk.smallest_body(route) or {})
                await walk.send(who, route, {}, data=b"{" if not route.reads else None, headers={"Expect": "nothing"})
    assert found == {}


async def test_a_refusal_by_a_tool_leaves_no_traceback(world: World) -> None:
    agent = await world.agent()
    await call_tool(agent, "whoami", {}, more=True)  # the SDK is loaded by now
    with collected() as found:
        for more in ({}, {"more": True}):
            assert b"not_found" in (await call_tool(agent, "get_card", {"card": "X-1"}, **more)).body
            assert b"validation_failed" in (await call_tool(agent, "get_card", {"card": 1}, **more)).body
        await call_tool(agent, "no_such_tool", {})
        await call_tool(world.nobody, "whoami", {})
    assert found == {}


async def test_a_refusal_of_a_form_a_snapshot_a_batch_or_a_large_body_leaves_no_traceback(world: World) -> None:
    card, cards = await large_card(world), [snapshots.card(title=1), snapshots.card(id="c2", title=1)]
    with collected() as found:
        (await forms.send(world.sa, forms.target(card, "nothing"), forms.blob())).refused(400, "validation_failed")
        (await forms.send(world.sa, forms.text("surprise", "1"))).refused(400, "validation_failed")
        (await snapshots.send(world.sa, snapshots.small(cards=cards))).refused(400, "InvalidSnapshotShape")
        wrong = {"cards": cards, "meta": {"product": "Another"}}
        (await snapshots.send(world.sa, wrong)).refused(400, "UnsupportedProduct")
        moves = [{"cardId": card["id"], "move": {"toColumnId": "nothing"}}, {"cardId": "nothing", "archive": True}]
        (await world.sa.post(world.sa.org("/cards/batch"), {"operations": moves})).ok()
        (await world.sa.post("/organizations", {"title": "x" * 100_000})).refused(400, "validation_failed")
    assert found == {}


async def test_a_client_that_leaves_leaves_nothing_behind(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SEND_TIMEOUT_SECONDS", 1)
    path = f"/cards/{(await large_card(world))['id']}"
    with collected() as found:
        async with raw_http.sent(world.url, head("PATCH", path, world.sa, Content_Length=BODY_BYTES) + b"{"):
            await until(lambda: world.service.in_flight_bytes.total > 0)
        sender = await send_without_reading(world, head("GET", path, world.sa) * 200)
        await wait_until_closed(sender)
        sender.close()
        await until(lambda: world.service.in_flight_bytes.total == 0)
        await asyncio.sleep(0.1)
    assert found == {}


async def test_bodies_that_were_refused_are_not_kept(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        await _refuse_many(world, 6)  # what is loaded or cached with the first ones counts for nothing
        with memory.growth(service_process) as grown:
            await _refuse_many(world, BODIES)
    assert grown.mib <= MIB_MAX, grown


async def _refuse_many(world: World, count: int) -> None:
    title = "x" * BODY_BYTES
    for _ in range(count // 6):
        answers = await asyncio.gather(*(world.nobody.post("/auth/login", {"email": title}) for _ in range(6)))
        assert {answer.status for answer in answers} == {400}


async def test_bodies_that_a_tool_refused_are_not_kept(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        agent, arguments = await world.agent(), {"card": "X-1", "text": "x" * BODY_BYTES}
        await call_tool(agent, "comment", arguments, more=True)
        with memory.growth(service_process) as grown:
            for _ in range(BODIES // 2):
                assert b"isError" in (await call_tool(agent, "comment", arguments)).body
                assert b"isError" in (await call_tool(agent, "comment", arguments, more=True)).body
    assert grown.mib <= MIB_MAX, grown


async def test_many_small_refusals_leave_no_memory_behind(service_process: ServiceProcess) -> None:
    async with World(service_process.url) as world:
        await asyncio.gather(*(world.nobody.get("/nothing") for _ in range(100)))
        with memory.growth(service_process) as grown:
            for _ in range(50):
                answers = await asyncio.gather(*(world.nobody.get("/nothing") for _ in range(100)))
                assert {answer.status for answer in answers} == {404}
    assert grown.mib <= SMALL_MIB_MAX, grown
